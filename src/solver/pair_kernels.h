// Sums over neighbours that any solver can use, built once per instruction set. Each runs over slices of eight particles and their
// interleaved neighbour lists (space/neighbour_list.h).
#ifndef SOLVER_PAIR_KERNELS_H
#define SOLVER_PAIR_KERNELS_H

#include "base/simd_level.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

// What differs from fluid to fluid. Where all fluids of a scene agree in radius and surface tension, the passes take these from
// constants; else from an array by row.
typedef struct pair_traits
{
	float half_h; // m, half of the kernel radius: the radius of a pair is the sum of two halves
	float volume; // at rest, in units of h^3 of the reference radius
	float pull,
	    push; // m: displacement scales of surface tension's attraction and repulsion; a pair takes the means
} pair_traits;

// Lists as in space/neighbour_list.h, in slices of eight rows or eight images; entries are rows.
typedef struct image_list
{
	uint32_t slices;
	uint32_t *begin, *length; // in entries, and in entries per lane
	uint32_t *entries;
} image_list;

// What the passes share. Masses are in units of a reference mass, so that one fluid has mass 1; volumes in units of the cube of a
// reference radius.
typedef struct pair_pass
{
	// neighbours
	const uint64_t *slice_begin;
	const uint32_t *slice_length;
	const uint32_t *entries;
	uint32_t count; // particles; row `count` is the dummy

	// Images of particles behind walls (images.h), for passes that look at them: those that rows see, the rows that see each image,
	// and the row of the first one.
	image_list seen, seers;
	uint32_t first_image;

	int mixed;                 // rows differ in radius, volume or surface tension: `traits` holds what each has
	int equal_masses;          // particles of one radius have the same mass
	pair_traits same;          // of all rows, unless mixed
	const pair_traits *traits; // by row, when mixed

	float reference_h; // m, radius whose cube is the unit of volume
} pair_pass;

// All work on rows [8 first, 8 last) and are given whole arrays; the w of places is the inverse mass.
typedef struct pair_kernels
{
	// Writes the displacements by surface tension, a sum over pairs, to `out`.
	void (*cohesion)(const pair_pass *pass, const vec4 *places, vec4 *out, uint32_t first, uint32_t last);

	// One round of XSPH from `velocities` to `out`; the w of the velocities is the coefficient.
	void (*smooth_velocity)(const pair_pass *pass, const vec4 *places, const vec4 *velocities, vec4 *out,
				uint32_t first, uint32_t last);

	// The same, but only along the line between the two particles, which conserves angular momentum.
	void (*smooth_along)(const pair_pass *pass, const vec4 *places, const vec4 *velocities, vec4 *out,
			     uint32_t first, uint32_t last);

	// Curl of the velocities (1/s), with its magnitude in w.
	void (*curl)(const pair_pass *pass, const vec4 *places, const vec4 *velocities, vec4 *out, uint32_t first,
		     uint32_t last);

	// Acceleration of vorticity confinement (m/s^2) from curls: h |curl| N x curl, with N along the gradient of |curl|.
	void (*confinement)(const pair_pass *pass, const vec4 *places, const vec4 *curls, vec4 *out, uint32_t first,
			    uint32_t last);
} pair_kernels;

SIMD_TABLE(pair_kernels, pair_kernels_table)

#endif
