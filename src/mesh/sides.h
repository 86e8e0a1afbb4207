// Meshes of interfaces between fluids, whose triangles store the fluids on both sides.
#ifndef MESH_SIDES_H
#define MESH_SIDES_H

#include "spate/mesh.h"

// The largest fluid number among the sides; 0 for a mesh without sides.
uint32_t mesh_sides_last(const spate_mesh *mesh);
// The surface of one fluid, without channels: the triangles with the fluid on one side, oriented outwards.
spate_result mesh_sides_extract(spate_mesh **out, const spate_mesh *mesh, uint32_t fluid, spate_error *error);

#endif
