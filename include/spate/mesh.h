// Triangle meshes, used as colliders and created as surfaces of the liquid. A mesh may be read by several
// threads at once.
#ifndef SPATE_MESH_H
#define SPATE_MESH_H

#include "spate/result.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Named values at the vertices: "velocity", "color", "friction".
typedef struct spate_mesh_channel
{
	char name[32];
	uint32_t components; // 1 to 4
	float *values;       // components per vertex
} spate_mesh_channel;

// Any set of triangles, not necessarily closed or manifold. The mesh owns its arrays.
typedef struct spate_mesh
{
	uint32_t vertex_count, triangle_count;
	float *positions;    // 3 per vertex, m
	uint32_t *triangles; // 3 vertices each
	float *uvs;          // 2 per corner, 6 per triangle; NULL for none
	uint8_t *sides;      // 2 per triangle: the fluids on its two sides, see spate_surface_many; NULL for none
	spate_mesh_channel *channels;
	uint32_t channel_count;
	uint32_t dropped; // degenerate triangles of a file that were dropped
	// vertices of an STL file that were merged with others that differ only in their last digits
	uint32_t welded;
} spate_mesh;

typedef struct spate_mesh_measure
{
	double low[3], high[3]; // m, bounding box of the triangles
	double area;            // m2
	double volume;          // m3, signed: positive when normals point out of a closed mesh
	uint64_t open_edges;    // with one triangle
	uint64_t crowded_edges; // with three or more triangles
	uint64_t flipped_edges; // with two triangles that face different ways
	uint64_t components;    // pieces connected by vertices
	int closed;             // every edge has exactly two triangles
} spate_mesh_measure;

// Reads a file of any format in spate/formats.h that reads triangles, detected by content, then by suffix. Polygons are triangulated.
SPATE_API spate_result spate_mesh_read(spate_mesh **mesh, const char *path, spate_error *error);
// Writes a file of any format that writes triangles, chosen by suffix; what the format does not hold is left out. An existing file is
// replaced only when the new one is complete.
SPATE_API spate_result spate_mesh_write(const spate_mesh *mesh, const char *path, spate_error *error);
// Creates a mesh of this size, with zeroed vertices and triangles, without UVs and channels.
SPATE_API spate_result spate_mesh_create(spate_mesh **mesh, uint32_t vertices, uint32_t triangles, spate_error *error);
// Adds a channel of zeros; write its values through *channel.
SPATE_API spate_result spate_mesh_add_channel(spate_mesh *mesh, const char *name, uint32_t components,
					      spate_mesh_channel **channel, spate_error *error);
// NULL if there is no channel of that name.
SPATE_API const spate_mesh_channel *spate_mesh_find_channel(const spate_mesh *mesh, const char *name);
SPATE_API void spate_mesh_destroy(spate_mesh *mesh);

#ifdef __cplusplus
}
#endif
#endif
