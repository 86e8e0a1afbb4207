// How long the next substep may be.
#include "base/log.h"
#include "world/world.h"

// Travel of a lone particle per substep, in kernel radii.
#define STRAY_CFL 0.6

// A substep is at least so long compared with the one before: stiffness goes with 1 / dt^2, and a much shorter one would set free what the
// last one left compressed.
#define SHRINK 0.97

// Of the first substep, relative to those of liquid that has settled.
#define START 0.6

// Heaviest fluid over lightest, and the density of the heaviest.
static double density_ratio(const spate_world *w, double *densest)
{
	double least = w->material.low[MATERIAL_DENSITY], most = w->material.high[MATERIAL_DENSITY];
	for (uint32_t f = 0; f < w->def.fluid_count; f++)
	{
		least = fmin(least, w->fluids[f].density);
		most = fmax(most, w->fluids[f].density);
	}
	*densest = most;
	return fmin(most / least, SOLVER_MOST_CONTRAST);
}

// Chebyshev weights reach as far as the iterations do; stronger ones boil.
static double best_acceleration(uint32_t iterations)
{
	return iterations >= 16 ? 0.98 : iterations >= 8 ? 0.95 : iterations >= 4 ? 0.9 : iterations == 3 ? 0.8 : 0.0;
}

quality_settings world_quality(const spate_world *w)
{
	static const quality_settings table[SPATE_QUALITY_COUNT] = {
	    [SPATE_QUALITY_DRAFT] = {.cfl = 0.4, .error = 0.06, .iterations = 4, .tolerance = 0.008},
	    [SPATE_QUALITY_NORMAL] = {.cfl = 0.25, .error = 0.013, .iterations = 8, .tolerance = 0.003},
	    [SPATE_QUALITY_HIGH] = {.cfl = 0.1, .error = 0.006, .iterations = 8, .tolerance = 0.001},
	};
	quality_settings q = table[w->def.solver.quality];
	const spate_solver_def *own = &w->def.solver;
	double ratio = density_ratio(w, &q.densest);
	// a light fluid under a heavy one is a soft spring: it needs many iterations, as fine particles among coarse ones do
	int mixed = ratio >= 2.0;
	for (uint32_t f = 1; f < w->def.fluid_count; f++)
		mixed |= w->radii[f] != w->radii[0];
	if (mixed)
		q.iterations *= 2;
	if (own->cfl > 0.0)
		q.cfl = own->cfl;
	if (own->iterations > 0)
		q.iterations = own->iterations;
	if (own->tolerance > 0.0)
		q.tolerance = own->tolerance;
	q.tolerance /= ratio; // an average hides what a heavy fluid does to a light one
	// heavy on light compresses it by their ratio as much
	q.error = fmin(q.error, 2.0 * q.error / ratio);
	q.acceleration = own->acceleration >= 0.0 ? own->acceleration : best_acceleration(q.iterations);
	return q;
}

// Longest substep in which nothing that starts at `speed` travels further than `travel`, falling included:
// (v + g dt) dt <= travel.
static double time_to_travel(const spate_world *w, double speed, double travel)
{
	const double *g = w->def.gravity;
	double gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
	if (gravity > 0.0)
		return 2.0 * travel / (speed + sqrt(speed * speed + 4.0 * gravity * travel));
	return speed > 0.0 ? travel / speed : INFINITY;
}

// Liquid that meets liquid must not travel far, or it passes through itself; a stray drop only must not miss what it hits.
static double limit_by_travel(const spate_world *w, double frame, double cfl)
{
	double now = spate_world_time(w), h = (double)w->radius;
	double speed = fmax(w->counters.bulk_speed, source_set_speed(&w->sources, now, now + frame));
	speed = fmax(speed, collider_set_speed(&w->colliders, now, now + frame / 16.0));
	return fmin(time_to_travel(w, speed, cfl * h),
		    time_to_travel(w, w->counters.speed_max, fmax(cfl, STRAY_CFL) * h));
}

// The residual compression at the bottom grows with dt^2 and depth.
static double limit_by_depth(const spate_world *w, const quality_settings *q)
{
	const double *g = w->def.gravity;
	double gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
	double error = w->solver_type->expected_error(w->solver, (double)w->spacing, gravity, w->counters.depth, 1.0,
						      q->iterations, q->acceleration);
	return error > 0.0 ? sqrt(q->error / error) : INFINITY;
}

// Capillary waves of the shortest length must not outrun the substep.
static double limit_by_tension(const spate_world *w)
{
	double longest = INFINITY;
	for (uint32_t f = 0; f < w->def.fluid_count; f++)
	{
		const spate_fluid_def *fluid = &w->fluids[f];
		double own = w->material.high[MATERIAL_SURFACE_TENSION];
		double tension = fmax(fluid->surface_tension, own) * SOLVER_TENSION_SCALE;
		if (tension > 0.0)
			longest = fmin(longest, 0.1 * sqrt(pow(fluid->spacing, 3.0) / tension));
	}
	return longest;
}

// Heavy liquid that is let go on a light one carries nothing yet. Starting stiff and softening within the time of a fall by its depth, it
// takes on its compression without bouncing on it.
static double beginning(const spate_world *w)
{
	const double *g = w->def.gravity;
	double gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
	double fall = gravity > 0.0 ? sqrt(w->counters.depth / gravity) : 0.0, now = spate_world_time(w);
	double densest;
	return now < fall && density_ratio(w, &densest) >= 2.0 ? START + (1.0 - START) * now / fall : 1.0;
}

double world_choose_dt(spate_world *w, int *last)
{
	double frame = 1.0 / w->def.fps, left = frame - w->counters.elapsed;
	uint32_t done = w->counters.frame_step, steps;
	if (w->def.solver.substeps > 0)
		steps = w->def.solver.substeps > done ? w->def.solver.substeps - done : 1;
	else
	{
		quality_settings q = world_quality(w);
		double longest =
		    fmin(limit_by_travel(w, frame, q.cfl), fmin(limit_by_depth(w, &q), limit_by_tension(w)));
		longest = fmax(longest * beginning(w), SHRINK * w->counters.last_dt);
		double wanted = ceil(left / longest);
		uint32_t most = w->def.solver.max_substeps > done ? w->def.solver.max_substeps - done : 1;
		if (wanted > most && !w->limit_told)
		{
			log_warning("frame %u wants %.0f substeps but max_substeps is %u; the liquid may be squeezed",
				    w->counters.frame + 1, wanted + done, w->def.solver.max_substeps);
			w->limit_told = 1;
		}
		steps = wanted < most ? (uint32_t)wanted : most;
		steps = steps < 1 ? 1 : steps;
	}
	*last = steps == 1;
	return left / steps;
}
