// Shared by the readers of all formats: collects vertices and polygons, splits polygons into triangles, drops triangles
// without area, and creates a mesh from the rest.
#ifndef MESH_BUILD_H
#define MESH_BUILD_H

#include "base/array.h"
#include "spate/mesh.h"

typedef struct mesh_builder
{
	const char *path; // for messages
	const char *data; // the whole file, followed by a zero byte
	size_t bytes;
	spate_error *error;
	ARRAY(float) positions;    // 3 per vertex
	ARRAY(uint32_t) triangles; // 3 per triangle
	ARRAY(float) uvs;          // 2 per corner, kept when with_uvs is set
	int with_uvs;
	uint64_t uv_polygons; // number of polygons with uvs; if 0, the mesh gets none
	ARRAY(uint8_t) sides; // 2 per triangle, kept when with_sides is set
	int with_sides;
	uint8_t polygon_sides[2]; // of the polygon in `corners`
	int may_be_empty;         // a file with neither vertices nor faces is an empty mesh, not an error
	ARRAY(spate_mesh_channel) channels;
	uint64_t dropped;
	uint32_t welded;
	// scratch for one polygon
	ARRAY(uint32_t) corners;
	ARRAY(float) corner_uvs;
	ARRAY(uint32_t) cut; // corner indices, 3 per triangle
	ARRAY(double) plane; // 2 per corner
	ARRAY(uint32_t) ring;
} mesh_builder;

void mesh_builder_free(mesh_builder *b);

// On failure, readers `return mesh_fail_line(b, line, "...")`: file and line (text) or byte (binary), then the message.
#define mesh_fail_line(b, line, format, ...) \
	error_set((b)->error, SPATE_FORMAT, "%s:%u: " format, (b)->path, (unsigned)(line), ##__VA_ARGS__)
#define mesh_fail_byte(b, byte, format, ...) \
	error_set((b)->error, SPATE_FORMAT, "%s: byte %zu: " format, (b)->path, (size_t)(byte), ##__VA_ARGS__)

// Whether the coordinates are finite as floats.
int mesh_is_place(const double p[3]);
// Adds a vertex; p must pass mesh_is_place().
spate_result mesh_builder_vertex(mesh_builder *b, const double p[3]);
// Adds a channel of zeros for the vertices so far. *values is NULL if a channel of that name exists.
spate_result mesh_builder_channel(mesh_builder *b, const char *name, uint32_t components, float **values);
// Adds the polygon in `corners`, whose indices must be in range, with `corner_uvs` (2 per corner, or empty).
spate_result mesh_builder_polygon(mesh_builder *b);
// Merges copies of a vertex that differ in their last digits, see weld_cracks(). For formats without uvs, sides and
// channels.
spate_result mesh_builder_weld(mesh_builder *b);
// Hands over the mesh; an error if there are no triangles.
spate_result mesh_builder_finish(mesh_builder *b, spate_mesh **mesh);

// Splits the polygon in `corners`, which may be concave, into b->cut. In src/mesh/polygon.c. Returns 0 when out of
// memory.
int mesh_cut_polygon(mesh_builder *b);

#endif
