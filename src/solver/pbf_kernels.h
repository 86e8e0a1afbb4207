// The inner loops of position-based fluids, built once per instruction set. Each runs over slices of eight particles and their
// interleaved neighbour lists (space/neighbour_list.h).
#ifndef SOLVER_PBF_KERNELS_H
#define SOLVER_PBF_KERNELS_H

#include "solver/pair_kernels.h"

// What the passes share.
typedef struct pbf_pass
{
	pair_pass pairs;

	float beta;      // relaxation of the Jacobi iteration
	float light;     // inverse mass above which the correction per iteration is limited
	float stiffness; // k of the prototype neighbourhood for mass 1, over h^2
	float omega;     // Chebyshev weight of this iteration, 1 for plain Jacobi

	// The images that rows see are rows of this array. Their w is the inverse mass for multipliers, and the multiplier of their
	// particle for corrections.
	const vec4 *image_places;
	// What images have pushed rows with (m), in all corrections and in the last one. Slices have groups of eight records. NULL if nobody
	// wants to know.
	vec4 *pushed, *pushed_last;
	const uint32_t *wall_group; // of each slice; those without images share the first group
	float *row_stiffness;       // of each row, found by the first pass

	// Slices that take part; NULL for all.
	const uint32_t *slices;
} pbf_pass;

// The sum of density errors counts these. Densities from 1 on are multiples of it, so that no error is rounded, and integers have the
// same sum in any order. More than the most of a particle counts as the most; then the sum of 2^32 of them fits 64 bits.
#define PBF_ERROR_UNIT 0x1p-23
#define PBF_ERROR_MOST 255.0f

// All work on slices [first, last) of `slices`, or of all, and are given whole arrays.
typedef struct pbf_kernels
{
	// Reads places and inverse masses (w), writes places and multipliers (w), and the constraint C and the stiffness of each
	// row. Returns the sum of max(C, 0) in units of PBF_ERROR_UNIT, and the largest C in *largest.
	int64_t (*multipliers)(const pbf_pass *pass, const vec4 *places, vec4 *multipliers, float *constraint,
			       uint32_t first, uint32_t last, float *largest);

	// The same, reusing the stiffness of the substep's first pass: particles move too little within a substep to change it,
	// and computing only the density takes less than half the time.
	int64_t (*densities)(const pbf_pass *pass, const vec4 *places, vec4 *multipliers, float *constraint,
			     uint32_t first, uint32_t last, float *largest);

	// Turns places and multipliers (w) into corrections, which are added to `moved` and to the places, whose w stays the
	// inverse mass. With omega, a share of the last correction (`step`, updated for the next call) is repeated. The w of
	// `moved` sums the multipliers that push.
	void (*corrections)(const pbf_pass *pass, const vec4 *multipliers, vec4 *places, vec4 *moved, vec4 *step,
			    uint32_t first, uint32_t last);
} pbf_kernels;

SIMD_TABLE(pbf_kernels, pbf_kernels_table)

#endif
