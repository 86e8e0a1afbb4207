#define _GNU_SOURCE
#include "job/progress.h"

#include "base/error.h"
#include "base/parallel.h"

#include <stddef.h>
#include <time.h>

double job_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

spate_result job_progress_poll(const job_progress *p, const char *item, spate_error *error)
{
	double elapsed = job_clock() - p->started;
	spate_job_progress now = {.what = p->what,
				  .done = p->done,
				  .total = p->total,
				  .prepares = p->prepares,
				  .item = item,
				  .seconds = elapsed,
				  .seconds_left = p->done ? elapsed * (p->total - p->done) / p->done : -1.0};
	if (!p->job->handler || !p->job->handler(p->job->context, &now))
		return SPATE_OK;
	return error_set(error, SPATE_CANCELLED, "stopped after %u of %u", p->done, p->total);
}

spate_result job_progress_begin(job_progress *p, const spate_job *job, const char *what, uint32_t total,
				spate_error *error)
{
	*p = (job_progress){.job = job, .what = what, .total = total, .started = job_clock()};
	return job_progress_poll(p, NULL, error);
}

spate_result job_progress_prepare(job_progress *p, const spate_job *job, const char *what, uint32_t total,
				  spate_error *error)
{
	*p = (job_progress){.job = job, .what = what, .total = total, .prepares = 1, .started = job_clock()};
	return job_progress_poll(p, NULL, error);
}

spate_result job_progress_step(job_progress *p, const char *item, spate_error *error)
{
	p->done++;
	return job_progress_poll(p, item, error);
}

int job_threads(const spate_job *job)
{
	return job->threads > 0 ? job->threads : parallel_default_threads();
}
