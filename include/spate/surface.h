// Surfaces of liquids: from particles to one closed triangle mesh.
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
	uint32_t blocks, evaluated; // blocks of 4 x 4 x 4 grid points near liquid, and those of them that were computed
	uint32_t blobs, cavities;   // left out, filled
	uint32_t vertices, triangles;
	double volume; // m^3, enclosed
	double area;   // m^2
	double sort, weights, blocks_time, field, contour, clean, smooth, decimate, attributes, total;
} spate_surface_stats;

// Makes the surface of a liquid: closed, every edge between exactly two triangles, normals outwards. No particles give an empty mesh.
// `stats` may be NULL. On failure *mesh is NULL.
SPATE_API spate_result spate_surface_create_mesh(spate_mesh **mesh, const spate_surface_input *input,
						 const spate_surface_def *def, spate_surface_stats *stats,
						 spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
