// Liquid in motion, against formulas and experiments.
#include "scene.h"

// A column of width a and height 2 a that is set free, in a world `scale` times as large and `shift` metres away.
static spate_world *dam(double scale, double shift, int across, spate_fluid_def fluid)
{
	const double a = 0.1 * scale;
	scene s;
	scene_init(&s, a / across);
	s.fluids[0] = fluid;
	s.fluids[0].spacing = a / across;
	s.def.fps = 96 / sqrt(scale);
	add_collider(&s, box_shape(shift, shift, shift, shift + 8 * a, shift + 4 * a, shift + a),
		     SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(shift, shift, shift, shift + a, shift + 2 * a, shift + a));
	add_probe(&s, "toe", SPATE_PROBE_FRONT)->direction[0] = 5;
	spate_world *w = scene_create(&s);
	// settling takes a fraction of a spacing
	check_near((probe_value(w, "toe.front") - shift) / a, 1, 0.4 / across);
	return w;
}

// Potential flow of a column twice as high as wide that is set free at once: walls are smooth by default, so that this is the limit of
// fine particles. Made by tools/potential_dam.py.
static void front_runs_as_without_friction(void **state)
{
	(void)state;
	static const double expected[][2] = {{0.5, 1.178},  {0.75, 1.348}, {1, 1.557},
					     {1.25, 1.798}, {1.5, 2.067},  {1.75, 2.361}};
	spate_world *w = dam(1, 0, 10, spate_default_fluid_def());
	double before = 1, unit = sqrt(0.1 / (2 * 9.81));
	for (size_t k = 0, frame = 0; k < sizeof expected / sizeof *expected;)
	{
		double old = before;
		run_frame(w);
		frame++;
		before = probe_value(w, "toe.front") / 0.1;
		for (; k < sizeof expected / sizeof *expected && expected[k][0] * unit <= (double)frame / 96; k++)
		{
			double part = expected[k][0] * unit * 96 - (double)(frame - 1);
			check_near(old + part * (before - old), expected[k][1], 0.06 * expected[k][1]);
		}
	}
	spate_world_destroy(w);
}

static void energy_does_not_rise(void **state)
{
	(void)state;
	spate_world *w = dam(1, 0, 10, spate_default_fluid_def());
	double start = spate_world_stats(w)->potential_energy, lowest = start, mass = 2000 * 1000 * 1e-6, largest = 0;
	// from a column of height 0.2 to a sheet of 0.025
	double range = mass * 9.81 * (0.1 - 0.0125);
	while (spate_world_time(w) < 1.2)
	{
		step(w);
		double energy = spate_world_stats(w)->kinetic_energy + spate_world_stats(w)->potential_energy;
		largest = fmax(largest, energy - lowest);
		lowest = fmin(lowest, energy);
	}
	check_near(start, mass * 9.81 * 0.1, 5e-3 * start);
	if (!(largest < 0.01 * range))
		fail_msg("energy rose by %g J of a range of %g J", largest, range);
	assert_true(lowest < start - 0.3 * range);
	assert_int_equal(spate_world_stats(w)->outside, 0);
	spate_world_destroy(w);
}

// Froude's law: in a world s times as large everything takes sqrt(s) times as long. And it does not matter where the world is.
static void size_and_place_do_not_matter(void **state)
{
	(void)state;
	const double scales[] = {1, 0.01, 10, 1}, shifts[] = {0, 0, 0, 500.3};
	spate_fluid_def plain = spate_default_fluid_def();
	plain.viscosity = plain.surface_tension = plain.cohesion = 0; // each brings a length of its own
	spate_world *w[4];
	for (int k = 0; k < 4; k++)
		w[k] = dam(scales[k], shifts[k], 10, plain);
	for (int frame = 0; frame < 30; frame++)
	{
		double front[4];
		for (int k = 0; k < 4; k++)
		{
			run_frame(w[k]);
			front[k] = (probe_value(w[k], "toe.front") - shifts[k]) / (0.1 * scales[k]);
			// rounding decides the way of single particles later on, and so the error that substeps are chosen by
			check_near(front[k], front[0], (frame < 6 ? 1e-5 : 0.01) * front[0]);
			if (frame < 6)
				assert_int_equal(spate_world_stats(w[k])->step, spate_world_stats(w[0])->step);
		}
	}
	for (int k = 0; k < 4; k++)
		spate_world_destroy(w[k]);
}

// Two blobs, also of different density, collide off centre in empty space.
static void collisions_keep_momentum(void **state)
{
	(void)state;
	for (int ratio = 1; ratio <= 10; ratio += 9)
	{
		scene s;
		scene_init(&s, 0.02);
		memset(s.def.gravity, 0, sizeof s.def.gravity);
		s.def.fluid_count = 2;
		s.fluids[1].density = 1000.0 * ratio;
		spate_source_def *one = add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {-0.12, 0, 0}, {0, 0, 0}, 0.1});
		spate_source_def *two =
		    add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0.12, 0.05, 0}, {0, 0, 0}, 0.1});
		one->velocity[0] = 2, two->velocity[0] = -1, two->velocity[2] = 0.3;
		two->fluid = 1;
		spate_world *w = scene_create(&s);
		spate_step_stats before = *spate_world_stats(w);
		// what both carry, added without signs
		double size = fabs(before.momentum[0]), mass = 0;
		for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
			mass += (spate_world_store(w)->fluid[row] ? ratio : 1) * 1000 * 0.02 * 0.02 * 0.02;
		size += mass;
		double squeezed = 0;
		while (spate_world_time(w) < 0.25)
		{
			step(w);
			const spate_step_stats *now = spate_world_stats(w);
			for (int k = 0; k < 3; k++)
				check_near((now->momentum[k] - before.momentum[k]) / size, 0, 1e-5);
			squeezed = fmax(squeezed, now->density_error_max);
		}
		assert_true(squeezed > 0.02);
		assert_true(spate_world_stats(w)->kinetic_energy < before.kinetic_energy);
		assert_int_equal(spate_world_stats(w)->removed, 0);
		spate_world_destroy(w);
	}
}

// One particle falls on a floor and leaves it at its share of the speed.
static void drop_bounces(void **state)
{
	(void)state;
	for (int tenths = 0; tenths <= 10; tenths += 5)
	{
		scene s;
		scene_init(&s, 0.1);
		s.def.solver.substeps = 40;
		add_fill(&s, box_shape(-0.05, 1, -0.05, 0.05, 1.1, 0.05));
		add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE)
		    ->bounce = tenths / 10.0;
		spate_world *w = scene_create(&s);
		assert_int_equal(spate_world_store(w)->rows, 1);
		double down = 0, up = 0;
		for (int k = 0; k < 600 && up <= 0; k++)
		{
			step(w);
			double v = (double)spate_world_store(w)->velocity[0].y;
			down = fmin(down, v);
			up = v > 0 ? v : 0;
		}
		// it fell for a metre
		check_near(down, -sqrt(2 * 9.81), 0.02 * sqrt(2 * 9.81));
		check_near(up, -down * tenths / 10, 0.02 * -down);
		spate_world_destroy(w);
	}
}

// A piston that sweeps through a tank takes the liquid along and keeps it out of itself.
static void piston_pushes_liquid(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.02);
	const spate_keyframe keys[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {0.5, {0.2, 0, 0}, {0, 0, 0}, 1}};
	add_collider(&s, box_shape(0, 0, 0, 0.6, 0.6, 0.2), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.6, 0.1, 0.2));
	spate_collider_def *piston = add_collider(&s, box_shape(-0.2, -0.1, -0.1, 0, 0.7, 0.3), SPATE_COLLIDER_OUTSIDE);
	piston->motion.keyframes = keys, piston->motion.keyframe_count = 2;
	spate_world *w = scene_create(&s);
	run_until(w, 0.5);
	const spate_store *store = spate_world_store(w);
	double nearest = INFINITY;
	for (uint32_t row = 0; row < store->rows; row++)
		nearest = fmin(nearest, (double)store->position[row].x + spate_world_origin(w)[0] - 0.2);
	if (!(nearest > 0.249 * 0.02))
		fail_msg("a particle is %g m from the piston", nearest);
	assert_int_equal(spate_world_stats(w)->outside, 0);
	assert_true(spate_world_stats(w)->momentum[0] > 0);
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(front_runs_as_without_friction),
	    cmocka_unit_test(energy_does_not_rise),
	    cmocka_unit_test(size_and_place_do_not_matter),
	    cmocka_unit_test(collisions_keep_momentum),
	    cmocka_unit_test(drop_bounces),
	    cmocka_unit_test(piston_pushes_liquid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
