#include "bench/machine.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/peak.h"

#include <string.h>

enum
{
	BLOCK = 1 << 16 // bytes copied at a time
};

typedef struct copy_task
{
	char *to;
	const char *from;
} copy_task;

static void copy_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const copy_task *t = context;
	memcpy(t->to + begin, t->from + begin, end - begin);
}

typedef struct compute_task
{
	const peak_kernels *kernels;
	uint64_t rounds;
	float totals[PARALLEL_MAX_THREADS];
} compute_task;

static void compute(void *context, size_t begin, size_t end, int thread)
{
	(void)begin;
	(void)end;
	compute_task *t = context;
	t->totals[thread] = t->kernels->multiply_add(t->rounds);
}

spate_result machine_measure(const bench_options *options, int threads, machine_limits *out, spate_error *error)
{
	size_t bytes = options->quick ? (size_t)1 << 22 : (size_t)1 << 28;
	char *from = mem_alloc(bytes), *to = mem_alloc(bytes);
	if (!from || !to)
	{
		mem_free(from);
		mem_free(to);
		return error_memory(error, 2 * bytes);
	}
	memset(from, 1, bytes);
	stopwatch copying = {0}, computing = {0};
	copy_task copy = {to, from};
	compute_task task = {.kernels = peak_kernels_table(simd_level_detect()),
			     .rounds = options->quick ? 100000 : 10000000};
	// the first run touches the pages
	for (int run = -1; run < options->runs; run++)
	{
		stopwatch_start(&copying);
		parallel_for(threads, bytes, BLOCK, copy_block, &copy);
		stopwatch_stop(&copying);
		stopwatch_start(&computing);
		parallel_for(threads, (size_t)threads, 1, compute, &task);
		stopwatch_stop(&computing);
	}
	mem_free(from);
	mem_free(to);
	*out = (machine_limits){.threads = threads,
				.copy = 2e-9 * (double)bytes / copying.best,
				.gflops = 1e-9 * (double)task.rounds * PEAK_FLOPS * threads / computing.best};
	return SPATE_OK;
}
