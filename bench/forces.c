// spate bench forces: what forces cost per particle, and as a share of a step with a million particles. A step accelerates all particles
// once; with drag, the solver projection finds the velocities before again by three more rounds, and bounds of formulas are measured by one.
#include "base/memory.h"
#include "base/parallel.h"
#include "bench/dam_break.h"
#include "force/force.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

enum
{
	MOST_TOGETHER = 3,
	CASES = 11,
	STEPS = 3 // of the world; the last two are timed
};

typedef struct force_case
{
	const char *name;
	spate_force_def forces[MOST_TOGETHER];
	uint32_t count;
	double ns, ns_step, share; // per particle: a round, all rounds of a substep; of a step
} force_case;

static spate_force_def of_type(spate_force_type type, double strength, double drag)
{
	spate_force_def f = spate_default_force_def();
	f.type = type;
	f.position[0] = f.position[1] = 0.4;
	f.velocity[0] = 4.0;
	f.radius = 0.3, f.strength = strength, f.drag = drag;
	f.inward = f.amplitude = strength;
	f.size = 0.2;
	return f;
}

static spate_force_def formulas(const char *x, const char *y, const char *z)
{
	spate_force_def f = of_type(SPATE_FORCE_EXPRESSION, 0.0, 0.0);
	f.acceleration[0] = x, f.acceleration[1] = y, f.acceleration[2] = z;
	return f;
}

static void describe(force_case cases[CASES])
{
	spate_force_def wind = of_type(SPATE_FORCE_WIND, 0.0, 0.5), pull = of_type(SPATE_FORCE_ATTRACTOR, 5.0, 0.0);
	spate_force_def swirl = of_type(SPATE_FORCE_VORTEX, 5.0, 0.0), near = wind, fast = wind;
	near.shape = (spate_shape){SPATE_SHAPE_BOX, {0.0, 0.3, 0.0}, {9.0, 9.0, 9.0}, 0.0};
	near.falloff = 0.1;
	fast.quadratic = 0.1;
	const force_case all[CASES] = {
	    {.name = "gravity"},
	    {.name = "wind", .forces = {wind}, .count = 1},
	    {.name = "wind in a box", .forces = {near}, .count = 1},
	    {.name = "wind, quadratic", .forces = {fast}, .count = 1},
	    {.name = "attractor", .forces = {pull}, .count = 1},
	    {.name = "vortex", .forces = {swirl}, .count = 1},
	    {.name = "spiral", .forces = {of_type(SPATE_FORCE_SPIRAL, 5.0, 0.0)}, .count = 1},
	    {.name = "noise", .forces = {of_type(SPATE_FORCE_NOISE, 5.0, 0.0)}, .count = 1},
	    {.name = "wind, attractor, vortex", .forces = {wind, pull, swirl}, .count = 3},
	    {.name = "2*sin(3*t), 0, -x", .forces = {formulas("2*sin(3*t)", "0", "-x")}, .count = 1},
	    {.name = "-x, 3*sin(20*y), x*y-vz", .forces = {formulas("-x", "3*sin(20*y)", "x*y-vz")}, .count = 1}};
	memcpy(cases, all, sizeof all);
}

typedef struct round_task
{
	const force_set *set;
	const step_view *view;
	vec4 *out;
} round_task;

static void rows_of_round(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const round_task *t = context;
	const step_view *s = t->view;
	for (size_t first = begin; first < end; first += FORCE_ROWS)
	{
		size_t count = end - first < FORCE_ROWS ? end - first : FORCE_ROWS;
		force_rows rows = {count, s->places + first,      s->velocities + first, s->origin, s->time,
				   s->dt, s->store->fluid + first};
		vec3 same, each[FORCE_ROWS];
		int alike = force_set_accelerate(t->set, &rows, &same, each);
		for (size_t k = 0; k < count; k++)
		{
			vec3 a = alike ? same : each[k];
			vec4 v = s->velocities[first + k];
			t->out[first + k] = (vec4){v.x + s->dt * a.x, v.y + s->dt * a.y, v.z + s->dt * a.z, 0};
		}
	}
}

static spate_result time_case(force_case *c, spate_world *w, double step, vec4 *out, const bench_options *options,
			      spate_error *error)
{
	spate_world_def def = w->model.def;
	def.forces = c->forces;
	def.force_count = c->count;
	void **assets;
	force_set set;
	step_view view = world_view(w, 1e-3);
	spate_result result = force_assets_make(&assets, &def, error);
	if (result != SPATE_OK)
		return result;
	force_set_make(&set, &def, assets, NULL, 0, 1.0);
	stopwatch watch = {0};
	round_task task = {.set = &set, .view = &view, .out = out};
	for (int run = 0; run < options->runs; run++)
	{
		stopwatch_start(&watch);
		parallel_for(options->threads, view.store->rows, PARALLEL_BLOCK, rows_of_round, &task);
		stopwatch_stop(&watch);
	}
	force_assets_free(assets, c->forces, c->count);
	c->ns = stopwatch_ns_per(&watch, view.store->rows);
	c->ns_step = c->ns * (2 + (set.by_velocity ? 2 : 0) + (set.unknown ? 1 : 0));
	c->share = 1e-9 * c->ns_step * view.store->rows / step;
	return SPATE_OK;
}

static spate_result measure(const bench_options *options, force_case cases[CASES], uint32_t *particles, double *ms_step,
			    spate_error *error)
{
	static const uint32_t full[3] = {100, 100, 100}, quick[3] = {12, 12, 12};
	dam_break d;
	dam_break_init(&d, options->quick ? quick : full);
	d.world.threads = options->threads;
	bench_choose_solver(options, &d.world.solver);
	spate_world *w = NULL;
	stopwatch watch = {0};
	bench_progress(options, "steps");
	spate_result result = spate_world_create(&w, &d.world, error);
	for (int n = 0; n < STEPS && result == SPATE_OK; n++)
	{
		stopwatch_start(&watch);
		result = spate_world_step(w, NULL, error);
		if (n > 0)
			stopwatch_stop(&watch);
	}
	vec4 *out = result == SPATE_OK ? mem_alloc((w->state.store->rows + 1u) * sizeof *out) : NULL;
	for (int n = 0; n < CASES && out && result == SPATE_OK; n++)
	{
		bench_progress(options, "%s", cases[n].name);
		result = time_case(&cases[n], w, watch.best, out, options, error);
	}
	*particles = w ? w->state.store->rows : 0;
	*ms_step = 1e3 * watch.best;
	mem_free(out);
	spate_world_destroy(w);
	bench_progress_end(options);
	return result;
}

spate_result bench_forces(const bench_options *options, spate_error *error)
{
	force_case cases[CASES];
	uint32_t particles = 0;
	double ms_step = 0.0;
	describe(cases);
	spate_result result = measure(options, cases, &particles, &ms_step, error);
	if (result != SPATE_OK)
		return result;
	bench_print_head(options, "forces", "a block of water that begins to collapse");
	if (options->json)
		printf(",\"particles\":%u,\"ms_step\":%.4g,\"rows\":[", particles, ms_step);
	else
		printf("%u particles, %.1f ms per step\n\n%-26s %12s %12s %10s\n", particles, ms_step,
		       "besides gravity", "ns/particle", "in a step", "of a step");
	for (int n = 0; n < CASES; n++)
		if (options->json)
			printf("%s{\"forces\":\"%s\",\"ns\":%.4g,\"ns_step\":%.4g,\"share\":%.4g}", n ? "," : "",
			       cases[n].name, cases[n].ns, cases[n].ns_step, cases[n].share);
		else
			printf("%-26s %12.2f %12.2f %8.2f %%\n", cases[n].name, cases[n].ns, cases[n].ns_step,
			       100.0 * cases[n].share);
	if (options->json)
		puts("]}");
	return SPATE_OK;
}
