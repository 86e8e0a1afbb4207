// How the threads work together:
//
//	caller   open -- claim, claim, ... -- close -- wait for those inside -- done
//	worker        wait -- join -- claim, claim, ... -- leave -- wait
//
// Tasks are claimed one by one. The caller claims tasks as the workers do, so a loop finishes even if no worker ever joins, and the
// caller waits only for workers that have joined. This matters on a busy machine: a worker that is not scheduled in time finds the
// loop closed and is not waited for; one that loses its core in the middle of a task delays the loop by this task alone.
//
// A waiting thread spins for some microseconds, which avoids a system call, and then sleeps. Spinning while others want the core
// costs twice: it takes their time, and the scheduler makes the thread wait in turn when there is work. So spinning is suspended for
// a while after it was interrupted, is shortened while it does not pay, and is not done with more threads than cores. Sleeping
// workers are woken only for loops that are expected to last.
//
// The mutable globals of the library are the pool, the host's task system, the log handler, the counters of memory.c and the flag
// that ODE has been started (body_ode.c): they are properties of the process.
#define _GNU_SOURCE
#include "base/pool.h"
#include "base/parallel.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// ns
enum
{
	SPIN_LEAST = 4000,
	SPIN_MOST = 200000,
	INTERRUPTED = 40000,  // a longer time between two looks at the clock means that the core was taken away
	CAUTION = 100000000,  // time without spinning after that
	WORTH_WAKING = 30000, // a worker is woken only if the loop keeps it busy for this long
	CACHE_LINE = 64,
	KINDS = 64
};

// Bits of the word `crew`, the state of the workers in the loop.
#define CREW_INSIDE 0x0000ffffu  // workers that have joined and not left
#define CREW_SEATS 0x7fff0000u   // number of workers that may still join, 0 when the loop is closed
#define CREW_AWAITED 0x80000000u // the caller sleeps until the last worker has left
#define ONE_SEAT 0x00010000u

static struct
{
	// The loop. The caller writes it while no worker is inside.
	pool_task *task;
	void *context;
	size_t tasks;

	alignas(CACHE_LINE) atomic_size_t next; // task to be claimed
	alignas(CACHE_LINE) atomic_uint crew;
	alignas(CACHE_LINE) atomic_uint ring;               // counts loops; workers sleep on it
	atomic_int asleep;                                  // sleeping workers
	atomic_int uncalled;                                // sleeping workers that this loop has yet to wake
	alignas(CACHE_LINE) _Atomic int64_t cautious_until; // time (ns) before which no thread spins
	atomic_int crowded;                                 // the loop has more threads than there are cores
	atomic_int quit;

	alignas(CACHE_LINE) atomic_int taken; // 1 while a caller uses the pool; only it may touch what follows
	int refused;                          // the system has refused another thread
	int registered;                       // with pthread_atfork
	int cores;
	int64_t patience; // of the caller
	atomic_int workers;
	pthread_t handles[PARALLEL_MAX_THREADS];
	struct
	{
		pool_kind *kind;
		int64_t ns; // per task, or 0
	} costs[KINDS];
} pool;

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield");
#endif
}

// ------------------------------------------------------------------------------------------------------------ waiting

// Sleeps while the word is `value`; may wake up spuriously.
static void sleep_on(atomic_uint *word, unsigned value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake(atomic_uint *word, int most)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, most, NULL, NULL, 0);
}

// Spins for at most `patience` (ns) until the word is `value` (or, if `differ`, is not). Returns 1 if that happened.
static int spin(const atomic_uint *word, unsigned value, int differ, int64_t *patience)
{
	if (atomic_load_explicit(&pool.crowded, memory_order_relaxed))
		return 0;
	int64_t start = now(), time = start;
	if (time < atomic_load_explicit(&pool.cautious_until, memory_order_relaxed))
		return 0;
	while (time - start < *patience)
	{
		for (int k = 0; k < 16; k++)
		{
			if ((atomic_load_explicit(word, memory_order_acquire) != value) == differ)
			{
				*patience = *patience < SPIN_MOST / 2 ? 2 * *patience : SPIN_MOST;
				return 1;
			}
			pause_core();
		}
		int64_t last = time;
		time = now();
		if (time - last > INTERRUPTED)
		{
			atomic_store_explicit(&pool.cautious_until, time + CAUTION, memory_order_relaxed);
			return 0;
		}
	}
	*patience = *patience > 2 * SPIN_LEAST ? *patience / 2 : SPIN_LEAST;
	return 0;
}

// ------------------------------------------------------------------------------------------------------------ workers

// Joins the loop. Returns the worker's thread number, from 1, or 0 if there is no seat.
static int join(void)
{
	unsigned crew = atomic_load_explicit(&pool.crew, memory_order_relaxed);
	while (crew & CREW_SEATS)
		if (atomic_compare_exchange_weak_explicit(&pool.crew, &crew, crew - ONE_SEAT + 1, memory_order_acquire,
							  memory_order_relaxed))
			return (int)((crew & CREW_SEATS) / ONE_SEAT);
	return 0;
}

static void leave(void)
{
	// The pool outlives every loop, so waking a caller that has already moved on does no harm.
	if (atomic_fetch_sub_explicit(&pool.crew, 1, memory_order_release) == (CREW_AWAITED | 1))
		wake(&pool.crew, 1);
}

// Every woken worker wakes two more, as long as more are wanted.
static void call_workers(void)
{
	int uncalled = atomic_load_explicit(&pool.uncalled, memory_order_relaxed), called;
	do
	{
		if (uncalled <= 0)
			return;
		called = uncalled < 2 ? uncalled : 2;
	} while (!atomic_compare_exchange_weak_explicit(&pool.uncalled, &uncalled, uncalled - called,
							memory_order_relaxed, memory_order_relaxed));
	wake(&pool.ring, called);
}

// Runs one more task, if there is one.
static int run_task(int thread)
{
	size_t task = atomic_fetch_add_explicit(&pool.next, 1, memory_order_relaxed);
	if (task >= pool.tasks)
		return 0;
	pool.task(pool.context, task, thread);
	return 1;
}

static unsigned wait_for_ring(unsigned heard, int64_t *patience)
{
	while (!spin(&pool.ring, heard, 1, patience))
	{
		atomic_fetch_add(&pool.asleep, 1);
		if (atomic_load(&pool.ring) == heard)
			sleep_on(&pool.ring, heard);
		atomic_fetch_sub(&pool.asleep, 1);
		if (atomic_load(&pool.ring) != heard)
			break;
	}
	return atomic_load_explicit(&pool.ring, memory_order_acquire);
}

static void *work(void *argument)
{
	unsigned heard = (unsigned)(uintptr_t)argument;
	int64_t patience = SPIN_MOST;
	for (;;)
	{
		heard = wait_for_ring(heard, &patience);
		if (atomic_load_explicit(&pool.quit, memory_order_relaxed))
			return NULL;
		int seat = join();
		if (seat > 0)
		{
			call_workers();
			while (run_task(seat) && !atomic_load_explicit(&pool.quit, memory_order_relaxed))
				;
			leave();
		}
	}
}

// A forked child has only one thread: it has no workers, and a loop that another thread was running will never finish.
static void forget_workers(void)
{
	int registered = pool.registered;
	memset(&pool, 0, sizeof pool);
	pool.registered = registered;
}

// Runs when the process ends, and when the library is unloaded, since the workers execute its code.
__attribute__((destructor)) static void stop_workers(void)
{
	int workers = atomic_load_explicit(&pool.workers, memory_order_acquire);
	if (workers == 0)
		return;
	atomic_store(&pool.quit, 1);
	atomic_fetch_add(&pool.ring, 1);
	wake(&pool.ring, INT_MAX);
	for (int k = 0; k < workers; k++)
		pthread_join(pool.handles[k], NULL);
	atomic_store(&pool.workers, 0);
}

// Starts missing workers, fewer if the system refuses. Returns the number of workers, at most `wanted`.
static int start_workers(int wanted)
{
	int workers = atomic_load_explicit(&pool.workers, memory_order_relaxed);
	if (workers >= wanted)
		return wanted;
	if (!pool.registered)
		pool.registered = pthread_atfork(NULL, NULL, forget_workers) == 0;
	if (pool.refused || !pool.registered || atomic_load(&pool.quit))
		return workers;
	// Signals go to the threads of the host, except those raised by a fault in the thread itself and those of profilers.
	static const int delivered[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
	sigset_t blocked, before;
	sigfillset(&blocked);
	for (size_t k = 0; k < sizeof delivered / sizeof *delivered; k++)
		sigdelset(&blocked, delivered[k]);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	void *heard = (void *)(uintptr_t)atomic_load_explicit(&pool.ring, memory_order_relaxed);
	while (workers < wanted && !pool.refused)
		if (pthread_create(&pool.handles[workers], NULL, work, heard) == 0)
			atomic_store_explicit(&pool.workers, ++workers, memory_order_release);
		else
			pool.refused = 1;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return workers;
}

// ------------------------------------------------------------------------------------------------------------- caller

static int64_t *cost_of(pool_kind *kind)
{
	uintptr_t bits = (uintptr_t)kind >> 4;
	size_t place = (bits ^ bits >> 6 ^ bits >> 12) % KINDS;
	if (pool.costs[place].kind != kind)
	{
		pool.costs[place].kind = kind;
		pool.costs[place].ns = 0;
	}
	return &pool.costs[place].ns;
}

// Updates the expected time per task of a kind of loop. It at most doubles at a time, since a measurement may include an interruption.
static void learn_cost(int64_t *cost, int64_t ns)
{
	ns = ns < 1 ? 1 : ns;
	*cost = *cost > 0 && ns > 2 * *cost ? 2 * *cost : ns;
}

// Wakes as many workers as a loop that takes `ns` on one thread keeps busy, less those already awake.
static void call_for(int64_t ns, int workers)
{
	int asleep = atomic_load(&pool.asleep);
	int awake = atomic_load_explicit(&pool.workers, memory_order_relaxed) - asleep;
	int wanted = (ns / WORTH_WAKING < workers ? (int)(ns / WORTH_WAKING) : workers) - awake;
	atomic_store_explicit(&pool.uncalled, wanted < asleep ? wanted : asleep, memory_order_relaxed);
	call_workers();
}

// The caller's part of the loop. A new kind of loop counts as long. If a loop takes longer than expected, workers are woken then.
static void run_own_tasks(int workers, pool_kind *kind)
{
	int64_t *cost = cost_of(kind), start = now(), done = 0;
	int64_t expected =
	    *cost > 0 && pool.tasks < (size_t)(INT64_MAX / *cost) ? *cost * (int64_t)pool.tasks : INT64_MAX;
	call_for(expected, workers);
	for (; run_task(0); done++)
		if (expected < WORTH_WAKING && now() - start > WORTH_WAKING)
			call_for(expected = INT64_MAX, workers);
	if (done > 0)
		learn_cost(cost, (now() - start) / done);
}

static void wait_for_crew(void)
{
	unsigned crew = atomic_fetch_and_explicit(&pool.crew, CREW_INSIDE, memory_order_acquire) & CREW_INSIDE;
	if (crew == 0 || spin(&pool.crew, 0, 0, &pool.patience))
		return;
	while ((crew = atomic_load_explicit(&pool.crew, memory_order_acquire)) & CREW_INSIDE)
		if (crew & CREW_AWAITED || atomic_compare_exchange_strong(&pool.crew, &crew, crew | CREW_AWAITED))
			sleep_on(&pool.crew, crew | CREW_AWAITED);
}

static void run_loop(int workers, size_t tasks, pool_task *task, void *context, pool_kind *kind)
{
	pool.task = task;
	pool.context = context;
	pool.tasks = tasks;
	atomic_store_explicit(&pool.next, 0, memory_order_relaxed);
	atomic_store_explicit(&pool.crowded, workers >= pool.cores, memory_order_relaxed);
	atomic_store_explicit(&pool.crew, (unsigned)workers * ONE_SEAT, memory_order_release);
	atomic_fetch_add(&pool.ring, 1);
	run_own_tasks(workers, kind);
	wait_for_crew();
}

void pool_run(int threads, size_t tasks, pool_task *task, void *context, pool_kind *kind)
{
	int workers = 0;
	if (threads > 1 && tasks > 1 && !atomic_exchange_explicit(&pool.taken, 1, memory_order_acquire))
	{
		if (pool.cores == 0)
		{
			pool.cores = parallel_cores();
			pool.patience = SPIN_MOST;
		}
		workers = start_workers(threads - 1);
		if (workers > 0)
			run_loop(workers, tasks, task, context, kind);
		atomic_store_explicit(&pool.taken, 0, memory_order_release);
	}
	if (workers == 0)
		for (size_t k = 0; k < tasks; k++)
			task(context, k, 0);
}
