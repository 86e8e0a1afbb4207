#include "mesh/build.h"

#include "base/error.h"
#include "mesh/measure.h"
#include "mesh/weld.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void mesh_builder_free(mesh_builder *b)
{
	for (size_t i = 0; i < b->channels.count; i++)
		mem_free(b->channels.data[i].values);
	array_free(&b->channels);
	array_free(&b->positions);
	array_free(&b->triangles);
	array_free(&b->uvs);
	array_free(&b->sides);
	array_free(&b->corners);
	array_free(&b->corner_uvs);
	array_free(&b->cut);
	array_free(&b->plane);
	array_free(&b->ring);
}

int mesh_is_place(const double p[3])
{
	return isfinite((float)p[0]) && isfinite((float)p[1]) && isfinite((float)p[2]);
}

spate_result mesh_builder_vertex(mesh_builder *b, const double p[3])
{
	size_t count = b->positions.count;
	if (count / 3 >= UINT32_MAX - 1)
		return error_set(b->error, SPATE_RANGE, "%s has too many vertices", b->path);
	if (!array_reserve(&b->positions, count + 3))
		return error_memory(b->error, 12 * (count / 3 + 1));
	for (int k = 0; k < 3; k++)
		b->positions.data[count + (size_t)k] = (float)p[k];
	b->positions.count += 3;
	return SPATE_OK;
}

spate_result mesh_builder_channel(mesh_builder *b, const char *name, uint32_t components, float **values)
{
	spate_mesh_channel channel = {.components = components};
	snprintf(channel.name, sizeof channel.name, "%s", name);
	*values = NULL;
	for (size_t i = 0; i < b->channels.count; i++)
		if (strcmp(b->channels.data[i].name, channel.name) == 0)
			return SPATE_OK;
	size_t count = b->positions.count / 3 * components;
	channel.values = mem_calloc(count ? count : 1, sizeof(float));
	if (!channel.values || !array_push(&b->channels, channel))
	{
		mem_free(channel.values);
		return error_memory(b->error, count * sizeof(float));
	}
	*values = channel.values;
	return SPATE_OK;
}

// Keeps one triangle of the polygon, given by the indices of three corners. In meshes with sides, triangles as thin as
// rounding are kept too; otherwise the fluids would not be closed.
static int keep(mesh_builder *b, const uint32_t cut[3])
{
	size_t count = b->triangles.count;
	uint32_t t[3] = {b->corners.data[cut[0]], b->corners.data[cut[1]], b->corners.data[cut[2]]};
	int distinct = t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
	if (!mesh_has_area(b->positions.data, t) && !(b->with_sides && distinct))
	{
		b->dropped++;
		return 1;
	}
	if (!array_reserve(&b->triangles, count + 3))
		return 0;
	memcpy(b->triangles.data + count, t, sizeof t);
	b->triangles.count += 3;
	if (b->with_sides &&
	    (!array_push(&b->sides, b->polygon_sides[0]) || !array_push(&b->sides, b->polygon_sides[1])))
		return 0;
	if (!b->with_uvs)
		return 1;
	if (!array_reserve(&b->uvs, 2 * (count + 3)))
		return 0;
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < 2; i++)
			b->uvs.data[2 * (count + k) + i] =
			    b->corner_uvs.count ? b->corner_uvs.data[2 * cut[k] + i] : 0.0f;
	b->uvs.count = 2 * (count + 3);
	return 1;
}

spate_result mesh_builder_polygon(mesh_builder *b)
{
	static const uint32_t one[3] = {0, 1, 2};
	size_t bytes = b->triangles.count * sizeof(uint32_t);
	b->uv_polygons += b->corner_uvs.count > 0;
	if (b->corners.count < 3)
	{
		b->dropped++;
		return SPATE_OK;
	}
	if (b->triangles.count / 3 + b->corners.count > UINT32_MAX)
		return error_set(b->error, SPATE_RANGE, "%s has too many triangles", b->path);
	if (b->corners.count == 3)
		return keep(b, one) ? SPATE_OK : error_memory(b->error, bytes);
	if (!mesh_cut_polygon(b))
		return error_memory(b->error, b->corners.count * sizeof(double));
	for (size_t i = 0; i + 2 < b->cut.count; i += 3)
		if (!keep(b, &b->cut.data[i]))
			return error_memory(b->error, bytes);
	return SPATE_OK;
}

spate_result mesh_builder_weld(mesh_builder *b)
{
	uint32_t vertices = (uint32_t)(b->positions.count / 3), kept = 0;
	size_t corners = b->triangles.count, end = 0;
	if (corners == 0 || corners > UINT32_MAX)
		return SPATE_OK;
	uint32_t *number = mem_alloc(vertices * sizeof *number);
	if (!number || !weld_cracks(number, b->positions.data, vertices, b->triangles.data, (uint32_t)corners))
	{
		mem_free(number);
		return error_memory(b->error, corners * 12);
	}
	// kept vertices move up; a copy comes after its original, which has its new number by then
	for (uint32_t v = 0; v < vertices; v++)
	{
		if (number[v] != v)
		{
			number[v] = number[number[v]];
			continue;
		}
		memmove(b->positions.data + 3 * (size_t)kept, b->positions.data + 3 * (size_t)v, 3 * sizeof(float));
		number[v] = kept++;
	}
	b->positions.count = 3 * (size_t)kept;
	b->welded = vertices - kept;
	for (size_t i = 0; i < corners; i += 3)
	{
		uint32_t *from = &b->triangles.data[i];
		const uint32_t t[3] = {number[from[0]], number[from[1]], number[from[2]]};
		if (mesh_has_area(b->positions.data, t))
		{
			memcpy(b->triangles.data + end, t, sizeof t);
			end += 3;
		}
		else
			b->dropped++;
	}
	b->triangles.count = end;
	mem_free(number);
	return SPATE_OK;
}

static spate_result no_triangles(const mesh_builder *b)
{
	if (b->dropped > 0)
		return error_set(b->error, SPATE_FORMAT, "%s has no triangles: all %llu are degenerate", b->path,
				 (unsigned long long)b->dropped);
	if (b->positions.count > 0)
		return error_set(b->error, SPATE_FORMAT, "%s has no triangles: it is a point cloud without faces",
				 b->path);
	return error_set(b->error, SPATE_FORMAT, "%s has no triangles", b->path);
}

spate_result mesh_builder_finish(mesh_builder *b, spate_mesh **mesh)
{
	if (b->triangles.count == 0 && b->positions.count == 0 && b->dropped == 0 && b->may_be_empty)
		return spate_mesh_create(mesh, 0, 0, b->error);
	if (b->triangles.count == 0)
		return no_triangles(b);
	spate_mesh *m = mem_calloc(1, sizeof *m);
	if (!m)
		return error_memory(b->error, sizeof *m);
	m->vertex_count = (uint32_t)(b->positions.count / 3);
	m->triangle_count = (uint32_t)(b->triangles.count / 3);
	m->dropped = b->dropped < UINT32_MAX ? (uint32_t)b->dropped : UINT32_MAX;
	m->welded = b->welded;
	// the mesh takes over the arrays
	m->positions = b->positions.data;
	m->triangles = b->triangles.data;
	m->channels = b->channels.data;
	m->channel_count = (uint32_t)b->channels.count;
	b->positions.data = NULL;
	b->triangles.data = NULL;
	b->channels.data = NULL;
	b->channels.count = 0;
	m->sides = b->sides.data;
	b->sides.data = NULL;
	if (b->uv_polygons > 0)
	{
		m->uvs = b->uvs.data;
		b->uvs.data = NULL;
	}
	*mesh = m;
	return SPATE_OK;
}
