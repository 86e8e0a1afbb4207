#include "export/particle_table.h"

#include "base/error.h"
#include "base/parallel.h"
#include "export/particles_read.h"
#include "mesh/format.h"
#include "spate/frame.h"

#include <stdio.h>
#include <string.h>

enum
{
	BLOCK = 16384 // particles that a thread takes at a time
};

void particle_table_free(particle_table *table)
{
	for (size_t i = 0; i < table->columns.count; i++)
		if (!table->columns.data[i].borrowed)
			mem_free(table->columns.data[i].data);
	if (!table->borrowed)
		mem_free(table->positions);
	array_free(&table->columns);
	*table = (particle_table){.frame = -1};
}

particle_column *particle_table_find(const particle_table *table, const char *name)
{
	for (size_t i = 0; i < table->columns.count; i++)
		if (strcmp(table->columns.data[i].name, name) == 0)
			return &table->columns.data[i];
	return NULL;
}

static spate_result put_column(particle_table *table, const char *name, spate_type type, void *data, int borrowed,
			       spate_error *error)
{
	particle_column column = {.type = type, .data = data, .borrowed = borrowed};
	snprintf(column.name, sizeof column.name, "%s", name);
	return array_push(&table->columns, column) ? SPATE_OK : error_memory(error, sizeof column);
}

spate_result particle_table_add(particle_table *table, const char *name, spate_type type, void **data,
				spate_error *error)
{
	size_t bytes = ((size_t)table->count + 1) * spate_type_size(type);
	*data = mem_alloc(bytes);
	if (!*data)
		return error_memory(error, bytes);
	spate_result result = put_column(table, name, type, *data, 0, error);
	if (result != SPATE_OK)
		mem_free(*data);
	return result;
}

void particle_table_drop(particle_table *table, const char *name)
{
	particle_column *c = particle_table_find(table, name);
	if (!c)
		return;
	if (!c->borrowed)
		mem_free(c->data);
	size_t at = (size_t)(c - table->columns.data);
	memmove(c, c + 1, (--table->columns.count - at) * sizeof *c);
}

// ---------------------------------------------------------------------------------------------------------------- reading

static int is_wanted(const char *name, const char *const *wanted, uint32_t count)
{
	for (uint32_t i = 0; wanted && i < count; i++)
		if (strcmp(name, wanted[i]) == 0)
			return 1;
	return !wanted;
}

static spate_result read_channels(particle_table *table, spate_frame *frame, const char *const *wanted,
				  uint32_t wanted_count, spate_error *error)
{
	spate_frame_entry entry;
	spate_result result = SPATE_OK;
	for (uint32_t n = 0; result == SPATE_OK && spate_frame_channel_at(frame, n, &entry) == SPATE_OK; n++)
	{
		// channels of other populations have a slash in their name
		if (strchr(entry.name, '/') || strcmp(entry.name, "position") == 0 ||
		    !is_wanted(entry.name, wanted, wanted_count))
			continue;
		void *data;
		result = particle_table_add(table, entry.name, entry.type, &data, error);
		if (result == SPATE_OK && entry.count > 0)
			result = spate_frame_copy(frame, entry.name, entry.type, data, 0, error);
	}
	return result;
}

static spate_result read_frame(particle_table *table, const char *path, spate_frame *frame, const char *const *wanted,
			       uint32_t wanted_count, spate_error *error)
{
	uint64_t count = spate_frame_count(frame);
	if (spate_frame_get_kind(frame) == SPATE_FRAME_MESH)
		return error_set(error, SPATE_FORMAT, "%s contains a mesh, not particles", path);
	if (count >= UINT32_MAX)
		return error_set(error, SPATE_RANGE, "%s has more particles than can be written", path);
	table->count = (uint32_t)count;
	table->frame = spate_frame_number(frame);
	table->time = spate_frame_time(frame);
	spate_frame_origin(frame, table->origin);
	size_t bytes = 3 * (count + 1) * sizeof(float);
	table->positions = mem_alloc(bytes);
	spate_result result = table->positions ? SPATE_OK : error_memory(error, bytes);
	if (result == SPATE_OK && count > 0)
		result = spate_frame_copy(frame, "position", SPATE_VEC3, table->positions, 0, error);
	return result == SPATE_OK ? read_channels(table, frame, wanted, wanted_count, error) : result;
}

// Takes over what the readers of other formats return.
static spate_result take_points(particle_table *table, spate_mesh *points, const char *const *wanted,
				uint32_t wanted_count, spate_error *error)
{
	static const spate_type types[] = {SPATE_FLOAT, SPATE_VEC2, SPATE_VEC3, SPATE_VEC4};
	spate_result result = SPATE_OK;
	table->count = points->vertex_count;
	table->positions = points->positions;
	points->positions = NULL;
	for (uint32_t i = 0; i < points->channel_count && result == SPATE_OK; i++)
	{
		spate_mesh_channel *c = &points->channels[i];
		if (!is_wanted(c->name, wanted, wanted_count))
			continue;
		result = put_column(table, c->name, types[c->components - 1], c->values, 0, error);
		if (result == SPATE_OK)
			c->values = NULL;
	}
	return result;
}

spate_result particle_table_read(particle_table *table, const char *path, const char *const *wanted,
				 uint32_t wanted_count, spate_error *error)
{
	spate_frame *frame = NULL;
	particle_set set = {0};
	*table = (particle_table){.frame = -1};
	spate_result result;
	if (particles_are_frame(path))
	{
		result = spate_frame_open(path, &frame, error);
		if (result == SPATE_OK)
			result = read_frame(table, path, frame, wanted, wanted_count, error);
		spate_frame_close(frame);
	}
	else
	{
		result = particles_read(&set, path, NULL, 0, error);
		if (result == SPATE_OK)
			result = take_points(table, set.points, wanted, wanted_count, error);
		particles_free(&set);
	}
	if (result != SPATE_OK)
		particle_table_free(table);
	return result;
}

spate_result particle_table_view(particle_table *table, const spate_mesh *points, const int64_t *ids,
				 spate_error *error)
{
	static const spate_type types[] = {SPATE_FLOAT, SPATE_VEC2, SPATE_VEC3, SPATE_VEC4};
	*table =
	    (particle_table){.frame = -1, .count = points->vertex_count, .positions = points->positions, .borrowed = 1};
	spate_result result = SPATE_OK;
	if (ids)
		result = put_column(table, "id", SPATE_INT64, (void *)(uintptr_t)ids, 1, error);
	for (uint32_t i = 0; i < points->channel_count && result == SPATE_OK; i++)
	{
		const spate_mesh_channel *c = &points->channels[i];
		result = put_column(table, c->name, types[c->components - 1], c->values, 1, error);
	}
	if (result != SPATE_OK)
		particle_table_free(table);
	return result;
}

// ------------------------------------------------------------------------------------------------------------ coordinates

static void turn_some(void *context, size_t begin, size_t end, int thread)
{
	float *v = context;
	(void)thread;
	for (size_t i = begin; i < end; i++)
	{
		float y = v[3 * i + 1];
		v[3 * i + 1] = -v[3 * i + 2];
		v[3 * i + 2] = y;
	}
}

static void turn_place(double place[3])
{
	double y = place[1];
	place[1] = -place[2];
	place[2] = y;
}

// Colours are the one triple that is no vector.
static void turn_channel(const char *name, void *values, size_t count, int threads)
{
	if (strcmp(name, "color") != 0)
		parallel_for(threads, count, BLOCK, turn_some, values);
}

void particle_table_turn(particle_table *table, int threads)
{
	turn_place(table->origin);
	parallel_for(threads, table->count, BLOCK, turn_some, table->positions);
	for (size_t i = 0; i < table->columns.count; i++)
		if (table->columns.data[i].type == SPATE_VEC3)
			turn_channel(table->columns.data[i].name, table->columns.data[i].data, table->count, threads);
}

void mesh_turn(spate_mesh *mesh, double origin[3], int threads)
{
	turn_place(origin);
	parallel_for(threads, mesh->vertex_count, BLOCK, turn_some, mesh->positions);
	for (uint32_t i = 0; i < mesh->channel_count; i++)
		if (mesh->channels[i].components == 3)
			turn_channel(mesh->channels[i].name, mesh->channels[i].values, mesh->vertex_count, threads);
}

static void move_some(void *context, size_t begin, size_t end, int thread)
{
	particle_table *table = context;
	(void)thread;
	for (size_t i = begin; i < end; i++)
		for (size_t k = 0; k < 3; k++)
			table->positions[3 * i + k] = (float)((double)table->positions[3 * i + k] + table->origin[k]);
}

void particle_table_move_to_world(particle_table *table, int threads)
{
	const double *o = table->origin;
	if (o[0] != 0.0 || o[1] != 0.0 || o[2] != 0.0)
		parallel_for(threads, table->count, BLOCK, move_some, table);
	memset(table->origin, 0, sizeof table->origin);
}

// ------------------------------------------------------------------------------------------------------------------ names

component_name particle_component_name(const particle_column *column, uint32_t component)
{
	component_name out;
	if (spate_type_components(column->type) == 1)
		snprintf(out.text, sizeof out.text, "%s", column->name);
	else
		snprintf(out.text, sizeof out.text, "%s_%c", column->name, "xyzw"[component]);
	return out;
}

const char *particle_houdini_name(const char *name)
{
	static const char *const names[][2] = {
	    {"velocity", "v"}, {"color", "Cd"}, {"radius", "pscale"}, {"normal", "N"}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i][0]) == 0)
			return names[i][1];
	return name;
}

spate_result particle_refuse(const char *format, const char *channel, const char *why, spate_error *error)
{
	return error_set(error, SPATE_INVALID,
			 "%s files cannot carry the channel '%s': %s; leave it out with `channels`", format, channel,
			 why);
}

spate_result particle_check_names(const particle_table *table, const char *format, const char *(*name)(const char *),
				  const char *const *taken, spate_error *error)
{
	char why[128];
	for (size_t i = 0; i < table->columns.count; i++)
	{
		const char *own = table->columns.data[i].name, *written = name ? name(own) : own;
		snprintf(why, sizeof why, "there is another '%s' in the file", written);
		for (size_t k = 0; taken[k]; k++)
			if (strcmp(written, taken[k]) == 0)
				return particle_refuse(format, own, why, error);
		for (size_t k = 0; k < i; k++)
		{
			const char *other = table->columns.data[k].name;
			if (strcmp(written, name ? name(other) : other) == 0)
				return particle_refuse(format, own, why, error);
		}
	}
	return SPATE_OK;
}

spate_result particle_check_int32(const particle_table *table, const char *format, spate_error *error)
{
	char why[96];
	for (size_t n = 0; n < table->columns.count; n++)
	{
		const particle_column *c = &table->columns.data[n];
		const int64_t *values = c->data;
		for (size_t i = 0; c->type == SPATE_INT64 && i < table->count; i++)
			if (values[i] != (int32_t)values[i])
			{
				snprintf(why, sizeof why, "its value %lld does not fit into 32 bits",
					 (long long)values[i]);
				return particle_refuse(format, c->name, why, error);
			}
	}
	return SPATE_OK;
}
