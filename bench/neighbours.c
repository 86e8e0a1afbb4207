// spate bench neighbours: the stages of the neighbour search on blocks of several sizes, then the comparisons.
//
// Each run starts from the sorted particles of the run before, moved by one step (forward and back in turn):
//
//	key      the cell of each particle
//	sort     index: the order by (key, id); reorder: position, velocity and id put in that order
//	map      from cells to rows
//	list     all neighbours of each particle
#include "bench/neighbours.h"

#include "base/error.h"
#include "base/memory.h"
#include "bench/liquid.h"
#include "space/neighbour_list.h"

#include <stdio.h>

enum
{
	MAX_SIZES = 3
};

static const float radius = 2.0f; // spacings

typedef struct plan
{
	uint32_t sizes[MAX_SIZES];
	uint32_t search_particles, sort_particles;
} plan;

static const plan full_plan = {{100000, 1000000, 4000000}, 200000, 1000000};
static const plan quick_plan = {{2000, 5000, 20000}, 4000, 20000};

typedef struct size_case
{
	uint32_t particles;
	double neighbours;                                    // on average
	double movers;                                        // % of particles that change their cell in a step
	double ns_key, ns_index, ns_reorder, ns_map, ns_list; // per particle
	double bytes; // per particle: index, order, lists, one sorted copy of position, velocity and id
} size_case;

typedef struct stages
{
	liquid now, sorted;
	uint32_t *order;
	uint64_t *keys; // before sorting
	space_index index;
	neighbour_list list;
	stopwatch key, sort, reorder, map, build;
} stages;

static void free_stages(stages *s)
{
	liquid_free(&s->now);
	liquid_free(&s->sorted);
	mem_free(s->order);
	mem_free(s->keys);
	space_index_free(&s->index);
	neighbour_list_free(&s->list);
}

static spate_result make_stages(stages *s, uint32_t particles, spate_error *error)
{
	spate_result result = liquid_make(&s->now, particles, error);
	if (result == SPATE_OK)
		result = liquid_make_like(&s->sorted, &s->now, error);
	if (result == SPATE_OK)
		result = space_index_set_classes(&s->index, 1, &radius, 0.0f, error);
	if (result != SPATE_OK)
		return result;
	s->order = mem_alloc(particles * sizeof *s->order);
	s->keys = mem_alloc(particles * sizeof *s->keys);
	if (!s->order || !s->keys || !array_reserve(&s->index.keys, particles))
		return error_memory(error, particles * (size_t)20);
	s->index.count = s->index.classes[0].rows = particles;
	return SPATE_OK;
}

// Particles whose key has changed; rows are still in the old order.
static uint32_t count_movers(const stages *s)
{
	uint32_t moved = 0;
	for (uint32_t i = 0; i < s->now.count; i++)
		moved += s->keys[i] != s->index.keys.data[i];
	return moved;
}

// One search after the particles have moved. `now` is sorted afterwards.
static spate_result run_stages(stages *s, int threads, uint32_t *moved, spate_error *error)
{
	space_class *class = &s->index.classes[0];
	uint32_t count = s->now.count;
	uint64_t *keys = s->keys, *sorted_keys = s->index.keys.data;

	stopwatch_start(&s->key);
	liquid_keys(&s->now, &class->grid, s->index.simd, threads, keys);
	stopwatch_stop(&s->key);
	if (moved)
		*moved = count_movers(s);

	stopwatch_start(&s->sort);
	spate_result result =
	    cell_sort_full(&s->index.sorter, count, keys, s->now.ids, threads, s->order, sorted_keys, error);
	stopwatch_stop(&s->sort);
	if (result != SPATE_OK)
		return result;

	stopwatch_start(&s->reorder);
	liquid_reorder(&s->sorted, &s->now, s->order, threads);
	stopwatch_stop(&s->reorder);
	liquid swap = s->now;
	s->now = s->sorted;
	s->sorted = swap;

	stopwatch_start(&s->map);
	result = cell_map_build(&class->map, 0, count, sorted_keys, threads, error);
	stopwatch_stop(&s->map);
	if (result != SPATE_OK)
		return result;

	stopwatch_start(&s->build);
	result = neighbour_list_build(&s->list, &s->index, s->now.positions, 0.0f, threads, error);
	stopwatch_stop(&s->build);
	return result;
}

static spate_result measure_stages(stages *s, const bench_options *options, size_case *out, spate_error *error)
{
	// the first run sorts and allocates all memory; its times do not count
	spate_result result = run_stages(s, options->threads, NULL, error);
	s->key = s->sort = s->reorder = s->map = s->build = (stopwatch){0};
	uint32_t moved = 0;
	for (int run = 0; run < options->runs && result == SPATE_OK; run++)
	{
		liquid_move(&s->now, &s->now, run % 2 == 0 ? 1.0f : -1.0f, options->threads);
		result = run_stages(s, options->threads, &moved, error);
	}
	if (result != SPATE_OK)
		return result;
	uint32_t count = s->now.count;
	size_t rows = sizeof *s->order + sizeof *s->now.positions + sizeof *s->now.velocities + sizeof *s->now.ids;
	*out = (size_case){.particles = count,
			   .neighbours = (double)s->list.pairs / count,
			   .movers = 100.0 * moved / count,
			   .ns_key = stopwatch_ns_per(&s->key, count),
			   .ns_index = stopwatch_ns_per(&s->sort, count),
			   .ns_reorder = stopwatch_ns_per(&s->reorder, count),
			   .ns_map = stopwatch_ns_per(&s->map, count),
			   .ns_list = stopwatch_ns_per(&s->build, count),
			   .bytes = (double)(space_index_bytes(&s->index) + neighbour_list_bytes(&s->list)) / count +
				    (double)rows};
	return SPATE_OK;
}

typedef struct report
{
	size_case sizes[MAX_SIZES];
	search_case searches[SEARCH_CASES];
	sort_case sorts[SORT_CASES];
} report;

static spate_result measure(const bench_options *options, const plan *p, report *r, spate_error *error)
{
	spate_result result = SPATE_OK;
	for (int c = 0; c < MAX_SIZES && result == SPATE_OK; c++)
	{
		bench_progress(options, "neighbours of %u particles", p->sizes[c]);
		stages s = {0};
		result = make_stages(&s, p->sizes[c], error);
		if (result == SPATE_OK)
			result = measure_stages(&s, options, &r->sizes[c], error);
		free_stages(&s);
	}
	if (result == SPATE_OK)
		result = compare_searches(options, p->search_particles, r->searches, error);
	if (result == SPATE_OK)
		result = compare_sorts(options, p->sort_particles, r->sorts, error);
	return result;
}

static void print_tables(const bench_options *options, const plan *p, const report *r)
{
	puts("ns per particle (sort = index + reorder)\n"
	     "  particles  neighbours  movers %      key     sort    index  reorder      map     list    total"
	     "  bytes/particle");
	for (int c = 0; c < MAX_SIZES; c++)
	{
		const size_case *s = &r->sizes[c];
		double sort = s->ns_index + s->ns_reorder;
		printf("%11u %11.1f %9.1f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %15.1f\n", s->particles,
		       s->neighbours, s->movers, s->ns_key, sort, s->ns_index, s->ns_reorder, s->ns_map, s->ns_list,
		       s->ns_key + sort + s->ns_map + s->ns_list, s->bytes);
	}

	printf("\nspatial hashing / cell sorting, %u particles, one thread, ns per particle with structure\n"
	       "  neighbours  radius     hash  cell sorting  ratio  our lists\n",
	       p->search_particles);
	for (int c = 0; c < SEARCH_CASES; c++)
	{
		const search_case *s = &r->searches[c];
		printf("%12.1f %7.2f %8.1f %13.1f %6.2f %10.1f\n", s->neighbours, s->radius, s->ns_hash,
		       s->ns_cell_sort, s->ns_hash / s->ns_cell_sort, s->ns_list);
	}

	printf("\nfull / coherent sort, %u particles, threads %d, ns per particle\n"
	       "  movers %%  coherent    radix  ratio  counting  ratio\n",
	       p->sort_particles, options->threads);
	for (int c = 0; c < SORT_CASES; c++)
	{
		const sort_case *s = &r->sorts[c];
		printf("%10.2f %9.2f %8.2f %6.2f %9.2f %6.2f\n", s->movers, s->ns_coherent, s->ns_radix,
		       s->ns_radix / s->ns_coherent, s->ns_counting, s->ns_counting / s->ns_coherent);
	}
}

static void print_json(const bench_options *options, const plan *p, const report *r)
{
	(void)options;
	printf(",\"sizes\":[");
	for (int c = 0; c < MAX_SIZES; c++)
	{
		const size_case *s = &r->sizes[c];
		printf(
		    "%s{\"particles\":%u,\"ns_key\":%.4g,\"ns_sort\":%.4g,\"ns_sort_index\":%.4g,\"ns_reorder\":%.4g,"
		    "\"ns_map\":%.4g,\"ns_list\":%.4g,\"bytes_per_particle\":%.4g,\"neighbours_avg\":%.4g,"
		    "\"movers_percent\":%.4g}",
		    c ? "," : "", s->particles, s->ns_key, s->ns_index + s->ns_reorder, s->ns_index, s->ns_reorder,
		    s->ns_map, s->ns_list, s->bytes, s->neighbours, s->movers);
	}
	printf("],\"cell_sort_vs_hash_particles\":%u,\"cell_sort_vs_hash\":[", p->search_particles);
	for (int c = 0; c < SEARCH_CASES; c++)
	{
		const search_case *s = &r->searches[c];
		printf("%s{\"neighbours\":%.4g,\"ratio\":%.4g,\"ns_hash\":%.4g,\"ns_cell_sort\":%.4g,\"ns_list\":%.4g}",
		       c ? "," : "", s->neighbours, s->ns_hash / s->ns_cell_sort, s->ns_hash, s->ns_cell_sort,
		       s->ns_list);
	}
	printf("],\"coherent_vs_full_particles\":%u,\"coherent_vs_full\":[", p->sort_particles);
	for (int c = 0; c < SORT_CASES; c++)
	{
		// the ratio to the radix sort, the usual baseline of a coherent sort
		const sort_case *s = &r->sorts[c];
		double ratio = s->ns_radix / s->ns_coherent;
		printf("%s{\"movers_percent\":%.4g,\"ratio_radix\":%.4g,\"ratio_counting\":%.4g,\"ratio\":%.4g,"
		       "\"ns_coherent\":%.4g,\"ns_radix\":%.4g,\"ns_counting\":%.4g}",
		       c ? "," : "", s->movers, ratio, s->ns_counting / s->ns_coherent, ratio, s->ns_coherent,
		       s->ns_radix, s->ns_counting);
	}
	puts("]}");
}

spate_result bench_neighbours(const bench_options *options, spate_error *error)
{
	const plan *p = options->quick ? &quick_plan : &full_plan;
	report r = {0};
	spate_result result = measure(options, p, &r, error);
	bench_progress_end(options);
	if (result != SPATE_OK)
		return result;
	bench_print_head(options, "neighbours", "bent and jittered lattice, radius 2 spacings");
	(options->json ? print_json : print_tables)(options, p, &r);
	return result;
}
