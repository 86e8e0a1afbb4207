// What can be told about a mesh: its box, area, volume, edges and pieces.
#ifndef MESH_MEASURE_H
#define MESH_MEASURE_H

#include "spate/mesh.h"

typedef struct mesh_measure
{
	double low[3], high[3]; // m, box of the corners of triangles
	double area;            // m2
	double volume;          // m3, signed: positive when normals point out of a closed mesh
	uint64_t open_edges;    // at one triangle
	uint64_t crowded_edges; // at three or more
	uint64_t flipped_edges; // at two that look different ways
	uint64_t components;    // pieces that hang together by vertices
	int closed;             // every edge is at exactly two triangles
} mesh_measure;

// Vertices at the same place count as one, so that seams of textures do not open a mesh.
spate_result mesh_measure_all(mesh_measure *out, const spate_mesh *mesh, spate_error *error);

// m, by how much the coordinates of a triangle's corners may be off, as floats of their size are.
double mesh_rounding(const float *positions, const uint32_t triangle[3]);

// A triangle has no area when two corners are one, or when its height is within the rounding of its coordinates. Readers leave those out.
int mesh_has_area(const float *positions, const uint32_t triangle[3]);

// Pairs of triangles that cross each other anywhere but at corners that they share.
spate_result mesh_count_crossings(uint64_t *pairs, const spate_mesh *mesh, spate_error *error);

#endif
