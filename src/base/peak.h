// What one thread can compute at best, for benchmarks to compare with.
#ifndef BASE_PEAK_H
#define BASE_PEAK_H

#include "base/simd_level.h"

#include <stdint.h>

typedef struct peak_kernels
{
	// `rounds` times PEAK_FLOPS operations of fused multiply-adds in eight lanes, none of which waits for another. Returns a
	// number made of all of them, so that none can be left out.
	float (*multiply_add)(uint64_t rounds);
} peak_kernels;

enum
{
	PEAK_CHAINS = 12, // more than latency times units of any machine so far
	PEAK_FLOPS = PEAK_CHAINS * 8 * 2
};

SIMD_TABLE(peak_kernels, peak_kernels_table)

#endif
