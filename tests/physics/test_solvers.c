// What every solver of the table must do, in a few seconds each: bear a column of water, keep momentum and energy, and give the same bits on
// any number of threads and after a snapshot.
#include "each_solver.h"
#include "spate/snapshot.h"
#include "wave_tank.h"

// ---------------------------------------------------------------------------------------------------------- hydrostatics

enum
{
	LAYERS = 16,
	ACROSS = 8,
	GAUGES = 5,
	FRAMES = 12 // over which pressure is averaged
};

static const double spacing = 0.025;

static const char *const gauges[GAUGES] = {"a", "b", "c", "d", "e"};

// Depth of a gauge, from a quarter to three quarters of the liquid's.
static double depth_of(int gauge)
{
	return LAYERS * spacing * (0.25 + 0.5 * gauge / (GAUGES - 1));
}

// Sums of pressure over rho g depth by layer, two spacings away from the sides and more, and how many; and of the gauges in the middle.
typedef struct profile
{
	double sum[LAYERS], count[LAYERS];
	double gauges[GAUGES];
} profile;

static void add_pressure(spate_world *w, profile *of)
{
	const spate_store *store = spate_world_store(w);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double p[3], depth;
		place_of(w, row, p);
		int layer = (int)floor(p[1] / spacing);
		depth = LAYERS * spacing - p[1];
		double beside = fmin(fmin(p[0], p[2]), ACROSS * spacing - fmax(p[0], p[2]));
		if (layer < 0 || layer >= LAYERS || !(depth > 0) || beside < 2 * spacing)
			continue;
		of->sum[layer] += (double)store->pressure[row] / (1000 * 9.81 * depth);
		of->count[layer]++;
	}
	for (int g = 0; g < GAUGES; g++)
	{
		char column[16];
		snprintf(column, sizeof column, "%s.pressure", gauges[g]);
		of->gauges[g] += probe_value(w, column) / (1000 * 9.81 * depth_of(g)) / FRAMES;
	}
}

// The value that differs most from 1.
static double furthest(const double *values, int count)
{
	double off = 1;
	for (int k = 0; k < count; k++)
		if (!(fabs(values[k] - 1) <= fabs(off - 1)))
			off = values[k];
	return off;
}

// Adds the profile of a column of water that has come to rest.
static int stand(int type, int even, profile *of)
{
	const double side = ACROSS * spacing, depth = LAYERS * spacing;
	scene s;
	scene_init(&s, spacing);
	int uneven = even && even_iterations(type, &s);
	add_collider(&s, box_shape(0, 0, 0, side, 2 * depth, side), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, side, depth, side));
	for (int g = 0; g < GAUGES; g++)
	{
		spate_probe_def *gauge = add_probe(&s, gauges[g], SPATE_PROBE_POINT);
		gauge->a[0] = gauge->a[2] = side / 2;
		gauge->a[1] = depth - depth_of(g);
	}
	spate_world *w = scene_create(&s);
	run_until(w, 1);
	for (int frame = 0; frame < FRAMES; frame++)
	{
		run_frame(w);
		add_pressure(w, of);
	}
	spate_world_destroy(w);
	return uneven;
}

static int column_is_borne(int type, const char *solver)
{
	char name[ROW_CHARS];
	profile of = {{0}, {0}, {0}}, by_default = {{0}, {0}, {0}};
	if (stand(type, 1, &of))
	{
		stand(type, 0, &by_default);
		evidence_report(row_of(name, solver, "pressure at the floor over rho g depth, default iterations"),
				by_default.sum[0] / by_default.count[0], "", "the lowest layer");
	}
	double layers[LAYERS], mean = 0, floor_value = of.sum[0] / of.count[0];
	for (int layer = 0; layer < LAYERS; layer++)
		layers[layer] = of.sum[layer] / of.count[layer];
	for (int layer = LAYERS / 4; layer < 3 * LAYERS / 4; layer++)
		mean += layers[layer] / (LAYERS / 2);
	int good =
	    evidence(row_of(name, solver, "pressure inside over rho g depth"), furthest(of.gauges, GAUGES), 1, 0.03, "",
		     "0.4 m deep, 16 layers; the point probe that is furthest off, of five in the middle half");
	good &= evidence_report(row_of(name, solver, "pressure inside over rho g depth, layer"),
				furthest(layers + LAYERS / 4, LAYERS / 2), "",
				"the layer of particles that is furthest off, of the middle half");
	good &= evidence_report(row_of(name, solver, "pressure inside over rho g depth, mean"), mean, "",
				"of the layers of the middle half");
	good &= evidence(row_of(name, solver, "pressure at the floor over rho g depth"), floor_value, 1, 0.06, "",
			 "the lowest layer");
	return good;
}

static void columns_are_borne(void **state)
{
	(void)state;
	with_each_solver(column_is_borne);
}

// -------------------------------------------------------------------------------------------------- momentum and energy

// Two blobs of default water hit each other off centre, without gravity and walls.
static int collision_keeps_momentum(int type, const char *solver)
{
	char name[ROW_CHARS];
	scene s;
	scene_init(&s, 0.01);
	even_iterations(type, &s);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	spate_source_def *one = add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {-0.06, 0, 0}, {0, 0, 0}, 0.045});
	spate_source_def *two = add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0.06, 0.02, 0}, {0, 0, 0}, 0.045});
	one->velocity[0] = 2, two->velocity[0] = -1, two->velocity[2] = 0.3;
	spate_world *w = scene_create(&s);
	momentum_watch flying = momentum_watch_make(w, s.fluids, 0.01), watch = flying;
	while (spate_world_time(w) < 0.12)
	{
		step(w);
		momentum_watch_look(spate_world_time(w) < 0.005 ? &flying : &watch, w);
	}
	assert_true(watch.squeezed > 0.002); // they did meet
	assert_int_equal(spate_world_stats(w)->removed, 0);
	spate_world_destroy(w);
	int good = evidence_at_most(row_of(name, solver, "two blobs in flight, change of momentum"), flying.change,
				    1e-6, "", "of the sum of all momenta");
	good &= evidence_at_most(row_of(name, solver, "collision of two blobs, change of momentum"), watch.change, 1e-6,
				 "", "of the sum of all momenta");
	return good;
}

static void collisions_keep_momentum(void **state)
{
	(void)state;
	with_each_solver(collision_keeps_momentum);
}

// A block that collapses in a tank twice as long.
static void small_dam(scene *s)
{
	scene_init(s, 0.04);
	add_collider(s, box_shape(0, 0, 0, 0.8, 0.8, 0.24), SPATE_COLLIDER_INSIDE);
	add_fill(s, box_shape(0, 0, 0, 0.4, 0.48, 0.24));
}

static int energy_does_not_rise(int type, const char *solver)
{
	(void)type;
	char name[ROW_CHARS];
	scene s;
	small_dam(&s);
	spate_world *w = scene_create(&s);
	energy_watch watch = energy_watch_make(w);
	watched_until(w, &watch, 1);
	double mass = 1000 * 0.4 * 0.48 * 0.24, free_energy = mass * 9.81 * (0.24 - 0.12);
	spate_world_destroy(w);
	return evidence_at_most(row_of(name, solver, "dam break, largest rise of energy"),
				100 * watch.rise / free_energy, 1, "%",
				"above the lowest before, of what the block can set free; 720 particles, 1 s");
}

static void energy_never_rises(void **state)
{
	(void)state;
	with_each_solver(energy_does_not_rise);
}

// ------------------------------------------------------------------------------------------------------------------ bits

static uint64_t hash_with(int threads)
{
	scene s;
	small_dam(&s);
	s.def.threads = threads;
	spate_world *w = scene_create(&s);
	run_until(w, 0.25);
	uint64_t hash = spate_world_hash(w);
	spate_world_destroy(w);
	return hash;
}

static int threads_agree(int type, const char *solver)
{
	(void)type;
	char name[ROW_CHARS];
	int other = 0;
	uint64_t one = hash_with(1);
	for (int threads = 2; threads <= 4; threads++)
		other += hash_with(threads) != one;
	return evidence(row_of(name, solver, "2 to 4 threads that give other bits than one"), other, 0, 0, "",
			"dam break, 0.25 s");
}

static void threads_give_the_same_bits(void **state)
{
	(void)state;
	with_each_solver(threads_agree);
}

// A world that is restored within a frame goes on as the one that it was taken from.
static int snapshot_goes_on(int type, const char *solver)
{
	(void)type;
	char name[ROW_CHARS];
	scene s;
	small_dam(&s);
	spate_world *w = scene_create(&s), *again = NULL;
	spate_snapshot *snapshot = NULL;
	run_until(w, 0.16);
	step(w);
	check_ok(spate_snapshot_take(&snapshot, w, NULL));
	check_ok(spate_world_create_empty(&again, &s.def, NULL));
	check_ok(spate_snapshot_restore(again, snapshot, NULL));
	int other = 0, steps = 0;
	for (; steps < 40; steps++)
	{
		step(w);
		step(again);
		other += spate_world_hash(w) != spate_world_hash(again) ||
			 spate_world_stats(w)->density_error_avg != spate_world_stats(again)->density_error_avg;
	}
	spate_snapshot_destroy(snapshot);
	spate_world_destroy(again);
	spate_world_destroy(w);
	return evidence(row_of(name, solver, "steps after a snapshot that give other bits"), other, 0, 0, "",
			"dam break, restored within a frame, 40 steps");
}

static void snapshots_go_on(void **state)
{
	(void)state;
	with_each_solver(snapshot_goes_on);
}

// ----------------------------------------------------------------------------------------------------------- what is said

// Reported errors are those of the channel density, and at the end of a frame of the places that it has.
static int reports_are_of_the_channel(int type, const char *solver)
{
	(void)type;
	char name[ROW_CHARS];
	scene s;
	small_dam(&s);
	spate_world *w = scene_create(&s);
	run_until(w, 0.3);
	const spate_store *store = spate_world_store(w);
	double sum = 0;
	for (uint32_t row = 0; row < store->rows; row++)
		sum += fmax((double)store->density[row] / 1000 - 1, 0);
	double mean = sum / count_of(w), reported = spate_world_stats(w)->density_error_avg;
	spate_world_destroy(w);
	return evidence(row_of(name, solver, "reported density error"), 100 * reported, 100 * mean, 1e-3, "%",
			"against the mean of the channel density");
}

static void reports_are_true(void **state)
{
	(void)state;
	with_each_solver(reports_are_of_the_channel);
}

// ----------------------------------------------------------------------------------------------------------------- waves

static int wave_is_reported(int type, const char *solver)
{
	(void)type;
	char name[ROW_CHARS];
	const wave_tank t = {.length = 1, .depth = 0.5, .height = 0.03, .layers = 10, .across = 3};
	double kept = NAN, period = wave_period(&t);
	swing record = wave_tank_run(&t, 1.5);
	double measured = swing_fit(&record, period, &kept);
	int good =
	    evidence_compare(row_of(name, solver, "standing wave, 10 layers, period"), measured, period, "s", "");
	good &= evidence_report(row_of(name, solver, "standing wave, 10 layers, amplitude after a period"), kept, "",
				"of that before");
	return good;
}

static void waves_are_reported(void **state)
{
	(void)state;
	with_each_solver(wave_is_reported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(columns_are_borne),  cmocka_unit_test(collisions_keep_momentum),
	    cmocka_unit_test(energy_never_rises), cmocka_unit_test(threads_give_the_same_bits),
	    cmocka_unit_test(snapshots_go_on),    cmocka_unit_test(reports_are_true),
	    cmocka_unit_test(waves_are_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
