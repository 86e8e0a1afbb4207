// The sparse grid: blocks of 4 x 4 x 4 points of one lattice through the origin, so that cropping does not move any
// point.
// Which points are inside fits into one 64-bit word per block, and so do the cut edges along each axis.
//
//	absent      no particle near: all its points are outside
//	inside      only particles deep in the liquid near: not computed, all its points are inside
//	computed    has its 64 values
//
// Where a block that is not computed meets another block, the points on both sides agree, so that no cut edge is
// missed: an inside block with a neighbour that disagrees is computed as well, until there are none left, and a
// computed point beside an absent block counts as outside.
#ifndef SURFACE_BLOCKS_H
#define SURFACE_BLOCKS_H

#include "space/cell_map.h"
#include "surface/field.h"

#define BLOCK_NONE UINT32_MAX

typedef struct surface_blocks
{
	double cell; // m, between points
	uint32_t count;
	uint64_t *keys;   // ascending; as in cells.h, with blocks in place of cells
	uint32_t *slot;   // index among the computed blocks; BLOCK_NONE for inside blocks
	uint64_t *inside; // one bit per point, x fastest
	cell_map map;

	uint32_t computed;
	uint32_t *block; // block index of each slot
	float *values;   // 64 per slot
} surface_blocks;

void surface_blocks_free(surface_blocks *blocks);

// Finds the blocks around the particles and marks those to be computed.
spate_result surface_blocks_init(surface_blocks *blocks, const surface_field *field, int threads, spate_error *error);
// Computes the marked blocks.
spate_result surface_blocks_compute(surface_blocks *blocks, const surface_field *field, field_scratch *scratch,
				    int threads, spate_error *error);

// Index of the block at block coordinates, or BLOCK_NONE.
uint32_t surface_blocks_find(const surface_blocks *blocks, cell_coord c);
cell_coord surface_blocks_coord(const surface_blocks *blocks, uint32_t block);
// First point of a block, m.
void surface_blocks_origin(const surface_blocks *blocks, cell_coord c, double origin[3]);

#endif
