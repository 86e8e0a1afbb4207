// Parallel loops on threads of the host. Only base/parallel.c calls this.
#ifndef BASE_TASK_SYSTEM_H
#define BASE_TASK_SYSTEM_H

#include "base/pool.h"
#include "spate/threads.h"

// The number of threads that the host lends; 0 when there is no such host.
int task_system_threads(void);

// The same as pool_run(), on the host's threads. A loop nested in another runs on the calling thread alone.
void task_system_run(int threads, size_t tasks, pool_task *task, void *context);

#endif
