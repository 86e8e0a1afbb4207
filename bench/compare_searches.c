#include "base/error.h"
#include "base/memory.h"
#include "bench/liquid.h"
#include "bench/neighbours.h"
#include "bench/pair_search.h"
#include "space/neighbour_list.h"

static const double wanted_neighbours[SEARCH_CASES] = {2, 5, 10, 30, 60, 100, 300};

typedef struct searches
{
	liquid
	    block; // in lattice order, which favours the hash, because particles of the same chain are close in memory
	liquid sorted;
	uint32_t *order;
	space_index index;
	neighbour_list list;
	spatial_hash *hash;
	cell_sorting *sorting;
} searches;

static void free_searches(searches *s)
{
	liquid_free(&s->block);
	liquid_free(&s->sorted);
	mem_free(s->order);
	space_index_free(&s->index);
	neighbour_list_free(&s->list);
	spatial_hash_destroy(s->hash);
	cell_sorting_destroy(s->sorting);
}

static spate_result make_searches(searches *s, uint32_t particles, spate_error *error)
{
	spate_result result = liquid_make(&s->block, particles, error);
	if (result == SPATE_OK)
		result = liquid_make_like(&s->sorted, &s->block, error);
	if (result != SPATE_OK)
		return result;
	s->order = mem_alloc(((size_t)particles + 1) * sizeof *s->order);
	s->hash = spatial_hash_create(particles);
	s->sorting = cell_sorting_create(particles);
	return s->order && s->hash && s->sorting ? SPATE_OK : error_memory(error, (size_t)particles * 64);
}

// Our own search, from unsorted particles to the lists.
static spate_result search_ours(searches *s, int threads, spate_error *error)
{
	space_input input = {.count = s->block.count, .positions = s->block.positions, .ids = s->block.ids};
	spate_result result = space_index_sort(&s->index, &input, threads, s->order, NULL, error);
	if (result != SPATE_OK)
		return result;
	liquid_reorder(&s->sorted, &s->block, s->order, threads);
	return neighbour_list_build(&s->list, &s->index, s->sorted.positions, 0.0f, threads, error);
}

// The same sum over the lists as the baselines compute.
static pair_count count_list(const searches *s)
{
	pair_count found = {s->list.pairs, 0};
	for (uint32_t row = 0; row < s->list.count; row++)
	{
		const uint32_t *entries = s->list.entries.data + s->list.slice_begin.data[row / 8] + row % 8;
		uint64_t sum = 0;
		for (uint32_t k = 0; k < s->list.slice_length.data[row / 8]; k++)
			if (entries[8 * (size_t)k] < s->list.count)
				sum += s->order[entries[8 * (size_t)k]];
		found.checksum += (s->order[row] + (uint64_t)1) * sum;
	}
	return found;
}

// The radius that gives `wanted` neighbours on average within 1 %, found by bisection. There is no formula for it, since particles at
// the surface lack neighbours, and few particles of a liquid are much closer than a spacing.
static spate_result find_radius(searches *s, double wanted, int threads, float *radius, spate_error *error)
{
	double bulk = cbrt((wanted + 1.0) * 3.0 / (4.0 * 3.14159265)), low = 0.5 * bulk, high = 2.0 * bulk;
	for (int step = 0; step < 20; step++)
	{
		*radius = (float)(0.5 * (low + high));
		spate_result result = space_index_set_classes(&s->index, 1, radius, 0.0f, error);
		if (result == SPATE_OK)
			result = search_ours(s, threads, error);
		if (result != SPATE_OK)
			return result;
		double average = (double)s->list.pairs / s->block.count;
		if (fabs(average - wanted) < 0.01 * wanted)
			break;
		*(average < wanted ? &low : &high) = (double)*radius;
	}
	return SPATE_OK;
}

static spate_result check_same(const char *name, pair_count found, pair_count expected, spate_error *error)
{
	if (found.pairs == expected.pairs && found.checksum == expected.checksum)
		return SPATE_OK;
	return error_set(error, SPATE_INVALID,
			 "%s found %llu pairs with checksum %016llx, our lists hold %llu with checksum %016llx", name,
			 (unsigned long long)found.pairs, (unsigned long long)found.checksum,
			 (unsigned long long)expected.pairs, (unsigned long long)expected.checksum);
}

static spate_result measure(searches *s, int runs, float radius, search_case *out, spate_error *error)
{
	pair_input input = {s->block.count, s->block.positions, {s->block.length, s->block.height, 0.0f, 0.0f}, radius};
	stopwatch hash = {0}, sorting = {0}, ours = {0};
	pair_count by_hash = {0}, by_sorting = {0};
	for (int run = 0; run < runs; run++)
	{
		stopwatch_start(&hash);
		by_hash = spatial_hash_search(s->hash, &input);
		stopwatch_stop(&hash);

		stopwatch_start(&sorting);
		by_sorting = cell_sorting_search(s->sorting, &input);
		stopwatch_stop(&sorting);

		stopwatch_start(&ours);
		spate_result result = search_ours(s, 1, error);
		stopwatch_stop(&ours);
		if (result != SPATE_OK)
			return result;
	}
	*out = (search_case){.neighbours = (double)s->list.pairs / s->block.count,
			     .radius = (double)radius,
			     .ns_hash = stopwatch_ns_per(&hash, input.count),
			     .ns_cell_sort = stopwatch_ns_per(&sorting, input.count),
			     .ns_list = stopwatch_ns_per(&ours, input.count)};
	pair_count by_list = count_list(s);
	spate_result result = check_same("spatial hashing", by_hash, by_list, error);
	return result == SPATE_OK ? check_same("cell sorting", by_sorting, by_list, error) : result;
}

spate_result compare_searches(const bench_options *options, uint32_t particles, search_case cases[SEARCH_CASES],
			      spate_error *error)
{
	searches s = {0};
	spate_result result = make_searches(&s, particles, error);
	for (int c = 0; c < SEARCH_CASES && result == SPATE_OK; c++)
	{
		bench_progress(options, "spatial hashing and cell sorting, %u particles, %g neighbours", particles,
			       wanted_neighbours[c]);
		float radius = 0.0f;
		result = find_radius(&s, wanted_neighbours[c], options->threads, &radius, error);
		if (result == SPATE_OK)
			result = measure(&s, options->runs, radius, &cases[c], error);
	}
	free_searches(&s);
	return result;
}
