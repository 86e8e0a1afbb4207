// The sparse map from a cell to its particles, over particles sorted by key: a sorted table of the leaves that are in use, a
// hash from leaf to its number, and 512 starts for each.
#ifndef SPACE_CELL_MAP_H
#define SPACE_CELL_MAP_H

#include "base/array.h"
#include "space/cells.h"
#include "spate/result.h"

typedef struct leaf_slot
{
	uint64_t key;
	uint32_t leaf; // number + 1, 0 for a free slot
} leaf_slot;

// All zero is the empty map.
typedef struct cell_map
{
	uint32_t leaf_count;
	ARRAY(uint64_t) leaf_keys; // rising
	ARRAY(uint32_t) leaf_rows; // first row of each leaf, and the end of the last
	ARRAY(uint32_t) cell_rows; // first row of each cell, 512 per leaf, and the end of the last
	ARRAY(leaf_slot) slots;    // open hash, a power of two of them
	size_t slot_mask;
	ARRAY(uint32_t) chunk_leaves; // scratch: leaves that start in each chunk
} cell_map;

void cell_map_free(cell_map *map);

// From `count` rising keys, whose particles are rows [first_row, first_row + count).
spate_result cell_map_build(cell_map *map, uint32_t first_row, uint32_t count, const uint64_t *sorted_keys, int threads,
			    spate_error *error);

// Number of the leaf at these coordinates (in leaves), or -1 when it is empty or outside the range.
int32_t cell_map_find(const cell_map *map, int32_t x, int32_t y, int32_t z);

size_t cell_map_bytes(const cell_map *map);

#endif
