// The heap's door: alignment, books, the failing hook; arenas that stop asking for memory.
#include "check.h"

#include "base/memory.h"

// The address sanitizer ends the process on a request that is too large, unless it is told not to.
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

// Every test must leave as many blocks and bytes as it found.
static int open_books(void **state)
{
	static mem_stats before;
	before = mem_get_stats();
	*state = &before;
	return 0;
}

static int close_books(void **state)
{
	mem_stats *before = *state, after = mem_get_stats();
	mem_fail_at(0);
	if (after.blocks == before->blocks && after.bytes == before->bytes)
		return 0;
	print_error("%llu blocks and %llu bytes before, %llu and %llu after\n", (unsigned long long)before->blocks,
		    (unsigned long long)before->bytes, (unsigned long long)after.blocks,
		    (unsigned long long)after.bytes);
	return -1;
}

static void blocks_are_aligned_and_writable(void **state)
{
	(void)state;
	static const size_t sizes[] = {1, 7, 63, 64, 65, 4096, 1 << 20, (4 << 20) - 64, (4 << 20) - 63, 9000001};
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
	{
		char *block = mem_alloc(sizes[k]);
		assert_non_null(block);
		assert_int_equal((uintptr_t)block % 64, 0);
		memset(block, 0x5a, sizes[k]);
		mem_free(block);
	}
}

static void books_are_kept(void **state)
{
	(void)state;
	mem_stats before = mem_get_stats();
	void *a = mem_alloc(1000), *b = mem_alloc(500);
	mem_stats both = mem_get_stats();
	assert_int_equal(both.calls, before.calls + 2);
	assert_int_equal(both.blocks, before.blocks + 2);
	assert_int_equal(both.bytes, before.bytes + 1500);
	assert_true(both.peak >= both.bytes);
	mem_free(a);
	mem_free(b);
	mem_free(NULL);
	mem_stats after = mem_get_stats();
	assert_int_equal(after.blocks, before.blocks);
	assert_int_equal(after.bytes, before.bytes);
	assert_int_equal(after.peak, both.peak);
}

static void nothing_and_too_much_give_null(void **state)
{
	(void)state;
	assert_null(mem_alloc(0));
	assert_null(mem_alloc(SIZE_MAX));
	assert_null(mem_alloc(SIZE_MAX / 2 + 1));
	assert_null(mem_alloc(SIZE_MAX / 2 - 4096)); // no machine has that much
	assert_null(mem_calloc(SIZE_MAX / 8, 16));
	assert_null(mem_calloc(0, 8));
	assert_int_equal(mem_product(3, 5), 15);
	assert_int_equal(mem_product(SIZE_MAX, 2), SIZE_MAX);
	assert_int_equal(mem_product((size_t)1 << 32, (size_t)1 << 32), SIZE_MAX);
	assert_int_equal(mem_product(SIZE_MAX, 0), 0);
}

static void calloc_gives_zeros(void **state)
{
	(void)state;
	char *dirty = mem_alloc(5000);
	assert_non_null(dirty);
	memset(dirty, 0xff, 5000);
	mem_free(dirty);
	unsigned char *block = mem_calloc(1250, 4);
	assert_non_null(block);
	for (int k = 0; k < 5000; k++)
		assert_int_equal(block[k], 0);
	mem_free(block);
}

static void realloc_keeps_the_data(void **state)
{
	(void)state;
	int *block = mem_realloc(NULL, 100 * sizeof *block);
	assert_non_null(block);
	for (int k = 0; k < 100; k++)
		block[k] = k * k;
	static const size_t counts[] = {1000, 2000000, 100};
	for (int c = 0; c < 3; c++)
	{
		int *moved = mem_realloc(block, counts[c] * sizeof *block);
		assert_non_null(moved);
		block = moved;
		assert_int_equal((uintptr_t)block % 64, 0);
		for (int k = 0; k < 100; k++)
			assert_int_equal(block[k], k * k);
	}
	mem_free(block);
}

static void failing_realloc_keeps_the_old_block(void **state)
{
	(void)state;
	char *block = mem_alloc(16);
	assert_non_null(block);
	strcpy(block, "still here");
	mem_fail_at(1);
	assert_null(mem_realloc(block, 32));
	assert_null(mem_realloc(block, SIZE_MAX));
	assert_string_equal(block, "still here");
	mem_free(block);
}

static void the_nth_allocation_fails_once(void **state)
{
	(void)state;
	mem_fail_at(3);
	for (int k = 1; k <= 5; k++)
	{
		void *block = mem_alloc(8);
		assert_int_equal(block != NULL, k != 3);
		mem_free(block);
	}
	mem_fail_at(1);
	mem_fail_at(0);
	void *block = mem_alloc(8);
	assert_non_null(block);
	mem_free(block);
}

static void strings_are_copied(void **state)
{
	(void)state;
	char text[] = "water";
	char *copy = mem_strdup(text);
	assert_non_null(copy);
	text[0] = 'W';
	assert_string_equal(copy, "water");
	mem_free(copy);
	char *empty = mem_strdup("");
	assert_string_equal(empty, "");
	mem_free(empty);
	mem_fail_at(1);
	assert_null(mem_strdup("x"));
}

// One step's worth of scratch: `count` pieces of odd sizes, all of them filled, none overlapping.
static void use_arena(arena *a, int count)
{
	unsigned char *pieces[64];
	assert_true(count <= 64);
	for (int k = 0; k < count; k++)
	{
		pieces[k] = arena_alloc(a, 100 + 37 * (size_t)k);
		assert_non_null(pieces[k]);
		assert_int_equal((uintptr_t)pieces[k] % 64, 0);
		memset(pieces[k], k, 100 + 37 * (size_t)k);
	}
	for (int k = 0; k < count; k++)
		for (int byte = 0; byte < 100 + 37 * k; byte++)
			assert_int_equal(pieces[k][byte], k);
}

static void a_steady_arena_makes_no_heap_calls(void **state)
{
	(void)state;
	arena a;
	arena_init(&a);
	use_arena(&a, 50);
	arena_reset(&a);
	uint64_t calls = mem_get_stats().calls;
	size_t high_water = a.high_water;
	for (int step = 0; step < 10; step++)
	{
		use_arena(&a, 50 - step);
		arena_reset(&a);
	}
	assert_int_equal(mem_get_stats().calls, calls);
	assert_int_equal(a.high_water, high_water);
	arena_free(&a);
}

static void an_arena_grows_and_settles_again(void **state)
{
	const mem_stats *before = *state;
	arena a;
	arena_init(&a);
	for (int size = 5; size <= 60; size += 5)
	{
		use_arena(&a, size);
		arena_reset(&a);
		uint64_t calls = mem_get_stats().calls;
		use_arena(&a, size);
		arena_reset(&a);
		assert_int_equal(mem_get_stats().calls, calls);
		assert_int_equal(mem_get_stats().blocks, before->blocks + 1); // joined into one
	}
	arena_free(&a);
}

static void the_high_water_mark_counts_padding(void **state)
{
	(void)state;
	arena a;
	arena_init(&a);
	arena_alloc(&a, 1);
	arena_alloc(&a, 64);
	arena_alloc(&a, 65);
	assert_int_equal(a.used, 64 + 64 + 128);
	assert_int_equal(a.high_water, 256);
	arena_reset(&a);
	assert_int_equal(a.used, 0);
	arena_alloc(&a, 10);
	assert_int_equal(a.used, 64);
	assert_int_equal(a.high_water, 256);
	arena_free(&a);
	assert_int_equal(a.high_water, 0);
}

static void growth_chains_few_blocks(void **state)
{
	(void)state;
	arena a;
	arena_init(&a);
	uint64_t calls = mem_get_stats().calls;
	for (int k = 0; k < 4096; k++)
		assert_non_null(arena_alloc(&a, 64));
	assert_true(mem_get_stats().calls - calls <= 20); // doubling: about log2 of 4096
	arena_free(&a);
}

static void an_arena_survives_lack_of_memory(void **state)
{
	(void)state;
	arena a;
	arena_init(&a);
	mem_fail_at(1);
	assert_null(arena_alloc(&a, 100));
	assert_int_equal(a.used, 0);
	assert_null(arena_alloc(&a, SIZE_MAX));
	assert_null(arena_alloc(&a, SIZE_MAX / 4));

	// the join of chained blocks fails, the next step gets memory all the same
	use_arena(&a, 20);
	mem_fail_at(1);
	arena_reset(&a);
	use_arena(&a, 20);
	arena_reset(&a);
	uint64_t calls = mem_get_stats().calls;
	use_arena(&a, 20);
	assert_int_equal(mem_get_stats().calls, calls);
	arena_free(&a);
}

static void arenas_can_fail(void **state)
{
	(void)state;
	arena a = {0};
	assert_non_null(arena_alloc(&a, 1000));
	arena_reset(&a);
	// there is room, so nothing but the hook can fail
	mem_fail_at(2);
	assert_non_null(arena_alloc(&a, 64));
	assert_null(arena_alloc(&a, 64));
	assert_non_null(arena_alloc(&a, 64));
	assert_int_equal(mem_fail_at(5), 0);
	assert_non_null(arena_alloc(&a, 64));
	assert_int_equal(mem_fail_at(0), 4);
	arena_free(&a);
}

#define BOOKED(test) cmocka_unit_test_setup_teardown(test, open_books, close_books)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    BOOKED(blocks_are_aligned_and_writable),
	    BOOKED(books_are_kept),
	    BOOKED(nothing_and_too_much_give_null),
	    BOOKED(calloc_gives_zeros),
	    BOOKED(realloc_keeps_the_data),
	    BOOKED(failing_realloc_keeps_the_old_block),
	    BOOKED(the_nth_allocation_fails_once),
	    BOOKED(strings_are_copied),
	    BOOKED(a_steady_arena_makes_no_heap_calls),
	    BOOKED(an_arena_grows_and_settles_again),
	    BOOKED(the_high_water_mark_counts_padding),
	    BOOKED(growth_chains_few_blocks),
	    BOOKED(an_arena_survives_lack_of_memory),
	    BOOKED(arenas_can_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
