// Our own files: particles as plain frames, meshes as the frames of cache/mesh_frame.h.
#include "base/error.h"
#include "cache/format.h"
#include "cache/frame_fluids.h"
#include "cache/mesh_frame.h"
#include "export/particle_table.h"
#include "export/particles_read.h"
#include "mesh/format.h"
#include "spate/frame.h"

#include <string.h>

static int is_wanted(const spate_frame_entry *entry, const char *const *wanted, uint32_t count)
{
	if (strchr(entry->name, '/') || strcmp(entry->name, "position") == 0 || entry->type == SPATE_INT64)
		return 0;
	for (uint32_t i = 0; wanted && i < count; i++)
		if (strcmp(entry->name, wanted[i]) == 0)
			return 1;
	return !wanted;
}

static spate_result copy_channel(particle_set *set, spate_frame *frame, const spate_frame_entry *entry,
				 spate_error *error)
{
	float *values;
	const void *data;
	spate_result result =
	    particles_add_channel(set->points, entry->name, spate_type_components(entry->type), &values, error);
	if (result != SPATE_OK || !values || entry->count == 0)
		return result;
	if (entry->type != SPATE_INT32)
		return spate_frame_copy(frame, entry->name, entry->type, values, 0, error);
	result = spate_frame_channel(frame, entry->name, NULL, &data, error);
	for (uint64_t i = 0; result == SPATE_OK && i < entry->count; i++)
		values[i] = (float)((const int32_t *)data)[i];
	return result;
}

static spate_result read_points(particle_set *set, const char *path, const char *const *wanted, uint32_t wanted_count,
				spate_error *error)
{
	spate_frame *frame = NULL;
	spate_frame_entry entry;
	spate_result result = spate_frame_open(path, &frame, error);
	if (result != SPATE_OK)
		return result;
	uint64_t count = spate_frame_count(frame);
	if (spate_frame_get_kind(frame) == SPATE_FRAME_MESH)
		result = error_set(error, SPATE_FORMAT, "%s contains a mesh, not particles", path);
	else if (count > UINT32_MAX)
		result = error_set(error, SPATE_INVALID, "%s has more particles than fit into a surface", path);
	else
		result = spate_mesh_create(&set->points, (uint32_t)count, 0, error);
	if (result == SPATE_OK && count > 0)
		result = spate_frame_copy(frame, "position", SPATE_VEC3, set->points->positions, 0, error);
	for (uint32_t n = 0; result == SPATE_OK && spate_frame_channel_at(frame, n, &entry) == SPATE_OK; n++)
		if (is_wanted(&entry, wanted, wanted_count))
			result = copy_channel(set, frame, &entry, error);
	if (result == SPATE_OK)
		result = frame_fluids_read(frame, &set->fluids, &set->fluid_count, error);
	set->frame = spate_frame_number(frame);
	set->time = spate_frame_time(frame);
	spate_frame_origin(frame, set->origin);
	spate_frame_close(frame);
	return result;
}

// ---------------------------------------------------------------------------------------------------------------- writing

static spate_result write_mesh(const spate_mesh *mesh, const file_extras *extras, const char *path, spate_error *error)
{
	mesh_frame_def def = {.frame = extras->frame,
			      .time = extras->time,
			      .note = *extras->note ? extras->note : NULL,
			      .threads = extras->threads};
	memcpy(def.origin, extras->origin, sizeof def.origin);
	return mesh_frame_write(path, mesh, &def, error);
}

static spate_result save_particles(const particle_table *table, const file_extras *extras, const char *path,
				   spate_error *error)
{
	const spate_frame_blob_def blob = {"made", extras->note, strlen(extras->note)};
	ARRAY(spate_frame_channel_def) channels = {0};
	spate_frame_def def = spate_default_frame_def();
	def.frame = extras->frame > 0 ? extras->frame : 0;
	def.time = extras->time;
	memcpy(def.origin, table->origin, sizeof def.origin);
	def.count = table->count;
	const particle_column *id = particle_table_find(table, "id");
	int fits = !id || array_push(&channels, (spate_frame_channel_def){"id", id->type, id->data, 0, def.count});
	fits = fits &&
	       array_push(&channels, (spate_frame_channel_def){"position", SPATE_VEC3, table->positions, 0, def.count});
	for (size_t i = 0; i < table->columns.count && fits; i++)
	{
		const particle_column *c = &table->columns.data[i];
		if (c != id)
			fits =
			    array_push(&channels, (spate_frame_channel_def){c->name, c->type, c->data, 0, def.count});
	}
	def.channels = channels.data;
	def.channel_count = (uint32_t)channels.count;
	def.blobs = &blob;
	def.blob_count = *extras->note != 0;
	def.threads = extras->threads;
	spate_result result = fits ? spate_frame_write(path, &def, error)
				   : error_memory(error, (channels.count + 1) * sizeof *channels.data);
	array_free(&channels);
	return result;
}

static format_match match(const char *data, size_t bytes, size_t file_bytes)
{
	(void)file_bytes;
	return bytes >= 8 && memcmp(data, FORMAT_MAGIC, 8) == 0 ? FORMAT_SURE : FORMAT_NO;
}

const file_format file_format_spate = {
    .about = {.name = "spate",
	      .suffix = ".spate",
	      .title = "spate",
	      .text = "Frames of Spate, compressed and checked, with time, frame and origin",
	      .reads = SPATE_FORMAT_PARTICLES | SPATE_FORMAT_TRIANGLES | SPATE_FORMAT_CHANNELS | SPATE_FORMAT_UVS |
		       SPATE_FORMAT_SIDES,
	      .writes = SPATE_FORMAT_PARTICLES | SPATE_FORMAT_TRIANGLES | SPATE_FORMAT_CHANNELS | SPATE_FORMAT_UVS |
			SPATE_FORMAT_SIDES},
    .rank = 7,
    .match = match,
    .read_mesh = mesh_frame_read,
    .read_points = read_points,
    .write_mesh = write_mesh,
    .save_particles = save_particles,
};
