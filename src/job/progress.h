// Progress of a job: counts its items, estimates the time left and asks the host whether to go on.
#ifndef JOB_PROGRESS_H
#define JOB_PROGRESS_H

#include "spate/job.h"

typedef struct job_progress
{
	const spate_job *job;
	const char *what; // borrowed: "frames"
	uint32_t done, total;
	int prepares;   // another pass follows
	double started; // s, monotonic clock
} job_progress;

// These tell the host and return SPATE_CANCELLED, with a sentence, if it asked to stop; SPATE_OK otherwise.
// A job that goes through its items several times begins several times, each with its own words for `what`.
spate_result job_progress_begin(job_progress *progress, const spate_job *job, const char *what, uint32_t total,
				spate_error *error);
// The same for a pass that only prepares another one.
spate_result job_progress_prepare(job_progress *progress, const spate_job *job, const char *what, uint32_t total,
				  spate_error *error);
// After an item, whose path or name is given; NULL for none.
spate_result job_progress_step(job_progress *progress, const char *item, spate_error *error);

// Within an item, where the job can stop as well.
spate_result job_progress_poll(const job_progress *progress, const char *item, spate_error *error);

// Monotonic clock, in seconds.
double job_clock(void);
// Threads that a job may use.
int job_threads(const spate_job *job);

#endif
