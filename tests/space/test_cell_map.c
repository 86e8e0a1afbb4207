// The map from cells to rows against a scan over the keys.
#include "cloud.h"
#include "space/cell_map.h"

static int by_value(const void *a, const void *b)
{
	const uint64_t *p = a, *q = b;
	return *p < *q ? -1 : *p > *q;
}

// Keys in the cells [low, low + side) of each axis, sorted.
static uint64_t *random_keys(dice *d, uint32_t count, int32_t low, int32_t side)
{
	uint64_t *keys = need(count, sizeof *keys);
	for (uint32_t i = 0; i < count; i++)
		keys[i] = cell_key((cell_coord){low + (int32_t)dice_below(d, (uint32_t)side),
						low + (int32_t)dice_below(d, (uint32_t)side),
						low + (int32_t)dice_below(d, (uint32_t)side)});
	qsort(keys, count, sizeof *keys, by_value);
	return keys;
}

static void check_leaf(const cell_map *map, int32_t leaf, uint32_t first_row, uint32_t count, const uint64_t *keys)
{
	uint64_t key = map->leaf_keys.data[leaf];
	uint32_t row = map->leaf_rows.data[leaf] - first_row;
	assert_true(row < count && keys[row] >> LEAF_KEY_SHIFT == key);
	assert_true(row == 0 || keys[row - 1] >> LEAF_KEY_SHIFT < key);
	for (uint32_t cell = 0; cell < LEAF_CELLS; cell++)
	{
		uint32_t begin = row;
		while (row < count && keys[row] == (key << LEAF_KEY_SHIFT | cell))
			row++;
		row_range rows = cell_map_rows(map, map->places.data[leaf], cell, cell);
		if (rows.begin != first_row + begin || rows.end != first_row + row)
			fail_msg("cell %u of leaf %d is rows [%u, %u), expected [%u, %u)", cell, leaf, rows.begin,
				 rows.end, first_row + begin, first_row + row);
		// the cells from here to the end of their row
		rows = cell_map_rows(map, map->places.data[leaf], cell, cell | (LEAF_SIDE - 1));
		uint32_t end = row;
		while (end < count && keys[end] <= (key << LEAF_KEY_SHIFT | cell | (LEAF_SIDE - 1)))
			end++;
		assert_true(rows.begin == first_row + begin && rows.end == first_row + end);
	}
	assert_int_equal(map->leaf_rows.data[leaf + 1], first_row + row);
}

static void check_map(const cell_map *map, uint32_t first_row, uint32_t count, const uint64_t *keys)
{
	uint32_t leaves = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		if (i > 0 && keys[i] >> LEAF_KEY_SHIFT == keys[i - 1] >> LEAF_KEY_SHIFT)
			continue;
		cell_coord c = leaf_coord(keys[i] >> LEAF_KEY_SHIFT);
		int32_t leaf = cell_map_find(map, c.x, c.y, c.z);
		assert_int_equal(leaf, leaves);
		check_leaf(map, leaf, first_row, count, keys);
		leaves++;
	}
	assert_int_equal(map->leaf_count, leaves);
}

// Every leaf of the block [low, high], used or not, and a ring around it.
static void check_lookups(const cell_map *map, uint32_t count, const uint64_t *keys, int32_t low, int32_t high)
{
	for (int32_t z = low - 1; z <= high + 1; z++)
		for (int32_t y = low - 1; y <= high + 1; y++)
			for (int32_t x = low - 1; x <= high + 1; x++)
			{
				int32_t leaf = cell_map_find(map, x, y, z);
				int inside = x >= 0 && y >= 0 && z >= 0 && x < 1 << LEAF_BITS && y < 1 << LEAF_BITS &&
					     z < 1 << LEAF_BITS;
				uint64_t key = inside ? leaf_key((uint32_t)x, (uint32_t)y, (uint32_t)z) : UINT64_MAX;
				// the first key that is not below the leaf
				uint32_t a = 0, b = count;
				while (a < b)
				{
					uint32_t middle = (a + b) / 2;
					if (keys[middle] >> LEAF_KEY_SHIFT < key)
						a = middle + 1;
					else
						b = middle;
				}
				int used = a < count && keys[a] >> LEAF_KEY_SHIFT == key;
				if (used != (leaf >= 0) || (used && map->leaf_keys.data[leaf] != key))
					fail_msg("leaf (%d, %d, %d) is number %d, expected it to be %s", x, y, z, leaf,
						 used ? "found" : "missing");
			}
}

static void test_every_cell(void **state)
{
	(void)state;
	const uint32_t counts[] = {1, 2, 9, 1000, 16383, 16384, 16385, 60000};
	const int32_t last = 2 * CELL_OFFSET - 1;
	const int32_t sides[] = {1, 8, 9, 40, 100};
	dice d = {11};
	cell_map maps[5] = {0};
	for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
		for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
			for (int corner = 0; corner < 3; corner++)
			{
				int32_t side = sides[s];
				int32_t low = corner == 0 ? 0 : corner == 1 ? CELL_OFFSET - side / 2 : last - side + 1;
				uint64_t *keys = random_keys(&d, counts[n], low, side);
				uint32_t first_row = corner == 1 ? 12345 : 0;
				for (int threads = 1; threads <= 4; threads++)
				{
					// the same map again and again, larger and smaller
					check_ok(
					    cell_map_build(&maps[threads], first_row, counts[n], keys, threads, NULL));
					check_map(&maps[threads], first_row, counts[n], keys);
				}
				check_lookups(&maps[1], counts[n], keys, low >> LEAF_SHIFT,
					      (low + side - 1) >> LEAF_SHIFT);
				free(keys);
			}
	for (int threads = 1; threads <= 4; threads++)
		cell_map_free(&maps[threads]);
}

// A particle far from all others costs bytes, a crowded leaf no more per particle.
static void test_lone_particles_are_cheap(void **state)
{
	(void)state;
	dice d = {14};
	const uint32_t count = 20000;
	const int32_t sides[] = {1 << CELL_BITS, 2000, 200, 60, 20};
	for (int s = 0; s < 5; s++)
	{
		cell_map map = {0};
		uint64_t *keys = random_keys(&d, count, 0, sides[s]);
		check_ok(cell_map_build(&map, 0, count, keys, 2, NULL));
		check_map(&map, 0, count, keys);
		double bytes = (double)cell_map_bytes(&map) / count;
		if (!(bytes < 64.0))
			fail_msg("%u particles in %u leaves take %g bytes each", count, map.leaf_count, bytes);
		free(keys);
		cell_map_free(&map);
	}
}

static void test_leaves_around_the_limit(void **state)
{
	(void)state;
	cell_map map = {0};
	uint64_t keys[3 * CELL_MAP_DENSE];
	uint32_t count = 0;
	// one particle too few for a table, just enough, and all in the last cell
	for (uint32_t leaf = 0; leaf < 3; leaf++)
		for (uint32_t k = leaf == 0; k < CELL_MAP_DENSE; k++)
			keys[count++] = cell_key((cell_coord){8 * (int32_t)leaf, 0, 0}) +
					(leaf == 2 ? LEAF_CELLS - 1 : k * (LEAF_CELLS / CELL_MAP_DENSE));
	check_ok(cell_map_build(&map, 9, count, keys, 1, NULL));
	check_map(&map, 9, count, keys);
	assert_int_equal(map.places.data[0], ~0);
	assert_int_equal(map.places.data[1], 0);
	assert_int_equal(map.places.data[2], 1);
	cell_map_free(&map);
}

static void test_empty(void **state)
{
	(void)state;
	cell_map map = {0};
	assert_int_equal(cell_map_find(&map, 0, 0, 0), -1);
	check_ok(cell_map_build(&map, 7, 0, NULL, 2, NULL));
	assert_int_equal(map.leaf_count, 0);
	assert_int_equal(cell_map_find(&map, 0, 0, 0), -1);

	// full, then empty again
	dice d = {12};
	uint64_t *keys = random_keys(&d, 500, 80, 8);
	check_ok(cell_map_build(&map, 0, 500, keys, 1, NULL));
	assert_int_equal(cell_map_find(&map, 10, 10, 10), 0);
	check_ok(cell_map_build(&map, 0, 0, keys, 1, NULL));
	assert_int_equal(cell_map_find(&map, 10, 10, 10), -1);
	free(keys);
	cell_map_free(&map);
	assert_int_equal(cell_map_bytes(&map), 0);
}

static void test_leaves_outside_of_the_range(void **state)
{
	(void)state;
	cell_map map = {0};
	uint64_t keys[] = {cell_key((cell_coord){0, 0, 0}),
			   cell_key((cell_coord){2 * CELL_OFFSET - 1, 2 * CELL_OFFSET - 1, 2 * CELL_OFFSET - 1})};
	const int32_t side = 1 << LEAF_BITS;
	check_ok(cell_map_build(&map, 0, 2, keys, 1, NULL));
	assert_int_equal(cell_map_find(&map, 0, 0, 0), 0);
	assert_int_equal(cell_map_find(&map, side - 1, side - 1, side - 1), 1);
	const int32_t out[] = {-1, side, INT32_MIN, INT32_MAX};
	for (int k = 0; k < 4; k++)
	{
		assert_int_equal(cell_map_find(&map, out[k], 0, 0), -1);
		assert_int_equal(cell_map_find(&map, 0, out[k], 0), -1);
		assert_int_equal(cell_map_find(&map, 0, 0, out[k]), -1);
	}
	cell_map_free(&map);
}

static void test_out_of_memory(void **state)
{
	(void)state;
	dice d = {13};
	uint64_t *keys = random_keys(&d, 2000, 1000, 60);
	uint64_t bytes = mem_get_stats().bytes;
	spate_result result = SPATE_MEMORY;
	uint64_t n = 1;
	for (; result != SPATE_OK; n++)
	{
		cell_map map = {0};
		spate_error error = {0};
		mem_fail_at(n);
		result = cell_map_build(&map, 0, 2000, keys, 1, &error);
		mem_fail_at(0);
		if (result != SPATE_OK)
		{
			check_result(result, SPATE_MEMORY);
			assert_int_equal(cell_map_find(&map, 125, 125, 125), -1);
			check_ok(cell_map_build(&map, 0, 2000, keys, 1, &error));
		}
		check_map(&map, 0, 2000, keys);
		cell_map_free(&map);
		assert_int_equal(mem_get_stats().bytes, bytes);
	}
	assert_true(n > 5);
	free(keys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_cell),
	    cmocka_unit_test(test_lone_particles_are_cheap),
	    cmocka_unit_test(test_leaves_around_the_limit),
	    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_leaves_outside_of_the_range),
	    cmocka_unit_test(test_out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
