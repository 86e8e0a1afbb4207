// Post-processing of a contoured mesh: removing small components, smoothing, decimation, and vertex normals and channels.
#ifndef SURFACE_FINISH_H
#define SURFACE_FINISH_H

#include "surface/contour.h"

// Removes connected components that enclose less than `blob` of liquid or less than `cavity` of air (m^3). In src/surface/parts.c.
spate_result surface_remove_parts(surface_mesh *mesh, double blob, double cavity, uint32_t *blobs, uint32_t *cavities,
				  spate_error *error);
// Signed volume between a triangle and a point, m^3.
double surface_triangle_volume(const surface_mesh *mesh, const uint32_t *triangle, vec3 from);
double surface_volume(const surface_mesh *mesh, int threads);
double surface_area(const surface_mesh *mesh, int threads);

enum
{
	RING_STEP = 8 // most vertices have no more neighbours
};

// Neighbours of each vertex: those of v are around[first[v]] to around[first[v + 1] - 1]. Rings are padded with v
// itself to a multiple of RING_STEP, so that inner loops have a fixed length.
typedef struct vertex_rings
{
	uint32_t *first, *around;
} vertex_rings;

// Sets `first` for rings of the given lengths (one per vertex, plus one spare entry) and allocates them.
spate_result vertex_rings_reserve(vertex_rings *rings, const uint32_t *lengths, uint32_t count, spate_error *error);
spate_result vertex_rings_init(vertex_rings *rings, const surface_mesh *mesh, int threads, spate_error *error);
void vertex_rings_free(vertex_rings *rings);

// G. Taubin: A signal processing approach to fair surface design, 1995. In src/surface/smooth.c.
// A vertex with an empty ring does not move.
spate_result surface_smooth_rings(vec3 *positions, uint32_t count, const vertex_rings *rings, int rounds, int threads,
				  spate_error *error);
spate_result surface_smooth(surface_mesh *mesh, int rounds, int threads, spate_error *error);

// Merges triangles where this moves the surface by at most `tolerance` (m). In src/surface/decimate.c.
spate_result surface_decimate(surface_mesh *mesh, double tolerance, spate_error *error);

// Fills the normals and channels of the finished mesh. In src/surface/attributes.c.
spate_result surface_carry(spate_mesh *mesh, const surface_field *field, const spate_surface_input *input,
			   spate_surface_normals normals, field_scratch *scratch, int threads, spate_error *error);

// Adds the area-weighted normals of the triangles to zeroed memory, 3 floats per vertex.
void surface_mesh_normals(const spate_mesh *mesh, float *out);

#endif
