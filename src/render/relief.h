// The large-scale shape of the liquid: normals of the smoothed depth image, so that a surface made of spheres is lit as
// one surface.
#ifndef RENDER_RELIEF_H
#define RENDER_RELIEF_H

#include "base/camera.h"
#include "base/memory.h"
#include "spate/result.h"

#include <stdint.h>

typedef struct relief_cell
{
	vec3 normal;   // view space, towards the eye
	float inverse; // 1 / depth, smoothed; 0 where there is no liquid
	float filled;  // fraction of the cell covered by liquid, 0..1
} relief_cell;

typedef struct relief
{
	int step; // pixels of the depth image per cell
	int width, height;
	float reach; // m; larger depth differences mean different surfaces
	relief_cell *cells;
} relief;

// Pixels whose id has bit 31 set are not liquid. `step` is the side of a cell in pixels; cells live in the scratch.
spate_result relief_make(relief *out, const camera_view *view, const float *depth, const uint32_t *id, int step,
			 float reach, int threads, arena *scratch, spate_error *error);

// The smooth normal at a pixel, multiplied by its reliability (0..1).
vec3 relief_normal(const relief *from, int x, int y, float depth);

#endif
