// The host gets as many tasks as the loop has threads, and each claims blocks until none is left. So a task's number serves as the
// thread's number, two tasks at once never share one, and it does not matter when, where or whether at once the host runs them.
#include "base/task_system.h"

#include "base/error.h"
#include "base/parallel.h"

#include <assert.h>
#include <stdatomic.h>

// Threads are a property of the process, as in pool.c.
static spate_task_system system_in_use;
static _Thread_local int inside_task;

typedef struct shared_loop
{
	atomic_size_t next; // block to be claimed
	size_t blocks;
	pool_task *run_block;
	void *context;
} shared_loop;

spate_task_system spate_default_task_system(void)
{
	return (spate_task_system){.threads = parallel_cores()};
}

spate_result spate_set_task_system(const spate_task_system *system, spate_error *error)
{
	if (system && !system->run)
		return error_set(error, SPATE_INVALID, "a task system needs a function that runs tasks, not NULL");
	if (system && (system->threads < 1 || system->threads > PARALLEL_MAX_THREADS))
		return error_set(error, SPATE_INVALID, "a task system has from 1 to %d threads, not %d",
				 PARALLEL_MAX_THREADS, system->threads);
	system_in_use = system ? *system : (spate_task_system){0};
	return SPATE_OK;
}

int task_system_threads(void)
{
	return system_in_use.threads;
}

static void claim_blocks(void *loop, uint32_t number)
{
	shared_loop *l = loop;
	int outer = inside_task;
	inside_task = 1;
	for (size_t b; (b = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed)) < l->blocks;)
		l->run_block(l->context, b, (int)number);
	inside_task = outer;
}

void task_system_run(int threads, size_t tasks, pool_task *task, void *context)
{
	shared_loop loop = {.blocks = tasks, .run_block = task, .context = context};
	if (threads > 1 && tasks > 1 && !inside_task)
		system_in_use.run(system_in_use.host, (uint32_t)threads, claim_blocks, &loop);
	else
		claim_blocks(&loop, 0);
	assert(atomic_load(&loop.next) >= tasks);
}
