// The inner loop of splat.c, built once per instruction set.
#ifndef RENDER_SPLAT_KERNEL_H
#define RENDER_SPLAT_KERNEL_H

#include "base/simd_level.h"

#include <stdint.h>

enum
{
	SPLAT_TILE = 64,            // pixels per side
	SPLAT_ROW = SPLAT_TILE + 8, // floats per row of a tile: eight lanes may extend past its edge
	SPLAT_BLOCK = 8,            // pixels per side of a block with a bound on its depth
	SPLAT_BLOCKS = SPLAT_TILE / SPLAT_BLOCK
};

// A projected sphere.
typedef struct splat_entry
{
	float x, y; // centre / depth of the centre, view space
	float z;    // depth of the centre, m
	float size; // radius / z
	uint32_t id;
} splat_entry;

// The pixels of one tile while it is drawn.
typedef struct splat_tile
{
	float left, top;     // pixel coordinates of the tile's corner, relative to the centre of the picture
	float inverse_focal; // 1 / pixels
	float focal;
	int32_t width, height; // pixels in use
	float depth[SPLAT_TILE * SPLAT_ROW];
	uint32_t id[SPLAT_TILE * SPLAT_ROW];
	float farthest[SPLAT_BLOCKS * SPLAT_BLOCKS]; // upper bound on the depth in a block
	uint64_t stale;                              // blocks drawn into since `farthest` was updated
} splat_tile;

typedef struct splat_kernel
{
	// draws entries[order[0..count)] into the tile
	void (*draw)(splat_tile *tile, const splat_entry *entries, const uint32_t *order, uint32_t count);
} splat_kernel;

SIMD_TABLE(splat_kernel, splat_kernel_table)

// First and one past the last pixel that a sphere may cover along one axis. The tangents from the eye, in the plane of
// that axis and the view direction, are at (x +- s sqrt(1 + x^2 - s^2)) / (1 - s^2) with s = radius / z.
static inline void splat_extent(float x, float size, float *low, float *high)
{
	float square = size * size, half = size * __builtin_sqrtf(1.0f + x * x - square),
	      scale = 1.0f / (1.0f - square);
	*low = (x - half) * scale;
	*high = (x + half) * scale;
}

#endif
