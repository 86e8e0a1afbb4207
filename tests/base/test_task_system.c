// Parallel loops on the host's threads: everything once, on as many threads as asked for, nested loops and serial hosts included.
#include "check.h"

#include "base/parallel.h"
#include "spate/threads.h"

#include <pthread.h>
#include <stdatomic.h>

enum
{
	MOST = 8,
	COUNT = 100000
};

// A host that starts a thread per task, as simple as can be.
typedef struct host
{
	atomic_int loops;
	uint32_t widest;
	int serial; // 1 runs the tasks backwards on the calling thread
} host;

typedef struct job
{
	spate_task *task;
	void *loop;
	uint32_t number;
} job;

static void *do_job(void *context)
{
	job *j = context;
	j->task(j->loop, j->number);
	return NULL;
}

static void run_tasks(void *context, uint32_t count, spate_task *task, void *loop)
{
	host *h = context;
	atomic_fetch_add(&h->loops, 1);
	h->widest = count > h->widest ? count : h->widest;
	assert_true(count <= MOST);
	job jobs[MOST];
	pthread_t threads[MOST];
	for (uint32_t k = 0; k < count; k++)
	{
		jobs[k] = (job){task, loop, count - 1 - k};
		if (h->serial)
			do_job(&jobs[k]);
		else
			assert_int_equal(pthread_create(&threads[k], NULL, do_job, &jobs[k]), 0);
	}
	for (uint32_t k = 0; k < count && !h->serial; k++)
		pthread_join(threads[k], NULL);
}

static void lend(host *h, int threads)
{
	spate_task_system system = spate_default_task_system();
	system.run = run_tasks;
	system.host = h;
	system.threads = threads;
	assert_int_equal(spate_set_task_system(&system, NULL), SPATE_OK);
}

static int take_back(void **state)
{
	(void)state;
	return spate_set_task_system(NULL, NULL);
}

typedef struct visits
{
	unsigned char seen[COUNT];
	atomic_int users[MOST]; // of each thread number at a time
	atomic_int wrong;
	int threads;
} visits;

static void count_inner(void *context, size_t begin, size_t end, int thread)
{
	if (thread != 0)
		atomic_fetch_add((atomic_int *)context, 1000000);
	atomic_fetch_add((atomic_int *)context, (int)(end - begin));
}

static void visit(void *context, size_t begin, size_t end, int thread)
{
	visits *v = context;
	if (thread < 0 || thread >= v->threads || atomic_fetch_add(&v->users[thread], 1) != 0)
		atomic_fetch_add(&v->wrong, 1);
	for (size_t i = begin; i < end; i++)
		v->seen[i]++;
	atomic_int inner = 0;
	parallel_for(4, 1000, 10, count_inner, &inner);
	if (inner != 1000)
		atomic_fetch_add(&v->wrong, 1);
	atomic_fetch_sub(&v->users[thread], 1);
}

static void every_element_is_visited_once(void **state)
{
	(void)state;
	static visits v;
	for (int serial = 0; serial < 2; serial++)
		for (int threads = 1; threads <= MOST; threads += 3)
		{
			host h = {.serial = serial};
			lend(&h, 2);
			memset(&v, 0, sizeof v);
			v.threads = threads;
			parallel_for(threads, COUNT, 1000, visit, &v);
			for (size_t i = 0; i < COUNT; i++)
				assert_int_equal(v.seen[i], 1);
			assert_int_equal(v.wrong, 0);
			// nested loops and loops on one thread are not the host's business
			assert_int_equal(h.loops, threads > 1);
			assert_int_equal(h.widest, threads > 1 ? threads : 0);
		}
}

static void list_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	(void)context;
	for (size_t i = begin; i < end; i++)
		terms[0][i - begin] = 1.0 / (double)(1 + i);
}

static void sums_have_the_same_bits(void **state)
{
	(void)state;
	double expected = parallel_sum(1, 1000000, list_terms, NULL);
	host h = {0};
	lend(&h, 3);
	double sum = parallel_sum(3, 1000000, list_terms, NULL);
	assert_true(h.loops > 0);
	assert_memory_equal(&sum, &expected, sizeof sum);
}

static void the_host_says_what_all_cores_are(void **state)
{
	(void)state;
	unsetenv("SPATE_THREADS");
	assert_int_equal(spate_default_task_system().threads, parallel_cores());
	host h = {0};
	lend(&h, 7);
	assert_int_equal(parallel_default_threads(), 7);
	take_back(NULL);
	assert_int_equal(parallel_default_threads(), parallel_cores());
}

static void a_useless_system_is_refused(void **state)
{
	(void)state;
	host h = {0};
	lend(&h, 5);
	static const int wrong[] = {0, -1, 257};
	spate_error error = {0};
	for (int k = 0; k < 3; k++)
	{
		spate_task_system system = {.run = run_tasks, .host = &h, .threads = wrong[k]};
		assert_int_equal(spate_set_task_system(&system, &error), SPATE_INVALID);
	}
	assert_string_equal(error.text, "a task system has from 1 to 256 threads, not 257");
	spate_task_system without = spate_default_task_system();
	assert_int_equal(spate_set_task_system(&without, &error), SPATE_INVALID);
	assert_string_equal(error.text, "a task system needs a function that runs tasks, not NULL");
	// the one before stays
	assert_int_equal(parallel_default_threads(), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(every_element_is_visited_once, take_back),
	    cmocka_unit_test_teardown(sums_have_the_same_bits, take_back),
	    cmocka_unit_test_teardown(the_host_says_what_all_cores_are, take_back),
	    cmocka_unit_test_teardown(a_useless_system_is_refused, take_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
