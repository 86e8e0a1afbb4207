// What the tests of src/space share: random numbers that are the same everywhere, and the instruction sets of this machine.
#ifndef TESTS_SPACE_CLOUD_H
#define TESTS_SPACE_CLOUD_H

#include "base/simd_level.h"
#include "check.h"

#include <float.h>

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

static inline void ask_simd(simd_level level)
{
	setenv("SPATE_SIMD", simd_level_name(level), 1);
}

// The best of this machine, whatever was asked for before.
static inline simd_level best_simd(void)
{
	unsetenv("SPATE_SIMD");
	return simd_level_detect();
}

// From cmocka's point of view an allocation that fails is a failed test.
static inline void *need(size_t count, size_t size)
{
	void *block = calloc(count ? count : 1, size);
	assert_non_null(block);
	return block;
}

#endif
