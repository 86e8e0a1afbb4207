// Viscosity that knows walls, for solvers with images (docs/theory/viscosity.md). Neighbours exchange velocity by the Laplacian of SPH, images
// included: liquid slips freely along mirrors. Walls that have a slip length b drag the liquid besides, by the law of Navier,
//
//   stress = viscosity * density * slide / (distance + b)
//
// with the velocity relative to the wall. A velocity that grows linearly from the wall is then a steady state, whatever the packing.
#ifndef SOLVER_SHEAR_H
#define SOLVER_SHEAR_H

#include "solver/images.h"
#include "solver/shear_kernels.h"

typedef struct shear
{
	const contacts *near;
	const image_set *images;
	shear_pass pass;
	const vec4 *places;       // of particles and images, with inverse masses in their w
	vec4 *velocities, *other; // with room for images; the first holds the velocities before and after
	const float *constraint;  // density error of particles
	double moment;            // sum over the lattice of V F x^2, 1 for fine spacing; see shear_kernels.h
} shear;

// Smooths the velocities, and charges walls for what they give.
spate_result shear_smooth(const shear *shear, spate_error *error);

#endif
