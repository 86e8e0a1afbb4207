// The sparse grid: blocks of 4 x 4 x 4 points of one lattice through the origin, so that what is cropped does not move a point.
// Which points are inside fits into one 64-bit word per block, and so do the cut edges along each axis.
//
//	absent      no particle near: all its points are outside
//	inside      only particles from the depth near: not computed, all its points are inside
//	computed    has its 64 values
//
// Where blocks that are not computed meet others, the points on both sides agree, so that no cut edge is ever missed: an inside
// block with a neighbour that disagrees is computed after all, until none is left, and a computed point beside an absent block is
// outside.
#ifndef SURFACE_BLOCKS_H
#define SURFACE_BLOCKS_H

#include "space/cell_map.h"
#include "surface/field.h"

#define BLOCK_NONE UINT32_MAX

typedef struct surface_blocks
{
	double cell; // m, between points
	uint32_t count;
	uint64_t *keys;   // rising, as of cells.h with blocks for cells
	uint32_t *slot;   // where a block is among the computed, or BLOCK_NONE for inside
	uint64_t *inside; // one bit per point, x fastest
	cell_map map;

	uint32_t computed;
	uint32_t *block; // of each slot
	float *values;   // 64 per slot
} surface_blocks;

void surface_blocks_free(surface_blocks *blocks);

// Finds the blocks around the particles and marks those that are to be computed.
spate_result surface_blocks_init(surface_blocks *blocks, const surface_field *field, int threads, spate_error *error);
// Computes them.
spate_result surface_blocks_compute(surface_blocks *blocks, const surface_field *field, field_scratch *scratch,
				    int threads, spate_error *error);

// Number of the block at coordinates in blocks, or BLOCK_NONE.
uint32_t surface_blocks_find(const surface_blocks *blocks, cell_coord c);
cell_coord surface_blocks_coord(const surface_blocks *blocks, uint32_t block);
// First point of a block, m.
void surface_blocks_origin(const surface_blocks *blocks, cell_coord c, double origin[3]);

#endif
