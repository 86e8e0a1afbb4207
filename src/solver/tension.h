// Cohesion between particles, which makes a surface tension, and adhesion to walls. Both are forces, not constraints: they displace particles once
// per substep, before a solver's iterations.
#ifndef SOLVER_TENSION_H
#define SOLVER_TENSION_H

#include "solver/contacts.h"
#include "solver/pair_kernels.h"

// Surface tension over density (m^3/s^2) of a fluid with cohesion 1: ten times that of water.
#define TENSION_SCALE 7.3e-4

// Cohesion of a fluid, 0 to 1: its own, or else one of the same surface tension for solvers that have no other.
double tension_strength(const step_view *view, uint32_t fluid);
// Displacement scale (m) of a fluid's pairs in one substep, for a value of cohesion.
double tension_cohesion(const step_view *view, uint32_t fluid, double cohesion);

// Draws particles together; returns 0 when no fluid has cohesion. Uses spare[0].
int tension_cohere(const step_view *view, const pair_pass *pairs);
// Pulls rows near walls towards them by their fluid's adhesion.
void tension_adhere(contacts *near);

// Both, as changes of velocity: places and displacements, which are zero, stay as they are.
void tension_accelerate(contacts *near, const pair_pass *pairs);

// The longest substep (s) that resolves the shortest capillary waves.
double tension_longest_step(const step_view *view);

#endif
