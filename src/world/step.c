// The pipeline of one substep. Order, inputs and outputs:
//
//   stage        reads                      writes
//   sources      time, bodies, colliders    velocities of bodies without the liquid, new particles
//   prepare      velocity, forces           what the solver predicts: velocity, position; runaways treated
//   sort         position, id               row order of all fields, cell maps
//   neighbours   position                   neighbour lists
//   solve        all of the above           position, velocity, density
//   sinks        position                   removed marks
//   measure      position, velocity         statistics, runaways treated
//   wet          position, colliders        wet maps
//   weigh        position, colliders        density and its errors after the last correction; only at the end of a frame
//   channels     all of the above           automatic channels that are asked for; likewise
//
// Row order and neighbour lists may be reused for several substeps (lists.c). The first substep of a frame always rebuilds them, so
// that a frame depends only on the state at its start.
#define _GNU_SOURCE
#include "base/error.h"
#include "world/channels.h"
#include "world/state.h"

#include <time.h>

static double milliseconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static spate_result run_sources(spate_world *w, double dt, spate_error *error)
{
	double begin = spate_world_time(w);
	spate_result result = bodies_predict(w, dt, error);
	if (result != SPATE_OK)
		return result;
	result = collider_set_move(&w->state.colliders, begin, begin + dt, error);
	if (result == SPATE_OK)
		result = bending_predict(w, dt, error);
	if (result != SPATE_OK)
		return result;
	return source_set_run(&w->state.sources, w->state.store, w->model.fluids, &w->state.colliders, begin,
			      begin + dt, error);
}

static spate_result prepare_and_sort(spate_world *w, double dt, spate_error *error)
{
	spate_result result = world_prepare(w, dt, error);
	return result == SPATE_OK ? world_sort(w, dt, error) : result;
}

static spate_result run_sinks(spate_world *w, double dt, spate_error *error)
{
	spate_result result;
	uint32_t *neighbours = NULL;
	if (channels_count_neighbours(w, NULL))
	{
		neighbours = arena_alloc(&w->work.scratch, (w->state.store->rows + (size_t)1) * sizeof *neighbours);
		if (!neighbours)
			return error_memory(error, w->state.store->rows * sizeof *neighbours);
		channels_count_neighbours(w, neighbours);
	}
	uint32_t taken = sinks_run(w->model.sinks, w->state.sinks, w->model.def.sink_count, w->model.fluids,
				   w->model.origin, w->state.store, neighbours, spate_world_time(w) + dt, dt, &result);
	w->state.counters.removed += taken;
	w->state.counters.removed_by.sinks += taken;
	return result == SPATE_OK ? SPATE_OK : error_memory(error, w->state.store->rows * sizeof(sink_candidate));
}

// The cheap stages after the solver; at the end of a frame, density errors as its last correction has left them.
static spate_result finish(spate_world *w, double dt, int last, spate_error *error)
{
	spate_result result = bodies_finish(w, error);
	if (result == SPATE_OK)
		result = run_sinks(w, dt, error);
	world_advance(w, dt, last);
	if (result == SPATE_OK)
		result = world_measure(w, error);
	if (result == SPATE_OK)
		world_wet(w, dt);
	if (result == SPATE_OK && last)
		result = world_weigh(w, dt, error);
	if (result == SPATE_OK && last)
		channels_fill(w);
	return result;
}

spate_result world_step(spate_world *w, int *frame_done, spate_error *error)
{
	spate_error own;
	error = error ? error : &own;
	if (frame_done)
		*frame_done = 0;
	spate_result result = world_check_usable(w, error);
	if (result == SPATE_OK)
		result = world_follow_tracks(w, error);
	if (result == SPATE_OK)
		result = world_survey_material(w, error);
	if (result != SPATE_OK)
		return result;
	world_set_forces(w);
	spate_step_stats *stats = &w->work.stats;
	int last = 0;
	stats->frame = w->state.counters.frame + 1;
	stats->step = w->state.counters.step + 1;
	double dt = world_choose_dt(w, &last), clock = milliseconds(), now;
#define STAGE(field, call)                  \
	if (result == SPATE_OK)             \
	{                                   \
		result = (call);            \
		now = milliseconds();       \
		stats->field = now - clock; \
		clock = now;                \
	}
	STAGE(ms_sources, run_sources(w, dt, error))
	int intact = result != SPATE_OK && !collider_set_remembers(&w->state.colliders);
	if (result == SPATE_OK && last)
		channels_before(w);
	STAGE(ms_sort, prepare_and_sort(w, dt, error))
	STAGE(ms_neighbours, world_list(w, dt, error))
	STAGE(ms_solve, world_solve(w, dt, error))
	if (result == SPATE_OK && last)
		channels_after(w, dt);
	STAGE(ms_measure, finish(w, dt, last, error))
#undef STAGE
	if (result != SPATE_OK)
	{
		if (!intact)
			world_spoil(w, error->text);
		return result;
	}
	if (last)
		probes_read(w);
	if (frame_done)
		*frame_done = last;
	return SPATE_OK;
}
