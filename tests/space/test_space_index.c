// The order of the rows, and the lists in slices of eight as solvers read them.
#include "base/memory.h"
#include "cloud.h"
#include "space/neighbour_list.h"

// Particles of several groups as the world holds them, and the same after sorting.
typedef struct batch
{
	uint32_t count;
	vec4 *positions, *sorted; // 8 records of room behind
	int64_t *ids;
	int32_t *group;
	uint32_t *order;
} batch;

static batch batch_make(uint32_t count, uint32_t groups, float side, dice *d)
{
	batch b = {count,
		   need(count + 16, sizeof(vec4)),
		   need(count + 16, sizeof(vec4)),
		   need(count, sizeof(int64_t)),
		   need(count, sizeof(int32_t)),
		   need(count, sizeof(uint32_t))};
	for (uint32_t i = 0; i < count; i++)
	{
		b.positions[i] =
		    (vec4){dice_range(d, -side, side), dice_range(d, -side, side), dice_range(d, -side, side), 1};
		b.ids[i] = 1000000007LL * (i ^ 0x55) % 999983;
		b.group[i] = (int32_t)dice_below(d, groups);
	}
	return b;
}

static void batch_free(batch *b)
{
	free(b->positions);
	free(b->sorted);
	free(b->ids);
	free(b->group);
	free(b->order);
}

static spate_result sort(space_index *index, batch *b, const uint8_t *class_of_group, int threads, uint32_t *bad,
			 spate_error *error)
{
	space_input input = {.count = b->count,
			     .positions = b->positions,
			     .ids = b->ids,
			     .group = b->group,
			     .class_of_group = class_of_group};
	spate_result result = space_index_sort(index, &input, threads, b->order, bad, error);
	for (uint32_t row = 0; row < b->count && result == SPATE_OK; row++)
		b->sorted[row] = b->positions[b->order[row]];
	return result;
}

// A permutation in the order of (class, key, id), with keys and maps that belong to it.
static void check_order(const space_index *index, const batch *b, const uint8_t *class_of_group)
{
	uint8_t *seen = need(b->count, 1);
	assert_int_equal(index->count, b->count);
	uint32_t row = 0;
	for (uint32_t c = 0; c < index->class_count; c++)
	{
		const space_class *class = &index->classes[c];
		assert_int_equal(class->first_row, row);
		for (; row < class->first_row + class->rows; row++)
		{
			uint32_t i = b->order[row];
			assert_true(i < b->count && !seen[i]);
			seen[i] = 1;
			assert_int_equal(class_of_group ? class_of_group[b->group[i]] : 0, c);
			uint64_t key = cell_key(cell_of(&class->grid, b->positions[i]));
			assert_int_equal(index->keys.data[row], key);
			if (row > class->first_row)
			{
				uint64_t last = index->keys.data[row - 1];
				assert_true(last < key || (last == key && b->ids[b->order[row - 1]] < b->ids[i]));
			}
			cell_coord leaf = leaf_coord(key >> LEAF_KEY_SHIFT);
			int32_t place = cell_map_place(&class->map, leaf.x, leaf.y, leaf.z);
			assert_true(place != CELL_MAP_NOWHERE);
			uint32_t cell = key & (LEAF_CELLS - 1);
			row_range rows = cell_map_rows(&class->map, place, cell, cell);
			assert_true(rows.begin <= row && row < rows.end);
		}
	}
	assert_int_equal(row, b->count);
	free(seen);
}

static uint32_t class_of_row(const space_index *index, uint32_t row)
{
	uint32_t c = 0;
	while (row >= index->classes[c].first_row + index->classes[c].rows)
		c++;
	return c;
}

// Lists, padding and totals, slice by slice, against all pairs.
static void check_slices(const space_index *index, const batch *b, const neighbour_list *list, float margin)
{
	assert_int_equal(list->count, b->count);
	assert_int_equal(list->slice_count, (b->count + 7) / 8);
	uint64_t pairs = 0;
	uint8_t *used = need(list->entries.capacity, 1);
	uint8_t *listed = need(b->count + 1, 1);
	for (uint32_t s = 0; s < list->slice_count; s++)
	{
		uint32_t longest = 0, length = list->slice_length.data[s];
		const uint32_t *entries = list->entries.data + list->slice_begin.data[s];
		assert_true(list->slice_begin.data[s] + 8 * (uint64_t)length <= list->entries.capacity);
		for (uint64_t k = 0; k < 8 * (uint64_t)length; k++)
			assert_int_equal(used[list->slice_begin.data[s] + k]++, 0);
		for (uint32_t lane = 0; lane < 8; lane++)
		{
			uint32_t row = 8 * s + lane, own = 0;
			while (own < length && entries[8 * own + lane] != b->count)
				own++;
			for (uint32_t k = own; k < length; k++)
				assert_int_equal(entries[8 * k + lane], b->count);
			longest = own > longest ? own : longest;
			pairs += own;
			if (row >= b->count)
			{
				assert_int_equal(own, 0);
				continue;
			}
			memset(listed, 0, b->count);
			for (uint32_t k = 0; k < own; k++)
			{
				assert_true(entries[8 * k + lane] < b->count);
				assert_int_equal(listed[entries[8 * k + lane]]++, 0);
			}
			assert_int_equal(listed[row], 0);
			for (uint32_t j = 0; j < b->count; j++)
			{
				vec4 p = b->sorted[row], q = b->sorted[j];
				double dx = (double)p.x - (double)q.x, dy = (double)p.y - (double)q.y,
				       dz = (double)p.z - (double)q.z;
				double distance = sqrt(dx * dx + dy * dy + dz * dz);
				double radius = (double)pair_radius(index->classes[class_of_row(index, row)].radius,
								    index->classes[class_of_row(index, j)].radius) +
						(double)margin;
				if (j != row && fabs(distance - radius) > 1e-6 * radius &&
				    listed[j] != (distance < radius))
					fail_msg("rows %u and %u at distance %.9g with radius %.9g are%s listed", row,
						 j, distance, radius, listed[j] ? "" : " not");
			}
		}
		assert_int_equal(longest, length);
	}
	assert_int_equal(list->pairs, pairs);
	free(used);
	free(listed);
}

static void test_one_class(void **state)
{
	(void)state;
	dice d = {41};
	const uint32_t counts[] = {0, 1, 7, 8, 9, 1023, 1024, 1025, 1500};
	space_index index = {0};
	neighbour_list list = {0};
	simd_level best = best_simd();
	for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
		for (simd_level level = SIMD_PORTABLE; level <= best; level++)
		{
			ask_simd(level);
			batch b = batch_make(counts[n], 1, 0.25f, &d);
			check_ok(space_index_set_classes(&index, 1, (float[]){0.1f}, 0, NULL));
			assert_int_equal(index.simd, level);
			check_ok(sort(&index, &b, NULL, 1 + (int)n % 4, NULL, NULL));
			check_order(&index, &b, NULL);
			check_ok(neighbour_list_build(&list, &index, b.sorted, 0.0f, 1 + (int)n % 4, NULL));
			check_slices(&index, &b, &list, 0.0f);
			batch_free(&b);
		}
	assert_true(space_index_bytes(&index) > 0 && neighbour_list_bytes(&list) > 0);
	neighbour_list_free(&list);
	space_index_free(&index);
}

// Groups share classes, one class has no particle, and slices hold rows of two classes.
static void test_several_classes(void **state)
{
	(void)state;
	dice d = {42};
	const float radii[] = {0.05f, 0.2f, 0.11f, 0.02f};
	const uint8_t class_of_group[] = {2, 0, 2, 3, 0};
	space_index index = {0};
	neighbour_list list = {0};
	best_simd();
	for (uint32_t count = 1190; count < 1200; count += 3)
		for (int threads = 1; threads <= 3; threads++)
		{
			batch b = batch_make(count, 5, 0.25f, &d);
			check_ok(space_index_set_classes(&index, 4, radii, 0, NULL));
			check_ok(sort(&index, &b, class_of_group, threads, NULL, NULL));
			check_order(&index, &b, class_of_group);
			assert_int_equal(index.classes[1].rows, 0);
			check_ok(neighbour_list_build(&list, &index, b.sorted, 0.0f, threads, NULL));
			check_slices(&index, &b, &list, 0.0f);
			batch_free(&b);
		}
	neighbour_list_free(&list);
	space_index_free(&index);
}

// A crowd beside scattered particles and loose groups, so that leaves with and without a table meet.
static void test_crowds_and_strays(void **state)
{
	(void)state;
	dice d = {44};
	const float radii[] = {0.05f, 0.12f};
	const uint8_t class_of_group[] = {0, 1};
	space_index index = {0};
	neighbour_list list = {0};
	best_simd();
	for (uint32_t classes = 1; classes <= 2; classes++)
		for (int round = 0; round < 3; round++)
		{
			batch b = batch_make(1500, 2, 0.2f, &d);
			for (uint32_t i = 700; i < b.count; i++)
			{
				// strays everywhere, then groups of about ten within a leaf's edge
				vec4 *p = &b.positions[i];
				float by = i < 1000 ? 40.0f : 2.0f;
				*p = (vec4){p->x * by, p->y * by, p->z * by, 0};
				if (i >= 1200)
					*p = (vec4){b.positions[700 + i / 10].x + 0.1f * p->x,
						    b.positions[700 + i / 10].y + 0.1f * p->y,
						    b.positions[700 + i / 10].z + 0.1f * p->z, 0};
			}
			check_ok(space_index_set_classes(&index, classes, radii, 0, NULL));
			check_ok(sort(&index, &b, class_of_group, 2, NULL, NULL));
			check_order(&index, &b, classes == 1 ? NULL : class_of_group);
			const cell_map *map = &index.classes[0].map;
			uint32_t tables = 0;
			for (uint32_t leaf = 0; leaf < map->leaf_count; leaf++)
				tables += map->places.data[leaf] >= 0;
			assert_true(tables > 3 && map->leaf_count - tables > 100);
			check_ok(neighbour_list_build(&list, &index, b.sorted, 0.0f, 2, NULL));
			check_slices(&index, &b, &list, 0.0f);
			batch_free(&b);
		}
	neighbour_list_free(&list);
	space_index_free(&index);
}

// Margins of all sizes complete the lists without another sort: up to several cells, at the edge of the grid, for several radii.
static void test_margins(void **state)
{
	(void)state;
	dice d = {45};
	const float radii[] = {0.1f, 0.04f}, margins[] = {0.001f, 0.004f, 0.05f, 0.11f, 0.33f};
	const uint8_t class_of_group[] = {0, 1};
	space_index index = {0};
	neighbour_list list = {0};
	best_simd();
	for (uint32_t classes = 1; classes <= 2; classes++)
	{
		batch b = batch_make(1000, 2, 0.35f, &d);
		check_ok(space_index_set_classes(&index, classes, radii, margins[1], NULL));
		// a corner of the grid
		float limit = index.classes[classes - 1].grid.limit;
		for (uint32_t i = 0; i < 40; i++)
			b.positions[i] = (vec4){limit - dice_range(&d, 0, 0.3f), -limit, limit, 0};
		check_ok(sort(&index, &b, class_of_group, 1, NULL, NULL));
		for (size_t m = 0; m < sizeof margins / sizeof *margins; m++)
		{
			check_ok(neighbour_list_build(&list, &index, b.sorted, margins[m], 1 + (int)m % 3, NULL));
			check_slices(&index, &b, &list, margins[m]);
		}
		batch_free(&b);
	}
	neighbour_list_free(&list);
	space_index_free(&index);
}

static void test_bad_particles_are_named(void **state)
{
	(void)state;
	dice d = {43};
	const uint8_t class_of_group[] = {0, 1};
	const float radii[] = {0.1f, 0.01f};
	space_index index = {0};
	best_simd();
	for (uint32_t classes = 1; classes <= 2; classes++)
		for (int threads = 1; threads <= 4; threads++)
		{
			spate_error error = {0};
			uint32_t bad = 0;
			batch b = batch_make(9000, 2, 1.0f, &d);
			check_ok(space_index_set_classes(&index, classes, radii, 0, NULL));
			b.ids[5000] = 123456789012345;
			b.group[5000] = b.group[8000] = 1;
			b.positions[5000].y = b.positions[8000].x = NAN;
			check_result(sort(&index, &b, class_of_group, threads, &bad, &error), SPATE_RANGE);
			assert_int_equal(bad, 5000);
			check_result(error.code, SPATE_RANGE);
			if (!strstr(error.text, "particle 123456789012345 "))
				fail_msg("the message is \"%s\"", error.text);
			assert_int_equal(index.count, 0);
			check_result(sort(&index, &b, class_of_group, threads, NULL, NULL), SPATE_RANGE);

			// what is too far for a fine grid is not for a coarse one
			b.positions[5000] = b.positions[8000] = (vec4){20000, 0, 0, 0};
			check_result(sort(&index, &b, class_of_group, threads, &bad, &error),
				     classes == 1 ? SPATE_OK : SPATE_RANGE);
			b.group[5000] = b.group[8000] = 0;
			check_ok(sort(&index, &b, class_of_group, threads, &bad, &error));
			check_order(&index, &b, classes == 1 ? NULL : class_of_group);
			batch_free(&b);
		}
	space_index_free(&index);
}

static void test_bad_classes(void **state)
{
	(void)state;
	space_index index = {0};
	float radii[33];
	for (int k = 0; k < 33; k++)
		radii[k] = 1.0f + (float)k;
	spate_error error = {0};
	check_result(space_index_set_classes(&index, 0, radii, 0, &error), SPATE_INVALID);
	check_result(space_index_set_classes(&index, 33, radii, 0, &error), SPATE_INVALID);
	check_ok(space_index_set_classes(&index, 32, radii, 0, &error));
	const float bad[] = {0.0f, -1.0f, NAN, INFINITY, -INFINITY, 1e-13f, 1e13f};
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
	{
		radii[5] = bad[k];
		check_result(space_index_set_classes(&index, 6, radii, 0, &error), SPATE_INVALID);
		check_result(error.code, SPATE_INVALID);
		assert_int_equal(index.class_count, 32); // as it was
	}
	check_ok(space_index_set_classes(&index, 2, (float[]){SPACE_MIN_RADIUS, SPACE_MAX_RADIUS}, 0, &error));
	space_index_free(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_one_class),
	    cmocka_unit_test(test_several_classes),
	    cmocka_unit_test(test_crowds_and_strays),
	    cmocka_unit_test(test_margins),
	    cmocka_unit_test(test_bad_particles_are_named),
	    cmocka_unit_test(test_bad_classes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
