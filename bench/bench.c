#include "bench/bench.h"

#include "base/simd_level.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_wall_seconds(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

double bench_cpu_seconds(void)
{
	return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

void stopwatch_start(stopwatch *watch)
{
	watch->started = bench_wall_seconds();
}

void stopwatch_stop(stopwatch *watch)
{
	stopwatch_add(watch, bench_wall_seconds() - watch->started);
}

void stopwatch_add(stopwatch *watch, double seconds)
{
	if (watch->runs++ == 0 || seconds < watch->best)
		watch->best = seconds;
}

double stopwatch_ns_per(const stopwatch *watch, uint32_t particles)
{
	return 1e9 * watch->best / (particles > 0 ? particles : 1);
}

void bench_progress(const bench_options *options, const char *format, ...)
{
	if (options->quiet || options->quick)
		return;
	int terminal = isatty(STDERR_FILENO);
	fputs(terminal ? "\r\033[K" : "", stderr);
	va_list arguments;
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputs(terminal ? " ..." : " ...\n", stderr);
	fflush(stderr);
}

void bench_progress_end(const bench_options *options)
{
	if (!options->quiet && !options->quick && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

int bench_thread_counts(const bench_options *options, int threads[2])
{
	threads[0] = 1;
	threads[1] = options->threads;
	return options->threads > 1 ? 2 : 1;
}

void bench_choose_solver(const bench_options *options, spate_solver_def *def)
{
	if (options->solver)
		def->type = spate_solver_find(options->solver);
}

void bench_print_head(const bench_options *options, const char *name, const char *about)
{
	const char *simd = simd_level_name(simd_level_detect());
	if (options->json)
		printf("{\"bench\":\"%s\",\"threads\":%d,\"simd\":\"%s\",\"runs\":%d,\"quick\":%s", name,
		       options->threads, simd, options->runs, options->quick ? "true" : "false");
	else
		printf("%s: threads %d, simd %s, best of %d runs, %s\n\n", name, options->threads, simd, options->runs,
		       about);
}
