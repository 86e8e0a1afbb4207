#include "spate/mesh.h"
#include "base/array.h"
#include "base/error.h"

#include <string.h>

void spate_mesh_destroy(spate_mesh *mesh)
{
	if (!mesh)
		return;
	for (uint32_t i = 0; i < mesh->channel_count; i++)
		mem_free(mesh->channels[i].values);
	mem_free(mesh->channels);
	mem_free(mesh->positions);
	mem_free(mesh->triangles);
	mem_free(mesh->uvs);
	mem_free(mesh->sides);
	mem_free(mesh);
}

spate_result spate_mesh_create(spate_mesh **mesh, uint32_t vertices, uint32_t triangles, spate_error *error)
{
	// a count of 0 is allowed and still gets an array
	size_t points = vertices ? vertices : 1, faces = triangles ? triangles : 1;
	spate_mesh *m = mem_calloc(1, sizeof *m);
	if (m)
	{
		m->positions = mem_calloc(points, 3 * sizeof(float));
		m->triangles = mem_calloc(faces, 3 * sizeof(uint32_t));
	}
	if (!m || !m->positions || !m->triangles)
	{
		spate_mesh_destroy(m);
		return error_memory(error, points * 12 + faces * 12);
	}
	m->vertex_count = vertices;
	m->triangle_count = triangles;
	*mesh = m;
	return SPATE_OK;
}

const spate_mesh_channel *spate_mesh_find_channel(const spate_mesh *mesh, const char *name)
{
	for (uint32_t i = 0; i < mesh->channel_count; i++)
		if (strcmp(mesh->channels[i].name, name) == 0)
			return &mesh->channels[i];
	return NULL;
}

spate_result spate_mesh_add_channel(spate_mesh *mesh, const char *name, uint32_t components,
				    spate_mesh_channel **channel, spate_error *error)
{
	spate_mesh_channel fresh = {.components = components};
	size_t length = strlen(name), count = mesh->vertex_count ? mesh->vertex_count : 1;
	if (length == 0 || length >= sizeof fresh.name)
		return error_set(error, SPATE_INVALID, "the name of a mesh's channel has 1 to %zu characters, not %zu",
				 sizeof fresh.name - 1, length);
	if (components < 1 || components > 4)
		return error_set(error, SPATE_INVALID, "channel %s: a channel has 1 to 4 components, not %u", name,
				 components);
	if (spate_mesh_find_channel(mesh, name))
		return error_set(error, SPATE_EXISTS, "the mesh already has a channel %s", name);
	memcpy(fresh.name, name, length);
	fresh.values = mem_calloc(count, components * sizeof(float));
	// grow by one: channels are few
	spate_mesh_channel *list =
	    fresh.values ? mem_realloc(mesh->channels, (mesh->channel_count + 1) * sizeof *list) : NULL;
	if (!list)
	{
		mem_free(fresh.values);
		return error_memory(error, count * components * sizeof(float));
	}
	mesh->channels = list;
	list[mesh->channel_count] = fresh;
	if (channel)
		*channel = &list[mesh->channel_count];
	mesh->channel_count++;
	return SPATE_OK;
}
