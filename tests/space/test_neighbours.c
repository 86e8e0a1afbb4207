// The public neighbour search against all pairs, for every instruction set and number of threads.
#include "base/memory.h"
#include "cloud.h"
#include "spate/neighbours.h"

enum
{
	NO,    // further than the radius
	YES,   // nearer
	EITHER // so close to the radius that rounding decides
};

typedef struct cloud
{
	uint32_t count;
	float *points; // 3 each
	float radius;
	float *radii; // one each, NULL for one radius
} cloud;

static cloud cloud_make(uint32_t count, float radius)
{
	return (cloud){count, need(3 * (size_t)count, sizeof(float)), radius, NULL};
}

static void cloud_free(cloud *c)
{
	free(c->points);
	free(c->radii);
}

static void fill_box(cloud *c, dice *d, float low, float high)
{
	for (uint32_t k = 0; k < 3 * c->count; k++)
		c->points[k] = dice_range(d, low, high);
}

// Radii drawn from a list.
static void draw_radii(cloud *c, dice *d, const float *choice, uint32_t choices)
{
	c->radii = need(c->count, sizeof(float));
	for (uint32_t i = 0; i < c->count; i++)
		c->radii[i] = choice[dice_below(d, choices)];
}

static double pair_reach(const cloud *c, uint32_t i, uint32_t j)
{
	return c->radii ? 0.5 * ((double)c->radii[i] + (double)c->radii[j]) : (double)c->radius;
}

static double distance(const cloud *c, uint32_t i, uint32_t j)
{
	double sum = 0.0;
	for (int axis = 0; axis < 3; axis++)
	{
		double d = (double)c->points[3 * i + (uint32_t)axis] - (double)c->points[3 * j + (uint32_t)axis];
		sum += d * d;
	}
	return sqrt(sum);
}

// What is right for every pair, and how many neighbours each point must have at least.
typedef struct truth
{
	uint8_t *pair; // count * count
	uint32_t *sure;
} truth;

static truth find_truth(const cloud *c)
{
	truth t = {need((size_t)c->count * c->count, 1), need(c->count, sizeof(uint32_t))};
	for (uint32_t i = 0; i < c->count; i++)
		for (uint32_t j = 0; j < i; j++)
		{
			double r = pair_reach(c, i, j), far = distance(c, i, j);
			uint8_t verdict = far < r * (1.0 - 1e-6) ? YES : far > r * (1.0 + 1e-6) ? NO : EITHER;
			t.pair[(size_t)i * c->count + j] = t.pair[(size_t)j * c->count + i] = verdict;
			t.sure[i] += verdict == YES;
			t.sure[j] += verdict == YES;
		}
	return t;
}

static void truth_free(truth *t)
{
	free(t->pair);
	free(t->sure);
}

// All lists of a search, one after the other.
typedef struct lists
{
	uint64_t *begin; // count + 1
	uint32_t *entries;
} lists;

static lists take_lists(const spate_neighbours *search, uint32_t count)
{
	lists l = {need((size_t)count + 1, sizeof(uint64_t)), NULL};
	for (uint32_t i = 0; i < count; i++)
		l.begin[i + 1] = l.begin[i] + spate_neighbours_of(search, i, NULL, 0);
	l.entries = need(l.begin[count], sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t length = (uint32_t)(l.begin[i + 1] - l.begin[i]);
		assert_int_equal(spate_neighbours_of(search, i, l.entries + l.begin[i], length), length);
	}
	assert_int_equal(spate_neighbours_pairs(search), l.begin[count] / 2);
	return l;
}

static void lists_free(lists *l)
{
	free(l->begin);
	free(l->entries);
}

static int same_lists(const lists *a, const lists *b, uint32_t count)
{
	return memcmp(a->begin, b->begin, ((size_t)count + 1) * sizeof *a->begin) == 0 &&
	       memcmp(a->entries, b->entries, a->begin[count] * sizeof *a->entries) == 0;
}

// No wrong pair, none missing, none twice, and each seen from both sides.
static void check_lists(const cloud *c, const truth *t, const lists *l, const char *what)
{
	uint32_t n = c->count;
	uint8_t *seen = need((size_t)n * n, 1);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t sure = 0;
		for (uint64_t k = l->begin[i]; k < l->begin[i + 1]; k++)
		{
			uint32_t j = l->entries[k];
			if (j >= n || j == i)
				fail_msg("%s: point %u of %u has neighbour %u", what, i, n, j);
			size_t pair = (size_t)i * n + j;
			if (t->pair[pair] == NO || seen[pair])
				fail_msg("%s: %u is %s of %u, distance %.9g, radius %.9g", what, j,
					 seen[pair] ? "twice a neighbour" : "a neighbour", i, distance(c, i, j),
					 pair_reach(c, i, j));
			seen[pair] = 1;
			sure += t->pair[pair] == YES;
		}
		if (sure != t->sure[i])
			fail_msg("%s: point %u has %u neighbours that are certain, expected %u", what, i, sure,
				 t->sure[i]);
	}
	// certain pairs are now known to be in both lists
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < i; j++)
			if (t->pair[(size_t)i * n + j] == EITHER && seen[(size_t)i * n + j] != seen[(size_t)j * n + i])
				fail_msg("%s: of %u and %u only one sees the other", what, i, j);
	free(seen);
}

static spate_result find(spate_neighbours *search, const cloud *c, int threads, spate_error *error)
{
	return spate_neighbours_find(search, c->count, c->points, c->radius, c->radii, threads, error);
}

// The whole check of one cloud.
static void check_cloud(const cloud *c, int max_threads, const char *what)
{
	truth t = find_truth(c);
	simd_level best = best_simd();
	lists fused = {0}; // of the first instruction set with fused multiply-add
	for (simd_level level = SIMD_PORTABLE; level <= best; level++)
	{
		lists first = {0};
		for (int threads = 1; threads <= max_threads; threads++)
		{
			spate_neighbours *search;
			ask_simd(level);
			check_ok(spate_neighbours_create(&search, NULL));
			check_ok(find(search, c, threads, NULL));
			lists l = take_lists(search, c->count);
			spate_neighbours_destroy(search);
			if (threads == 1)
			{
				check_lists(c, &t, &l, what);
				first = l;
				continue;
			}
			if (!same_lists(&first, &l, c->count))
				fail_msg("%s: %d threads give other lists than one (%s)", what, threads,
					 simd_level_name(level));
			lists_free(&l);
		}
		if (level == SIMD_AVX512 && !same_lists(&first, &fused, c->count))
			fail_msg("%s: AVX-512 gives other lists than AVX2", what);
		if (level == SIMD_AVX2)
			fused = first;
		else
			lists_free(&first);
	}
	lists_free(&fused);
	truth_free(&t);
}

static void test_random_clouds(void **state)
{
	(void)state;
	dice d = {21};
	const uint32_t counts[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 300, 2500};
	const float sides[] = {0.02f, 0.3f, 1.1f, 30.0f}; // all in one cell, to nearly all alone
	for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
		for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
		{
			if (counts[n] > 1000 && sides[s] < 0.5f)
				continue;
			cloud c = cloud_make(counts[n], 0.1f);
			fill_box(&c, &d, -0.5f * sides[s], 0.5f * sides[s]);
			check_cloud(&c, 4, "random cloud");
			cloud_free(&c);
		}
}

// Spacing and radius are powers of two, so distances are exact: those of exactly the radius count.
static void test_exact_lattice(void **state)
{
	(void)state;
	enum
	{
		SIDE = 11
	};
	for (int far_out = 0; far_out < 2; far_out++)
	{
		cloud c = cloud_make(SIDE * SIDE * SIDE, 0.5f);
		for (uint32_t i = 0; i < c.count; i++)
		{
			c.points[3 * i] = 0.25f * (float)(i % SIDE) - (far_out ? 400000.0f : 1.0f);
			c.points[3 * i + 1] = 0.25f * (float)(i / SIDE % SIDE) + (far_out ? 400000.0f : -1.25f);
			c.points[3 * i + 2] = 0.25f * (float)(i / SIDE / SIDE) - (far_out ? 300000.0f : 0.5f);
		}
		check_cloud(&c, 4, "exact lattice");

		simd_level best = best_simd();
		for (simd_level level = SIMD_PORTABLE; level <= best; level++)
		{
			ask_simd(level);
			spate_neighbours *search;
			check_ok(spate_neighbours_create(&search, NULL));
			check_ok(find(search, &c, 2, NULL));
			// 32 lattice points are within twice the spacing; a corner has 1 + 3 + 3 + 3 of them
			assert_int_equal(spate_neighbours_of(search, 5 + 5 * SIDE + 5 * SIDE * SIDE, NULL, 0), 32);
			assert_int_equal(spate_neighbours_of(search, 0, NULL, 0), 10);
			spate_neighbours_destroy(search);
		}
		cloud_free(&c);
	}
}

// Lattices whose distances are not exact: rounding may decide, but for both sides alike.
static void test_inexact_lattices(void **state)
{
	(void)state;
	enum
	{
		SIDE = 12
	};
	const float spacing[] = {0.1f, 0.05f, 0.033333f};
	for (int s = 0; s < 3; s++)
	{
		cloud c = cloud_make(SIDE * SIDE * SIDE, 0.1f);
		for (uint32_t i = 0; i < c.count; i++)
		{
			c.points[3 * i] = spacing[s] * (float)((int)(i % SIDE) - 5);
			c.points[3 * i + 1] = spacing[s] * (float)((int)(i / SIDE % SIDE) - 5);
			c.points[3 * i + 2] = spacing[s] * (float)((int)(i / SIDE / SIDE) + 1000);
		}
		check_cloud(&c, 2, "lattice");
		cloud_free(&c);
	}
}

static void test_clusters(void **state)
{
	(void)state;
	dice d = {22};
	cloud c = cloud_make(2000, 0.05f);
	for (uint32_t i = 0; i < c.count; i++)
	{
		uint32_t cluster = dice_below(&d, 25);
		dice own = {cluster};
		for (uint32_t axis = 0; axis < 3; axis++)
			c.points[3 * i + axis] = dice_range(&own, -1000, 1000) + dice_range(&d, -0.1f, 0.1f);
	}
	check_cloud(&c, 4, "clusters");
	cloud_free(&c);
}

static void test_coincident_points(void **state)
{
	(void)state;
	dice d = {23};
	cloud c = cloud_make(900, 0.1f);
	fill_box(&c, &d, -0.3f, 0.3f);
	for (uint32_t i = 1; i < c.count; i++)
		if (i % 3) // in threes
			memcpy(c.points + 3 * i, c.points + 3 * (i - 1), 3 * sizeof(float));
	check_cloud(&c, 4, "coincident points");
	cloud_free(&c);

	// all in one place, the origin with either sign
	c = cloud_make(50, 0.1f);
	for (uint32_t k = 0; k < 150; k++)
		c.points[k] = k % 2 ? -0.0f : 0.0f;
	check_cloud(&c, 2, "one place");
	cloud_free(&c);
}

// On borders of cells and of leaves, and one step of a float to either side.
static void test_cell_borders(void **state)
{
	(void)state;
	dice d = {24};
	for (int far_out = 0; far_out < 2; far_out++)
	{
		cloud c = cloud_make(1500, 0.1f);
		double cell = (double)c.radius * (1.0 + 1e-6);
		for (uint32_t k = 0; k < 3 * c.count; k++)
		{
			double border = (double)((int)dice_below(&d, 5) - 2) + (dice_below(&d, 2) ? 8.0 : 0.0);
			float p = (float)(cell * (border + (far_out ? -9000.0 : 0.0)));
			uint32_t side = dice_below(&d, 3);
			c.points[k] = side == 0 ? p : nextafterf(p, side == 1 ? FLT_MAX : -FLT_MAX);
		}
		check_cloud(&c, 2, "cell borders");
		cloud_free(&c);
	}
}

static void test_limits_of_the_range(void **state)
{
	(void)state;
	dice d = {25};
	const float radii[] = {1e-12f, 0.01f, 1.0f, 1e12f};
	for (int r = 0; r < 4; r++)
	{
		float limit = radii[r] * 0x1p20f;
		cloud c = cloud_make(700, radii[r]);
		for (uint32_t i = 0; i < c.count; i++)
			for (uint32_t axis = 0; axis < 3; axis++)
			{
				// in the eight corners
				float inside = dice_range(&d, 0, 2) * radii[r];
				float p = fminf(limit - inside, nextafterf(limit, 0));
				c.points[3 * i + axis] = i & 1u << axis ? p : -p;
			}
		check_cloud(&c, 2, "limits of the range");
		cloud_free(&c);
	}
}

// Where the search itself puts what must be nobody's neighbour.
static void test_largest_places(void **state)
{
	(void)state;
	const float places[] = {1e18f, -1e18f, 1.04e18f};
	for (int p = 0; p < 3; p++)
		for (uint32_t count = 1; count < 18; count++)
		{
			cloud c = cloud_make(count, 1e12f);
			for (uint32_t k = 0; k < 3 * count; k++)
				c.points[k] = places[p];
			check_cloud(&c, 1, "largest places");
			cloud_free(&c);
		}
}

static void test_two_resolutions(void **state)
{
	(void)state;
	dice d = {26};
	const float ratios[] = {1.0000001f, 1.5f, 2.0f, 3.0f, 5.0f, 10.0f};
	for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++)
		for (int place = 0; place < 3; place++)
		{
			float small = 0.04f, radii[] = {small * ratios[r], small};
			cloud c = cloud_make(800, 0.0f);
			draw_radii(&c, &d, radii, 2);
			fill_box(&c, &d, -0.25f, 0.25f);
			if (place == 1) // borders of both grids at once
				for (uint32_t k = 0; k < 3 * c.count; k++)
					c.points[k] =
					    (float)((double)small * (1 + 1e-6) * ((double)dice_below(&d, 24) - 12.0));
			if (place == 2) // far out
				for (uint32_t k = 0; k < 3 * c.count; k++)
					c.points[k] = 30000.0f - 0.01f * (float)dice_below(&d, 40);
			check_cloud(&c, place == 0 ? 3 : 2, "two resolutions");
			cloud_free(&c);
		}
}

static void test_many_resolutions(void **state)
{
	(void)state;
	dice d = {27};
	const float three[] = {0.3f, 0.03f, 0.09f};
	cloud c = cloud_make(1300, 0.0f);
	draw_radii(&c, &d, three, 3);
	fill_box(&c, &d, -0.4f, 0.4f);
	check_cloud(&c, 4, "three resolutions");

	float many[32];
	for (int k = 0; k < 32; k++)
		many[k] = 0.02f + 0.005f * (float)k;
	free(c.radii);
	draw_radii(&c, &d, many, 32);
	check_cloud(&c, 2, "32 resolutions");

	// all the same radius is one resolution
	for (uint32_t i = 0; i < c.count; i++)
		c.radii[i] = 0.06f;
	check_cloud(&c, 2, "equal radii");
	cloud_free(&c);
}

// A coarse point may lie where the fine grid has ended.
static void test_beyond_the_finer_grid(void **state)
{
	(void)state;
	dice d = {28};
	cloud c = cloud_make(600, 0.0f);
	c.radii = need(c.count, sizeof(float));
	float limit = 0.001f * 0x1p20f;
	for (uint32_t i = 0; i < c.count; i++)
	{
		c.radii[i] = i % 2 ? 0.001f : 0.004f;
		for (uint32_t axis = 0; axis < 3; axis++)
			c.points[3 * i + axis] = limit - dice_range(&d, 0, 0.006f);
		if (i % 2 == 0)
			c.points[3 * i] = i % 4 ? limit + dice_range(&d, 0, 0.004f) : -3.9f * limit;
	}
	check_cloud(&c, 2, "beyond the finer grid");
	cloud_free(&c);
}

static void test_crowded_cell(void **state)
{
	(void)state;
	dice d = {29};
	cloud c = cloud_make(5000, 1.0f);
	fill_box(&c, &d, 0.0f, 0.999f);
	check_cloud(&c, 2, "5,000 in one cell");
	cloud_free(&c);
}

static void test_capacity_of_the_answer(void **state)
{
	(void)state;
	dice d = {30};
	cloud c = cloud_make(40, 1.0f);
	fill_box(&c, &d, 0.0f, 0.5f);
	spate_neighbours *search;
	check_ok(spate_neighbours_create(&search, NULL));
	assert_int_equal(spate_neighbours_of(search, 0, NULL, 0), 0);
	assert_int_equal(spate_neighbours_pairs(search), 0);
	check_ok(find(search, &c, 1, NULL));
	uint32_t all[39], some[39];
	assert_int_equal(spate_neighbours_of(search, 3, all, 39), 39);
	for (uint32_t capacity = 0; capacity < 39; capacity++)
	{
		memset(some, 0xff, sizeof some);
		assert_int_equal(spate_neighbours_of(search, 3, some, capacity), 39);
		assert_memory_equal(some, all, capacity * sizeof *all);
		assert_int_equal(some[capacity], UINT32_MAX);
	}
	assert_int_equal(spate_neighbours_of(search, 3, NULL, 39), 39);
	assert_int_equal(spate_neighbours_of(search, 40, all, 39), 0);
	assert_int_equal(spate_neighbours_of(search, UINT32_MAX, all, 39), 0);
	// an empty search forgets them
	check_ok(spate_neighbours_find(search, 0, NULL, 1.0f, NULL, 1, NULL));
	assert_int_equal(spate_neighbours_of(search, 3, all, 39), 0);
	assert_int_equal(spate_neighbours_pairs(search), 0);
	spate_neighbours_destroy(search);
	cloud_free(&c);
}

// A search with a result that failures must leave alone.
typedef struct kept
{
	spate_neighbours *search;
	cloud cloud;
	lists lists;
} kept;

static kept kept_make(uint32_t count)
{
	dice d = {31};
	kept k = {NULL, cloud_make(count, 0.1f), {0}};
	fill_box(&k.cloud, &d, -0.3f, 0.3f);
	check_ok(spate_neighbours_create(&k.search, NULL));
	check_ok(find(k.search, &k.cloud, 1, NULL));
	k.lists = take_lists(k.search, count);
	return k;
}

static void check_kept(const kept *k)
{
	lists now = take_lists(k->search, k->cloud.count);
	assert_int_equal(spate_neighbours_of(k->search, k->cloud.count, NULL, 0), 0);
	assert_true(same_lists(&now, &k->lists, k->cloud.count));
	lists_free(&now);
}

static void kept_free(kept *k)
{
	spate_neighbours_destroy(k->search);
	lists_free(&k->lists);
	cloud_free(&k->cloud);
}

// Fails with this code, and with a sentence that has `part` in it.
static void check_refused(const kept *k, const cloud *c, int threads, spate_result code, const char *part)
{
	spate_error error = {0};
	check_result(find(k->search, c, threads, &error), code);
	check_result(error.code, code);
	if (!strstr(error.text, part))
		fail_msg("the message is \"%s\", expected \"%s\" in it", error.text, part);
	check_result(find(k->search, c, threads, NULL), code);
	check_kept(k);
}

static void test_points_outside(void **state)
{
	(void)state;
	kept k = kept_make(200);
	dice d = {32};
	const float limit = 0.1f * 0x1p20f;
	const float bad[] = {NAN, INFINITY, -INFINITY, FLT_MAX, nextafterf(limit, INFINITY), -1.01f * limit};
	simd_level best = best_simd();
	for (simd_level level = SIMD_PORTABLE; level <= best; level++)
		for (int several = 0; several < 2; several++)
			for (uint32_t kind = 0; kind < 6; kind++)
			{
				ask_simd(level);
				cloud c = cloud_make(4800, 0.1f); // two tasks
				const float radii[] = {0.1f, 0.05f};
				fill_box(&c, &d, -5, 5);
				if (several)
				{
					draw_radii(&c, &d, radii, 2);
					c.radii[4711] = c.radii[4799] = 0.1f;
				}
				c.points[3 * 4711 + kind % 3] = bad[kind];
				c.points[3 * 4799 + 1] = bad[kind];
				for (int threads = 1; threads <= 3; threads += 2)
					check_refused(&k, &c, threads, SPATE_RANGE, "point 4711 ");
				cloud_free(&c);
			}
	kept_free(&k);
}

static void test_bad_input(void **state)
{
	(void)state;
	spate_error error = {0};
	check_result(spate_neighbours_create(NULL, &error), SPATE_INVALID);
	check_result(error.code, SPATE_INVALID);
	check_result(spate_neighbours_create(NULL, NULL), SPATE_INVALID);
	spate_neighbours_destroy(NULL);
	assert_int_equal(spate_neighbours_of(NULL, 0, NULL, 0), 0);
	assert_int_equal(spate_neighbours_pairs(NULL), 0);

	kept k = kept_make(200);
	float points[3 * 40] = {0}, radii[40];
	check_result(spate_neighbours_find(NULL, 1, points, 1.0f, NULL, 1, &error), SPATE_INVALID);
	check_refused(&k, &(cloud){1, NULL, 1.0f, NULL}, 1, SPATE_INVALID, "NULL");
	check_refused(&k, &(cloud){UINT32_MAX, points, 1.0f, NULL}, 1, SPATE_INVALID, "points");

	const float bad[] = {0.0f, -0.0f, -1.0f, NAN, INFINITY, -INFINITY, 1e-13f, 1e13f, FLT_TRUE_MIN};
	for (size_t b = 0; b < sizeof bad / sizeof *bad; b++)
	{
		check_refused(&k, &(cloud){40, points, bad[b], NULL}, 1, SPATE_INVALID, "radius");
		for (int i = 0; i < 40; i++)
			radii[i] = i == 17 ? bad[b] : 1.0f;
		check_refused(&k, &(cloud){40, points, 1.0f, radii}, 1, SPATE_INVALID, "radius");
	}
	// a number of radii that is one too many
	for (int i = 0; i < 40; i++)
		radii[i] = 1.0f + (float)(i % 33);
	check_refused(&k, &(cloud){40, points, 1.0f, radii}, 1, SPATE_INVALID, "32");
	kept_free(&k);

	// with radii of their own nobody looks at the one radius; threads 0 and less take all cores, too many are cut
	const int threads[] = {0, -5, 1000};
	for (int i = 0; i < 40; i++)
		radii[i] = 1.0f;
	for (int t = 0; t < 3; t++)
	{
		spate_neighbours *search;
		check_ok(spate_neighbours_create(&search, NULL));
		check_ok(spate_neighbours_find(search, 40, points, NAN, radii, threads[t], NULL));
		assert_int_equal(spate_neighbours_pairs(search), 40 * 39 / 2);
		spate_neighbours_destroy(search);
	}
}

static void test_out_of_memory(void **state)
{
	(void)state;
	dice d = {33};
	const float radii[] = {0.1f, 0.05f, 0.12f};
	cloud c = cloud_make(1100, 0.0f); // two tasks
	draw_radii(&c, &d, radii, 3);
	fill_box(&c, &d, -0.2f, 0.2f);
	best_simd();
	spate_neighbours *plain, *search;
	check_ok(spate_neighbours_create(&plain, NULL));
	check_ok(find(plain, &c, 1, NULL));
	lists expected = take_lists(plain, c.count);
	spate_neighbours_destroy(plain);

	mem_fail_at(1);
	check_result(spate_neighbours_create(&search, NULL), SPATE_MEMORY);
	mem_fail_at(0);
	assert_null(search);

	for (int threads = 1; threads <= 2; threads++)
	{
		mem_stats before = mem_get_stats();
		// until there is no n-th call; some failures are made good by asking again
		uint64_t n = 1;
		for (int reached = 1; reached; n++)
		{
			kept k = kept_make(100);
			spate_error error = {0};
			mem_fail_at(n);
			spate_result result = find(k.search, &c, threads, &error);
			reached = mem_fail_at(0) == 0;
			if (result != SPATE_OK)
			{
				check_result(result, SPATE_MEMORY);
				check_result(error.code, SPATE_MEMORY);
				assert_true(strlen(error.text) > 0);
				check_kept(&k);
				check_ok(find(k.search, &c, threads, &error));
			}
			lists l = take_lists(k.search, c.count);
			assert_true(same_lists(&l, &expected, c.count));
			lists_free(&l);
			kept_free(&k);
			assert_int_equal(mem_get_stats().bytes, before.bytes);
			assert_int_equal(mem_get_stats().blocks, before.blocks);
		}
		assert_true(n > 30);
	}
	lists_free(&expected);
	cloud_free(&c);
}

static void test_steady_search_makes_no_heap_call(void **state)
{
	(void)state;
	dice d = {34};
	const float radii[] = {0.1f, 0.05f};
	for (int several = 0; several < 2; several++)
		for (int threads = 1; threads <= 2; threads++)
		{
			cloud c = cloud_make(12000, 0.1f);
			fill_box(&c, &d, -0.8f, 0.8f);
			// uneven, so that threads meet cells of very different populations
			for (uint32_t k = 0; k < 3 * 600; k++)
				c.points[k] *= 0.03f;
			if (several)
				draw_radii(&c, &d, radii, 2);
			spate_neighbours *search;
			check_ok(spate_neighbours_create(&search, NULL));
			for (int round = 0; round < 5; round++)
				check_ok(find(search, &c, threads, NULL));
			uint64_t calls = mem_get_stats().calls;
			for (int round = 0; round < 12; round++)
				check_ok(find(search, &c, threads, NULL));
			assert_int_equal(mem_get_stats().calls, calls);
			spate_neighbours_destroy(search);
			cloud_free(&c);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_clouds),
	    cmocka_unit_test(test_exact_lattice),
	    cmocka_unit_test(test_inexact_lattices),
	    cmocka_unit_test(test_clusters),
	    cmocka_unit_test(test_coincident_points),
	    cmocka_unit_test(test_cell_borders),
	    cmocka_unit_test(test_limits_of_the_range),
	    cmocka_unit_test(test_largest_places),
	    cmocka_unit_test(test_two_resolutions),
	    cmocka_unit_test(test_many_resolutions),
	    cmocka_unit_test(test_beyond_the_finer_grid),
	    cmocka_unit_test(test_crowded_cell),
	    cmocka_unit_test(test_capacity_of_the_answer),
	    cmocka_unit_test(test_points_outside),
	    cmocka_unit_test(test_bad_input),
	    cmocka_unit_test(test_out_of_memory),
	    cmocka_unit_test(test_steady_search_makes_no_heap_call),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
