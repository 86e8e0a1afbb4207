// Radii, rest volumes and masses of the particles of a substep, as sums over pairs need them.
#ifndef SOLVER_PAIRS_H
#define SOLVER_PAIRS_H

#include "solver/pair_kernels.h"
#include "solver/step_view.h"

// Rest density (kg/m^3) of the heaviest fluid or particle, and its ratio to that of the lightest, at most the contrast of the view.
double pairs_densest(const step_view *view);
double pairs_density_ratio(const step_view *view);

// Inverse of a particle's mass in units of the first fluid's; `densest` as above.
float pairs_inverse_mass(const step_view *view, uint32_t fluid, double density, double densest);

// Sets up the passes, writes inverse masses into the w of the places and v dt into `moved`. `volume` is the rest volume of a particle on
// the lattice of spacing 1, see prototype.h.
spate_result pairs_start(pair_pass *pairs, const step_view *view, double volume, spate_error *error);

#endif
