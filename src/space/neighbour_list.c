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

// Places of the leaves of one class around a leaf, as a small dense block.
typedef struct leaf_window
{
	cell_coord low; // in leaves
	int32_t nx, ny, nz;
	ARRAY(int32_t) places;
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
	float margin; // m
	const space_kernels *kernels;
	_Atomic size_t taken; // entries of the pool handed out
} build;

static void free_thread(list_thread *t)
{
	for (int c = 0; c < SPACE_MAX_CLASSES; c++)
		array_free(&t->windows[c].places);
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
	return array_reserve(&t->windows[class].places, need);
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

// Distance (m) within which particles of two classes are listed.
static float list_radius(const build *b, uint32_t own, uint32_t other)
{
	return pair_radius(b->index->classes[own].radius, b->index->classes[other].radius) + b->margin;
}

static int32_t clamp_cell(double n)
{
	const int32_t last = 2 * CELL_OFFSET - 1;
	return n < 0.0 ? 0 : n > last ? last : (int32_t)n;
}

// Cells [low, high] along one axis that touch [from - reach, to + reach].
static inline void cells_within(const cell_grid *grid, double from, double to, double reach, int32_t *low,
				int32_t *high)
{
	*low = clamp_cell((from - reach) * grid->inverse + CELL_OFFSET);
	*high = clamp_cell((to + reach) * grid->inverse + CELL_OFFSET);
}

// Looks up the leaves of every class around a leaf of class `own`.
static int open_windows(list_thread *t, const build *b, uint32_t own, uint64_t leaf)
{
	const space_index *index = b->index;
	cell_coord at = leaf_coord(leaf);
	for (uint32_t other = 0; other < index->class_count; other++)
	{
		const space_class *c = &index->classes[other];
		leaf_window *w = &t->windows[other];
		int32_t *first = &w->low.x, sides[3];
		for (int axis = 0; axis < 3; axis++)
		{
			double cell = index->classes[own].grid.cell, edge = cell * LEAF_SIDE;
			double from = ((&at.x)[axis] * LEAF_SIDE - CELL_OFFSET) * cell;
			int32_t low, high;
			// more than the reach of any of its particles, see list_near
			cells_within(&c->grid, from, from + edge, (double)list_radius(b, own, other) * (1.0 + 8e-6),
				     &low, &high);
			first[axis] = low >> LEAF_SHIFT;
			sides[axis] = (high >> LEAF_SHIFT) - first[axis] + 1;
		}
		w->nx = sides[0];
		w->ny = sides[1];
		w->nz = sides[2];
		if (!reserve_window(t, other, (size_t)w->nx * (size_t)w->ny * (size_t)w->nz))
			return 0;
		int32_t *places = w->places.data;
		for (int32_t z = 0; z < w->nz; z++)
			for (int32_t y = 0; y < w->ny; y++)
				for (int32_t x = 0; x < w->nx; x++)
					*places++ = cell_map_place(&c->map, w->low.x + x, w->low.y + y, w->low.z + z);
	}
	t->window_leaf = leaf;
	t->window_class = own;
	return 1;
}

// Lists the rows of class `c` in the cells [low, high] along x, cut where leaves meet. Returns the number of particles, like the
// functions below; out of memory sets `failed`.
static inline size_t list_row(list_thread *t, const space_class *c, const leaf_window *w, int32_t low, int32_t high,
			      int32_t y, int32_t z)
{
	size_t found = 0;
	const int32_t *places =
	    w->places.data +
	    (size_t)(((z >> LEAF_SHIFT) - w->low.z) * w->ny + ((y >> LEAF_SHIFT) - w->low.y)) * (size_t)w->nx;
	uint32_t cells = (uint32_t)((z & 7) << 6 | (y & 7) << 3);
	for (int32_t x = low; x <= high;)
	{
		int32_t end = (x | (LEAF_SIDE - 1)) < high ? (x | (LEAF_SIDE - 1)) : high;
		int32_t place = places[(x >> LEAF_SHIFT) - w->low.x];
		if (place != CELL_MAP_NOWHERE)
		{
			row_range range =
			    cell_map_rows(&c->map, place, cells | (uint32_t)(x & 7), cells | (uint32_t)(end & 7));
			if (range.begin < range.end && !array_push(&t->ranges, range))
				t->failed = 1;
			found += range.end - range.begin;
		}
		x = end + 1;
	}
	return found;
}

// Lists the rows of a cell and the 26 around it, which is all there is within its class's reach.
static size_t list_ring(list_thread *t, const space_class *class, const leaf_window *w, cell_coord c)
{
	size_t found = 0;
	const int32_t last = 2 * CELL_OFFSET - 1;
	cell_coord low = {c.x > 0 ? c.x - 1 : 0, c.y > 0 ? c.y - 1 : 0, c.z > 0 ? c.z - 1 : 0};
	cell_coord high = {c.x < last ? c.x + 1 : last, c.y < last ? c.y + 1 : last, c.z < last ? c.z + 1 : last};
	for (int32_t z = low.z; z <= high.z; z++)
		for (int32_t y = low.y; y <= high.y; y++)
			found += list_row(t, class, w, low.x, high.x, y, z);
	return found;
}

// Distance from the cells of number n along an axis to [low, high].
static double gap_to(const cell_grid *grid, int32_t n, double low, double high)
{
	double begin = (n - CELL_OFFSET) * grid->cell, end = begin + grid->cell;
	return begin > high ? begin - high : low > end ? low - end : 0.0;
}

// Lists the rows of all cells within reach of a box, for a reach that has nothing to do with the edge of a cell.
static size_t list_near(list_thread *t, const space_class *class, const leaf_window *w, const search_box *box,
			double radius)
{
	size_t found = 0;
	const cell_grid *grid = &class->grid;
	double x0 = (double)box->low.x, y0 = (double)box->low.y, z0 = (double)box->low.z;
	double x1 = (double)box->high.x, y1 = (double)box->high.y, z1 = (double)box->high.z;
	// enlarged by more than the rounding errors of distances and cell edges
	double reach = radius * (1.0 + 4e-6), reach2 = reach * reach, inner2 = 0.1 * reach2;
	cell_coord low, high;
	cells_within(grid, x0, x1, reach, &low.x, &high.x);
	cells_within(grid, y0, y1, reach, &low.y, &high.y);
	cells_within(grid, z0, z1, reach, &low.z, &high.z);
	for (int32_t z = low.z; z <= high.z; z++)
	{
		double dz = gap_to(grid, z, z0, z1);
		for (int32_t y = low.y; y <= high.y; y++)
		{
			double dy = gap_to(grid, y, y0, y1), gap2 = dz * dz + dy * dy;
			if (gap2 > reach2)
				continue;
			// of a row at the rim only the middle is within reach
			int32_t from = low.x, to = high.x;
			if (gap2 > inner2)
				cells_within(grid, x0, x1, sqrt(reach2 - gap2), &from, &to);
			found += list_row(t, class, w, from, to, y, z);
		}
	}
	return found;
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

// Lists the rows of class `other` around a run of particles in a cell.
static size_t list_cells(list_thread *t, const build *b, uint32_t own, uint32_t other, cell_coord cell,
			 const search_box *box, float radius)
{
	const space_class *class = &b->index->classes[other];
	t->ranges.count = 0;
	if (class->rows == 0)
		return 0;
	size_t found = own == other && radius <= class->reach
			   ? list_ring(t, class, &t->windows[other], cell)
			   : list_near(t, class, &t->windows[other], box, (double)radius);
	raise_to(&t->most.ranges, t->ranges.count);
	return found;
}

// Gathers the candidates of all classes for a run of particles of one cell.
static int gather_candidates(list_thread *t, const build *b, uint32_t own, row_range run, uint64_t key)
{
	const space_index *index = b->index;
	search_box box = box_of(b->positions, run);
	cell_coord leaf = leaf_coord(key >> LEAF_KEY_SHIFT);
	cell_coord cell = {leaf.x << LEAF_SHIFT | (int32_t)(key & 7), leaf.y << LEAF_SHIFT | (int32_t)(key >> 3 & 7),
			   leaf.z << LEAF_SHIFT | (int32_t)(key >> 6 & 7)};
	size_t begin = 0;
	for (uint32_t other = 0; other < index->class_count; other++)
	{
		float radius = list_radius(b, own, other);
		size_t total = list_cells(t, b, own, other, cell, &box, radius);
		if (t->failed || !reserve_candidates(t, begin + total + CANDIDATE_TAIL))
			return 0;
		candidate_set set = {t->x.data + begin, t->y.data + begin, t->z.data + begin, t->rows.data + begin, 0};
		box.reach = radius * (1.0f + 1e-6f);
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
	uint32_t found = 0;
	for (uint32_t other = 0; other < b->index->class_count; other++)
		found +=
		    b->kernels->pick(&t->sets[other], b->positions[row], row, list_radius(b, own, other), out + found);
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
	if ((leaf != t->window_leaf || own != t->window_class) && !open_windows(t, b, own, leaf))
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

spate_result neighbour_list_build(neighbour_list *list, const space_index *index, const vec4 *positions, float margin,
				  int threads, spate_error *error)
{
	list->count = list->slice_count = 0;
	list->pairs = 0;
	size_t slices = (index->count + (size_t)7) / 8;
	// a pool of at least one entry per lane: slices without neighbours point to its begin
	if (!reserve_threads(list, threads) || !level_scratch(list, index->class_count) ||
	    !array_reserve(&list->slice_begin, slices + 1) || !array_reserve(&list->slice_length, slices + 1) ||
	    !array_reserve(&list->entries, 8))
		return error_memory(error, slices * 12);
	list->count = index->count;

	// when the pool is too small, a round finds the required size
	for (;;)
	{
		build b = {list, index, positions, margin, space_kernels_table(index->simd), 0};
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
