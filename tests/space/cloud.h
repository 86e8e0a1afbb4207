// What the tests of src/space share: random clouds and the instruction sets of this machine.
#ifndef TESTS_SPACE_CLOUD_H
#define TESTS_SPACE_CLOUD_H

#include "base/simd_level.h"
#include "check.h"
#include "dice.h"

#include <float.h>

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
