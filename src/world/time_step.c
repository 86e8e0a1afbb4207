// The length of substeps, and the clock.
#include "base/log.h"
#include "world/world.h"

// Least length of a substep relative to the previous one: stiffness grows as 1 / dt^2, so a much shorter substep would suddenly
// release the compression that the last one left.
#define SHRINK 0.97

double world_choose_dt(spate_world *w, int *last)
{
	double frame = 1.0 / w->model.def.fps, left = frame - w->state.counters.elapsed;
	uint32_t done = w->state.counters.frame_step, steps;
	if (w->model.def.solver.substeps > 0)
		steps = w->model.def.solver.substeps > done ? w->model.def.solver.substeps - done : 1;
	else
	{
		double now = spate_world_time(w);
		step_state state = {.time = now,
				    .bulk_speed = w->state.counters.bulk_speed,
				    .speed_max = w->state.counters.speed_max,
				    .outer_speed =
					fmax(source_set_speed(&w->state.sources, w->model.fluids, &w->state.colliders,
							      now, now + frame),
					     collider_set_speed(&w->state.colliders, now, now + frame / 16.0)),
				    .depth = w->state.counters.depth,
				    .error = w->state.counters.error};
		step_view view = world_view(w, 0.0);
		double longest = fmax(w->model.solver_type->longest_step(w->state.solver, &view, &state),
				      SHRINK * w->state.counters.last_dt);
		double wanted = ceil(left / longest);
		uint32_t most = w->model.def.solver.max_substeps > done ? w->model.def.solver.max_substeps - done : 1;
		if (wanted > most && !w->work.limit_told)
		{
			log_warning(
			    "frame %u needs %.0f substeps, but max_substeps is %u; the liquid may be compressed",
			    w->state.counters.frame + 1, wanted + done, w->model.def.solver.max_substeps);
			w->work.limit_told = 1;
		}
		steps = wanted < most ? (uint32_t)wanted : most;
		steps = steps < 1 ? 1 : steps;
	}
	*last = steps == 1;
	return left / steps;
}

void world_advance(spate_world *w, double dt, int last)
{
	world_counters *c = &w->state.counters;
	c->step++;
	c->frame_step++;
	c->elapsed += dt;
	c->last_dt = dt;
	if (last)
	{
		c->frame++;
		c->frame_step = 0;
		c->elapsed = 0.0;
	}
	w->work.stats.time = spate_world_time(w);
	w->work.stats.dt = dt;
}
