// spate bench surface: meshing the particles of an evolved dam break, stage by stage, and the same with OpenVDB.
#include "spate/surface.h"

#include "base/error.h"
#include "base/memory.h"
#include "bench/dam_break.h"
#include "bridge/vdb.h"
#include "bridge/vdb_surface.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

enum
{
	SIZES = 2,
	CELLS = 2,
	MOST_CASES = 2 * SIZES * CELLS
};

static const dam_break_size full_sizes[SIZES] = {{{50, 50, 50}, 1}, {{50, 50, 25}, 2}};
static const dam_break_size quick_sizes[SIZES] = {{{10, 10, 8}, 0}, {{6, 6, 5}, 1}};
static const double cells[CELLS] = {0.75, 0.5}; // spacings

typedef struct surface_case
{
	uint32_t particles;
	int threads;
	double cell;
	// best of all runs, s
	stopwatch search, blocks, field, contour, smooth, rest, all, core;
	stopwatch vdb_level_set, vdb_mesh, vdb;
	spate_surface_stats stats;
	vdb_surface_times vdb_result;
	double bytes; // peak memory per particle
} surface_case;

// Copy of the particles: their world is destroyed before they are meshed.
typedef struct surface_particles
{
	uint32_t count;
	float *positions, *velocities; // 3 each
	double spacing;
} surface_particles;

static void free_particles(surface_particles *p)
{
	mem_free(p->positions);
	mem_free(p->velocities);
	*p = (surface_particles){0};
}

static spate_result take_particles(surface_particles *out, spate_world *world, spate_error *error)
{
	const spate_store *store = world->state.store;
	size_t bytes = ((size_t)store->rows + 1) * 3 * sizeof(float);
	*out = (surface_particles){.count = store->rows, .spacing = (double)world->model.spacing};
	out->positions = mem_alloc(bytes);
	out->velocities = mem_alloc(bytes);
	if (!out->positions || !out->velocities)
		return error_memory(error, 2 * bytes);
	for (size_t i = 0; i < out->count; i++)
	{
		memcpy(out->positions + 3 * i, &store->position[i], 3 * sizeof(float));
		memcpy(out->velocities + 3 * i, &store->velocity[i], 3 * sizeof(float));
	}
	return SPATE_OK;
}

static spate_result mesh_once(const surface_particles *p, surface_case *c, spate_error *error)
{
	spate_surface_channel velocity = {.name = "velocity", .components = 3, .values = p->velocities};
	spate_surface_input input = {.count = p->count,
				     .positions = p->positions,
				     .spacing = p->spacing,
				     .channels = &velocity,
				     .channel_count = 1};
	spate_surface_def def = spate_default_surface_def();
	def.cell = c->cell;
	def.threads = c->threads;
	spate_mesh *mesh = NULL;
	uint64_t before = mem_reset_peak();
	spate_result result = spate_surface_create_mesh(&mesh, &input, &def, &c->stats, error);
	spate_mesh_destroy(mesh);
	if (result != SPATE_OK)
		return result;
	const spate_surface_stats *s = &c->stats;
	double core = s->sort + s->weights + s->blocks_time + s->field + s->contour;
	c->bytes = (double)(mem_get_stats().peak - before) / p->count;
	stopwatch_add(&c->search, s->sort + s->weights);
	stopwatch_add(&c->blocks, s->blocks_time);
	stopwatch_add(&c->field, s->field);
	stopwatch_add(&c->contour, s->contour);
	stopwatch_add(&c->smooth, s->smooth);
	stopwatch_add(&c->core, core);
	stopwatch_add(&c->rest, s->total - core - s->smooth);
	stopwatch_add(&c->all, s->total);
	return SPATE_OK;
}

static spate_result vdb_once(const surface_particles *p, surface_case *c, spate_error *error)
{
	spate_result result = vdb_time_surface(p->positions, p->count, 3, p->spacing, c->cell * p->spacing, c->threads,
					       &c->vdb_result, error);
	stopwatch_add(&c->vdb_level_set, c->vdb_result.level_set);
	stopwatch_add(&c->vdb_mesh, c->vdb_result.mesh);
	stopwatch_add(&c->vdb, c->vdb_result.level_set + c->vdb_result.mesh);
	return result;
}

// Runs alternate, so that both are measured under the same conditions.
static spate_result measure_case(const surface_particles *p, const bench_options *options, surface_case *c,
				 spate_error *error)
{
	spate_result result = SPATE_OK;
	bench_progress(options, "surfaces of %u particles, cells of %g, threads %d", p->count, c->cell, c->threads);
	for (int run = 0; run < options->runs && result == SPATE_OK; run++)
	{
		result = mesh_once(p, c, error);
		if (result == SPATE_OK && vdb_available())
			result = vdb_once(p, c, error);
	}
	return result;
}

static spate_result measure_size(const dam_break_size *size, const bench_options *options, surface_case *cases,
				 int *count, spate_error *error)
{
	spate_world *world = NULL;
	surface_particles particles = {0};
	int threads[2], thread_cases = bench_thread_counts(options, threads);
	spate_result result = dam_break_evolve(&world, size, options, error);
	if (result == SPATE_OK)
	{
		store_compact(world->state.store, options->threads);
		result = take_particles(&particles, world, error);
	}
	spate_world_destroy(world);
	for (int k = 0; k < CELLS; k++)
		for (int t = 0; t < thread_cases && result == SPATE_OK; t++)
		{
			surface_case *own = &cases[(*count)++];
			*own = (surface_case){.particles = particles.count, .threads = threads[t], .cell = cells[k]};
			result = measure_case(&particles, options, own, error);
		}
	free_particles(&particles);
	return result;
}

// -------------------------------------------------------------------------------------------------------------- printing

static void print_table(const surface_case *cases, int count)
{
	puts(
	    "method density, five rounds of smoothing, normals and velocity; ns per particle\n"
	    "  particles  cell  threads   search  blocks   field  contour  smooth    rest      all   seconds  triangles  "
	    "bytes/particle");
	for (int i = 0; i < count; i++)
	{
		const surface_case *c = &cases[i];
		uint32_t n = c->particles;
		printf("%11u %5.2f %8d %8.1f %7.1f %7.1f %8.1f %7.1f %7.1f %8.1f %9.3f %10u %15.1f\n", n, c->cell,
		       c->threads, stopwatch_ns_per(&c->search, n), stopwatch_ns_per(&c->blocks, n),
		       stopwatch_ns_per(&c->field, n), stopwatch_ns_per(&c->contour, n),
		       stopwatch_ns_per(&c->smooth, n), stopwatch_ns_per(&c->rest, n), stopwatch_ns_per(&c->all, n),
		       c->all.best, c->stats.triangles, c->bytes);
	}
	if (!vdb_available())
		return;
	puts(
	    "\nOpenVDB, balls of a spacing's radius; ns per particle; the ratio is to search, blocks, field and contour\n"
	    "  particles  cell  threads  level set     mesh      all   seconds  triangles   ratio");
	for (int i = 0; i < count; i++)
	{
		const surface_case *c = &cases[i];
		uint32_t n = c->particles;
		printf("%11u %5.2f %8d %10.1f %8.1f %8.1f %9.3f %10llu %7.1f\n", n, c->cell, c->threads,
		       stopwatch_ns_per(&c->vdb_level_set, n), stopwatch_ns_per(&c->vdb_mesh, n),
		       stopwatch_ns_per(&c->vdb, n), c->vdb.best, (unsigned long long)c->vdb_result.triangles,
		       c->vdb.best / c->core.best);
	}
}

static void print_json(const surface_case *cases, int count)
{
	printf(",\"rows\":[");
	for (int i = 0; i < count; i++)
	{
		const surface_case *c = &cases[i];
		uint32_t n = c->particles;
		printf(
		    "%s{\"particles\":%u,\"cell\":%g,\"threads\":%d,\"ns_search\":%.4g,\"ns_blocks\":%.4g,\"ns_field\":%.4g,"
		    "\"ns_contour\":%.4g,\"ns_smooth\":%.4g,\"ns_rest\":%.4g,\"ns_all\":%.4g,\"seconds\":%.4g,"
		    "\"triangles\":%u,\"bytes_per_particle\":%.4g",
		    i ? "," : "", n, c->cell, c->threads, stopwatch_ns_per(&c->search, n),
		    stopwatch_ns_per(&c->blocks, n), stopwatch_ns_per(&c->field, n), stopwatch_ns_per(&c->contour, n),
		    stopwatch_ns_per(&c->smooth, n), stopwatch_ns_per(&c->rest, n), stopwatch_ns_per(&c->all, n),
		    c->all.best, c->stats.triangles, c->bytes);
		if (vdb_available())
			printf(",\"ns_openvdb\":%.4g,\"ns_openvdb_level_set\":%.4g,\"ns_openvdb_mesh\":%.4g,"
			       "\"openvdb_triangles\":%llu,\"ratio_openvdb\":%.4g",
			       stopwatch_ns_per(&c->vdb, n), stopwatch_ns_per(&c->vdb_level_set, n),
			       stopwatch_ns_per(&c->vdb_mesh, n), (unsigned long long)c->vdb_result.triangles,
			       c->vdb.best / c->core.best);
		printf("}");
	}
	puts("]}");
}

spate_result bench_surface(const bench_options *options, spate_error *error)
{
	surface_case cases[MOST_CASES];
	int count = 0;
	spate_result result = SPATE_OK;
	for (int s = 0; s < SIZES && result == SPATE_OK; s++)
		result = measure_size(options->quick ? &quick_sizes[s] : &full_sizes[s], options, cases, &count, error);
	bench_progress_end(options);
	if (result != SPATE_OK)
		return result;
	bench_print_head(options, "surface", "evolved dam break");
	(options->json ? print_json : print_table)(cases, count);
	return SPATE_OK;
}
