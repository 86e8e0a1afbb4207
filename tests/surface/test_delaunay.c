#include "check.h"
#include "dice.h"

#include "base/memory.h"
#include "surface/delaunay.h"

#ifndef SPATE_QHULL
int main(void)
{
	double points[8] = {0};
	delaunay *d;
	spate_error error = {0};
	if (delaunay_create(&d, 2, 4, points, 1.0, &error) != SPATE_MISSING || !error.text[0])
		return 1;
	return skip_program_without("QHULL");
}
#else

static double size_of(const delaunay *d, size_t s)
{
	uint32_t n = d->dimension;
	const uint32_t *v = d->simplices + s * (n + 1);
	double e[3][3] = {{0}};
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t a = 0; a < n; a++)
			e[k][a] = d->points[v[k + 1] * n + a] - d->points[v[0] * n + a];
	if (n == 2)
		return 0.5 * (e[0][0] * e[1][1] - e[0][1] * e[1][0]);
	return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
		e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
	       6.0;
}

static double total_size(const delaunay *d)
{
	double sum = 0.0;
	for (size_t s = 0; s < d->simplex_count; s++)
	{
		assert_true(size_of(d, s) > 0.0);
		sum += size_of(d, s);
	}
	return sum;
}

// Squared radius and centre of the sphere through a simplex, by elimination.
static void circumsphere(const delaunay *d, size_t s, double centre[3], double *radius)
{
	uint32_t n = d->dimension;
	const uint32_t *v = d->simplices + s * (n + 1);
	double a[3][4] = {{0}};
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++)
		{
			double e = d->points[v[k + 1] * n + i] - d->points[v[0] * n + i];
			a[k][i] = 2.0 * e;
			a[k][3] += e * e;
		}
	for (uint32_t c = 0; c < n; c++)
	{
		uint32_t pivot = c;
		for (uint32_t r = c; r < n; r++)
			if (fabs(a[r][c]) > fabs(a[pivot][c]))
				pivot = r;
		for (uint32_t i = 0; i < 4; i++)
		{
			double x = a[c][i];
			a[c][i] = a[pivot][i];
			a[pivot][i] = x;
		}
		for (uint32_t r = 0; r < n; r++)
		{
			double f = r == c ? 0.0 : a[r][c] / a[c][c];
			for (uint32_t i = 0; i < 4; i++)
				a[r][i] -= f * a[c][i];
		}
	}
	*radius = 0.0;
	for (uint32_t i = 0; i < n; i++)
	{
		double x = a[i][3] / a[i][i];
		centre[i] = d->points[v[0] * n + i] + x;
		*radius += x * x;
	}
}

static void random_points(double *points, uint32_t values)
{
	dice d = {3};
	for (uint32_t i = 0; i < values; i++)
		points[i] = (double)(dice_bits(&d) >> 11) * 0x1p-53;
}

// No point is inside the circumsphere of any simplex.
static void test_empty_spheres(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 3; n++)
	{
		double points[3 * 300];
		random_points(points, n * 300);
		delaunay *d;
		check_ok(delaunay_create(&d, n, 300, points, 0.0, NULL));
		assert_true(d->moved < 1e-5);
		for (size_t s = 0; s < d->simplex_count; s++)
		{
			double centre[3], radius;
			circumsphere(d, s, centre, &radius);
			for (uint32_t p = 0; p < 300; p++)
			{
				double r = 0.0;
				for (uint32_t i = 0; i < n; i++)
					r += (d->points[p * n + i] - centre[i]) * (d->points[p * n + i] - centre[i]);
				assert_true(r > radius * (1.0 - 1e-7));
			}
		}
		delaunay_destroy(d);
	}
}

// A lattice, where eight points at a time lie on one sphere, is filled without overlap; every point is used.
static void test_lattice(void **state)
{
	(void)state;
	enum
	{
		SIDE = 16
	};
	for (uint32_t n = 2; n <= 3; n++)
	{
		uint32_t count = n == 2 ? SIDE * SIDE : SIDE * SIDE * SIDE;
		double *points = mem_alloc(count * n * sizeof *points);
		for (uint32_t p = 0; p < count; p++)
		{
			uint32_t at[3] = {p % SIDE, p / SIDE % SIDE, p / SIDE / SIDE};
			for (uint32_t i = 0; i < n; i++)
				points[p * n + i] = 1000.0 + 0.01 * at[i];
		}
		delaunay *d;
		check_ok(delaunay_create(&d, n, count, points, 0.01, NULL));
		check_near(total_size(d) / pow(0.01 * (SIDE - 1), n), 1.0, 1e-4);
		uint8_t *used = mem_calloc(count, 1);
		for (size_t k = 0; k < (size_t)d->simplex_count * (n + 1); k++)
			used[d->simplices[k]] = 1;
		for (uint32_t p = 0; p < count; p++)
			assert_true(used[p]);
		for (uint32_t k = 0; k < count * n; k++)
			check_near(d->points[k], points[k], d->moved + 1e-12);
		mem_free(used);
		mem_free(points);
		delaunay_destroy(d);
	}
}

// Points that are there twice, and many on one sphere.
static void test_duplicates(void **state)
{
	(void)state;
	enum
	{
		COUNT = 400
	};
	double points[3 * COUNT];
	random_points(points, 3 * COUNT);
	for (uint32_t p = 0; p < 100; p++)
		memcpy(points + 3 * (COUNT - 1 - p), points + 3 * p, 3 * sizeof *points);
	for (uint32_t p = 100; p < 200; p++)
	{
		double r = 0.0;
		for (uint32_t k = 0; k < 3; k++)
			r += (points[3 * p + k] - 0.5) * (points[3 * p + k] - 0.5);
		for (uint32_t k = 0; k < 3; k++)
			points[3 * p + k] = 0.5 + (points[3 * p + k] - 0.5) / sqrt(r);
	}
	delaunay *d, *again;
	check_ok(delaunay_create(&d, 3, COUNT, points, 0.1, NULL));
	check_ok(delaunay_create(&again, 3, COUNT, points, 0.1, NULL));
	double volume = total_size(d);
	assert_true(volume > 3.0 && volume < 4.18879);
	assert_int_equal(d->simplex_count, again->simplex_count);
	assert_memory_equal(d->simplices, again->simplices, 4 * d->simplex_count * sizeof *d->simplices);
	delaunay_destroy(d);
	delaunay_destroy(again);
}

static void test_smallest(void **state)
{
	(void)state;
	double points[] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
	delaunay *d;
	check_ok(delaunay_create(&d, 3, 4, points, 1.0, NULL));
	assert_int_equal(d->simplex_count, 1);
	assert_int_equal(d->boundary_count, 4);
	check_near(total_size(d), 1.0 / 6.0, 1e-5);
	delaunay_destroy(d);
}

static void test_refused(void **state)
{
	(void)state;
	double points[12] = {0};
	delaunay *d;
	spate_error error = {0};
	check_result(delaunay_create(&d, 3, 3, points, 1.0, &error), SPATE_INVALID);
	assert_null(d);
	assert_non_null(strstr(error.text, "too few"));
	check_result(delaunay_create(&d, 3, 4, points, 1.0, &error), SPATE_INVALID);
	check_result(delaunay_create(&d, 4, 3, points, 1.0, &error), SPATE_INVALID);
	points[5] = NAN;
	check_result(delaunay_create(&d, 3, 4, points, 1.0, &error), SPATE_RANGE);
	assert_non_null(strstr(error.text, "point 1 "));
}

static void test_memory(void **state)
{
	(void)state;
	double points[3 * 60];
	random_points(points, 3 * 60);
	uint64_t blocks = mem_get_stats().blocks;
	for (uint64_t n = 1;; n++)
	{
		delaunay *d;
		mem_fail_at(n);
		spate_result result = delaunay_create(&d, 3, 60, points, 0.2, NULL);
		mem_fail_at(0);
		delaunay_destroy(d);
		assert_int_equal(mem_get_stats().blocks, blocks);
		if (result == SPATE_OK)
		{
			assert_true(n > 4);
			break;
		}
		check_result(result, SPATE_MEMORY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_empty_spheres), cmocka_unit_test(test_lattice), cmocka_unit_test(test_duplicates),
	    cmocka_unit_test(test_smallest),      cmocka_unit_test(test_refused), cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
