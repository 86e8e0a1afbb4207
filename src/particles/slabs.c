// The store's memory: which slab a field lives in, and growing and shrinking all arrays together.
#include "base/parallel.h"
#include "particles/store.h"

#include <string.h>

const store_field store_fields[STORE_FIELDS] = {
#define FIELD(type_, c_type, name_, saved_) \
	{.name = #name_, .type = SPATE_##type_, .size = sizeof(c_type), .saved = saved_},
#include "particles/fields.def"
#undef FIELD
};

enum
{
#define X(name, c_type, components) SIZE_##name = (components) * sizeof(c_type),
	SPATE_TYPE_MAP(X)
#undef X
};

#define FIELD(type, c_type, name, saved)                                                                    \
	_Static_assert(sizeof(c_type) == SIZE_##type, "the type of field " #name " and its C type differ"); \
	_Static_assert(sizeof(c_type) <= STORE_SLAB, "field " #name " is wider than a slab");
#include "particles/fields.def"
#undef FIELD

size_t store_stride(uint32_t capacity)
{
	// whole cache lines even for one byte per row
	return ((size_t)capacity + STORE_SLACK + 63) & ~(size_t)63;
}

// First fit: there are few fields, and narrow ones fill the space that wide ones leave in a slab.
void store_pack_fields(spate_store *store)
{
	uint8_t *used = store->widths;
	memset(used, 0, sizeof store->widths);
	store->slab_count = 0;
	for (uint32_t f = 0; f < STORE_FIELDS; f++)
	{
		uint32_t s = 0;
		while (used[s] + store_fields[f].size > STORE_SLAB)
			s++;
		store->places[f].slab = (uint8_t)s;
		store->places[f].offset = (uint8_t)used[s];
		used[s] = (uint8_t)(used[s] + store_fields[f].size);
		if (store->slab_count < s + 1)
			store->slab_count = s + 1;
	}
}

char *store_field_data(const spate_store *store, uint32_t field)
{
	return store->slabs[store->places[field].slab] + store->places[field].offset * store_stride(store->capacity);
}

void store_place_fields(spate_store *store)
{
#define FIELD(type, c_type, name, saved) store->name = (c_type *)(void *)store_field_data(store, STORE_FIELD_##name);
#include "particles/fields.def"
#undef FIELD
}

size_t store_bytes_for(const spate_store *store, uint32_t capacity)
{
	size_t width = STORE_SLAB + sizeof *store->home + sizeof *store->dead; // the spare slab is the first
	for (uint32_t s = 0; s < store->slab_count; s++)
		width += store->widths[s];
	for (size_t c = 0; c < store->channels.count; c++)
		width += spate_type_size(store->channels.data[c].type);
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

// Allocates all arrays of `fresh` for its capacity, those of channels as `resized`; all or nothing.
static int allocate(spate_store *fresh)
{
	size_t stride = store_stride(fresh->capacity);
	int ok = 1;
	for (uint32_t s = 0; s < fresh->slab_count; s++)
		ok &= (fresh->slabs[s] = mem_alloc(stride * fresh->widths[s])) != NULL;
	ok &= (fresh->spare = mem_alloc(stride * STORE_SLAB)) != NULL;
	ok &= (fresh->home = mem_alloc(stride * sizeof *fresh->home)) != NULL;
	ok &= (fresh->dead = mem_alloc(stride * sizeof *fresh->dead)) != NULL;
	for (size_t c = 0; c < fresh->channels.count; c++)
	{
		store_channel *channel = &fresh->channels.data[c];
		ok &= (channel->resized = mem_alloc(stride * spate_type_size(channel->type))) != NULL;
	}
	if (ok)
		return 1;
	for (size_t c = 0; c < fresh->channels.count; c++)
		mem_free(fresh->channels.data[c].resized);
	for (uint32_t s = 0; s < fresh->slab_count; s++)
		mem_free(fresh->slabs[s]);
	mem_free(fresh->spare);
	mem_free(fresh->home);
	mem_free(fresh->dead);
	return 0;
}

// Everything is allocated before anything is copied, so that failing changes nothing. Memory that has not been touched
// costs no pages, and each array is given back as soon as it is copied: the peak is one slab above the larger size.
int store_resize(spate_store *store, uint32_t capacity, int threads)
{
	spate_store fresh = *store;
	fresh.capacity = capacity;
	if (!allocate(&fresh))
		return 0;

	store_place_fields(&fresh);
	mem_free(store->spare);
	for (uint32_t s = 0; s < store->slab_count; s++)
	{
		for (uint32_t f = 0; f < STORE_FIELDS && store->rows > 0; f++)
			if (store->places[f].slab == s)
				store_copy(store_field_data(&fresh, f), store_field_data(store, f),
					   (size_t)store->rows * store_fields[f].size, threads);
		mem_free(store->slabs[s]);
	}
	for (size_t c = 0; c < store->channels.count; c++)
	{
		store_channel *channel = &store->channels.data[c];
		store_copy(channel->resized, channel->data, store->rows * spate_type_size(channel->type), threads);
		mem_free(channel->data);
		channel->data = channel->resized;
	}
	store_copy((char *)fresh.home, (char *)store->home, store->rows * sizeof *store->home, threads);
	store_copy((char *)fresh.dead, (char *)store->dead, store->rows * sizeof *store->dead, threads);
	mem_free(store->home);
	mem_free(store->dead);
	*store = fresh;
	return 1;
}

void store_free_arrays(spate_store *store)
{
	for (uint32_t s = 0; s < store->slab_count; s++)
		mem_free(store->slabs[s]);
	mem_free(store->spare);
	mem_free(store->home);
	mem_free(store->dead);
	for (size_t c = 0; c < store->channels.count; c++)
		mem_free(store->channels.data[c].data);
	array_free(&store->channels);
}
