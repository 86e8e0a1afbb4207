#define _GNU_SOURCE
#include "base/parallel.h"
#include "base/pool.h"
#include "base/task_system.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct loop
{
	size_t count, block;
	parallel_body *body;
	void *context;
} loop;

// Written so that no sum overflows, however large the block.
static void run_block(void *context, size_t b, int thread)
{
	const loop *l = context;
	size_t begin = b * l->block, left = l->count - begin;
	l->body(l->context, begin, begin + (l->block < left ? l->block : left), thread);
}

static void run_blocks(int threads, size_t count, size_t block, parallel_body *body, void *context, pool_kind *kind)
{
	if (count == 0)
		return;
	loop l = {count, block > 0 ? block : PARALLEL_BLOCK, body, context};
	size_t blocks = count / l.block + (count % l.block != 0);
	if (threads > PARALLEL_MAX_THREADS)
		threads = PARALLEL_MAX_THREADS;
	if (threads > 1 && (size_t)threads > blocks)
		threads = (int)blocks;
	if (task_system_threads() > 0)
		task_system_run(threads, blocks, run_block, &l);
	else
		pool_run(threads, blocks, run_block, &l, kind);
}

void parallel_for(int threads, size_t count, size_t block, parallel_body *body, void *context)
{
	run_blocks(threads, count, block, body, context, (pool_kind *)body);
}

int parallel_cores(void)
{
	// the call fails where there are more processors than the set has bits
	cpu_set_t set;
	long cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
	return cores < 1 ? 1 : cores > PARALLEL_MAX_THREADS ? PARALLEL_MAX_THREADS : (int)cores;
}

int parallel_default_threads(void)
{
	const char *text = getenv("SPATE_THREADS");
	long threads = text ? strtol(text, NULL, 10) : 0;
	if (threads < 1)
		return task_system_threads() > 0 ? task_system_threads() : parallel_cores();
	return threads > PARALLEL_MAX_THREADS ? PARALLEL_MAX_THREADS : (int)threads;
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
		run_blocks(threads, left, PARALLEL_BLOCK, reduce_block, &r, (pool_kind *)body);
		for (size_t b = 0; b * PARALLEL_BLOCK < left; b++)
			if (!maximum)
				result += r.values[b];
			else if (!isnan(result) && !(r.values[b] <= result)) // a NaN becomes the result and stays
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
