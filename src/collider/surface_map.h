// A number that differs from place to place of a mesh: a constant times what a texture or a channel of the vertices says there.
#ifndef COLLIDER_SURFACE_MAP_H
#define COLLIDER_SURFACE_MAP_H

#include "collider/texture.h"
#include "mesh/triangle_tree.h"
#include "spate/world.h"

#include <stddef.h>

typedef struct surface_map
{
	float value, most; // the constant, and the limit of the product; its least is 0
	texture picture;   // with `uvs`
	const float *uvs;  // 6 per triangle, borrowed
	float *corners;    // 3 per triangle; instead of the picture
	uint32_t triangles;
} surface_map;

// Reads what the definition names. `uvs` are those of the mesh, NULL for none, and must stay. `what` and `owner` are for sentences: the
// key's name, "friction_map", and the mesh's. A channel of three or four components counts as a colour, of two by its first.
spate_result surface_map_create(surface_map *map, const spate_map_def *def, double value, double most,
				const spate_mesh *mesh, const float *uvs, const char *what, const char *owner,
				spate_error *error);
void surface_map_destroy(surface_map *map);
size_t surface_map_bytes(const surface_map *map);

// Whether it holds the same everywhere.
static inline int surface_map_is_even(const surface_map *map)
{
	return !map->corners && !map->picture.values;
}

// The number at a point of the mesh.
float surface_map_at(const surface_map *map, const triangle_point *at);

#endif
