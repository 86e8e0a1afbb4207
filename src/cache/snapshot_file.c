#include "cache/snapshot_file.h"

#include "base/error.h"
#include "base/hash.h"
#include "cache/checkpoint.h"
#include "world/snapshot.h"

#include <stdio.h>

#define PREFIX "state/"

typedef struct blob_name
{
	char text[sizeof PREFIX + STATE_NAME_CHARS];
} blob_name;

// A snapshot as a frame file describes it.
typedef struct file_view
{
	spate_frame_def def;
	ARRAY(spate_frame_channel_def) channels;
	ARRAY(spate_frame_blob_def) blobs;
	ARRAY(blob_name) names;
} file_view;

static void free_view(file_view *v)
{
	array_free(&v->channels);
	array_free(&v->blobs);
	array_free(&v->names);
}

static spate_result view_file(file_view *v, const spate_snapshot *s, spate_error *error)
{
	*v = (file_view){.def = spate_default_frame_def()};
	if (!array_reserve(&v->channels, s->fields.count) || !array_reserve(&v->blobs, s->parts.count) ||
	    !array_reserve(&v->names, s->parts.count))
		return error_memory(error, s->fields.count * sizeof *v->channels.data);
	for (size_t f = 0; f < s->fields.count; f++)
	{
		const snapshot_field *field = &s->fields.data[f];
		v->channels.data[f] =
		    (spate_frame_channel_def){field->name, field->type, field->data, field->stride, s->header.rows};
	}
	for (size_t p = 0; p < s->parts.count; p++)
	{
		const state_part *part = &s->parts.data[p];
		snprintf(v->names.data[p].text, sizeof v->names.data[p].text, PREFIX "%s", part->name);
		v->blobs.data[p] = (spate_frame_blob_def){v->names.data[p].text, part->data, part->size};
	}
	v->def.kind = SPATE_FRAME_CHECKPOINT;
	v->def.frame = s->header.frame;
	v->def.time = s->header.time;
	memcpy(v->def.origin, s->header.origin, sizeof v->def.origin);
	v->def.count = s->header.rows;
	v->def.threads = s->threads;
	v->def.channels = v->channels.data;
	v->def.channel_count = (uint32_t)s->fields.count;
	v->def.blobs = v->blobs.data;
	v->def.blob_count = (uint32_t)s->parts.count;
	return SPATE_OK;
}

spate_result spate_snapshot_save(const spate_snapshot *s, const char *path, spate_error *error)
{
	if (!s || !path)
		return error_set(error, SPATE_INVALID, "spate_snapshot_save needs a snapshot and a path, not NULL");
	file_view v;
	spate_result result = view_file(&v, s, error);
	if (result == SPATE_OK)
		result = spate_frame_write(path, &v.def, error);
	free_view(&v);
	return result;
}

spate_result world_write_checkpoint(spate_world *w, const char *directory, spate_error *error)
{
	spate_snapshot s;
	file_view v = {0};
	spate_result result = snapshot_view(&s, w, error);
	if (result == SPATE_OK)
		result = view_file(&v, &s, error);
	if (result == SPATE_OK)
		result = checkpoint_write(directory, &v.def, error);
	free_view(&v);
	snapshot_free(&s);
	return result;
}

// ----------------------------------------------------------------------------------------------------------- reading

static state_header header_of(const spate_frame *file)
{
	state_header header = {.frame = (uint32_t)spate_frame_number(file),
			       .time = spate_frame_time(file),
			       .rows = spate_frame_count(file)};
	spate_frame_origin(file, header.origin);
	return header;
}

static spate_result check_kind(spate_frame *file, spate_error *error)
{
	if (spate_frame_get_kind(file) != SPATE_FRAME_CHECKPOINT)
		return error_set(error, SPATE_FORMAT, "it is a frame, not a checkpoint");
	if (spate_frame_number(file) > UINT32_MAX)
		return error_set(error, SPATE_FORMAT, "its frame has the number %lld",
				 (long long)spate_frame_number(file));
	return SPATE_OK;
}

typedef ARRAY(state_part) state_parts;

// Collects the sections of a file; their bytes belong to it.
static spate_result list_parts(spate_frame *file, state_parts *parts, spate_error *error)
{
	spate_frame_entry entry;
	spate_result result = SPATE_OK;
	for (uint32_t n = 0; result == SPATE_OK && spate_frame_blob_at(file, n, &entry) == SPATE_OK; n++)
	{
		const void *data = NULL;
		state_part part = {0};
		if (strncmp(entry.name, PREFIX, strlen(PREFIX)) != 0)
			return error_set(error, SPATE_FORMAT,
					 "its '%s' is no section of a state: it is of another version of Spate",
					 entry.name);
		result = spate_frame_blob(file, entry.name, &data, &part.size, error);
		part.data = data;
		snprintf(part.name, sizeof part.name, "%.31s", entry.name + strlen(PREFIX));
		if (result == SPATE_OK && !array_push(parts, part))
			result = error_memory(error, sizeof part);
	}
	return result;
}

static int nth_channel(void *context, uint32_t n, const char **name, spate_type *type)
{
	spate_frame_entry entry;
	if (spate_frame_channel_at(context, n, &entry) != SPATE_OK)
		return 0;
	*name = entry.name;
	*type = entry.type;
	return 1;
}

static spate_result copy_channel(void *context, const store_column *to, spate_error *error)
{
	return spate_frame_copy(context, to->name, to->type, to->data, to->stride, error);
}

// A file whose checksums are right and whose content is wrong counts as damaged.
static spate_result told(spate_result result, const spate_error *trouble, spate_error *error)
{
	if (result == SPATE_OK)
		return SPATE_OK;
	int own = result == SPATE_MEMORY || result == SPATE_IO;
	return error_set(error, own ? result : SPATE_DAMAGED, "%s", trouble->text);
}

spate_result world_restore(spate_world *w, spate_frame *checkpoint, spate_error *error)
{
	spate_error trouble = {0};
	state_parts parts = {0};
	spate_result result = check_kind(checkpoint, &trouble);
	if (result == SPATE_OK)
		result = list_parts(checkpoint, &parts, &trouble);
	if (result == SPATE_OK)
	{
		state_source from = {.header = header_of(checkpoint),
				     .parts = parts.data,
				     .part_count = (uint32_t)parts.count,
				     .field = nth_channel,
				     .copy = copy_channel,
				     .context = checkpoint,
				     .whole_frames = 1};
		result = state_load(w, &from, &trouble);
	}
	array_free(&parts);
	return told(result, &trouble, error);
}

static spate_result read_fields(spate_frame *file, spate_snapshot *s, spate_error *error)
{
	spate_frame_entry entry;
	spate_result result = SPATE_OK;
	for (uint32_t n = 0; result == SPATE_OK && spate_frame_channel_at(file, n, &entry) == SPATE_OK; n++)
	{
		if (entry.count != s->header.rows)
			return error_set(error, SPATE_FORMAT, "its field '%s' has %llu values for %llu particles",
					 entry.name, (unsigned long long)entry.count,
					 (unsigned long long)s->header.rows);
		void *data = snapshot_add_field(s, entry.name, entry.type);
		if (!data)
			return error_memory(error, (size_t)entry.count * spate_type_size(entry.type));
		result = spate_frame_copy(file, entry.name, entry.type, data, 0, error);
	}
	return result;
}

static spate_result read_snapshot(spate_frame *file, spate_snapshot *s, spate_error *error)
{
	state_parts parts = {0};
	s->header = header_of(file);
	spate_result result = list_parts(file, &parts, error);
	for (size_t p = 0; p < parts.count && result == SPATE_OK; p++)
		if (!snapshot_add_part(s, parts.data[p].name, parts.data[p].data, parts.data[p].size))
			result = error_memory(error, parts.data[p].size);
	array_free(&parts);
	return result == SPATE_OK ? read_fields(file, s, error) : result;
}

spate_result spate_snapshot_load(spate_snapshot **snapshot, const char *path, spate_error *error)
{
	if (!snapshot || !path)
		return error_set(error, SPATE_INVALID,
				 "spate_snapshot_load needs a pointer to the snapshot and a path, not NULL");
	*snapshot = NULL;
	spate_error trouble = {0};
	spate_frame *file = NULL;
	spate_snapshot *s = NULL;
	spate_result result = spate_frame_open(path, &file, error);
	if (result != SPATE_OK)
		return result;
	result = check_kind(file, &trouble);
	if (result == SPATE_OK && !(s = mem_calloc(1, sizeof *s)))
		result = error_memory(&trouble, sizeof *s);
	if (result == SPATE_OK)
		result = read_snapshot(file, s, &trouble);
	spate_frame_close(file);
	if (result == SPATE_OK)
	{
		*snapshot = s;
		return SPATE_OK;
	}
	spate_snapshot_destroy(s);
	return error_set(error, result, "%s cannot be used: %s", path, trouble.text);
}

// ----------------------------------------------------------------------------------------------------------- summing

static spate_result hash_file(spate_frame *file, int threads, uint64_t *hash, spate_error *error)
{
	size_t rows = spate_frame_count(file);
	int64_t *id = mem_alloc(mem_product(rows + 1, sizeof *id));
	vec4 *position = mem_alloc(mem_product(rows + 1, sizeof *position)),
	     *velocity = mem_alloc(mem_product(rows + 1, sizeof *velocity));
	spate_result result = SPATE_OK;
	if (!id || !position || !velocity)
		result = error_memory(error, mem_product(rows, sizeof *id + 2 * sizeof *position));
	if (result == SPATE_OK)
		result = spate_frame_copy(file, "id", SPATE_INT64, id, 0, error);
	if (result == SPATE_OK)
		result = spate_frame_copy(file, "position", SPATE_VEC3, position, sizeof *position, error);
	if (result == SPATE_OK)
		result = spate_frame_copy(file, "velocity", SPATE_VEC3, velocity, sizeof *velocity, error);
	if (result == SPATE_OK)
		*hash = hash_particles(threads, rows, id, position, velocity);
	mem_free(id);
	mem_free(position);
	mem_free(velocity);
	return result;
}

spate_result checkpoint_summarize(spate_frame *checkpoint, int threads, checkpoint_summary *out, spate_error *error)
{
	spate_error trouble = {0};
	state_parts parts = {0};
	world_counters c = {0};
	uint64_t added = 0, hash = 0;
	spate_result result = check_kind(checkpoint, &trouble);
	if (result == SPATE_OK)
		result = list_parts(checkpoint, &parts, &trouble);
	if (result == SPATE_OK)
		result = state_count(parts.data, (uint32_t)parts.count, &c, &added, &trouble);
	if (result == SPATE_OK)
		result = hash_file(checkpoint, threads, &hash, &trouble);
	array_free(&parts);
	*out = (checkpoint_summary){.hash = hash,
				    .particles = spate_frame_count(checkpoint),
				    .added = added,
				    .removed = c.removed,
				    .clamped = c.clamped,
				    .removed_by = c.removed_by};
	return told(result, &trouble, error);
}
