// Sizes of shapes, for checks and estimates.
#ifndef SCENE_MEASURE_H
#define SCENE_MEASURE_H

#include "spate/scene.h"

// m^3; infinite for a plane.
double shape_volume(const spate_shape *shape);
// Least extent, m; infinite for a plane.
double shape_width(const spate_shape *shape);
// Corners of a box around it, m; infinite for a plane.
void shape_bounds(const spate_shape *shape, double low[3], double high[3]);
// Particles that a source has made by `time` (s).
double source_particles(const spate_source_def *source, const spate_fluid_def *fluid, double time);

#endif
