// Sorting against qsort on (key, original index), which leaves one right answer only.
#include "check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"

typedef struct pair
{
	uint64_t key;
	uint32_t index;
} pair;

static int compare(const void *left, const void *right)
{
	const pair *a = left, *b = right;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

// Kinds of keys: the n-th of `count`.
typedef uint64_t key_maker(uint64_t n, uint64_t count);

static uint64_t equal_keys(uint64_t n, uint64_t count)
{
	(void)n;
	(void)count;
	return 0x123456789abcdef0u;
}

static uint64_t sorted_keys(uint64_t n, uint64_t count)
{
	(void)count;
	return n * 1000003;
}

static uint64_t reversed_keys(uint64_t n, uint64_t count)
{
	return (count - n) << 30;
}

static uint64_t random_keys(uint64_t n, uint64_t count)
{
	(void)count;
	return hash_mix(n);
}

static uint64_t cell_keys(uint64_t n, uint64_t count)
{
	(void)count;
	return hash_mix(n) >> 24;
}

static uint64_t few_keys(uint64_t n, uint64_t count)
{
	(void)count;
	return hash_mix(n) % 5 << 33 | 0x8000000000000001u;
}

static uint64_t extreme_keys(uint64_t n, uint64_t count)
{
	static const uint64_t extremes[] = {0, UINT64_MAX, 1, UINT64_MAX - 1, 1ull << 63, (1ull << 63) - 1};
	(void)count;
	return extremes[hash_mix(n) % 6];
}

// Nearly all keys close together and a stray one far away: splitting by the highest digit alone gains nothing.
static uint64_t clustered_keys(uint64_t n, uint64_t count)
{
	return n == count / 2 ? 1ull << 62 : 1ull << 40 | hash_mix(n) % 100000;
}

static const struct
{
	const char *name;
	key_maker *make;
} kinds[] = {{"equal", equal_keys},     {"sorted", sorted_keys},      {"reversed", reversed_keys},
	     {"random", random_keys},   {"cell", cell_keys},          {"few", few_keys},
	     {"extreme", extreme_keys}, {"clustered", clustered_keys}};

static void check_radix(int kind, uint32_t count)
{
	enum
	{
		GUARD = 64
	};
	size_t scratch_bytes = sort_radix_scratch(count);
	pair *pairs = mem_alloc((count + 1) * sizeof *pairs);
	uint64_t *keys = mem_alloc((count + 1) * sizeof *keys);
	uint32_t *payload = mem_alloc((count + 1) * sizeof *payload);
	char *scratch = mem_alloc(scratch_bytes + GUARD);
	assert_true(pairs && keys && payload && scratch);
	for (uint32_t i = 0; i < count; i++)
		pairs[i] = (pair){kinds[kind].make(i, count), i};
	qsort(pairs, count, sizeof *pairs, compare);

	for (int threads = 1; threads <= 4; threads++)
	{
		for (uint32_t i = 0; i < count; i++)
		{
			keys[i] = kinds[kind].make(i, count);
			payload[i] = i;
		}
		memset(scratch, 0xa5, scratch_bytes + GUARD);
		uint64_t calls = mem_get_stats().calls;
		sort_radix(threads, count, keys, payload, scratch);
		assert_int_equal(mem_get_stats().calls, calls);
		for (int k = 0; k < GUARD; k++)
			assert_int_equal((unsigned char)scratch[scratch_bytes + (size_t)k], 0xa5);
		for (uint32_t i = 0; i < count; i++)
			if (keys[i] != pairs[i].key || payload[i] != pairs[i].index)
				fail_msg("%s, %u keys, %d threads, place %u: key %llx of %u, expected %llx of %u",
					 kinds[kind].name, count, threads, i, (unsigned long long)keys[i], payload[i],
					 (unsigned long long)pairs[i].key, pairs[i].index);
	}
	mem_free(pairs);
	mem_free(keys);
	mem_free(payload);
	mem_free(scratch);
}

static void radix_sort_is_right_and_stable(void **state)
{
	(void)state;
	// around the limits of the insertion sort, of the part that fits the cache, and of a block
	static const uint32_t counts[] = {0, 1, 2, 7, 32, 33, 1000, 4096, 4097, 16385, 32768, 32769, 150001};
	for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
		for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
			check_radix((int)kind, counts[c]);
}

static void payload_need_not_be_the_index(void **state)
{
	(void)state;
	uint64_t keys[] = {3, 1, 2, 1};
	uint32_t payload[] = {30, 10, 20, 11};
	sort_radix(1, 4, keys, payload, NULL);
	static const uint64_t expected_keys[] = {1, 1, 2, 3};
	static const uint32_t expected_payload[] = {10, 11, 20, 30};
	assert_memory_equal(keys, expected_keys, sizeof keys);
	assert_memory_equal(payload, expected_payload, sizeof payload);
}

static void counting_sort_is_right_and_stable(void **state)
{
	(void)state;
	enum
	{
		MOST = 4097
	};
	static const uint32_t counts[] = {0, 1, 2, 7, 4096, 4097}, ranges[] = {1, 2, 100, 5000};
	static uint32_t keys[MOST], order[MOST], starts[5002];
	static pair pairs[MOST];
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
		for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
		{
			uint32_t count = counts[c], range = ranges[r];
			for (uint32_t i = 0; i < count; i++)
			{
				keys[i] = (uint32_t)(hash_mix(i + 77) % range);
				pairs[i] = (pair){keys[i], i};
			}
			qsort(pairs, count, sizeof *pairs, compare);
			memset(starts, 0xee, sizeof starts);
			sort_counting(keys, count, range, starts, order);
			for (uint32_t i = 0; i < count; i++)
				if (order[i] != pairs[i].index)
					fail_msg("%u keys below %u, place %u: %u, expected %u", count, range, i,
						 order[i], pairs[i].index);

			// the starts say where each key's run is
			assert_int_equal(starts[0], 0);
			assert_int_equal(starts[range], count);
			assert_int_equal(starts[range + 1], 0xeeeeeeee);
			for (uint32_t k = 0; k < range; k++)
			{
				assert_true(starts[k] <= starts[k + 1]);
				for (uint32_t i = starts[k]; i < starts[k + 1]; i++)
					assert_int_equal(keys[order[i]], k);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(radix_sort_is_right_and_stable),
	    cmocka_unit_test(payload_need_not_be_the_index),
	    cmocka_unit_test(counting_sort_is_right_and_stable),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
