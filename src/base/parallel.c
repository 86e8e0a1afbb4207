#define _GNU_SOURCE
#include "base/parallel.h"
#include "base/exact_sum.h"
#include "base/pool.h"
#include "base/task_system.h"

#include <assert.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
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

typedef struct summation
{
	parallel_sum_body *body;
	void *context;
	const exact_kernels *kernels;
	int sums;
	exact_total totals[PARALLEL_SUMS];
} summation;

static void sum_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	summation *s = context;
	double terms[PARALLEL_SUMS][PARALLEL_TERMS];
	exact_sum own[PARALLEL_SUMS];
	memset(own, 0, (size_t)s->sums * sizeof *own);
	for (size_t at = begin; at < end; at += PARALLEL_TERMS)
	{
		size_t count = end - at < PARALLEL_TERMS ? end - at : PARALLEL_TERMS;
		s->body(s->context, at, at + count, terms);
		for (int k = 0; k < s->sums; k++)
			s->kernels->add_terms(&own[k], terms[k], count);
	}
	for (int k = 0; k < s->sums; k++)
		exact_total_merge(&s->totals[k], &own[k]);
}

void parallel_sums(int threads, size_t count, int sums, parallel_sum_body *body, void *context, double *totals)
{
	assert(sums <= PARALLEL_SUMS);
	summation s = {
	    .body = body, .context = context, .kernels = exact_kernels_table(simd_level_detect()), .sums = sums};
	run_blocks(threads, count, PARALLEL_BLOCK, sum_block, &s, (pool_kind *)body);
	for (int k = 0; k < sums; k++)
		totals[k] = exact_total_read(&s.totals[k]);
}

double parallel_sum(int threads, size_t count, parallel_sum_body *body, void *context)
{
	double total;
	parallel_sums(threads, count, 1, body, context, &total);
	return total;
}

typedef struct maximum
{
	parallel_max_body *body;
	void *context;
	_Atomic double value;
} maximum;

static void max_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	maximum *m = context;
	double own = m->body(m->context, begin, end), most = m->value;
	// a NaN becomes the result and stays
	while (!isnan(most) && !(own <= most) && !atomic_compare_exchange_weak(&m->value, &most, own))
		;
}

double parallel_max(int threads, size_t count, parallel_max_body *body, void *context)
{
	maximum m = {.body = body, .context = context, .value = -INFINITY};
	run_blocks(threads, count, PARALLEL_BLOCK, max_block, &m, (pool_kind *)body);
	return m.value + 0.0; // the sign of a zero does not depend on which came first
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
