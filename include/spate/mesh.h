// Triangle meshes: what colliders are made of and what surfaces become.
#ifndef SPATE_MESH_H
#define SPATE_MESH_H

#include "spate/result.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Values at the vertices, under a name: "velocity", "color", "friction".
typedef struct spate_mesh_channel
{
	char name[32];
	uint32_t components; // 1 to 4
	float *values;       // components per vertex
} spate_mesh_channel;

// Any soup of triangles. Arrays belong to the mesh.
typedef struct spate_mesh
{
	uint32_t vertex_count, triangle_count;
	float *positions;    // 3 per vertex, m
	uint32_t *triangles; // 3 vertices each
	float *uvs;          // 2 per corner, 6 per triangle; NULL for none
	uint8_t *sides;      // 2 per triangle: the fluids that it parts, see spate_surface_many; NULL for none
	spate_mesh_channel *channels;
	uint32_t channel_count;
	uint32_t dropped; // triangles of a file that had no area and were left out
	uint32_t
	    welded; // vertices of an STL file that were copies of others but for their last digits and were left out
} spate_mesh;

// Reads .obj, .ply, .stl or .off, told apart by content where the ending does not say it. Polygons are cut into triangles.
SPATE_API spate_result spate_mesh_read(spate_mesh **mesh, const char *path, spate_error *error);
// Writes .obj, .ply, .stl, .vtk or .vtp by the ending, beside and then in place of what was there.
SPATE_API spate_result spate_mesh_write(const spate_mesh *mesh, const char *path, spate_error *error);
// A mesh with room for this much, vertices and triangles zero, no uvs and no channels.
SPATE_API spate_result spate_mesh_create(spate_mesh **mesh, uint32_t vertices, uint32_t triangles, spate_error *error);
// Adds a channel of zeros; its values are written through the pointer returned in *channel.
SPATE_API spate_result spate_mesh_add_channel(spate_mesh *mesh, const char *name, uint32_t components,
					      spate_mesh_channel **channel, spate_error *error);
// NULL when there is none of that name.
SPATE_API const spate_mesh_channel *spate_mesh_find_channel(const spate_mesh *mesh, const char *name);
SPATE_API void spate_mesh_destroy(spate_mesh *mesh);

#ifdef __cplusplus
}
#endif
#endif
