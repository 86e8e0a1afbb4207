// Moving rows: sorting, settling the cold fields, compaction. All three are one operation, a gather of whole blocks
// of rows into the spare slab; none of them needs memory.
#include "base/parallel.h"
#include "particles/store.h"

#include <assert.h>
#include <string.h>

// Arrays that are gathered by the same order in one pass, so that a block of the order is read from the cache.
typedef struct gather
{
	const uint32_t *order;
	uint32_t count;
	struct
	{
		char *to, *from;
		size_t size;
	} parts[STORE_SLAB / 4]; // a slab has no more of the narrowest fields
} gather;

static void add_part(gather *g, char *to, char *from, size_t size)
{
	g->parts[g->count].to = to;
	g->parts[g->count].from = from;
	g->parts[g->count].size = size;
	g->count++;
}

static void gather_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const gather *g = context;
	const uint32_t *order = g->order;
	for (uint32_t p = 0; p < g->count; p++)
	{
		char *to = g->parts[p].to;
		const char *from = g->parts[p].from;
		switch (g->parts[p].size)
		{
// a copy of constant size is one or two instructions
#define CASE(size)                                                                   \
	case size:                                                                   \
		for (size_t r = begin; r < end; r++)                                 \
			memcpy(to + r * size, from + order[r] * (size_t)size, size); \
		break;
			CASE(1)
			CASE(4)
			CASE(8)
			CASE(12)
			CASE(16)
#undef CASE
		default:
			assert(!"a type of a width that nobody gathers");
		}
	}
}

// New value r of an array outside the slabs is its old value order[r].
static void gather_array(spate_store *store, void *array, size_t size, const uint32_t *order, uint32_t rows,
			 int threads)
{
	gather g = {.order = order};
	add_part(&g, store->spare, array, size);
	parallel_for(threads, rows, PARALLEL_BLOCK, gather_block, &g);
	store_copy(array, store->spare, rows * size, threads);
}

// Exchanges a gathered slab with the spare one, or copies it back if the spare one is wider.
static void take_slab(spate_store *store, store_slab *slab, const gather *g, uint32_t rows, int threads)
{
	if (slab->width == STORE_SLAB)
	{
		char *filled = store->spare;
		store->spare = slab->data;
		slab->data = filled;
		return;
	}
	for (uint32_t p = 0; p < g->count; p++)
		store_copy(g->parts[p].from, g->parts[p].to, rows * g->parts[p].size, threads);
}

// The first `rows` rows of all hot fields become those that `order` names; those of fresh ones only if the step has written them.
static void gather_slabs(spate_store *store, const uint32_t *order, uint32_t rows, int fresh, int threads)
{
	size_t stride = store_stride(store->capacity);
	for (uint32_t s = 0; s < store->slabs.count; s++)
	{
		if (store->slabs.data[s].fresh && !fresh)
			continue;
		gather g = {.order = order};
		for (size_t f = 0; f < store->fields.count; f++)
		{
			const store_field *field = &store->fields.data[f];
			if (store_is_hot(field) && field->slab == s)
				add_part(&g, store->spare + field->offset * stride, field->data, field->size);
		}
		parallel_for(threads, rows, PARALLEL_BLOCK, gather_block, &g);
		take_slab(store, &store->slabs.data[s], &g, rows, threads);
	}
	store_place_fields(store);
}

static void gather_cold(spate_store *store, const uint32_t *order, uint32_t rows, int threads)
{
	for (size_t f = 0; f < store->fields.count; f++)
	{
		const store_field *field = &store->fields.data[f];
		if (!store_is_hot(field))
			gather_array(store, field->data, field->size, order, rows, threads);
	}
}

static void stay_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	uint32_t *home = context;
	for (size_t r = begin; r < end; r++)
		home[r] = (uint32_t)r;
}

void store_permute(spate_store *store, const uint32_t *order, int threads)
{
	uint32_t rows = store_all_rows(store);
	store->reordered++;
	assert(order || rows == 0);
	gather_slabs(store, order, rows, 0, threads);
	if (store->removed > 0)
		gather_array(store, store->dead, sizeof *store->dead, order, rows, threads);

	// without cold fields nothing has to be settled later
	if (store->cold_fields > 0)
	{
		gather_array(store, store->home, sizeof *store->home, order, rows, threads);
		if (++store->unsettled >= STORE_SETTLE_EVERY)
			store_settle(store, threads);
	}
}

void store_settle(spate_store *store, int threads)
{
	if (store->unsettled == 0)
		return;
	uint32_t rows = store_all_rows(store);
	gather_cold(store, store->home, rows, threads);
	parallel_for(threads, rows, PARALLEL_BLOCK, stay_block, store->home);
	store->unsettled = 0;
}

int store_wants_compaction(const spate_store *store)
{
	return store->removed > 0 && (uint64_t)store->removed * 8 >= store->rows;
}

static void drop_removed(spate_store *store, int threads)
{
	// a settled store does not use `home`: it holds the list of survivors meanwhile
	store_settle(store, threads);
	uint32_t kept = 0;
	for (uint32_t r = 0; r < store->rows; r++)
	{
		store->home[kept] = r;
		kept += !store->dead[r];
	}
	gather_slabs(store, store->home, kept, 1, threads);
	gather_cold(store, store->home, kept, threads);
	parallel_for(threads, kept, PARALLEL_BLOCK, stay_block, store->home);
	memset(store->dead, 0, kept);
	store->rows = kept;
	store->removed = 0;
}

void store_compact(spate_store *store, int threads)
{
	store_drop_ghosts(store);
	store->reordered += store->removed > 0;
	if (store->removed > 0)
		drop_removed(store, threads);

	// one step above what is in use, so that adding and removing around a level does not resize
	if (store->rows < store->capacity / 2)
	{
		uint64_t steps = ((uint64_t)store->rows + store->capacity_step - 1) / store->capacity_step + 1;
		if (store->rows == 0)
			steps = 1;
		uint64_t capacity = steps * store->capacity_step;
		if (capacity < store->capacity)
			store_resize(store, (uint32_t)capacity, threads);
	}
}
