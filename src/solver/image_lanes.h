// The neighbours of eight rows among particles and images, for the files of kernels. Included only by *.simd.c.
#ifndef SOLVER_IMAGE_LANES_H
#define SOLVER_IMAGE_LANES_H

#include "solver/pair_lanes.h"
#include "solver/shear_kernels.h"

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

static inline near_entries entries_of(const shear_pass *p, uint32_t slice, int part)
{
	if (part == AMONG_PARTICLES)
		return (near_entries){p->pairs.entries + p->pairs.slice_begin[slice], p->pairs.slice_length[slice]};
	if (part == AMONG_IMAGES)
		return (near_entries){p->image_entries + p->image_begin[slice], p->image_length[slice]};
	return (near_entries){p->seer_entries + p->seer_begin[slice], p->seer_length[slice]};
}

// All neighbours of a slice, images included.
#define EACH_NEIGHBOUR                                                                \
	for (int part = AMONG_PARTICLES; part < SEERS; part++)                        \
		for (near_entries near = entries_of(p, slice, part); near.length > 0; \
		     near.length--, near.entry += SIMD_LANES)

#endif
