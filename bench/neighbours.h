// The two comparisons that `spate bench neighbours` makes besides timing the stages of our own search.
#ifndef BENCH_NEIGHBOURS_H
#define BENCH_NEIGHBOURS_H

#include "bench/bench.h"

enum
{
	SEARCH_CASES = 7,
	SORT_CASES = 3
};

// Spatial hashing, cell sorting and our search, all on one thread, including building the structure.
typedef struct search_case
{
	double neighbours;                     // on average
	double radius;                         // spacings
	double ns_hash, ns_cell_sort, ns_list; // per particle
} search_case;

spate_result compare_searches(const bench_options *options, uint32_t particles, search_case cases[SEARCH_CASES],
			      spate_error *error);

// The coherent sort against sorting everything.
typedef struct sort_case
{
	double movers;                             // % of particles that changed their cell
	double ns_coherent, ns_radix, ns_counting; // per particle
} sort_case;

spate_result compare_sorts(const bench_options *options, uint32_t particles, sort_case cases[SORT_CASES],
			   spate_error *error);

#endif
