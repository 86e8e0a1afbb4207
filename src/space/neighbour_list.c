#include "space/neighbour_list.h"

#include "base/error.h"
#include "base/parallel.h"
#include "space/space_kernels.h"

#include <stdatomic.h>
#include <string.h>

enum
{
	BLOCK = 1024,     // rows per task, a multiple of 8
	SEGMENT = 1 << 14 // entries that a thread takes from the pool at a time
};

// The leaves of one class around a leaf, as a small dense block: numbers, or -1.
typedef struct leaf_window
{
	cell_coord low; // in leaves
	int32_t nx, ny, nz;
	ARRAY(int32_t) leaves;
} leaf_window;

// Elements of a thread's scratch arrays.
typedef struct scratch_need
{
	size_t window, ranges, candidates, list;
} scratch_need;

struct list_thread
{
	leaf_window windows[SPACE_MAX_CLASSES];
	uint64_t window_leaf; // leaf that the windows are for
	uint32_t window_class;

	ARRAY(row_range) ranges; // rows around one cell, in contiguous pieces
	ARRAY(float) x, y, z;
	ARRAY(uint32_t) rows;
	size_t set_begin[SPACE_MAX_CLASSES + 1];
	candidate_set sets[SPACE_MAX_CLASSES];

	ARRAY(uint32_t) lists[8];
	uint32_t lengths[8];
	scratch_need most; // high-water mark of this thread

	size_t segment, segment_left; // the piece of the pool being filled
	uint64_t pairs;
	int failed;
};

typedef struct build
{
	neighbour_list *list;
	const space_index *index;
	const vec4 *positions;
	const space_kernels *kernels;
	_Atomic size_t taken; // entries of the pool handed out
} build;

static void free_thread(list_thread *t)
{
	for (int c = 0; c < SPACE_MAX_CLASSES; c++)
		array_free(&t->windows[c].leaves);
	for (int lane = 0; lane < 8; lane++)
		array_free(&t->lists[lane]);
	array_free(&t->ranges);
	array_free(&t->x);
	array_free(&t->y);
	array_free(&t->z);
	array_free(&t->rows);
}

void neighbour_list_free(neighbour_list *list)
{
	for (int t = 0; t < list->thread_count; t++)
		free_thread(&list->threads[t]);
	mem_free(list->threads);
	array_free(&list->slice_begin);
	array_free(&list->slice_length);
	array_free(&list->entries);
	*list = (neighbour_list){0};
}

size_t neighbour_list_bytes(const neighbour_list *list)
{
	return list->slice_begin.capacity * sizeof(uint64_t) +
	       (list->slice_length.capacity + list->entries.capacity) * sizeof(uint32_t);
}

static void raise_to(size_t *most, size_t need)
{
	*most = need > *most ? need : *most;
}

static int reserve_window(list_thread *t, uint32_t class, size_t need)
{
	raise_to(&t->most.window, need);
	return array_reserve(&t->windows[class].leaves, need);
}

static int reserve_candidates(list_thread *t, size_t need)
{
	raise_to(&t->most.candidates, need);
	return array_reserve(&t->x, need) && array_reserve(&t->y, need) && array_reserve(&t->z, need) &&
	       array_reserve(&t->rows, need);
}

static int reserve_lists(list_thread *t, size_t need)
{
	raise_to(&t->most.list, need);
	for (int lane = 0; lane < 8; lane++)
		if (!array_reserve(&t->lists[lane], need))
			return 0;
	return 1;
}

// Cells [low, high] of the grid `to` that touch the cube of `size` cells of `from` at c, grown by `radius`.
static inline void cells_around(const cell_grid *from, const cell_coord *c, int32_t size, const cell_grid *to,
				double radius, cell_coord *low, cell_coord *high)
{
	const int32_t last = 2 * CELL_OFFSET - 1;
	const int32_t *from_low = &c->x;
	int32_t *l = &low->x, *h = &high->x;
	for (int axis = 0; axis < 3; axis++)
	{
		if (from == to)
		{
			l[axis] = from_low[axis] - 1;
			h[axis] = from_low[axis] + size;
		}
		else
		{
			// the edges of a leaf and of its outer cells are the same numbers, so a cell's range is in its leaf's
			double begin = (from_low[axis] - CELL_OFFSET) * from->cell;
			double end = (from_low[axis] + size - CELL_OFFSET) * from->cell;
			// enlarged by more than the rounding errors of distances and cell edges
			double reach = radius * (1.0 + 4e-6);
			double grid_low = floor((begin - reach) * to->inverse) + CELL_OFFSET;
			double grid_high = floor((end + reach) * to->inverse) + CELL_OFFSET;
			l[axis] = (int32_t)fmin(fmax(grid_low, 0.0), last);
			h[axis] = (int32_t)fmin(fmax(grid_high, 0.0), last);
		}
		l[axis] = l[axis] < 0 ? 0 : l[axis];
		h[axis] = h[axis] > last ? last : h[axis];
	}
}

// Looks up the leaves of every class around a leaf of class `own`.
static int open_windows(list_thread *t, const space_index *index, uint32_t own, uint64_t leaf)
{
	const space_class *a = &index->classes[own];
	cell_coord corner = leaf_coord(leaf);
	corner = (cell_coord){corner.x << LEAF_SHIFT, corner.y << LEAF_SHIFT, corner.z << LEAF_SHIFT};
	for (uint32_t other = 0; other < index->class_count; other++)
	{
		const space_class *b = &index->classes[other];
		leaf_window *w = &t->windows[other];
		cell_coord low, high;
		cells_around(&a->grid, &corner, LEAF_SIDE, &b->grid, (double)pair_radius(a->radius, b->radius), &low,
			     &high);
		w->low = (cell_coord){low.x >> LEAF_SHIFT, low.y >> LEAF_SHIFT, low.z >> LEAF_SHIFT};
		w->nx = (high.x >> LEAF_SHIFT) - w->low.x + 1;
		w->ny = (high.y >> LEAF_SHIFT) - w->low.y + 1;
		w->nz = (high.z >> LEAF_SHIFT) - w->low.z + 1;
		if (!reserve_window(t, other, (size_t)w->nx * (size_t)w->ny * (size_t)w->nz))
			return 0;
		int32_t *leaves = w->leaves.data;
		for (int32_t z = 0; z < w->nz; z++)
			for (int32_t y = 0; y < w->ny; y++)
				for (int32_t x = 0; x < w->nx; x++)
					*leaves++ = cell_map_find(&b->map, w->low.x + x, w->low.y + y, w->low.z + z);
	}
	t->window_leaf = leaf;
	t->window_class = own;
	return 1;
}

// Lists the contiguous pieces of rows of class `b` in cells [low, high]. Returns the number of particles, SIZE_MAX when out of memory.
static size_t list_ranges(list_thread *t, const space_class *b, const leaf_window *w, cell_coord low, cell_coord high)
{
	size_t total = 0;
	t->ranges.count = 0;
	for (int32_t z = low.z; z <= high.z; z++)
		for (int32_t y = low.y; y <= high.y; y++)
		{
			const int32_t *leaves = w->leaves.data + (size_t)(((z >> LEAF_SHIFT) - w->low.z) * w->ny +
									  ((y >> LEAF_SHIFT) - w->low.y)) *
								     (size_t)w->nx;
			// the row of cells, cut where leaves meet
			for (int32_t x = low.x; x <= high.x;)
			{
				int32_t end = (x | (LEAF_SIDE - 1)) < high.x ? (x | (LEAF_SIDE - 1)) : high.x;
				int32_t leaf = leaves[(x >> LEAF_SHIFT) - w->low.x];
				if (leaf >= 0)
				{
					uint32_t cells = (uint32_t)((z & 7) << 6 | (y & 7) << 3);
					row_range range = cell_map_rows(&b->map, leaf, cells | (uint32_t)(x & 7),
									cells | (uint32_t)(end & 7));
					if (range.begin < range.end && !array_push(&t->ranges, range))
						return SIZE_MAX;
					total += range.end - range.begin;
				}
				x = end + 1;
			}
		}
	raise_to(&t->most.ranges, t->ranges.count);
	return total;
}

static search_box box_of(const vec4 *positions, row_range run)
{
	search_box box = {positions[run.begin], positions[run.begin], 0.0f};
	float *low = &box.low.x, *high = &box.high.x;
	for (uint32_t row = run.begin + 1; row < run.end; row++)
	{
		const float *p = &positions[row].x;
		for (int k = 0; k < 4; k++)
		{
			low[k] = p[k] < low[k] ? p[k] : low[k];
			high[k] = p[k] > high[k] ? p[k] : high[k];
		}
	}
	return box;
}

// Gathers the candidates of all classes for a run of particles of one cell.
static int gather_candidates(list_thread *t, const build *b, uint32_t own, row_range run, uint64_t key)
{
	const space_index *index = b->index;
	const space_class *a = &index->classes[own];
	search_box box = box_of(b->positions, run);
	cell_coord leaf = leaf_coord(key >> LEAF_KEY_SHIFT);
	cell_coord cell = {leaf.x << LEAF_SHIFT | (int32_t)(key & 7), leaf.y << LEAF_SHIFT | (int32_t)(key >> 3 & 7),
			   leaf.z << LEAF_SHIFT | (int32_t)(key >> 6 & 7)};
	size_t begin = 0;
	for (uint32_t other = 0; other < index->class_count; other++)
	{
		const space_class *c = &index->classes[other];
		cell_coord low, high;
		cells_around(&a->grid, &cell, 1, &c->grid, (double)pair_radius(a->radius, c->radius), &low, &high);
		size_t total = c->rows ? list_ranges(t, c, &t->windows[other], low, high) : 0;
		if (total == SIZE_MAX || !reserve_candidates(t, begin + total + CANDIDATE_TAIL))
			return 0;
		candidate_set set = {t->x.data + begin, t->y.data + begin, t->z.data + begin, t->rows.data + begin, 0};
		box.reach = pair_radius(a->radius, c->radius) * (1.0f + 1e-6f);
		if (total > 0)
			b->kernels->gather(&set, b->positions, t->ranges.data, t->ranges.count, &box);
		b->kernels->pad(&set);
		t->set_begin[other] = begin;
		t->sets[other].count = set.count;
		begin += (set.count + CANDIDATE_TAIL - 1) & ~(size_t)(CANDIDATE_TAIL - 1);
	}
	// the arrays may have moved while growing
	for (uint32_t other = 0; other < index->class_count; other++)
	{
		size_t at = t->set_begin[other];
		t->sets[other] = (candidate_set){t->x.data + at, t->y.data + at, t->z.data + at, t->rows.data + at,
						 t->sets[other].count};
	}
	return reserve_lists(t, begin + CANDIDATE_TAIL);
}

static uint32_t find_neighbours(list_thread *t, const build *b, uint32_t own, uint32_t row, uint32_t *out)
{
	const space_index *index = b->index;
	uint32_t found = 0;
	for (uint32_t other = 0; other < index->class_count; other++)
		found += b->kernels->pick(&t->sets[other], b->positions[row], row,
					  pair_radius(index->classes[own].radius, index->classes[other].radius),
					  out + found);
	return found;
}

// Pads the eight lists to the longest, and interleaves them into a piece of the pool.
static void finish_slice(list_thread *t, build *b, uint32_t slice)
{
	neighbour_list *list = b->list;
	uint32_t length = 0;
	for (int lane = 0; lane < 8; lane++)
		length = t->lengths[lane] > length ? t->lengths[lane] : length;
	uint32_t *lists[8];
	for (int lane = 0; lane < 8; lane++)
	{
		lists[lane] = t->lists[lane].data;
		t->pairs += t->lengths[lane];
	}
	size_t need = 8 * (size_t)length;
	if (need > t->segment_left)
	{
		t->segment_left = need > SEGMENT ? need : SEGMENT;
		t->segment = atomic_fetch_add_explicit(&b->taken, t->segment_left, memory_order_relaxed);
	}
	list->slice_begin.data[slice] = t->segment;
	list->slice_length.data[slice] = length;
	// when the pool is too small, this round only counts how much is needed
	if (t->segment + t->segment_left <= list->entries.capacity)
		b->kernels->interleave(lists, t->lengths, length, list->count, list->entries.data + t->segment);
	memset(t->lengths, 0, sizeof t->lengths);
	t->segment += need;
	t->segment_left -= need;
}

// Rows from `row` to the end of the task that share its cell.
static row_range run_of(const space_index *index, uint32_t own, size_t row, size_t end)
{
	size_t last = index->classes[own].first_row + (size_t)index->classes[own].rows;
	if (last > end)
		last = end;
	size_t next = row + 1;
	while (next < last && index->keys.data[next] == index->keys.data[row])
		next++;
	return (row_range){(uint32_t)row, (uint32_t)next};
}

static int prepare_run(list_thread *t, const build *b, uint32_t own, row_range run)
{
	uint64_t key = b->index->keys.data[run.begin], leaf = key >> LEAF_KEY_SHIFT;
	if ((leaf != t->window_leaf || own != t->window_class) && !open_windows(t, b->index, own, leaf))
		return 0;
	return gather_candidates(t, b, own, run, key);
}

static void build_rows(void *context, size_t begin, size_t end, int thread)
{
	build *b = context;
	const space_index *index = b->index;
	list_thread *t = &b->list->threads[thread];
	uint32_t own = 0;
	for (size_t row = begin; row < end;)
	{
		while (row >= index->classes[own].first_row + (size_t)index->classes[own].rows)
			own++;
		row_range run = run_of(index, own, row, end);
		if (t->failed || !prepare_run(t, b, own, run))
		{
			t->failed = 1;
			return;
		}
		for (; row < run.end; row++)
		{
			size_t lane = row & 7;
			t->lengths[lane] = find_neighbours(t, b, own, (uint32_t)row, t->lists[lane].data);
			if (lane == 7 || row + 1 == end)
				finish_slice(t, b, (uint32_t)(row >> 3));
		}
	}
}

static int reserve_threads(neighbour_list *list, int threads)
{
	threads = threads < 1 ? 1 : threads > PARALLEL_MAX_THREADS ? PARALLEL_MAX_THREADS : threads;
	if (threads <= list->thread_count)
		return 1;
	list_thread *more = mem_realloc(list->threads, (size_t)threads * sizeof *more);
	if (!more)
		return 0;
	memset(more + list->thread_count, 0, (size_t)(threads - list->thread_count) * sizeof *more);
	list->threads = more;
	list->thread_count = threads;
	return 1;
}

// Gives every thread the largest scratch that any thread ever needed. Which rows a thread gets is random, but a steady build must
// never make a heap call.
static int level_scratch(neighbour_list *list, uint32_t class_count)
{
	scratch_need most = {0};
	for (int t = 0; t < list->thread_count; t++)
	{
		raise_to(&most.window, list->threads[t].most.window);
		raise_to(&most.ranges, list->threads[t].most.ranges);
		raise_to(&most.candidates, list->threads[t].most.candidates);
		raise_to(&most.list, list->threads[t].most.list);
	}
	for (int t = 0; t < list->thread_count; t++)
	{
		list_thread *thread = &list->threads[t];
		for (uint32_t c = 0; c < class_count; c++)
			if (!reserve_window(thread, c, most.window))
				return 0;
		if (!array_reserve(&thread->ranges, most.ranges) || !reserve_candidates(thread, most.candidates) ||
		    !reserve_lists(thread, most.list))
			return 0;
	}
	return 1;
}

spate_result neighbour_list_build(neighbour_list *list, const space_index *index, const vec4 *positions, int threads,
				  spate_error *error)
{
	list->count = list->slice_count = 0;
	list->pairs = 0;
	size_t slices = (index->count + (size_t)7) / 8;
	if (!reserve_threads(list, threads) || !level_scratch(list, index->class_count) ||
	    !array_reserve(&list->slice_begin, slices + 1) || !array_reserve(&list->slice_length, slices + 1))
		return error_memory(error, slices * 12);
	list->count = index->count;

	// when the pool is too small, a round finds the required size
	for (;;)
	{
		build b = {list, index, positions, space_kernels_table(index->simd), 0};
		for (int t = 0; t < list->thread_count; t++)
		{
			list->threads[t].segment_left = list->threads[t].pairs = 0;
			list->threads[t].failed = 0;
			list->threads[t].window_class = SPACE_MAX_CLASSES; // none yet
			memset(list->threads[t].lengths, 0, sizeof list->threads[t].lengths);
		}
		parallel_for(threads, index->count, BLOCK, build_rows, &b);
		list->pairs = 0;
		for (int t = 0; t < list->thread_count; t++)
		{
			list->pairs += list->threads[t].pairs;
			if (list->threads[t].failed)
				b.taken = SIZE_MAX / 8;
		}
		if (b.taken <= list->entries.capacity)
			break;
		// a tenth more than needed, for the next builds; the unused ends of segments depend on the threads
		size_t want = b.taken + b.taken / 10 + (size_t)list->thread_count * SEGMENT;
		array_free(&list->entries);
		if (b.taken == SIZE_MAX / 8 || !array_reserve(&list->entries, want))
		{
			list->count = 0;
			return error_memory(error, b.taken == SIZE_MAX / 8 ? (size_t)index->count * 64 : want * 4);
		}
	}
	list->slice_count = (uint32_t)slices;
	return SPATE_OK;
}
