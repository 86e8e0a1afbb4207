// Stateless random numbers: a number is a function of the seed, the particle, the step and its purpose (stream), so it
// does not depend on threads, on the order of calls or on a restart.
//
// The generator is Philox4x32-10: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3, 2011.
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include "base/vec.h"

#include <stdint.h>

// Key of a number. The functions below always return the same number for the same key; for several numbers, vary the
// stream.
typedef struct random_key
{
	uint64_t seed;   // of the scene
	int64_t id;      // particle, or other object that the number is for
	uint32_t step;   // of the simulation
	uint32_t stream; // purpose of the number, below 2^24
} random_key;

// The bare generator: one block of four words for a counter of four words and a key of two.
void random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

// Four independent words at once; the first of them is random_u32(), the first two, low word first, random_u64().
void random_block(random_key key, uint32_t out[4]);

uint32_t random_u32(random_key key);
uint64_t random_u64(random_key key);
// In [0, 1), a multiple of 2^-24.
float random_float(random_key key);
// Unit vector (to round-off), uniformly distributed over all directions.
vec3 random_unit(random_key key);
// Normally distributed, mean 0, variance 1.
float random_normal(random_key key);

#endif
