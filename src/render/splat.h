// Spheres, many of them, into a depth image: every pixel gets the exact depth of the nearest sphere along its ray and
// the number of that sphere. Shading is somebody else's work.
//
// Spheres are projected and counted into tiles of 64 x 64 pixels, block by block in a fixed cut, so that the lists of
// the tiles are the same on any number of threads. A tile is then drawn by one thread, roughly from front to back.
// Where two spheres have the very same depth the lower index wins, which makes the picture independent of any order at
// all.
#ifndef RENDER_SPLAT_H
#define RENDER_SPLAT_H

#include "base/memory.h"
#include "render/camera.h"
#include "spate/result.h"

#include <float.h>
#include <stdint.h>

#define SPLAT_FAR FLT_MAX     // depth where nothing was hit
#define SPLAT_NONE UINT32_MAX // id where nothing was hit

typedef struct splat_spheres
{
	const float *positions; // x, y, z of the first; m
	size_t stride;          // floats from one to the next, at least 3
	size_t count;           // less than 2^31
	const float *radii;     // m, one per kind
	int kinds;
	const int32_t *kind; // per sphere, or NULL when all are of kind 0
} splat_spheres;

typedef struct splat_target
{
	float *depth; // m along the view direction, width x height, top row first
	uint32_t *id; // index of the sphere, or NULL
} splat_target;

// Left out: places that are not numbers, kinds that do not exist, radii not above 0, spheres behind the eye and those
// that reach the plane of the eye. A sphere that looks smaller than `least_radius` pixels is drawn that large, so that
// spray does not vanish between pixels; 0 draws everything exactly. The scratch is handed back when the caller resets
// it.
spate_result splat_render(const camera_view *view, const splat_spheres *spheres, float least_radius, int threads,
			  arena *scratch, const splat_target *target, spate_error *error);

// The depth image alone, of spheres of one radius, exactly.
spate_result splat_depth(const camera *from, int width, int height, const float *positions, size_t stride, size_t count,
			 float radius, int threads, float *depth, spate_error *error);

#endif
