// The neighbours of eight rows among particles and images, for the files of kernels. Included only by *.simd.c.
#ifndef SOLVER_IMAGE_LANES_H
#define SOLVER_IMAGE_LANES_H

#include "solver/pair_lanes.h"

// The neighbours of a slice: those among the particles, those among the images, or the particles that see an image.
typedef struct near_entries
{
	const uint32_t *entry;
	uint32_t length;
} near_entries;

enum
{
	AMONG_PARTICLES,
	AMONG_IMAGES,
	SEERS,
	PARTS
};

static inline near_entries entries_of(const pair_pass *p, uint32_t slice, int part)
{
	if (part == AMONG_PARTICLES)
		return (near_entries){p->entries + p->slice_begin[slice], p->slice_length[slice]};
	const image_list *list = part == AMONG_IMAGES ? &p->seen : &p->seers;
	return (near_entries){list->entries + list->begin[slice], list->length[slice]};
}

// The neighbours of a slice in some parts, one for each of eight rows; all of them, images included.
#define EACH_OF(pairs, from, to)                                                          \
	for (int part = from; part < to; part++)                                          \
		for (near_entries near = entries_of(pairs, slice, part); near.length > 0; \
		     near.length--, near.entry += SIMD_LANES)
#define EACH_NEIGHBOUR(pairs) EACH_OF(pairs, AMONG_PARTICLES, SEERS)

#endif
