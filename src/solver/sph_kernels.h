// Sums over pairs of the SPH solvers (docs/theory/wcsph.md), built once per instruction set. Poly6 for density, spiky for gradients:
//
//   C_i = sum_j V_j W_ij - 1                                density error
//   R_i = sum_j V_j (v_i - v_j) . grad W_ij                 rate of compression, minus the divergence of the velocities
//   A_i = sum_j V_j^2 |grad W_ij| |grad W'_ij| (w_i + w_j) / 2   response of C to a particle's own pressure, W' is poly6, w = 1 / mass
//   (D v)_i = sum_j V_ij m_ij W_ij (v_j - v_i)              difference of a velocity to those around, m_ij = 2 m_j / (m_i + m_j)
//   a_i = -s_i sum_j V_j (p_i + p_j) grad W_ij - k (D u)_i  acceleration by pressure, s_i = 1 / density, and by calming
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

	// C, R, A and D v in one pass; the w of places is the inverse mass, which becomes the w of the differences.
	void (*measure)(const shear_pass *pass, const vec4 *places, const vec4 *velocities, float *errors, float *rates,
			float *responses, vec4 *differences, uint32_t first, uint32_t last);

	// The w of places is the pressure (Pa), `scale` is s (m^3/kg); out in m/s^2. The differences are u and `calming` is k (1/s); none if it
	// is zero.
	void (*push)(const shear_pass *pass, const vec4 *places, const float *scale, const vec4 *differences,
		     float calming, vec4 *out, uint32_t first, uint32_t last);
} sph_kernels;

SIMD_TABLE(sph_kernels, sph_kernels_table)

#endif
