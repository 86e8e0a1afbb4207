// Vorticity confinement.
#ifndef SOLVER_VORTICITY_H
#define SOLVER_VORTICITY_H

#include "solver/pair_kernels.h"
#include "solver/step_view.h"

// Energy of the velocities, each particle weighted by its fluid's `vorticity`; 0 when no fluid has any.
double vorticity_energy(const step_view *view);
// Gives back to the vortices what smoothing has taken since the energy was `before`. Uses both spare arrays.
void vorticity_confine(const step_view *view, const pair_pass *pairs, double before);

#endif
