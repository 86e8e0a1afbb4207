// The inner loops of position-based fluids, built once per instruction set. Each runs over slices of eight particles and their
// interleaved neighbour lists (space/neighbour_list.h).
#ifndef SOLVER_PBF_KERNELS_H
#define SOLVER_PBF_KERNELS_H

#include "base/simd_level.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

// What the passes share. Masses are in units of a reference mass, so that one fluid has mass 1.
typedef struct pbf_pass
{
	// neighbours
	const uint64_t *slice_begin;
	const uint32_t *slice_length;
	const uint32_t *entries;
	uint32_t count; // particles; row `count` is the dummy

	// kernels of radius h in terms of q = r / h, with the particles' rest volume multiplied in
	float inverse_h; // 1/m
	float poly6;     // V W(0), factor of (1 - q^2)^3
	float spiky;     // 1/m, factor of (1 - q)^2 in the magnitude of V grad W
	float beta;       // relaxation of the Jacobi iteration
	float stiffness;  // k of the prototype neighbourhood, for mass 1
	float attraction; // f(kappa), the deepest density deficit that still pulls
	float tensile;    // g(kappa) times stiffness, beta and volume; 0 for none
	float tensile_w;  // W(0) / W(dq), over V W(0)

	const vec4 *wall;     // gradient (1/m) and value of the wall term
	float *row_stiffness; // of each row, found by the first pass
	int one_fluid;        // all particles have the same mass and smoothing
} pbf_pass;

// Both work on rows [8 first, 8 last) and are given all arrays of particles.
typedef struct pbf_kernels
{
	// From places and inverse masses (w) to places and multipliers (w); also the constraint C and the stiffness of each row.
	// Returns the sum of max(C, 0), and the largest C in *largest.
	double (*multipliers)(const pbf_pass *pass, const vec4 *places, vec4 *multipliers, float *constraint,
			      uint32_t first, uint32_t last, float *largest);

	// The same with the stiffness of the substep's first pass: particles move too little within a substep to change it, and
	// the density alone takes less than half the time.
	double (*densities)(const pbf_pass *pass, const vec4 *places, vec4 *multipliers, float *constraint, uint32_t first,
			    uint32_t last, float *largest);

	// From places and multipliers (w) to corrections, added to `moved` and to the places, whose w becomes the inverse mass again.
	// The multipliers add up in the w of `moved`.
	void (*corrections)(const pbf_pass *pass, const vec4 *multipliers, const float *inverse_mass, vec4 *places,
			    vec4 *moved, uint32_t first, uint32_t last);

	// One XSPH round with coefficient c per row (w of velocities): from `velocities` to `out`.
	void (*smooth_velocity)(const pbf_pass *pass, const vec4 *places, const vec4 *velocities, vec4 *out,
				uint32_t first, uint32_t last);
} pbf_kernels;

SIMD_TABLE(pbf_kernels, pbf_kernels_table)

#endif
