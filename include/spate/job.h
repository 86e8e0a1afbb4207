// What jobs share. A job is work on files that takes a while: meshing, drawing, plotting. Each job has a definition with
// defaults and one function that runs it on the calling thread; it reports progress and can be cancelled.
#ifndef SPATE_JOB_H
#define SPATE_JOB_H

#include "spate/result.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spate_job_progress
{
	uint32_t done, total;         // items: frames, pictures, files
	const char *item;             // what was finished or is worked on, such as a path; NULL for nothing yet
	double seconds, seconds_left; // elapsed, and an estimate of the rest; -1 if unknown
} spate_job_progress;

// Called on the thread that runs the job, before the first item and after every one. A non-zero result cancels: the job ends with
// SPATE_CANCELLED, and finished files stay.
typedef int spate_job_handler(void *context, const spate_job_progress *progress);

// The part that all definitions of jobs have.
typedef struct spate_job
{
	spate_job_handler *handler; // may be NULL
	void *context;              // for the handler
	int threads;                // 0 for all cores
} spate_job;

#ifdef __cplusplus
}
#endif
#endif
