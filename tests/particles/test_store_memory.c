// Out of memory at every allocation of every operation: the call says so, and the store is bit for bit what it was.
#include "check.h"

#include "base/parallel.h"
#include "particles/store.h"

// All that can be seen of a store, as one number.
static uint64_t fingerprint(const spate_store *store)
{
	uint64_t hash = 14695981039346656037u;
#define MIX(pointer, bytes)                              \
	for (size_t mix_i = 0; mix_i < (bytes); mix_i++) \
	hash = (hash ^ ((const uint8_t *)(pointer))[mix_i]) * 1099511628211u
	MIX(&store->rows, sizeof store->rows);
	MIX(&store->removed, sizeof store->removed);
	MIX(&store->capacity, sizeof store->capacity);
	MIX(&store->next_id, sizeof store->next_id);
	MIX(&store->ghosts, sizeof store->ghosts);
	MIX(store->dead, store->rows);
	for (size_t f = 0; f < store->fields.count; f++)
	{
		const store_field *field = &store->fields.data[f];
		MIX(field->name, sizeof field->name);
		for (uint32_t r = 0; r < store_all_rows(store); r++)
			MIX(field->data + (store_is_hot(field) ? r : store->home[r]) * field->size, field->size);
	}
#undef MIX
	return hash;
}

// 60 particles, three channels, some rows removed, not settled.
static spate_store *make(void)
{
	spate_store *store = NULL;
	check_ok(spate_store_create(&store, 64, NULL));
	float positions[3 * 60];
	for (int i = 0; i < 3 * 60; i++)
		positions[i] = (float)i;
	check_ok(spate_store_add(store, 60, positions, positions, 1, NULL, NULL));
	check_ok(spate_store_add_channel(store, "a", SPATE_VEC3, (float[]){1, 2, 3}, NULL));
	check_ok(spate_store_add_channel(store, "b", SPATE_INT64, NULL, NULL));
	check_ok(spate_store_add_channel(store, "c", SPATE_INT32, NULL, NULL));
	int64_t *b = spate_store_field(store, "b", NULL);
	uint32_t order[60];
	for (uint32_t r = 0; r < 60; r++)
	{
		b[r] = r * r;
		order[r] = (r * 7) % 60;
	}
	check_ok(spate_store_remove(store, (uint32_t[]){5, 50, 7}, 3, NULL));
	store_permute(store, order, 1);
	assert_int_equal(store->unsettled, 1);
	return store;
}

typedef spate_result operation(spate_store *store, spate_error *error);

static spate_result grow(spate_store *store, spate_error *error)
{
	return spate_store_add(store, 100, (float[300]){0}, NULL, 0, NULL, error);
}

static spate_result add_channel(spate_store *store, spate_error *error)
{
	return spate_store_add_channel(store, "d", SPATE_VEC4, NULL, error);
}

// Narrow and wide: the slabs are packed anew.
static spate_result add_hot_fields(spate_store *store, spate_error *error)
{
	spate_field_def defs[2] = {spate_default_field_def(), spate_default_field_def()};
	defs[0].name = "narrow";
	defs[1].name = "wide";
	defs[1].type = SPATE_VEC3;
	defs[0].flags = defs[1].flags = SPATE_FIELD_HOT;
	return store_add_fields(store, (field_table){defs, 2}, error);
}

static spate_result add_ghosts(spate_store *store, spate_error *error)
{
	return store_add_ghosts(store, 10, error);
}

static spate_result add_many_channels(spate_store *store, spate_error *error)
{
	// the list of channels itself has to grow on the way; what was added before the failure goes again
	char name[16];
	for (int n = 0; n < 20; n++)
	{
		snprintf(name, sizeof name, "n%d", n);
		spate_result result = spate_store_add_channel(store, name, SPATE_FLOAT, NULL, error);
		if (result == SPATE_OK)
			continue;
		while (n-- > 0)
		{
			snprintf(name, sizeof name, "n%d", n);
			check_ok(spate_store_drop_field(store, name, NULL));
		}
		return result;
	}
	return SPATE_OK;
}

static spate_result restore(spate_store *store, spate_error *error)
{
	return store_restore_begin(store, 1000, 1000, error);
}

// Fails the n-th allocation for every n until the operation gets through; returns how many it makes.
static uint64_t sweep(operation *run)
{
	for (uint64_t n = 1;; n++)
	{
		spate_store *store = make();
		uint64_t before = fingerprint(store), blocks = mem_get_stats().blocks, bytes = mem_get_stats().bytes;
		spate_error error = {0};
		mem_fail_at(n);
		spate_result result = run(store, &error);
		mem_fail_at(0);
		if (result == SPATE_OK)
		{
			spate_store_destroy(store);
			assert_int_equal(mem_get_stats().blocks, 0);
			return n - 1;
		}
		check_result(result, SPATE_MEMORY);
		assert_int_equal(error.code, SPATE_MEMORY);
		assert_non_null(strstr(error.text, "out of memory"));
		// the list of channels may have been given more room, nothing else
		assert_int_equal(mem_get_stats().blocks, blocks);
		if (run != add_many_channels)
			assert_int_equal(mem_get_stats().bytes, bytes);
		assert_true(fingerprint(store) == before);

		// and it goes on working: the same again, with memory
		check_ok(run(store, &error));
		store_settle(store, 1);
		check_ok(spate_store_compact(store, NULL));
		spate_store_destroy(store);
		assert_int_equal(mem_get_stats().blocks, 0);
	}
}

// Allocations of a resize: the list of slabs, the slabs, spare, home and dead.
static uint64_t arrays_of(operation *run)
{
	spate_store *store = make();
	if (run)
		check_ok(run(store, NULL));
	uint64_t arrays = 1 + store->slabs.count + 3;
	spate_store_destroy(store);
	return arrays;
}

static void operations_survive(void **state)
{
	(void)state;
	// and three channels
	assert_int_equal(sweep(grow), arrays_of(NULL) + 3);
	assert_int_equal(sweep(restore), arrays_of(NULL) + 3);
	assert_int_equal(sweep(add_ghosts), arrays_of(NULL) + 3);
	assert_int_equal(sweep(add_hot_fields), arrays_of(add_hot_fields) + 3);
	assert_int_equal(sweep(add_channel), 1);
	assert_int_equal(sweep(add_many_channels), 21);
}

static void creation_survives(void **state)
{
	(void)state;
	// the store and its list of fields
	uint64_t allocations = 2 + arrays_of(NULL);
	for (uint64_t n = 1; n <= allocations; n++)
	{
		spate_store *store = NULL;
		spate_error error = {0};
		mem_fail_at(n);
		check_result(spate_store_create(&store, 64, &error), SPATE_MEMORY);
		mem_fail_at(0);
		assert_null(store);
		assert_non_null(strstr(error.text, "out of memory"));
		assert_int_equal(mem_get_stats().blocks, 0);
	}
}

// Sorting, settling, removing, reading and dropping ask for no memory at all.
static void moves_need_no_memory(void **state)
{
	(void)state;
	spate_store *store = make();
	uint32_t order[60];
	for (uint32_t r = 0; r < 60; r++)
		order[r] = 59 - r;
	uint64_t calls = mem_get_stats().calls;
	for (int n = 0; n < 3 * STORE_SETTLE_EVERY; n++)
		store_permute(store, order, 2);
	store_permute(store, order, 2);
	store_settle(store, 2);
	store_permute(store, order, 2);
	assert_non_null(spate_store_field(store, "b", NULL));
	check_ok(spate_store_compact(store, NULL));
	check_ok(spate_store_drop_field(store, "a", NULL));
	assert_int_equal(mem_get_stats().calls, calls);
	spate_store_destroy(store);
}

// A compaction that finds no memory for smaller arrays keeps the large ones and does its work.
static void compaction_survives(void **state)
{
	(void)state;
	uint64_t allocations = arrays_of(NULL) + 3;
	for (uint64_t n = 0; n <= allocations; n++)
	{
		spate_store *store = make();
		check_ok(grow(store, NULL));
		check_ok(grow(store, NULL));
		uint32_t large = spate_store_capacity(store), rows[260], count = 0;
		for (uint32_t r = 0; r < store->rows; r++)
			if (spate_store_is_alive(store, r) && store->id[r] % 10 != 0)
				rows[count++] = r;
		check_ok(spate_store_remove(store, rows, count, NULL));
		mem_fail_at(n);
		check_ok(spate_store_compact(store, NULL));
		mem_fail_at(0);
		if (n > 0)
			assert_int_equal(spate_store_capacity(store), large);
		else
			assert_in_range(spate_store_capacity(store), 64, 128);

		// of the first 60, every tenth but id 50
		assert_int_equal(spate_store_rows(store), 6 - 1 + 20);
		int64_t *b = spate_store_field(store, "b", NULL);
		for (uint32_t r = 0; r < store->rows; r++)
		{
			assert_int_equal(store->id[r] % 10, 0);
			assert_int_equal(b[r], store->id[r] < 60 ? store->id[r] * store->id[r] : 0);
		}
		spate_store_destroy(store);
		assert_int_equal(mem_get_stats().blocks, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(operations_survive),
	    cmocka_unit_test(creation_survives),
	    cmocka_unit_test(moves_need_no_memory),
	    cmocka_unit_test(compaction_survives),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
