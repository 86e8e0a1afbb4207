// Sums over pairs of the projection solver (docs/theory/projection.md), built once per instruction set. One kernel, Wendland's C4, serves
// for density and gradient. With g_ij = V_j grad W_ij:
//
//   C_i      = sum_j V_j W_ij - 1
//   (D v)_i  = sum_j (v_i - v_j) . g_ij                                rate of C
//   (T l)_i  = sum_j (V_j l_i + V_i l_j) grad W_ij                     transpose of D: minus the impulse of multipliers l
//
// j includes the images of particles behind walls. With corrections L of the rows, L_i grad W_ij takes the place of grad W_ij in D, and
// V_j l_i L_i + V_i l_j L_j that of the multipliers in T.
#ifndef SOLVER_PROJECTION_KERNELS_H
#define SOLVER_PROJECTION_KERNELS_H

#include "base/simd_level.h"
#include "base/vec.h"
#include "solver/pair_kernels.h"

typedef struct projection_pass
{
	pair_pass pairs;
	const float *inverse_mass; // by row, in units of the first fluid's
	// Symmetric matrices by row: xx, xy, xz, yy in the first array, yz, zz in the second. Corrections L, NULL for none; and l L, which
	// is 0 for images.
	const vec4 *correction[2], *loads[2];
} projection_pass;

// All work on rows [8 first, 8 last) and are given whole arrays, images included.
typedef struct projection_kernels
{
	// C and the diagonal of D M^-1 T, without corrections; the w of places is the inverse mass. The moments - sum_j V_j grad W_ij x_ij
	// are symmetric matrices, as above; NULL if nobody wants them.
	void (*constraints)(const projection_pass *pass, const vec4 *places, float *constraint, float *diagonal,
			    vec4 *const *moments, uint32_t first, uint32_t last);

	// M^-1 T l, with l in the w of places, 0 in that of images; and for slices of images what belongs to their particles.
	void (*push)(const projection_pass *pass, const vec4 *places, vec4 *out, uint32_t first, uint32_t last);
	void (*push_images)(const projection_pass *pass, const vec4 *places, vec4 *out, uint32_t first, uint32_t last);

	// D v.
	void (*rate)(const projection_pass *pass, const vec4 *places, const vec4 *velocities, float *out,
		     uint32_t first, uint32_t last);

	// Difference of a velocity to those around: sum_j V_j W_ij (v_j - v_i), momentum conserved.
	void (*difference)(const projection_pass *pass, const vec4 *places, const vec4 *velocities, vec4 *out,
			   uint32_t first, uint32_t last);

	// Writes those of `count` rows whose squared distance from a place is at most `reach2`, in their order, and returns how many there
	// are. Reads and writes whole groups of eight: rows that fill up the last group have a negative reach.
	uint32_t (*within)(const vec4 *places, vec4 from, const uint32_t *rows, const float *reach2, uint32_t count,
			   uint32_t *out);
} projection_kernels;

SIMD_TABLE(projection_kernels, projection_kernels_table)

#endif
