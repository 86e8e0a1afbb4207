// Parallel loops over blocks, and reductions whose bits depend neither on the number of threads nor on the order of the elements.
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include "spate/threads.h"

#include <stddef.h>
#include <stdint.h>

enum
{
	PARALLEL_MAX_THREADS = SPATE_MAX_THREADS,
	PARALLEL_BLOCK = 4096, // elements; the block of every reduction
	PARALLEL_TERMS = 128,  // elements whose terms are summed at a time
	PARALLEL_SUMS = 12
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

// Writes term k of element i to terms[k][i - begin]. At most PARALLEL_TERMS elements at a time.
typedef void parallel_sum_body(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS]);

// totals[k] is the sum over all elements of their terms k, exact before one rounding: the same bits for any order of the elements
// and any partition of them, see base/exact_sum.h. At most PARALLEL_SUMS sums in one pass.
void parallel_sums(int threads, size_t count, int sums, parallel_sum_body *body, void *context, double *totals);
// One such sum.
double parallel_sum(int threads, size_t count, parallel_sum_body *body, void *context);

// Value of one block of at most PARALLEL_BLOCK elements.
typedef double parallel_max_body(void *context, size_t begin, size_t end);

// Maximum of the block values; of nothing it is -infinity, and NaN wins.
double parallel_max(int threads, size_t count, parallel_max_body *body, void *context);

// Exclusive prefix sum of counts in place; returns the total. Sequential: it is memory-bound and short.
uint64_t prefix_sum_u32(uint32_t *counts, size_t count);

#endif
