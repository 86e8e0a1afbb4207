// Peak arithmetic throughput of one thread, as a reference for benchmarks.
#ifndef BASE_PEAK_H
#define BASE_PEAK_H

#include "base/simd_level.h"

#include <stdint.h>

typedef struct peak_kernels
{
	// Runs `rounds` times PEAK_FLOPS operations as independent fused multiply-adds in eight lanes. The result depends on all
	// of them, so that the compiler cannot drop any.
	float (*multiply_add)(uint64_t rounds);
} peak_kernels;

enum
{
	PEAK_CHAINS = 12, // more than latency times units of any current machine
	PEAK_FLOPS = PEAK_CHAINS * 8 * 2
};

SIMD_TABLE(peak_kernels, peak_kernels_table)

#endif
