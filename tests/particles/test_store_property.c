// Random operations on a store and on a naive model, an array of structs; after each the two must agree in every field, hot or cold, of
// every row, ghosts included.
#include "check.h"

#include "particles/store.h"

enum
{
	MAX_CHANNELS = 9
};

// One particle of the model.
typedef struct record
{
#define CORE_FIELD(type, c_type, name, unit, flags, meaning) c_type name;
#include "particles/fields.def"
#undef CORE_FIELD
	int dead;
	char values[MAX_CHANNELS][STORE_SLAB];
} record;

typedef struct model
{
	spate_store *store;
	uint64_t random;
	uint32_t largest; // rows, above which no more are added
	int threads;

	ARRAY(record) records; // ghosts are the last
	uint32_t ghosts;
	int64_t next_id;
	struct
	{
		int present, hot;
		spate_type type;
		char initial[STORE_SLAB];
	} channels[MAX_CHANNELS];
} model;

static uint32_t draw(model *m, uint32_t below)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (uint32_t)((m->random >> 32) * below >> 32);
}

static void draw_bytes(model *m, char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = (char)draw(m, 256);
}

static const char *channel_name(int slot)
{
	static const char *const names[MAX_CHANNELS] = {"a", "b2", "_c", "D", "e_e", "age", "dye", "f", "g"};
	return names[slot];
}

static uint32_t rows_of(const model *m)
{
	return (uint32_t)m->records.count - m->ghosts;
}

static void forget_ghosts(model *m)
{
	m->records.count -= m->ghosts;
	m->ghosts = 0;
}

static void drop_ghosts(model *m)
{
	forget_ghosts(m);
	store_drop_ghosts(m->store);
}

// Ghosts carry what is flagged as halo and the default otherwise.
static void add_ghosts(model *m)
{
	uint32_t count = draw(m, m->largest / 8), first = (uint32_t)m->records.count;
	if (first + count > m->largest)
		return;
	check_ok(store_add_ghosts(m->store, count, NULL));
	for (uint32_t r = first; r < first + count; r++)
	{
		record fresh = {.position = {(float)draw(m, 1000), 1, 2, 3}, .id = draw(m, 1000)};
		m->store->position[r] = fresh.position;
		m->store->id[r] = fresh.id;
		for (int c = 0; c < MAX_CHANNELS; c++)
			memcpy(fresh.values[c], m->channels[c].initial, STORE_SLAB);
		assert_true(array_push(&m->records, fresh));
	}
	m->ghosts += count;
}

static void add(model *m)
{
	uint32_t count = draw(m, m->largest / 8);
	if (m->records.count + count > m->largest)
		return;
	forget_ghosts(m);
	int moving = (int)draw(m, 2);
	int32_t fluid = (int32_t)draw(m, 4);
	float *values = mem_alloc((6 * count + 1) * sizeof *values);
	for (uint32_t i = 0; i < count; i++)
	{
		record fresh = {.id = m->next_id + i, .fluid = fluid};
		for (int k = 0; k < 6; k++)
			values[3 * count * (uint32_t)(k / 3) + 3 * i + (uint32_t)(k % 3)] = (float)draw(m, 1000000) / 7;
		memcpy(&fresh.position, values + 3 * i, 3 * sizeof(float));
		if (moving)
			memcpy(&fresh.velocity, values + 3 * count + 3 * i, 3 * sizeof(float));
		for (int c = 0; c < MAX_CHANNELS; c++)
			memcpy(fresh.values[c], m->channels[c].initial, STORE_SLAB);
		assert_true(array_push(&m->records, fresh));
	}
	int64_t first = -1;
	check_ok(spate_store_add(m->store, count, values, moving ? values + 3 * count : NULL, fluid, &first, NULL));
	assert_int_equal(first, m->next_id);
	m->next_id += count;
	mem_free(values);
}

static void discard(model *m)
{
	uint32_t odds = 1 + draw(m, 20), count = 0;
	uint32_t *rows = mem_alloc((m->records.count + 1) * sizeof *rows);
	for (uint32_t r = 0; r < rows_of(m); r++)
		if (!m->records.data[r].dead && draw(m, odds) == 0)
			rows[count++] = r;
	for (uint32_t i = 0; i < count; i++)
		m->records.data[rows[i]].dead = 1;
	// in no order
	for (uint32_t i = count; i > 1; i--)
	{
		uint32_t j = draw(m, i), row = rows[j];
		rows[j] = rows[i - 1];
		rows[i - 1] = row;
	}
	check_ok(spate_store_remove(m->store, rows, count, NULL));
	mem_free(rows);
}

static void sort(model *m)
{
	uint32_t count = (uint32_t)m->records.count;
	uint32_t *order = mem_alloc((count + 1) * sizeof *order);
	record *moved = mem_alloc((count + 1) * sizeof *moved);
	for (uint32_t r = 0; r < count; r++)
		order[r] = r;
	// each range by itself
	for (uint32_t i = count; i > 1; i--)
	{
		uint32_t first = i > rows_of(m) ? rows_of(m) : 0, j = first + draw(m, i - first), row = order[j];
		order[j] = order[i - 1];
		order[i - 1] = row;
	}
	for (uint32_t r = 0; r < count; r++)
	{
		moved[r] = m->records.data[order[r]];
		moved[r].density = m->records.data[r].density; // a fresh field
	}
	if (count > 0)
		memcpy(m->records.data, moved, count * sizeof *moved);
	store_permute(m->store, order, m->threads);
	mem_free(order);
	mem_free(moved);
}

static void compact(model *m)
{
	size_t kept = 0;
	forget_ghosts(m);
	for (size_t r = 0; r < m->records.count; r++)
		if (!m->records.data[r].dead)
			m->records.data[kept++] = m->records.data[r];
	m->records.count = kept;
	store_compact(m->store, m->threads);
}

static void settle(model *m)
{
	store_settle(m->store, m->threads);
}

static void add_channel(model *m)
{
	int slot = (int)draw(m, MAX_CHANNELS);
	spate_type type = (spate_type)draw(m, SPATE_TYPE_COUNT);
	char initial[STORE_SLAB] = {0};
	int given = (int)draw(m, 4);
	if (given)
		draw_bytes(m, initial, spate_type_size(type));
	spate_result expected = m->channels[slot].present ? SPATE_EXISTS : SPATE_OK;
	spate_field_def def = spate_default_field_def();
	int hot = (int)draw(m, 2);
	def.name = channel_name(slot);
	def.type = type;
	def.initial = given ? initial : NULL;
	def.flags |= hot ? SPATE_FIELD_HOT : 0;
	check_result(spate_store_add_field(m->store, &def, NULL), expected);
	if (expected != SPATE_OK)
		return;
	m->channels[slot].present = 1;
	m->channels[slot].hot = hot;
	m->channels[slot].type = type;
	memcpy(m->channels[slot].initial, initial, STORE_SLAB);
	for (size_t r = 0; r < m->records.count; r++)
		memcpy(m->records.data[r].values[slot], initial, STORE_SLAB);
}

static void drop_channel(model *m)
{
	int slot = (int)draw(m, MAX_CHANNELS);
	check_result(spate_store_drop_field(m->store, channel_name(slot), NULL),
		     m->channels[slot].present ? SPATE_OK : SPATE_MISSING);
	m->channels[slot].present = 0;
}

// New values for some rows of every built-in field but the id, through the direct pointers.
static void write_fields(model *m)
{
	for (uint32_t n = draw(m, 30); n > 0 && m->records.count > 0; n--)
	{
		uint32_t r = draw(m, (uint32_t)m->records.count);
		record *old = &m->records.data[r];
		old->position.w = m->store->position[r].w = (float)draw(m, 1000);
		old->velocity.x = m->store->velocity[r].x = (float)draw(m, 1000);
		old->pressure = m->store->pressure[r] = (float)draw(m, 1000);
		old->density = m->store->density[r] = (float)draw(m, 1000);
		old->fluid = m->store->fluid[r] = (int32_t)draw(m, 1000);
	}
}

static void write_channel(model *m)
{
	int slot = (int)draw(m, MAX_CHANNELS);
	spate_type type;
	char *data = spate_store_field(m->store, channel_name(slot), &type);
	assert_int_equal(data != NULL, m->channels[slot].present);
	if (!data)
		return;
	assert_int_equal(type, m->channels[slot].type);
	size_t size = spate_type_size(type);
	for (size_t r = 0; r < m->records.count; r++)
		if (draw(m, 3) == 0)
		{
			draw_bytes(m, data + r * size, size);
			memcpy(m->records.data[r].values[slot], data + r * size, size);
		}
}

static void check_fields(const model *m, uint64_t operation)
{
	const spate_store *store = m->store;
	size_t living = 0;
	assert_int_equal(spate_store_rows(store), rows_of(m));
	assert_int_equal(store->ghosts, m->ghosts);
	for (uint32_t r = 0; r < m->records.count; r++)
	{
		const record *expected = &m->records.data[r];
#define CORE_FIELD(type, c_type, name, unit, flags, meaning)                                         \
	if (memcmp(&store->name[r], &expected->name, sizeof(c_type)) != 0)                           \
		fail_msg("operation %llu: " #name " of row %u, id %lld (expected id %lld), differs", \
			 (unsigned long long)operation, r, (long long)store->id[r], (long long)expected->id);
#include "particles/fields.def"
#undef CORE_FIELD
		int alive = r < rows_of(m) && !expected->dead;
		assert_int_equal(spate_store_is_alive(store, r), alive);
		living += (size_t)alive;
	}
	assert_int_equal(spate_store_count(store), living);
	assert_true(store_all_rows(store) <= store->capacity && store->capacity % store->capacity_step == 0);
}

// Counts the hot fields and checks that they share no memory: each has a section of a slab to itself.
static uint32_t count_hot(const spate_store *store)
{
	uint32_t hot = 0;
	for (size_t f = 0; f < store->fields.count; f++)
	{
		const store_field *a = &store->fields.data[f];
		if (!store_is_hot(a))
			continue;
		hot++;
		assert_int_equal((uintptr_t)a->data % 64, 0);
		assert_true(a->offset + a->size <= store->slabs.data[a->slab].width);
		for (size_t g = 0; g < f; g++)
		{
			const store_field *b = &store->fields.data[g];
			assert_true(!store_is_hot(b) || a->slab != b->slab || a->offset + a->size <= b->offset ||
				    b->offset + b->size <= a->offset);
		}
	}
	return hot;
}

// Without settling, so that channels may lag behind over many operations.
static void check_channels(const model *m, uint64_t operation)
{
	uint32_t present = 0;
	for (int slot = 0; slot < MAX_CHANNELS; slot++)
	{
		const store_field *channel = store_find(m->store, channel_name(slot));
		assert_int_equal(channel != NULL, m->channels[slot].present);
		if (!channel)
			continue;
		present++;
		assert_int_equal(channel->type, m->channels[slot].type);
		assert_int_equal(store_is_hot(channel), m->channels[slot].hot);
		size_t size = spate_type_size(channel->type);
		for (uint32_t r = 0; r < m->records.count; r++)
		{
			const char *value = channel->data + (store_is_hot(channel) ? r : m->store->home[r]) * size;
			if (memcmp(value, m->records.data[r].values[slot], size) != 0)
				fail_msg("operation %llu: channel %s of row %u, id %lld, home %u, differs",
					 (unsigned long long)operation, channel->name, r,
					 (long long)m->records.data[r].id, m->store->home[r]);
		}
	}
	assert_int_equal(spate_store_field_count(m->store), STORE_CORE_FIELDS + present);
	assert_int_equal(m->store->cold_fields + count_hot(m->store), STORE_CORE_FIELDS + present);
}

static void run(uint64_t seed, uint32_t step, uint32_t largest, uint64_t operations)
{
	// sorts most often, as in life, so that the channels also settle by themselves
	static void (*const choices[])(model *) = {
	    add,          add,          add,          discard,       discard,    sort,       sort,        sort,
	    sort,         sort,         sort,         sort,          compact,    settle,     add_channel, add_channel,
	    drop_channel, write_fields, write_fields, write_channel, add_ghosts, drop_ghosts};
	model m = {.random = seed * 0x9e3779b97f4a7c15u + 1, .largest = largest, .threads = 1 + (int)(seed % 2)};
	check_ok(spate_store_create(&m.store, step, NULL));
	for (uint64_t n = 0; n < operations; n++)
	{
		// phases of hundreds of operations in which hardly anything but sorting and adding happens
		uint32_t choice = draw(&m, n / 200 % 3 == 2 ? 12 : sizeof choices / sizeof *choices);
		choices[choice](&m);
		check_fields(&m, n);
		check_channels(&m, n);
		if (m.records.count + largest / 8 > largest && draw(&m, 10) == 0)
		{
			discard(&m);
			compact(&m);
		}
	}
	for (int slot = 0; slot < MAX_CHANNELS; slot++)
		spate_store_drop_field(m.store, channel_name(slot), NULL);
	for (uint32_t r = 0; r < store_all_rows(m.store); r++)
		assert_int_equal(m.store->home[r], r);
	array_free(&m.records);
	spate_store_destroy(m.store);
	assert_int_equal(mem_get_stats().blocks, 0);
}

static void small_stores(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++)
		run(seed, 1 + (uint32_t)(seed * 19), 500, 3000);
}

// More than one block of a parallel loop.
static void large_stores(void **state)
{
	(void)state;
	for (uint64_t seed = 100; seed < 102; seed++)
		run(seed, 1000, 20000, 150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(small_stores),
	    cmocka_unit_test(large_stores),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
