// spate bench threads: steps of evolved dam breaks on one thread and on several, on the machine as it is and next to one busy process
// per core.
//
// Cases alternate within a run. On the machine as it is, the best run counts; next to other processes the mean, because the variation
// between runs is part of what is measured.
#define _GNU_SOURCE
#include "base/error.h"
#include "base/parallel.h"
#include "bench/dam_break.h"
#include "solver/pbf_work.h"
#include "world/world.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum
{
	SIZES = 3,
	ITERATIONS = 4
};

static const dam_break_size full_sizes[SIZES] = {{{15, 16, 12}, 0}, {{50, 50, 40}, 0}, {{50, 50, 50}, 1}};
static const dam_break_size quick_sizes[SIZES] = {{{8, 8, 6}, 0}, {{15, 16, 12}, 0}, {{8, 8, 8}, 1}};

static const double run_seconds = 0.25, quick_run_seconds = 0.01; // on one thread
static const double allowed_busy_ratio = 1.3;                     // several threads to one, both next to busy processes

typedef struct thread_row
{
	uint32_t particles;
	double ns_one, ns_all, ns_one_busy, ns_all_busy; // per particle and step
} thread_row;

// -------------------------------------------------------------------------------------------------- the other processes

typedef struct burners
{
	pid_t pids[PARALLEL_MAX_THREADS];
	int count;
} burners;

// Pins the process to the k-th core that it may use.
static void stay_on_core(int k)
{
	cpu_set_t all, one;
	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof all, &all) != 0)
		return;
	for (size_t core = 0; core < CPU_SETSIZE; core++)
		if (CPU_ISSET(core, &all) && k-- == 0)
			CPU_SET(core, &one);
	sched_setaffinity(0, sizeof one, &one);
}

// Keeps a core busy; ends with its parent, for any reason.
static void burn(int core, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	stay_on_core(core);
	for (volatile unsigned work = 0;; work = work + 1)
		;
}

static void stop_burners(burners *b)
{
	for (int k = 0; k < b->count; k++)
		kill(b->pids[k], SIGKILL);
	for (int k = 0; k < b->count; k++)
		waitpid(b->pids[k], NULL, 0);
	b->count = 0;
}

static spate_result start_burners(burners *b, spate_error *error)
{
	pid_t parent = getpid();
	for (int core = 0; core < parallel_cores(); core++)
	{
		pid_t pid = fork();
		if (pid == 0)
			burn(core, parent);
		if (pid < 0)
		{
			stop_burners(b);
			return error_set(error, SPATE_IO, "no process to keep a core busy: %s", strerror(errno));
		}
		b->pids[b->count++] = pid;
	}
	return SPATE_OK;
}

// ---------------------------------------------------------------------------------------------------------- measuring

static spate_result run_steps(spate_world *world, int threads, int steps, stopwatch *watch, spate_error *error)
{
	spate_world_set_threads(world, threads);
	stopwatch run = {0};
	stopwatch_start(&run);
	spate_result result = SPATE_OK;
	for (int k = 0; k < steps && result == SPATE_OK; k++)
		result = spate_world_step(world, NULL, error);
	stopwatch_stop(&run);
	stopwatch_add(watch, run.best / steps);
	return result;
}

// One run on one thread and one on all.
static spate_result run_both(spate_world *world, const bench_options *options, int steps, stopwatch watches[2],
			     spate_error *error)
{
	spate_result result = run_steps(world, 1, steps, &watches[0], error);
	return result == SPATE_OK ? run_steps(world, options->threads, steps, &watches[1], error) : result;
}

static spate_result measure(spate_world *world, void *context, const bench_options *options, spate_error *error)
{
	thread_row *row = context;
	row->particles = spate_store_count(world->state.store);
	double *own = world->model.def.solver.own;
	own[PBF_ITERATIONS] = own[PBF_MIN_ITERATIONS] = ITERATIONS;
	stopwatch first[2] = {0}, quiet[2] = {0};
	double busy[2] = {0.0}, seconds = options->quick ? quick_run_seconds : run_seconds;
	spate_result result = run_both(world, options, 2, first, error);
	int steps = 1 + (int)(seconds / first[0].best);
	for (int run = 0; run < options->runs && result == SPATE_OK; run++)
	{
		burners others = {0};
		stopwatch beside[2] = {0};
		bench_progress(options, "steps of %u particles, run %d of %d", row->particles, run + 1, options->runs);
		result = run_both(world, options, steps, quiet, error);
		if (result == SPATE_OK)
			result = start_burners(&others, error);
		if (result == SPATE_OK)
			result = run_both(world, options, steps, beside, error);
		stop_burners(&others);
		busy[0] += beside[0].best / options->runs;
		busy[1] += beside[1].best / options->runs;
	}
	row->ns_one = stopwatch_ns_per(&quiet[0], row->particles);
	row->ns_all = stopwatch_ns_per(&quiet[1], row->particles);
	row->ns_one_busy = 1e9 * busy[0] / row->particles;
	row->ns_all_busy = 1e9 * busy[1] / row->particles;
	return result;
}

// ----------------------------------------------------------------------------------------------------------- printing

static void print_table(const bench_options *options, const thread_row *rows)
{
	printf("ns per particle and step; `busy` beside one process per core that wants all of it (mean of all runs)\n"
	       "  particles  1 thread %3d threads  ratio  1 thread busy %3d threads busy  ratio (at most %.1f)\n",
	       options->threads, options->threads, allowed_busy_ratio);
	for (int k = 0; k < SIZES; k++)
		printf("%11u %9.1f %11.1f %6.2f %14.1f %16.1f %6.2f\n", rows[k].particles, rows[k].ns_one,
		       rows[k].ns_all, rows[k].ns_all / rows[k].ns_one, rows[k].ns_one_busy, rows[k].ns_all_busy,
		       rows[k].ns_all_busy / rows[k].ns_one_busy);
}

static void print_json(const bench_options *options, const thread_row *rows)
{
	printf(",\"rows\":[");
	for (int k = 0; k < SIZES; k++)
		printf(
		    "%s{\"particles\":%u,\"threads\":%d,\"ns_one_thread\":%.4g,\"ns_threads\":%.4g,\"ratio\":%.4g,"
		    "\"ns_one_thread_busy\":%.4g,\"ns_threads_busy\":%.4g,\"ratio_busy\":%.4g,\"target_ratio_busy\":%.4g}",
		    k ? "," : "", rows[k].particles, options->threads, rows[k].ns_one, rows[k].ns_all,
		    rows[k].ns_all / rows[k].ns_one, rows[k].ns_one_busy, rows[k].ns_all_busy,
		    rows[k].ns_all_busy / rows[k].ns_one_busy, allowed_busy_ratio);
	puts("]}");
}

spate_result bench_threads(const bench_options *options, spate_error *error)
{
	thread_row rows[SIZES] = {0};
	spate_result result = SPATE_OK;
	for (int k = 0; k < SIZES && result == SPATE_OK; k++)
		result = dam_break_measure(options->quick ? &quick_sizes[k] : &full_sizes[k], measure, &rows[k],
					   options, error);
	if (result != SPATE_OK)
		return result;
	bench_print_head(options, "threads", "evolved dam breaks, 4 iterations");
	(options->json ? print_json : print_table)(options, rows);
	return SPATE_OK;
}
