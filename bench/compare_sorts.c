#include "base/error.h"
#include "base/memory.h"
#include "bench/liquid.h"
#include "bench/neighbours.h"
#include "space/cell_sort.h"

#include <string.h>

static const double wanted_movers[SORT_CASES] = {0.5, 3, 10}; // %
static const double radius = 2.0;                             // spacings

// Memory and results of one of the sorts.
typedef struct sort_run
{
	cell_sorter sorter;
	uint32_t *order;
	uint64_t *sorted_keys;
	stopwatch watch;
} sort_run;

enum
{
	COHERENT,
	RADIX,
	COUNTING,
	WAYS
};

static const char *const way_names[WAYS] = {"coherent", "radix", "counting"};

typedef struct sorts
{
	cell_grid grid;
	simd_level simd;
	liquid before, after;      // one step apart, both in the order before
	uint64_t *old_keys, *keys; // before and after
	sort_run runs[WAYS];
} sorts;

static void free_sorts(sorts *s)
{
	liquid_free(&s->before);
	liquid_free(&s->after);
	mem_free(s->old_keys);
	mem_free(s->keys);
	for (int way = 0; way < WAYS; way++)
	{
		cell_sorter_free(&s->runs[way].sorter);
		mem_free(s->runs[way].order);
		mem_free(s->runs[way].sorted_keys);
	}
}

// Makes a sorted liquid, as after a step.
static spate_result make_sorts(sorts *s, uint32_t particles, int threads, spate_error *error)
{
	s->grid = cell_grid_make(radius);
	s->simd = simd_level_detect();
	spate_result result = liquid_make(&s->after, particles, error);
	if (result == SPATE_OK)
		result = liquid_make_like(&s->before, &s->after, error);
	if (result != SPATE_OK)
		return result;
	size_t room = (size_t)particles + 1;
	int ok = (s->old_keys = mem_alloc(room * sizeof *s->old_keys)) && (s->keys = mem_alloc(room * sizeof *s->keys));
	for (int way = 0; way < WAYS && ok; way++)
		ok = (s->runs[way].order = mem_alloc(room * sizeof *s->runs[way].order)) &&
		     (s->runs[way].sorted_keys = mem_alloc(room * sizeof *s->runs[way].sorted_keys));
	if (!ok)
		return error_memory(error, room * 52);

	sort_run *run = &s->runs[COUNTING];
	liquid_keys(&s->after, &s->grid, s->simd, threads, s->keys);
	result =
	    cell_sort_full(&run->sorter, particles, s->keys, s->after.ids, threads, run->order, s->old_keys, error);
	if (result == SPATE_OK)
	{
		liquid_reorder(&s->before, &s->after, run->order, threads);
		liquid_move(&s->after, &s->before, 0.0f, threads);
		memcpy(s->after.ids, s->before.ids, particles * sizeof *s->after.ids);
	}
	return result;
}

// Moves the liquid until about `wanted` % of the particles have changed their cell; returns the actual percentage.
static double flow(sorts *s, double wanted, int threads)
{
	double low = 0.0, high = 8.0, movers = 0.0;
	for (int step = 0; step < 20; step++)
	{
		double steps = 0.5 * (low + high);
		liquid_move(&s->after, &s->before, (float)steps, threads);
		liquid_keys(&s->after, &s->grid, s->simd, threads, s->keys);
		uint32_t moved = 0;
		for (uint32_t i = 0; i < s->before.count; i++)
			moved += s->keys[i] != s->old_keys[i];
		movers = 100.0 * moved / s->before.count;
		if (fabs(movers - wanted) < 0.01 * wanted)
			break;
		*(movers < wanted ? &low : &high) = steps;
	}
	return movers;
}

static spate_result sort_once(const sorts *s, int way, sort_run *run, int threads, spate_error *error)
{
	uint32_t count = s->before.count;
	const int64_t *ids = s->before.ids;
	switch (way)
	{
	case COHERENT:
		return cell_sort_coherent(&run->sorter, count, s->keys, ids, count, s->old_keys, threads, run->order,
					  run->sorted_keys, error);
	case RADIX:
		return cell_sort_radix(&run->sorter, count, s->keys, ids, threads, run->order, run->sorted_keys, error);
	default:
		return cell_sort_full(&run->sorter, count, s->keys, ids, threads, run->order, run->sorted_keys, error);
	}
}

static spate_result check_same(const sorts *s, int way, spate_error *error)
{
	const sort_run *a = &s->runs[COUNTING], *b = &s->runs[way];
	for (uint32_t k = 0; k < s->before.count; k++)
		if (a->order[k] != b->order[k] || a->sorted_keys[k] != b->sorted_keys[k])
			return error_set(error, SPATE_INVALID,
					 "place %u holds row %u by the %s sort, row %u by the %s sort", k, a->order[k],
					 way_names[COUNTING], b->order[k], way_names[way]);
	return SPATE_OK;
}

static spate_result measure(sorts *s, const bench_options *options, sort_case *out, spate_error *error)
{
	for (int way = 0; way < WAYS; way++)
		s->runs[way].watch = (stopwatch){0};
	// the first run only allocates scratch memory
	for (int round = 0; round <= options->runs; round++)
		for (int way = 0; way < WAYS; way++)
		{
			stopwatch warm_up = {0}, *watch = round == 0 ? &warm_up : &s->runs[way].watch;
			stopwatch_start(watch);
			spate_result result = sort_once(s, way, &s->runs[way], options->threads, error);
			stopwatch_stop(watch);
			if (result != SPATE_OK)
				return result;
		}
	out->ns_coherent = stopwatch_ns_per(&s->runs[COHERENT].watch, s->before.count);
	out->ns_radix = stopwatch_ns_per(&s->runs[RADIX].watch, s->before.count);
	out->ns_counting = stopwatch_ns_per(&s->runs[COUNTING].watch, s->before.count);
	spate_result result = check_same(s, COHERENT, error);
	return result == SPATE_OK ? check_same(s, RADIX, error) : result;
}

spate_result compare_sorts(const bench_options *options, uint32_t particles, sort_case cases[SORT_CASES],
			   spate_error *error)
{
	sorts s = {0};
	spate_result result = make_sorts(&s, particles, options->threads, error);
	for (int c = 0; c < SORT_CASES && result == SPATE_OK; c++)
	{
		bench_progress(options, "coherent and full sort, %u particles, %g %% movers", particles,
			       wanted_movers[c]);
		cases[c].movers = flow(&s, wanted_movers[c], options->threads);
		result = measure(&s, options, &cases[c], error);
	}
	free_sorts(&s);
	return result;
}
