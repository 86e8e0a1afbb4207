// Chooses the length of the next substep.
#include "base/log.h"
#include "world/world.h"

// Travel of a lone particle per substep, in kernel radii.
#define STRAY_CFL 0.6

// Least length of a substep relative to the previous one: stiffness grows as 1 / dt^2, so a much shorter substep would suddenly
// release the compression that the last one left.
#define SHRINK 0.97

// Factor on the length of the first substep, while heavy liquid on light liquid has not built up its compression yet.
#define START 0.6

static double gravity_of(const spate_world_def *def)
{
	const double *g = def->gravity;
	return sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

static float finest_spacing(const spate_world_def *def)
{
	float spacing = INFINITY;
	for (uint32_t f = 0; f < def->fluid_count; f++)
		spacing = fminf(spacing, (float)def->fluids[f].spacing);
	return spacing;
}

// Density of the heaviest fluid over that of the lightest; *densest receives the former.
static double density_ratio(const spate_world_def *def, const material *m, double *densest)
{
	double least = m->low[MATERIAL_DENSITY], most = m->high[MATERIAL_DENSITY];
	for (uint32_t f = 0; f < def->fluid_count; f++)
	{
		least = fmin(least, def->fluids[f].density);
		most = fmax(most, def->fluids[f].density);
	}
	*densest = most;
	return fmin(most / least, SOLVER_MOST_CONTRAST);
}

// The best spectral radius for Chebyshev acceleration grows with the number of iterations. Larger values become unstable.
static double best_acceleration(uint32_t iterations)
{
	return iterations >= 16 ? 0.98 : iterations >= 8 ? 0.95 : iterations >= 4 ? 0.9 : iterations == 3 ? 0.8 : 0.0;
}

quality_settings world_quality_of(const spate_world_def *def, const material *m)
{
	static const quality_settings table[SPATE_QUALITY_COUNT] = {
	    [SPATE_QUALITY_DRAFT] = {.cfl = 0.4, .error = 0.06, .iterations = 4, .tolerance = 0.008},
	    [SPATE_QUALITY_NORMAL] = {.cfl = 0.25, .error = 0.013, .iterations = 8, .tolerance = 0.003},
	    [SPATE_QUALITY_HIGH] = {.cfl = 0.1, .error = 0.006, .iterations = 8, .tolerance = 0.001},
	};
	quality_settings q = table[def->solver.quality];
	const spate_solver_def *own = &def->solver;
	double ratio = density_ratio(def, m, &q.densest);
	// a light fluid under a heavy one is a soft spring: it needs many iterations, as fine particles among coarse ones do
	int mixed = ratio >= 2.0;
	for (uint32_t f = 1; f < def->fluid_count; f++)
		mixed |= (float)def->fluids[f].spacing != (float)def->fluids[0].spacing;
	if (mixed)
		q.iterations *= 2;
	if (own->cfl > 0.0)
		q.cfl = own->cfl;
	if (own->iterations > 0)
		q.iterations = own->iterations;
	if (own->tolerance > 0.0)
		q.tolerance = own->tolerance;
	q.tolerance /= ratio; // the average error hides how much a heavy fluid compresses a light one
	// a light fluid under a heavy one is compressed more, by the ratio of their densities
	q.error = fmin(q.error, 2.0 * q.error / ratio);
	q.acceleration = own->acceleration >= 0.0 ? own->acceleration : best_acceleration(q.iterations);
	return q;
}

quality_settings world_quality(const spate_world *w)
{
	return world_quality_of(&w->model.def, &w->state.material);
}

// Longest substep in which nothing that starts at `speed` travels further than `travel`, falling included:
// (v + g dt) dt <= travel.
static double time_to_travel(const spate_world_def *def, double speed, double travel)
{
	double gravity = gravity_of(def);
	if (gravity > 0.0)
		return 2.0 * travel / (speed + sqrt(speed * speed + 4.0 * gravity * travel));
	return speed > 0.0 ? travel / speed : INFINITY;
}

// Liquid among liquid must not travel far in a substep, or it passes through itself. A stray drop may travel further, as long as it
// does not miss what it hits.
static double limit_by_travel(const spate_world_def *def, const step_state *state, double cfl)
{
	double h = (double)(float)(RADIUS_IN_SPACINGS * (double)finest_spacing(def));
	return fmin(time_to_travel(def, fmax(state->bulk_speed, state->outer_speed), cfl * h),
		    time_to_travel(def, state->speed_max, fmax(cfl, STRAY_CFL) * h));
}

// The residual compression at the bottom grows with dt^2 and depth.
static double limit_by_depth(const spate_world_def *def, const solver_type *type, const void *solver,
			     const quality_settings *q, double depth)
{
	double error = type->expected_error(solver, (double)finest_spacing(def), gravity_of(def), depth, 1.0,
					    q->iterations, q->acceleration);
	return error > 0.0 ? sqrt(q->error / error) : INFINITY;
}

// The substep must resolve the shortest capillary waves.
static double limit_by_tension(const spate_world_def *def, const material *m)
{
	double longest = INFINITY;
	for (uint32_t f = 0; f < def->fluid_count; f++)
	{
		const spate_fluid_def *fluid = &def->fluids[f];
		double own = m->high[MATERIAL_SURFACE_TENSION];
		double tension = fmax(fluid->surface_tension, own) * SOLVER_TENSION_SCALE;
		if (tension > 0.0)
			longest = fmin(longest, 0.1 * sqrt(pow(fluid->spacing, 3.0) / tension));
	}
	return longest;
}

// Heavy liquid that starts at rest on a light one has no compression yet to carry it. Short (stiff) substeps that lengthen over the
// time of a fall through its depth let the compression build up without a bounce.
static double beginning(const spate_world_def *def, const material *m, const step_state *state)
{
	double gravity = gravity_of(def);
	double fall = gravity > 0.0 ? sqrt(state->depth / gravity) : 0.0, now = state->time;
	double densest;
	return now < fall && density_ratio(def, m, &densest) >= 2.0 ? START + (1.0 - START) * now / fall : 1.0;
}

double world_longest_dt(const spate_world_def *def, const material *m, const solver_type *type, const void *solver,
			const step_state *state)
{
	quality_settings q = world_quality_of(def, m);
	double longest = fmin(limit_by_travel(def, state, q.cfl),
			      fmin(limit_by_depth(def, type, solver, &q, state->depth), limit_by_tension(def, m)));
	return longest * beginning(def, m, state);
}

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
					fmax(source_set_speed(&w->state.sources, now, now + frame),
					     collider_set_speed(&w->state.colliders, now, now + frame / 16.0)),
				    .depth = w->state.counters.depth};
		double longest = fmax(
		    world_longest_dt(&w->model.def, &w->state.material, w->model.solver_type, w->work.solver, &state),
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
