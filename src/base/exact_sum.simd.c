// Splits terms into parts whose sums are exact in double arithmetic.
//
// For |x| <= 2^e and a large number s = 1.5 * 2^(e + 6), the part q = (s + x) - s holds the bits of x from 2^(e - 46) up, and
// x - q the others, both without error. The parts of 128 terms are multiples of 2^(e - 46) of at most 2^e each, so no sum of them
// needs more than 53 bits. The rests are at most 2^(e - 47) and go through the same again until nothing is left.
//
//	Rump, Ogita, Oishi: Accurate floating-point summation, part I, 2008, algorithm 3.2
#include "base/exact_sum.h"

#include "base/simd.h"

#include <limits.h>

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

enum
{
	LANES = VECTOR_BYTES / 8,
	VECTORS = EXACT_BATCH / LANES,
	CHAINS = 4,     // vectors in flight, to hide latency
	PART_BITS = 47, // that a round takes off
	LEAST = -1028,  // exponent of rests that have no bits below their parts
	NOTHING = INT_MIN,
	TOO_LARGE = INT_MAX
};

#define SIGN (1ull << 63)
#define LARGEST (0x7e7ull << 52) // bits of 2^1000, beyond which s and sums of parts may overflow

typedef double doubles __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t words __attribute__((vector_size(VECTOR_BYTES)));

static uint64_t any(const words *chains)
{
	words joined = (chains[0] | chains[1]) | (chains[2] | chains[3]);
	uint64_t all = 0;
	for (int k = 0; k < LANES; k++)
		all |= joined[k];
	return all;
}

static doubles larger_of(doubles a, doubles b)
{
	words first = (words)(a > b);
	return (doubles)(((words)a & first) | ((words)b & ~first));
}

// The smallest exponent e with |x| < 2^e for all terms.
static int bound(const doubles *terms)
{
	doubles most[CHAINS] = {0};
	words over[CHAINS] = {0};
	for (int v = 0; v < VECTORS; v += CHAINS)
#pragma GCC unroll 4
		for (int c = 0; c < CHAINS; c++)
		{
			words bits = (words)terms[v + c] & ~SIGN;
			most[c] = larger_of((doubles)bits, most[c]);
			over[c] |= bits + (SIGN - 1 - LARGEST); // compared as bits, which works for NaN
		}
	if (any(over) & SIGN)
		return TOO_LARGE;
	doubles joined = larger_of(larger_of(most[0], most[1]), larger_of(most[2], most[3]));
	double largest = 0.0;
	for (int k = 0; k < LANES; k++)
		largest = joined[k] > largest ? joined[k] : largest;
	uint64_t bits;
	memcpy(&bits, &largest, sizeof bits);
	return bits ? (int)(bits >> 52) - 1022 : NOTHING;
}

// Sum of the parts of the terms from 2^(exponent - 46) up; leaves the rests. Returns whether there are any.
static int take_parts(doubles *terms, int exponent, double *sum)
{
	uint64_t bits = (uint64_t)(exponent + 6 + 1023) << 52 | 1ull << 51;
	double large;
	memcpy(&large, &bits, sizeof large);
	doubles parts[CHAINS] = {0};
	words left[CHAINS] = {0};
	for (int v = 0; v < VECTORS; v += CHAINS)
#pragma GCC unroll 4
		for (int c = 0; c < CHAINS; c++)
		{
			doubles term = terms[v + c], part = (term + large) - large;
			parts[c] += part;
			term -= part;
			terms[v + c] = term;
			left[c] |= (words)term & ~SIGN;
		}
	doubles joined = (parts[0] + parts[1]) + (parts[2] + parts[3]);
	*sum = 0.0;
	for (int k = 0; k < LANES; k++)
		*sum += joined[k];
	return any(left) != 0;
}

static void add_batch(exact_sum *sum, const double *terms, size_t count)
{
	doubles rests[VECTORS];
	memcpy(rests, terms, count * sizeof *terms);
	memset((double *)rests + count, 0, (EXACT_BATCH - count) * sizeof *terms);
	int exponent = bound(rests);
	if (exponent == TOO_LARGE)
		for (size_t k = 0; k < count; k++)
			exact_sum_add(sum, terms[k]);
	else
		for (int left = exponent != NOTHING; left; exponent -= PART_BITS)
		{
			double part;
			left = take_parts(rests, exponent > LEAST ? exponent : LEAST, &part);
			exact_sum_add(sum, part);
		}
}

static void add_terms(exact_sum *sum, const double *terms, size_t count)
{
	for (size_t at = 0; at < count; at += EXACT_BATCH)
		add_batch(sum, terms + at, count - at < EXACT_BATCH ? count - at : EXACT_BATCH);
}

const exact_kernels SIMD_NAME(exact_kernels_table) = {add_terms};
