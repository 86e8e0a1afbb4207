// A coefficient that varies over a mesh: a constant times a texture or a vertex channel.
#ifndef COLLIDER_SURFACE_MAP_H
#define COLLIDER_SURFACE_MAP_H

#include "collider/texture.h"
#include "mesh/triangle_tree.h"
#include "spate/world.h"

#include <stddef.h>

typedef struct surface_map
{
	float value, most; // the constant, and the upper limit of the product; the lower limit is 0
	texture picture;   // with `uvs`
	const float *uvs;  // 6 per triangle, borrowed
	float *corners;    // 3 per triangle; used instead of the picture
	uint32_t triangles;
} surface_map;

// Reads the texture or channel of a definition. `uvs` are the mesh's, NULL for none; they are borrowed. `what` and `owner` are for messages:
// the key, such as "friction_map", and the mesh. A channel of three or four components counts as a colour; of two, the first counts.
spate_result surface_map_create(surface_map *map, const spate_map_def *def, double value, double most,
				const spate_mesh *mesh, const float *uvs, const char *what, const char *owner,
				spate_error *error);
void surface_map_destroy(surface_map *map);
size_t surface_map_bytes(const surface_map *map);

// Whether it is constant.
static inline int surface_map_is_even(const surface_map *map)
{
	return !map->corners && !map->picture.values;
}

// The value at a point of the mesh.
float surface_map_at(const surface_map *map, const triangle_point *at);

#endif
