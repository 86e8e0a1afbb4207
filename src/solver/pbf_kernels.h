// The inner loops of position-based fluids, built once per instruction set. Each runs over slices of eight particles and their
// interleaved neighbour lists (space/neighbour_list.h).
#ifndef SOLVER_PBF_KERNELS_H
#define SOLVER_PBF_KERNELS_H

#include "base/simd_level.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

// What differs from fluid to fluid. Where all fluids of a scene agree in radius and surface tension, the passes take these from
// constants; else from an array by row.
typedef struct pbf_traits
{
	float half_h; // m, half of the kernel radius: the radius of a pair is the sum of two halves
	float volume; // at rest, in units of h^3 of the reference radius
	float pull,
	    push; // m: displacement scales of surface tension's attraction and repulsion; a pair takes the means
} pbf_traits;

// What the passes share. Masses are in units of a reference mass, so that one fluid has mass 1; volumes in units of the cube of a
// reference radius.
typedef struct pbf_pass
{
	// neighbours
	const uint64_t *slice_begin;
	const uint32_t *slice_length;
	const uint32_t *entries;
	uint32_t count; // particles; row `count` is the dummy

	int mixed;                // rows differ in radius, volume or surface tension: `traits` holds what each has
	int equal_masses;         // particles of one radius have the same mass
	pbf_traits same;          // of all rows, unless mixed
	const pbf_traits *traits; // by row, when mixed

	float reference_h; // m, radius whose cube is the unit of volume
	float beta;        // relaxation of the Jacobi iteration
	float light;       // inverse mass above which the correction per iteration is limited
	float stiffness;   // k of the prototype neighbourhood for mass 1, over h^2
	float omega;       // Chebyshev weight of this iteration, 1 for plain Jacobi

	// gradient (1/m) and value of the wall term: most slices are far from all walls and share a group of eight zeros
	const vec4 *walls;
	const uint32_t *wall_group; // of each slice
	float *row_stiffness;       // of each row, found by the first pass
} pbf_pass;

// All work on rows [8 first, 8 last) and are given whole arrays.
typedef struct pbf_kernels
{
	// Reads places and inverse masses (w), writes places and multipliers (w), and the constraint C and the stiffness of each
	// row. Returns the sum of max(C, 0), and the largest C in *largest.
	double (*multipliers)(const pbf_pass *pass, const vec4 *places, vec4 *multipliers, float *constraint,
			      uint32_t first, uint32_t last, float *largest);

	// The same, reusing the stiffness of the substep's first pass: particles move too little within a substep to change it,
	// and computing only the density takes less than half the time.
	double (*densities)(const pbf_pass *pass, const vec4 *places, vec4 *multipliers, float *constraint,
			    uint32_t first, uint32_t last, float *largest);

	// Turns places and multipliers (w) into corrections, which are added to `moved` and to the places, whose w stays the
	// inverse mass. With omega, a share of the last correction (`step`, updated for the next call) is repeated. The w of
	// `moved` sums the multipliers that push.
	void (*corrections)(const pbf_pass *pass, const vec4 *multipliers, vec4 *places, vec4 *moved, vec4 *step,
			    uint32_t first, uint32_t last);

	// Writes the displacements by surface tension, a sum over pairs, to `out`.
	void (*cohesion)(const pbf_pass *pass, const vec4 *places, vec4 *out, uint32_t first, uint32_t last);

	// One round of XSPH from `velocities` to `out`; the w of the velocities is the coefficient.
	void (*smooth_velocity)(const pbf_pass *pass, const vec4 *places, const vec4 *velocities, vec4 *out,
				uint32_t first, uint32_t last);

	// The same, but only along the line between the two particles, which conserves angular momentum.
	void (*smooth_along)(const pbf_pass *pass, const vec4 *places, const vec4 *velocities, vec4 *out,
			     uint32_t first, uint32_t last);

	// Curl of the velocities (1/s), with its magnitude in w.
	void (*curl)(const pbf_pass *pass, const vec4 *places, const vec4 *velocities, vec4 *out, uint32_t first,
		     uint32_t last);

	// Acceleration of vorticity confinement (m/s^2) from curls: h |curl| N x curl, with N along the gradient of |curl|.
	void (*confinement)(const pbf_pass *pass, const vec4 *places, const vec4 *curls, vec4 *out, uint32_t first,
			    uint32_t last);
} pbf_kernels;

SIMD_TABLE(pbf_kernels, pbf_kernels_table)

#endif
