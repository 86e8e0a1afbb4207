// Neighbour lists in slices of eight particles (SELL-8).
//
// Rows 8 s to 8 s + 7 make slice s. Its lists are padded to the longest of the eight with the dummy row `count`, and interleaved:
//
//    entries[slice_begin[s] + 8 k + lane]  =  k-th neighbour of row 8 s + lane
//
// so that a loop over k feeds eight lanes at once. The dummy must be a far-away record behind the last row. A particle is not in
// its own list. The order within a list depends only on the sorted order of the rows.
#ifndef SPACE_NEIGHBOUR_LIST_H
#define SPACE_NEIGHBOUR_LIST_H

#include "base/bytes.h"
#include "space/space_index.h"

typedef struct list_thread list_thread;

// All zero is the empty list.
typedef struct neighbour_list
{
	uint32_t count;       // rows
	uint32_t slice_count; // ceil(count / 8)
	ARRAY(uint64_t) slice_begin;
	ARRAY(uint32_t) slice_length; // entries per lane
	ARRAY(uint32_t) entries;
	uint64_t pairs; // total number of neighbours, without padding
	// scratch kept between builds, one per thread
	list_thread *threads;
	int thread_count;
} neighbour_list;

void neighbour_list_free(neighbour_list *list);

// `positions` are sorted as the index says and readable for 16 records beyond the last. Lists hold the pairs within pair_radius() of
// their classes' radii plus a margin (m), which may be larger than a cell and changes neither keys nor order.
spate_result neighbour_list_build(neighbour_list *list, const space_index *index, const vec4 *positions, float margin,
				  int threads, spate_error *error);

size_t neighbour_list_bytes(const neighbour_list *list);

// The lists as bytes, and back for that many rows. SPATE_FORMAT if an entry is not a row; reader->ran_out if there are too few bytes.
void neighbour_list_save(const neighbour_list *list, byte_writer *to);
spate_result neighbour_list_load(neighbour_list *list, uint32_t rows, byte_reader *from, spate_error *error);

#endif
