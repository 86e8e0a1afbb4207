// Surfaces of liquids: from particles to one closed triangle mesh, or to one mesh of the interfaces between many fluids.
#ifndef SPATE_SURFACE_H
#define SPATE_SURFACE_H

#include "spate/mesh.h"
#include "spate/result.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The function whose zero set is the surface; docs/theory/surfaces.md compares them.
typedef enum spate_surface_method
{
	SPATE_SURFACE_DENSITY,     // distance to a mean of particles, normalised by density: the default
	SPATE_SURFACE_ZHU_BRIDSON, // distance to the plain mean: smooth, with ghosts between things that are near
	SPATE_SURFACE_COLOR,       // smoothed indicator of the liquid: robust and blobby
	SPATE_SURFACE_ANISOTROPIC  // indicator with kernels flattened along the surface: sharp edges and thin sheets
} spate_surface_method;

typedef enum spate_surface_normals
{
	SPATE_SURFACE_NORMALS_NONE,
	SPATE_SURFACE_NORMALS_FIELD, // gradient of the smoothed particles at the vertex
	SPATE_SURFACE_NORMALS_MESH   // mean over the triangles around the vertex, by area
} spate_surface_normals;

// Values of the particles that vertices shall carry, as a kernel-weighted mean.
typedef struct spate_surface_channel
{
	const char *name;    // at most 31 letters
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
	double spacing;         // m, distance of particles at rest; 0 with radii: twice their mean
	const float *radii;     // m, half the spacing that each particle stands for; NULL when all are alike
	const spate_surface_channel *channels;
	uint32_t channel_count;
} spate_surface_input;

typedef struct spate_surface_def
{
	spate_surface_method method;
	double cell;       // edge of a cell of the grid in spacings, 0.1 to 2
	double kernel;     // kernel radius in spacings, 1 to 4; 0 for the method's own
	double offset;     // spacings by which the surface is moved outwards; 0 encloses the particles' volume
	int smoothing;     // rounds of smoothing that does not shrink, 0 to 1000
	int refine;        // rounds of particles added between those of the surface, each of half the distance, 0 to 3
	double min_blob;   // liquid of a smaller volume is left out, in particles
	double min_cavity; // air enclosed in a smaller volume is filled, in particles
	double decimate;   // m, how far flat places may move when triangles are merged; 0 keeps all triangles
	spate_surface_normals normals;   // in the channel "normal"
	int clip;                        // keep only what is inside the box; the cut is closed
	double clip_min[3], clip_max[3]; // m
	int threads;                     // 0 for all cores; the mesh does not depend on it
} spate_surface_def;

SPATE_API spate_surface_def spate_default_surface_def(void);

// What was done. Times in seconds.
typedef struct spate_surface_stats
{
	uint32_t particles;         // that took part
	uint32_t skipped;           // not a number, or far from the box
	uint32_t surface_particles; // found to be near the surface
	uint32_t refined;           // particles added between them
	uint32_t blocks, evaluated; // blocks of 4 x 4 x 4 grid points near liquid, and those of them that were computed
	uint32_t blobs, cavities;   // left out, filled
	uint32_t mended, needles;   // of many fluids: triangles without area that were mended, that are left
	uint32_t vertices, triangles;
	double volume; // m^3, enclosed
	double area;   // m^2
	double refine, sort, weights, blocks_time, field, contour, clean, smooth, decimate, attributes, total;
} spate_surface_stats;

// Makes the surface of a liquid: closed, every edge between exactly two triangles, normals outwards. No particles give an empty mesh.
// `stats` may be NULL. On failure *mesh is NULL.
SPATE_API spate_result spate_surface_create_mesh(spate_mesh **mesh, const spate_surface_input *input,
						 const spate_surface_def *def, spate_surface_stats *stats,
						 spate_error *error);

// Many fluids: one mesh of all interfaces.
//
// Fluids are 1 to 15 by the place of their input, air is 0. Every triangle parts two of them; where three meet, three sheets share an
// edge. The triangles around one fluid are its closed surface, so that two fluids that touch have the same vertices there, and every
// place belongs to exactly one fluid or to air.
enum
{
	SPATE_SURFACE_MAX_FLUIDS = 15
};

// Owned by the caller, ended by spate_surface_many_destroy().
typedef struct spate_surface_many
{
	uint32_t fluid_count;
	spate_mesh *combined; // all interfaces, without channels
	uint8_t
	    *sides; // 2 per triangle of `combined`: the normal points from the first, which is larger, to the second
	spate_mesh **fluids; // closed surface of each fluid with its channels; fluid 1 first; empty where there is none
} spate_surface_many;

// Smooth interfaces: where the liquid ends is decided by the particles of all fluids together, as for one, and whose it is by the
// strongest of the fluids' own functions. `def` counts as for one fluid, but decimate and refine must be 0. A drop or a bubble that is
// too small goes to whom it touches most, air or a fluid. In `stats` surface_particles stays 0.
SPATE_API spate_result spate_surface_create_meshes(spate_surface_many **many, uint32_t fluids,
						   const spate_surface_input *inputs, const spate_surface_def *def,
						   spate_surface_stats *stats, spate_error *error);

// The same from the particles themselves, by cutting the tetrahedra between them: every particle is in its fluid, and the interfaces
// are as rough as the particles. Of `def` min_blob, min_cavity, smoothing, normals and threads count. Radii may have 32 different values.
SPATE_API spate_result spate_surface_chromatic(spate_surface_many **many, uint32_t fluids,
					       const spate_surface_input *inputs, const spate_surface_def *def,
					       spate_surface_stats *stats, spate_error *error);

SPATE_API void spate_surface_many_destroy(spate_surface_many *many);

// The label of a place where the mesh crosses itself, so that no fluid or several wind around it.
#define SPATE_SURFACE_TANGLED 255

// Who is at some places (3 floats each, m): 0 for air, 1 to 15 for fluids.
SPATE_API spate_result spate_surface_classify(const spate_surface_many *many, uint32_t count, const float *points,
					      uint8_t *labels, int threads, spate_error *error);

// Particles near the surface.
//
// A particle is marked by its score gamma |d| / h + beta (alpha - density), where d is how far it is from the mean of its neighbours, h
// is 4/3 spacings and density is over that at rest. Marks do not flicker: right after a change the score must pass `high` to be
// marked or `low` to be unmarked; both thresholds move to the mean of the two in 1 / decay.
typedef enum spate_surface_criterion
{
	SPATE_SURFACE_ITERATED, // d of the place mirrored at the mean of the neighbours: smooth
	SPATE_SURFACE_ONE_STEP  // d of the particle itself, with weights that end between 1.2 and 1.9 h
} spate_surface_criterion;

typedef struct spate_surface_marker_def
{
	double spacing; // m, distance of particles at rest
	spate_surface_criterion criterion;
	double alpha, beta, gamma;
	double low, high; // thresholds of the score
	double decay; // 1/s; 100 is for time steps of some milliseconds, frames want about 2; 0 keeps the thresholds
	int threads;  // 0 for all cores; marks do not depend on it
} spate_surface_marker_def;

SPATE_API spate_surface_marker_def spate_default_surface_marker_def(void);

typedef struct spate_surface_marker spate_surface_marker;

SPATE_API spate_result spate_surface_marker_create(spate_surface_marker **marker, const spate_surface_marker_def *def,
						   spate_error *error);
SPATE_API void spate_surface_marker_destroy(spate_surface_marker *marker);

// Marks the particles of a time: 1 near the surface, 0 inside, in the order of the input, which may differ from call to call. What was
// marked before is known by id, no id twice; particles that are gone are forgotten, and an earlier time than the last forgets all.
// `density` is over that at rest; NULL to find it from the positions (3 floats each, m). On failure the marker is as it was.
SPATE_API spate_result spate_surface_marker_update(spate_surface_marker *marker, double time, uint32_t count,
						   const int64_t *ids, const float *positions, const float *density,
						   uint8_t *marks, spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
