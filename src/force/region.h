// Where and on whom a force acts: weights by shape, fall-off and fluid.
#ifndef FORCE_REGION_H
#define FORCE_REGION_H

#include "force/force.h"

// Whether a force has a shape; without one it acts everywhere.
int region_is_limited(const spate_force_def *own);
// Weights of rows, 0 to 1. Returns 0 when all are 0. `own` may be NULL.
int region_weigh(const spate_force_def *own, const force_rows *rows, float *weights);
// The same of one distance (m) from the shape, negative inside.
float region_weight(float distance, float falloff);

#endif
