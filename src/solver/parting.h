// Particles that have been pressed into one place, in a narrow gap for instance, do not leave it by themselves: the push of a pair vanishes, or
// has no direction, where the two meet. They are parted without making velocity.
#ifndef SOLVER_PARTING_H
#define SOLVER_PARTING_H

#include "solver/step_view.h"

// Density error from which on pairs are looked at.
#define PARTING_CROWDED 0.1f

// Adds to the shifts (m) of rows whose density error is larger than that, given their places.
void parting_add(const step_view *view, const vec4 *places, const float *errors, vec4 *shifts);

#endif
