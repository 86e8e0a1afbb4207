// Splits the triangles of a mesh into a part without a border and the connected pieces of the rest.
#ifndef COLLIDER_FIELD_PARTS_H
#define COLLIDER_FIELD_PARTS_H

#include "spate/mesh.h"

// Triangles sorted by part. Part 0 has no border: every edge is shared by at least two triangles. It is what remains when triangles with
// an open edge are peeled off until there are none, so a sheet attached to a solid is not part of it. The other parts are the
// connected pieces of the peeled triangles. Coincident vertices count as one; degenerate triangles and duplicates belong to
// no part.
typedef struct mesh_parts
{
	uint32_t *triangles; // rising within each part
	uint32_t *starts;    // part_count + 1
	uint32_t part_count; // at least 1; part 0 may be empty
} mesh_parts;

spate_result mesh_parts_init(mesh_parts *parts, const spate_mesh *mesh, int threads, spate_error *error);
void mesh_parts_free(mesh_parts *parts);

#endif
