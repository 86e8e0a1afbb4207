// Hashes: of bytes (XXH64, for the checksums of data blocks), of one integer, and of the particles' state.
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

// XXH64 of the bytes, as its specification defines it, the same on every machine. `bytes` may be NULL when size is 0.
uint64_t hash_bytes(const void *bytes, size_t size, uint64_t seed);

// A bijection of 64-bit integers in which every bit of the input moves half of the output (the finaliser of
// splitmix64).
static inline uint64_t hash_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

// The state hash: the sum over particles of a hash of (id, xyz of position, xyz of velocity), by their bits, so that 0
// and -0 differ. It does not depend on the order of the rows, the hashes of parts add up to that of the whole, and the
// hash of no particles is 0.
uint64_t hash_particles(int threads, size_t count, const int64_t *id, const vec4 *position, const vec4 *velocity);

#endif
