// Sums over pairs of the SPH solvers (docs/theory/wcsph.md), built once per instruction set. Poly6 for density, spiky for gradients:
//
//   C_i = sum_j V_j W_ij - 1                                density error
//   R_i = sum_j V_j (v_i - v_j) . grad W_ij                 rate of compression, minus the divergence of the velocities
//   a_i = -s_i sum_j V_j (p_i + p_j) grad W_ij              acceleration by pressure, s_i = 1 / density
//
// j includes the images of particles behind walls.
#ifndef SOLVER_SPH_KERNELS_H
#define SOLVER_SPH_KERNELS_H

#include "base/simd_level.h"
#include "solver/shear_kernels.h"

// All work on rows [8 first, 8 last) and are given whole arrays, images included. The lists are those of viscosity.
typedef struct sph_kernels
{
	void (*densities)(const shear_pass *pass, const vec4 *places, float *errors, uint32_t first, uint32_t last);

	// Both of C and R, at the price of a little more than one.
	void (*rates)(const shear_pass *pass, const vec4 *places, const vec4 *velocities, float *errors, float *rates,
		      uint32_t first, uint32_t last);

	// The w of places is the pressure (Pa), `scale` is s (m^3/kg); out in m/s^2.
	void (*push)(const shear_pass *pass, const vec4 *places, const float *scale, vec4 *out, uint32_t first,
		     uint32_t last);
} sph_kernels;

SIMD_TABLE(sph_kernels, sph_kernels_table)

#endif
