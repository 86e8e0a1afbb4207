// Meshes of the interfaces between fluids, whose triangles name the fluids on both of their sides.
#ifndef MESH_SIDES_H
#define MESH_SIDES_H

#include "spate/mesh.h"

// The largest number among the sides; 0 for a mesh without any.
uint32_t mesh_sides_last(const spate_mesh *mesh);
// The surface of one fluid, without channels: the triangles that have it on one side, turned so that they look out of it.
spate_result mesh_sides_extract(spate_mesh **out, const spate_mesh *mesh, uint32_t fluid, spate_error *error);

#endif
