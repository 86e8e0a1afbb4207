// spate bench solvers: every solver on the same three scenes, with default water at quality normal.
//
// A dam break and a still tank of 100,000 particles, and the standing wave of tests/physics/wave_tank.h. Density is measured at the end of
// each frame by one kernel for all of them (space/crowding.h), beside what the solver reports about itself. Only steps are timed.
#include "bench/dam_break.h"
#include "bench/swing.h"
#include "particles/store.h"
#include "space/crowding.h"

#include <stdio.h>
#include <string.h>

enum
{
	SCENE_DAM_BREAK,
	SCENE_STILL_TANK,
	SCENE_WAVE,
	SCENES,
	MOST_ROWS = 64,
	FAILURE_CHARS = 256
};

static const char *const scene_names[SCENES] = {"dam_break", "still_tank", "standing_wave"};
static const double full_seconds[SCENES] = {0.25, 0.25, 2.4}, quick_seconds[SCENES] = {0.05, 0.05, 1.2};
static const uint32_t full_cells[3] = {46, 46, 46}, quick_cells[3] = {8, 8, 8};

// The tank of the wave: as long as half a wave.
static const double wave_length = 1.0, wave_depth = 0.5, wave_height = 0.02, wave_fps = 24.0;

typedef struct solver_row
{
	int scene, solver;
	uint32_t particles;
	uint64_t steps;
	double seconds; // simulated
	double wall_seconds, cpu_seconds;
	double crowding_mean, crowding_max; // over frames, of the mean over particles
	double reported_mean;               // the same of what the solver reports
	double energy_kept, energy_rise;    // parts of what the scene can set free
	double rms_speed, volume_drift;
	double kept, period;         // of the wave
	char failure[FAILURE_CHARS]; // a sentence, empty where all went well
} solver_row;

// A run of one row.
typedef struct solver_run
{
	const bench_options *options;
	spate_world *world;
	dam_break scene;
	solver_row *row;
	double mass, floor; // kg; J, the least energy that the liquid can have
	double start, lowest;
	double wall, cpu; // s, when the clocks were started
	uint32_t frames;
	swing record;
} solver_run;

// -------------------------------------------------------------------------------------------------------------- scenes

static void set_box(spate_shape *shape, double x, double y, double z)
{
	*shape = (spate_shape){.type = SPATE_SHAPE_BOX, .b = {x, y, z}};
}

static void describe(solver_run *r)
{
	dam_break *d = &r->scene;
	dam_break_init(d, r->options->quick ? quick_cells : full_cells);
	d->world.solver.type = r->row->solver;
	d->world.threads = r->options->threads;
	const double *block = d->block.shape.b;
	if (r->row->scene == SCENE_STILL_TANK)
		set_box(&d->tank.shape, block[0], 1.5 * block[1], block[2]);
	if (r->row->scene != SCENE_WAVE)
		return;
	d->water.spacing = wave_depth / (r->options->quick ? 8 : 20);
	d->world.fps = wave_fps;
	set_box(&d->tank.shape, wave_length, 2.0 * wave_depth, 4.0 * d->water.spacing);
	set_box(&d->block.shape, wave_length, wave_depth, 4.0 * d->water.spacing);
}

static double wave_number(void)
{
	return swing_pi / wave_length;
}

// Of a low wave without viscosity (s).
static double wave_period(void)
{
	return 2.0 * swing_pi / sqrt(9.81 * wave_number() * tanh(wave_number() * wave_depth));
}

// The velocities of eta = A sin(omega t) cos(k x) at its start, when the surface is level.
static void push_wave(spate_world *w)
{
	const spate_store *store = spate_world_store(w);
	const double *origin = spate_world_origin(w), k = wave_number();
	double speed = wave_height * 2.0 * swing_pi / wave_period() / sinh(k * wave_depth);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double x = (double)store->position[row].x + origin[0], y = (double)store->position[row].y + origin[1];
		store->velocity[row].x -= (float)(speed * sin(k * x) * cosh(k * y));
		store->velocity[row].y += (float)(speed * cos(k * x) * sinh(k * y));
	}
}

// Mean place along an axis (m).
static double mean_place(spate_world *w, int axis)
{
	const spate_store *store = spate_world_store(w);
	double sum = 0.0, count = 0.0;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		if (store->dead[row])
			continue;
		vec4 x = store->position[row];
		sum += axis == 0 ? (double)x.x : (double)x.y;
		count++;
	}
	return sum / count + spate_world_origin(w)[axis];
}

// ------------------------------------------------------------------------------------------------------------- measuring

static double energy_of(const spate_world *w)
{
	return spate_world_stats(w)->kinetic_energy + spate_world_stats(w)->potential_energy;
}

// What there is to lose: the liquid at the end is a level sheet on the floor of its tank.
static void start_energy(solver_run *r)
{
	const double *block = r->scene.block.shape.b, *tank = r->scene.tank.shape.b;
	double depth = block[0] * block[1] * block[2] / (tank[0] * tank[2]);
	r->mass = r->scene.water.density * block[0] * block[1] * block[2];
	r->floor = r->mass * 9.81 * 0.5 * depth;
	r->start = r->lowest = r->mass * 9.81 * 0.5 * block[1];
}

static spate_result measure_crowding(solver_run *r, crowding *out, spate_error *error)
{
	const spate_store *store = spate_world_store(r->world);
	const double *origin = spate_world_origin(r->world);
	crowding_box box;
	for (int k = 0; k < 3; k++)
	{
		box.low[k] = r->scene.tank.shape.a[k] - origin[k];
		box.high[k] = r->scene.tank.shape.b[k] - origin[k];
	}
	return crowding_measure(store->position, store->rows, r->scene.water.spacing, &box, r->options->threads, out,
				error);
}

static spate_result end_frame(solver_run *r, spate_error *error)
{
	crowding c = {0};
	spate_result result = measure_crowding(r, &c, error);
	solver_row *row = r->row;
	row->crowding_mean += c.mean;
	row->crowding_max = fmax(row->crowding_max, c.mean);
	row->reported_mean += spate_world_stats(r->world)->density_error_avg;
	r->frames++;
	double k = wave_number();
	if (row->scene == SCENE_WAVE && r->record.count < SWING_SAMPLES)
		r->record.values[r->record.count++] =
		    (0.5 * wave_length - mean_place(r->world, 0)) * k * k * wave_length * wave_depth / 2.0;
	return result;
}

static spate_result run_frame(solver_run *r, spate_error *error)
{
	spate_result result = SPATE_OK;
	double wall = bench_wall_seconds(), cpu = bench_cpu_seconds();
	for (int done = 0; !done && result == SPATE_OK;)
	{
		result = spate_world_step(r->world, &done, error);
		double energy = energy_of(r->world);
		r->row->energy_rise = fmax(r->row->energy_rise, energy - r->lowest);
		r->lowest = fmin(r->lowest, energy);
	}
	r->row->wall_seconds += bench_wall_seconds() - wall;
	r->row->cpu_seconds += bench_cpu_seconds() - cpu;
	return result == SPATE_OK ? end_frame(r, error) : result;
}

static void finish(solver_run *r)
{
	solver_row *row = r->row;
	const spate_step_stats *s = spate_world_stats(r->world);
	double frames = r->frames > 0 ? r->frames : 1.0, free_energy = r->start - r->floor;
	row->steps = s->step;
	row->particles = s->particles;
	row->seconds = spate_world_time(r->world);
	row->crowding_mean /= frames;
	row->reported_mean /= frames;
	row->energy_kept = (energy_of(r->world) - r->floor) / free_energy;
	row->energy_rise /= free_energy;
	row->rms_speed = sqrt(2.0 * s->kinetic_energy / r->mass);
	row->volume_drift = 2.0 * mean_place(r->world, 1) / r->scene.block.shape.b[1] - 1.0;
	if (row->scene == SCENE_WAVE)
		row->period = swing_fit(&r->record, wave_period(), &row->kept);
}

static spate_result run_row(const bench_options *options, solver_row *row, spate_error *error)
{
	solver_run r = {.options = options, .row = row, .record = {.every = 1.0 / wave_fps, .count = 1}};
	describe(&r);
	spate_result result = spate_world_create(&r.world, &r.scene.world, error);
	if (result != SPATE_OK)
		return result;
	start_energy(&r);
	if (row->scene == SCENE_WAVE)
		push_wave(r.world);
	double seconds = (options->quick ? quick_seconds : full_seconds)[row->scene];
	while (result == SPATE_OK && spate_world_time(r.world) < seconds - 1e-9)
	{
		bench_progress(options, "%s with %s, %.2f of %.2f s", scene_names[row->scene],
			       spate_solver_name(row->solver), spate_world_time(r.world), seconds);
		result = run_frame(&r, error);
	}
	if (result == SPATE_OK)
		finish(&r);
	spate_world_destroy(r.world);
	return result;
}

// ------------------------------------------------------------------------------------------------------------ reporting

static void print_row(const solver_row *r)
{
	printf("%14s %11s", scene_names[r->scene], spate_solver_name(r->solver));
	if (*r->failure)
	{
		printf("  failed: %s\n", r->failure);
		return;
	}
	printf(" %8u %7llu %9.2f %9.2f %8.3f %% %8.3f %%", r->particles, (unsigned long long)r->steps,
	       r->wall_seconds / r->seconds, r->cpu_seconds / r->seconds, 100.0 * r->crowding_mean,
	       100.0 * r->reported_mean);
	if (r->scene == SCENE_DAM_BREAK)
		printf("  energy kept %.4f, largest rise %.4f\n", r->energy_kept, r->energy_rise);
	else if (r->scene == SCENE_STILL_TANK)
		printf("  level %+.3f %%, rms speed %.2g m/s\n", 100.0 * r->volume_drift, r->rms_speed);
	else
		printf("  amplitude per period %.3f, period %.3f s (%.3f)\n", r->kept, r->period, wave_period());
}

static void print_table(const solver_row *rows, int count)
{
	printf("seconds are per simulated second; density errors: mean of frame ends, by one kernel for all and as "
	       "reported\n         scene      solver particles steps    wall s     CPU s    common   reported\n");
	for (int k = 0; k < count; k++)
		print_row(&rows[k]);
}

static void print_json_row(const solver_row *r)
{
	printf("{\"scene\":\"%s\",\"solver\":\"%s\"", scene_names[r->scene], spate_solver_name(r->solver));
	if (*r->failure)
	{
		printf(",\"failed\":\"%s\"}", r->failure);
		return;
	}
	printf(",\"particles\":%u,\"simulated_seconds\":%.4g,\"steps\":%llu,\"wall_seconds\":%.4g,\"cpu_seconds\":%.4g,"
	       "\"cpu_seconds_per_simulated_second\":%.4g,\"density_error_common\":%.4g,"
	       "\"density_error_common_max\":%.4g,\"density_error_reported\":%.4g",
	       r->particles, r->seconds, (unsigned long long)r->steps, r->wall_seconds, r->cpu_seconds,
	       r->cpu_seconds / r->seconds, r->crowding_mean, r->crowding_max, r->reported_mean);
	if (r->scene == SCENE_DAM_BREAK)
		printf(",\"energy_kept\":%.4g,\"energy_rise\":%.4g", r->energy_kept, r->energy_rise);
	if (r->scene == SCENE_STILL_TANK)
		printf(",\"volume_drift\":%.4g,\"rms_speed\":%.4g", r->volume_drift, r->rms_speed);
	if (r->scene == SCENE_WAVE)
		printf(",\"amplitude_per_period\":%.4g,\"period\":%.4g,\"period_theory\":%.4g", r->kept, r->period,
		       wave_period());
	putchar('}');
}

static void print_json(const solver_row *rows, int count)
{
	printf(",\"rows\":[");
	for (int k = 0; k < count; k++)
	{
		fputs(k ? "," : "", stdout);
		print_json_row(&rows[k]);
	}
	puts("]}");
}

// A sentence that may stand between quotes.
static void keep_failure(solver_row *row, const char *text)
{
	snprintf(row->failure, sizeof row->failure, "%.*s", FAILURE_CHARS - 1, text);
	for (char *c = row->failure; *c; c++)
		*c = *c == '"' || *c == '\\' || *c < ' ' ? '\'' : *c;
}

spate_result bench_solvers(const bench_options *options, spate_error *error)
{
	static solver_row rows[MOST_ROWS];
	int count = 0, only = options->solver ? spate_solver_find(options->solver) : -1;
	(void)error;
	for (int scene = 0; scene < SCENES; scene++)
		for (int solver = 0; spate_solver_name(solver) && count < MOST_ROWS; solver++)
		{
			if (only >= 0 && solver != only)
				continue;
			solver_row *row = &rows[count++];
			*row = (solver_row){.scene = scene, .solver = solver};
			spate_error why = {0};
			if (run_row(options, row, &why) != SPATE_OK)
				keep_failure(row, why.text);
		}
	bench_progress_end(options);
	bench_print_head(options, "solvers", "each row once, whatever --runs says");
	(options->json ? print_json : print_table)(rows, count);
	return SPATE_OK;
}
