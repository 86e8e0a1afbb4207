// Draws many spheres into a depth image: every pixel gets the exact depth of the nearest sphere along its ray and the
// index of that sphere. Shading is done elsewhere.
//
// Spheres are projected and counted into tiles of 64 x 64 pixels, in fixed blocks, so that the lists of the tiles are
// the same for any number of threads. A tile is then drawn by one thread, roughly from front to back. Of spheres with
// exactly the same depth the lowest index wins, which makes the picture independent of the drawing order.
#ifndef RENDER_SPLAT_H
#define RENDER_SPLAT_H

#include "base/camera.h"
#include "base/memory.h"
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

// Skips non-finite positions, kinds that do not exist, radii not above 0, and spheres that are behind the eye or touch
// its plane. A sphere that appears smaller than `least_radius` pixels is drawn at that size, so that spray does not
// vanish between pixels; 0 draws everything exactly. The scratch is released when the caller resets it.
spate_result splat_render(const camera_view *view, const splat_spheres *spheres, float least_radius, int threads,
			  arena *scratch, const splat_target *target, spate_error *error);

// Draws only the depth image, for spheres of one radius, at their exact size.
spate_result splat_depth(const camera *from, int width, int height, const float *positions, size_t stride, size_t count,
			 float radius, int threads, float *depth, spate_error *error);

#endif
