// spate bench table1: the rows of a published table that Spate has the features for, in its terms: the time for 16 ms of a flow that is
// under way, and memory.
//
//	Alduan, Tena, Otaduy: DYVERSO: a versatile multi-phase position-based fluids solution for VFX, 2017, table 1
#include "base/memory.h"
#include "bench/dam_break.h"

#include <stdio.h>
#include <time.h>

enum
{
	ROWS = 2,
	WARM_UP = 4, // frames of 16 ms before those that are measured
	FRAMES = 2
};

// Per particle, on two cores.
static const double target_ns = 2500.0, target_bytes = 400.0, target_start_us = 4.0;

typedef struct table_row
{
	const char *name;
	double published_ns, published_bytes; // 0 if not published
	uint32_t particles;
	double start_us;      // per particle, to create the world and settle it
	double ns_16ms;       // per particle
	double cpu_ns_16ms;   // the same in CPU time
	double substeps_16ms; //
	double iterations;    // of the solver in a substep
	double bytes;         // per particle, at the peak
	double density_error; // mean over substeps and particles
} table_row;

static const char *const not_measured[] = {
    "a liquid poured on a viscous one (820,000), wine (1,452,000), dragon (6,390,000), waterfall (2,049,000), drain (1,594,000), "
    "idols (947,000): scenes and meshes are not published",
    "rigid bodies (3,500,000) and deformable bodies (750,000) that the liquid moves: not possible yet"};

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The heavier of two liquids on top, ten times as dense, in a closed box.
static spate_result create_layers(spate_world **world, const bench_options *options, spate_error *error)
{
	uint32_t cells = options->quick ? 8 : 100;
	double spacing = 1.0 / cells;
	spate_fluid_def fluids[2] = {spate_default_fluid_def(), spate_default_fluid_def()};
	spate_source_def fills[2] = {spate_default_source_def(), spate_default_source_def()};
	for (uint32_t k = 0; k < 2; k++)
	{
		fluids[k].name = k ? "light" : "heavy";
		fluids[k].spacing = spacing;
		fluids[k].density = k ? 100.0 : 1000.0;
		fluids[k].surface_tension = 0.0;
		fills[k].fluid = k;
		fills[k].jitter = 0.02;
		fills[k].shape = (spate_shape){
		    .type = SPATE_SHAPE_BOX, .a = {0.0, k ? 0.0 : 0.5, 0.0}, .b = {1.0, k ? 0.5 : 1.0, 0.5}};
	}
	spate_collider_def box = spate_default_collider_def();
	box.mode = SPATE_COLLIDER_INSIDE;
	box.shape = (spate_shape){.type = SPATE_SHAPE_BOX, .b = {1.0, 1.0, 0.5}};
	spate_world_def def = spate_default_world_def();
	def.fluids = fluids;
	def.sources = fills;
	def.colliders = &box;
	def.fluid_count = def.source_count = 2;
	def.collider_count = 1;
	def.fps = 62.5;
	def.threads = options->threads;
	bench_choose_solver(options, &def.solver);
	return spate_world_create(world, &def, error);
}

static spate_result create_dam(spate_world **world, const bench_options *options, spate_error *error)
{
	static const uint32_t full[3] = {100, 100, 100}, quick[3] = {8, 8, 8};
	dam_break d;
	dam_break_init(&d, options->quick ? quick : full);
	d.world.fps = 62.5;
	d.world.threads = options->threads;
	bench_choose_solver(options, &d.world.solver);
	return spate_world_create(world, &d.world, error);
}

static spate_result run_frame(spate_world *world, table_row *row, spate_error *error)
{
	uint32_t frame = spate_world_stats(world)->frame;
	spate_result result = SPATE_OK;
	while (result == SPATE_OK && spate_world_stats(world)->frame == frame)
	{
		result = spate_world_step(world, NULL, error);
		const spate_step_stats *s = spate_world_stats(world);
		row->particles = s->particles;
		row->substeps_16ms += 1.0;
		row->iterations += s->iterations;
		row->density_error += s->density_error_avg;
	}
	return result;
}

static spate_result measure(table_row *row,
			    spate_result (*create)(spate_world **world, const bench_options *options,
						   spate_error *error),
			    const bench_options *options, spate_error *error)
{
	spate_world *world = NULL;
	table_row unused = {0};
	stopwatch start = {0}, wall = {0};
	uint64_t before = mem_reset_peak();
	stopwatch_start(&start);
	spate_result result = create(&world, options, error);
	stopwatch_stop(&start);
	for (int k = 0; k < WARM_UP && result == SPATE_OK; k++)
		result = run_frame(world, &unused, error);
	double cpu = cpu_seconds();
	stopwatch_start(&wall);
	for (int k = 0; k < FRAMES && result == SPATE_OK; k++)
		result = run_frame(world, row, error);
	stopwatch_stop(&wall);
	cpu = cpu_seconds() - cpu;
	if (result == SPATE_OK && row->substeps_16ms > 0.0)
	{
		row->start_us = 1e-3 * stopwatch_ns_per(&start, row->particles);
		row->ns_16ms = stopwatch_ns_per(&wall, row->particles) / FRAMES;
		row->cpu_ns_16ms = 1e9 * cpu / row->particles / FRAMES;
		row->iterations /= row->substeps_16ms;
		row->density_error /= row->substeps_16ms;
		row->substeps_16ms /= FRAMES;
		row->bytes = (double)(mem_get_stats().peak - before) / row->particles;
	}
	spate_world_destroy(world);
	return result;
}

static void print_published(double value)
{
	if (value > 0.0)
		printf(" %9.0f", value);
	else
		printf(" %9s", "-");
}

static void print_table(const table_row rows[ROWS])
{
	printf("%16s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "", "particles", "ns", "published", "CPU ns",
	       "substeps", "rounds", "bytes", "published", "error %", "start us");
	for (int k = 0; k < ROWS; k++)
	{
		const table_row *r = &rows[k];
		printf("%16s %9u %9.0f", r->name, r->particles, r->ns_16ms);
		print_published(r->published_ns);
		printf(" %9.0f %9.1f %9.1f %9.0f", r->cpu_ns_16ms, r->substeps_16ms, r->iterations, r->bytes);
		print_published(r->published_bytes);
		printf(" %9.3f %9.2f\n", 100.0 * r->density_error, r->start_us);
	}
	printf(
	    "\nns, bytes and start per particle, ns for 16 ms; rounds: iterations of the solver per substep; published values are those of a GPU. Targets: %.0f ns, %.0f bytes, "
	    "start %.0f us.\nNot measured:\n",
	    target_ns, target_bytes, target_start_us);
	for (size_t k = 0; k < sizeof not_measured / sizeof *not_measured; k++)
		printf("  %s\n", not_measured[k]);
}

static void print_json(const table_row rows[ROWS])
{
	printf(",\"rows\":[");
	for (int k = 0; k < ROWS; k++)
	{
		const table_row *r = &rows[k];
		printf(
		    "%s{\"scene\":\"%s\",\"particles\":%u,\"ns_16ms\":%.4g,\"target_ns_16ms\":%.4g,\"cpu_ns_16ms\":%.4g,"
		    "\"substeps_16ms\":%.4g,\"iterations\":%.4g,\"bytes_per_particle\":%.4g,\"target_bytes\":%.4g,"
		    "\"density_error\":%.4g,\"start_us\":%.4g,\"target_start_us\":%.4g",
		    k ? "," : "", r->name, r->particles, r->ns_16ms, target_ns, r->cpu_ns_16ms, r->substeps_16ms,
		    r->iterations, r->bytes, target_bytes, r->density_error, r->start_us, target_start_us);
		if (r->published_ns > 0.0)
			printf(",\"published_ns_16ms\":%.4g,\"published_bytes\":%.4g", r->published_ns,
			       r->published_bytes);
		printf("}");
	}
	printf("],\"not_measured\":[");
	for (size_t k = 0; k < sizeof not_measured / sizeof *not_measured; k++)
		printf("%s\"%s\"", k ? "," : "", not_measured[k]);
	puts("]}");
}

spate_result bench_table1(const bench_options *options, spate_error *error)
{
	// 364 ms and 574 MB for 500,000 particles
	table_row rows[ROWS] = {{.name = "rayleigh_taylor", .published_ns = 728.0, .published_bytes = 1148.0},
				{.name = "dam_break"}};
	bench_progress(options, "two liquids, the heavier on top");
	spate_result result = measure(&rows[0], create_layers, options, error);
	bench_progress(options, "a dam break");
	if (result == SPATE_OK)
		result = measure(&rows[1], create_dam, options, error);
	bench_progress_end(options);
	if (result != SPATE_OK)
		return result;
	bench_print_head(options, "table1", "frames 5 and 6 of 16 ms, each once");
	(options->json ? print_json : print_table)(rows);
	return SPATE_OK;
}
