#define _GNU_SOURCE
#include "job/progress.h"

#include "base/error.h"
#include "base/parallel.h"

#include <stddef.h>
#include <time.h>

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static spate_result tell(const job_progress *p, const char *item, spate_error *error)
{
	double elapsed = seconds() - p->started;
	spate_job_progress now = {.done = p->done,
				  .total = p->total,
				  .item = item,
				  .seconds = elapsed,
				  .seconds_left = p->done ? elapsed * (p->total - p->done) / p->done : -1.0};
	if (!p->job->handler || !p->job->handler(p->job->context, &now))
		return SPATE_OK;
	return error_set(error, SPATE_CANCELLED, "stopped after %u of %u", p->done, p->total);
}

spate_result job_progress_begin(job_progress *p, const spate_job *job, uint32_t total, spate_error *error)
{
	*p = (job_progress){.job = job, .total = total, .started = seconds()};
	return tell(p, NULL, error);
}

spate_result job_progress_step(job_progress *p, const char *item, spate_error *error)
{
	p->done++;
	return tell(p, item, error);
}

int job_threads(const spate_job *job)
{
	return job->threads > 0 ? job->threads : parallel_default_threads();
}
