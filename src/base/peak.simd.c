#include "base/peak.h"

#include "base/simd.h"

static float multiply_add(uint64_t rounds)
{
	f8 sums[PEAK_CHAINS], factor = f8_set1(0.999f), term = f8_set1(0.001f);
	for (int c = 0; c < PEAK_CHAINS; c++)
		sums[c] = f8_set1((float)c);
	for (uint64_t r = 0; r < rounds; r++)
#pragma GCC unroll 12
		for (int c = 0; c < PEAK_CHAINS; c++)
			sums[c] = f8_fma(sums[c], factor, term);
	float total = 0.0f;
	for (int c = 0; c < PEAK_CHAINS; c++)
		total += f8_sum(sums[c]);
	return total;
}

const peak_kernels SIMD_NAME(peak_kernels_table) = {multiply_add};
