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
	array_free(&map->places);
	array_free(&map->cell_rows);
	array_free(&map->slots);
	array_free(&map->chunk_leaves);
	*map = (cell_map){0};
}

size_t cell_map_bytes(const cell_map *map)
{
	return map->leaf_keys.capacity * sizeof(uint64_t) + map->slots.capacity * sizeof(leaf_slot) +
	       (map->leaf_rows.capacity + map->places.capacity + map->cell_rows.capacity + map->chunk_leaves.capacity) *
		   sizeof(uint32_t);
}

static int starts_leaf(const uint64_t *keys, size_t i)
{
	return i == 0 || keys[i] >> LEAF_KEY_SHIFT != keys[i - 1] >> LEAF_KEY_SHIFT;
}

static void count_leaves(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	cell_map *map = context;
	const uint64_t *keys = map->keys;
	uint32_t leaves = 0;
	for (size_t i = begin; i < end; i++)
		leaves += (uint32_t)starts_leaf(keys, i);
	map->chunk_leaves.data[begin / CHUNK] = leaves;
}

static void list_leaves(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	cell_map *map = context;
	const uint64_t *keys = map->keys;
	uint32_t leaf = map->chunk_leaves.data[begin / CHUNK];
	for (size_t i = begin; i < end; i++)
		if (starts_leaf(keys, i))
		{
			map->leaf_keys.data[leaf] = keys[i] >> LEAF_KEY_SHIFT;
			map->leaf_rows.data[leaf++] = map->first_row + (uint32_t)i;
		}
}

// Gives tables to the leaves with many particles; returns how many.
static uint32_t number_tables(cell_map *map)
{
	uint32_t tables = 0;
	for (uint32_t leaf = 0; leaf < map->leaf_count; leaf++)
	{
		uint32_t rows = map->leaf_rows.data[leaf + 1] - map->leaf_rows.data[leaf];
		map->places.data[leaf] = (int32_t)(rows < CELL_MAP_DENSE ? ~leaf : tables++);
	}
	return tables;
}

static void start_cells(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	cell_map *map = context;
	const uint64_t *keys = map->keys;
	uint32_t first_row = map->first_row;
	for (size_t leaf = begin; leaf < end; leaf++)
	{
		int32_t place = map->places.data[leaf];
		if (place < 0)
			continue;
		uint32_t *cells = map->cell_rows.data + (size_t)place * CELL_MAP_TABLE;
		uint32_t first = map->leaf_rows.data[leaf], last = map->leaf_rows.data[leaf + 1];
		// no branch depends on how many rows a cell has, since none could be predicted
		for (uint32_t cell = 0; cell < CELL_MAP_TABLE; cell++)
			cells[cell] = last;
		for (uint32_t row = last; row-- > first;)
			cells[keys[row - first_row] & (LEAF_CELLS - 1)] = row;
		// an empty cell starts where the next one does
		uint32_t next = last;
		for (uint32_t cell = LEAF_CELLS; cell-- > 0;)
		{
			next = cells[cell] < next ? cells[cell] : next;
			cells[cell] = next;
		}
	}
}

static uint64_t hash_leaf(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15u;
	return key ^ key >> 32;
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
		uint64_t hash = hash_leaf(map->leaf_keys.data[leaf]);
		size_t slot = hash & map->slot_mask;
		while (map->slots.data[slot].leaf)
			slot = (slot + 1) & map->slot_mask;
		map->slots.data[slot] = (leaf_slot){(uint32_t)(hash >> 32), leaf + 1};
	}
	return 1;
}

static spate_result give_up(cell_map *map, size_t bytes, spate_error *error)
{
	map->leaf_count = 0;
	return error_memory(error, bytes);
}

spate_result cell_map_build(cell_map *map, uint32_t first_row, uint32_t count, const uint64_t *sorted_keys, int threads,
			    spate_error *error)
{
	size_t chunks = (count + (size_t)CHUNK - 1) / CHUNK;
	map->leaf_count = 0;
	map->first_row = first_row;
	map->keys = sorted_keys;
	if (!array_reserve(&map->chunk_leaves, chunks + 1))
		return give_up(map, chunks * 4, error);
	parallel_for(threads, count, CHUNK, count_leaves, map);
	uint32_t leaves = (uint32_t)prefix_sum_u32(map->chunk_leaves.data, chunks);
	if (!array_reserve(&map->leaf_keys, leaves + 1u) || !array_reserve(&map->leaf_rows, leaves + 1u) ||
	    !array_reserve(&map->places, leaves + 1u))
		return give_up(map, leaves * (size_t)16, error);
	parallel_for(threads, count, CHUNK, list_leaves, map);
	map->leaf_rows.data[leaves] = first_row + count;
	map->leaf_count = leaves;
	size_t starts = (size_t)number_tables(map) * CELL_MAP_TABLE;
	if (!array_reserve(&map->cell_rows, starts + 1))
		return give_up(map, starts * 4, error);
	parallel_for(threads, leaves, 16, start_cells, map);
	return fill_slots(map) ? SPATE_OK : give_up(map, leaves * sizeof(leaf_slot), error);
}

int32_t cell_map_find(const cell_map *map, int32_t x, int32_t y, int32_t z)
{
	const uint32_t side = 1u << LEAF_BITS;
	if (map->leaf_count == 0 || (uint32_t)x >= side || (uint32_t)y >= side || (uint32_t)z >= side)
		return -1;
	uint64_t key = leaf_key((uint32_t)x, (uint32_t)y, (uint32_t)z), hash = hash_leaf(key);
	const leaf_slot *slots = map->slots.data;
	for (size_t slot = hash & map->slot_mask; slots[slot].leaf; slot = (slot + 1) & map->slot_mask)
		if (slots[slot].tag == (uint32_t)(hash >> 32) && map->leaf_keys.data[slots[slot].leaf - 1] == key)
			return (int32_t)slots[slot].leaf - 1;
	return -1;
}

// First row in [begin, end) whose cell is `cell` or a later one.
static uint32_t seek(const cell_map *map, uint32_t begin, uint32_t end, uint32_t cell)
{
	while (begin < end)
	{
		uint32_t middle = begin + (end - begin) / 2;
		if ((map->keys[middle - map->first_row] & (LEAF_CELLS - 1)) < cell)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

row_range cell_map_search(const cell_map *map, int32_t leaf, uint32_t first, uint32_t last)
{
	uint32_t end = map->leaf_rows.data[leaf + 1], begin = seek(map, map->leaf_rows.data[leaf], end, first);
	return (row_range){begin, seek(map, begin, end, last + 1)};
}
