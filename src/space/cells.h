// Cells, leaves and keys: maps a position in an unbounded domain to a 63-bit number.
//
// Space is cut into cubic cells, 2^21 along each axis, centred on the world's origin. 8 x 8 x 8 cells make a leaf. A key is the
// Z-order of the leaf followed by the row-major place of the cell in it:
//
//    63   62 ................... 9   8 7 6   5 4 3   2 1 0
//   [ 0 | z17 y17 x17 ... z0 y0 x0 |   z   |   y   |   x   ]
//         leaf, 18 bits per axis      cell inside the leaf
//
// So rows of cells along x are contiguous when particles are sorted by key, and leaves keep the locality of the Z-curve.
#ifndef SPACE_CELLS_H
#define SPACE_CELLS_H

#include "base/vec.h"

#include <stdint.h>

enum
{
	LEAF_SHIFT = 3, // 8 cells along a leaf's edge
	LEAF_SIDE = 1 << LEAF_SHIFT,
	LEAF_CELLS = LEAF_SIDE * LEAF_SIDE * LEAF_SIDE,
	LEAF_KEY_SHIFT = 3 * LEAF_SHIFT,
	CELL_BITS = 21,
	CELL_OFFSET = 1 << (CELL_BITS - 1), // cell 0 is in the middle of the range
	LEAF_BITS = CELL_BITS - LEAF_SHIFT
};

typedef struct cell_coord
{
	int32_t x, y, z; // in [0, 2^21)
} cell_coord;

// Rows [begin, end) of sorted particles.
typedef struct row_range
{
	uint32_t begin, end;
} row_range;

// The grid of one class of particles: those with the same interaction radius.
typedef struct cell_grid
{
	double cell;    // m, edge of a cell
	double inverse; // 1/m
	float limit;    // m, coordinates below this in magnitude have a cell
} cell_grid;

// Interaction radius of a pair with radii a and b: their mean. All code for mixed resolutions uses this rule.
static inline float pair_radius(float a, float b)
{
	return 0.5f * (a + b);
}

// Cells are a little larger than the radius, so that rounding of cell numbers never puts a pair two cells apart.
static inline cell_grid cell_grid_make(double radius)
{
	double cell = radius * (1.0 + 1e-6);
	return (cell_grid){.cell = cell, .inverse = 1.0 / cell, .limit = (float)(cell * CELL_OFFSET * (1.0 - 1e-6))};
}

// Spreads the low 9 bits of v to every third bit.
extern const uint32_t leaf_spread_table[512];

static inline uint64_t leaf_spread(uint32_t v)
{
	return (uint64_t)leaf_spread_table[v >> 9 & 511] << 27 | leaf_spread_table[v & 511];
}

// Z-order of a leaf, from coordinates in leaves.
static inline uint64_t leaf_key(uint32_t x, uint32_t y, uint32_t z)
{
	return leaf_spread(x) | leaf_spread(y) << 1 | leaf_spread(z) << 2;
}

static inline uint32_t leaf_compact(uint64_t key)
{
	key &= 0x1249249249249249u;
	key = (key | key >> 2) & 0x10c30c30c30c30c3u;
	key = (key | key >> 4) & 0x100f00f00f00f00fu;
	key = (key | key >> 8) & 0x001f0000ff0000ffu;
	key = (key | key >> 16) & 0x001f00000000ffffu;
	return (uint32_t)(key | key >> 32) & 0x1fffffu;
}

// Coordinates, in leaves, of a leaf's key.
static inline cell_coord leaf_coord(uint64_t key)
{
	return (cell_coord){(int32_t)leaf_compact(key), (int32_t)leaf_compact(key >> 1),
			    (int32_t)leaf_compact(key >> 2)};
}

static inline uint32_t cell_in_leaf(cell_coord c)
{
	return (uint32_t)((c.z & 7) << 6 | (c.y & 7) << 3 | (c.x & 7));
}

static inline uint64_t cell_key(cell_coord c)
{
	return leaf_key((uint32_t)c.x >> LEAF_SHIFT, (uint32_t)c.y >> LEAF_SHIFT, (uint32_t)c.z >> LEAF_SHIFT)
		   << LEAF_KEY_SHIFT |
	       cell_in_leaf(c);
}

// The cell of a position, which must be in the grid's range.
static inline cell_coord cell_of(const cell_grid *grid, vec4 p)
{
	return (cell_coord){(int32_t)floor(p.x * grid->inverse) + CELL_OFFSET,
			    (int32_t)floor(p.y * grid->inverse) + CELL_OFFSET,
			    (int32_t)floor(p.z * grid->inverse) + CELL_OFFSET};
}

#endif
