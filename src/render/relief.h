// The large shape of the liquid: normals of the smoothed depth image, so that a surface made of spheres is lit as a
// surface.
#ifndef RENDER_RELIEF_H
#define RENDER_RELIEF_H

#include "base/memory.h"
#include "render/camera.h"
#include "spate/result.h"

#include <stdint.h>

typedef struct relief_cell
{
	vec3 normal;   // view space, towards the eye
	float inverse; // 1 / depth, smoothed; 0 where there is no liquid
	float filled;  // part of the cell that is liquid, 0..1
} relief_cell;

typedef struct relief
{
	int step; // pixels of the depth image per cell
	int width, height;
	float reach; // m; depths further apart are different surfaces
	relief_cell *cells;
} relief;

// Pixels whose id has bit 31 set are not liquid. `step` is the side of a cell in pixels; cells live in the scratch.
spate_result relief_make(relief *out, const camera_view *view, const float *depth, const uint32_t *id, int step,
			 float reach, int threads, arena *scratch, spate_error *error);

// The smooth normal at a pixel, times how much it is to be trusted (0..1).
vec3 relief_normal(const relief *from, int x, int y, float depth);

#endif
