// Threads: what may be called from where, and how a host lends its own threads.
//
// - A world, store, frame, scene or search may be used by one thread at a time, any thread: the host serialises calls that get the
//   same object. That includes functions that only read, while another thread steps the world.
// - Different objects may be used by different threads at once. Two worlds on two threads share nothing but the worker threads: while
//   one uses them, the other computes on its own thread alone. Results never depend on that.
// - Handlers and callbacks are called on the thread that called the library, never on a worker thread.
// - Handlers of the process (spate_log_set_handler, spate_set_task_system) are set while no other thread is inside the library.
#ifndef SPATE_THREADS_H
#define SPATE_THREADS_H

#include "spate/result.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The largest number of threads that any call takes.
enum
{
	SPATE_MAX_THREADS = 256
};

// One of the tasks of a parallel loop, 0 to count - 1.
typedef void spate_task(void *loop, uint32_t number);

// Threads of the host that take the place of the library's own.
typedef struct spate_task_system
{
	// Calls task(loop, n) once for every n from 0 to count - 1, on any threads, in any order, and returns when all have returned. Tasks
	// never wait for each other, so running them one after the other on the calling thread is correct, too. Called by every thread that
	// is inside the library, but never from within a task.
	void (*run)(void *host, uint32_t count, spate_task *task, void *loop);
	void *host;  // first argument of `run`
	int threads; // what "all cores" means: the number of tasks that can run at once, from 1 to SPATE_MAX_THREADS
} spate_task_system;

// A system without `run`, for as many threads as there are cores.
SPATE_API spate_task_system spate_default_task_system(void);

// All parallel loops of the process run on the host's threads from now on; NULL returns to the library's own. Results are the same to
// the bit. Worlds keep their number of threads until spate_world_set_threads. OpenVDB, which meshes as colliders need, keeps using TBB.
// SPATE_INVALID, with nothing changed, for a system without `run` or with a wrong number of threads.
SPATE_API spate_result spate_set_task_system(const spate_task_system *system, spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
