#include "base/exact_sum.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum
{
	PLUS_INFINITY = 1,
	MINUS_INFINITY = 2,
	NOT_A_NUMBER = 4,
	MOST_ADDS = 2000 // an add changes a digit by less than 2^52, and a carried digit is below 2^32
};

#define DIGIT_MASK 0xffffffffu

void exact_sum_carry(exact_sum *sum)
{
	int64_t carry = 0;
	for (int k = 0; k < EXACT_DIGITS - 1; k++)
	{
		int64_t digit = sum->digits[k] + carry;
		sum->digits[k] = digit & DIGIT_MASK;
		carry = digit >> 32;
	}
	sum->digits[EXACT_DIGITS - 1] += carry;
	sum->adds = 0;
}

static void spend_add(exact_sum *sum)
{
	if (++sum->adds > MOST_ADDS)
		exact_sum_carry(sum);
}

void exact_sum_add(exact_sum *sum, double term)
{
	uint64_t bits;
	memcpy(&bits, &term, sizeof bits);
	uint32_t exponent = (uint32_t)(bits >> 52) & 2047;
	uint64_t mantissa = bits & ((1ull << 52) - 1);
	if (exponent == 2047)
	{
		sum->specials |= mantissa ? NOT_A_NUMBER : bits >> 63 ? MINUS_INFINITY : PLUS_INFINITY;
		return;
	}
	// denormals have the unit of the smallest normal numbers, without the hidden bit
	if (exponent > 0)
	{
		mantissa |= 1ull << 52;
		exponent--;
	}
	uint32_t digit = exponent >> 5, shift = exponent & 31;
	int64_t low = (int64_t)(mantissa << shift & DIGIT_MASK), high = (int64_t)(mantissa >> (32 - shift));
	int64_t sign = bits >> 63 ? -1 : 1;
	sum->digits[digit] += sign * low;
	sum->digits[digit + 1] += sign * high;
	spend_add(sum);
}

void exact_sum_merge(exact_sum *sum, const exact_sum *other)
{
	exact_sum carried = *other;
	exact_sum_carry(&carried);
	for (int k = 0; k < EXACT_DIGITS; k++)
		sum->digits[k] += carried.digits[k];
	sum->specials |= carried.specials;
	spend_add(sum);
}

// Makes a sum its magnitude, with digits in [0, 2^32), and returns whether it was negative.
static int take_sign(exact_sum *sum)
{
	exact_sum_carry(sum);
	if (sum->digits[EXACT_DIGITS - 1] >= 0)
		return 0;
	for (int k = 0; k < EXACT_DIGITS; k++)
		sum->digits[k] = -sum->digits[k];
	exact_sum_carry(sum);
	return 1;
}

double exact_sum_read(const exact_sum *sum)
{
	if (sum->specials)
		return sum->specials == PLUS_INFINITY ? INFINITY : sum->specials == MINUS_INFINITY ? -INFINITY : NAN;
	exact_sum size = *sum;
	int negative = take_sign(&size);
	int top = EXACT_DIGITS - 1;
	while (top > 1 && size.digits[top] == 0)
		top--;
	// the 64 highest bits; all lower ones only decide whether they make more than nothing, in the last bit
	uint64_t bits = (uint64_t)size.digits[top] << 32 | (uint64_t)size.digits[top - 1];
	int shift = bits ? __builtin_clzll(bits) : 0;
	uint64_t lower = top > 1 ? (uint64_t)size.digits[top - 2] << 32 : 0;
	uint64_t rest = shift ? lower << shift : lower;
	bits = shift ? bits << shift | lower >> (64 - shift) : bits;
	for (int k = 0; k < top - 2; k++)
		rest |= (uint64_t)size.digits[k];
	// the conversion rounds; scaling is exact, for a sum of multiples of 2^-1074 has no bits below
	double value = ldexp((double)(bits | (rest != 0)), 32 * (top - 1) - 1074 - shift);
	return negative ? -value : value;
}

// Magnitudes have few digits that are not zero, while those of a negative sum go up to the last.
void exact_total_merge(exact_total *total, const exact_sum *sum)
{
	exact_sum size = *sum;
	int64_t sign = take_sign(&size) ? -1 : 1;
	for (int k = 0; k < EXACT_DIGITS; k++)
		if (size.digits[k])
			atomic_fetch_add_explicit(&total->digits[k], sign * size.digits[k], memory_order_relaxed);
	if (size.specials)
		atomic_fetch_or_explicit(&total->specials, size.specials, memory_order_relaxed);
}

double exact_total_read(const exact_total *total)
{
	exact_sum sum = {.specials = total->specials};
	for (int k = 0; k < EXACT_DIGITS; k++)
		sum.digits[k] = total->digits[k];
	return exact_sum_read(&sum);
}
