// The particle store: fields, ids, removal, compaction, capacity, saving and restoring, bad input.
#include "check.h"

#include "base/parallel.h"
#include "particles/store.h"

#ifdef __SANITIZE_ADDRESS__
#define LARGE 1000000u
#else
#define LARGE 10000000u
#endif

static spate_store *make(uint32_t step)
{
	spate_store *store = NULL;
	check_ok(spate_store_create(&store, step, NULL));
	return store;
}

// Adds `count` particles at (k, 2k, 3k), k counting from `start`, moving at (-k, 0, 1).
static void add(spate_store *store, uint32_t start, uint32_t count)
{
	float *values = mem_alloc(6 * sizeof *values * (count + 1));
	float *velocities = values + 3 * count;
	for (uint32_t i = 0; i < count; i++)
	{
		float k = (float)(start + i);
		memcpy(values + 3 * i, (float[]){k, 2 * k, 3 * k}, 3 * sizeof(float));
		memcpy(velocities + 3 * i, (float[]){-k, 0, 1}, 3 * sizeof(float));
	}
	check_ok(spate_store_add(store, count, values, velocities, 2, NULL, NULL));
	mem_free(values);
}

static void adds_and_reads(void **state)
{
	(void)state;
	spate_store *store = make(64);
	assert_int_equal(spate_store_count(store), 0);
	assert_int_equal(spate_store_capacity(store), 64);

	float positions[] = {1, 2, 3, 4, 5, 6}, velocities[] = {7, 8, 9, 10, 11, 12};
	int64_t first = -1;
	check_ok(spate_store_add(store, 2, positions, velocities, 3, &first, NULL));
	assert_int_equal(first, 0);
	check_ok(spate_store_add(store, 1, positions + 3, NULL, 0, &first, NULL));
	assert_int_equal(first, 2);
	assert_int_equal(spate_store_rows(store), 3);

	check_near(store->position[1].y, 5, 0);
	check_near(store->position[1].w, 0, 0);
	check_near(store->velocity[1].z, 12, 0);
	check_near(store->velocity[2].x, 0, 0);
	check_near(store->density[1], 0, 0);
	assert_int_equal(store->fluid[1], 3);
	assert_int_equal(store->id[2], 2);

	// by name, all of the table
	spate_type type;
#define CORE_FIELD(type_, c_type, name, unit, flags, meaning)                  \
	assert_ptr_equal(spate_store_field(store, #name, &type), store->name); \
	assert_int_equal(type, SPATE_##type_);                                 \
	assert_int_equal((uintptr_t)store->name % 64, 0);
#include "particles/fields.def"
#undef CORE_FIELD
	assert_null(spate_store_field(store, "home", &type));
	spate_store_destroy(store);
}

static void types_have_names_and_sizes(void **state)
{
	(void)state;
	static const struct
	{
		spate_type type;
		const char *name;
		size_t size;
		uint32_t components;
	} expected[] = {{SPATE_FLOAT, "float", 4, 1}, {SPATE_INT32, "int32", 4, 1}, {SPATE_INT64, "int64", 8, 1},
			{SPATE_VEC2, "vec2", 8, 2},   {SPATE_VEC3, "vec3", 12, 3},  {SPATE_VEC4, "vec4", 16, 4}};
	for (int i = 0; i < SPATE_TYPE_COUNT; i++)
	{
		assert_string_equal(spate_type_name(expected[i].type), expected[i].name);
		assert_int_equal(spate_type_size(expected[i].type), expected[i].size);
		assert_int_equal(spate_type_components(expected[i].type), expected[i].components);
	}
	assert_null(spate_type_name(SPATE_TYPE_COUNT));
	assert_null(spate_type_name((spate_type)-1));
	assert_int_equal(spate_type_size((spate_type)99), 0);
	assert_int_equal(spate_type_components((spate_type)99), 0);
}

static void ids_never_repeat(void **state)
{
	(void)state;
	spate_store *store = make(16);
	for (int64_t round = 0; round < 50; round++)
	{
		int64_t first = -1;
		check_ok(spate_store_add(store, 2, (float[6]){0}, NULL, 0, &first, NULL));
		assert_int_equal(first, 2 * round);
		assert_int_equal(store->id[1], 2 * round + 1);
		check_ok(spate_store_remove(store, (uint32_t[]){1, 0}, 2, NULL));
		assert_int_equal(spate_store_count(store), 0);
		check_ok(spate_store_compact(store, NULL));
		assert_int_equal(spate_store_rows(store), 0);
	}

	// the last ids there are: all of them can be had, and not one more
	store->next_id = INT64_MAX - 2;
	check_ok(spate_store_add(store, 2, (float[6]){0}, NULL, 0, NULL, NULL));
	check_result(spate_store_add(store, 1, (float[3]){0}, NULL, 0, NULL, NULL), SPATE_INVALID);
	assert_int_equal(spate_store_rows(store), 2);
	spate_store_destroy(store);
}

static void compaction_keeps_the_order(void **state)
{
	(void)state;
	spate_store *store = make(64);
	add(store, 0, 100);
	check_ok(spate_store_add_channel(store, "tag", SPATE_INT64, &(int64_t){-5}, NULL));
	int64_t *tag = spate_store_field(store, "tag", NULL);
	for (uint32_t r = 0; r < 100; r++)
		tag[r] = 1000 + r;
	for (uint32_t r = 0; r < 100; r += 3)
		check_ok(spate_store_remove(store, &r, 1, NULL));
	assert_int_equal(spate_store_count(store), 66);
	assert_int_equal(spate_store_rows(store), 100);
	assert_false(spate_store_is_alive(store, 3));
	assert_true(spate_store_is_alive(store, 4));
	assert_false(spate_store_is_alive(store, 100));

	check_ok(spate_store_compact(store, NULL));
	assert_int_equal(spate_store_rows(store), 66);
	tag = spate_store_field(store, "tag", NULL);
	for (uint32_t r = 0; r < 66; r++)
	{
		uint32_t old = r / 2 * 3 + r % 2 + 1;
		assert_int_equal(store->id[r], old);
		check_near(store->position[r].z, 3.0 * old, 0);
		check_near(store->velocity[r].x, -1.0 * old, 0);
		assert_int_equal(tag[r], 1000 + old);
		assert_true(spate_store_is_alive(store, r));
	}
	spate_store_destroy(store);
}

static void compaction_is_wanted_from_one_in_eight(void **state)
{
	(void)state;
	spate_store *store = make(64);
	assert_false(store_wants_compaction(store));
	add(store, 0, 15);
	assert_false(store_wants_compaction(store));
	check_ok(spate_store_remove(store, (uint32_t[]){4}, 1, NULL));
	assert_false(store_wants_compaction(store));
	check_ok(spate_store_remove(store, (uint32_t[]){5}, 1, NULL));
	assert_true(store_wants_compaction(store));
	spate_store_destroy(store);
}

// Channels lag behind the sorts until somebody looks or the twentieth sort comes.
static void cold_channels_settle(void **state)
{
	(void)state;
	enum
	{
		N = 10000
	};
	spate_store *store = make(64);
	add(store, 0, N);
	check_ok(spate_store_add_channel(store, "pair", SPATE_VEC2, (float[]){0.5f, -1}, NULL));
	float *pair = spate_store_field(store, "pair", NULL);
	for (uint32_t r = 0; r < N; r++)
		pair[2 * r] = (float)r;

	uint32_t *order = mem_alloc(N * sizeof *order);
	for (uint32_t r = 0; r < N; r++)
		order[r] = (r * 7 + 3) % N;
	for (uint32_t sort = 1; sort <= 2 * STORE_SETTLE_EVERY; sort++)
	{
		store_permute(store, order, 2);
		assert_int_equal(store->unsettled, sort % STORE_SETTLE_EVERY);
	}
	store_permute(store, order, 2);
	pair = spate_store_field(store, "pair", NULL);
	assert_int_equal(store->unsettled, 0);
	for (uint32_t r = 0; r < N; r++)
	{
		check_near(pair[2 * r], store->position[r].x, 0);
		check_near(pair[2 * r + 1], -1, 0);
		assert_int_equal(store->id[r], (int64_t)store->position[r].x);
	}
	mem_free(order);
	spate_store_destroy(store);
}

// Every array can be read and written 16 rows beyond the capacity; the address sanitizer watches.
static void arrays_have_slack(void **state)
{
	(void)state;
	spate_store *store = make(64);
	check_ok(spate_store_add_channel(store, "c", SPATE_FLOAT, NULL, NULL));
	add(store, 0, 64);
	assert_int_equal(spate_store_capacity(store), 64);
	float *c = spate_store_field(store, "c", NULL);
	for (uint32_t r = 64; r < 64 + STORE_SLACK; r++)
	{
#define CORE_FIELD(type, c_type, name, unit, flags, meaning) memset(&store->name[r], 0xff, sizeof(c_type));
#include "particles/fields.def"
#undef CORE_FIELD
		c[r] = -1;
		store->dead[r] = 9;
		store->home[r] = 9;
	}
	// and no field's slack is another field's row
	for (uint32_t r = 0; r < 64; r++)
	{
		assert_int_equal(store->id[r], r);
		check_near(store->position[r].y, 2.0 * r, 0);
		check_near(store->velocity[r].z, 1, 0);
		assert_int_equal(store->fluid[r], 2);
		check_near(store->density[r], 0, 0);
	}
	// new rows do not inherit what was written there
	add(store, 64, 16);
	c = spate_store_field(store, "c", NULL);
	for (uint32_t r = 64; r < 80; r++)
	{
		assert_true(spate_store_is_alive(store, r));
		check_near(c[r], 0, 0);
		check_near(store->density[r], 0, 0);
	}
	spate_store_destroy(store);
}

static void capacity_moves_in_steps(void **state)
{
	(void)state;
	spate_store *store = make(100);
	add(store, 0, 101);
	assert_int_equal(spate_store_capacity(store), 200);
	add(store, 101, 1899);
	assert_int_equal(spate_store_capacity(store), 2000);
	// an eighth more, in whole steps
	add(store, 2000, 1);
	assert_int_equal(spate_store_capacity(store), 2300);

	uint32_t rows[2001];
	for (uint32_t r = 0; r < 2001; r++)
		rows[r] = r;
	check_ok(spate_store_remove(store, rows, 851, NULL));
	check_ok(spate_store_compact(store, NULL));
	assert_int_equal(spate_store_rows(store), 1150);
	assert_int_equal(spate_store_capacity(store), 2300); // just half full
	check_ok(spate_store_remove(store, rows, 1, NULL));
	check_ok(spate_store_compact(store, NULL));
	assert_int_equal(spate_store_capacity(store), 1300); // 12 steps in use and one to spare
	assert_int_equal(store->id[0], 852);
	assert_int_equal(store->id[1148], 2000);
	check_ok(spate_store_remove(store, rows, 1149, NULL));
	check_ok(spate_store_compact(store, NULL));
	assert_int_equal(spate_store_capacity(store), 100);
	spate_store_destroy(store);
}

// Adding, sorting, removing and compacting around a level asks for no memory, wherever the level lies.
static void steady_state_makes_no_heap_call(void **state)
{
	(void)state;
	for (uint32_t level = 0; level < 400; level += 13)
	{
		spate_store *store = make(64);
		check_ok(spate_store_add_channel(store, "age", SPATE_FLOAT, NULL, NULL));
		uint32_t rows[400], order[400 + 50];
		for (uint32_t r = 0; r < 400; r++)
			rows[r] = r;
		// come from far above, so that the first compaction shrinks
		check_ok(spate_store_add(store, 400, (float[3 * 400]){0}, NULL, 0, NULL, NULL));
		check_ok(spate_store_remove(store, rows, 400 - level, NULL));
		check_ok(spate_store_compact(store, NULL));
		uint64_t calls = 0;
		for (uint32_t round = 0; round < 30; round++)
		{
			check_ok(spate_store_add(store, 50, (float[3 * 50]){0}, NULL, 0, NULL, NULL));
			for (uint32_t r = 0; r < store->rows; r++)
				order[r] = store->rows - 1 - r;
			store_permute(store, order, 2);
			assert_non_null(spate_store_field(store, "age", NULL));
			check_ok(spate_store_remove(store, rows, 50, NULL));
			check_ok(spate_store_compact(store, NULL));
			if (round == 0)
				calls = mem_get_stats().calls;
		}
		if (mem_get_stats().calls != calls)
			fail_msg("%llu heap calls around a level of %u",
				 (unsigned long long)(mem_get_stats().calls - calls), level);
		spate_store_destroy(store);
	}
}

static void holds_millions(void **state)
{
	(void)state;
	spate_store *store = make(0);
	uint32_t portion = LARGE / 20;
	for (uint32_t n = 0; n < 20; n++)
		add(store, n * portion, portion);
	assert_int_equal(spate_store_count(store), LARGE);
	double bytes = (double)spate_store_bytes(store) / spate_store_capacity(store);
	// the spare slab, home and dead mark
	double expected = 16 + 4 + 1;
#define CORE_FIELD(type, c_type, name, unit, flags, meaning) expected += sizeof(c_type);
#include "particles/fields.def"
#undef CORE_FIELD
	check_near(bytes, expected, 0.1);
	assert_in_range(spate_store_capacity(store), LARGE, LARGE + LARGE / 8 + 65536);

	// a sort that takes neighbouring rows from far apart; 10007 is prime to the count
	uint32_t *order = mem_alloc(LARGE * sizeof *order);
	for (uint32_t r = 0; r < LARGE; r++)
		order[r] = (uint32_t)((uint64_t)r * 10007 % LARGE);
	uint64_t calls = mem_get_stats().calls;
	store_permute(store, order, 2);
	assert_int_equal(mem_get_stats().calls, calls);
	uint32_t wrong = 0;
	for (uint32_t r = 0; r < LARGE; r++)
		wrong += store->id[r] != order[r] || store->velocity[r].x != -(float)order[r] || store->fluid[r] != 2 ||
			 store->position[r].y != 2.0f * (float)order[r];
	assert_int_equal(wrong, 0);

	// all but every tenth go, and the memory with them
	uint32_t gone = 0;
	for (uint32_t r = 0; r < LARGE; r++)
		if (r % 10 != 0)
			order[gone++] = r;
	check_ok(spate_store_remove(store, order, gone, NULL));
	check_ok(spate_store_compact(store, NULL));
	assert_int_equal(spate_store_rows(store), LARGE / 10);
	assert_in_range(spate_store_capacity(store), LARGE / 10, LARGE / 10 + 2 * 65536);
	for (uint32_t r = 0; r < LARGE / 10; r++)
		wrong += store->id[r] != (int64_t)((uint64_t)r * 100070 % LARGE);
	assert_int_equal(wrong, 0);
	mem_free(order);
	spate_store_destroy(store);
}

static void saves_and_restores(void **state)
{
	(void)state;
	spate_store *from = make(64), *to = make(64);
	add(from, 0, 300);
	check_ok(spate_store_add_channel(from, "dye", SPATE_VEC3, (float[]){1, 2, 3}, NULL));
	uint32_t order[300];
	for (uint32_t r = 0; r < 300; r++)
		order[r] = (r * 7) % 300;
	store_permute(from, order, 1);
	from->pressure[5] = 42;
	from->density[6] = 998;

	// other particles, removed and not settled, are in the way
	add(to, 7, 20);
	check_ok(spate_store_remove(to, (uint32_t[]){3}, 1, NULL));
	check_ok(spate_store_add_channel(to, "dye", SPATE_VEC3, (float[]){1, 2, 3}, NULL));
	for (uint32_t r = 0; r < 20; r++)
		order[r] = 19 - r;
	store_permute(to, order, 1);
	check_ok(store_restore_begin(to, from->rows, from->next_id, NULL));
	assert_int_equal(spate_store_count(to), 300);
	assert_int_equal(to->unsettled, 0);

	uint32_t n = 0;
	const store_field *field;
	for (; (field = store_nth(from, n, SPATE_FIELD_SAVED)); n++)
	{
		const store_field *field_to = store_nth(to, n, SPATE_FIELD_SAVED);
		store_column of = store_column_of(from, field), in = store_column_of(to, field_to);
		assert_string_equal(of.name, in.name);
		assert_int_equal(of.type, in.type);
		assert_int_equal(of.stride, in.stride);
		for (uint32_t r = 0; r < from->rows; r++)
			memcpy((char *)in.data + r * in.stride, (char *)of.data + r * of.stride,
			       spate_type_size(of.type));
	}
	assert_int_equal(n, STORE_CORE_FIELDS + 1);
	assert_string_equal(store_nth(from, n - 1, SPATE_FIELD_SAVED)->name, "dye");
	assert_memory_equal(to->position, from->position, 300 * sizeof(vec4));
	assert_memory_equal(to->id, from->id, 300 * sizeof(int64_t));
	check_near(to->pressure[5], 42, 0);
	check_near(to->density[6], 998, 0);

	int64_t first;
	check_ok(spate_store_add(to, 1, (float[3]){0}, NULL, 0, &first, NULL));
	assert_int_equal(first, 300);

	// refused: more particles than ids were given out
	spate_error error = {0};
	check_result(store_restore_begin(to, 10, 9, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "id 9"));
	check_result(store_restore_begin(to, UINT32_MAX, INT64_MAX, &error), SPATE_INVALID);
	assert_int_equal(spate_store_rows(to), 301);
	spate_store_destroy(from);
	spate_store_destroy(to);
}

// The call is refused with the code, and the sentence holds `words`.
#define check_refused(call, code_, words)                                                     \
	do                                                                                    \
	{                                                                                     \
		spate_error error = {0};                                                      \
		check_result(call, code_);                                                    \
		assert_int_equal(error.code, code_);                                          \
		if (!strstr(error.text, words))                                               \
			fail_msg("%s: \"%s\" does not say \"%s\"", #call, error.text, words); \
	} while (0)

static void refuses_bad_particles(void **state)
{
	(void)state;
	spate_store *store = make(64);
	add(store, 0, 3);
	int64_t first = -7;
	float good[9] = {0}, bad[9] = {0};
	check_refused(spate_store_add(NULL, 1, good, NULL, 0, &first, &error), SPATE_INVALID, "store");
	check_refused(spate_store_add(store, 1, NULL, NULL, 0, &first, &error), SPATE_INVALID, "positions");
	check_refused(spate_store_add(store, 1, good, NULL, -1, &first, &error), SPATE_INVALID, "-1");
	check_refused(spate_store_add(store, UINT32_MAX, good, NULL, 0, &first, &error), SPATE_INVALID,
		      "4294967263 rows");
	check_refused(spate_store_add(store, STORE_MAX_ROWS - 2, good, NULL, 0, &first, &error), SPATE_INVALID, "rows");
	for (int n = 0; n < 9; n++)
	{
		char position[32], velocity[32];
		snprintf(position, sizeof position, "position %d ", n / 3);
		snprintf(velocity, sizeof velocity, "velocity %d ", n / 3);
		bad[n] = n % 2 ? NAN : -INFINITY;
		check_refused(spate_store_add(store, 3, bad, good, 0, &first, &error), SPATE_INVALID, position);
		check_refused(spate_store_add(store, 3, good, bad, 0, &first, &error), SPATE_INVALID, velocity);
		bad[n] = 0;
	}
	assert_int_equal(first, -7);
	assert_int_equal(store->next_id, 3);
	assert_int_equal(spate_store_rows(store), 3);

	// nothing is fine
	check_ok(spate_store_add(store, 0, NULL, NULL, 0, &first, NULL));
	assert_int_equal(first, 3);
	check_ok(spate_store_remove(store, NULL, 0, NULL));
	assert_int_equal(spate_store_count(store), 3);

	check_refused(spate_store_create(NULL, 0, &error), SPATE_INVALID, "pointer");
	spate_store *other = NULL;
	check_refused(spate_store_create(&other, UINT32_MAX, &error), SPATE_INVALID, "4294967295");
	assert_null(other);
	spate_store_destroy(NULL);
	spate_store_destroy(store);
}

static void refuses_bad_removals(void **state)
{
	(void)state;
	spate_store *store = make(64);
	add(store, 0, 10);
	check_ok(spate_store_remove(store, (uint32_t[]){4}, 1, NULL));
	check_refused(spate_store_remove(NULL, (uint32_t[]){0}, 1, &error), SPATE_INVALID, "store");
	check_refused(spate_store_remove(store, NULL, 1, &error), SPATE_INVALID, "rows");
	check_refused(spate_store_remove(store, (uint32_t[]){0, 1, 10}, 3, &error), SPATE_INVALID, "row 10 ");
	check_refused(spate_store_remove(store, (uint32_t[]){0, UINT32_MAX}, 2, &error), SPATE_INVALID, "4294967295");
	check_refused(spate_store_remove(store, (uint32_t[]){0, 4, 1}, 3, &error), SPATE_INVALID, "row 4 has");
	check_refused(spate_store_remove(store, (uint32_t[]){7, 2, 7}, 3, &error), SPATE_INVALID, "row 7 is listed");
	for (uint32_t r = 0; r < 10; r++)
		assert_int_equal(spate_store_is_alive(store, r), r != 4);
	assert_int_equal(spate_store_count(store), 9);

	check_refused(spate_store_compact(NULL, &error), SPATE_INVALID, "store");
	assert_int_equal(spate_store_count(NULL), 0);
	assert_int_equal(spate_store_rows(NULL), 0);
	assert_int_equal(spate_store_capacity(NULL), 0);
	assert_int_equal(spate_store_bytes(NULL), 0);
	assert_int_equal(spate_store_is_alive(NULL, 0), 0);
	spate_store_destroy(store);
}

static void refuses_bad_channels(void **state)
{
	(void)state;
	spate_store *store = make(64);
	check_ok(spate_store_add_channel(store, "heat", SPATE_FLOAT, NULL, NULL));
	check_refused(spate_store_add_channel(NULL, "a", SPATE_FLOAT, NULL, &error), SPATE_INVALID, "store");
	check_refused(spate_store_add_channel(store, NULL, SPATE_FLOAT, NULL, &error), SPATE_INVALID, "name");
	check_refused(spate_store_add_channel(store, "a", SPATE_TYPE_COUNT, NULL, &error), SPATE_INVALID, "type 6");
	check_refused(spate_store_add_channel(store, "a", (spate_type)-1, NULL, &error), SPATE_INVALID, "'a'");
	check_refused(spate_store_add_channel(store, "heat", SPATE_VEC2, NULL, &error), SPATE_EXISTS, "'heat'");

	static const char *const bad[] = {"",
					  "1a",
					  "a b",
					  "a-b",
					  "\xc3\xa4",
					  "a.",
					  "a234567890123456789012345678901234567890123456789012345678901234"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		check_refused(spate_store_add_channel(store, bad[i], SPATE_FLOAT, NULL, &error), SPATE_INVALID, bad[i]);
#define CORE_FIELD(type, c_type, name, unit, flags, meaning)                                                  \
	check_refused(spate_store_add_channel(store, #name, SPATE_FLOAT, NULL, &error), SPATE_EXISTS, #name); \
	check_refused(spate_store_drop_field(store, #name, &error), SPATE_INVALID, #name);
#include "particles/fields.def"
#undef CORE_FIELD

	check_refused(spate_store_drop_field(store, "cold", &error), SPATE_MISSING, "'cold'");
	check_refused(spate_store_drop_field(NULL, "heat", &error), SPATE_INVALID, "store");
	check_refused(spate_store_drop_field(store, NULL, &error), SPATE_INVALID, "name");
	assert_null(spate_store_field(store, "cold", NULL));
	assert_null(spate_store_field(store, NULL, NULL));
	assert_null(spate_store_field(NULL, "heat", NULL));
	assert_int_equal(spate_store_field_count(store), STORE_CORE_FIELDS + 1);
	assert_int_equal(spate_store_field_count(NULL), 0);
	spate_field_def def;
	check_result(spate_store_field_at(store, STORE_CORE_FIELDS + 1, &def), SPATE_MISSING);
	check_result(spate_store_field_at(NULL, 0, &def), SPATE_MISSING);

	// the longest name there may be
	const char *longest = "_bcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij123";
	check_ok(spate_store_add_channel(store, longest, SPATE_VEC4, NULL, NULL));
	check_ok(spate_store_field_at(store, STORE_CORE_FIELDS + 1, &def));
	assert_string_equal(def.name, longest);
	assert_int_equal(def.type, SPATE_VEC4);
	check_ok(spate_store_drop_field(store, "heat", NULL));
	check_ok(spate_store_field_at(store, STORE_CORE_FIELDS, &def));
	assert_string_equal(def.name, longest);
	spate_store_destroy(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(adds_and_reads),
	    cmocka_unit_test(types_have_names_and_sizes),
	    cmocka_unit_test(ids_never_repeat),
	    cmocka_unit_test(compaction_keeps_the_order),
	    cmocka_unit_test(compaction_is_wanted_from_one_in_eight),
	    cmocka_unit_test(cold_channels_settle),
	    cmocka_unit_test(arrays_have_slack),
	    cmocka_unit_test(capacity_moves_in_steps),
	    cmocka_unit_test(steady_state_makes_no_heap_call),
	    cmocka_unit_test(holds_millions),
	    cmocka_unit_test(saves_and_restores),
	    cmocka_unit_test(refuses_bad_particles),
	    cmocka_unit_test(refuses_bad_removals),
	    cmocka_unit_test(refuses_bad_channels),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (failed == 0 && mem_get_stats().blocks != 0)
	{
		fprintf(stderr, "%llu blocks were not freed\n", (unsigned long long)mem_get_stats().blocks);
		return 1;
	}
	return failed;
}
