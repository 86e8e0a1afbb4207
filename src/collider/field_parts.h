// How the triangles of a mesh hang together: which of them close up without a border, and which loose pieces the others form.
#ifndef COLLIDER_FIELD_PARTS_H
#define COLLIDER_FIELD_PARTS_H

#include "spate/mesh.h"

// Triangles sorted by part. Part 0 holds those that have no border among themselves: every side is shared by at least two. It
// is what is left when triangles with a free side are peeled off until there is none, so a sheet that hangs on a solid is
// not part of it. The others are the connected pieces of what was peeled. Vertices at the same place count as one; triangles without a
// third corner, and copies of a triangle, are in no part.
typedef struct mesh_parts
{
	uint32_t *triangles; // rising within each part
	uint32_t *starts;    // part_count + 1
	uint32_t part_count; // at least 1; part 0 may be empty
} mesh_parts;

spate_result mesh_parts_init(mesh_parts *parts, const spate_mesh *mesh, int threads, spate_error *error);
void mesh_parts_free(mesh_parts *parts);

#endif
