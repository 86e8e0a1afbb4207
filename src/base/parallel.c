#define _GNU_SOURCE
#include "base/parallel.h"

#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

// Written so that no sum wraps, however large the block.
static void run_block(size_t count, size_t block, size_t b, parallel_body *body, void *context, int thread)
{
	size_t begin = b * block, left = count - begin;
	body(context, begin, begin + (block < left ? block : left), thread);
}

void parallel_for(int threads, size_t count, size_t block, parallel_body *body, void *context)
{
	if (count == 0)
		return;
	if (block == 0)
		block = PARALLEL_BLOCK;
	size_t blocks = count / block + (count % block != 0);
	if (threads <= 1 || blocks == 1)
	{
		for (size_t b = 0; b < blocks; b++)
			run_block(count, block, b, body, context, 0);
		return;
	}
	if ((size_t)threads > blocks)
		threads = (int)blocks;
	if (threads > PARALLEL_MAX_THREADS)
		threads = PARALLEL_MAX_THREADS;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
	for (size_t b = 0; b < blocks; b++)
		run_block(count, block, b, body, context, omp_get_thread_num());
}

int parallel_default_threads(void)
{
	const char *text = getenv("SPATE_THREADS");
	long threads = text ? strtol(text, NULL, 10) : 0;
	if (threads < 1)
	{
		// the call fails where there are more processors than the set has bits
		cpu_set_t set;
		threads = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
	}
	return threads < 1 ? 1 : threads > PARALLEL_MAX_THREADS ? PARALLEL_MAX_THREADS : (int)threads;
}

// A reduction keeps up to this many block values at a time; longer loops go in rounds.
enum
{
	ROUND = 1024
};

typedef struct reduction
{
	parallel_sum_body *body;
	void *context;
	size_t first; // element where this round starts
	double values[ROUND];
} reduction;

static void reduce_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	reduction *r = context;
	r->values[begin / PARALLEL_BLOCK] = r->body(r->context, r->first + begin, r->first + end);
}

static double reduce(int threads, size_t count, parallel_sum_body *body, void *context, int maximum)
{
	reduction r = {.body = body, .context = context};
	double result = maximum ? -INFINITY : 0.0;
	for (; r.first < count; r.first += (size_t)ROUND * PARALLEL_BLOCK)
	{
		size_t left = count - r.first;
		if (left > (size_t)ROUND * PARALLEL_BLOCK)
			left = (size_t)ROUND * PARALLEL_BLOCK;
		parallel_for(threads, left, PARALLEL_BLOCK, reduce_block, &r);
		for (size_t b = 0; b * PARALLEL_BLOCK < left; b++)
			if (!maximum)
				result += r.values[b];
			else if (!isnan(result) && !(r.values[b] <= result)) // the first NaN stays: it cannot hide
				result = r.values[b];
	}
	return result;
}

double parallel_sum(int threads, size_t count, parallel_sum_body *body, void *context)
{
	return reduce(threads, count, body, context, 0);
}

double parallel_max(int threads, size_t count, parallel_sum_body *body, void *context)
{
	return reduce(threads, count, body, context, 1);
}

uint64_t prefix_sum_u32(uint32_t *counts, size_t count)
{
	uint64_t total = 0;
	for (size_t i = 0; i < count; i++)
	{
		uint32_t c = counts[i];
		counts[i] = (uint32_t)total;
		total += c;
	}
	return total;
}
