// Ambient occlusion of creases and contacts, computed from the depth image alone.
#ifndef RENDER_OCCLUSION_H
#define RENDER_OCCLUSION_H

#include "base/camera.h"
#include "base/memory.h"
#include "spate/result.h"

typedef struct occlusion
{
	int step; // pixels of the depth image per value
	int width, height;
	float *open; // 1 unoccluded, 0 fully occluded
} occlusion;

// `reach` is the distance in m over which surfaces darken each other. Values live in the scratch.
spate_result occlusion_make(occlusion *out, const camera_view *view, const float *depth, int step, float reach,
			    int threads, arena *scratch, spate_error *error);

static inline float occlusion_at(const occlusion *from, int x, int y)
{
	return from->open[(size_t)(y / from->step) * (size_t)from->width + (size_t)(x / from->step)];
}

#endif
