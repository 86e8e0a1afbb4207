// spate bench export: writing particles in every format that holds them, and as fields.
//
// Files go to a file system in memory, where syncing is free. The particles are those of a full box: a lattice that is shaken a little, with
// id, velocity, density and radius.
#define _GNU_SOURCE
#include "base/error.h"
#include "base/memory.h"
#include "bench/bench.h"
#include "export/mesh_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
	FULL_EDGE = 100, // particles
	QUICK_EDGE = 12,
	MOST_CASES = 64,
	MOST_SLOW_RUNS = 2 // of fields and text, which take seconds
};

static const double spacing = 0.01; // m

typedef struct export_case
{
	const char *format, *as;
	int threads;
	double ms, bytes; // bytes per particle
} export_case;

typedef struct report
{
	uint32_t particles;
	export_case cases[MOST_CASES];
	int count;
} report;

// A number from 0 to 1 that depends on n alone.
static float shaken(uint64_t n)
{
	n = (n + 1) * 0x9e3779b97f4a7c15u;
	n = (n ^ n >> 29) * 0xbf58476d1ce4e5b9u;
	return (float)(n >> 40) * 0x1p-24f;
}

static spate_result fill_table(particle_table *table, uint32_t edge, spate_error *error)
{
	void *ids, *velocities, *densities, *radii;
	*table = (particle_table){.count = edge * edge * edge, .frame = 1};
	table->positions = mem_alloc(3 * sizeof(float) * table->count);
	spate_result result = table->positions ? SPATE_OK : error_memory(error, 3 * sizeof(float) * table->count);
	if (result == SPATE_OK)
		result = particle_table_add(table, "id", SPATE_INT64, &ids, error);
	if (result == SPATE_OK)
		result = particle_table_add(table, "velocity", SPATE_VEC3, &velocities, error);
	if (result == SPATE_OK)
		result = particle_table_add(table, "density", SPATE_FLOAT, &densities, error);
	if (result == SPATE_OK)
		result = particle_table_add(table, "radius", SPATE_FLOAT, &radii, error);
	for (uint32_t i = 0; i < table->count && result == SPATE_OK; i++)
	{
		const uint32_t at[3] = {i / (edge * edge), i / edge % edge, i % edge};
		for (uint32_t k = 0; k < 3; k++)
		{
			float shift = 0.3f * (shaken(6 * (uint64_t)i + k) - 0.5f);
			table->positions[3 * i + k] = (float)spacing * ((float)at[k] + shift);
			((float *)velocities)[3 * i + k] = shaken(6 * (uint64_t)i + 3 + k) - 0.5f;
		}
		((int64_t *)ids)[i] = i;
		((float *)densities)[i] = 1000.0f + shaken(7 * (uint64_t)i);
		((float *)radii)[i] = (float)(0.5 * spacing);
	}
	return result;
}

static spate_result write_case(particle_table *table, export_case *own, const char *folder,
			       const bench_options *options, spate_error *error)
{
	char path[1100];
	const file_extras extras = {
	    .frame = 1, .time = 0.04, .fps = 24.0, .note = "", .cell = 0.75 * spacing, .threads = own->threads};
	int points = strcmp(own->as, "points") == 0, slow = !points || strcmp(own->format, "csv") == 0;
	int runs = slow && options->runs > MOST_SLOW_RUNS ? MOST_SLOW_RUNS : options->runs;
	stopwatch watch = {0};
	struct stat status = {0};
	spate_result result = SPATE_OK;
	snprintf(path, sizeof path, "%s/particles.%s", folder, own->format);
	bench_progress(options, "%u particles as %s in .%s, threads %d", table->count, own->as, own->format,
		       own->threads);
	for (int run = 0; run < runs && result == SPATE_OK; run++)
	{
		stopwatch_start(&watch);
		result = points ? particles_write(table, &extras, path, error)
				: field_write(NULL, table, &extras, path, error);
		stopwatch_stop(&watch);
	}
	if (result == SPATE_OK && stat(path, &status) == 0)
		own->bytes = (double)status.st_size / table->count;
	own->ms = 1e3 * watch.best;
	unlink(path);
	return result;
}

static spate_result measure(report *r, particle_table *table, const char *folder, const bench_options *options,
			    spate_error *error)
{
	int threads[2], thread_cases = bench_thread_counts(options, threads);
	const spate_format *format;
	spate_result result = SPATE_OK;
	for (uint32_t n = 0; (format = spate_format_at(n)) && result == SPATE_OK; n++)
		for (int t = 0; t < thread_cases && result == SPATE_OK; t++)
			for (int fields = 0; fields < 2 && result == SPATE_OK; fields++)
			{
				uint32_t content = fields ? SPATE_FORMAT_FIELD : SPATE_FORMAT_PARTICLES;
				if (!(format->writes & content) || r->count == MOST_CASES)
					continue;
				export_case *own = &r->cases[r->count];
				*own = (export_case){format->name, fields ? "fog" : "points", threads[t], 0.0, 0.0};
				result = write_case(table, own, folder, options, error);
				// a build without OpenVDB measures what it has
				if (result == SPATE_MISSING)
					result = SPATE_OK;
				else
					r->count++;
			}
	return result;
}

static void print_table(const report *r)
{
	printf(
	    "%u particles: id, position, velocity, density, radius\n  format       as  threads       ms  bytes per particle\n",
	    r->particles);
	for (int c = 0; c < r->count; c++)
		printf("%8s %8s %8d %8.1f %19.1f\n", r->cases[c].format, r->cases[c].as, r->cases[c].threads,
		       r->cases[c].ms, r->cases[c].bytes);
}

static void print_json(const report *r)
{
	printf(",\"rows\":[");
	for (int c = 0; c < r->count; c++)
		printf("%s{\"particles\":%u,\"format\":\"%s\",\"as\":\"%s\",\"threads\":%d,\"ms_write\":%.4g,"
		       "\"bytes_per_particle\":%.4g}",
		       c ? "," : "", r->particles, r->cases[c].format, r->cases[c].as, r->cases[c].threads,
		       r->cases[c].ms, r->cases[c].bytes);
	puts("]}");
}

spate_result bench_export(const bench_options *options, spate_error *error)
{
	report r = {0};
	particle_table table = {.frame = -1};
	const char *temporary = getenv("TMPDIR");
	temporary = temporary && *temporary ? temporary : "/tmp";
	char folder[1024];
	snprintf(folder, sizeof folder, "%s/spate-bench-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : temporary);
	if (!mkdtemp(folder))
		return error_set(error, SPATE_IO, "cannot make a directory %s: %s", folder, strerror(errno));
	spate_result result = fill_table(&table, options->quick ? QUICK_EDGE : FULL_EDGE, error);
	r.particles = table.count;
	if (result == SPATE_OK)
		result = measure(&r, &table, folder, options, error);
	particle_table_free(&table);
	rmdir(folder);
	bench_progress_end(options);
	if (result != SPATE_OK)
		return result;
	bench_print_head(options, "export", "a full box of particles, file system in memory");
	(options->json ? print_json : print_table)(&r);
	return SPATE_OK;
}
