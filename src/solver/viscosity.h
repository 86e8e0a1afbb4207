// Viscosity, and the calming of noise in thin liquids.
#ifndef SOLVER_VISCOSITY_H
#define SOLVER_VISCOSITY_H

#include "solver/pair_kernels.h"
#include "solver/step_view.h"

// Smooths the velocities. Uses spare[0].
spate_result viscosity_smooth(const step_view *view, const pair_pass *pairs, spate_error *error);

// Rounds of smoothing in a substep, each about as expensive as half an iteration of PBF; many rounds are replaced by an implicit
// solve. Reads only the definition and dt of the view.
double viscosity_rounds(const step_view *view, int *implicit);

#endif
