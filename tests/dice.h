// Random numbers for tests, the same everywhere.
#ifndef TESTS_DICE_H
#define TESTS_DICE_H

#include <stdint.h>

typedef struct dice
{
	uint64_t state;
} dice;

static inline uint64_t dice_bits(dice *d)
{
	uint64_t z = d->state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

// Below n.
static inline uint32_t dice_below(dice *d, uint32_t n)
{
	return (uint32_t)((dice_bits(d) >> 32) * n >> 32);
}

static inline float dice_range(dice *d, float low, float high)
{
	return low + (high - low) * ((float)(dice_bits(d) >> 40) * 0x1p-24f);
}

#endif
