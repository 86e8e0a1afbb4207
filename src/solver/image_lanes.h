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

// The same neighbours for wide vectors: the next SIMD_PARTS of each row, or one of each where fewer are left, which then fills all parts.
typedef struct wide_entries
{
	const uint32_t *entry[SIMD_PARTS];
	uint32_t length;
	uint32_t parts;
} wide_entries;

static inline wide_entries wide_entries_from(const uint32_t *entry, uint32_t length)
{
	wide_entries near = {.length = length, .parts = length < SIMD_PARTS ? 1 : SIMD_PARTS};
	for (int k = 0; k < SIMD_PARTS; k++)
		near.entry[k] = entry + (near.parts == 1 ? 0 : k * SIMD_LANES);
	return near;
}

static inline wide_entries wide_entries_of(const pair_pass *p, uint32_t slice, int part)
{
	near_entries near = entries_of(p, slice, part);
	return wide_entries_from(near.entry, near.length);
}

static inline wide_entries wide_entries_after(wide_entries near)
{
	return wide_entries_from(near.entry[0] + near.parts * SIMD_LANES, near.length - near.parts);
}

// The same, but behind the last ones it stays at these, so that there is always something to load.
static inline wide_entries wide_entries_ahead(wide_entries near)
{
	uint32_t left = near.length - near.parts;
	return wide_entries_from(near.entry[0] + (left > 0 ? near.parts * SIMD_LANES : 0), left);
}

#define EACH_WIDE_OF(pairs, from, to)                                                          \
	for (int part = from; part < to; part++)                                               \
		for (wide_entries near = wide_entries_of(pairs, slice, part); near.length > 0; \
		     near = wide_entries_after(near))
#define EACH_WIDE_NEIGHBOUR(pairs) EACH_WIDE_OF(pairs, AMONG_PARTICLES, SEERS)

// sum + a b, one neighbour after the other.
static inline f8 add_products(f8 sum, fw a, fw b, uint32_t parts)
{
	sum = f8_fma(fw_part(a, 0), fw_part(b, 0), sum);
	return parts > 1 ? f8_fma(fw_part(a, 1), fw_part(b, 1), sum) : sum;
}

static inline f8 add_terms(f8 sum, fw a, uint32_t parts)
{
	sum = sum + fw_part(a, 0);
	return parts > 1 ? sum + fw_part(a, 1) : sum;
}

#endif
