// The densities of a liquid, for benchmarks of solvers of the PBF family.
#ifndef BENCH_DENSITY_H
#define BENCH_DENSITY_H

#include "spate/world.h"

typedef struct density_sums
{
	uint32_t count;
	double mean;  // of C, which is density / rest density - 1; negative at surfaces
	double error; // mean of max(C, 0)
} density_sums;

// Measures them at the end of a frame as a solver would at the start of a substep, walls included. No particle moves, but rows are sorted,
// as the next frame does.
spate_result density_measure(spate_world *world, density_sums *out, spate_error *error);

#endif
