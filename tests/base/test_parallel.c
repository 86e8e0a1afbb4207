// Parallel loops: everything once, sums with the same bits, no NaN lost.
#include "check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"

typedef struct visits
{
	unsigned char *seen;
	size_t block, count;
	int threads, wrong;
} visits;

static void visit(void *context, size_t begin, size_t end, int thread)
{
	visits *v = context;
	size_t expected = begin + v->block < v->count ? begin + v->block : v->count;
	if (begin % v->block || end != expected || thread < 0 || thread >= v->threads)
		__atomic_fetch_add(&v->wrong, 1, __ATOMIC_RELAXED);
	for (size_t i = begin; i < end; i++)
		v->seen[i]++;
}

static void every_element_is_visited_once(void **state)
{
	(void)state;
	static const size_t counts[] = {0, 1, 2, 7, 100, 4095, 4096, 4097, 12289};
	static const size_t blocks[] = {1, 3, 64, 1000, PARALLEL_BLOCK, 100000};
	static const int threads[] = {-1, 0, 1, 2, 3, 5, 7, 300};
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
		for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
			for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
			{
				if (threads[t] > 7 && c % 4)
					continue;
				visits v = {.seen = mem_calloc(counts[c] + 1, 1),
					    .block = blocks[b],
					    .count = counts[c],
					    .threads = threads[t] < 1 ? 1 : threads[t]};
				assert_non_null(v.seen);
				parallel_for(threads[t], counts[c], blocks[b], visit, &v);
				for (size_t i = 0; i <= counts[c]; i++)
					if (v.seen[i] != (i < counts[c]))
						fail_msg("element %zu of %zu seen %d times (block %zu, %d threads)", i,
							 counts[c], v.seen[i], blocks[b], threads[t]);
				assert_int_equal(v.wrong, 0);
				mem_free(v.seen);
			}
}

static void odd_blocks_are_understood(void **state)
{
	(void)state;
	unsigned char seen[10000];
	static const size_t blocks[] = {0, SIZE_MAX, SIZE_MAX - 3};
	static const size_t meant[] = {PARALLEL_BLOCK, sizeof seen, sizeof seen};
	for (int b = 0; b < 3; b++)
		for (int threads = 1; threads <= 2; threads++)
		{
			memset(seen, 0, sizeof seen);
			visits v = {.seen = seen, .block = meant[b], .count = sizeof seen, .threads = threads};
			parallel_for(threads, sizeof seen, blocks[b], visit, &v);
			for (size_t i = 0; i < sizeof seen; i++)
				assert_int_equal(seen[i], 1);
			assert_int_equal(v.wrong, 0);
		}
}

static double sum_values(void *context, size_t begin, size_t end)
{
	const double *values = context;
	double sum = 0.0;
	for (size_t i = begin; i < end; i++)
		sum += values[i];
	return sum;
}

static double max_values(void *context, size_t begin, size_t end)
{
	const double *values = context;
	double most = -INFINITY;
	for (size_t i = begin; i < end; i++)
		if (!isnan(most) && !(values[i] <= most))
			most = values[i];
	return most;
}

// Values over many magnitudes, whose sum changes with the order.
static double *make_values(size_t count)
{
	double *values = mem_alloc(count * sizeof *values);
	assert_non_null(values);
	for (size_t i = 0; i < count; i++)
	{
		uint64_t h = hash_mix(i + 1);
		values[i] = ldexp((double)(int64_t)h * 0x1p-63, (int)(h % 61) - 30);
	}
	return values;
}

static void sums_have_the_same_bits_on_any_threads(void **state)
{
	(void)state;
	size_t count = 300 * PARALLEL_BLOCK + 77;
	double *values = make_values(count), by_blocks = 0.0, most = -INFINITY;
	for (size_t begin = 0; begin < count; begin += PARALLEL_BLOCK)
	{
		size_t end = begin + PARALLEL_BLOCK < count ? begin + PARALLEL_BLOCK : count;
		by_blocks += sum_values(values, begin, end);
		most = fmax(most, max_values(values, begin, end));
	}
	for (int threads = 1; threads <= 7; threads++)
	{
		double sum = parallel_sum(threads, count, sum_values, values);
		if (memcmp(&sum, &by_blocks, sizeof sum))
			fail_msg("%d threads: %a, expected %a", threads, sum, by_blocks);
		check_near(parallel_max(threads, count, max_values, values), most, 0.0);
	}
	mem_free(values);
}

static double count_elements(void *context, size_t begin, size_t end)
{
	(void)context;
	return end > begin && end - begin <= PARALLEL_BLOCK ? (double)(end - begin) : NAN;
}

static double last_element(void *context, size_t begin, size_t end)
{
	(void)context;
	(void)begin;
	return (double)(end - 1);
}

static void long_loops_go_in_rounds(void **state)
{
	(void)state;
	size_t count = (size_t)PARALLEL_BLOCK * 2500 + 9;
	for (int threads = 1; threads <= 3; threads++)
	{
		check_near(parallel_sum(threads, count, count_elements, NULL), (double)count, 0.0);
		check_near(parallel_max(threads, count, last_element, NULL), (double)(count - 1), 0.0);
	}
}

static void nothing_sums_to_zero(void **state)
{
	(void)state;
	assert_true(parallel_sum(2, 0, count_elements, NULL) == 0.0);
	assert_true(parallel_max(2, 0, count_elements, NULL) == -INFINITY);
}

static void a_nan_is_not_lost(void **state)
{
	(void)state;
	size_t count = 5 * PARALLEL_BLOCK;
	double *values = make_values(count);
	for (size_t block = 0; block < 5; block++)
	{
		double kept = values[block * PARALLEL_BLOCK + 10];
		values[block * PARALLEL_BLOCK + 10] = NAN;
		for (int threads = 1; threads <= 3; threads++)
		{
			if (!isnan(parallel_max(threads, count, max_values, values)))
				fail_msg("the maximum lost a NaN in block %zu", block);
			assert_true(isnan(parallel_sum(threads, count, sum_values, values)));
		}
		values[block * PARALLEL_BLOCK + 10] = kept;
	}
	mem_free(values);
}

static void the_environment_sets_the_threads(void **state)
{
	(void)state;
	unsetenv("SPATE_THREADS");
	int cores = parallel_default_threads();
	assert_in_range(cores, 1, PARALLEL_MAX_THREADS);
	static const struct
	{
		const char *text;
		int threads; // 0 for as many as there are cores
	} cases[] = {{"3", 3}, {"256", 256}, {"257", 256}, {"99999999999999999999", 256},
		     {"0", 0}, {"-4", 0},    {"many", 0},  {"", 0}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
	{
		setenv("SPATE_THREADS", cases[k].text, 1);
		assert_int_equal(parallel_default_threads(), cases[k].threads ? cases[k].threads : cores);
	}
	unsetenv("SPATE_THREADS");
}

static void prefix_sums_are_exclusive(void **state)
{
	(void)state;
	uint32_t counts[] = {3, 0, 5, 1};
	assert_int_equal(prefix_sum_u32(counts, 4), 9);
	static const uint32_t expected[] = {0, 3, 3, 8};
	assert_memory_equal(counts, expected, sizeof expected);
	assert_int_equal(prefix_sum_u32(counts, 0), 0);
	uint32_t large[] = {UINT32_MAX, UINT32_MAX};
	assert_int_equal(prefix_sum_u32(large, 2), 2ull * UINT32_MAX); // more than 32 bits are reported, not lost
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_element_is_visited_once),
	    cmocka_unit_test(odd_blocks_are_understood),
	    cmocka_unit_test(sums_have_the_same_bits_on_any_threads),
	    cmocka_unit_test(long_loops_go_in_rounds),
	    cmocka_unit_test(nothing_sums_to_zero),
	    cmocka_unit_test(a_nan_is_not_lost),
	    cmocka_unit_test(the_environment_sets_the_threads),
	    cmocka_unit_test(prefix_sums_are_exclusive),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
