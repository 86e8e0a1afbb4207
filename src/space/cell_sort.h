// Sorts particles by (key, id).
//
// Three methods give the same order:
//   full      counting sort by leaf, then by cell inside each leaf, then by id inside each cell; the fastest on any input
//   coherent  particles whose key did not change are still sorted; the movers are sorted separately and merged in
//   radix     radix sort of the whole key; kept as the baseline of the benchmark
#ifndef SPACE_CELL_SORT_H
#define SPACE_CELL_SORT_H

#include "base/array.h"
#include "base/memory.h"
#include "spate/result.h"

#include <stdint.h>

typedef struct sort_chunk sort_chunk;

// Scratch that stays between sorts, so that a steady step makes no heap call. All zero is the empty sorter.
typedef struct cell_sorter
{
	arena *lent;             // the caller's arena for arrays by row; NULL to use `own`
	arena own;               // used without a lent arena, reset by every sort
	ARRAY(uint32_t) leaves;  // where each leaf starts in the rows sorted by leaf, and the end
	ARRAY(uint64_t) entries; // scratch of the merge of the chunks' leaves, and of the radix sort
	sort_chunk *chunks;      // one per thread
	int chunk_count;
} cell_sorter;

void cell_sorter_free(cell_sorter *sorter);

// order[k] is the row of the k-th particle by (key, id), sorted_keys[k] its key. Ids are distinct.
spate_result cell_sort_full(cell_sorter *sorter, uint32_t count, const uint64_t *keys, const int64_t *ids, int threads,
			    uint32_t *order, uint64_t *sorted_keys, spate_error *error);

// The same when rows [0, old_count) are in the order of (old_keys, id), as after the last sort.
spate_result cell_sort_coherent(cell_sorter *sorter, uint32_t count, const uint64_t *keys, const int64_t *ids,
				uint32_t old_count, const uint64_t *old_keys, int threads, uint32_t *order,
				uint64_t *sorted_keys, spate_error *error);

// The same as cell_sort_full.
spate_result cell_sort_radix(cell_sorter *sorter, uint32_t count, const uint64_t *keys, const int64_t *ids, int threads,
			     uint32_t *order, uint64_t *sorted_keys, spate_error *error);

#endif
