// Sums over pairs of viscosity that knows walls (shear.h), built once per instruction set:
//
//   (L v)_i = sum_j w_ij (v_j - v_i),   w_ij = min(c_i, c_j) 2 m_j / (m_i + m_j) V_ij F(r)
//
// with F = |W'| / r of Wendland's kernel, or half of the Laplacian of the viscosity kernel.
//
// j includes the images of particles behind walls. A pair of a particle and an image gives half of its exchange to each; what the image gets
// is returned to its particle, so that the matrix is symmetric at any wall.
#ifndef SOLVER_SHEAR_KERNELS_H
#define SOLVER_SHEAR_KERNELS_H

#include "solver/pair_kernels.h"

typedef struct shear_pass
{
	pair_pass pairs;
	int along;     // only the part of a difference that is along the line between the two is exchanged
	int laplacian; // F is that of the viscosity kernel
} shear_pass;

// Both are given whole arrays, images included; the w of places is the inverse mass, that of velocities the coefficient c (m^2).
typedef struct shear_kernels
{
	// Writes v + L v of rows [8 first, 8 last).
	void (*smooth)(const shear_pass *pass, const vec4 *places, const vec4 *velocities, vec4 *out, uint32_t first,
		       uint32_t last);

	// Writes what images [8 first, 8 last) get.
	void (*smooth_images)(const shear_pass *pass, const vec4 *places, const vec4 *velocities, vec4 *out,
			      uint32_t first, uint32_t last);
} shear_kernels;

SIMD_TABLE(shear_kernels, shear_kernels_table)

#endif
