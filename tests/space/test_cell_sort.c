// Full and coherent sorts against qsort by (key, id).
#include "base/memory.h"
#include "cloud.h"
#include "space/cell_sort.h"
#include "space/cells.h"

typedef struct entry
{
	uint64_t key;
	int64_t id;
	uint32_t row;
} entry;

static int by_key_and_id(const void *a, const void *b)
{
	const entry *p = a, *q = b;
	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	return p->id < q->id ? -1 : p->id > q->id;
}

// Particles to be sorted, with a plain copy of the right answer.
typedef struct pile
{
	uint32_t count;
	uint64_t *keys, *sorted_keys;
	int64_t *ids;
	uint32_t *order;
	entry *expected;
} pile;

static pile pile_make(uint32_t count)
{
	return (pile){count,
		      need(count, sizeof(uint64_t)),
		      need(count, sizeof(uint64_t)),
		      need(count, sizeof(int64_t)),
		      need(count, sizeof(uint32_t)),
		      need(count, sizeof(entry))};
}

static void pile_free(pile *p)
{
	free(p->keys);
	free(p->sorted_keys);
	free(p->ids);
	free(p->order);
	free(p->expected);
}

static void expect(pile *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		p->expected[i] = (entry){p->keys[i], p->ids[i], i};
	qsort(p->expected, p->count, sizeof *p->expected, by_key_and_id);
}

static void check_sorted(pile *p, const char *what, int threads)
{
	for (uint32_t k = 0; k < p->count; k++)
		if (p->order[k] != p->expected[k].row || p->sorted_keys[k] != p->expected[k].key)
			fail_msg(
			    "%s sort of %u with %d threads: place %u holds row %u with key %llx, expected row %u with %llx",
			    what, p->count, threads, k, p->order[k], (unsigned long long)p->sorted_keys[k],
			    p->expected[k].row, (unsigned long long)p->expected[k].key);
	memset(p->order, 0xff, p->count * sizeof *p->order);
	memset(p->sorted_keys, 0xff, p->count * sizeof *p->sorted_keys);
}

static void check_full(pile *p, cell_sorter *sorter)
{
	expect(p);
	for (int threads = 1; threads <= 4; threads++)
	{
		check_ok(cell_sort_full(sorter, p->count, p->keys, p->ids, threads, p->order, p->sorted_keys, NULL));
		check_sorted(p, "full", threads);
	}
}

// Distinct ids in random order, some of them negative and some large.
static void shuffle_ids(pile *p, dice *d)
{
	for (uint32_t i = 0; i < p->count; i++)
		p->ids[i] = ((int64_t)i - 50) * 0x100000001;
	for (uint32_t i = p->count; i > 1; i--)
	{
		uint32_t k = dice_below(d, i);
		int64_t swap = p->ids[k];
		p->ids[k] = p->ids[i - 1];
		p->ids[i - 1] = swap;
	}
}

// Keys in a block of about `leaves` leaves somewhere far out.
static uint64_t random_key(dice *d, uint32_t leaves)
{
	return ((uint64_t)0x2aaaaaaaaaaaa << LEAF_KEY_SHIFT) + dice_below(d, leaves * LEAF_CELLS);
}

static void test_full_sort_of_many_sizes(void **state)
{
	(void)state;
	const uint32_t sizes[] = {0, 1, 7, 8, 9, 4095, 4096, 4097, 8191, 12289, 100000};
	cell_sorter sorter = {0};
	dice d = {3};
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
		for (uint32_t leaves = 1; leaves <= 10000; leaves *= 100)
		{
			pile p = pile_make(sizes[s]);
			shuffle_ids(&p, &d);
			for (uint32_t i = 0; i < p.count; i++)
				p.keys[i] = random_key(&d, leaves);
			check_full(&p, &sorter);
			pile_free(&p);
		}
	cell_sorter_free(&sorter);
}

static void test_full_sort_of_special_keys(void **state)
{
	(void)state;
	cell_sorter sorter = {0};
	dice d = {4};
	pile p = pile_make(9000);
	shuffle_ids(&p, &d);

	// everything in one cell, the first and the last there are
	for (int last = 0; last < 2; last++)
	{
		for (uint32_t i = 0; i < p.count; i++)
			p.keys[i] = last ? UINT64_MAX >> 1 : 0;
		check_full(&p, &sorter);
	}
	// 5,000 in one cell among others of its leaf
	for (uint32_t i = 0; i < p.count; i++)
		p.keys[i] = i % 9 < 5 ? 512 * 77 + 300 : random_key(&d, 3);
	check_full(&p, &sorter);
	// a leaf for each, falling
	for (uint32_t i = 0; i < p.count; i++)
		p.keys[i] = ((uint64_t)(p.count - i) << 49) + i % 512;
	check_full(&p, &sorter);
	// from one end of the range to the other
	for (uint32_t i = 0; i < p.count; i++)
		p.keys[i] = dice_bits(&d) >> 1;
	check_full(&p, &sorter);
	pile_free(&p);
	cell_sorter_free(&sorter);
}

// Runs shorter and longer than where the sort of a cell by id changes its way, in several initial orders.
static void test_cells_of_every_population(void **state)
{
	(void)state;
	cell_sorter sorter = {0};
	dice d = {5};
	for (uint32_t count = 1; count <= 130; count++)
		for (int order = 0; order < 3; order++)
		{
			pile p = pile_make(count);
			shuffle_ids(&p, &d);
			for (uint32_t i = 0; i < count && order > 0; i++)
				p.ids[i] = order == 1 ? (int64_t)i : -(int64_t)i;
			for (uint32_t i = 0; i < count; i++)
				p.keys[i] = 1234567;
			expect(&p);
			check_ok(cell_sort_full(&sorter, count, p.keys, p.ids, 1, p.order, p.sorted_keys, NULL));
			check_sorted(&p, "one-cell", 1);
			pile_free(&p);
		}
	cell_sorter_free(&sorter);
}

// Sorts `old_count` particles, moves some of them, appends others, and sorts again.
static void check_coherent(cell_sorter *sorter, uint32_t old_count, uint32_t count, double movers, uint32_t leaves,
			   dice *d)
{
	pile p = pile_make(count);
	uint64_t *old_keys = need(old_count, sizeof *old_keys);
	shuffle_ids(&p, d);
	for (uint32_t i = 0; i < old_count; i++)
		p.expected[i] = (entry){random_key(d, leaves), p.ids[i], i};
	qsort(p.expected, old_count, sizeof *p.expected, by_key_and_id);
	for (uint32_t i = 0; i < count; i++)
	{
		if (i < old_count)
		{
			p.ids[i] = p.expected[i].id;
			p.keys[i] = old_keys[i] = p.expected[i].key;
		}
		if (i >= old_count || dice_range(d, 0, 1) < (float)movers)
			p.keys[i] = random_key(d, leaves);
	}
	expect(&p);
	for (int threads = 1; threads <= 4; threads++)
	{
		check_ok(cell_sort_coherent(sorter, count, p.keys, p.ids, old_count, old_keys, threads, p.order,
					    p.sorted_keys, NULL));
		check_sorted(&p, "coherent", threads);
	}
	free(old_keys);
	pile_free(&p);
}

static void test_coherent_sort(void **state)
{
	(void)state;
	const uint32_t sizes[] = {0, 1, 7, 8, 9, 4095, 4096, 4097, 100000};
	const double movers[] = {0.0, 0.03, 0.5, 1.0};
	cell_sorter sorter = {0};
	dice d = {6};
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
		for (size_t m = 0; m < sizeof movers / sizeof *movers; m++)
		{
			uint32_t count = sizes[s];
			check_coherent(&sorter, count, count, movers[m], 40, &d);
			if (count == 100000)
				continue;
			check_coherent(&sorter, count, count + 1, movers[m], 40, &d);
			check_coherent(&sorter, count, count + 3000, movers[m], 300, &d);
			check_coherent(&sorter, 0, count, movers[m], 1, &d);
		}
	cell_sorter_free(&sorter);
}

// Movers and stayers that share a cell are told apart by id alone.
static void test_coherent_sort_in_a_crowd(void **state)
{
	(void)state;
	enum
	{
		COUNT = 5000
	};
	cell_sorter sorter = {0};
	pile p = pile_make(COUNT);
	uint64_t old_keys[COUNT];
	for (uint32_t i = 0; i < COUNT; i++)
	{
		// before: even ids in cell 700, odd ones in cell 701; now all in 700
		p.ids[i] = i < COUNT / 2 ? 2 * (int64_t)i : 2 * (int64_t)(i - COUNT / 2) + 1;
		old_keys[i] = i < COUNT / 2 ? 700 : 701;
		p.keys[i] = 700;
	}
	expect(&p);
	for (int threads = 1; threads <= 4; threads++)
	{
		check_ok(cell_sort_coherent(&sorter, COUNT, p.keys, p.ids, COUNT, old_keys, threads, p.order,
					    p.sorted_keys, NULL));
		for (uint32_t k = 0; k < COUNT; k++)
			assert_int_equal(p.ids[p.order[k]], k);
		check_sorted(&p, "coherent", threads);
	}
	pile_free(&p);
	cell_sorter_free(&sorter);
}

// Coherent with `old_keys`, full when that is NULL.
static spate_result sort_any(cell_sorter *sorter, pile *p, const uint64_t *old_keys, int threads, spate_error *error)
{
	if (old_keys)
		return cell_sort_coherent(sorter, p->count, p->keys, p->ids, p->count, old_keys, threads, p->order,
					  p->sorted_keys, error);
	return cell_sort_full(sorter, p->count, p->keys, p->ids, threads, p->order, p->sorted_keys, error);
}

// Lets one allocation after the other fail until there is none left to fail.
static void sweep_allocations(pile *p, const uint64_t *old_keys, int threads)
{
	uint64_t bytes = mem_get_stats().bytes, n = 1;
	for (spate_result result = SPATE_MEMORY; result != SPATE_OK; n++)
	{
		cell_sorter sorter = {0};
		spate_error error = {0};
		mem_fail_at(n);
		result = sort_any(&sorter, p, old_keys, threads, &error);
		mem_fail_at(0);
		if (result != SPATE_OK)
		{
			check_result(result, SPATE_MEMORY);
			check_result(error.code, SPATE_MEMORY);
			assert_true(strlen(error.text) > 0);
			check_ok(sort_any(&sorter, p, old_keys, threads, &error));
		}
		check_sorted(p, old_keys ? "coherent" : "full", threads);
		cell_sorter_free(&sorter);
		assert_int_equal(mem_get_stats().bytes, bytes);
	}
	assert_true(n > 5);
}

static void test_out_of_memory(void **state)
{
	(void)state;
	dice d = {7};
	pile p = pile_make(9000);
	shuffle_ids(&p, &d);
	uint64_t *old_keys = need(p.count, sizeof *old_keys);
	for (uint32_t i = 0; i < p.count; i++)
	{
		old_keys[i] = random_key(&d, 1) + (uint64_t)i * LEAF_CELLS;
		p.keys[i] = dice_below(&d, 5) ? old_keys[i] : random_key(&d, 9000);
	}
	expect(&p);
	for (int threads = 1; threads <= 2; threads++)
	{
		sweep_allocations(&p, NULL, threads);
		sweep_allocations(&p, old_keys, threads);
	}
	free(old_keys);
	pile_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_full_sort_of_many_sizes),   cmocka_unit_test(test_full_sort_of_special_keys),
	    cmocka_unit_test(test_cells_of_every_population), cmocka_unit_test(test_coherent_sort),
	    cmocka_unit_test(test_coherent_sort_in_a_crowd),  cmocka_unit_test(test_out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
