// The inner loops of src/space that are built once per instruction set.
#ifndef SPACE_KERNELS_H
#define SPACE_KERNELS_H

#include "base/simd_level.h"
#include "base/vec.h"
#include "space/cells.h"

#include <stddef.h>
#include <stdint.h>

enum
{
	CANDIDATE_TAIL = 16 // elements behind candidates, lists and positions that full vectors may access
};

// Possible neighbours of the particles of one cell, gathered into contiguous arrays.
typedef struct candidate_set
{
	float *x, *y, *z;
	uint32_t *row;
	size_t count;
} candidate_set;

// The box [low, high] around the particles of a cell. Particles further than `reach` from it are not neighbours of any of them.
typedef struct search_box
{
	vec4 low, high;
	float reach; // m
} search_box;

typedef struct space_kernels
{
	// Keys of `count` positions. Returns the first row that is outside the grid or not a number (its key is unusable), or
	// `count`.
	size_t (*keys)(const cell_grid *grid, const vec4 *positions, size_t count, uint64_t *keys);

	// Appends the rows of some ranges that are near the box to the set, in order.
	void (*gather)(candidate_set *set, const vec4 *positions, const row_range *ranges, size_t count,
		       const search_box *box);

	// Puts positions far from everything behind the last candidate.
	void (*pad)(candidate_set *set);

	// Writes the rows of the candidates within `radius` of `p`, row `self` left out, to `out` and returns how many.
	uint32_t (*pick)(const candidate_set *set, vec4 p, uint32_t self, float radius, uint32_t *out);

	// Pads 8 lists with `dummy` to `length`, the longest, and interleaves them: entry k of list l goes to out[8 k + l]. Lists
	// have room for a tail.
	void (*interleave)(uint32_t *const lists[8], const uint32_t lengths[8], uint32_t length, uint32_t dummy,
			   uint32_t *out);
} space_kernels;

SIMD_TABLE(space_kernels, space_kernels_table)

#endif
