#include "collider/surface_map.h"

#include "base/error.h"
#include "base/memory.h"

// Copies the value of a channel for each corner of each triangle: triangles stay the same when vertices move.
static spate_result copy_channel(surface_map *map, const spate_mesh_channel *channel, const spate_mesh *mesh,
				 spate_error *error)
{
	size_t corners = 3 * (size_t)mesh->triangle_count;
	map->corners = mem_alloc(corners * sizeof *map->corners);
	if (!map->corners)
		return error_memory(error, corners * sizeof *map->corners);
	for (size_t k = 0; k < corners; k++)
	{
		const float *v = channel->values + channel->components * (size_t)mesh->triangles[k];
		map->corners[k] = channel->components < 3 ? v[0] : texture_brightness(v[0], v[1], v[2]);
	}
	return SPATE_OK;
}

spate_result surface_map_create(surface_map *map, const spate_map_def *def, double value, double most,
				const spate_mesh *mesh, const float *uvs, const char *what, const char *owner,
				spate_error *error)
{
	*map = (surface_map){.value = (float)value, .most = (float)most};
	if (!def->texture && !def->channel)
		return SPATE_OK;
	if (def->texture && !uvs)
		return error_set(error, SPATE_INVALID, "%s has no UVs, which the texture of %s needs", owner, what);
	map->triangles = mesh->triangle_count;
	map->uvs = uvs;
	if (def->texture)
		return texture_read(&map->picture, def->texture, error);
	const spate_mesh_channel *channel = spate_mesh_find_channel(mesh, def->channel);
	if (!channel)
		return error_set(error, SPATE_INVALID, "%s has no channel '%s', which %s names", owner, def->channel,
				 what);
	return copy_channel(map, channel, mesh, error);
}

void surface_map_destroy(surface_map *map)
{
	texture_free(&map->picture);
	mem_free(map->corners);
	*map = (surface_map){0};
}

size_t surface_map_bytes(const surface_map *map)
{
	size_t texels = (size_t)map->picture.width * (size_t)map->picture.height;
	return (texels + (map->corners ? 3 * (size_t)map->triangles : 0)) * sizeof(float);
}

float surface_map_at(const surface_map *map, const triangle_point *at)
{
	const float *w = at->weights;
	float share = 1.0f;
	if (map->corners)
	{
		const float *c = map->corners + 3 * (size_t)at->triangle;
		share = w[0] * c[0] + w[1] * c[1] + w[2] * c[2];
	}
	else if (map->picture.values)
	{
		const float *c = map->uvs + 6 * (size_t)at->triangle;
		share = texture_at(&map->picture, w[0] * c[0] + w[1] * c[2] + w[2] * c[4],
				   w[0] * c[1] + w[1] * c[3] + w[2] * c[5]);
	}
	// written so that NaN becomes 0
	float number = map->value * share;
	return number > 0.0f ? (number < map->most ? number : map->most) : 0.0f;
}
