// Keys: every instruction set against bits put together one by one.
#include "cloud.h"
#include "space/space_kernels.h"

static const float radii[] = {1e-12f, 3.7e-5f, 0.1f, 1.0f, 250.0f, 1e12f};
enum
{
	RADII = sizeof radii / sizeof *radii
};

static uint64_t plain_key(int32_t x, int32_t y, int32_t z)
{
	uint64_t key = 0;
	for (int bit = 0; bit < LEAF_BITS; bit++)
	{
		key |= (uint64_t)(x >> (bit + 3) & 1) << (9 + 3 * bit);
		key |= (uint64_t)(y >> (bit + 3) & 1) << (10 + 3 * bit);
		key |= (uint64_t)(z >> (bit + 3) & 1) << (11 + 3 * bit);
	}
	return key | (uint64_t)((z & 7) * 64 + (y & 7) * 8 + (x & 7));
}

static int32_t plain_cell(const cell_grid *grid, float p)
{
	return (int32_t)floor((double)p * grid->inverse) + CELL_OFFSET;
}

// A coordinate of some interesting kind, always within the range.
static float coordinate(dice *d, const cell_grid *grid)
{
	float limit = grid->limit, cell = (float)grid->cell, p = 0.0f;
	switch (dice_below(d, 8))
	{
	case 0:
		p = dice_range(d, -limit, limit);
		break;
	case 1:
		p = dice_below(d, 2) ? limit : -limit;
		break;
	case 2: // borders of cells near the origin
		p = cell * (float)((int)dice_below(d, 64) - 32);
		break;
	case 3: // and just beside borders anywhere
		p = (float)(grid->cell * ((double)dice_below(d, 2097000) - 1048500.0));
		p = nextafterf(p, dice_below(d, 2) ? FLT_MAX : -FLT_MAX);
		break;
	case 4:
		p = dice_below(d, 2) ? -0.0f : 0.0f;
		break;
	case 5: // the smallest numbers there are, on either side of the origin
		p = dice_below(d, 2) ? -FLT_TRUE_MIN : FLT_MIN;
		break;
	case 6:
		p = nextafterf(dice_below(d, 2) ? limit : -limit, 0.0f);
		break;
	default:
		p = dice_range(d, -20 * cell, 20 * cell);
	}
	return fminf(fmaxf(p, -limit), limit);
}

static void test_keys_of_every_instruction_set(void **state)
{
	(void)state;
	enum
	{
		COUNT = 20000
	};
	simd_level best = best_simd();
	vec4 *positions = need(COUNT, sizeof *positions);
	uint64_t *keys = need(COUNT, sizeof *keys);
	for (int r = 0; r < RADII; r++)
	{
		dice d = {.state = (uint64_t)r};
		cell_grid grid = cell_grid_make((double)radii[r]);
		for (int i = 0; i < COUNT; i++)
			positions[i] = (vec4){coordinate(&d, &grid), coordinate(&d, &grid), coordinate(&d, &grid), NAN};
		for (simd_level level = SIMD_PORTABLE; level <= best; level++)
		{
			assert_int_equal(space_kernels_table(level)->keys(&grid, positions, COUNT, keys), COUNT);
			for (int i = 0; i < COUNT; i++)
			{
				vec4 p = positions[i];
				uint64_t expected =
				    plain_key(plain_cell(&grid, p.x), plain_cell(&grid, p.y), plain_cell(&grid, p.z));
				if (keys[i] != expected)
					fail_msg("%s, radius %g: key of (%a, %a, %a) is %016llx, expected %016llx",
						 simd_level_name(level), (double)radii[r], (double)p.x, (double)p.y,
						 (double)p.z, (unsigned long long)keys[i],
						 (unsigned long long)expected);
				assert_true(keys[i] < (uint64_t)1 << 63);
			}
		}
	}
	free(positions);
	free(keys);
}

static void check_round_trip(cell_coord c)
{
	uint64_t key = cell_key(c);
	assert_int_equal(key, plain_key(c.x, c.y, c.z));
	cell_coord leaf = leaf_coord(key >> LEAF_KEY_SHIFT);
	if (leaf.x != c.x >> 3 || leaf.y != c.y >> 3 || leaf.z != c.z >> 3)
		fail_msg("cell (%d, %d, %d) came back in leaf (%d, %d, %d)", c.x, c.y, c.z, leaf.x, leaf.y, leaf.z);
	assert_int_equal(key & (LEAF_CELLS - 1), cell_in_leaf(c));
}

static void test_round_trip(void **state)
{
	(void)state;
	const int32_t last = 2 * CELL_OFFSET - 1;
	const int32_t edges[] = {0, 1, 7, 8, 511 * 8 + 7, 512 * 8, CELL_OFFSET - 1, CELL_OFFSET, last - 1, last};
	enum
	{
		EDGES = sizeof edges / sizeof *edges
	};
	for (int x = 0; x < EDGES; x++)
		for (int y = 0; y < EDGES; y++)
			for (int z = 0; z < EDGES; z++)
				check_round_trip((cell_coord){edges[x], edges[y], edges[z]});
	dice d = {1};
	for (int i = 0; i < 100000; i++)
		check_round_trip((cell_coord){(int32_t)dice_below(&d, 2 * CELL_OFFSET),
					      (int32_t)dice_below(&d, 2 * CELL_OFFSET),
					      (int32_t)dice_below(&d, 2 * CELL_OFFSET)});
}

// Inside a leaf the row-major order, x first; between leaves the order of the leaves.
static void test_rows_are_contiguous(void **state)
{
	(void)state;
	dice d = {2};
	for (int i = 0; i < 200; i++)
	{
		cell_coord corner = {(int32_t)dice_below(&d, 1 << LEAF_BITS) * 8,
				     (int32_t)dice_below(&d, 1 << LEAF_BITS) * 8,
				     (int32_t)dice_below(&d, 1 << LEAF_BITS) * 8};
		uint64_t first = cell_key(corner);
		assert_int_equal(first & (LEAF_CELLS - 1), 0);
		for (int z = 0; z < 8; z++)
			for (int y = 0; y < 8; y++)
				for (int x = 0; x < 8; x++)
					assert_int_equal(
					    cell_key((cell_coord){corner.x + x, corner.y + y, corner.z + z}),
					    first + (uint64_t)(64 * z + 8 * y + x));
	}
	// a step of one leaf along an axis, from an even place, is the axis' bit
	assert_int_equal(leaf_key(1, 0, 0), 1);
	assert_int_equal(leaf_key(0, 1, 0), 2);
	assert_int_equal(leaf_key(0, 0, 1), 4);
	assert_int_equal(leaf_key(3, 3, 3), 63);
	const uint32_t last = (1u << LEAF_BITS) - 1;
	assert_int_equal(leaf_key(last, last, last), ((uint64_t)1 << 54) - 1);
}

static void test_limit_is_two_to_the_twenty_radii(void **state)
{
	(void)state;
	for (int r = 0; r < RADII; r++)
	{
		cell_grid grid = cell_grid_make((double)radii[r]);
		check_near(grid.limit / (radii[r] * 0x1p20f), 1.0, 1e-6);
		assert_in_range(plain_cell(&grid, grid.limit), CELL_OFFSET, 2 * CELL_OFFSET - 1);
		assert_in_range(plain_cell(&grid, -grid.limit), 0, CELL_OFFSET - 1);
	}
}

static void test_bad_positions_are_reported(void **state)
{
	(void)state;
	enum
	{
		COUNT = 19
	};
	cell_grid grid = cell_grid_make(0.1);
	const float bad[] = {NAN,     -NAN,     INFINITY, -INFINITY, nextafterf(grid.limit, INFINITY),
			     FLT_MAX, -FLT_MAX, 1e10f,    -1e10f,    nextafterf(-grid.limit, -INFINITY)};
	simd_level best = best_simd();
	uint64_t keys[COUNT];
	for (simd_level level = SIMD_PORTABLE; level <= best; level++)
	{
		const space_kernels *kernels = space_kernels_table(level);
		assert_int_equal(kernels->keys(&grid, NULL, 0, NULL), 0);
		for (size_t kind = 0; kind < sizeof bad / sizeof *bad; kind++)
			for (int axis = 0; axis < 3; axis++)
				for (int row = 0; row < COUNT; row++)
				{
					vec4 positions[COUNT];
					for (int i = 0; i < COUNT; i++)
						positions[i] =
						    (vec4){grid.limit, -0.05f * (float)i, -grid.limit, INFINITY};
					(&positions[row].x)[axis] = bad[kind];
					(&positions[COUNT - 1].x)[(axis + 1) % 3] = bad[kind];
					size_t found = kernels->keys(&grid, positions, COUNT, keys);
					if (found != (size_t)row)
						fail_msg("%s: %g in row %d is reported as row %zu",
							 simd_level_name(level), (double)bad[kind], row, found);
					// those before it are usable
					for (int i = 0; i < row; i++)
						assert_int_equal(keys[i], cell_key(cell_of(&grid, positions[i])));
				}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_keys_of_every_instruction_set),
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_rows_are_contiguous),
	    cmocka_unit_test(test_limit_is_two_to_the_twenty_radii),
	    cmocka_unit_test(test_bad_positions_are_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
