// Parallel loops. Work is cut into blocks whose size does not depend on the number of threads, so that a reduction that
// combines its blocks in index order gives the same bits on any number of threads.
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

enum
{
	PARALLEL_MAX_THREADS = 256,
	PARALLEL_BLOCK = 4096 // elements; the block of every reduction
};

// One block of a loop: elements [begin, end). `thread` is in [0, threads) and indexes per-thread scratch.
typedef void parallel_body(void *context, size_t begin, size_t end, int thread);

// Calls body for every block of [0, count); threads < 1 means 1. Blocks run in any order and
// must not wait for each other: one thread may run them all. Loops may be nested and called by several threads at once.
void parallel_for(int threads, size_t count, size_t block, parallel_body *body, void *context);

// Cores this process may use, at most PARALLEL_MAX_THREADS.
int parallel_cores(void);
// The same, or the threads that the host lends, unless SPATE_THREADS in the environment says otherwise.
int parallel_default_threads(void);

// Value of one block of at most PARALLEL_BLOCK elements.
typedef double parallel_sum_body(void *context, size_t begin, size_t end);

// Ordered sum and maximum of the block values; sum of nothing is 0, maximum of nothing is -infinity.
double parallel_sum(int threads, size_t count, parallel_sum_body *body, void *context);
double parallel_max(int threads, size_t count, parallel_sum_body *body, void *context);

// Exclusive prefix sum of counts in place; returns the total. Sequential: it is memory-bound and short.
uint64_t prefix_sum_u32(uint32_t *counts, size_t count);

#endif
