#include "cache/mesh_frame.h"

#include "base/array.h"
#include "base/error.h"
#include "cache/format.h"
#include "spate/frame.h"

#include <stdio.h>
#include <string.h>

static const char *const corners[] = {"triangle/a", "triangle/b", "triangle/c"};
static const char *const side_names[] = {"triangle/side_a", "triangle/side_b"};
static const char *const corner_uvs[] = {"triangle/uv_a", "triangle/uv_b", "triangle/uv_c"};

// Types of one to four floats.
static const spate_type float_types[] = {SPATE_FLOAT, SPATE_VEC2, SPATE_VEC3, SPATE_VEC4};

typedef ARRAY(spate_frame_channel_def) channel_list;

// `sides` are those of the mesh as 32-bit integers, or NULL.
static int list_channels(const spate_mesh *mesh, const int32_t *sides, channel_list *list)
{
	int fits = array_push(
	    list, (spate_frame_channel_def){
		      .name = "position", .type = SPATE_VEC3, .data = mesh->positions, .count = mesh->vertex_count});
	for (uint32_t i = 0; i < mesh->channel_count && fits; i++)
	{
		const spate_mesh_channel *c = &mesh->channels[i];
		fits = array_push(list, (spate_frame_channel_def){.name = c->name,
								  .type = float_types[c->components - 1],
								  .data = c->values,
								  .count = mesh->vertex_count});
	}
	for (int k = 0; k < 3 && fits; k++)
		fits = array_push(list, (spate_frame_channel_def){.name = corners[k],
								  .type = SPATE_INT32,
								  .data = mesh->triangles + k,
								  .stride = 3 * sizeof(uint32_t),
								  .count = mesh->triangle_count});
	for (int k = 0; k < 3 && fits && mesh->uvs; k++)
		fits = array_push(list, (spate_frame_channel_def){.name = corner_uvs[k],
								  .type = SPATE_VEC2,
								  .data = mesh->uvs + 2 * k,
								  .stride = 6 * sizeof(float),
								  .count = mesh->triangle_count});
	for (int k = 0; k < 2 && fits && sides; k++)
		fits = array_push(list, (spate_frame_channel_def){.name = side_names[k],
								  .type = SPATE_INT32,
								  .data = sides + k,
								  .stride = 2 * sizeof(int32_t),
								  .count = mesh->triangle_count});
	return fits;
}

// Converts the sides of a mesh to 32-bit integers; 0 when out of memory.
static int widen_sides(const spate_mesh *mesh, int32_t **sides)
{
	size_t count = 2 * (size_t)mesh->triangle_count;
	*sides = mesh->sides ? mem_alloc((count + 1) * sizeof **sides) : NULL;
	for (size_t i = 0; *sides && i < count; i++)
		(*sides)[i] = mesh->sides[i];
	return *sides || !mesh->sides;
}

spate_result mesh_frame_write(const char *path, const spate_mesh *mesh, const mesh_frame_def *def, spate_error *error)
{
	if (mesh->vertex_count > INT32_MAX)
		return error_set(error, SPATE_INVALID, "%s: %u vertices are too many for this kind of file", path,
				 mesh->vertex_count);
	channel_list list = {0};
	int32_t *sides = NULL;
	spate_frame_blob_def blob = {"made", def->note, def->note ? strlen(def->note) : 0};
	spate_frame_def frame = spate_default_frame_def();
	frame.kind = SPATE_FRAME_MESH;
	frame.frame = def->frame;
	frame.time = def->time;
	memcpy(frame.origin, def->origin, sizeof frame.origin);
	frame.count = mesh->vertex_count;
	frame.blobs = &blob;
	frame.blob_count = def->note != NULL;
	frame.threads = def->threads;
	spate_result result = SPATE_OK;
	if (widen_sides(mesh, &sides) && list_channels(mesh, sides, &list))
	{
		frame.channels = list.data;
		frame.channel_count = (uint32_t)list.count;
		result = spate_frame_write(path, &frame, error);
	}
	else
		result = error_memory(error, list.count * sizeof *list.data);
	array_free(&list);
	mem_free(sides);
	return result;
}

int mesh_frame_is(const char *path)
{
	char head[HEADER_KIND + 4];
	uint32_t kind = 0;
	FILE *file = fopen(path, "rb");
	if (file && fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, FORMAT_MAGIC, 8) == 0)
		format_get(head, HEADER_KIND, &kind);
	if (file)
		fclose(file);
	return kind == SPATE_FRAME_MESH;
}

// ---------------------------------------------------------------------------------------------------------------- reading

static spate_result read_places(spate_mesh *mesh, spate_frame *frame, spate_error *error)
{
	double origin[3];
	spate_frame_origin(frame, origin);
	spate_result result = spate_frame_copy(frame, "position", SPATE_VEC3, mesh->positions, 0, error);
	for (size_t i = 0; result == SPATE_OK && i < 3 * (size_t)mesh->vertex_count; i++)
		mesh->positions[i] = (float)((double)mesh->positions[i] + origin[i % 3]);
	return result;
}

static spate_result read_triangles(spate_mesh *mesh, spate_frame *frame, const char *path, spate_error *error)
{
	spate_result result = SPATE_OK;
	for (int k = 0; k < 3 && result == SPATE_OK; k++)
		result =
		    spate_frame_copy(frame, corners[k], SPATE_INT32, mesh->triangles + k, 3 * sizeof(uint32_t), error);
	for (size_t i = 0; result == SPATE_OK && i < 3 * (size_t)mesh->triangle_count; i++)
		if (mesh->triangles[i] >= mesh->vertex_count)
			result = error_set(error, SPATE_FORMAT, "%s is damaged: triangle %zu has no vertex %u", path,
					   i / 3, mesh->triangles[i]);
	return result;
}

// Reads the float channels of the vertices; other channels are skipped.
static spate_result read_channels(spate_mesh *mesh, spate_frame *frame, spate_error *error)
{
	spate_frame_entry entry;
	spate_result result = SPATE_OK;
	for (uint32_t n = 0; result == SPATE_OK && spate_frame_channel_at(frame, n, &entry) == SPATE_OK; n++)
	{
		spate_mesh_channel *channel;
		if (strchr(entry.name, '/') || strcmp(entry.name, "position") == 0 || entry.type == SPATE_INT32 ||
		    entry.type == SPATE_INT64 || strlen(entry.name) >= sizeof channel->name)
			continue;
		result = spate_mesh_add_channel(mesh, entry.name, spate_type_components(entry.type), &channel, error);
		if (result == SPATE_OK)
			result = spate_frame_copy(frame, entry.name, entry.type, channel->values, 0, error);
	}
	return result;
}

static int has_channel(spate_frame *frame, const char *name)
{
	spate_frame_entry entry;
	for (uint32_t n = 0; spate_frame_channel_at(frame, n, &entry) == SPATE_OK; n++)
		if (strcmp(entry.name, name) == 0)
			return 1;
	return 0;
}

static spate_result read_uvs(spate_mesh *mesh, spate_frame *frame, spate_error *error)
{
	if (!has_channel(frame, corner_uvs[0]) || mesh->triangle_count == 0)
		return SPATE_OK;
	mesh->uvs = mem_calloc(mesh->triangle_count, 6 * sizeof(float));
	spate_result result = mesh->uvs ? SPATE_OK : error_memory(error, mesh->triangle_count * 6 * sizeof(float));
	for (int k = 0; k < 3 && result == SPATE_OK; k++)
		result =
		    spate_frame_copy(frame, corner_uvs[k], SPATE_VEC2, mesh->uvs + 2 * k, 6 * sizeof(float), error);
	return result;
}

static spate_result read_sides(spate_mesh *mesh, spate_frame *frame, const char *path, spate_error *error)
{
	size_t count = mesh->triangle_count;
	if (!has_channel(frame, side_names[0]) || count == 0)
		return SPATE_OK;
	int32_t *values = mem_calloc(count, sizeof *values);
	mesh->sides = mem_calloc(count, 2);
	spate_result result = values && mesh->sides ? SPATE_OK : error_memory(error, count * (2 + sizeof *values));
	for (size_t k = 0; k < 2 && result == SPATE_OK; k++)
	{
		result = spate_frame_copy(frame, side_names[k], SPATE_INT32, values, 0, error);
		for (size_t t = 0; t < count && result == SPATE_OK; t++)
		{
			mesh->sides[2 * t + k] = (uint8_t)values[t];
			if (values[t] < 0 || values[t] > UINT8_MAX)
				result = error_set(error, SPATE_FORMAT,
						   "%s is damaged: triangle %zu has no fluid %d on a side", path, t,
						   (int)values[t]);
		}
	}
	mem_free(values);
	return result;
}

spate_result mesh_frame_read(spate_mesh **mesh, const char *path, spate_error *error)
{
	spate_frame *frame = NULL;
	*mesh = NULL;
	spate_result result = spate_frame_open(path, &frame, error);
	if (result != SPATE_OK)
		return result;
	uint64_t vertices = spate_frame_count(frame), triangles = spate_frame_population(frame, "triangle");
	if (spate_frame_get_kind(frame) != SPATE_FRAME_MESH)
		result = error_set(error, SPATE_FORMAT, "%s contains particles, not a mesh", path);
	else if (vertices > INT32_MAX || triangles > UINT32_MAX)
		result = error_set(error, SPATE_FORMAT, "%s has too many vertices or triangles", path);
	else
		result = spate_mesh_create(mesh, (uint32_t)vertices, (uint32_t)triangles, error);
	if (result == SPATE_OK)
		result = read_places(*mesh, frame, error);
	if (result == SPATE_OK)
		result = read_triangles(*mesh, frame, path, error);
	if (result == SPATE_OK)
		result = read_channels(*mesh, frame, error);
	if (result == SPATE_OK)
		result = read_uvs(*mesh, frame, error);
	if (result == SPATE_OK)
		result = read_sides(*mesh, frame, path, error);
	spate_frame_close(frame);
	if (result != SPATE_OK)
	{
		spate_mesh_destroy(*mesh);
		*mesh = NULL;
	}
	return result;
}
