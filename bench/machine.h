// Peak performance of the machine, measured along with the benchmarks that are compared with it.
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include "bench/bench.h"

typedef struct machine_limits
{
	int threads;
	double copy;   // GB/s, read and written, for arrays larger than any cache of a core
	double gflops; // fused multiply-adds in eight lanes, counted as two
} machine_limits;

spate_result machine_measure(const bench_options *options, int threads, machine_limits *out, spate_error *error);

#endif
