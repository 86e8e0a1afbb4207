#include "base/hash.h"

#include "base/parallel.h"

#include <string.h>

// The five primes of XXH64.
#define PRIME_1 0x9e3779b185ebca87u
#define PRIME_2 0xc2b2ae3d27d4eb4fu
#define PRIME_3 0x165667b19e3779f9u
#define PRIME_4 0x85ebca77c2b2ae63u
#define PRIME_5 0x27d4eb2f165667c5u

static uint64_t rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

// Little-endian words at any alignment.
static uint64_t read_u64(const unsigned char *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}

static uint32_t read_u32(const unsigned char *p)
{
	uint32_t x;
	memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap32(x);
#endif
	return x;
}

static uint64_t add_word(uint64_t lane, uint64_t word)
{
	return rotate(lane + word * PRIME_2, 31) * PRIME_1;
}

static uint64_t join_lane(uint64_t hash, uint64_t lane)
{
	return (hash ^ add_word(0, lane)) * PRIME_1 + PRIME_4;
}

// Stripes of 32 bytes go through four lanes at once; `end` is behind the last whole stripe.
static uint64_t hash_stripes(const unsigned char *p, const unsigned char *end, uint64_t seed)
{
	uint64_t a = seed + PRIME_1 + PRIME_2, b = seed + PRIME_2, c = seed, d = seed - PRIME_1;
	for (; p < end; p += 32)
	{
		a = add_word(a, read_u64(p));
		b = add_word(b, read_u64(p + 8));
		c = add_word(c, read_u64(p + 16));
		d = add_word(d, read_u64(p + 24));
	}
	uint64_t hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
	hash = join_lane(hash, a);
	hash = join_lane(hash, b);
	hash = join_lane(hash, c);
	return join_lane(hash, d);
}

uint64_t hash_bytes(const void *bytes, size_t size, uint64_t seed)
{
	if (size == 0)
		bytes = "";
	const unsigned char *p = bytes, *end = p + size;
	uint64_t hash = seed + PRIME_5;
	if (size >= 32)
	{
		const unsigned char *stripes = p + (size & ~(size_t)31);
		hash = hash_stripes(p, stripes, seed);
		p = stripes;
	}
	hash += size;

	// the remaining bytes, in words of eight, four and one
	for (; end - p >= 8; p += 8)
		hash = rotate(hash ^ add_word(0, read_u64(p)), 27) * PRIME_1 + PRIME_4;
	if (end - p >= 4)
	{
		hash = rotate(hash ^ read_u32(p) * PRIME_1, 23) * PRIME_2 + PRIME_3;
		p += 4;
	}
	for (; p < end; p++)
		hash = rotate(hash ^ *p * PRIME_5, 11) * PRIME_1;

	hash = (hash ^ hash >> 33) * PRIME_2;
	hash = (hash ^ hash >> 29) * PRIME_3;
	return hash ^ hash >> 32;
}

typedef struct particle_sum
{
	const int64_t *id;
	const vec4 *position, *velocity;
	uint64_t sums[PARALLEL_MAX_THREADS]; // integer sums do not depend on the order
} particle_sum;

static uint64_t float_pair(float low, float high)
{
	uint32_t l, h;
	memcpy(&l, &low, sizeof l);
	memcpy(&h, &high, sizeof h);
	return (uint64_t)h << 32 | l;
}

static void sum_block(void *context, size_t begin, size_t end, int thread)
{
	particle_sum *s = context;
	uint64_t sum = 0;
	for (size_t i = begin; i < end; i++)
	{
		vec4 x = s->position[i], v = s->velocity[i];
		uint64_t hash = hash_mix((uint64_t)s->id[i] + PRIME_1);
		hash = hash_mix(hash + float_pair(x.x, x.y));
		hash = hash_mix(hash + float_pair(x.z, v.x));
		sum += hash_mix(hash + float_pair(v.y, v.z));
	}
	s->sums[thread] += sum;
}

uint64_t hash_particles(int threads, size_t count, const int64_t *id, const vec4 *position, const vec4 *velocity)
{
	particle_sum s = {.id = id, .position = position, .velocity = velocity};
	parallel_for(threads, count, PARALLEL_BLOCK, sum_block, &s);
	uint64_t sum = 0;
	for (int t = 0; t < PARALLEL_MAX_THREADS; t++)
		sum += s.sums[t];
	return sum;
}
