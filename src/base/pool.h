// The worker threads behind parallel loops. Only base/parallel.c calls this.
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stddef.h>

// One task of a loop. `thread` is in [0, threads); 0 is the calling thread.
typedef void pool_task(void *context, size_t task, int thread);

// Identifies what a loop does; loops of one kind are expected to take similar time per task.
typedef void pool_kind(void);

// Runs tasks 0 .. tasks - 1 in any order on up to `threads` threads, including this one, and returns when all are done. Starts
// missing workers. Runs everything on this thread alone when the workers are busy with another thread's loop, or with the loop that
// this call is nested in.
void pool_run(int threads, size_t tasks, pool_task *task, void *context, pool_kind *kind);

#endif
