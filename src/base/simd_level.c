#include "base/simd_level.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"portable", "avx2", "avx512"};

simd_level simd_level_detect(void)
{
	simd_level best = SIMD_PORTABLE;
#ifdef SPATE_X86
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
		best = SIMD_AVX2;
	if (best == SIMD_AVX2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
	    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512cd"))
		best = SIMD_AVX512;
#endif
	const char *wish = getenv("SPATE_SIMD");
	for (simd_level level = SIMD_PORTABLE; wish && level < best; level++)
		if (strcmp(wish, names[level]) == 0)
			return level;
	return best;
}

const char *simd_level_name(simd_level level)
{
	return names[level];
}
