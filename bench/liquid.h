// Input of benchmarks: a block of liquid with the disorder and the motion of a running dam break.
#ifndef BENCH_LIQUID_H
#define BENCH_LIQUID_H

#include "base/simd_level.h"
#include "base/vec.h"
#include "space/cells.h"
#include "spate/result.h"

// Particles one length unit apart on average, in a block twice as long as high and deep. Every number is a multiple of 1/512, so
// that squared distances up to (8 spacings)^2 are exact and all searches find exactly the same pairs.
typedef struct liquid
{
	uint32_t count;
	float length, height; // spacings; all positions are in (0, length) and (0, height) along x and y
	vec4 *positions;      // spacings; 8 more can be read
	vec4 *velocities;     // spacings per step
	int64_t *ids;
} liquid;

// A bent and jittered lattice with a vortex; the fastest particles move 0.4 spacings per step, where solvers limit the step.
spate_result liquid_make(liquid *l, uint32_t count, spate_error *error);
// Allocates memory only, for a reordered copy of `like`.
spate_result liquid_make_like(liquid *l, const liquid *like, spate_error *error);
void liquid_free(liquid *l);

// Sets the positions of `to` to those of `from` after some steps, forward or back.
void liquid_move(liquid *to, const liquid *from, float steps, int threads);

void liquid_keys(const liquid *l, const cell_grid *grid, simd_level simd, int threads, uint64_t *keys);

// Row k of `to` is row order[k] of `from`: position, velocity and id.
void liquid_reorder(liquid *to, const liquid *from, const uint32_t *order, int threads);

#endif
