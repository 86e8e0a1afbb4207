// What the readers of all formats share: collecting vertices and polygons, cutting polygons into triangles, leaving out those
// without area, and making a mesh of the rest.
#ifndef MESH_BUILD_H
#define MESH_BUILD_H

#include "base/array.h"
#include "spate/mesh.h"

typedef struct mesh_builder
{
	const char *path; // for sentences
	const char *data; // the whole file, with a zero byte behind it
	size_t bytes;
	spate_error *error;
	ARRAY(float) positions;    // 3 per vertex
	ARRAY(uint32_t) triangles; // 3 per triangle
	ARRAY(float) uvs;          // 2 per corner, kept when with_uvs is set
	int with_uvs;
	uint64_t uv_polygons; // that came with uvs; without any, uvs are left out
	ARRAY(uint8_t) sides; // 2 per triangle, kept when with_sides is set
	int with_sides;
	uint8_t polygon_sides[2]; // of the polygon in `corners`
	int may_be_empty;         // neither vertices nor faces make a mesh of nothing
	ARRAY(spate_mesh_channel) channels;
	uint64_t dropped;
	uint32_t welded;
	// scratch of one polygon
	ARRAY(uint32_t) corners;
	ARRAY(float) corner_uvs;
	ARRAY(uint32_t) cut; // corner numbers, 3 per triangle
	ARRAY(double) plane; // 2 per corner
	ARRAY(uint32_t) ring;
} mesh_builder;

void mesh_builder_free(mesh_builder *b);

// Failing reads `return mesh_fail_line(b, line, "...")`: file and line (text) or byte (binary), then the sentence.
#define mesh_fail_line(b, line, format, ...) \
	error_set((b)->error, SPATE_FORMAT, "%s:%u: " format, (b)->path, (unsigned)(line), ##__VA_ARGS__)
#define mesh_fail_byte(b, byte, format, ...) \
	error_set((b)->error, SPATE_FORMAT, "%s: byte %zu: " format, (b)->path, (size_t)(byte), ##__VA_ARGS__)

// Whether the coordinates are finite as floats.
int mesh_is_place(const double p[3]);
// The place is one.
spate_result mesh_builder_vertex(mesh_builder *b, const double p[3]);
// A channel of zeros for the vertices so far. NULL in *values when one of that name is there already.
spate_result mesh_builder_channel(mesh_builder *b, const char *name, uint32_t components, float **values);
// The polygon in `corners`, whose indices are in range, and `corner_uvs` (2 per corner, or empty).
spate_result mesh_builder_polygon(mesh_builder *b);
// Makes one vertex of copies whose last digits differ, see weld_cracks(). For formats without uvs, sides and channels.
spate_result mesh_builder_weld(mesh_builder *b);
// Hands over the mesh; a sentence when there are no triangles.
spate_result mesh_builder_finish(mesh_builder *b, spate_mesh **mesh);

// Cuts the polygon in `corners` into b->cut, concave ones too. In src/mesh/polygon.c. 0 when out of memory.
int mesh_cut_polygon(mesh_builder *b);

// The formats: from the bytes of a builder to its vertices and polygons.
spate_result mesh_parse_obj(mesh_builder *b);
spate_result mesh_parse_ply(mesh_builder *b);
spate_result mesh_parse_stl(mesh_builder *b);
spate_result mesh_parse_off(mesh_builder *b);

#endif
