// Viscosity, and the calming of noise in thin liquids.
#ifndef SOLVER_VISCOSITY_H
#define SOLVER_VISCOSITY_H

#include "solver/pair_kernels.h"
#include "solver/step_view.h"

// Smooths the velocities. Uses spare[0].
spate_result viscosity_smooth(const step_view *view, const pair_pass *pairs, spate_error *error);

// Coefficient of XSPH for one substep of dt (s): c = 22 nu dt / h^2 of a viscosity nu (m^2/s) and a kernel radius h (m). A damping of at
// least 0 is the coefficient itself.
double viscosity_coefficient(double viscosity, double damping, double radius, double dt);

// Viscosity (m^2/s) of the smoothing that a liquid in motion gets however thin it is, for its spacing and kernel radius (m).
double viscosity_of_calming(double spacing, double radius, double gravity, double dt);

// Rounds of smoothing that a coefficient takes with the viscosity model of the settings; if they are many, *implicit is set, and an
// implicit solve replaces them.
double viscosity_rounds_for(double coefficient, const spate_solver_def *settings, int *implicit);

// Rounds of smoothing in a substep for the thickest fluid and the calming, each about as expensive as half an iteration of PBF.
// Reads only the definition and dt of the view.
double viscosity_rounds(const step_view *view, int *implicit);

#endif
