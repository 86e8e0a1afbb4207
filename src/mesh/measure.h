// Measurements of a mesh: bounding box, area, volume, edges and components.
#ifndef MESH_MEASURE_H
#define MESH_MEASURE_H

#include "spate/mesh.h"

// Vertices at the same place count as one, so that texture seams do not open a mesh.
spate_result mesh_measure_all(spate_mesh_measure *out, const spate_mesh *mesh, spate_error *error);

// Rounding error of a triangle's coordinates as floats, m.
double mesh_rounding(const float *positions, const uint32_t triangle[3]);

// A triangle has no area when two corners are equal or its height is within the rounding of its coordinates. Readers
// drop those.
int mesh_has_area(const float *positions, const uint32_t triangle[3]);

// Counts pairs of triangles that intersect anywhere but at shared corners.
spate_result mesh_count_crossings(uint64_t *pairs, const spate_mesh *mesh, spate_error *error);

#endif
