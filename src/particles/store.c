// Life cycle of the particle store: creating, adding, removing, counting, restoring, ghosts.
#include "particles/store.h"

#include "base/error.h"
#include "base/parallel.h"

#include <string.h>

enum
{
	DEFAULT_STEP = 65536 // rows
};

spate_result spate_store_create(spate_store **store, uint32_t capacity_step, spate_error *error)
{
	if (!store)
		return error_set(error, SPATE_INVALID, "creating a store needs a pointer to it");
	if (capacity_step > STORE_MAX_ROWS)
		return error_set(error, SPATE_INVALID, "a capacity step of %u rows is above the limit of %u",
				 capacity_step, STORE_MAX_ROWS);

	spate_store *made = mem_calloc(1, sizeof *made);
	if (!made)
		return error_memory(error, sizeof *made);
	made->capacity_step = capacity_step > 0 ? capacity_step : DEFAULT_STEP;
	made->threads = parallel_default_threads();
	// even an empty store has arrays, because other modules keep a dummy record behind the last row
	made->capacity = made->capacity_step;
	spate_result result = store_add_fields(made, field_core, error);
	if (result == SPATE_OK)
		*store = made;
	else
		spate_store_destroy(made);
	return result;
}

void spate_store_destroy(spate_store *store)
{
	if (!store)
		return;
	store_free_arrays(store);
	mem_free(store);
}

// Makes room for a total of `rows` rows. Grows by an eighth at least, so that filling a store in small portions copies
// each row a bounded number of times.
static spate_result reserve(spate_store *store, uint32_t rows, spate_error *error)
{
	if (rows <= store->capacity)
		return SPATE_OK;
	uint64_t want = (uint64_t)store->capacity + store->capacity / 8;
	if (want < rows)
		want = rows;
	uint64_t capacity = (want + store->capacity_step - 1) / store->capacity_step * store->capacity_step;
	if (capacity > STORE_MAX_ROWS)
		capacity = STORE_MAX_ROWS;
	if (!store_resize(store, (uint32_t)capacity, store->threads))
		return error_memory(error, store_bytes_for(store, (uint32_t)capacity));
	return SPATE_OK;
}

// What new rows start with; `positions` is NULL for rows that a loader fills in.
typedef struct arrival
{
	spate_store *store;
	uint32_t first;
	const float *positions, *velocities;
	int32_t fluid;
	int64_t first_id;
} arrival;

static void arrive_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const arrival *a = context;
	spate_store *store = a->store;
	for (size_t i = begin; i < end; i++)
	{
		size_t r = a->first + i;
		store->home[r] = (uint32_t)r;
		store->dead[r] = 0;
		if (!a->positions)
			continue;
		const float *p = a->positions + 3 * i;
		store->id[r] = a->first_id + (int64_t)i;
		store->position[r] = (vec4){p[0], p[1], p[2], 0.0f};
		store->fluid[r] = a->fluid;
		if (a->velocities)
		{
			const float *v = a->velocities + 3 * i;
			store->velocity[r] = (vec4){v[0], v[1], v[2], 0.0f};
		}
	}
}

// Fills in the rows; they belong to no range yet.
static void arrive(const arrival *a, uint32_t count)
{
	const spate_store *store = a->store;
	for (size_t f = 0; f < store->fields.count; f++)
		store_fill_field(&store->fields.data[f], a->first, count, store->threads);
	parallel_for(store->threads, count, PARALLEL_BLOCK, arrive_block, (void *)a);
}

// Fails if a component of the `count` triples is not finite, and names the first such triple.
static spate_result check_finite(const float *triples, uint32_t count, const char *what, spate_error *error)
{
	for (size_t i = 0; i < count; i++)
	{
		const float *t = triples + 3 * i;
		if (!vec3_is_finite(vec3_make(t[0], t[1], t[2])))
			return error_set(error, SPATE_INVALID, "%s %zu is (%g, %g, %g), which is not finite", what, i,
					 (double)t[0], (double)t[1], (double)t[2]);
	}
	return SPATE_OK;
}

static spate_result check_arrival(const spate_store *store, uint32_t count, const float *positions,
				  const float *velocities, int32_t fluid, spate_error *error)
{
	if (!store)
		return error_set(error, SPATE_INVALID, "adding particles needs a store");
	if (count > 0 && !positions)
		return error_set(error, SPATE_INVALID, "adding %u particles needs their positions", count);
	if (fluid < 0)
		return error_set(error, SPATE_INVALID, "the fluid's index is %d, it must not be negative", fluid);
	if (count > STORE_MAX_ROWS - store->rows)
		return error_set(error, SPATE_INVALID, "a store holds at most %u rows, %u and %u more are too many",
				 STORE_MAX_ROWS, store->rows, count);
	if ((int64_t)count > INT64_MAX - store->next_id)
		return error_set(error, SPATE_INVALID, "there are no ids left for %u more particles", count);
	spate_result result = check_finite(positions, count, "position", error);
	if (result == SPATE_OK && velocities)
		result = check_finite(velocities, count, "velocity", error);
	return result;
}

spate_result spate_store_add(spate_store *store, uint32_t count, const float *positions, const float *velocities,
			     int32_t fluid, int64_t *first_id, spate_error *error)
{
	spate_result result = check_arrival(store, count, positions, velocities, fluid, error);
	if (result != SPATE_OK)
		return result;
	if ((result = reserve(store, store->rows + count, error)) != SPATE_OK)
		return result;

	store_drop_ghosts(store);
	arrival a = {.store = store,
		     .first = store->rows,
		     .positions = positions,
		     .velocities = velocities,
		     .fluid = fluid,
		     .first_id = store->next_id};
	arrive(&a, count);
	store->rows += count;
	if (first_id)
		*first_id = store->next_id;
	store->next_id += count;
	return SPATE_OK;
}

spate_result spate_store_remove(spate_store *store, const uint32_t *rows, uint32_t count, spate_error *error)
{
	enum
	{
		ALIVE,
		DEAD,
		LISTED // by this call
	};
	if (!store || (count > 0 && !rows))
		return error_set(error, SPATE_INVALID, "removing particles needs a store and a list of rows");

	uint32_t listed = 0;
	while (listed < count && rows[listed] < store->rows && store->dead[rows[listed]] == ALIVE)
		store->dead[rows[listed++]] = LISTED;

	// on a bad row, undo the marks set before it
	if (listed < count)
	{
		uint32_t row = rows[listed];
		int mark = row < store->rows ? store->dead[row] : ALIVE;
		for (uint32_t i = 0; i < listed; i++)
			store->dead[rows[i]] = ALIVE;
		if (row >= store->rows)
			return error_set(error, SPATE_INVALID, "row %u cannot be removed, there are %u rows", row,
					 store->rows);
		return error_set(error, SPATE_INVALID, "row %u %s", row,
				 mark == LISTED ? "is listed twice for removal" : "has already been removed");
	}
	for (uint32_t i = 0; i < count; i++)
		store->dead[rows[i]] = DEAD;
	store->removed += count;
	return SPATE_OK;
}

spate_result spate_store_compact(spate_store *store, spate_error *error)
{
	if (!store)
		return error_set(error, SPATE_INVALID, "compacting needs a store");
	store_compact(store, store->threads);
	return SPATE_OK;
}

uint32_t spate_store_count(const spate_store *store)
{
	return store ? store->rows - store->removed : 0;
}

uint32_t spate_store_rows(const spate_store *store)
{
	return store ? store->rows : 0;
}

uint32_t spate_store_capacity(const spate_store *store)
{
	return store ? store->capacity : 0;
}

size_t spate_store_bytes(const spate_store *store)
{
	return store ? store_bytes_for(store, store->capacity) : 0;
}

int spate_store_is_alive(const spate_store *store, uint32_t row)
{
	return store && row < store->rows && !store->dead[row];
}

spate_result store_restore_begin(spate_store *store, uint32_t rows, int64_t next_id, spate_error *error)
{
	if (rows > STORE_MAX_ROWS)
		return error_set(error, SPATE_INVALID, "a store holds at most %u rows, %u are too many", STORE_MAX_ROWS,
				 rows);
	if (next_id < (int64_t)rows)
		return error_set(error, SPATE_INVALID, "%u particles cannot have come before id %lld", rows,
				 (long long)next_id);
	spate_result result = reserve(store, rows, error);
	if (result != SPATE_OK)
		return result;

	arrival a = {.store = store};
	arrive(&a, rows);
	store->rows = rows;
	store->removed = store->ghosts = 0;
	store->unsettled = 0;
	store->reordered++;
	store->next_id = next_id;
	return SPATE_OK;
}

spate_result store_add_ghosts(spate_store *store, uint32_t count, spate_error *error)
{
	uint32_t first = store_all_rows(store);
	if (count > STORE_MAX_ROWS - first)
		return error_set(error, SPATE_INVALID,
				 "a store holds at most %u rows, %u and %u ghosts more are too many", STORE_MAX_ROWS,
				 first, count);
	spate_result result = reserve(store, first + count, error);
	if (result != SPATE_OK)
		return result;
	arrival a = {.store = store, .first = first};
	arrive(&a, count);
	store->ghosts += count;
	return SPATE_OK;
}

void store_drop_ghosts(spate_store *store)
{
	store->ghosts = 0;
}

void store_take_back(spate_store *store, uint32_t rows, int64_t next_id)
{
	store->rows = rows;
	store->next_id = next_id;
}
