// spate bench sph: the SPH solvers. Steps of wcsph with a block of water, and frames of pcisph with dam breaks of the sizes that PCISPH has
// been published with: 4,000 to 512,000 particles took 0.007 to 1.978 s a frame there.
#include "bench/dam_break.h"

#include <stdio.h>

typedef struct sph_case
{
	const char *solver;
	uint32_t cells[3];
	int frames; // to measure; 0 for single steps
	uint32_t particles, steps;
	double seconds_frame, ms_step, iterations, density_error;
} sph_case;

enum
{
	STEPS = 20,      // measured, of a case without frames
	WARM_STEPS = 10, // before
	WARM_FRAMES = 1,
	MOST_CASES = 6
};

static const sph_case full[] = {{.solver = "wcsph", .cells = {50, 40, 50}},
				{.solver = "pcisph", .cells = {16, 16, 16}, .frames = 10},
				{.solver = "pcisph", .cells = {32, 32, 32}, .frames = 6},
				{.solver = "pcisph", .cells = {48, 48, 47}, .frames = 4},
				{.solver = "pcisph", .cells = {64, 64, 63}, .frames = 2},
				{.solver = "pcisph", .cells = {80, 80, 80}, .frames = 1}};

static const sph_case quick[] = {{.solver = "wcsph", .cells = {8, 8, 8}},
				 {.solver = "pcisph", .cells = {8, 8, 8}, .frames = 1}};

// One step, or one frame if the case has any.
static spate_result advance(const sph_case *c, spate_world *world, spate_error *error)
{
	uint32_t frame = spate_world_frame(world);
	spate_result result = spate_world_step(world, NULL, error);
	while (result == SPATE_OK && c->frames > 0 && spate_world_frame(world) == frame)
		result = spate_world_step(world, NULL, error);
	return result;
}

static spate_result run(sph_case *c, spate_world *world, spate_error *error)
{
	int warm = c->frames ? WARM_FRAMES : WARM_STEPS, measured = c->frames ? c->frames : STEPS;
	spate_result result = SPATE_OK;
	for (int k = 0; k < warm && result == SPATE_OK; k++)
		result = advance(c, world, error);
	stopwatch watch = {0};
	uint64_t before = spate_world_stats(world)->step;
	stopwatch_start(&watch);
	for (int k = 0; k < measured && result == SPATE_OK; k++)
		result = advance(c, world, error);
	stopwatch_stop(&watch);
	const spate_step_stats *s = spate_world_stats(world);
	c->steps = (uint32_t)(s->step - before);
	c->particles = s->particles;
	c->iterations = s->iterations;
	c->density_error = s->density_error_avg;
	c->ms_step = c->steps > 0 ? 1000.0 * watch.best / c->steps : 0.0;
	c->seconds_frame = c->frames > 0 ? watch.best / c->frames : 0.0;
	return result;
}

static spate_result measure(const bench_options *options, sph_case *c, spate_error *error)
{
	dam_break d;
	dam_break_init(&d, c->cells);
	d.world.threads = options->threads;
	d.world.fps = 30.0;
	d.world.solver.type = spate_solver_find(c->solver);
	d.world.solver.max_substeps = 10000;
	d.water.surface_tension = 0.0;
	spate_world *world = NULL;
	spate_result result = spate_world_create(&world, &d.world, error);
	if (result == SPATE_OK)
		result = run(c, world, error);
	spate_world_destroy(world);
	return result;
}

static void print_table(const sph_case *cases, int count)
{
	puts("  solver  particles   ms/step  steps/frame   s/frame  iterations  density error");
	for (int n = 0; n < count; n++)
	{
		const sph_case *c = &cases[n];
		printf("%8s %10u %9.2f", c->solver, c->particles, c->ms_step);
		if (c->frames > 0)
			printf(" %12.1f %9.4f", (double)c->steps / c->frames, c->seconds_frame);
		else
			printf(" %12s %9s", "", "");
		printf(" %11.0f %12.3f %%\n", c->iterations, 100.0 * c->density_error);
	}
}

static void print_json(const sph_case *cases, int count)
{
	printf(",\"rows\":[");
	for (int n = 0; n < count; n++)
	{
		const sph_case *c = &cases[n];
		printf("%s{\"solver\":\"%s\",\"particles\":%u,\"ms_step\":%.4g,\"steps\":%u,\"frames\":%d,"
		       "\"seconds_frame\":%.4g,\"iterations\":%.4g,\"density_error\":%.4g}",
		       n ? "," : "", c->solver, c->particles, c->ms_step, c->steps, c->frames, c->seconds_frame,
		       c->iterations, c->density_error);
	}
	puts("]}");
}

spate_result bench_sph(const bench_options *options, spate_error *error)
{
	sph_case cases[MOST_CASES];
	int count = options->quick ? (int)(sizeof quick / sizeof *quick) : (int)(sizeof full / sizeof *full);
	spate_result result = SPATE_OK;
	for (int n = 0; n < count && result == SPATE_OK; n++)
	{
		cases[n] = options->quick ? quick[n] : full[n];
		bench_progress(options, "%s, %u x %u x %u particles", cases[n].solver, cases[n].cells[0],
			       cases[n].cells[1], cases[n].cells[2]);
		result = measure(options, &cases[n], error);
	}
	bench_progress_end(options);
	if (result != SPATE_OK)
		return result;
	bench_print_head(options, "sph", "30 frames per second, after a frame or ten steps, each once");
	(options->json ? print_json : print_table)(cases, count);
	return SPATE_OK;
}
