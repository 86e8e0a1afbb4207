// Surface meshes: from particles to one closed triangle mesh, or to one mesh of the interfaces between several fluids.
// These functions may be called by several threads at once.
#ifndef SPATE_SURFACE_H
#define SPATE_SURFACE_H

#include "spate/mesh.h"
#include "spate/result.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The implicit function whose zero set is the surface; docs/theory/surfaces.md compares the methods.
typedef enum spate_surface_method
{
	SPATE_SURFACE_DENSITY,     // distance to a density-normalised mean of particles: the default
	SPATE_SURFACE_ZHU_BRIDSON, // distance to the plain mean: smooth, with artifacts between nearby surfaces
	SPATE_SURFACE_COLOR,       // smoothed colour field: robust and blobby
	SPATE_SURFACE_ANISOTROPIC  // colour field with anisotropic kernels: sharp edges and thin sheets
} spate_surface_method;

typedef enum spate_surface_normals
{
	SPATE_SURFACE_NORMALS_NONE,
	SPATE_SURFACE_NORMALS_FIELD, // gradient of the implicit function at the vertex
	SPATE_SURFACE_NORMALS_MESH   // area-weighted mean over the adjacent triangles
} spate_surface_normals;

// A particle channel to transfer to the vertices, as a kernel-weighted mean.
typedef struct spate_surface_channel
{
	const char *name;    // at most 31 characters
	uint32_t components; // 1 to 4
	uint32_t stride;     // floats from one particle to the next; 0 for components
	const float *values;
} spate_surface_channel;

// Everything is borrowed for the call.
typedef struct spate_surface_input
{
	uint32_t count;
	const float *positions; // m
	uint32_t stride;        // floats from one particle to the next: 3 or more; 0 for 3
	double spacing;         // m, distance between particles at rest; 0 with radii: twice their mean
	const float *radii;     // m, half the spacing of each particle; NULL if all are equal
	const spate_surface_channel *channels;
	uint32_t channel_count;
} spate_surface_input;

typedef struct spate_surface_def
{
	spate_surface_method method;
	double cell;       // grid cell size in spacings, 0.1 to 2
	double kernel;     // kernel radius in spacings, 1 to 4; 0 for the method's default
	double offset;     // moves the surface outwards, in spacings; 0 encloses the particles' volume
	int smoothing;     // iterations of non-shrinking smoothing, 0 to 1000
	int refine;        // passes that insert particles at the surface, each halving their distance, 0 to 3
	double min_blob;   // drops with fewer particles are removed
	double min_cavity; // bubbles with a volume of fewer particles are filled
	double decimate;   // m, how far the surface may move when triangles are merged; 0 keeps all triangles
	spate_surface_normals normals;   // written to the channel "normal"
	int clip;                        // mesh only the inside of the box; the cut is closed
	double clip_min[3], clip_max[3]; // m
	int threads;                     // 0 for all cores; the mesh does not depend on it
} spate_surface_def;

SPATE_API spate_surface_def spate_default_surface_def(void);

// Statistics. Times are in seconds.
typedef struct spate_surface_stats
{
	uint32_t particles;         // particles used
	uint32_t skipped;           // particles skipped: not finite, or far from the box
	uint32_t surface_particles; // particles near the surface
	uint32_t refined;           // particles inserted by refinement
	uint32_t blocks, evaluated; // blocks of 4 x 4 x 4 grid points near liquid, and how many of them were evaluated
	uint32_t blobs, cavities;   // removed, filled
	uint32_t mended, needles;   // several fluids: degenerate triangles repaired, and remaining
	uint32_t vertices, triangles;
	double volume; // m^3, enclosed
	double area;   // m^2
	double refine, sort, weights, blocks_time, field, contour, clean, smooth, decimate, attributes, total;
} spate_surface_stats;

// Creates the surface of a liquid: closed and manifold, with normals pointing outwards. Without particles the mesh is empty.
// `stats` may be NULL. On failure *mesh is NULL.
SPATE_API spate_result spate_surface_create_mesh(spate_mesh **mesh, const spate_surface_input *input,
						 const spate_surface_def *def, spate_surface_stats *stats,
						 spate_error *error);

// Several fluids: one mesh of all interfaces.
//
// Fluids are numbered 1 to 15 in the order of their inputs; air is 0. Every triangle separates two of them; where three meet, three
// sheets share an edge. The triangles around a fluid form its closed surface, so fluids in contact share vertices there, and every
// point in space belongs to exactly one fluid or to air.
enum
{
	SPATE_SURFACE_MAX_FLUIDS = 15
};

// Owned by the caller; freed by spate_surface_many_destroy().
typedef struct spate_surface_many
{
	uint32_t fluid_count;
	spate_mesh *combined; // all interfaces, without channels
	// 2 per triangle of `combined`: the normal points from the first, which is larger, to the second
	uint8_t *sides;
	spate_mesh **fluids; // closed surface of each fluid with its channels, fluid 1 first; may be empty
} spate_surface_many;

// Smooth interfaces: the particles of all fluids together define the free surface, as for one fluid, and each point inside belongs to
// the fluid whose own function is largest. `def` applies as for one fluid, but decimate and refine must be 0. Drops and bubbles below
// the minimum size are assigned to the neighbour with the largest contact area. In `stats`, surface_particles stays 0.
SPATE_API spate_result spate_surface_create_meshes(spate_surface_many **many, uint32_t fluids,
						   const spate_surface_input *inputs, const spate_surface_def *def,
						   spate_surface_stats *stats, spate_error *error);

// The same by chromatic contouring of a Delaunay triangulation: every particle lies in its fluid, and interfaces are as rough as the
// particles. Uses min_blob, min_cavity, smoothing, normals and threads of `def`. Radii may have 32 different values.
SPATE_API spate_result spate_surface_chromatic(spate_surface_many **many, uint32_t fluids,
					       const spate_surface_input *inputs, const spate_surface_def *def,
					       spate_surface_stats *stats, spate_error *error);

SPATE_API void spate_surface_many_destroy(spate_surface_many *many);

// Label of a point where the mesh intersects itself, so that its winding numbers are ambiguous.
#define SPATE_SURFACE_TANGLED 255

// Classifies points (3 floats each, m): 0 for air, 1 to 15 for fluids.
SPATE_API spate_result spate_surface_classify(const spate_surface_many *many, uint32_t count, const float *points,
					      uint8_t *labels, int threads, spate_error *error);

// Particles near the surface.
//
// A particle is marked by its score gamma |d| / h + beta (alpha - density), where d is its offset from the mean of its neighbours, h
// is 4/3 spacings and density is relative to rest density. Hysteresis prevents flicker: right after a change, the score must exceed
// `high` to set the mark or fall below `low` to clear it; both thresholds move to their mean in the time 1 / decay.
typedef enum spate_surface_criterion
{
	SPATE_SURFACE_ITERATED, // d at the particle's position mirrored at the mean of its neighbours: smooth
	SPATE_SURFACE_ONE_STEP  // d at the particle itself, with weights that fall off between 1.2 and 1.9 h: sharper
} spate_surface_criterion;

typedef struct spate_surface_marker_def
{
	double spacing; // m, distance between particles at rest
	spate_surface_criterion criterion;
	double alpha, beta, gamma;
	double low, high; // thresholds of the score
	double decay; // 1/s; use 100 for steps of a few milliseconds, about 2 for frames; 0 keeps the thresholds fixed
	int threads;  // 0 for all cores; marks do not depend on it
} spate_surface_marker_def;

SPATE_API spate_surface_marker_def spate_default_surface_marker_def(void);

typedef struct spate_surface_marker spate_surface_marker;

SPATE_API spate_result spate_surface_marker_create(spate_surface_marker **marker, const spate_surface_marker_def *def,
						   spate_error *error);
SPATE_API void spate_surface_marker_destroy(spate_surface_marker *marker);

// Marks the particles at a given time: 1 near the surface, 0 inside, in input order, which may differ between calls. Earlier marks are
// found by id; ids must be unique. Particles that are gone are forgotten; going back in time resets the marker. `density` is relative
// to rest density; NULL computes it from the positions (3 floats each, m). On failure the marker is unchanged.
SPATE_API spate_result spate_surface_marker_update(spate_surface_marker *marker, double time, uint32_t count,
						   const int64_t *ids, const float *positions, const float *density,
						   uint8_t *marks, spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
