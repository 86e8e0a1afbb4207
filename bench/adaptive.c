// spate bench adaptive: the three scenes of a published table, by PBF with few and many iterations and with iterations per particle.
//
//	Koester, Krueger: Adaptive position-based fluids: improving performance of fluid simulations for real-time applications,
//	2016, table 1 and figure 9
//
// All worlds of a scene go forward frame by frame, one after the other, so that whatever else the machine does slows all of them alike.
#include "base/error.h"
#include "base/memory.h"
#include "bench/bench.h"
#include "render/preview.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	SCENES = 3,
	MOST_BLOCKS = 4,
	MOST_FRAMES = 200,
	CONE_SIDES = 32,
	MEASURED_EVERY = 3, // frames between two looks at the densities
	PICTURE_WIDTH = 640,
	PICTURE_HEIGHT = 360
};

static const double frame_seconds = 0.0166;
// Spacing of the particles (m): with it the most iterations keep the liquid of
// these scenes within a few percent of its density.
static const double spacing = 0.1;

// Depth behind the visible surface, in spacings, from which on liquid gets the
// least iterations.
static const double visible_depth = 6.0;

typedef enum bench_mode
{
	MODE_PBF_MIN,
	MODE_PBF_MAX,
	MODE_DTC,
	MODE_DTVS,
	MODE_RESIDUAL,
	MODE_PBF_MIDDLE, // for the comparison at equal error
	MODES,
	MODE_ROWS = MODE_PBF_MIDDLE // modes that are rows of the table
} bench_mode;

static const char *const mode_names[MODES] = {"pbf_min", "pbf_max", "dtc", "dtvs", "residual", "pbf_middle"};

typedef struct bench_scene
{
	const char *name;
	uint32_t least, most; // iterations
	uint32_t by_error[2]; // the same where errors decide
	uint32_t cells[3];    // particles of a block
	uint32_t blocks;
	double corner[MOST_BLOCKS][3]; // of the blocks, in spacings
	double tank[3];                // in spacings
	int cone;                      // in the middle of the tank
	double density, viscosity;     // kg/m^3, m^2/s
	uint32_t frames;
	double eye[3], target[3]; // of the camera, in tank sizes
	double published[2];      // improvements by distance to the camera and to the
				  // visible surface
} bench_scene;

static const bench_scene scenes[SCENES] = {
    {.name = "dam_break",
     .least = 3,
     .most = 6,
     .by_error = {3, 8},
     .cells = {60, 60, 60},
     .blocks = 1,
     .tank = {100, 90, 60},
     .density = 1000.0,
     .viscosity = 1e-6,
     .frames = 40,
     .eye = {1.3, 0.9, 2.6},
     .target = {0.45, 0.2, 0.5},
     .published = {0.63, 0.70}},
    {.name = "double_dam_break",
     .least = 5,
     .most = 10,
     .by_error = {5, 10},
     .cells = {58, 58, 100},
     .blocks = 2,
     .corner = {{0, 0, 0}, {108, 0, 0}},
     .tank = {166, 90, 100},
     .density = 2000.0,
     .viscosity = 0.0,
     .frames = 24,
     .eye = {0.8, 1.2, 2.6},
     .target = {0.5, 0.2, 0.5},
     .published = {0.70, 0.77}},
    {.name = "multi_dam_break",
     .least = 4,
     .most = 8,
     .by_error = {4, 8},
     .cells = {35, 46, 35},
     .blocks = 4,
     .corner = {{0, 0, 0}, {75, 0, 0}, {0, 0, 75}, {75, 0, 75}},
     .tank = {110, 90, 110},
     .cone = 1,
     .density = 1200.0,
     .viscosity = 0.05,
     .frames = 40,
     .eye = {1.2, 1.1, 1.7},
     .target = {0.5, 0.15, 0.5},
     .published = {0.42, 0.59}},
};

typedef struct mode_run
{
	spate_world *world;
	uint32_t iterations[2];                          // least and most
	double rest_density;                             // kg/m^3
	double step[MOST_FRAMES], solve[MOST_FRAMES];    // ms of each frame
	double density[MOST_FRAMES], error[MOST_FRAMES]; // mean C and mean of max(C, 0), of the measured frames
	double level;                                    // mean number of iterations, sum over the measured frames
	uint32_t measured;
	image picture;
} mode_run;

typedef struct table_row
{
	double ms_step, ms_solve; // medians of the frames
	double improvement_step, improvement_solve;
	double density_deviation,
	    density_deviation_max; // of the mean density from that of pbf_max,
				   // relative to the rest density
	double density_error;      // mean of max(C, 0)
	double level;              // mean iterations of a particle
	double image_difference;   // mean over pixels and channels, 0 to 1
	// PBF at a number of iterations that gives the same error, interpolated
	// between the measured runs
	double equal_iterations, equal_ms_step, equal_ms_solve;
} table_row;

typedef struct report
{
	uint32_t particles[SCENES], frames[SCENES];
	table_row rows[SCENES][MODES];
} report;

// ----------------------------------------------------------------------------------------------------------------
// worlds

// A cone with its base on the ground.
static spate_result make_cone(spate_mesh **out, double radius, double height, spate_error *error)
{
	spate_result result = spate_mesh_create(out, CONE_SIDES + 2, 2 * CONE_SIDES, error);
	if (result != SPATE_OK)
		return result;
	float *p = (*out)->positions;
	uint32_t *t = (*out)->triangles;
	for (uint32_t k = 0; k < CONE_SIDES; k++)
	{
		double angle = 6.283185307179586 * k / CONE_SIDES;
		uint32_t next = (k + 1) % CONE_SIDES;
		p[3 * k] = (float)(radius * cos(angle));
		p[3 * k + 1] = 0.0f;
		p[3 * k + 2] = (float)(radius * sin(angle));
		const uint32_t own[6] = {CONE_SIDES, next, k, CONE_SIDES + 1, k, next};
		memcpy(t + 6 * k, own, sizeof own);
	}
	const float ends[6] = {0.0f, (float)height, 0.0f, 0.0f, 0.0f, 0.0f};
	memcpy(p + (size_t)3 * CONE_SIDES, ends, sizeof ends);
	return SPATE_OK;
}

static spate_camera_def camera_of(const bench_scene *s, double scale)
{
	spate_camera_def from = spate_default_camera_def();
	from.fov = 36.0;
	for (int k = 0; k < 3; k++)
	{
		from.position[k] = s->eye[k] * s->tank[k] * scale;
		from.target[k] = s->target[k] * s->tank[k] * scale;
	}
	return from;
}

static spate_result set_solver(spate_solver_def *def, const bench_scene *s, bench_mode mode, mode_run *run,
			       spate_error *error)
{
	static const double levels[MODES] = {[MODE_DTC] = 1, [MODE_DTVS] = 2};
	int adaptive = mode == MODE_DTC || mode == MODE_DTVS || mode == MODE_RESIDUAL;
	uint32_t most = mode == MODE_PBF_MIN      ? s->least
			: mode == MODE_PBF_MIDDLE ? s->least + 1
			: mode == MODE_RESIDUAL   ? s->by_error[1]
						  : s->most;
	uint32_t least = mode == MODE_RESIDUAL ? s->by_error[0] : adaptive ? s->least : most;
	run->iterations[0] = least;
	run->iterations[1] = most;
	def->type = spate_solver_find(adaptive ? "adaptive" : "pbf");
	def->substeps = 2;
	spate_result result = spate_solver_set(def, adaptive ? "iterations_max" : "iterations", most, error);
	if (result == SPATE_OK)
		result = spate_solver_set(def, adaptive ? "iterations_min" : "min_iterations", least, error);
	if (result == SPATE_OK && adaptive)
		result = spate_solver_set(def, "level", levels[mode], error);
	if (result == SPATE_OK && mode == MODE_DTVS)
		result = spate_solver_set(def, "near", 0.0, error);
	if (result == SPATE_OK && mode == MODE_DTVS)
		result = spate_solver_set(def, "far", visible_depth * spacing, error);
	return result;
}

// The cells and lengths of a scene are divided by `coarse` for quick runs.
static spate_result create_world(const bench_scene *s, bench_mode mode, uint32_t coarse, const spate_mesh *cone,
				 mode_run *run, const bench_options *options, spate_error *error)
{
	spate_fluid_def fluid = spate_default_fluid_def();
	fluid.name = "liquid";
	fluid.spacing = spacing;
	fluid.density = run->rest_density = s->density;
	fluid.viscosity = s->viscosity;
	fluid.surface_tension = fluid.cohesion = 0.0;
	double unit = spacing / coarse;
	spate_source_def fills[MOST_BLOCKS];
	for (uint32_t b = 0; b < s->blocks; b++)
	{
		fills[b] = spate_default_source_def();
		fills[b].shape.type = SPATE_SHAPE_BOX;
		for (int k = 0; k < 3; k++)
		{
			double cells = s->cells[k] / coarse * spacing, at = s->corner[b][k] * unit;
			// blocks at the far side stay there
			at = s->corner[b][k] > 0.0 ? s->tank[k] * unit - cells : at;
			fills[b].shape.a[k] = at;
			fills[b].shape.b[k] = at + cells;
		}
	}
	spate_collider_def colliders[2] = {spate_default_collider_def(), spate_default_collider_def()};
	colliders[0].mode = SPATE_COLLIDER_INSIDE;
	colliders[0].shape =
	    (spate_shape){.type = SPATE_SHAPE_BOX, .b = {s->tank[0] * unit, s->tank[1] * unit, s->tank[2] * unit}};
	colliders[1].mesh.mesh = cone;
	colliders[1].mesh.position[0] = 0.5 * s->tank[0] * unit;
	colliders[1].mesh.position[2] = 0.5 * s->tank[2] * unit;
	spate_camera_def from = camera_of(s, unit);
	spate_world_def def = spate_default_world_def();
	def.fps = 1.0 / frame_seconds;
	def.fluids = &fluid;
	def.sources = fills;
	def.colliders = colliders;
	def.cameras = &from;
	def.fluid_count = def.camera_count = 1;
	def.source_count = s->blocks;
	def.collider_count = cone ? 2 : 1;
	def.threads = options->threads;
	spate_result result = set_solver(&def.solver, s, mode, run, error);
	return result == SPATE_OK ? spate_world_create(&run->world, &def, error) : result;
}

// -------------------------------------------------------------------------------------------------------------
// measuring

// Densities as the end of the frame has left them.
static void look_at_density(mode_run *run)
{
	spate_store *store = run->world->state.store;
	const int32_t *level = spate_store_field(store, "level", NULL);
	double levels = 0.0, mean = 0.0;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		levels += level ? level[row] : (double)run->iterations[1];
		mean += (double)store->density[row] / run->rest_density - 1.0;
	}
	run->density[run->measured] = mean / store->rows;
	run->error[run->measured++] = spate_world_stats(run->world)->density_error_avg;
	run->level += levels / store->rows;
}

static spate_result draw(mode_run *run, const bench_scene *s, double scale, spate_error *error)
{
	spate_camera_def from = camera_of(s, scale);
	const double *origin = spate_world_origin(run->world);
	const spate_store *store = run->world->state.store;
	preview_settings settings = preview_default_settings();
	settings.width = PICTURE_WIDTH;
	settings.height = PICTURE_HEIGHT;
	settings.has_camera = 1;
	settings.ground = 0;
	settings.camera = camera_make((dvec3){from.position[0], from.position[1], from.position[2]},
				      (dvec3){from.target[0], from.target[1], from.target[2]}, vec3_make(0, 1, 0),
				      (float)from.fov, (dvec3){origin[0], origin[1], origin[2]});
	const float radius = (float)(0.5 * spacing);
	const vec3 colour = {0.1f, 0.3f, 0.7f};
	preview_input input = {.positions = &store->position->x,
			       .stride = 4,
			       .count = store->rows,
			       .radii = &radius,
			       .colours = &colour,
			       .fluids = 1};
	return preview_frame(&settings, &input, &run->picture, error);
}

static double difference(const image *a, const image *b)
{
	double sum = 0.0;
	size_t pixels = (size_t)a->width * (size_t)a->height;
	for (size_t k = 0; k < 4 * pixels; k++)
		sum += k % 4 < 3 ? fabs((double)a->pixels[k] - (double)b->pixels[k]) : 0.0;
	return sum / (255.0 * 3.0 * (double)pixels);
}

static spate_result run_frame(mode_run *run, uint32_t frame, spate_error *error)
{
	int done = 0;
	run->step[frame] = run->solve[frame] = 0.0;
	while (!done)
	{
		spate_result result = spate_world_step(run->world, &done, error);
		if (result != SPATE_OK)
			return result;
		const spate_step_stats *s = spate_world_stats(run->world);
		run->step[frame] += s->ms_sources + s->ms_sort + s->ms_neighbours + s->ms_solve + s->ms_measure;
		run->solve[frame] += s->ms_iterations;
	}
	if (frame % MEASURED_EVERY == MEASURED_EVERY - 1)
		look_at_density(run);
	return SPATE_OK;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(const double *values, uint32_t count)
{
	double sorted[MOST_FRAMES];
	memcpy(sorted, values, count * sizeof *values);
	qsort(sorted, count, sizeof *sorted, compare);
	return count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

// -----------------------------------------------------------------------------------------------------------------
// table

static void fill_row(table_row *row, const mode_run *run, const mode_run *best, uint32_t frames)
{
	row->ms_step = median(run->step, frames);
	row->ms_solve = median(run->solve, frames);
	row->improvement_step = median(best->step, frames) / row->ms_step - 1.0;
	row->improvement_solve = median(best->solve, frames) / row->ms_solve - 1.0;
	for (uint32_t k = 0; k < run->measured; k++)
	{
		double off = fabs(run->density[k] - best->density[k]);
		row->density_deviation += off / run->measured;
		row->density_deviation_max = fmax(row->density_deviation_max, off);
		row->density_error += run->error[k] / run->measured;
	}
	row->level = run->level / run->measured;
	row->image_difference = difference(&run->picture, &best->picture);
}

// Iterations and times of PBF with the error of a row: errors follow a power of
// the iterations, times grow in proportion.
static void fill_equal(table_row *row, const table_row rows[MODES], const mode_run runs[MODES])
{
	static const bench_mode curve[3] = {MODE_PBF_MIN, MODE_PBF_MIDDLE, MODE_PBF_MAX};
	int k = row->density_error > rows[MODE_PBF_MIDDLE].density_error ? 0 : 1;
	const table_row *a = &rows[curve[k]], *b = &rows[curve[k + 1]];
	double from = runs[curve[k]].iterations[1], to = runs[curve[k + 1]].iterations[1];
	double share = log(row->density_error / a->density_error) / log(b->density_error / a->density_error);
	row->equal_iterations = from * pow(to / from, share);
	double part = (row->equal_iterations - from) / (to - from);
	row->equal_ms_solve = a->ms_solve + part * (b->ms_solve - a->ms_solve);
	row->equal_ms_step = a->ms_step + part * (b->ms_step - a->ms_step);
}

static spate_result measure_scene(const bench_scene *s, uint32_t number, report *r, const bench_options *options,
				  spate_error *error)
{
	uint32_t coarse = options->quick ? 5 : 1, frames = options->quick ? MEASURED_EVERY : s->frames;
	double scale = spacing / coarse;
	mode_run *runs = mem_calloc(MODES, sizeof *runs);
	spate_mesh *cone = NULL;
	spate_result result = runs ? SPATE_OK : error_memory(error, MODES * sizeof *runs);
	if (result == SPATE_OK && s->cone)
		result = make_cone(&cone, 20.0 * scale, 30.0 * scale, error);
	bench_progress(options, "%s: filling", s->name);
	for (bench_mode m = 0; m < MODES && result == SPATE_OK; m++)
		result = create_world(s, m, coarse, cone, &runs[m], options, error);
	for (uint32_t frame = 0; frame < frames && result == SPATE_OK; frame++)
	{
		if (frame % 10 == 0)
			bench_progress(options, "%s: frame %u of %u", s->name, frame + 1, frames);
		for (bench_mode m = 0; m < MODES && result == SPATE_OK; m++)
			result = run_frame(&runs[m], frame, error);
	}
	for (bench_mode m = 0; m < MODES && result == SPATE_OK; m++)
		result = draw(&runs[m], s, scale, error);
	for (bench_mode m = 0; m < MODES && result == SPATE_OK; m++)
		fill_row(&r->rows[number][m], &runs[m], &runs[MODE_PBF_MAX], frames);
	for (bench_mode m = 0; m < MODES && result == SPATE_OK; m++)
		fill_equal(&r->rows[number][m], r->rows[number], runs);
	if (result == SPATE_OK)
		r->particles[number] = spate_store_count(runs[0].world->state.store);
	r->frames[number] = frames;
	for (bench_mode m = 0; m < MODES && runs; m++)
	{
		spate_world_destroy(runs[m].world);
		image_free(&runs[m].picture);
	}
	spate_mesh_destroy(cone);
	mem_free(runs);
	return result;
}

// "6", or "3..6"
static void say_iterations(char out[32], const bench_scene *s, bench_mode mode)
{
	if (mode == MODE_RESIDUAL)
		snprintf(out, 32, "%u..%u", s->by_error[0], s->by_error[1]);
	else if (mode == MODE_DTC || mode == MODE_DTVS)
		snprintf(out, 32, "%u..%u", s->least, s->most);
	else
		snprintf(out, 32, "%u", mode == MODE_PBF_MIN ? s->least : s->most);
}

static void print_table(const report *r)
{
	for (int k = 0; k < SCENES; k++)
	{
		const bench_scene *s = &scenes[k];
		printf("%s, %u particles, %u frames\n%10s %6s %6s %9s %9s %8s %8s %9s %9s "
		       "%8s %8s\n",
		       s->name, r->particles[k], r->frames[k], "", "range", "mean", "ms step", "ms solve", "+% step",
		       "+% solve", "published", "error %", "dev. %", "image %");
		for (bench_mode m = 0; m < MODE_ROWS; m++)
		{
			const table_row *row = &r->rows[k][m];
			char range[32], published[32] = "-";
			say_iterations(range, s, m);
			if (m == MODE_DTC || m == MODE_DTVS)
				snprintf(published, sizeof published, "%.0f", 100.0 * s->published[m - MODE_DTC]);
			printf("%10s %6s %6.2f %9.1f %9.1f %8.1f %8.1f %9s %9.2f %8.2f %8.2f\n", mode_names[m], range,
			       row->level, row->ms_step, row->ms_solve, 100.0 * row->improvement_step,
			       100.0 * row->improvement_solve, published, 100.0 * row->density_error,
			       100.0 * row->density_deviation, 100.0 * row->image_difference);
		}
		const table_row *row = &r->rows[k][MODE_RESIDUAL];
		printf("the error of residual takes PBF %.2f iterations: %.1f ms a step, "
		       "%.1f ms to solve\n\n",
		       row->equal_iterations, row->equal_ms_step, row->equal_ms_solve);
	}
	puts("Times are medians of the frames, of two steps each; + is the "
	     "improvement t(pbf_max) / t - 1; error: mean compression;\n"
	     "dev.: of the mean density from that of pbf_max, mean of all frames. "
	     "Published improvements are those of frames on a GPU.");
}

static void print_json(const report *r)
{
	printf(",\"rows\":[");
	for (int k = 0; k < SCENES; k++)
		for (bench_mode m = 0; m < MODE_ROWS; m++)
		{
			const table_row *row = &r->rows[k][m];
			char range[32];
			say_iterations(range, &scenes[k], m);
			printf("%s{\"scene\":\"%s\",\"mode\":\"%s\",\"iterations\":\"%s\",\"ms_"
			       "step\":%.4g,\"ms_solve\":%.4g,"
			       "\"improvement_solve\":%.4g,\"improvement_step\":%.4g,\"density_"
			       "deviation\":%.4g,"
			       "\"density_deviation_max\":%.4g,\"density_error\":%.4g,\"image_"
			       "difference\":%.4g,"
			       "\"iterations_mean\":%.4g,\"particles\":%u,\"frames\":%u,\"pbf_"
			       "equal_iterations\":%.4g,"
			       "\"pbf_equal_ms_solve\":%.4g,\"pbf_equal_ms_step\":%.4g}",
			       k || m ? "," : "", scenes[k].name, mode_names[m], range, row->ms_step, row->ms_solve,
			       row->improvement_solve, row->improvement_step, row->density_deviation,
			       row->density_deviation_max, row->density_error, row->image_difference, row->level,
			       r->particles[k], r->frames[k], row->equal_iterations, row->equal_ms_solve,
			       row->equal_ms_step);
		}
	puts("]}");
}

spate_result bench_adaptive(const bench_options *options, spate_error *error)
{
	report *r = mem_calloc(1, sizeof *r);
	spate_result result = r ? SPATE_OK : error_memory(error, sizeof *r);
	for (uint32_t k = 0; k < SCENES && result == SPATE_OK; k++)
		result = measure_scene(&scenes[k], k, r, options, error);
	bench_progress_end(options);
	if (result == SPATE_OK)
	{
		bench_print_head(options, "adaptive", "frames of 16.6 ms, two steps each");
		(options->json ? print_json : print_table)(r);
	}
	mem_free(r);
	return result;
}
