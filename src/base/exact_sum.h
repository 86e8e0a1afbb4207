// Exact sums of doubles, the same bits for any order and any grouping of the terms.
//
// A sum is one long integer in units of 2^-1074, the smallest double, cut into digits of 32 bits. Every finite double is a multiple of
// that unit, so adding one is integer arithmetic without rounding, and partial sums of threads, processes or devices merge to the same
// integer. Only reading rounds, once, to the nearest double.
//
//	Neal: Fast exact summation using small and large superaccumulators, 2015
#ifndef BASE_EXACT_SUM_H
#define BASE_EXACT_SUM_H

#include "base/simd_level.h"

#include <stddef.h>
#include <stdint.h>

enum
{
	EXACT_DIGITS = 67, // 2098 bits hold any double, the others more of them than can be added
	EXACT_BATCH = 128  // terms that the vectors take at a time
};

// All zero is the empty sum. The bits of an exact_sum after exact_sum_carry() depend on the sum alone.
typedef struct exact_sum
{
	int64_t digits[EXACT_DIGITS]; // value of digit k: 2^(32 k - 1074)
	uint32_t adds;                // since the digits were last carried
	uint32_t specials;            // which infinities and NaN were added, as bits
} exact_sum;

void exact_sum_add(exact_sum *sum, double term);
void exact_sum_merge(exact_sum *sum, const exact_sum *other);

// Makes every digit but the highest one lie in [0, 2^32).
void exact_sum_carry(exact_sum *sum);

// The nearest double, ties to even; 0 for no terms. A NaN or infinities of both signs give NaN, one infinity gives itself, and a
// finite sum beyond the largest double an infinity.
double exact_sum_read(const exact_sum *sum);

// A sum that several threads merge into at once, up to 2^30 times. All zero is the empty one.
typedef struct exact_total
{
	_Atomic int64_t digits[EXACT_DIGITS];
	_Atomic uint32_t specials;
} exact_total;

void exact_total_merge(exact_total *total, const exact_sum *sum);
double exact_total_read(const exact_total *total);

typedef struct exact_kernels
{
	// The same as exact_sum_add for each term, several times as fast.
	void (*add_terms)(exact_sum *sum, const double *terms, size_t count);
} exact_kernels;

SIMD_TABLE(exact_kernels, exact_kernels_table)

#endif
