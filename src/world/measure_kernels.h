// Sums and extremes over particles, eight rows at a time. The sums have the same bits for any order and any grouping of the rows.
//
// Every term has a bound that is known beforehand. For |x| < 2^e and a large number s = 1.5 * 2^(e + 12), the part h = (s + x) - s is x
// rounded to a multiple of 2^(e - 40), and x - h is exact. The same again 40 bits lower cuts a part from the rest; what is left below
// 2^(e - 80) is dropped, for each term by itself. Neither the high nor the low parts of MEASURE_ROWS terms need more than 53 bits, so no
// addition rounds. The sums of blocks of rows go to exact totals.
//
//	Rump, Ogita, Oishi: Accurate floating-point summation, part I, 2008, algorithm 3.2
#ifndef WORLD_MEASURE_KERNELS_H
#define WORLD_MEASURE_KERNELS_H

#include "base/simd_level.h"
#include "base/vec.h"

#include <stddef.h>

enum
{
	MEASURE_GROUP = 8,
	MEASURE_ROWS = 4096 // of a block
};

// What is summed over all particles.
enum
{
	MEASURE_MASS,
	MEASURE_HEIGHT, // against what all particles are accelerated by, times mass
	MEASURE_KINETIC,
	MEASURE_MOMENTUM,
	MEASURE_ANGULAR = MEASURE_MOMENTUM + 3,
	MEASURE_SUMS = MEASURE_ANGULAR + 3
};

typedef struct measure_frame
{
	double origin[3], up[3];
	float speed2, place;          // of rows that are certainly within their limits
	double cuts[MEASURE_SUMS][2]; // the large numbers of the high and the low part
} measure_frame;

// What the kernel has to know of eight rows besides place and velocity.
typedef struct measure_group
{
	double mass[MEASURE_GROUP];  // kg
	float sparse[MEASURE_GROUP]; // kg/m^3, below which a particle is a stray drop
} measure_group;

typedef struct measure_block
{
	double sums[MEASURE_SUMS][2][MEASURE_GROUP] __attribute__((aligned(64))); // high and low parts, by lane
	double lowest[MEASURE_GROUP] __attribute__((aligned(64)));                // m, height
	float speed2[MEASURE_GROUP] __attribute__((aligned(32)));
	float bulk_speed2[MEASURE_GROUP] __attribute__((aligned(32)));
} measure_block;

typedef struct measure_kernels
{
	// Adds eight rows, unless one of them may be out of its limits: then returns 0 and adds nothing.
	int (*add)(const measure_frame *frame, const vec4 *x, const vec4 *v, const float *density,
		   const measure_group *group, measure_block *block);
} measure_kernels;

SIMD_TABLE(measure_kernels, measure_kernels_table)

#endif
