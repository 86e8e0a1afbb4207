// The sparse map from a cell to its particles, over particles sorted by key: a sorted list of the leaves that are in use and a hash
// from leaf to its number. A leaf with many particles has a table with the start of each cell. The few particles of any other
// leaf are searched by their keys, so that a particle far from all others takes some tens of bytes, not the 2 KB of a table.
#ifndef SPACE_CELL_MAP_H
#define SPACE_CELL_MAP_H

#include "base/array.h"
#include "space/cells.h"
#include "spate/result.h"

enum
{
	CELL_MAP_DENSE = 32,            // particles from which on a leaf has a table
	CELL_MAP_TABLE = LEAF_CELLS + 1 // starts of the cells, and the end of the last
};

// Where a leaf's rows are found: the number of its table, or ~leaf when it has none. A leaf without particles is nowhere.
#define CELL_MAP_NOWHERE INT32_MIN

typedef struct leaf_slot
{
	uint32_t tag;  // bits of the hash, to compare before the leaf's key is fetched
	uint32_t leaf; // number + 1, 0 for a free slot
} leaf_slot;

// All zero is the empty map.
typedef struct cell_map
{
	uint32_t leaf_count;
	uint32_t first_row;
	const uint64_t *keys;      // of the rows from the first on, borrowed from the last build
	ARRAY(uint64_t) leaf_keys; // rising
	ARRAY(uint32_t) leaf_rows; // first row of each leaf, and the end of the last
	ARRAY(int32_t) places;     // of each leaf
	ARRAY(uint32_t) cell_rows; // the tables
	ARRAY(leaf_slot) slots;    // open hash, a power of two of them
	size_t slot_mask;
	ARRAY(uint32_t) chunk_leaves; // scratch: leaves that start in each chunk
} cell_map;

void cell_map_free(cell_map *map);

// From `count` rising keys, whose particles are rows [first_row, first_row + count). The keys must stay until the next build.
spate_result cell_map_build(cell_map *map, uint32_t first_row, uint32_t count, const uint64_t *sorted_keys, int threads,
			    spate_error *error);

// Number of the leaf at these coordinates (in leaves), or -1 when it is empty or outside the range.
int32_t cell_map_find(const cell_map *map, int32_t x, int32_t y, int32_t z);

// Rows of the cells [first, last] of a leaf without a table.
row_range cell_map_search(const cell_map *map, int32_t leaf, uint32_t first, uint32_t last);

static inline int32_t cell_map_place(const cell_map *map, int32_t x, int32_t y, int32_t z)
{
	int32_t leaf = cell_map_find(map, x, y, z);
	return leaf >= 0 ? map->places.data[leaf] : CELL_MAP_NOWHERE;
}

// Rows of the cells [first, last], counted as in cell_in_leaf(), of the leaf in a place.
static inline row_range cell_map_rows(const cell_map *map, int32_t at, uint32_t first, uint32_t last)
{
	if (at < 0)
		return cell_map_search(map, ~at, first, last);
	const uint32_t *cells = map->cell_rows.data + (size_t)at * CELL_MAP_TABLE;
	return (row_range){cells[first], cells[last + 1]};
}

size_t cell_map_bytes(const cell_map *map);

#endif
