// Levels of detail by what cameras see: more where particles are near a camera, or near the surface that it sees.
//
// Koester, Krueger: Adaptive position-based fluids: improving performance of fluid simulations for real-time applications, 2016
#ifndef SOLVER_VIEW_LEVELS_H
#define SOLVER_VIEW_LEVELS_H

#include "solver/step_view.h"

typedef enum view_measure
{
	VIEW_TO_CAMERA, // distance to the camera
	VIEW_TO_SURFACE // distance behind the visible surface, along the ray from the camera
} view_measure;

typedef struct view_range
{
	uint32_t least, most; // levels
	double near, far; // m: up to `near` the level is `most`, from `far` on it is `least`; negative for automatic
} view_range;

// Writes the levels of all rows, with fractions, the highest of all cameras, for the places of the view. Needs a camera.
spate_result view_levels_choose(const step_view *view, view_measure measure, const view_range *range, float *levels,
				spate_error *error);

#endif
