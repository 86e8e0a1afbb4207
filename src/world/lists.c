// Sorts particles and builds neighbour lists, as rarely as possible.
//
// Lists that extend beyond the kernel radius by a margin hold every pair within the radius until some particle has moved by
// half the margin. Pairs beyond the radius add nothing to any sum, but they take time: a margin pays where particles move
// little in a substep. Where the lists would not outlast the next substep, the margin is 0. The first substep of a frame
// always rebuilds the lists, so that a run resumed there continues with the same bits.
#include "base/error.h"
#include "base/parallel.h"
#include "world/world.h"

#include <string.h>

// Measured costs: sorting and listing relative to the solver's passes in one substep, and a pair beyond the radius relative to
// a pair within it.
#define LISTING 0.3
#define BEYOND 0.7

// Margins to choose from, in kernel radii.
static const double margins[] = {0.01, 0.02, WORLD_LIST_MARGIN};

// The margin (in radii) that makes the rest of this frame cheapest, assuming that the fastest particle keeps its speed.
static double choose_margin(const spate_world *w, double dt)
{
	if (w->model.def.solver.list_margin >= 0.0)
		return w->model.def.solver.list_margin;
	double now = spate_world_time(w), left = 1.0 / w->model.def.fps - w->state.counters.elapsed;
	// new particles force a rebuild of the lists
	if (source_set_speed(&w->state.sources, w->model.fluids, &w->state.colliders, now, now + left) > 0.0)
		return 0.0;
	double travel = (w->state.counters.speed_max + w->model.forces.most * dt) * dt / (double)w->model.radius;
	double best = 0.0, lowest = LISTING;
	for (size_t k = 0; k < sizeof margins / sizeof *margins; k++)
	{
		double lasts = fmin(1.0 + floor(0.5 * margins[k] / travel), round(left / dt));
		double grown = pow(1.0 + margins[k], 3.0), cost = BEYOND * (grown - 1.0) + grown * LISTING / lasts;
		if (cost < lowest)
		{
			best = margins[k];
			lowest = cost;
		}
	}
	return best;
}

static spate_result sort(spate_world *w, spate_error *error)
{
	for (;;)
	{
		if (w->state.store->removed > 0)
			store_compact(w->state.store, w->model.threads);
		spate_store *store = w->state.store;
		arena_reset(&w->work.scratch);
		uint32_t bad = 0, *order = arena_alloc(&w->work.scratch, (store->rows + (size_t)1) * sizeof *order);
		if (!order)
			return error_memory(error, store->rows * sizeof *order);
		space_input input = {.count = store->rows,
				     .positions = store->position,
				     .ids = store->id,
				     .group = store->fluid,
				     .class_of_group = w->model.classes,
				     .kept = store->reordered == w->work.sorted_as ? w->work.index.count : 0,
				     .scratch = &w->work.scratch};
		spate_result result = space_index_sort(&w->work.index, &input, w->model.threads, order, &bad, error);
		if (result == SPATE_RANGE)
		{
			result = world_handle_runaway(w, bad, error);
			if (result == SPATE_OK)
				continue;
		}
		if (result == SPATE_OK)
			store_permute(store, order, w->model.threads);
		w->work.sorted_as = store->reordered;
		return result;
	}
}

typedef struct drift
{
	const vec4 *from, *to;
} drift;

// Square of the longest displacement in a block.
static double largest_drift(void *context, size_t begin, size_t end)
{
	const drift *d = context;
	float largest = 0.0f;
	for (size_t row = begin; row < end; row++)
	{
		float x = d->to[row].x - d->from[row].x, y = d->to[row].y - d->from[row].y,
		      z = d->to[row].z - d->from[row].z, square = x * x + y * y + z * z;
		// written so that NaN counts as the largest
		largest = square <= largest ? largest : square;
	}
	return (double)largest;
}

int world_lists_kept(const spate_world *w)
{
	const spate_store *store = w->state.store;
	return w->work.margin > 0.0f && w->state.counters.frame_step > 0 && store->removed == 0 && store->rows > 0 &&
	       store->rows == w->work.listed.count && store->reordered == w->work.sorted_as;
}

void world_forget_lists(spate_world *w)
{
	w->work.listed.count = 0;
	w->work.sorted_as = UINT64_MAX;
}

void world_keep_lists(spate_world *w, float margin, uint32_t rows)
{
	w->work.margin = margin;
	w->work.listed.count = rows;
	w->work.sorted_as = w->state.store->reordered;
	w->work.index.count = 0; // the cells are those of other rows
}

static int lists_hold(const spate_world *w)
{
	if (!world_lists_kept(w))
		return 0;
	const spate_store *store = w->state.store;
	drift d = {w->work.listed.data, store->position};
	// a little less than half, to allow for rounding of positions and distances
	double most = 0.499 * (double)w->work.margin;
	return parallel_max(w->model.threads, store->rows, largest_drift, &d) <= most * most;
}

spate_result world_sort(spate_world *w, double dt, spate_error *error)
{
	w->work.stats.listed = !lists_hold(w);
	if (!w->work.stats.listed)
		return SPATE_OK;
	w->work.listed.count = 0;
	w->work.margin = (float)(choose_margin(w, dt) * (double)w->model.radius);
	return sort(w, error);
}

static void copy_places(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	spate_world *w = context;
	memcpy(w->work.listed.data + begin, w->state.store->position + begin, (end - begin) * sizeof(vec4));
}

spate_result world_list(spate_world *w, double dt, spate_error *error)
{
	if (!w->work.stats.listed)
		return SPATE_OK;
	spate_result result = neighbour_list_build(&w->work.list, &w->work.index, w->state.store->position,
						   w->work.margin, w->model.threads, error);
	if (result == SPATE_OK)
		result = world_separate(w, dt, error);
	if (result != SPATE_OK || w->work.margin <= 0.0f)
		return result;
	uint32_t rows = w->state.store->rows;
	if (!array_reserve(&w->work.listed, rows))
		return error_memory(error, rows * sizeof(vec4));
	parallel_for(w->model.threads, rows, PARALLEL_BLOCK, copy_places, w);
	w->work.listed.count = rows;
	return SPATE_OK;
}

spate_result world_list_anew(spate_world *w, spate_error *error)
{
	w->work.stats.listed = 1;
	w->work.listed.count = 0;
	w->work.margin = 0.0f;
	spate_result result = sort(w, error);
	return result == SPATE_OK ? world_list(w, 0.0, error) : result;
}
