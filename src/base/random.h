// Random numbers without state: a number is a function of the seed, the particle, the step and what it is for, so it
// does not depend on threads, on the order of calls or on a restart.
//
// The generator is Philox4x32-10: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3, 2011.
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include "base/vec.h"

#include <stdint.h>

// Which number. The functions below always give the same number for the same key; for several, change the stream.
typedef struct random_key
{
	uint64_t seed;   // of the scene
	int64_t id;      // particle, or whatever is being rolled for
	uint32_t step;   // of the simulation
	uint32_t stream; // what for, below 2^24
} random_key;

// The bare generator: one block of four words for a counter of four words and a key of two.
void random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

// Four independent words at once; the first of them is random_u32(), the first two, low word first, random_u64().
void random_block(random_key key, uint32_t out[4]);

uint32_t random_u32(random_key key);
uint64_t random_u64(random_key key);
// In [0, 1), a multiple of 2^-24.
float random_float(random_key key);
// Of length 1 (to round-off), every direction alike.
vec3 random_unit(random_key key);
// Mean 0, variance 1.
float random_normal(random_key key);

#endif
