// The fields of a store: adding, dropping, finding and listing them.
#include "base/error.h"
#include "base/parallel.h"
#include "particles/store.h"

#include <string.h>

store_field *store_find(const spate_store *store, const char *name)
{
	for (size_t f = 0; f < store->fields.count; f++)
		if (strcmp(store->fields.data[f].name, name) == 0)
			return &store->fields.data[f];
	return NULL;
}

store_field *store_nth(const spate_store *store, uint32_t n, uint32_t flags)
{
	for (size_t f = 0; f < store->fields.count; f++)
		if ((store->fields.data[f].flags & flags) == flags && n-- == 0)
			return &store->fields.data[f];
	return NULL;
}

store_column store_column_of(spate_store *store, const store_field *field)
{
	if (!store_is_hot(field))
		store_settle(store, store->threads);
	int padded = (field->flags & SPATE_FIELD_PADDED) != 0;
	return (store_column){field->name, padded ? SPATE_VEC3 : field->type, field->data, field->size};
}

// -------------------------------------------------------------------------------------------------------------- adding

typedef struct fill
{
	const store_field *field;
	uint32_t first;
	int zero;
} fill;

static void fill_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const fill *f = context;
	size_t size = f->field->size;
	char *to = f->field->data + (f->first + begin) * size;
	if (f->zero)
		memset(to, 0, (end - begin) * size);
	else
		for (size_t r = begin; r < end; r++, to += size)
			memcpy(to, f->field->initial, size);
}

void store_fill_field(const store_field *field, uint32_t first, uint32_t count, int threads)
{
	static const char zeros[STORE_SLAB] = {0};
	fill f = {field, first, memcmp(field->initial, zeros, sizeof zeros) == 0};
	parallel_for(threads, count, PARALLEL_BLOCK, fill_block, &f);
}

static store_field make_field(const spate_field_def *def, int built_in)
{
	store_field made = {
	    .type = def->type, .size = (uint32_t)spate_type_size(def->type), .flags = def->flags, .built_in = built_in};
	memcpy(made.name, def->name, strlen(def->name));
	if (def->unit)
		memcpy(made.unit, def->unit, strlen(def->unit));
	if (def->meaning)
		memcpy(made.meaning, def->meaning, strlen(def->meaning));
	if (def->initial)
		memcpy(made.initial, def->initial, made.size);
	return made;
}

static spate_result describe_field(spate_store *store, const spate_field_def *def, int built_in, spate_error *error)
{
	spate_result result = field_def_check(def, error);
	if (result != SPATE_OK)
		return result;
	const store_field *other = store_find(store, def->name);
	if (other)
		return error_set(error, SPATE_EXISTS,
				 other->built_in ? "'%s' is a built-in field, another one needs another name"
						 : "field '%s' already exists",
				 def->name);
	if (!array_push(&store->fields, make_field(def, built_in)))
		return error_memory(error, sizeof(store_field));
	return SPATE_OK;
}

// Allocates cold fields from index `first` on; all or nothing.
static int allocate_cold(spate_store *store, size_t first)
{
	size_t stride = store_stride(store->capacity), last = first;
	while (last < store->fields.count &&
	       (store->fields.data[last].data = mem_alloc(stride * store->fields.data[last].size)))
		last++;
	for (size_t f = first; f < last; f++)
		if (last == store->fields.count)
			// all values are equal, so unsettled rows read the right one wherever their home is
			store_fill_field(&store->fields.data[f], 0, store_all_rows(store), store->threads);
		else
			mem_free(store->fields.data[f].data);
	return last == store->fields.count;
}

// Hot fields need the slabs packed anew, cold ones only arrays of their own.
static spate_result add_fields(spate_store *store, field_table table, int built_in, spate_error *error)
{
	size_t before = store->fields.count, bytes = 0;
	uint32_t hot = 0;
	spate_result result = SPATE_OK;
	for (uint32_t f = 0; f < table.count && result == SPATE_OK; f++)
	{
		result = describe_field(store, &table.fields[f], built_in, error);
		hot += (table.fields[f].flags & SPATE_FIELD_HOT) != 0;
		bytes += store_stride(store->capacity) * spate_type_size(table.fields[f].type);
	}
	if (result == SPATE_OK &&
	    !(hot ? store_resize(store, store->capacity, store->threads) : allocate_cold(store, before)))
		result = error_memory(error, bytes);
	if (result == SPATE_OK)
		store->cold_fields += table.count - hot;
	else
		store->fields.count = before;
	return result;
}

static void drop_field(spate_store *store, store_field *field)
{
	// the place of a hot field in its slab stays empty until the next resize
	if (!store_is_hot(field))
	{
		mem_free(field->data);
		store->cold_fields--;
	}
	size_t behind = store->fields.count - (size_t)(field - store->fields.data) - 1;
	memmove(field, field + 1, behind * sizeof *field);
	store->fields.count--;
	// without cold fields, homes need not be tracked
	if (store->cold_fields == 0)
		store_settle(store, store->threads);
}

spate_result store_add_fields(spate_store *store, field_table table, spate_error *error)
{
	return add_fields(store, table, 1, error);
}

spate_result spate_store_add_field(spate_store *store, const spate_field_def *def, spate_error *error)
{
	if (!store || !def || !def->name)
		return error_set(error, SPATE_INVALID, "adding a field needs a store and a name");
	return add_fields(store, (field_table){def, 1}, 0, error);
}

spate_result spate_store_add_channel(spate_store *store, const char *name, spate_type type, const void *initial,
				     spate_error *error)
{
	spate_field_def def = spate_default_field_def();
	def.name = name;
	def.type = type;
	def.initial = initial;
	return spate_store_add_field(store, &def, error);
}

spate_result spate_store_drop_field(spate_store *store, const char *name, spate_error *error)
{
	if (!store || !name)
		return error_set(error, SPATE_INVALID, "dropping a field needs a store and a name");
	store_field *field = store_find(store, name);
	if (!field)
		return error_set(error, SPATE_MISSING, "field '%.80s' does not exist", name);
	if (field->built_in)
		return error_set(error, SPATE_INVALID, "'%s' is a built-in field and cannot be dropped", name);
	drop_field(store, field);
	return SPATE_OK;
}

// ------------------------------------------------------------------------------------------------------------- reading

uint32_t spate_store_field_count(const spate_store *store)
{
	return store ? (uint32_t)store->fields.count : 0;
}

spate_result spate_store_field_at(const spate_store *store, uint32_t n, spate_field_def *out)
{
	if (!store || !out || n >= store->fields.count)
		return SPATE_MISSING;
	const store_field *f = &store->fields.data[n];
	*out = (spate_field_def){f->name, f->type, f->unit, f->meaning, f->flags, f->initial};
	return SPATE_OK;
}

void *spate_store_field(spate_store *store, const char *name, spate_type *type)
{
	const store_field *field = store && name ? store_find(store, name) : NULL;
	if (!field)
		return NULL;
	if (type)
		*type = field->type;
	if (!store_is_hot(field))
		store_settle(store, store->threads);
	return field->data;
}
