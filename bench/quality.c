// spate bench quality: one second of a dam break of a cubic metre at each quality, and how well it keeps its density.
#include "bench/dam_break.h"

#include <stdio.h>

typedef struct quality_case
{
	double cpu_seconds, wall_seconds;
	uint64_t steps;
	uint32_t particles;
	// relative compression: mean and maximum over the steps of the average over particles; maximum over all particles
	double error_mean, error_max, error_particle;
} quality_case;

static const char *const names[SPATE_QUALITY_COUNT] = {
    [SPATE_QUALITY_DRAFT] = "draft", [SPATE_QUALITY_NORMAL] = "normal", [SPATE_QUALITY_HIGH] = "high"};

static const uint32_t full_cells[3] = {46, 46, 46}, quick_cells[3] = {8, 8, 8};
static const double full_seconds = 1.0, quick_seconds = 0.1;

// Runs until the end of the frame that reaches `seconds`.
static spate_result run(spate_world *world, double seconds, quality_case *out, spate_error *error)
{
	spate_result result = SPATE_OK;
	while (result == SPATE_OK && spate_world_time(world) < seconds - 1e-9)
	{
		result = spate_world_step(world, NULL, error);
		const spate_step_stats *s = spate_world_stats(world);
		out->steps = s->step;
		out->particles = s->particles;
		out->error_mean += s->density_error_avg;
		out->error_max = s->density_error_avg > out->error_max ? s->density_error_avg : out->error_max;
		out->error_particle =
		    s->density_error_max > out->error_particle ? s->density_error_max : out->error_particle;
	}
	out->error_mean /= (double)(out->steps > 0 ? out->steps : 1);
	return result;
}

static spate_result measure(const bench_options *options, spate_quality quality, quality_case *out, spate_error *error)
{
	dam_break d;
	dam_break_init(&d, options->quick ? quick_cells : full_cells);
	d.world.solver.quality = quality;
	d.world.threads = options->threads;
	bench_choose_solver(options, &d.world.solver);
	spate_world *world = NULL;
	stopwatch wall = {0};
	double cpu = bench_cpu_seconds();
	stopwatch_start(&wall);
	spate_result result = spate_world_create(&world, &d.world, error);
	if (result == SPATE_OK)
		result = run(world, options->quick ? quick_seconds : full_seconds, out, error);
	stopwatch_stop(&wall);
	out->wall_seconds = wall.best;
	out->cpu_seconds = bench_cpu_seconds() - cpu;
	spate_world_destroy(world);
	return result;
}

static void print_table(const quality_case cases[SPATE_QUALITY_COUNT])
{
	printf("%u particles, each quality once; density errors: over the steps, of the average over particles\n"
	       "  quality    CPU s   wall s   steps  error mean   error max  worst particle\n",
	       cases[0].particles);
	for (int q = 0; q < SPATE_QUALITY_COUNT; q++)
	{
		const quality_case *c = &cases[q];
		printf("%9s %8.2f %8.2f %7llu %9.3f %% %9.3f %% %13.1f %%\n", names[q], c->cpu_seconds, c->wall_seconds,
		       (unsigned long long)c->steps, 100.0 * c->error_mean, 100.0 * c->error_max,
		       100.0 * c->error_particle);
	}
}

static void print_json(const quality_case cases[SPATE_QUALITY_COUNT])
{
	printf(",\"rows\":[");
	for (int q = 0; q < SPATE_QUALITY_COUNT; q++)
	{
		const quality_case *c = &cases[q];
		printf(
		    "%s{\"quality\":\"%s\",\"particles\":%u,\"cpu_seconds\":%.4g,\"wall_seconds\":%.4g,\"steps\":%llu,"
		    "\"density_error_mean\":%.4g,\"density_error_max\":%.4g,\"density_error_particle\":%.4g}",
		    q ? "," : "", names[q], c->particles, c->cpu_seconds, c->wall_seconds, (unsigned long long)c->steps,
		    c->error_mean, c->error_max, c->error_particle);
	}
	puts("]}");
}

spate_result bench_quality(const bench_options *options, spate_error *error)
{
	quality_case cases[SPATE_QUALITY_COUNT] = {0};
	spate_result result = SPATE_OK;
	for (int q = 0; q < SPATE_QUALITY_COUNT && result == SPATE_OK; q++)
	{
		bench_progress(options, "a dam break at quality %s", names[q]);
		result = measure(options, (spate_quality)q, &cases[q], error);
	}
	bench_progress_end(options);
	if (result != SPATE_OK)
		return result;
	bench_print_head(options, "quality", options->quick ? "0.1 s of a dam break" : "1 s of a dam break");
	(options->json ? print_json : print_table)(cases);
	return SPATE_OK;
}
