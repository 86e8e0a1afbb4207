// spate bench collide: meshes as colliders.
//
//	samples  distance and gradient at points as dense as particles: of the field alone, and of colliders that stand still, rotate
//	         and deform
//	fields   building them, and loading them again from disk
//	frame    the next frame of a deforming mesh: reading it, building its field, updating its tree
//	contact  cost of mesh walls in a step of an evolved dam break whose tank is a mesh, too
#define _GNU_SOURCE
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "bench/dam_break.h"
#include "bench/pbf_stages.h"
#include "collider/field.h"
#include "tools/meshes/make.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double target_ns = 25.0, target_frame = 0.6, target_cached = 0.2, target_share = 0.15;

enum
{
	SOLIDS = 4, // kinds of samples
	FIELDS = 4, // sizes of fields
	FRAMES = 3  // of the deforming mesh
};

static const char *const solid_names[SOLIDS] = {"field", "static", "moving", "deforming"};

typedef struct sample_row
{
	const char *what;
	int threads;
	uint32_t points;
	double ns;
} sample_row;

typedef struct field_row
{
	uint32_t triangles;
	int threads;
	uint64_t voxels;
	double bytes;         // per active voxel
	double build, cached; // s
} field_row;

typedef struct frame_row
{
	uint32_t triangles;
	int threads;
	uint64_t voxels;
	double field, frame; // s
} frame_row;

typedef struct contact_row
{
	uint32_t particles;
	int threads;
	double step;    // ns per particle, of the world's step
	double contact; // part of `step` spent on walls
	uint32_t iterations;
	pbf_stages stages;
} contact_row;

typedef struct report
{
	sample_row samples[2 * SOLIDS];
	field_row fields[2 * FIELDS];
	frame_row frames[2];
	contact_row contacts[2];
	int sample_count, field_count, frame_count, contact_count;
	char folder[1024];
} report;

// ------------------------------------------------------------------------------------------------------------- material

// A bumpy ball of about `triangles` triangles; `grown` scales the height of the bumps.
static spate_result make_ball(spate_mesh **mesh, double radius, double triangles, double grown, spate_error *error)
{
	uint32_t rings = (uint32_t)fmax(4.0, round(0.5 * sqrt(triangles)));
	spate_result result = make_sphere(mesh, radius, 2 * rings, rings, error);
	for (uint32_t v = 0; result == SPATE_OK && v < (*mesh)->vertex_count; v++)
	{
		float *p = (*mesh)->positions + 3 * (size_t)v;
		double x = (double)p[0] / radius, y = (double)p[1] / radius, z = (double)p[2] / radius;
		double hill = 1.0 + 0.05 * grown * sin(9.0 * x) * sin(8.0 * y) * sin(7.0 * z);
		for (int k = 0; k < 3; k++)
			p[k] *= (float)hill;
	}
	return result;
}

// Settings with the cell size at which the field of a ball of radius 1 has about `voxels` active voxels.
static field_settings settings_for(double voxels)
{
	// a band of seven cells on each side, as for colliders
	float cell = (float)sqrt(4.0 * 3.14159265 * 14.0 * 1.07 / voxels);
	return (field_settings){.cell = cell, .band = 7.0f * cell, .signed_too = 1};
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status, (void)type, (void)walk;
	return remove(path);
}

static spate_result make_folder(report *r, spate_error *error)
{
	const char *temporary = getenv("TMPDIR");
	snprintf(r->folder, sizeof r->folder, "%s/spate-bench-XXXXXX", temporary && *temporary ? temporary : "/tmp");
	if (mkdtemp(r->folder))
		return SPATE_OK;
	spate_result result =
	    error_set(error, SPATE_IO, "cannot make the directory %s: %s", r->folder, strerror(errno));
	r->folder[0] = '\0';
	return result;
}

// -------------------------------------------------------------------------------------------------------------- samples

typedef struct sample_task
{
	const distance_field *field;
	const collider *solid; // NULL for the field alone
	const vec3 *points;
	vec4 *out;
} sample_task;

static void sample_field(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	sample_task *t = context;
	for (size_t k = begin; k < end; k++)
	{
		vec3 n;
		float distance = distance_field_sample(t->field, t->points[k], &n);
		t->out[k] = (vec4){n.x, n.y, n.z, distance};
	}
}

static void sample_solid(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	sample_task *t = context;
	const collider *own = t->solid;
	for (size_t k = begin; k < end; k++)
	{
		vec3 n, p = t->points[k];
		float distance = mesh_solid_slope(own->mesh, own->turned ? rigid_to_local(&own->now, p) : p, &n);
		if (own->turned)
			n = matrix_apply(own->now.rotation, n);
		t->out[k] = (vec4){n.x, n.y, n.z, distance};
	}
}

// Positions of particles within a kernel radius of a solid, in the order of a lattice whose spacing is two cells.
static spate_result find_points(const collider_set *set, float cell, vec3 **points, uint32_t *count, spate_error *error)
{
	int32_t side = (int32_t)(1.3f / (2.0f * cell));
	*points = NULL;
	for (int fill = 0; fill < 2; fill++)
	{
		uint32_t found = 0;
		for (int32_t z = -side; z <= side; z++)
			for (int32_t y = -side; y <= side; y++)
				for (int32_t x = -side; x <= side; x++)
				{
					vec3 p = {2.0f * cell * (float)x, 2.0f * cell * (float)y,
						  2.0f * cell * (float)z};
					p.x += 0.4f * cell * sinf((float)(x + 3 * y + 7 * z));
					float distance = collider_set_distance(set, p);
					if (distance < 0.0f || distance > 4.0f * cell)
						continue;
					if (fill)
						(*points)[found] = p;
					found++;
				}
		*count = found;
		if (!fill && !(*points = mem_alloc((found + (size_t)1) * sizeof **points)))
			return error_memory(error, found * sizeof **points);
	}
	return SPATE_OK;
}

static spate_result time_samples(report *r, const bench_options *options, const char *what, sample_task *task,
				 uint32_t count, spate_error *error)
{
	int threads[2], thread_cases = bench_thread_counts(options, threads);
	task->out = mem_alloc((count + (size_t)1) * sizeof *task->out);
	if (!task->out)
		return error_memory(error, count * sizeof *task->out);
	for (int t = 0; t < thread_cases; t++)
	{
		stopwatch watch = {0};
		for (int run = -1; run < options->runs; run++)
		{
			stopwatch_start(&watch);
			parallel_for(threads[t], count, PARALLEL_BLOCK, task->solid ? sample_solid : sample_field,
				     task);
			if (run >= 0)
				stopwatch_stop(&watch);
		}
		r->samples[r->sample_count++] = (sample_row){what, threads[t], count, stopwatch_ns_per(&watch, count)};
	}
	mem_free(task->out);
	return SPATE_OK;
}

// A collider of a mesh or of a sequence, in the middle of a step.
static spate_result sample_collider(report *r, const bench_options *options, int kind, const spate_mesh *mesh,
				    const field_settings *settings, spate_error *error)
{
	const spate_keyframe keys[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {1, {0.1, 0, 0}, {10, 20, 30}, 1}};
	char path[1200];
	snprintf(path, sizeof path, "%s/ball.%%d.ply", r->folder);
	spate_collider_def def = spate_default_collider_def();
	def.mesh.cell = (double)settings->cell;
	def.mesh.band = (double)settings->band;
	if (kind == 3)
	{
		def.mesh.path = path;
		def.mesh.last = FRAMES;
	}
	else
		def.mesh.mesh = mesh;
	if (kind == 2)
		def.motion = (spate_motion){.keyframes = keys, .keyframe_count = 2};
	collider_world world = {
	    .fps = 1.0, .spacing = 2.0f * settings->cell, .radius = 4.0f * settings->cell, .threads = options->threads};
	collider_set set;
	spate_result result = collider_set_create(&set, &def, 1, &world, error);
	if (result == SPATE_OK)
		result = collider_set_move(&set, 0.45, 0.5, error);
	vec3 *points = NULL;
	uint32_t count = 0;
	if (result == SPATE_OK)
		result = find_points(&set, settings->cell, &points, &count, error);
	sample_task task = {.solid = set.colliders, .points = points};
	if (result == SPATE_OK)
		result = time_samples(r, options, solid_names[kind], &task, count, error);
	// the field alone, at the same points
	if (result == SPATE_OK && kind == 1)
	{
		distance_field *field = NULL;
		result = distance_field_create(&field, mesh, settings, options->threads, error);
		task = (sample_task){.field = field, .points = points};
		if (result == SPATE_OK)
			result = time_samples(r, options, solid_names[0], &task, count, error);
		distance_field_destroy(field);
	}
	mem_free(points);
	collider_set_destroy(&set);
	return result;
}

// ----------------------------------------------------------------------------------------------------- fields and frames

static spate_result measure_field(report *r, const bench_options *options, double triangles, double voxels,
				  spate_error *error)
{
	int threads[2], thread_cases = bench_thread_counts(options, threads);
	field_settings settings = settings_for(voxels);
	spate_mesh *mesh = NULL;
	spate_result result = make_ball(&mesh, 1.0, triangles, 1.0, error);
	for (int t = 0; t < thread_cases && result == SPATE_OK; t++)
	{
		bench_progress(options, "building a field of %u triangles, threads %d", mesh->triangle_count,
			       threads[t]);
		field_row *row = &r->fields[r->field_count++];
		stopwatch build = {0}, cached = {0};
		for (int run = 0; run < options->runs && result == SPATE_OK; run++)
		{
			distance_field *field = NULL;
			stopwatch_start(&build);
			result = distance_field_create(&field, mesh, &settings, threads[t], error);
			stopwatch_stop(&build);
			if (result != SPATE_OK)
				break;
			const field_info *info = distance_field_info(field);
			row->voxels = info->voxels;
			row->bytes = (double)info->bytes / (double)info->voxels;
			distance_field_destroy(field);
		}
		// the first fetch writes the file that the others read
		for (int run = -1; run < options->runs && result == SPATE_OK; run++)
		{
			distance_field *field = NULL;
			int found = 0;
			stopwatch_start(&cached);
			result = distance_field_fetch(&field, mesh, &settings, r->folder, threads[t], &found, error);
			if (found)
				stopwatch_stop(&cached);
			distance_field_destroy(field);
		}
		row->triangles = mesh->triangle_count;
		row->threads = threads[t];
		row->build = build.best;
		row->cached = cached.best;
		if (result == SPATE_OK && cached.runs == 0)
			result = error_set(error, SPATE_INVALID, "a stored field was not found again in %s", r->folder);
	}
	spate_mesh_destroy(mesh);
	return result;
}

static spate_result write_frames(report *r, double triangles, spate_error *error)
{
	spate_result result = SPATE_OK;
	for (int f = 1; f <= FRAMES && result == SPATE_OK; f++)
	{
		spate_mesh *mesh = NULL;
		char path[1200];
		snprintf(path, sizeof path, "%s/ball.%d.ply", r->folder, f);
		result = make_ball(&mesh, 1.0, triangles, 0.8 + 0.1 * f, error);
		if (result == SPATE_OK)
			result = spate_mesh_write(mesh, path, error);
		spate_mesh_destroy(mesh);
	}
	return result;
}

// A step into the next frame reads one file and builds one field.
static spate_result measure_frame(report *r, const bench_options *options, int threads, double voxels,
				  spate_error *error)
{
	bench_progress(options, "frames of a deforming mesh, threads %d", threads);
	char path[1200];
	snprintf(path, sizeof path, "%s/ball.%%d.ply", r->folder);
	field_settings settings = settings_for(voxels);
	spate_mesh_def def = spate_default_collider_def().mesh;
	def.path = path;
	def.last = FRAMES;
	def.cell = (double)settings.cell;
	def.band = (double)settings.band;
	collider_world world = {
	    .fps = 1.0, .spacing = 2.0f * settings.cell, .radius = 4.0f * settings.cell, .threads = threads};
	stopwatch frame = {0}, field = {0};
	frame_row *row = &r->frames[r->frame_count++];
	row->threads = threads;
	spate_result result = SPATE_OK;
	for (int run = 0; run < options->runs && result == SPATE_OK; run++)
	{
		mesh_solid *solid = NULL;
		result = mesh_solid_create(&solid, &def, SPATE_COLLIDER_OUTSIDE, &world, error);
		stopwatch_start(&frame);
		if (result == SPATE_OK)
			result = mesh_solid_move(solid, 0.9, 1.1, error);
		stopwatch_stop(&frame);
		distance_field *own = NULL;
		stopwatch_start(&field);
		if (result == SPATE_OK)
			result = distance_field_create(&own, mesh_solid_mesh(solid), &settings, threads, error);
		stopwatch_stop(&field);
		if (result == SPATE_OK)
		{
			row->triangles = mesh_solid_mesh(solid)->triangle_count;
			row->voxels = distance_field_info(own)->voxels;
		}
		distance_field_destroy(own);
		mesh_solid_destroy(solid);
	}
	row->field = field.best;
	row->frame = frame.best;
	return result;
}

// -------------------------------------------------------------------------------------------------------------- contact

// Time of the best whole step with the settings of the quality, and its number of iterations.
static spate_result time_step(spate_world *w, const bench_options *options, contact_row *row, spate_error *error)
{
	spate_result result = SPATE_OK;
	double best = INFINITY;
	for (int run = -1; run < options->runs && result == SPATE_OK; run++)
	{
		result = spate_world_step(w, NULL, error);
		const spate_step_stats *s = spate_world_stats(w);
		double ms = s->ms_sources + s->ms_sort + s->ms_neighbours + s->ms_solve + s->ms_measure;
		// only steps that rebuild the lists; others do not sort or separate pairs
		if (run < 0 || ms >= best || !s->listed)
			continue;
		best = ms;
		row->iterations = s->iterations;
	}
	row->particles = spate_store_count(w->state.store);
	row->step = 1e6 * best / row->particles;
	return result;
}

static spate_result measure_contact(report *r, const bench_options *options, spate_error *error)
{
	dam_break_size size = {{50, 50, 50}, 1};
	if (options->quick)
		size = (dam_break_size){{10, 10, 10}, 1};
	spate_mesh *tank = NULL, *ball = NULL;
	spate_world *world = NULL;
	spate_result result = make_box(&tank, (const double[3]){2.0, 1.5, 1.0}, error);
	if (result == SPATE_OK)
		result = make_ball(&ball, 0.25, options->quick ? 2e3 : 5e4, 1.0, error);
	if (result == SPATE_OK)
		result = dam_break_evolve_meshes(&world, &size, tank, ball, options, error);
	if (result == SPATE_OK)
		world->model.def.solver.list_margin = 0.0; // every step rebuilds the lists
	int threads[2], thread_cases = bench_thread_counts(options, threads);
	for (int t = 0; t < thread_cases && result == SPATE_OK; t++)
	{
		bench_progress(options, "steps over a mesh, threads %d", threads[t]);
		r->contacts[t].threads = threads[t];
		spate_world_set_threads(world, threads[t]);
		result = time_step(world, options, &r->contacts[t], error);
	}
	// last, because the world is unusable afterwards
	for (int t = 0; t < thread_cases && result == SPATE_OK; t++)
	{
		contact_row *row = &r->contacts[t];
		spate_world_set_threads(world, threads[t]);
		result = pbf_stages_measure(world, options, &row->stages, error);
		const pbf_stages *s = &row->stages;
		row->contact = s->part + s->approach + (row->iterations + 1) * s->contacts + s->hold;
		r->contact_count++;
	}
	spate_world_destroy(world);
	spate_mesh_destroy(tank);
	spate_mesh_destroy(ball);
	return result;
}

// ------------------------------------------------------------------------------------------------------------- printing

static void print_tables(const report *r)
{
	printf(
	    "distance with its slope, ns per point; target %g on two threads\n  of         threads   points       ns\n",
	    target_ns);
	for (int k = 0; k < r->sample_count; k++)
		printf("  %-9s %8d %8u %8.1f\n", r->samples[k].what, r->samples[k].threads, r->samples[k].points,
		       r->samples[k].ns);
	printf("\nfields; target for fetching one %g s on two threads\n"
	       "  triangles  threads    voxels  bytes/voxel  building s  fetching s\n",
	       target_cached);
	for (int k = 0; k < r->field_count; k++)
	{
		const field_row *f = &r->fields[k];
		printf("%11u %8d %9llu %12.1f %11.3f %11.4f\n", f->triangles, f->threads, (unsigned long long)f->voxels,
		       f->bytes, f->build, f->cached);
	}
	printf("\nthe next frame of a deforming mesh; target %g s on two threads\n"
	       "  triangles  threads    voxels  its field s  all of it s\n",
	       target_frame);
	for (int k = 0; k < r->frame_count; k++)
		printf("%11u %8d %9llu %12.3f %12.3f\n", r->frames[k].triangles, r->frames[k].threads,
		       (unsigned long long)r->frames[k].voxels, r->frames[k].field, r->frames[k].frame);
	printf("\ncontact with meshes in a step, ns per particle; target below %g %% on two threads\n"
	       "  particles  threads     step  contact    share     part approach contacts (times)     hold\n",
	       100.0 * target_share);
	for (int k = 0; k < r->contact_count; k++)
	{
		const contact_row *c = &r->contacts[k];
		printf("%11u %8d %8.1f %8.1f %6.1f %% %8.2f %8.2f %8.2f %7u %8.2f\n", c->particles, c->threads, c->step,
		       c->contact, 100.0 * c->contact / c->step, c->stages.part, c->stages.approach, c->stages.contacts,
		       c->iterations + 1, c->stages.hold);
	}
}

static void print_json(const report *r)
{
	printf(",\"samples\":[");
	for (int k = 0; k < r->sample_count; k++)
		printf("%s{\"of\":\"%s\",\"threads\":%d,\"points\":%u,\"ns_sample\":%.4g,\"target_ns\":%g}",
		       k ? "," : "", r->samples[k].what, r->samples[k].threads, r->samples[k].points, r->samples[k].ns,
		       target_ns);
	printf("],\"fields\":[");
	for (int k = 0; k < r->field_count; k++)
	{
		const field_row *f = &r->fields[k];
		printf("%s{\"triangles\":%u,\"threads\":%d,\"voxels\":%llu,\"bytes_per_voxel\":%.4g,\"s_build\":%.4g,"
		       "\"s_fetch\":%.4g,\"target_s_fetch\":%g}",
		       k ? "," : "", f->triangles, f->threads, (unsigned long long)f->voxels, f->bytes, f->build,
		       f->cached, target_cached);
	}
	printf("],\"frames\":[");
	for (int k = 0; k < r->frame_count; k++)
		printf(
		    "%s{\"triangles\":%u,\"threads\":%d,\"voxels\":%llu,\"s_field\":%.4g,\"s_frame\":%.4g,\"target_s_frame\":%g}",
		    k ? "," : "", r->frames[k].triangles, r->frames[k].threads, (unsigned long long)r->frames[k].voxels,
		    r->frames[k].field, r->frames[k].frame, target_frame);
	printf("],\"contact\":[");
	for (int k = 0; k < r->contact_count; k++)
	{
		const contact_row *c = &r->contacts[k];
		printf(
		    "%s{\"particles\":%u,\"threads\":%d,\"ns_step\":%.4g,\"ns_contact\":%.4g,\"share\":%.4g,\"target_share\":%g,"
		    "\"iterations\":%u,\"ns_part\":%.4g,\"ns_approach\":%.4g,\"ns_contacts\":%.4g,\"ns_hold\":%.4g}",
		    k ? "," : "", c->particles, c->threads, c->step, c->contact, c->contact / c->step, target_share,
		    c->iterations, c->stages.part, c->stages.approach, c->stages.contacts, c->stages.hold);
	}
	puts("]}");
}

static spate_result measure_all(report *r, const bench_options *options, spate_error *error)
{
	const double few = options->quick ? 2e3 : 5e4, many = options->quick ? 5e3 : 5e5;
	const double small = options->quick ? 4e4 : 1e6, large = options->quick ? 8e4 : 5e6;
	int threads[2], thread_cases = bench_thread_counts(options, threads);
	field_settings settings = settings_for(small);
	spate_mesh *mesh = NULL;
	spate_result result = make_ball(&mesh, 1.0, few, 0.9, error);
	if (result == SPATE_OK)
		result = write_frames(r, few, error);
	for (int kind = 1; kind < SOLIDS && result == SPATE_OK; kind++)
	{
		bench_progress(options, "samples of a %s mesh", solid_names[kind]);
		result = sample_collider(r, options, kind, mesh, &settings, error);
	}
	spate_mesh_destroy(mesh);
	for (int k = 0; k < FIELDS && result == SPATE_OK; k++)
		result = measure_field(r, options, k < 2 ? few : many, k % 2 == 0 ? small : large, error);
	for (int t = 0; t < thread_cases && result == SPATE_OK; t++)
		result = measure_frame(r, options, threads[t], small, error);
	return result == SPATE_OK ? measure_contact(r, options, error) : result;
}

spate_result bench_collide(const bench_options *options, spate_error *error)
{
	if (!distance_field_available())
		return error_set(error, SPATE_MISSING,
				 "this build has no OpenVDB, which distance fields of meshes need");
	report r = {0};
	spate_result result = make_folder(&r, error);
	if (result == SPATE_OK)
		result = measure_all(&r, options, error);
	if (*r.folder)
		nftw(r.folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	bench_progress_end(options);
	if (result != SPATE_OK)
		return result;
	bench_print_head(options, "collide", "a ball with hills");
	(options->json ? print_json : print_tables)(&r);
	return SPATE_OK;
}
