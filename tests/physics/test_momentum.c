// Liquid in empty space keeps its momentum whatever its particles do to each other.
#include "measure.h"

// ----------------------------------------------------------------------------------------------------------- collision

// Two blobs of different density, thick and with surface tension, hit each other off centre.
static double largest_change(spate_viscosity_model model)
{
	scene s;
	scene_init(&s, 0.01);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.def.solver.viscosity_model = model;
	spate_solver_set(&s.def.solver, "warm_start", 0.3, NULL); // where the solver has it
	s.def.fluid_count = 2;
	s.fluids[1].density = 3000;
	s.fluids[0].viscosity = 0.001, s.fluids[1].viscosity = 0.01;
	s.fluids[0].cohesion = 1, s.fluids[1].cohesion = 0.5;
	spate_source_def *one = add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {-0.08, 0, 0}, {0, 0, 0}, 0.06});
	spate_source_def *two = add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0.08, 0.03, 0}, {0, 0, 0}, 0.06});
	one->velocity[0] = 2, two->velocity[0] = -1, two->velocity[2] = 0.3;
	two->fluid = 1;
	spate_world *w = scene_create(&s);
	momentum_watch watch = momentum_watch_make(w, s.fluids, 0.01);
	while (spate_world_time(w) < 0.2)
	{
		step(w);
		momentum_watch_look(&watch, w);
	}
	assert_true(watch.squeezed > 0.02); // they did meet
	assert_int_equal(spate_world_stats(w)->removed, 0);
	spate_world_destroy(w);
	return watch.change;
}

// A light blob flies into a heavy one at rest, which moves the less the heavier it is. Change of momentum as a share of
// what the light one brings.
static double change_by_ratio(double ratio)
{
	scene s;
	scene_init(&s, 0.01);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.def.fluid_count = 2;
	s.fluids[1].density = s.fluids[0].density / ratio;
	add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {-0.06, 0, 0}, {0, 0, 0}, 0.05});
	spate_source_def *light = add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0.06, 0.02, 0}, {0, 0, 0}, 0.05});
	light->velocity[0] = -1;
	light->fluid = 1;
	spate_world *w = scene_create(&s);
	momentum_watch watch = momentum_watch_make(w, s.fluids, 0.01);
	while (spate_world_time(w) < 0.15)
	{
		step(w);
		momentum_watch_look(&watch, w);
	}
	double before = -watch.start[0], left = 0;
	const spate_store *store = spate_world_store(w);
	for (uint32_t row = 0; row < store->rows; row++)
		left -= store->fluid[row] == 1 ? (double)store->velocity[row].x * s.fluids[1].density * 1e-6 : 0;
	assert_true(left < 0.8 * before); // they did meet
	assert_int_equal(spate_world_stats(w)->removed, 0);
	spate_world_destroy(w);
	return watch.change;
}

static void inertia_is_true(void **state)
{
	(void)state;
	int good = 1;
	for (int ratio = 100; ratio <= 1000; ratio *= 10)
	{
		char name[96];
		snprintf(name, sizeof name, "light blob against a heavy one, 1:%d, change of momentum", ratio);
		good &= evidence_at_most(name, 100 * change_by_ratio(ratio), 1, "%", "of what the light one brings");
	}
	assert_true(good);
}

static void collisions_keep_momentum(void **state)
{
	(void)state;
	int good = evidence_at_most("collision of two blobs, change of momentum, xsph",
				    largest_change(SPATE_VISCOSITY_XSPH), 1e-5, "",
				    "densities 1:3, viscosity, surface tension, warm start; of the sum of all momenta");
	good &= evidence_at_most("collision of two blobs, change of momentum, pairwise",
				 largest_change(SPATE_VISCOSITY_PAIRWISE), 1e-5, "", "likewise");
	assert_true(good);
}

// ------------------------------------------------------------------------------------------------------------ rotation

// Part of its angular momentum that a spinning ball loses in half a second.
static double lost_spin(spate_viscosity_model model, double viscosity)
{
	scene s;
	scene_init(&s, 0.01);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.def.solver.viscosity_model = model;
	s.fluids[0].viscosity = viscosity;
	add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0.1});
	spate_world *w = scene_create(&s);
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		spate_world_store(w)->velocity[row] = (vec4){(float)(-3 * p[1]), (float)(3 * p[0]), 0, 0};
	}
	double start = 0;
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		start += 1e-3 * 3 * (p[0] * p[0] + p[1] * p[1]);
	}
	run_until(w, 0.5);
	double lost = 1 - spate_world_stats(w)->angular_momentum[2] / start;
	spate_world_destroy(w);
	return lost;
}

// Nothing outside the ball takes its spin, however thick it is.
static void balls_keep_their_spin(void **state)
{
	(void)state;
	static const char *const models[] = {"xsph", "pairwise"};
	const char *ball = "ball of 0.1 m at 3 rad/s for 0.5 s";
	double lost[2];
	int good = 1;
	for (int model = 0; model < 2; model++)
		for (int thick = 0; thick < 2; thick++)
		{
			char name[96];
			lost[thick] = 100 * lost_spin((spate_viscosity_model)model, thick ? 0.01 : 1e-6);
			snprintf(name, sizeof name, "spinning ball of %s, angular momentum lost, %s",
				 thick ? "0.01 m^2/s" : "water", models[model]);
			good &= evidence(name, lost[thick], 0, 1, "%", ball);
		}
	good &= evidence("spinning ball, angular momentum lost to viscosity alone, pairwise", lost[1] - lost[0], 0, 1,
			 "%", ball);
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(collisions_keep_momentum),
	    cmocka_unit_test(inertia_is_true),
	    cmocka_unit_test(balls_keep_their_spin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
