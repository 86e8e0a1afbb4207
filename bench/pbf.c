// spate bench pbf: the position-based solver on evolved dam breaks of several sizes.
//
//	stages     each one separately
//	iteration  one density pass, one correction pass, contacts
//	step       sort + list + 4 iterations + one round of XSPH
//	substep    everything that the world does in a step, including sources and statistics
//	16 ms      as many steps as normal quality takes for 16 ms of this liquid
//
// A plain scalar implementation computes the same step from the same state; both must agree in the density error.
#include "base/error.h"
#include "bench/dam_break.h"
#include "bench/machine.h"
#include "bench/pbf_stages.h"
#include "bench/scalar_pbf.h"
#include "solver/pbf_work.h"

#include <stdio.h>

enum
{
	SIZES = 3,
	MOST_ROWS = 2 * SIZES,
	ITERATIONS = 4,
	SCALAR_PARTICLES = 2000000 // the scalar step is repeated until it has processed this many particles
};

static const dam_break_size full_sizes[SIZES] = {{{50, 50, 40}, 0}, {{50, 50, 50}, 1}, {{50, 50, 25}, 2}};
static const dam_break_size quick_sizes[SIZES] = {{{10, 10, 8}, 0}, {{8, 8, 8}, 1}, {{6, 6, 5}, 2}};

static const double frame_seconds = 0.016, allowed_difference = 0.02;

typedef struct pbf_case
{
	uint32_t particles;
	int threads;
	double neighbours; // on average
	double entries;    // of the lists per particle: neighbours and padding
	pbf_stages stages;
	double ns_measure, ns_iteration;
	double ns_iteration_in_step; // a quarter of the cost of four more iterations
	double ns_step, ns_substep;
	double ns_scalar; // of the scalar step, always one thread
	int substeps;     // in 16 ms
	double bytes;     // per particle
	double error, scalar_error;
} pbf_case;

// ---------------------------------------------------------------------------------------------------------- measuring

static void set_iterations(spate_world *world, uint32_t iterations)
{
	double *own = world->model.def.solver.own;
	own[PBF_ITERATIONS] = own[PBF_MIN_ITERATIONS] = iterations;
}

typedef struct step_watches
{
	stopwatch solve, step, substep, measure;
} step_watches;

// Steps of the world with a fixed number of iterations.
static spate_result time_steps(spate_world *world, uint32_t iterations, int runs, step_watches *watches,
			       spate_error *error)
{
	set_iterations(world, iterations);
	spate_result result = SPATE_OK;
	// the first run allocates memory, and distributes the rows to the caches of these threads
	for (int run = -1; run < runs && result == SPATE_OK; run++)
	{
		result = spate_world_step(world, NULL, error);
		const spate_step_stats *s = spate_world_stats(world);
		if (run < 0)
			continue;
		double step = s->ms_sort + s->ms_neighbours + s->ms_solve;
		stopwatch_add(&watches->solve, 1e-3 * s->ms_solve);
		stopwatch_add(&watches->step, 1e-3 * step);
		stopwatch_add(&watches->measure, 1e-3 * s->ms_measure);
		stopwatch_add(&watches->substep, 1e-3 * (step + s->ms_sources + s->ms_measure));
	}
	return result;
}

// Times the scalar step. Both implementations start from the same state.
static spate_result time_scalar(spate_world *world, const bench_options *options, double *ns, pbf_case *out,
				spate_error *error)
{
	set_iterations(world, ITERATIONS);
	store_compact(world->state.store, world->model.threads);
	uint32_t particles = world->state.store->rows;
	scalar_pbf *scalar = scalar_pbf_create(world);
	if (!scalar)
		return error_memory(error, (size_t)particles * 160);
	int last, runs = SCALAR_PARTICLES / (int)particles;
	runs = runs < 1 ? 1 : runs > options->runs ? options->runs : runs;
	step_view view = world_view(world, 0.0);
	double dt = world_choose_dt(world, &last), acceleration = pbf_quality_of(&view).acceleration;
	stopwatch watch = {0};
	for (int run = 0; run < runs; run++)
	{
		scalar_pbf_load(scalar);
		stopwatch_start(&watch);
		out->scalar_error = scalar_pbf_step(scalar, (float)dt, ITERATIONS, acceleration);
		stopwatch_stop(&watch);
	}
	scalar_pbf_destroy(scalar);
	*ns = stopwatch_ns_per(&watch, particles);
	spate_result result = spate_world_step(world, NULL, error);
	if (result != SPATE_OK)
		return result;
	out->error = world->state.counters.error; // of the last iteration, as the scalar one has it
	if (fabs(out->scalar_error - out->error) > allowed_difference * out->error)
		return error_set(error, SPATE_INVALID,
				 "the scalar step leaves a density error of %g, the solver's one of %g",
				 out->scalar_error, out->error);
	return SPATE_OK;
}

static spate_result measure_threads(spate_world *world, const bench_options *options, pbf_case *out, spate_error *error)
{
	step_watches four = {0}, eight = {0};
	spate_world_set_threads(world, out->threads);
	spate_result result = time_steps(world, ITERATIONS, options->runs, &four, error);
	int last;
	double dt = result == SPATE_OK ? world_choose_dt(world, &last) : frame_seconds;
	if (result == SPATE_OK)
		result = time_steps(world, 2 * ITERATIONS, options->runs, &eight, error);
	if (result != SPATE_OK)
		return result;
	uint32_t count = out->particles = spate_store_count(world->state.store);
	out->neighbours = spate_world_stats(world)->neighbours_avg;
	out->bytes = (double)spate_world_bytes(world) / count;
	out->substeps = (int)ceil(frame_seconds / dt - 1e-9);
	out->ns_measure = stopwatch_ns_per(&four.measure, count);
	out->ns_step = stopwatch_ns_per(&four.step, count);
	out->ns_substep = stopwatch_ns_per(&four.substep, count);
	out->ns_iteration_in_step =
	    (stopwatch_ns_per(&eight.solve, count) - stopwatch_ns_per(&four.solve, count)) / ITERATIONS;
	return SPATE_OK;
}

static spate_result measure_size(const dam_break_size *size, const bench_options *options, pbf_case *cases, int *count,
				 spate_error *error)
{
	spate_world *world = NULL;
	int threads[2], thread_cases = bench_thread_counts(options, threads);
	double ns_scalar = 0.0;
	pbf_case common = {0};
	spate_result result = dam_break_evolve(&world, size, options, error);
	if (result == SPATE_OK)
	{
		bench_progress(options, "plain scalar steps of %u particles", dam_break_particles(size));
		result = time_scalar(world, options, &ns_scalar, &common, error);
	}
	for (int t = 0; t < thread_cases && result == SPATE_OK; t++)
	{
		bench_progress(options, "steps of %u particles, threads %d", dam_break_particles(size), threads[t]);
		pbf_case *own = &cases[*count + t];
		*own = common;
		own->threads = threads[t];
		own->ns_scalar = ns_scalar;
		result = measure_threads(world, options, own, error);
	}
	// last, because the world is unusable afterwards
	for (int t = 0; t < thread_cases && result == SPATE_OK; t++)
	{
		pbf_case *own = &cases[*count + t];
		spate_world_set_threads(world, threads[t]);
		result = pbf_stages_measure(world, options, &own->stages, error);
		uint64_t entries = 0;
		for (uint32_t slice = 0; slice < world->work.list.slice_count; slice++)
			entries += 8 * (uint64_t)world->work.list.slice_length.data[slice];
		own->entries = (double)entries / world->work.list.count;
		own->ns_iteration = own->stages.densities + own->stages.corrections + own->stages.contacts;
	}
	*count += thread_cases;
	spate_world_destroy(world);
	return result;
}

// ----------------------------------------------------------------------------------------------------------- printing

static void print_tables(const pbf_case *cases, int count, const machine_limits *limits, int limit_count)
{
	puts(
	    "stages, ns per particle (the map is part of the sort)\n"
	    "  particles  threads     sort      map  permute     list approach   mirror  multipl. densit.  correct. contacts     xsph"
	    "  measure");
	for (int c = 0; c < count; c++)
	{
		const pbf_stages *s = &cases[c].stages;
		printf("%11u %8d %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %9.2f %8.2f %9.2f %8.2f %8.2f %8.2f\n",
		       cases[c].particles, cases[c].threads, s->sort, s->map, s->permute, s->list, s->approach,
		       s->mirror, s->multipliers, s->densities, s->corrections, s->contacts, s->xsph,
		       cases[c].ns_measure);
	}
	puts(
	    "\nsteps (sort, list, 4 iterations, one XSPH round), ns per particle; the scalar step always takes one thread\n"
	    "  particles  threads  iteration  in a step     step  substep    16 ms (steps)   scalar  speedup"
	    "  bytes/particle  neighbours  density error (scalar)");
	for (int c = 0; c < count; c++)
	{
		const pbf_case *p = &cases[c];
		printf("%11u %8d %10.2f %10.2f %8.1f %8.1f %8.0f %7d %8.0f %8.1f %15.1f %11.1f %9.4f %% (%.4f %%)\n",
		       p->particles, p->threads, p->ns_iteration, p->ns_iteration_in_step, p->ns_step, p->ns_substep,
		       p->substeps * p->ns_substep, p->substeps, p->ns_scalar, p->ns_scalar / p->ns_step, p->bytes,
		       p->neighbours, 100.0 * p->error, 100.0 * p->scalar_error);
	}
	puts("\nthe machine at its best\n  threads  copying GB/s  fused multiply-adds Gflop/s");
	for (int k = 0; k < limit_count; k++)
		printf("%9d %13.1f %28.0f\n", limits[k].threads, limits[k].copy, limits[k].gflops);
}

static void print_json(const pbf_case *cases, int count, const machine_limits *limits, int limit_count)
{
	printf(",\"machine\":[");
	for (int k = 0; k < limit_count; k++)
		printf("%s{\"threads\":%d,\"copy_gb_per_s\":%.4g,\"gflop_per_s\":%.4g}", k ? "," : "",
		       limits[k].threads, limits[k].copy, limits[k].gflops);
	printf("],\"rows\":[");
	for (int c = 0; c < count; c++)
	{
		const pbf_case *p = &cases[c];
		printf(
		    "%s{\"particles\":%u,\"threads\":%d,\"ns_iteration\":%.4g,\"ns_step\":%.4g,\"bytes_per_particle\":%.4g,"
		    "\"speedup_vs_scalar\":%.4g,\"ns_iteration_in_step\":%.4g,\"ns_substep\":%.4g,\"ns_16ms\":%.4g,"
		    "\"substeps_16ms\":%d,\"ns_scalar_step\":%.4g,\"neighbours_avg\":%.4g,\"density_error\":%.4g,"
		    "\"density_error_scalar\":%.4g,\"list_entries\":%.4g,\"ns_measure\":%.4g",
		    c ? "," : "", p->particles, p->threads, p->ns_iteration, p->ns_step, p->bytes,
		    p->ns_scalar / p->ns_step, p->ns_iteration_in_step, p->ns_substep, p->substeps * p->ns_substep,
		    p->substeps, p->ns_scalar, p->neighbours, p->error, p->scalar_error, p->entries, p->ns_measure);
#define X(name) printf(",\"ns_" #name "\":%.4g", p->stages.name);
		PBF_STAGE_MAP(X)
#undef X
		printf("}");
	}
	puts("]}");
}

spate_result bench_pbf(const bench_options *options, spate_error *error)
{
	pbf_case cases[MOST_ROWS] = {0};
	int count = 0;
	machine_limits limits[2];
	int threads[2], limit_count = bench_thread_counts(options, threads);
	spate_result result = SPATE_OK;
	for (int k = 0; k < limit_count && result == SPATE_OK; k++)
		result = machine_measure(options, threads[k], &limits[k], error);
	for (int c = 0; c < SIZES && result == SPATE_OK; c++)
		result = measure_size(options->quick ? &quick_sizes[c] : &full_sizes[c], options, cases, &count, error);
	bench_progress_end(options);
	if (result != SPATE_OK)
		return result;
	bench_print_head(options, "pbf", "evolved dam breaks, one fluid without surface tension, radius 2 spacings");
	(options->json ? print_json : print_tables)(cases, count, limits, limit_count);
	return SPATE_OK;
}
