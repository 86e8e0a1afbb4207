// From the signs and values of a sparse grid to a closed mesh.
#ifndef SURFACE_CONTOUR_H
#define SURFACE_CONTOUR_H

#include "surface/blocks.h"

// A mesh under construction: plain arrays, owned.
typedef struct surface_mesh
{
	uint32_t vertex_count, triangle_count;
	vec3 *positions;     // m
	uint32_t *triangles; // 3 each, anticlockwise from outside
} surface_mesh;

void surface_mesh_free(surface_mesh *mesh);

spate_result surface_contour(surface_mesh *mesh, const surface_blocks *blocks, int threads, spate_error *error);

#endif
