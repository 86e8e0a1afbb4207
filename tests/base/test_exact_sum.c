// Sums that no order and no grouping changes, against an independent method: the expansions of Shewchuk 1997, which keep a sum as
// doubles that do not overlap.
#include "check.h"

#include "base/exact_sum.h"
#include "base/hash.h"

#include <float.h>

enum
{
	MOST = 3000
};

// Numbers that do not repeat in a test.
static uint64_t draw(uint64_t *seed)
{
	return hash_mix(++*seed);
}

// A double of either sign with an exponent in [low, high], now and then with few bits.
static double draw_double(uint64_t *seed, int low, int high)
{
	uint64_t h = draw(seed), bits = draw(seed) >> 11;
	if (h % 5 == 0)
		bits &= ~0ull << h / 5 % 53;
	double size = ldexp((double)(bits | 1ull << 52), low + (int)((h >> 20) % (uint64_t)(high - low + 1)) - 52);
	return h >> 63 ? -size : size;
}

// The sum rounded once, ties to even. Neither the terms nor their sum may overflow.
static double reference(const double *terms, size_t count)
{
	static double parts[4096];
	size_t n = 0;
	for (size_t i = 0; i < count; i++)
	{
		double x = terms[i];
		size_t kept = 0;
		for (size_t k = 0; k < n; k++)
		{
			double y = parts[k], high = x + y, other = high - x, low = (x - (high - other)) + (y - other);
			if (low != 0.0)
				parts[kept++] = low;
			x = high;
		}
		parts[kept] = x;
		n = kept + 1;
	}
	double high = 0.0, low = 0.0;
	while (n > 0 && low == 0.0)
	{
		double x = high, y = parts[--n];
		high = x + y;
		low = y - (high - x);
	}
	// half a unit was rounded to even, but what follows says otherwise
	if (n > 0 && ((low < 0.0 && parts[n - 1] < 0.0) || (low > 0.0 && parts[n - 1] > 0.0)))
	{
		double twice = 2.0 * low, next = high + twice;
		if (twice == next - high)
			high = next;
	}
	return high + 0.0;
}

static double sum_singly(const double *terms, size_t count)
{
	exact_sum sum = {0};
	for (size_t i = 0; i < count; i++)
		exact_sum_add(&sum, terms[i]);
	return exact_sum_read(&sum);
}

static double sum_by_vectors(simd_level level, const double *terms, size_t count)
{
	exact_sum sum = {0};
	exact_kernels_table(level)->add_terms(&sum, terms, count);
	return exact_sum_read(&sum);
}

static void check_bits(const char *what, double value, double expected)
{
	if (memcmp(&value, &expected, sizeof value))
		fail_msg("%s: %a, expected %a", what, value, expected);
}

static void check_all_ways(const double *terms, size_t count, double expected)
{
	check_bits("one by one", sum_singly(terms, count), expected);
	for (simd_level level = SIMD_PORTABLE; level <= simd_level_detect(); level++)
		check_bits(simd_level_name(level), sum_by_vectors(level, terms, count), expected);
}

static const int ranges[][2] = {{-3, 3}, {-40, 10}, {-300, 300}, {-1022, 990}, {-1022, -960}, {960, 1010}};

static void sums_are_rounded_once(void **state)
{
	(void)state;
	static double terms[MOST];
	uint64_t seed = 1;
	for (int round = 0; round < 200; round++)
	{
		size_t count = draw(&seed) % (round % 10 ? 300 : MOST);
		const int *range = ranges[round % 6];
		for (size_t i = 0; i < count; i++)
			terms[i] = draw_double(&seed, range[0], range[1]);
		check_all_ways(terms, count, reference(terms, count));
	}
}

// What is left of large terms that cancel, down to nothing.
static void terms_cancel(void **state)
{
	(void)state;
	static double terms[MOST];
	uint64_t seed = 2;
	for (int round = 0; round < 100; round++)
	{
		size_t pairs = 1 + draw(&seed) % 400, count = 2 * pairs;
		for (size_t i = 0; i < pairs; i++)
			terms[2 * i] = -(terms[2 * i + 1] = draw_double(&seed, -200, 200));
		double left = round % 3 ? draw_double(&seed, -400, -250) : 0.0;
		terms[count++] = left;
		for (size_t i = count; i > 1; i--)
		{
			size_t j = draw(&seed) % i;
			double swap = terms[i - 1];
			terms[i - 1] = terms[j];
			terms[j] = swap;
		}
		check_all_ways(terms, count, left);
	}
}

static void denormals_count(void **state)
{
	(void)state;
	static double terms[MOST];
	for (int i = 0; i < MOST; i++)
		terms[i] = i % 3 == 0 ? -0x1p-1074 : 0x1p-1074 * (i % 7);
	check_all_ways(terms, MOST, reference(terms, MOST));
	const double edge[] = {DBL_MIN, -0x1p-1074, DBL_MIN, 0x1.8p-1073};
	check_all_ways(edge, 1, DBL_MIN);
	check_all_ways(edge, 2, DBL_MIN - 0x1p-1074);
	check_all_ways(edge, 4, reference(edge, 4));
}

static void ties_go_to_even(void **state)
{
	(void)state;
	const double down[] = {1.0, 0x1p-53}, up[] = {1.0, 0x1p-53, 0x1p-1074}, even[] = {1.0 + 0x1p-52, 0x1p-53};
	check_all_ways(down, 2, 1.0);
	check_all_ways(up, 3, 1.0 + 0x1p-52);
	check_all_ways(even, 2, 1.0 + 0x1p-51);
	const double minus[] = {-1.0, -0x1p-53, -0x1p-1074};
	check_all_ways(minus, 2, -1.0);
	check_all_ways(minus, 3, -1.0 - 0x1p-52);
}

static void the_largest_numbers_do_not_overflow_on_the_way(void **state)
{
	(void)state;
	const double terms[] = {DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX};
	check_all_ways(terms, 5, DBL_MAX);
	check_all_ways(terms, 2, INFINITY);
	check_all_ways(terms + 3, 2, -INFINITY);
	const double edge[] = {DBL_MAX, 0x1p969}, over[] = {DBL_MAX, 0x1p970}; // less than half a unit, and half a unit
	check_all_ways(edge, 2, DBL_MAX);
	check_all_ways(over, 2, INFINITY);
}

static void infinities_and_nan_are_defined(void **state)
{
	(void)state;
	static double terms[500];
	for (int i = 0; i < 500; i++)
		terms[i] = i;
	terms[300] = INFINITY;
	check_all_ways(terms, 500, INFINITY);
	terms[10] = INFINITY;
	check_all_ways(terms, 500, INFINITY);
	terms[300] = -INFINITY;
	check_all_ways(terms, 500, NAN);
	terms[10] = 1.0;
	check_all_ways(terms, 500, -INFINITY);
	terms[499] = -NAN;
	check_all_ways(terms, 500, NAN);
	check_all_ways(terms, 0, 0.0);
	check_all_ways((double[]){-0.0, -0.0}, 2, 0.0);
}

static void orders_and_partitions_do_not_matter(void **state)
{
	(void)state;
	static double terms[MOST];
	uint64_t seed = 3;
	for (int round = 0; round < 40; round++)
	{
		const int *range = ranges[round % 6];
		for (int i = 0; i < MOST; i++)
			terms[i] = draw_double(&seed, range[0], range[1]);
		exact_sum whole = {0};
		exact_kernels_table(SIMD_PORTABLE)->add_terms(&whole, terms, MOST);
		exact_sum_carry(&whole);
		for (size_t i = MOST; i > 1; i--)
		{
			size_t j = draw(&seed) % i;
			double swap = terms[i - 1];
			terms[i - 1] = terms[j];
			terms[j] = swap;
		}
		// pieces of any length go to any of seven sums by any way, and the sums merge in any order
		exact_sum sums[7] = {0};
		for (size_t at = 0, length; at < MOST; at += length)
		{
			length = 1 + draw(&seed) % (round % 2 ? 9 : 700);
			length = length < MOST - at ? length : MOST - at;
			exact_sum *sum = &sums[draw(&seed) % 7];
			simd_level level = (simd_level)(draw(&seed) % ((uint64_t)simd_level_detect() + 1));
			if (draw(&seed) % 2)
				exact_kernels_table(level)->add_terms(sum, terms + at, length);
			else
				for (size_t i = at; i < at + length; i++)
					exact_sum_add(sum, terms[i]);
		}
		exact_sum merged = {0};
		for (int first = (int)(draw(&seed) % 7), k = 0; k < 7; k++)
			exact_sum_merge(&merged, &sums[(first + 3 * k) % 7]);
		exact_sum_carry(&merged);
		assert_memory_equal(&merged, &whole, sizeof whole);
	}
}

// Digits are carried before they overflow, however many terms and merged sums there are.
static void long_sums_carry(void **state)
{
	(void)state;
	exact_sum sum = {0};
	const double term = 0x1.fffffffffffffp31; // all bits of two digits
	for (int i = 0; i < 1 << 20; i++)
		exact_sum_add(&sum, term);
	check_bits("a million terms", exact_sum_read(&sum), 0x1p20 * term);
	exact_sum twice = sum;
	for (int i = 0; i < 20; i++)
	{
		exact_sum other = twice;
		exact_sum_merge(&twice, &other);
	}
	check_bits("doubled twenty times", exact_sum_read(&twice), 0x1p40 * term);
	exact_sum many = {0};
	for (int i = 0; i < 10000; i++)
		exact_sum_merge(&many, &sum);
	check_bits("merged ten thousand times", exact_sum_read(&many), 10000.0 * 0x1p20 * term);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sums_are_rounded_once),
	    cmocka_unit_test(terms_cancel),
	    cmocka_unit_test(denormals_count),
	    cmocka_unit_test(ties_go_to_even),
	    cmocka_unit_test(the_largest_numbers_do_not_overflow_on_the_way),
	    cmocka_unit_test(infinities_and_nan_are_defined),
	    cmocka_unit_test(orders_and_partitions_do_not_matter),
	    cmocka_unit_test(long_sums_carry),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
