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
	int prepares;                 // nothing is finished by these items: another pass over them or others follows
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

enum
{
	SPATE_JOB_MAX_SHARDS = 100000
};

// Which frames of a run. All zero selects every frame.
//
// The list has numbers, ranges "10-20", and ranges with an open end "10-" or "-20", separated by commas. A range may have a step:
// "1-10x2" and "1-10:2" are frames 1, 3, 5, 7, 9; the steps of "-20x2" count from the first frame of the run. Order does not matter, and a
// frame listed twice counts once. Frames after the last one of the run are left out with a warning.
//
// With `shards`, the list is dealt out like cards, and only the frames of hand number `shard` remain: of 1-7 in 3 shards, the first has
// 1, 4 and 7. Shards are disjoint, together they are the whole list, and frames that a run adds at its end do not move the others.
typedef struct spate_job_frames
{
	const char *list;       // borrowed for the call; NULL for all frames
	uint32_t shard, shards; // from 1 to `shards`; both 0 for all of the list
} spate_job_frames;

// Whether the list and the shard can be read: SPATE_INVALID with a sentence if not.
SPATE_API spate_result spate_job_frames_check(const spate_job_frames *frames, spate_error *error);

// The axis that points up in the files of an export or of a meshing job. In Spate it is y, unless a scene's gravity points elsewhere.
typedef enum spate_export_up
{
	SPATE_EXPORT_UP_Y, // as it is
	SPATE_EXPORT_UP_Z  // places and vectors are turned: (x, y, z) becomes (x, -z, y)
} spate_export_up;

#ifdef __cplusplus
}
#endif
#endif
