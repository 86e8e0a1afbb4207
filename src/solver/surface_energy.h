// Surface tension in N/m: particles at the surface, which miss neighbours, have an energy, and its gradient in the places of the
// particles is the force (docs/theory/surface_tension.md):
//
//   E = k/2 sum_i V_i max(c_0 - c_i, 0)^2 + sum_i V_i phi(distance to the wall) + E of the interfaces between fluids
//
// c is that of surface_kernels.h, c_0 its value inside the liquid. phi makes contact angles other than 90 degrees.
#ifndef SOLVER_SURFACE_ENERGY_H
#define SOLVER_SURFACE_ENERGY_H

#include "solver/images.h"
#include "solver/surface_kernels.h"

// Constants of the lattice of spacing 1 for a kernel radius in spacings.
typedef struct surface_lattice
{
	double inside;    // c_0
	double stiffness; // k for a tension of 1: a surface at rest has the energy 1 per area
	double wall;      // what layers of liquid on a wall sum of (1 - distance / h)^2, per area
} surface_lattice;

// `volume` is that of a particle on the lattice.
surface_lattice surface_lattice_make(double radius, double volume);

typedef struct surface_between
{
	const spate_interface_def *interface;
	float *sides; // by row, images included; see surface_kernels.h
	float *other; // by row: how much of the surroundings is the other fluid
	float *pull;  // by row (N/m^2), of all interfaces
} surface_between;

typedef struct surface_energy
{
	const step_view *view;
	const surface_lattice *lattice;
	contacts *near;
	const image_set *images;
	surface_pass pass;
	vec4 *places;              // images included; the w is overwritten
	const float *inverse_mass; // by row, in units of the first fluid's
	float *cover;              // scratch by row
	vec4 *forces;              // scratch by row
	surface_between between;   // scratch for interfaces between fluids
} surface_energy;

// Surface tension of a fluid (N/m).
double surface_energy_tension(const step_view *view, uint32_t fluid);
// The largest of a fluid's tensions: its own and those of its interfaces.
double surface_energy_largest(const step_view *view, uint32_t fluid);
// Whether there is any.
int surface_energy_acts(const step_view *view);

// Changes velocities by what tension and walls do in a substep, and charges the walls. Fails only for lack of memory.
spate_result surface_energy_accelerate(const surface_energy *energy, vec4 *velocities, spate_error *error);

// The longest substep (s) that resolves the shortest capillary waves.
double surface_energy_longest_step(const step_view *view);

#endif
