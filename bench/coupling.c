// spate bench coupling: what it costs that liquid and rigid bodies move each other. Twenty crates float in a tank, in one world as bodies and in
// another as colliders that stand still, in the same places. Both are stepped in turn, so that whatever else the machine is doing slows
// down both, and time is that of the processor. The crates are still: what is measured is the coupling, not the splash.
#include "bench/bench.h"
#include "spate/body.h"

#include <stdio.h>

static const double target_share = 0.2;

enum
{
	CRATES = 20,
	WARM_UP = 2 // steps before time is taken
};

typedef struct coupling_size
{
	double spacing; // m
	uint32_t steps;
} coupling_size;

static const coupling_size full_size = {0.01, 12}, quick_size = {0.05, 3};

typedef struct side
{
	const char *name;
	spate_world *world;
	double cpu; // s
	uint64_t iterations, particle_steps;
} side;

enum
{
	WALLS,
	BODIES,
	SIDES
};

// A million particles at the full size: 2.5 m x 1 m, 0.4 m deep.
static spate_result create(spate_world **world, double spacing, int bodies, const bench_options *options,
			   spate_error *error)
{
	spate_world_def def = spate_default_world_def();
	spate_fluid_def water = spate_default_fluid_def();
	spate_source_def fill = spate_default_source_def();
	spate_collider_def solids[CRATES + 1];
	spate_body_def crates[CRATES];
	water.spacing = spacing;
	fill.shape = (spate_shape){.type = SPATE_SHAPE_BOX, .b = {2.5, 0.4, 1.0}};
	solids[0] = spate_default_collider_def();
	solids[0].shape = (spate_shape){.type = SPATE_SHAPE_BOX, .b = {2.5, 1.0, 1.0}};
	solids[0].mode = SPATE_COLLIDER_INSIDE;
	for (int k = 0; k < CRATES; k++)
	{
		double x = 0.1 + 0.48 * (k % 5), z = 0.05 + 0.235 * (k / 5);
		solids[k + 1] = spate_default_collider_def();
		solids[k + 1].shape =
		    (spate_shape){.type = SPATE_SHAPE_BOX, .a = {x, 0.325, z}, .b = {x + 0.3, 0.475, z + 0.2}};
		crates[k] = spate_default_body_def();
		crates[k].collider = (uint32_t)k + 1;
	}
	def.threads = options->threads;
	def.fluids = &water, def.fluid_count = 1;
	def.sources = &fill, def.source_count = 1;
	def.colliders = solids, def.collider_count = CRATES + 1;
	def.bodies = crates, def.body_count = bodies ? CRATES : 0;
	bench_choose_solver(options, &def.solver);
	return spate_world_create(world, &def, error);
}

static spate_result measure(const coupling_size *size, side sides[SIDES], const bench_options *options,
			    spate_error *error)
{
	spate_result result = SPATE_OK;
	for (int n = 0; n < SIDES && result == SPATE_OK; n++)
	{
		bench_progress(options, "a tank with %s", sides[n].name);
		result = create(&sides[n].world, size->spacing, n == BODIES, options, error);
	}
	for (uint32_t step = 0; step < WARM_UP + size->steps && result == SPATE_OK; step++)
		for (int n = 0; n < SIDES && result == SPATE_OK; n++)
		{
			bench_progress(options, "step %u with %s", step, sides[n].name);
			double before = bench_cpu_seconds();
			result = spate_world_step(sides[n].world, NULL, error);
			if (step < WARM_UP)
				continue;
			const spate_step_stats *stats = spate_world_stats(sides[n].world);
			sides[n].cpu += bench_cpu_seconds() - before;
			sides[n].iterations += stats->iterations;
			sides[n].particle_steps += stats->particles;
		}
	bench_progress_end(options);
	return result;
}

static void print(const side sides[SIDES], const coupling_size *size, const bench_options *options)
{
	double share = (sides[BODIES].cpu - sides[WALLS].cpu) / sides[BODIES].cpu;
	bench_print_head(options, "coupling", "20 crates that float; processor time, each once");
	if (options->json)
		printf(",\"share\":%.4g,\"target_share\":%g,\"rows\":[", share, target_share);
	else
		puts("crates are  particles  steps  iterations  ns/particle");
	for (int n = 0; n < SIDES; n++)
	{
		const side *s = &sides[n];
		double particles = (double)s->particle_steps / size->steps,
		       iterations = (double)s->iterations / size->steps, ns = 1e9 * s->cpu / (double)s->particle_steps;
		if (options->json)
			printf("%s{\"crates\":\"%s\",\"particles\":%.6g,\"steps\":%u,\"iterations\":%.4g,\"ns\":%.4g}",
			       n ? "," : "", s->name, particles, size->steps, iterations, ns);
		else
			printf("%-10s %10.0f %6u %11.1f %12.1f\n", s->name, particles, size->steps, iterations, ns);
	}
	if (options->json)
		puts("]}");
	else
		printf("\ncoupling is %.1f %% of a step; below %.0f %% is the target\n", 100 * share,
		       100 * target_share);
}

spate_result bench_coupling(const bench_options *options, spate_error *error)
{
	const coupling_size *size = options->quick ? &quick_size : &full_size;
	side sides[SIDES] = {{.name = "colliders"}, {.name = "bodies"}};
	spate_result result = measure(size, sides, options, error);
	if (result == SPATE_OK)
		print(sides, size, options);
	for (int n = 0; n < SIDES; n++)
		spate_world_destroy(sides[n].world);
	return result;
}
