// Parallel loops: everything once, sums with the same bits, no NaN lost. The threads behind them: only those asked for, and
// nobody hangs or miscounts when loops are nested, called by several threads, or run in a forked child.
#define _GNU_SOURCE
#include "check.h"

#include "base/exact_sum.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct visits
{
	unsigned char *seen;
	size_t block, count;
	int threads, wrong;
} visits;

static void visit(void *context, size_t begin, size_t end, int thread)
{
	visits *v = context;
	size_t expected = begin + v->block < v->count ? begin + v->block : v->count;
	if (begin % v->block || end != expected || thread < 0 || thread >= v->threads)
		__atomic_fetch_add(&v->wrong, 1, __ATOMIC_RELAXED);
	for (size_t i = begin; i < end; i++)
		v->seen[i]++;
}

static void every_element_is_visited_once(void **state)
{
	(void)state;
	static const size_t counts[] = {0, 1, 2, 7, 100, 4095, 4096, 4097, 12289};
	static const size_t blocks[] = {1, 3, 64, 1000, PARALLEL_BLOCK, 100000};
	static const int threads[] = {-1, 0, 1, 2, 3, 5, 7, 300};
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
		for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
			for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
			{
				if (threads[t] > 7 && c % 4)
					continue;
				visits v = {.seen = mem_calloc(counts[c] + 1, 1),
					    .block = blocks[b],
					    .count = counts[c],
					    .threads = threads[t] < 1 ? 1 : threads[t]};
				assert_non_null(v.seen);
				parallel_for(threads[t], counts[c], blocks[b], visit, &v);
				for (size_t i = 0; i <= counts[c]; i++)
					if (v.seen[i] != (i < counts[c]))
						fail_msg("element %zu of %zu seen %d times (block %zu, %d threads)", i,
							 counts[c], v.seen[i], blocks[b], threads[t]);
				assert_int_equal(v.wrong, 0);
				mem_free(v.seen);
			}
}

static void odd_blocks_are_understood(void **state)
{
	(void)state;
	unsigned char seen[10000];
	static const size_t blocks[] = {0, SIZE_MAX, SIZE_MAX - 3};
	static const size_t meant[] = {PARALLEL_BLOCK, sizeof seen, sizeof seen};
	for (int b = 0; b < 3; b++)
		for (int threads = 1; threads <= 2; threads++)
		{
			memset(seen, 0, sizeof seen);
			visits v = {.seen = seen, .block = meant[b], .count = sizeof seen, .threads = threads};
			parallel_for(threads, sizeof seen, blocks[b], visit, &v);
			for (size_t i = 0; i < sizeof seen; i++)
				assert_int_equal(seen[i], 1);
			assert_int_equal(v.wrong, 0);
		}
}

static void copy_values(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const double *values = context;
	for (size_t i = begin; i < end; i++)
		terms[0][i - begin] = values[i];
}

// Every value once more with the other sign, and its square.
static void twin_values(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const double *values = context;
	copy_values(context, begin, end, terms);
	for (size_t i = begin; i < end; i++)
	{
		terms[1][i - begin] = -values[i];
		terms[2][i - begin] = values[i] * values[i];
	}
}

static double max_values(void *context, size_t begin, size_t end)
{
	const double *values = context;
	double most = -INFINITY;
	for (size_t i = begin; i < end; i++)
		if (!isnan(most) && !(values[i] <= most))
			most = values[i];
	return most;
}

// Values over many magnitudes, whose sum changes with the order.
static double *make_values(size_t count)
{
	double *values = mem_alloc(count * sizeof *values);
	assert_non_null(values);
	for (size_t i = 0; i < count; i++)
	{
		uint64_t h = hash_mix(i + 1);
		values[i] = ldexp((double)(int64_t)h * 0x1p-63, (int)(h % 61) - 30);
	}
	return values;
}

static void sums_have_the_same_bits_on_any_threads(void **state)
{
	(void)state;
	size_t count = 300 * PARALLEL_BLOCK + 77;
	double *values = make_values(count), most = max_values(values, 0, count);
	exact_sum exact = {0};
	for (size_t i = 0; i < count; i++)
		exact_sum_add(&exact, values[i]);
	double expected = exact_sum_read(&exact);
	for (int threads = 1; threads <= 7; threads++)
	{
		double sum = parallel_sum(threads, count, copy_values, values);
		if (memcmp(&sum, &expected, sizeof sum))
			fail_msg("%d threads: %a, expected %a", threads, sum, expected);
		check_near(parallel_max(threads, count, max_values, values), most, 0.0);
	}
	mem_free(values);
}

static void sums_have_the_same_bits_in_any_order(void **state)
{
	(void)state;
	size_t count = 5 * PARALLEL_BLOCK + 77;
	double *values = make_values(count), sums[3], turned[3];
	parallel_sums(3, count, 3, twin_values, values, sums);
	assert_true(sums[0] == -sums[1] && sums[2] > 0.0);
	for (size_t i = 0; i < count; i++)
	{
		size_t j = hash_mix(i) % count;
		double swap = values[i];
		values[i] = values[j];
		values[j] = swap;
	}
	parallel_sums(3, count, 3, twin_values, values, turned);
	assert_memory_equal(turned, sums, sizeof sums);
	mem_free(values);
}

static void count_elements(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	(void)context;
	for (size_t i = begin; i < end; i++)
		terms[0][i - begin] = end - begin <= PARALLEL_TERMS ? 1.0 : NAN;
}

static double last_element(void *context, size_t begin, size_t end)
{
	(void)context;
	(void)begin;
	return (double)(end - 1);
}

static void long_loops_are_reduced(void **state)
{
	(void)state;
	size_t count = (size_t)PARALLEL_BLOCK * 2500 + 9;
	for (int threads = 1; threads <= 3; threads++)
	{
		check_near(parallel_sum(threads, count, count_elements, NULL), (double)count, 0.0);
		check_near(parallel_max(threads, count, last_element, NULL), (double)(count - 1), 0.0);
	}
}

static void nothing_sums_to_zero(void **state)
{
	(void)state;
	assert_true(parallel_sum(2, 0, count_elements, NULL) == 0.0);
	assert_true(parallel_max(2, 0, last_element, NULL) == -INFINITY);
}

static void a_nan_is_not_lost(void **state)
{
	(void)state;
	size_t count = 5 * PARALLEL_BLOCK;
	double *values = make_values(count);
	for (size_t block = 0; block < 5; block++)
	{
		double kept = values[block * PARALLEL_BLOCK + 10];
		values[block * PARALLEL_BLOCK + 10] = NAN;
		for (int threads = 1; threads <= 3; threads++)
		{
			if (!isnan(parallel_max(threads, count, max_values, values)))
				fail_msg("the maximum lost a NaN in block %zu", block);
			assert_true(isnan(parallel_sum(threads, count, copy_values, values)));
		}
		values[block * PARALLEL_BLOCK + 10] = kept;
	}
	mem_free(values);
}

static void the_environment_sets_the_threads(void **state)
{
	(void)state;
	unsetenv("SPATE_THREADS");
	int cores = parallel_default_threads();
	assert_in_range(cores, 1, PARALLEL_MAX_THREADS);
	static const struct
	{
		const char *text;
		int threads; // 0 for as many as there are cores
	} cases[] = {{"3", 3}, {"256", 256}, {"257", 256}, {"99999999999999999999", 256},
		     {"0", 0}, {"-4", 0},    {"many", 0},  {"", 0}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
	{
		setenv("SPATE_THREADS", cases[k].text, 1);
		assert_int_equal(parallel_default_threads(), cases[k].threads ? cases[k].threads : cores);
	}
	unsetenv("SPATE_THREADS");
}

static void prefix_sums_are_exclusive(void **state)
{
	(void)state;
	uint32_t counts[] = {3, 0, 5, 1};
	assert_int_equal(prefix_sum_u32(counts, 4), 9);
	static const uint32_t expected[] = {0, 3, 3, 8};
	assert_memory_equal(counts, expected, sizeof expected);
	assert_int_equal(prefix_sum_u32(counts, 0), 0);
	uint32_t large[] = {UINT32_MAX, UINT32_MAX};
	assert_int_equal(prefix_sum_u32(large, 2), 2ull * UINT32_MAX); // more than 32 bits are reported, not lost
}

// ------------------------------------------------------------------------------------------------------------ threads

// What `check` returns in a forked child, where no worker has been started yet.
static int in_child(int (*check)(void))
{
	fflush(NULL);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(check());
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFEXITED(status))
		fail_msg("the child was ended by signal %d", WTERMSIG(status));
	return WEXITSTATUS(status);
}

// Of this process; the thread sanitizer may add one of its own.
static int count_threads(void)
{
	int threads = 0;
	DIR *folder = opendir("/proc/self/task");
	if (!folder)
		return -1;
	for (struct dirent *entry; (entry = readdir(folder));)
		threads += entry->d_name[0] != '.';
	closedir(folder);
	return threads;
}

static int loop_is_right(int threads, size_t count, size_t block)
{
	visits v = {.seen = mem_calloc(count, 1), .block = block, .count = count, .threads = threads > 1 ? threads : 1};
	if (!v.seen)
		return 0;
	parallel_for(threads, count, block, visit, &v);
	int right = v.wrong == 0;
	for (size_t i = 0; i < count; i++)
		right &= v.seen[i] == 1;
	mem_free(v.seen);
	return right;
}

static int start_threads(void)
{
	static const struct
	{
		int threads;
		size_t count;
		int more; // than one thread, afterwards
	} cases[] = {{1, 1000, 0}, {0, 1000, 0}, {4, 1, 0},    {2, 1000, 1},
		     {4, 3, 2},    {1, 1000, 2}, {2, 1000, 2}, {5, 1000, 4}};
	int before = count_threads();
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
	{
		if (!loop_is_right(cases[k].threads, cases[k].count, 1))
			return 100 + (int)k;
		int more = count_threads() - before;
		if (more != cases[k].more)
		{
			fprintf(stderr, "case %zu: %d more threads, expected %d\n", k, more, cases[k].more);
			return 1 + (int)k;
		}
	}
	return 0;
}

static void only_the_threads_asked_for_are_started(void **state)
{
	(void)state;
	assert_int_equal(in_child(start_threads), 0);
}

static int run_without_threads(void)
{
	// stacks larger than any address space: no thread can be started
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)1 << 62);
	int before = count_threads();
	if (pthread_setattr_default_np(&attributes) != 0)
		return 1;
	for (int round = 0; round < 3; round++)
		if (!loop_is_right(4, 1000, 7))
			return 2;
	return count_threads() == before ? 0 : 3;
}

static void loops_run_where_no_thread_can_be_started(void **state)
{
	(void)state;
	assert_int_equal(in_child(run_without_threads), 0);
}

static int loop_in_child(void)
{
	return loop_is_right(3, 5000, 10) && loop_is_right(2, 100, 1) ? 0 : 1;
}

static int loop_in_grandchild(void)
{
	return loop_in_child() ? 1 : in_child(loop_in_child);
}

static void a_forked_child_has_threads_of_its_own(void **state)
{
	(void)state;
	assert_true(loop_is_right(3, 5000, 10));
	for (int round = 0; round < 10; round++)
		assert_int_equal(in_child(loop_in_grandchild), 0);
	assert_true(loop_is_right(3, 5000, 10));
}

typedef struct roll_call
{
	int threads;
	atomic_int present[8]; // bodies that run with this index now
	int wrong, unblocked;
} roll_call;

// Sleeps, so that the others come as well and indices are in use at the same time.
static void answer(void *context, size_t begin, size_t end, int thread)
{
	(void)begin;
	(void)end;
	roll_call *r = context;
	if (thread < 0 || thread >= r->threads || atomic_fetch_add(&r->present[thread], 1) != 0)
		__atomic_fetch_add(&r->wrong, 1, __ATOMIC_RELAXED);
	sigset_t blocked;
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	// a fault is reported by the thread that makes it
	if (thread > 0 &&
	    !(sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGTERM) && !sigismember(&blocked, SIGSEGV)))
		__atomic_fetch_add(&r->unblocked, 1, __ATOMIC_RELAXED);
	usleep(300);
	atomic_fetch_sub(&r->present[thread], 1);
}

static void threads_have_numbers_of_their_own_and_block_signals(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 8; threads++)
	{
		roll_call r = {.threads = threads};
		parallel_for(threads, 3 * (size_t)threads, 1, answer, &r);
		assert_int_equal(r.wrong, 0);
		assert_int_equal(r.unblocked, 0);
	}
	sigset_t blocked;
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	assert_false(sigismember(&blocked, SIGINT));
}

static void run_inner(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	int *right = context;
	for (size_t i = begin; i < end; i++)
		right[i] = loop_is_right(3, 200 + i, 3);
}

static void loops_may_be_nested(void **state)
{
	(void)state;
	int right[40] = {0};
	parallel_for(3, 40, 1, run_inner, right);
	for (int i = 0; i < 40; i++)
		assert_int_equal(right[i], 1);
}

static void *call_loops(void *argument)
{
	int *right = argument;
	*right = 1;
	for (int round = 0; round < 200; round++)
		*right &= loop_is_right(2 + round % 3, 1000, 10 + (size_t)round);
	return NULL;
}

static void several_threads_may_call_at_once(void **state)
{
	(void)state;
	enum
	{
		CALLERS = 4
	};
	pthread_t callers[CALLERS];
	int right[CALLERS] = {0};
	for (int k = 0; k < CALLERS; k++)
		assert_int_equal(pthread_create(&callers[k], NULL, call_loops, &right[k]), 0);
	for (int k = 0; k < CALLERS; k++)
	{
		assert_int_equal(pthread_join(callers[k], NULL), 0);
		assert_int_equal(right[k], 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_element_is_visited_once),
	    cmocka_unit_test(odd_blocks_are_understood),
	    cmocka_unit_test(sums_have_the_same_bits_on_any_threads),
	    cmocka_unit_test(sums_have_the_same_bits_in_any_order),
	    cmocka_unit_test(long_loops_are_reduced),
	    cmocka_unit_test(nothing_sums_to_zero),
	    cmocka_unit_test(a_nan_is_not_lost),
	    cmocka_unit_test(the_environment_sets_the_threads),
	    cmocka_unit_test(prefix_sums_are_exclusive),
	    cmocka_unit_test(only_the_threads_asked_for_are_started),
	    cmocka_unit_test(loops_run_where_no_thread_can_be_started),
	    cmocka_unit_test(a_forked_child_has_threads_of_its_own),
	    cmocka_unit_test(threads_have_numbers_of_their_own_and_block_signals),
	    cmocka_unit_test(loops_may_be_nested),
	    cmocka_unit_test(several_threads_may_call_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
