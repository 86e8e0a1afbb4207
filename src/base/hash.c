// XXH64, after its public specification: four lanes over stripes of 32 bytes, a tail in words, and a final avalanche.
#include "base/hash.h"

#include <string.h>

static const uint64_t prime_1 = 0x9E3779B185EBCA87u, prime_2 = 0xC2B2AE3D27D4EB4Fu, prime_3 = 0x165667B19E3779F9u,
		      prime_4 = 0x85EBCA77C2B2AE63u, prime_5 = 0x27D4EB2F165667C5u;

static uint64_t rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static uint64_t load_u64(const uint8_t *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}

static uint32_t load_u32(const uint8_t *p)
{
	uint32_t x;
	memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap32(x);
#endif
	return x;
}

static uint64_t take(uint64_t lane, uint64_t word)
{
	return rotate(lane + word * prime_2, 31) * prime_1;
}

static uint64_t merge(uint64_t hash, uint64_t lane)
{
	return (hash ^ take(0, lane)) * prime_1 + prime_4;
}

uint64_t hash_bytes(const void *data, size_t bytes, uint64_t seed)
{
	const uint8_t *p = data;
	size_t left = bytes;
	uint64_t hash = seed + prime_5;
	if (bytes >= 32)
	{
		uint64_t a = seed + prime_1 + prime_2, b = seed + prime_2, c = seed, d = seed - prime_1;
		for (; left >= 32; left -= 32, p += 32)
		{
			a = take(a, load_u64(p));
			b = take(b, load_u64(p + 8));
			c = take(c, load_u64(p + 16));
			d = take(d, load_u64(p + 24));
		}
		hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
		hash = merge(merge(merge(merge(hash, a), b), c), d);
	}
	hash += bytes;
	for (; left >= 8; left -= 8, p += 8)
		hash = rotate(hash ^ take(0, load_u64(p)), 27) * prime_1 + prime_4;
	if (left >= 4)
	{
		hash = rotate(hash ^ load_u32(p) * prime_1, 23) * prime_2 + prime_3;
		left -= 4, p += 4;
	}
	for (; left > 0; left--, p++)
		hash = rotate(hash ^ *p * prime_5, 11) * prime_1;
	hash = (hash ^ hash >> 33) * prime_2;
	hash = (hash ^ hash >> 29) * prime_3;
	return hash ^ hash >> 32;
}
