// What jobs share. A job is work on files that takes a while: meshing, drawing, plotting. Each job has a definition with defaults and one
// function that runs it on the calling thread; it reports progress and can be cancelled. Several jobs may run at the same time, each on
// a thread of its own.
//
// Messages of a job name the members of its definition in backquotes, such as `output`, so that a program can show its own names.
#ifndef SPATE_JOB_H
#define SPATE_JOB_H

#include "spate/log.h"
#include "spate/result.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spate_job_progress
{
	const char *what;             // what is counted: "frames", "frames read to find the colour range"
	uint32_t done, total;         // items
	const char *item;             // the file finished last, valid during the call; NULL for none yet
	double seconds, seconds_left; // elapsed, and an estimate of the rest; -1 if unknown
} spate_job_progress;

// Called on the thread that runs the job, before the first item, after every one, and wherever else the job can stop. A non-zero result
// cancels: the job ends with SPATE_CANCELLED, and finished files stay.
typedef int spate_job_handler(void *context, const spate_job_progress *progress);

// The part that all definitions of jobs have. All zero is a good default.
typedef struct spate_job
{
	spate_job_handler *handler; // may be NULL
	spate_log_handler *log;     // what is worth telling while the job goes on; NULL for the process's handler
	void *context;              // for both handlers
	int threads;                // 0 for all cores; files do not depend on it
} spate_job;

// A range of frames; -1 for an open end.
typedef struct spate_job_frames
{
	int64_t first, last;
} spate_job_frames;

#ifdef __cplusplus
}
#endif
#endif
