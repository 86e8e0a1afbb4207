// What the world does around its solver: describes a substep to it, lets it predict, step and settle, and keeps its report.
#include "base/error.h"
#include "world/world.h"

step_view world_view(spate_world *w, double dt)
{
	material_look(&w->state.material, w->state.store);
	return (step_view){.settings = &w->model.def.solver,
			   .fluids = w->model.fluids,
			   .fluid_count = w->model.def.fluid_count,
			   .interfaces = w->model.interfaces,
			   .interface_count = w->model.def.interface_count,
			   .radii = w->model.radii,
			   .forces = &w->model.forces,
			   .origin = w->model.origin,
			   .calms = w->model.solver_type->calms,
			   .tension = w->model.solver_type->tension,
			   .shear = w->model.solver_type->shear,
			   .contrast = w->model.solver_type->contrast,
			   .cameras = w->model.cameras,
			   .camera_count = w->model.def.camera_count,
			   .store = w->state.store,
			   .list = &w->work.list,
			   .colliders = &w->state.colliders,
			   .bodies = w->state.bodies.count > 0 ? &w->state.bodies : NULL,
			   .bending = w->state.bending.count > 0 ? &w->state.bending : NULL,
			   .material = &w->state.material,
			   .room = w->state.room,
			   .time = spate_world_time(w),
			   .frame_step = w->state.counters.frame_step,
			   .dt = (float)dt,
			   .depth = w->state.counters.depth,
			   .speed = w->state.counters.bulk_speed,
			   .limits = world_get_limits(w),
			   .places = w->state.store->position,
			   .velocities = w->state.store->velocity,
			   .scratch = &w->work.scratch,
			   .threads = w->model.threads,
			   .simd = w->model.simd};
}

// Particles written by the caller or emitted too fast can be runaways. They are handled before they meet other particles; those
// that are only slowed down do not move in this step.
spate_result world_prepare(spate_world *w, double dt, spate_error *error)
{
	step_view view = world_view(w, dt);
	int runaways = 0;
	spate_result result = w->model.solver_type->prepare(w->state.solver, &view, &runaways, error);
	return result == SPATE_OK && runaways ? world_handle_runaways(w, 0, error) : result;
}

spate_result world_solve(spate_world *w, double dt, spate_error *error)
{
	step_view view = world_view(w, dt);
	solver_report report = {0};
	const constraint_set hosted = {w->constraints.data, (uint32_t)w->constraints.count};
	view.constraints = &hosted;
	view.loads = w->model.loads ? w->state.loads : NULL;
	for (uint32_t c = 0; view.loads && c < view.colliders->count; c++)
		view.loads[c] = (collider_load){.dt = (double)view.dt};
	arena_reset(&w->work.scratch);
	if (w->work.list.count > 0)
	{
		spate_result result = step_view_take_arrays(&view, error);
		if (result == SPATE_OK)
			result = w->model.solver_type->step(w->state.solver, &view, &report, error);
		if (result != SPATE_OK)
			return result;
		probes_count_flux(w, view.moved);
	}
	w->work.stats.iterations = report.iterations;
	w->work.stats.density_error_avg = w->state.counters.error = report.density_error_avg;
	w->work.stats.density_error_max = report.density_error_max;
	w->work.stats.outside = report.outside;
	w->work.stats.ms_iterations = report.ms_iterations;
	loads_take(w);
	return SPATE_OK;
}

// What the solver reported may be of places that its last correction has changed since. Lists of the start of the substep lack pairs that
// have come closer, so they are made anew; the next substep, the first of a frame, would not have used the old ones.
spate_result world_weigh(spate_world *w, double dt, spate_error *error)
{
	spate_step_stats *stats = &w->work.stats;
	if (!w->model.solver_type->weigh || w->state.store->rows == 0)
		return SPATE_OK;
	int listed = stats->listed;
	spate_result result = world_list_anew(w, error);
	stats->listed = listed;
	if (result != SPATE_OK || w->work.list.count == 0)
		return result;
	step_view view = world_view(w, dt);
	view.settling = 1;
	solver_report report = {0};
	arena_reset(&w->work.scratch);
	result = step_view_take_arrays(&view, error);
	if (result == SPATE_OK)
		result = w->model.solver_type->weigh(w->state.solver, &view, &report, error);
	if (result == SPATE_OK)
	{
		stats->density_error_avg = report.density_error_avg;
		stats->density_error_max = report.density_error_max;
	}
	return result;
}

static spate_result settle_once(spate_world *w, solver_settling *settling, spate_error *error)
{
	spate_result result = world_list_anew(w, error);
	if (result != SPATE_OK)
		return result;
	step_view view = world_view(w, 1.0);
	view.settling = 1;
	solver_report report;
	arena_reset(&w->work.scratch);
	result = step_view_take_arrays(&view, error);
	if (result == SPATE_OK)
		result = w->model.solver_type->settle(w->state.solver, &view, settling, &report, error);
	if (result == SPATE_OK)
	{
		w->work.stats.outside = report.outside;
		w->state.room = settling->room;
	}
	return result;
}

spate_result world_settle(spate_world *w, spate_error *error)
{
	solver_settling settling = {.room = w->state.room,
				    .done = !w->model.solver_type->settle || w->state.store->rows == 0};
	spate_result result = SPATE_OK;
	while (result == SPATE_OK && !settling.done)
		result = settle_once(w, &settling, error);
	return result;
}
