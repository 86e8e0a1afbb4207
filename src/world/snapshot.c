#include "world/snapshot.h"

#include "base/error.h"
#include "base/parallel.h"

#include <stdio.h>

// A field without particles still has an address.
static size_t field_bytes(const spate_snapshot *s, spate_type type)
{
	return mem_product(s->header.rows, spate_type_size(type)) + 1;
}

static state_part *new_part(spate_snapshot *s, const char *name)
{
	if (!array_push(&s->parts, (state_part){0}))
		return NULL;
	state_part *part = &s->parts.data[s->parts.count - 1];
	snprintf(part->name, sizeof part->name, "%s", name);
	return part;
}

int snapshot_add_part(spate_snapshot *s, const char *name, const void *data, size_t size)
{
	byte_writer bytes = {0};
	state_part *part = new_part(s, name);
	bytes_put(&bytes, data, size);
	if (part)
	{
		part->data = bytes.bytes.data;
		part->size = bytes.bytes.count;
	}
	else
		array_free(&bytes.bytes);
	return part && bytes.missing == 0;
}

static int new_field(spate_snapshot *s, const store_column *c)
{
	snapshot_field field = {.type = c->type, .data = c->data, .stride = c->stride};
	snprintf(field.name, sizeof field.name, "%s", c->name);
	return array_push(&s->fields, field);
}

void *snapshot_add_field(spate_snapshot *s, const char *name, spate_type type)
{
	store_column c = {name, type, mem_alloc(field_bytes(s, type)), spate_type_size(type)};
	if (!c.data || !new_field(s, &c))
	{
		mem_free(c.data);
		return NULL;
	}
	return c.data;
}

typedef struct copy_task
{
	char *to;
	const char *from;
	size_t to_stride, from_stride, size;
} copy_task;

static void copy_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const copy_task *t = context;
	for (size_t row = begin; row < end; row++)
		memcpy(t->to + row * t->to_stride, t->from + row * t->from_stride, t->size);
}

void snapshot_free(spate_snapshot *s)
{
	for (size_t p = 0; p < s->parts.count; p++)
		mem_free((void *)(uintptr_t)s->parts.data[p].data);
	for (size_t f = 0; f < s->fields.count && !s->borrowed; f++)
		mem_free(s->fields.data[f].data);
	array_free(&s->parts);
	array_free(&s->fields);
}

void spate_snapshot_destroy(spate_snapshot *s)
{
	if (s)
		snapshot_free(s);
	mem_free(s);
}

// ------------------------------------------------------------------------------------------------------------ taking

static spate_result save_parts(spate_snapshot *s, const spate_world *w, spate_error *error)
{
	state_section section;
	for (uint32_t n = 0; (section = state_nth(w, n)).name; n++)
	{
		byte_writer bytes = {0};
		state_part *part = new_part(s, section.name);
		if (part)
			state_save(w, &section, &bytes);
		if (!part || bytes.missing > 0)
		{
			array_free(&bytes.bytes);
			return error_memory(error, bytes.missing + sizeof *part);
		}
		part->data = bytes.bytes.data;
		part->size = bytes.bytes.count;
	}
	return SPATE_OK;
}

static spate_result check_idle(const spate_world *w, spate_error *error)
{
	if (!w->stepping)
		return SPATE_OK;
	return error_set(error, SPATE_BUSY, "snapshots are taken and restored between substeps, not inside one");
}

spate_result snapshot_view(spate_snapshot *s, spate_world *w, spate_error *error)
{
	*s = (spate_snapshot){.borrowed = 1};
	spate_result result = check_idle(w, error);
	if (result == SPATE_OK)
		result = world_check_usable(w, error);
	if (result != SPATE_OK)
		return result;
	s->header = state_begin(w);
	s->threads = w->model.threads;
	const store_field *field;
	for (uint32_t n = 0; (field = store_nth(w->state.store, n, SPATE_FIELD_SAVED)); n++)
	{
		store_column c = store_column_of(w->state.store, field);
		if (!new_field(s, &c))
			return error_memory(error, sizeof(snapshot_field));
	}
	return save_parts(s, w, error);
}

// Replaces pointers into the world by copies.
static spate_result copy_fields(spate_snapshot *s, spate_error *error)
{
	size_t done = 0;
	for (; done < s->fields.count; done++)
	{
		snapshot_field *field = &s->fields.data[done];
		size_t size = spate_type_size(field->type);
		void *copy = mem_alloc(field_bytes(s, field->type));
		if (!copy)
			break;
		copy_task t = {copy, field->data, size, field->stride, size};
		parallel_for(s->threads, s->header.rows, PARALLEL_BLOCK, copy_rows, &t);
		field->data = copy;
		field->stride = size;
	}
	size_t missing = done < s->fields.count ? field_bytes(s, s->fields.data[done].type) : 0;
	s->fields.count = done;
	s->borrowed = 0;
	return missing ? error_memory(error, missing) : SPATE_OK;
}

spate_result spate_snapshot_take(spate_snapshot **snapshot, spate_world *w, spate_error *error)
{
	if (!snapshot || !w)
		return error_set(error, SPATE_INVALID,
				 "spate_snapshot_take needs a pointer to the snapshot and a world, not NULL");
	*snapshot = NULL;
	spate_snapshot *s = mem_calloc(1, sizeof *s);
	if (!s)
		return error_memory(error, sizeof *s);
	spate_result result = snapshot_view(s, w, error);
	if (result == SPATE_OK)
		result = copy_fields(s, error);
	if (result == SPATE_OK)
		*snapshot = s;
	else
		spate_snapshot_destroy(s);
	return result;
}

// --------------------------------------------------------------------------------------------------------- restoring

static int nth_field(void *context, uint32_t n, const char **name, spate_type *type)
{
	const spate_snapshot *s = context;
	if (n >= s->fields.count)
		return 0;
	*name = s->fields.data[n].name;
	*type = s->fields.data[n].type;
	return 1;
}

static spate_result copy_field(void *context, const store_column *to, spate_error *error)
{
	const spate_snapshot *s = context;
	size_t f = 0, size = spate_type_size(to->type);
	while (f < s->fields.count && strcmp(s->fields.data[f].name, to->name) != 0)
		f++;
	if (f == s->fields.count)
		return error_set(error, SPATE_MISSING, "there is no field '%s'", to->name);
	copy_task t = {to->data, s->fields.data[f].data, to->stride, s->fields.data[f].stride, size};
	parallel_for(s->threads, s->header.rows, PARALLEL_BLOCK, copy_rows, &t);
	return SPATE_OK;
}

spate_result spate_snapshot_restore(spate_world *w, const spate_snapshot *s, spate_error *error)
{
	if (!w || !s)
		return error_set(error, SPATE_INVALID, "spate_snapshot_restore needs a world and a snapshot, not NULL");
	state_source from = {.header = s->header,
			     .parts = s->parts.data,
			     .part_count = (uint32_t)s->parts.count,
			     .field = nth_field,
			     .copy = copy_field,
			     .context = (void *)(uintptr_t)s};
	spate_result result = check_idle(w, error);
	return result == SPATE_OK ? state_load(w, &from, error) : result;
}

// ----------------------------------------------------------------------------------------------------------- reading

uint32_t spate_snapshot_frame(const spate_snapshot *s)
{
	return s ? s->header.frame : 0;
}

double spate_snapshot_time(const spate_snapshot *s)
{
	return s ? s->header.time : 0.0;
}

uint64_t spate_snapshot_particles(const spate_snapshot *s)
{
	return s ? s->header.rows : 0;
}

size_t spate_snapshot_bytes(const spate_snapshot *s)
{
	size_t bytes = 0;
	for (size_t p = 0; s && p < s->parts.count; p++)
		bytes += s->parts.data[p].size;
	for (size_t f = 0; s && f < s->fields.count; f++)
		bytes += field_bytes(s, s->fields.data[f].type);
	return bytes;
}
