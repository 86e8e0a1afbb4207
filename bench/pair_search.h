// Two older methods to find all pairs of particles within a radius, kept as baselines: scalar, one thread, no optimisations.
#ifndef BENCH_PAIR_SEARCH_H
#define BENCH_PAIR_SEARCH_H

#include "base/vec.h"

#include <stdint.h>

// All ordered pairs: (i, j) as well as (j, i).
typedef struct pair_count
{
	uint64_t pairs;
	uint64_t checksum; // sum of (i + 1) j over the pairs, by the caller's rows
} pair_count;

// Positions are not negative; `limit` is above all of them.
typedef struct pair_input
{
	uint32_t count;
	const vec4 *positions;
	vec4 limit;
	float radius;
} pair_input;

// Edge of a cell: a little larger than the radius, so that rounding never puts a pair two cells apart.
static inline float pair_cell(float radius)
{
	return radius * (1.0f + 1e-5f);
}

static inline int pair_near(vec4 a, vec4 b, float radius2)
{
	float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
	return dx * dx + dy * dy + dz * dz <= radius2;
}

// A search rebuilds its structure each time, in memory allocated once for `count` particles.

// M. Teschner, B. Heidelberger, M. Mueller, D. Pomeranets, M. Gross, Optimized spatial hashing for collision detection of
// deformable objects, 2003.
typedef struct spatial_hash spatial_hash;
spatial_hash *spatial_hash_create(uint32_t count); // NULL when out of memory
void spatial_hash_destroy(spatial_hash *hash);
pair_count spatial_hash_search(spatial_hash *hash, const pair_input *input);

// J. Onderik, R. Durikovic, Efficient neighbor search for particle-based fluids, 2008.
typedef struct cell_sorting cell_sorting;
cell_sorting *cell_sorting_create(uint32_t count); // NULL when out of memory
void cell_sorting_destroy(cell_sorting *sorting);
pair_count cell_sorting_search(cell_sorting *sorting, const pair_input *input);

#endif
