// The store's memory: which slab a field lives in, and replacing all arrays together.
#include "base/parallel.h"
#include "particles/store.h"

#include <string.h>

size_t store_stride(uint32_t capacity)
{
	// whole cache lines even for one byte per row
	return ((size_t)capacity + STORE_SLACK + 63) & ~(size_t)63;
}

void store_place_fields(spate_store *store)
{
	size_t stride = store_stride(store->capacity);
	for (size_t f = 0; f < store->fields.count; f++)
	{
		store_field *field = &store->fields.data[f];
		if (store_is_hot(field))
			field->data = store->slabs.data[field->slab].data + field->offset * stride;
	}
#define CORE_FIELD(type, c_type, name, unit, flags, meaning) \
	store->name = (c_type *)(void *)store->fields.data[STORE_FIELD_##name].data;
#include "particles/fields.def"
#undef CORE_FIELD
}

size_t store_bytes_for(const spate_store *store, uint32_t capacity)
{
	size_t width = STORE_SLAB + sizeof *store->home + sizeof *store->dead; // the spare slab is the first
	for (size_t s = 0; s < store->slabs.count; s++)
		width += store->slabs.data[s].width;
	for (size_t f = 0; f < store->fields.count; f++)
		width += store_is_hot(&store->fields.data[f]) ? 0 : store->fields.data[f].size;
	return store_stride(capacity) * width;
}

typedef struct copy
{
	char *to;
	const char *from;
} copy;

static void copy_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	copy *c = context;
	memcpy(c->to + begin, c->from + begin, end - begin);
}

void store_copy(char *to, const char *from, size_t bytes, int threads)
{
	copy c = {.to = to, .from = from};
	parallel_for(threads, bytes, 1 << 18, copy_block, &c);
}

// ------------------------------------------------------------------------------------------------------------- resizing

// Decides which slab each hot field will live in. First fit: narrow fields fill the space that wide ones leave. Returns 0 when
// out of memory.
static int pack_fields(spate_store *fresh)
{
	if (!array_reserve(&fresh->slabs, fresh->fields.count))
		return 0;
	for (size_t f = 0; f < fresh->fields.count; f++)
	{
		store_field *field = &fresh->fields.data[f];
		if (!store_is_hot(field))
			continue;
		int written_anew = (field->flags & SPATE_FIELD_FRESH) != 0;
		size_t s = 0;
		while (s < fresh->slabs.count && (fresh->slabs.data[s].width + field->size > STORE_SLAB ||
						  fresh->slabs.data[s].fresh != written_anew))
			s++;
		if (s == fresh->slabs.count)
			fresh->slabs.data[fresh->slabs.count++] = (store_slab){.fresh = written_anew};
		field->next.slab = (uint32_t)s;
		field->next.offset = fresh->slabs.data[s].width;
		fresh->slabs.data[s].width += field->size;
	}
	return 1;
}

static void free_arrays(spate_store *fresh)
{
	for (size_t s = 0; s < fresh->slabs.count; s++)
		mem_free(fresh->slabs.data[s].data);
	array_free(&fresh->slabs);
	mem_free(fresh->spare);
	mem_free(fresh->home);
	mem_free(fresh->dead);
}

// Allocates all arrays of `fresh` for its capacity and sets `next` of its fields; all or nothing.
static int allocate(spate_store *fresh)
{
	size_t stride = store_stride(fresh->capacity);
	int ok = pack_fields(fresh);
	for (size_t s = 0; s < fresh->slabs.count; s++)
		ok &= (fresh->slabs.data[s].data = mem_alloc(stride * fresh->slabs.data[s].width)) != NULL;
	ok &= (fresh->spare = mem_alloc(stride * STORE_SLAB)) != NULL;
	ok &= (fresh->home = mem_alloc(stride * sizeof *fresh->home)) != NULL;
	ok &= (fresh->dead = mem_alloc(stride * sizeof *fresh->dead)) != NULL;
	for (size_t f = 0; f < fresh->fields.count; f++)
	{
		store_field *field = &fresh->fields.data[f];
		if (!store_is_hot(field))
			ok &= (field->next.data = mem_alloc(stride * field->size)) != NULL;
		else if (ok)
			field->next.data = fresh->slabs.data[field->next.slab].data + field->next.offset * stride;
	}
	if (ok)
		return 1;
	for (size_t f = 0; f < fresh->fields.count; f++)
		if (!store_is_hot(&fresh->fields.data[f]))
			mem_free(fresh->fields.data[f].next.data);
	free_arrays(fresh);
	return 0;
}

// Copies the values of a field to its next place, or the default when it had none.
static void move_field(store_field *field, uint32_t rows, int threads)
{
	char *old = field->data;
	field->data = field->next.data;
	field->slab = field->next.slab;
	field->offset = field->next.offset;
	if (old)
		store_copy(field->data, old, (size_t)rows * field->size, threads);
	else
		store_fill_field(field, 0, rows, threads);
	if (!store_is_hot(field))
		mem_free(old);
}

// Everything is allocated before anything is copied, so that failing changes nothing. Memory that has not been touched
// costs no pages, and each array is given back as soon as it is copied: the peak is one slab above the larger size.
int store_resize(spate_store *store, uint32_t capacity, int threads)
{
	spate_store fresh = *store;
	fresh.capacity = capacity;
	memset(&fresh.slabs, 0, sizeof fresh.slabs);
	if (!allocate(&fresh))
		return 0;

	uint32_t rows = store_all_rows(store);
	mem_free(store->spare);
	store->spare = NULL;
	// slab by slab; a field that has moved is in none of the old ones
	for (size_t s = 0; s < store->slabs.count; s++)
	{
		for (size_t f = 0; f < store->fields.count; f++)
		{
			store_field *field = &store->fields.data[f];
			if (store_is_hot(field) && field->data && field->data != field->next.data && field->slab == s)
				move_field(field, rows, threads);
		}
		mem_free(store->slabs.data[s].data);
		store->slabs.data[s].data = NULL;
	}
	for (size_t f = 0; f < store->fields.count; f++)
		if (store->fields.data[f].data != store->fields.data[f].next.data)
			move_field(&store->fields.data[f], rows, threads);
	store_copy((char *)fresh.home, (char *)store->home, rows * sizeof *store->home, threads);
	store_copy((char *)fresh.dead, (char *)store->dead, rows * sizeof *store->dead, threads);
	free_arrays(store);
	*store = fresh;
	store_place_fields(store);
	return 1;
}

void store_free_arrays(spate_store *store)
{
	for (size_t f = 0; f < store->fields.count; f++)
		if (!store_is_hot(&store->fields.data[f]))
			mem_free(store->fields.data[f].data);
	array_free(&store->fields);
	free_arrays(store);
}
