#include "space/cell_map.h"

#include "base/error.h"
#include "base/parallel.h"

#include <string.h>

enum
{
	CHUNK = 16384 // rows that one task scans for leaves
};

void cell_map_free(cell_map *map)
{
	array_free(&map->leaf_keys);
	array_free(&map->leaf_rows);
	array_free(&map->cell_rows);
	array_free(&map->slots);
	array_free(&map->chunk_leaves);
	*map = (cell_map){0};
}

size_t cell_map_bytes(const cell_map *map)
{
	return map->leaf_keys.capacity * sizeof(uint64_t) + map->slots.capacity * sizeof(leaf_slot) +
	       (map->leaf_rows.capacity + map->cell_rows.capacity + map->chunk_leaves.capacity) * sizeof(uint32_t);
}

typedef struct build
{
	cell_map *map;
	const uint64_t *keys;
	uint32_t first_row, count;
} build;

static int starts_leaf(const uint64_t *keys, size_t i)
{
	return i == 0 || keys[i] >> LEAF_KEY_SHIFT != keys[i - 1] >> LEAF_KEY_SHIFT;
}

static void count_leaves(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	build *b = context;
	uint32_t leaves = 0;
	for (size_t i = begin; i < end; i++)
		leaves += (uint32_t)starts_leaf(b->keys, i);
	b->map->chunk_leaves.data[begin / CHUNK] = leaves;
}

static void list_leaves(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	build *b = context;
	uint32_t leaf = b->map->chunk_leaves.data[begin / CHUNK];
	for (size_t i = begin; i < end; i++)
		if (starts_leaf(b->keys, i))
		{
			b->map->leaf_keys.data[leaf] = b->keys[i] >> LEAF_KEY_SHIFT;
			b->map->leaf_rows.data[leaf++] = b->first_row + (uint32_t)i;
		}
}

static void start_cells(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	build *b = context;
	cell_map *map = b->map;
	for (size_t leaf = begin; leaf < end; leaf++)
	{
		uint32_t *cells = map->cell_rows.data + leaf * LEAF_CELLS;
		uint32_t row = map->leaf_rows.data[leaf], last = map->leaf_rows.data[leaf + 1];
		uint32_t cell = 0;
		for (; row < last; row++)
			for (uint32_t own = b->keys[row - b->first_row] & (LEAF_CELLS - 1); cell <= own; cell++)
				cells[cell] = row;
		for (; cell < LEAF_CELLS; cell++)
			cells[cell] = last;
	}
}

static size_t hash_leaf(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15u;
	return (size_t)(key ^ key >> 32);
}

static int fill_slots(cell_map *map)
{
	size_t size = 64;
	while (size < 2 * (size_t)map->leaf_count)
		size *= 2;
	if (!array_reserve(&map->slots, size))
		return 0;
	map->slot_mask = size - 1;
	memset(map->slots.data, 0, size * sizeof *map->slots.data);
	for (uint32_t leaf = 0; leaf < map->leaf_count; leaf++)
	{
		size_t slot = hash_leaf(map->leaf_keys.data[leaf]) & map->slot_mask;
		while (map->slots.data[slot].leaf)
			slot = (slot + 1) & map->slot_mask;
		map->slots.data[slot] = (leaf_slot){map->leaf_keys.data[leaf], leaf + 1};
	}
	return 1;
}

spate_result cell_map_build(cell_map *map, uint32_t first_row, uint32_t count, const uint64_t *sorted_keys, int threads,
			    spate_error *error)
{
	size_t chunks = (count + (size_t)CHUNK - 1) / CHUNK;
	map->leaf_count = 0;
	if (!array_reserve(&map->chunk_leaves, chunks + 1))
		return error_memory(error, chunks * 4);
	build b = {map, sorted_keys, first_row, count};
	parallel_for(threads, count, CHUNK, count_leaves, &b);
	uint32_t leaves = (uint32_t)prefix_sum_u32(map->chunk_leaves.data, chunks);
	size_t cells = (size_t)leaves * LEAF_CELLS;
	if (!array_reserve(&map->leaf_keys, leaves + 1u) || !array_reserve(&map->leaf_rows, leaves + 1u) ||
	    !array_reserve(&map->cell_rows, cells + 1))
		return error_memory(error, cells * 4);
	parallel_for(threads, count, CHUNK, list_leaves, &b);
	map->leaf_rows.data[leaves] = map->cell_rows.data[cells] = first_row + count;
	parallel_for(threads, leaves, 16, start_cells, &b);
	map->leaf_count = leaves;
	if (!fill_slots(map))
	{
		map->leaf_count = 0;
		return error_memory(error, leaves * sizeof(leaf_slot));
	}
	return SPATE_OK;
}

int32_t cell_map_find(const cell_map *map, int32_t x, int32_t y, int32_t z)
{
	const uint32_t side = 1u << LEAF_BITS;
	if (map->leaf_count == 0 || (uint32_t)x >= side || (uint32_t)y >= side || (uint32_t)z >= side)
		return -1;
	uint64_t key = leaf_key((uint32_t)x, (uint32_t)y, (uint32_t)z);
	for (size_t slot = hash_leaf(key) & map->slot_mask; map->slots.data[slot].leaf;
	     slot = (slot + 1) & map->slot_mask)
		if (map->slots.data[slot].key == key)
			return (int32_t)map->slots.data[slot].leaf - 1;
	return -1;
}
