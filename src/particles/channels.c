// Types, user channels, and fields by name.
#include "base/error.h"
#include "base/parallel.h"
#include "particles/store.h"

#include <string.h>

size_t spate_type_size(spate_type type)
{
	switch (type)
	{
#define X(name, c_type, components) \
	case SPATE_##name:          \
		return (components) * sizeof(c_type);
		SPATE_TYPE_MAP(X)
#undef X
	default:
		return 0;
	}
}

uint32_t spate_type_components(spate_type type)
{
	switch (type)
	{
#define X(name, c_type, components) \
	case SPATE_##name:          \
		return components;
		SPATE_TYPE_MAP(X)
#undef X
	default:
		return 0;
	}
}

const char *spate_type_name(spate_type type)
{
	static const char *const names[SPATE_TYPE_COUNT] = {
	    [SPATE_FLOAT] = "float", [SPATE_INT32] = "int32", [SPATE_INT64] = "int64",
	    [SPATE_VEC2] = "vec2",   [SPATE_VEC3] = "vec3",   [SPATE_VEC4] = "vec4",
	};
	return spate_type_size(type) > 0 ? names[type] : NULL;
}

spate_field_def spate_default_field_def(void)
{
	return (spate_field_def){.name = "",
				 .type = SPATE_FLOAT,
				 .unit = "",
				 .meaning = "",
				 .flags = SPATE_FIELD_SAVED | SPATE_FIELD_PUBLISHED};
}

// Index of a built-in field or of a channel; -1 when there is none of that name.
static int find_builtin(const char *name)
{
	for (int f = 0; f < STORE_FIELDS; f++)
		if (strcmp(store_fields[f].name, name) == 0)
			return f;
	return -1;
}

static ptrdiff_t find_channel(const spate_store *store, const char *name)
{
	for (size_t c = 0; c < store->channels.count; c++)
		if (strcmp(store->channels.data[c].name, name) == 0)
			return (ptrdiff_t)c;
	return -1;
}

// An ASCII identifier; does not depend on the locale.
static int is_identifier(const char *name)
{
	size_t length = 0;
	for (; name[length]; length++)
	{
		char c = name[length];
		int letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
		int digit = c >= '0' && c <= '9';
		if (!letter && !(digit && length > 0))
			return 0;
		if (length + 1 >= sizeof((store_channel *)0)->name)
			return 0;
	}
	return length > 0;
}

static spate_result check_channel(const spate_store *store, const char *name, spate_type type, spate_error *error)
{
	if (!store || !name)
		return error_set(error, SPATE_INVALID, "adding a channel needs a store and a name");
	if (!is_identifier(name))
		return error_set(error, SPATE_INVALID,
				 "'%.80s' is not a valid channel name: use at most 63 letters, digits and underscores, "
				 "not starting with a digit",
				 name);
	if (spate_type_size(type) == 0)
		return error_set(error, SPATE_INVALID, "channel '%s' has the unknown type %d", name, (int)type);
	if (find_builtin(name) >= 0)
		return error_set(error, SPATE_EXISTS, "'%s' is a built-in field, a channel needs another name", name);
	if (find_channel(store, name) >= 0)
		return error_set(error, SPATE_EXISTS, "channel '%s' already exists", name);
	return SPATE_OK;
}

typedef struct fill
{
	char *data;
	const char *value;
	size_t size;
} fill;

static void fill_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	fill *f = context;
	for (size_t r = begin; r < end; r++)
		memcpy(f->data + r * f->size, f->value, f->size);
}

void store_fill_channel(store_channel *channel, uint32_t first, uint32_t count, int threads)
{
	size_t size = spate_type_size(channel->type);
	fill f = {.data = channel->data + first * size, .value = channel->initial, .size = size};
	parallel_for(threads, count, PARALLEL_BLOCK, fill_block, &f);
}

spate_result spate_store_add_channel(spate_store *store, const char *name, spate_type type, const void *initial,
				     spate_error *error)
{
	spate_result result = check_channel(store, name, type, error);
	if (result != SPATE_OK)
		return result;

	store_channel channel = {.type = type};
	memcpy(channel.name, name, strlen(name));
	size_t size = spate_type_size(type), bytes = store_stride(store->capacity) * size;
	if (initial)
		memcpy(channel.initial, initial, size);
	channel.data = mem_alloc(bytes);
	if (!channel.data || !array_push(&store->channels, channel))
	{
		mem_free(channel.data);
		return error_memory(error, bytes);
	}
	// all values are equal, so unsettled rows read the right one wherever their home is
	store_fill_channel(&channel, 0, store->rows, store->threads);
	return SPATE_OK;
}

spate_result spate_store_drop_channel(spate_store *store, const char *name, spate_error *error)
{
	if (!store || !name)
		return error_set(error, SPATE_INVALID, "dropping a channel needs a store and a name");
	if (find_builtin(name) >= 0)
		return error_set(error, SPATE_INVALID, "'%s' is a built-in field and cannot be dropped", name);
	ptrdiff_t found = find_channel(store, name);
	if (found < 0)
		return error_set(error, SPATE_MISSING, "channel '%.80s' does not exist", name);

	store_channel *channel = &store->channels.data[found];
	mem_free(channel->data);
	memmove(channel, channel + 1, (store->channels.count - (size_t)found - 1) * sizeof *channel);
	store->channels.count--;
	// without channels, homes need not be tracked
	if (store->channels.count == 0)
		store_settle(store, store->threads);
	return SPATE_OK;
}

uint32_t spate_store_channel_count(const spate_store *store)
{
	return store ? (uint32_t)store->channels.count : 0;
}

const char *spate_store_channel_name(const spate_store *store, uint32_t n, spate_type *type)
{
	if (!store || n >= store->channels.count)
		return NULL;
	if (type)
		*type = store->channels.data[n].type;
	return store->channels.data[n].name;
}

void *spate_store_field(spate_store *store, const char *name, spate_type *type)
{
	if (!store || !name)
		return NULL;
	int builtin = find_builtin(name);
	ptrdiff_t channel = builtin < 0 ? find_channel(store, name) : -1;
	if (builtin < 0 && channel < 0)
		return NULL;
	if (type)
		*type = builtin >= 0 ? store_fields[builtin].type : store->channels.data[channel].type;
	if (builtin >= 0)
		return store_field_data(store, (uint32_t)builtin);
	store_settle(store, store->threads);
	return store->channels.data[channel].data;
}

int store_saved_field(spate_store *store, uint32_t n, const char **name, spate_type *type, void **data)
{
	for (uint32_t f = 0; f < STORE_FIELDS; f++)
		if (store_fields[f].saved && n-- == 0)
		{
			*name = store_fields[f].name;
			*type = store_fields[f].type;
			*data = store_field_data(store, f);
			return 1;
		}
	if (n >= store->channels.count)
		return 0;
	*name = spate_store_channel_name(store, n, type);
	*data = spate_store_field(store, *name, NULL);
	return 1;
}
