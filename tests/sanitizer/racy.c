// A race on purpose: two threads add to one number without order. The thread sanitizer must report it; if it does not, its
// silence about the other tests says nothing.
#include "base/parallel.h"

#include <stdatomic.h>
#include <stdio.h>

enum
{
	THREADS = 2,
	ROUNDS = 100000 // the detector remembers few accesses; so many overlap somewhere
};

static atomic_int arrived;
static volatile long total; // every addition reaches memory

static void add(void *context, size_t begin, size_t end, int thread)
{
	(void)context;
	(void)thread;
	// both threads are here before either adds, so that one cannot do all the work; relaxed, so that this orders nothing
	atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed);
	while (atomic_load_explicit(&arrived, memory_order_relaxed) < THREADS)
		;
	for (size_t i = begin; i < end; i++)
		for (int round = 0; round < ROUNDS; round++)
			total = total + 1;
}

int main(void)
{
	parallel_for(THREADS, THREADS, 1, add, NULL);
	printf("%ld\n", total);
	return 0;
}
