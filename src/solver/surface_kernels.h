// Sums over pairs of surface tension as an energy (surface_energy.h), built once per instruction set. The kernel B is wide and smooth,
// so that a particle at the surface misses many neighbours:
//
//   B        = 105 / (32 pi h^3) (1 - q^2)^2
//   c_i      = sum_j V_j B_ij                       how much of its surroundings is liquid, itself included
//   f_i      = -sum_j V_j (s_i + s_j) grad B_ij     force per volume, for s = dE/dc / V
//
// j includes the images of particles behind walls. With `sides`, 1 for one fluid, -1 for another and 0 for all others, only pairs of one
// and the other count.
#ifndef SOLVER_SURFACE_KERNELS_H
#define SOLVER_SURFACE_KERNELS_H

#include "solver/pair_kernels.h"

#define SURFACE_NORM (105.0 / (32.0 * 3.14159265358979323846))

typedef struct surface_pass
{
	pair_pass pairs;
	const float *sides; // by row, images included; NULL for all pairs
} surface_pass;

// Both work on rows [8 first, 8 last) and are given whole arrays, images included.
typedef struct surface_kernels
{
	// Writes c, without the particle itself between sides.
	void (*cover)(const surface_pass *pass, const vec4 *places, float *out, uint32_t first, uint32_t last);

	// Writes f (N/m^3) for s (N/m^2) in the w of places, and 0 in w.
	void (*forces)(const surface_pass *pass, const vec4 *places, vec4 *out, uint32_t first, uint32_t last);
} surface_kernels;

SIMD_TABLE(surface_kernels, surface_kernels_table)

#endif
