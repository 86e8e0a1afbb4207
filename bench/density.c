#include "bench/density.h"

#include "base/parallel.h"
#include "solver/pbf_work.h"
#include "world/world.h"

static void measure_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	w->kernels->multipliers(&w->pass, w->view->places, w->multipliers, w->constraint, (uint32_t)begin,
				(uint32_t)end, &w->block_max[begin / STEP_SLICES]);
}

spate_result density_measure(spate_world *world, density_sums *out, spate_error *error)
{
	spate_result result = world_list_anew(world, error);
	if (result != SPATE_OK)
		return result;
	step_view view = world_view(world, 1.0);
	view.settling = 1;
	arena_reset(&world->work.scratch);
	result = step_view_take_arrays(&view, error);
	pbf_work work;
	if (result == SPATE_OK)
		result = pbf_work_start(&work, world->state.solver, &view, error);
	if (result == SPATE_OK)
		result = pbf_work_find_walls(&work, error);
	if (result == SPATE_OK)
		result = pbf_work_mirror(&work, error);
	if (result != SPATE_OK)
		return result;
	pbf_work_place_images(&work, view.places);
	parallel_for(view.threads, view.list->slice_count, STEP_SLICES, measure_slices, &work);
	*out = (density_sums){.count = view.list->count};
	for (uint32_t row = 0; row < out->count; row++)
	{
		double c = (double)work.constraint[row];
		out->mean += c / out->count;
		out->error += c > 0.0 ? c / out->count : 0.0;
	}
	return SPATE_OK;
}
