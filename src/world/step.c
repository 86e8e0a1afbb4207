// The pipeline of one substep. Order, inputs and outputs:
//
//   stage        reads                      writes
//   sources      time, colliders            new particles
//   predict      velocity, gravity          velocity, position, runaways treated
//   sort         position, id               row order of all fields, cell maps
//   neighbours   position                   neighbour lists
//   solve        all of the above           position, velocity, density
//   sinks        position                   removed marks
//   measure      position, velocity         statistics, runaways treated
//   wet          position, colliders        wet maps
//
// Row order and neighbour lists may be reused for several substeps (lists.c). The first substep of a frame always rebuilds them, so
// that a frame depends only on the state at its start.
#define _GNU_SOURCE
#include "base/error.h"
#include "base/parallel.h"
#include "world/world.h"

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
	spate_result result = collider_set_move(&w->state.colliders, begin, begin + dt, error);
	if (result != SPATE_OK)
		return result;
	return source_set_run(&w->state.sources, w->state.store, w->model.fluids, &w->state.colliders, begin,
			      begin + dt, error);
}

typedef struct predict_task
{
	vec4 *position, *velocity;
	vec3 gravity;
	float dt;
	world_limits limits;
	int found; // set when there was a runaway; its position is not advanced
} predict_task;

static void predict_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	predict_task *t = context;
	for (size_t row = begin; row < end; row++)
	{
		vec4 *x = &t->position[row], *v = &t->velocity[row];
		if (world_is_runaway(&t->limits, *x, *v))
		{
			__atomic_store_n(&t->found, 1, __ATOMIC_RELAXED);
			continue;
		}
		v->x += t->dt * t->gravity.x;
		v->y += t->dt * t->gravity.y;
		v->z += t->dt * t->gravity.z;
		x->x += t->dt * v->x;
		x->y += t->dt * v->y;
		x->z += t->dt * v->z;
	}
}

// Particles written by the caller or emitted too fast can be runaways. They are handled before they meet other particles; those
// that are only slowed down do not move in this step.
static spate_result predict(spate_world *w, double dt, spate_error *error)
{
	const double *g = w->model.def.gravity;
	predict_task t = {.position = w->state.store->position,
			  .velocity = w->state.store->velocity,
			  .gravity = {(float)g[0], (float)g[1], (float)g[2]},
			  .dt = (float)dt,
			  .limits = world_get_limits(w)};
	parallel_for(w->model.threads, w->state.store->rows, PARALLEL_BLOCK, predict_rows, &t);
	return t.found ? world_handle_runaways(w, 0, error) : SPATE_OK;
}

static spate_result predict_and_sort(spate_world *w, double dt, spate_error *error)
{
	spate_result result = predict(w, dt, error);
	return result == SPATE_OK ? world_sort(w, dt, error) : result;
}

static solver_step describe_step(spate_world *w, double dt)
{
	quality_settings quality = world_quality(w);
	const double *g = w->model.def.gravity;
	material_look(&w->state.material, w->state.store);
	return (solver_step){.store = w->state.store,
			     .list = &w->work.list,
			     .colliders = &w->state.colliders,
			     .fluids = w->model.fluids,
			     .fluid_count = w->model.def.fluid_count,
			     .radii = w->model.radii,
			     .densest = quality.densest,
			     .room = w->state.room,
			     .material = &w->state.material,
			     .dt = (float)dt,
			     .gravity = (float)sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]),
			     .iterations = quality.iterations,
			     .min_iterations = w->model.def.solver.min_iterations,
			     .tolerance = (float)quality.tolerance,
			     .viscosity_model = w->model.def.solver.viscosity_model,
			     .warm_start = (float)w->model.def.solver.warm_start,
			     .acceleration = (float)quality.acceleration,
			     .scratch = &w->work.scratch,
			     .threads = w->model.threads,
			     .simd = w->model.simd};
}

static spate_result solve(spate_world *w, double dt, spate_error *error)
{
	solver_step step = describe_step(w, dt);
	step.loads = w->model.loads ? w->state.loads : NULL;
	arena_reset(&w->work.scratch);
	solver_report report;
	spate_result result = w->model.solver_type->step(w->work.solver, &step, &report, error);
	if (result != SPATE_OK)
		return result;
	w->work.stats.iterations = report.iterations;
	w->work.stats.density_error_avg = report.density_error_avg;
	w->work.stats.density_error_max = report.density_error_max;
	w->work.stats.outside = report.outside;
	loads_take(w);
	if (report.moved)
		probes_count_flux(w, report.moved);
	return SPATE_OK;
}

// Surplus particles of a fill's lattice beside walls must be pushed all the way to the surface, which takes many strongly
// accelerated iterations.
enum
{
	RELAX_ROUNDS = 4,
	RELAX_ITERATIONS = 50,
	RELAX_SHRINKS = 4
};
#define RELAX_ACCELERATION 0.98f
#define RELAX_TOLERANCE 5e-4
#define RELAX_SQUEEZED 1e-3

// Runs rounds until nothing overlaps. *first and *last receive the density errors of the first and the last round.
static spate_result relax(spate_world *w, double *first, double *last, spate_error *error)
{
	*last = 1.0;
	for (int round = 0; round < RELAX_ROUNDS; round++)
	{
		if (*last <= RELAX_TOLERANCE)
			break;
		spate_result result = world_list_anew(w, error);
		if (result != SPATE_OK)
			return result;
		solver_step step = describe_step(w, 1.0);
		step.relax = 1;
		step.iterations = RELAX_ITERATIONS;
		step.min_iterations = 1;
		step.tolerance = (float)RELAX_TOLERANCE;
		step.acceleration = RELAX_ACCELERATION;
		step.warm_start = 0.0f;
		arena_reset(&w->work.scratch);
		solver_report report;
		result = w->model.solver_type->step(w->work.solver, &step, &report, error);
		if (result != SPATE_OK)
			return result;
		*last = report.density_error_avg;
		w->work.stats.outside = report.outside;
		*first = round == 0 ? *last : *first;
	}
	return SPATE_OK;
}

spate_result world_relax_fills(spate_world *w, spate_error *error)
{
	if (w->state.store->rows == 0)
		return SPATE_OK;
	double first = 0.0, last = 0.0;
	spate_result result = relax(w, &first, &last, error);
	// If the overlap does not shrink, the liquid fills its container completely. Left compressed, it would act as a spring that
	// gets stiffer with every shorter substep, so the volume of the particles is reduced until they fit.
	for (int tries = 0; tries < RELAX_SHRINKS && result == SPATE_OK && last > fmax(0.8 * first, RELAX_SQUEEZED);
	     tries++)
	{
		w->state.room *= 1.0 - last;
		result = relax(w, &first, &last, error);
	}
	return result;
}

static void run_sinks(spate_world *w)
{
	uint32_t taken = sinks_run(w->model.sinks, w->model.def.sink_count, w->model.origin, w->state.store);
	w->state.counters.removed += taken;
	w->state.counters.removed_by.sinks += taken;
}

static void advance(spate_world *w, double dt, int last)
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

// The cheap stages after the solver.
static spate_result finish(spate_world *w, double dt, int last, spate_error *error)
{
	run_sinks(w);
	advance(w, dt, last);
	spate_result result = world_measure(w, error);
	if (result == SPATE_OK)
		world_wet(w, dt);
	return result;
}

spate_result spate_world_step(spate_world *w, int *frame_done, spate_error *error)
{
	if (!w)
		return error_set(error, SPATE_INVALID, "spate_world_step needs a world, not NULL");
	spate_result result = world_survey_material(w, error);
	if (result != SPATE_OK)
		return result;
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
	STAGE(ms_sort, predict_and_sort(w, dt, error))
	STAGE(ms_neighbours, world_list(w, dt, error))
	STAGE(ms_solve, solve(w, dt, error))
	STAGE(ms_measure, finish(w, dt, last, error))
#undef STAGE
	if (result == SPATE_OK && last)
		probes_read(w);
	if (frame_done)
		*frame_done = last;
	return result;
}
