// What every solver of the table does in larger cases, side by side, and that it survives the example scenes or refuses them.
#include "coarse_scenes.h"
#include "dam_column.h"
#include "each_solver.h"
#include "wave_tank.h"

#include "spate/check.h"

// ------------------------------------------------------------------------------------------------------------- Poiseuille

static const double spacing = 0.01, height = 0.1, width = 0.05, viscosity = 0.005, length = 0.4, push = 0.2;

// A slab of thick liquid between two plates that it sticks to, pushed along them.
static spate_world *make_channel(scene *s)
{
	scene_init(s, spacing);
	memset(s->def.gravity, 0, sizeof s->def.gravity);
	s->def.gravity[0] = push;
	s->fluids[0].viscosity = viscosity;
	s->fluids[0].surface_tension = 0; // it would round the ends
	add_collider(s, box_shape(-3, -1, 0, 3, 1, width), SPATE_COLLIDER_INSIDE);
	for (int k = 0; k < 2; k++)
	{
		double y = k ? height : -0.1;
		add_collider(s, box_shape(-2, y, -0.2, 2, y + 0.1, width + 0.2), SPATE_COLLIDER_OUTSIDE)->slip = 0;
	}
	add_fill(s, box_shape(-length / 2, 0, 0, length / 2, height, width));
	return scene_create(s);
}

// Root of the mean square of what velocities in the middle differ by from the parabola, relative to its top (%).
static double parabola_error(spate_world *w)
{
	const spate_store *store = spate_world_store(w);
	double sum = 0, count = 0, middle = mean_place(w, 0, -1), most = push / (8 * viscosity) * height * height;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		if (fabs(p[0] - middle) > 0.2 * length)
			continue;
		double u = push / (2 * viscosity) * p[1] * (height - p[1]);
		sum += pow((double)store->velocity[row].x - u, 2);
		count++;
	}
	return 100 * sqrt(sum / count) / most;
}

static int channel_flow(int type, const char *solver)
{
	char name[ROW_CHARS];
	scene s;
	spate_world *w = make_channel(&s);
	run_until(w, 1);
	double error = parabola_error(w);
	spate_world_destroy(w);
	row_of(name, solver, "plane Poiseuille flow, deviation from the parabola");
	if (!solver_table(type)->shear)
		return evidence_report(name, error, "%", "rms; not judged: this solver has no wall shear");
	return evidence_at_most(name, error, 5, "%", "rms, 10 particles across, after 1 s");
}

static void plates_hold_the_liquid_back(void **state)
{
	(void)state;
	with_each_solver(channel_flow);
}

// ------------------------------------------------------------------------------------------------------ waves and fronts

static int wave_goes_on(int type, const char *solver)
{
	(void)type;
	char name[ROW_CHARS];
	const wave_tank t = {.length = 1, .depth = 0.5, .height = 0.02, .layers = 20, .across = 4};
	double kept = NAN, period = wave_period(&t);
	swing record = wave_tank_run(&t, 2);
	double measured = swing_fit(&record, period, &kept);
	int good =
	    evidence_compare(row_of(name, solver, "standing wave, 20 layers, period"), measured, period, "s", "");
	good &= evidence_report(row_of(name, solver, "standing wave, 20 layers, amplitude after a period"), kept, "",
				"of that before");
	return good;
}

static void waves_go_on(void **state)
{
	(void)state;
	with_each_solver(wave_goes_on);
}

static int front_runs(int type, const char *solver)
{
	(void)type;
	char name[ROW_CHARS], what[96];
	run r = run_dam(20, 0);
	int good = 1;
	for (int e = 0; e < EXPERIMENTS; e++)
	{
		double mean, largest = compare(&r, experiments[e].points, experiments[e].count, 1.5, &mean);
		snprintf(what, sizeof what, "dam break 20 across, %s, largest deviation", experiments[e].name);
		good &=
		    evidence_report(row_of(name, solver, what), largest, "%",
				    "front from T = 1.5 on; default walls are smooth, those of experiments are not");
		snprintf(what, sizeof what, "dam break 20 across, %s, mean deviation", experiments[e].name);
		good &= evidence_report(row_of(name, solver, what), mean, "%", "");
	}
	good &= evidence_at_most(row_of(name, solver, "dam break 20 across, largest rise of energy"), 100 * r.rise, 1,
				 "%", "of what the column can give");
	good &= evidence_at_most(row_of(name, solver, "dam break 20 across, particles outside"), r.outside, 0, "", "");
	return good;
}

static void fronts_are_reported(void **state)
{
	(void)state;
	with_each_solver(front_runs);
}

// --------------------------------------------------------------------------------------------------------- example scenes

enum
{
	FEW = 1500, // particles
	FRAMES = 10
};

typedef struct tally
{
	int run, refused, broken;
	double lost; // particles
	char worst[256];
} tally;

// Whether check accepts a scene with a solver; prints why not.
static int is_accepted(const char *path, const char *solver)
{
	char type[64];
	snprintf(type, sizeof type, "solver.type=%s", solver);
	const char *overrides[] = {type};
	spate_check_def def = spate_default_check_def();
	def.path = path;
	def.overrides = overrides;
	def.override_count = 1;
	spate_check check = {0};
	spate_error error = {0};
	spate_result result = spate_check_run(&def, &check, &error);
	const char *why = error.text;
	for (uint32_t k = 0; k < check.problems.count && result == SPATE_SCENE; k++)
		if (!check.problems.items[k].warning)
			why = check.problems.items[k].text;
	if (result != SPATE_OK)
		printf("%s: %s refused: %s\n", solver, path, why);
	assert_true(result == SPATE_OK || (result == SPATE_SCENE && *why));
	spate_check_free(&check);
	return result == SPATE_OK;
}

// Ten frames; the particles that were lost to the runaway policy, or -1 if it could not be run or has energy that is no number.
static double lose(const char *path, int type)
{
	spate_scene loaded;
	spate_error error = {0};
	spate_world *w = NULL;
	load_coarse(&loaded, path, FEW, spate_solver_name(type));
	loaded.world.threads = 2;
	double lost = -1;
	spate_result result = spate_world_create(&w, &loaded.world, &error);
	while (result == SPATE_OK && spate_world_frame(w) < FRAMES)
		result = spate_world_step(w, NULL, &error);
	if (result == SPATE_OK && isfinite(energy_of(w)))
	{
		const spate_removed_by *by = &spate_world_stats(w)->removed_by;
		lost = (double)(by->too_fast + by->not_a_number + by->out_of_range + spate_world_stats(w)->clamped);
	}
	if (result != SPATE_OK)
		printf("%s: %s: %s\n", spate_solver_name(type), path, error.text);
	spate_world_destroy(w);
	spate_scene_free(&loaded);
	return lost;
}

static int scenes_survive(int type, const char *solver)
{
	static scene_names n;
	char folder[1024], path[2048], name[ROW_CHARS];
	n.count = 0;
	find_scenes(&n, scenes_folder(folder));
	tally t = {0};
	for (int k = 0; k < n.count; k++)
	{
		snprintf(path, sizeof path, "%s/%s", folder, n.text[k]);
		if (!is_accepted(path, solver))
		{
			t.refused++;
			continue;
		}
		double lost = lose(path, type);
		t.run++;
		t.broken += lost < 0;
		t.lost += fmax(lost, 0);
		if (lost != 0)
		{
			printf("%s: %s: %.0f particles lost\n", solver, n.text[k], lost);
			snprintf(t.worst, sizeof t.worst, "in %.200s", n.text[k]);
		}
	}
	int good = evidence_report(row_of(name, solver, "example scenes that check refuses"), t.refused, "",
				   "with a sentence each");
	good &= evidence_at_least(row_of(name, solver, "example scenes that run"), t.run, 1, "",
				  "10 frames each, with about 1500 particles");
	good &= evidence_at_most(row_of(name, solver, "example scenes that fail"), t.broken, 0, "", "");
	good &=
	    evidence_at_most(row_of(name, solver, "runaway particles of the example scenes"), t.lost, 0, "", t.worst);
	return good;
}

static void example_scenes_survive(void **state)
{
	(void)state;
	with_each_solver(scenes_survive);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(plates_hold_the_liquid_back),
	    cmocka_unit_test(waves_go_on),
	    cmocka_unit_test(fronts_are_reported),
	    cmocka_unit_test(example_scenes_survive),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
