// Motion before particles meet anything: prediction, and how long it may last.
#ifndef SOLVER_MOTION_H
#define SOLVER_MOTION_H

#include "solver/step_view.h"

// v += dt a, then x += dt v. Returns whether there were runaways, which are not advanced.
int motion_predict(const step_view *view);

// Only v += dt a.
int motion_accelerate(const step_view *view);

// Longest substep (s) in which liquid among liquid travels no further than `cfl` kernel radii; stray drops may travel further.
double motion_longest_step(const step_view *view, const step_state *state, double cfl);

#endif
