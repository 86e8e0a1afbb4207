// Surface tension in N/m of the projection solver, finer and longer cases than test_drops.c.
#include "drops.h"

static void drop_swings_as_rayleigh_says(void **state)
{
	(void)state;
	double kept = NAN, period = swing_period(10, 0, &kept);
	evidence_report("drop of water, lattice, R/d = 10, swing kept after a period", kept, "",
			"Rayleigh's damping keeps 0.99");
	int good = evidence("drop of water, lattice, R/d = 10, period", period, rayleigh_period(),
			    0.1 * rayleigh_period(), "s", "pulled long by a fifth; Rayleigh");
	period = swing_period(20, 1, &kept);
	evidence_report("drop of water, disordered, R/d = 20, swing kept after a period", kept, "",
			"Rayleigh's damping keeps 0.99");
	good &= evidence("drop of water, disordered, R/d = 20, period", period, rayleigh_period(),
			 0.05 * rayleigh_period(), "s", "pulled long by a fifth; Rayleigh");
	assert_true(good);
}

static void drop_has_laplace_pressure(void **state)
{
	(void)state;
	spate_world *w = make_drop(10, 1, 1e-6, 0);
	double pressure = 0;
	run_until(w, 0.1);
	for (int frame = 0; frame < 12; frame++)
	{
		run_frame(w);
		pressure += probe_value(w, "middle.pressure") / 12;
	}
	spate_world_destroy(w);
	assert_true(evidence("drop of water, R/d = 10, pressure inside", pressure, 2 * TENSION / RADIUS,
			     0.1 * 2 * TENSION / RADIUS, "Pa", "Laplace: 2 sigma / R; mean from 0.1 to 0.15 s"));
}

static void thick_drop_becomes_round(void **state)
{
	(void)state;
	spate_world *w = make_drop(10, 1.2, 1e-4, 0);
	run_until(w, 2);
	double ratio = sqrt(axes_squared(w));
	spate_world_destroy(w);
	assert_true(evidence("drop of 1e-4 m^2/s, R/d = 10, ratio of axes after 2 s", ratio, 1, 0.02, "",
			     "pulled long by a fifth"));
}

static void drops_stand_at_their_contact_angles(void **state)
{
	(void)state;
	int good = 1;
	for (int angle = 60; angle <= 120; angle += 30)
	{
		char name[96];
		snprintf(name, sizeof name, "drop on a plate of %d degrees without gravity, contact angle", angle);
		good &= evidence(name, angle_on_plate(angle), angle, 8, "degrees",
				 "R/d = 12, after 0.2 s; by the height of its centre of mass");
	}
	assert_true(good);
}

// A drop of 2 mm falls onto a plate of 90 degrees, flattens and comes up again.
static void drop_recoils(void **state)
{
	(void)state;
	const double across = 0.002, spacing = across / 16;
	scene s;
	drops_init(&s, spacing);
	s.def.gravity[1] = -9.81;
	s.def.fps = 2000;
	add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
	add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0.6 * across, 0}, {0, 0, 0}, 0.5 * across})->velocity[1] =
	    -0.5;
	spate_world *w = scene_create(&s);
	double lowest = INFINITY, recoil = 0;
	while (spate_world_time(w) < 0.02)
	{
		run_frame(w);
		double top = 0;
		for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
		{
			double p[3];
			place_of(w, row, p);
			top = fmax(top, p[1] + 0.5 * spacing);
		}
		if (top < lowest)
			lowest = top, recoil = 0;
		recoil = fmax(recoil, top);
	}
	spate_world_destroy(w);
	evidence_report("drop of 2 mm at 0.5 m/s, least height", lowest / across, "diameters", "");
	assert_true(evidence_at_least("drop of 2 mm at 0.5 m/s, height of its recoil", recoil / across, 0.7,
				      "diameters", "on a plate of 90 degrees; 16 particles across"));
}

// Half a wave of the length that grows fastest, 9 radii, on a column between two plates: it draws together at one of them.
static void column_breaks(void **state)
{
	(void)state;
	const double radius = 0.002, spacing = radius / 6, length = 4.5 * radius;
	scene s;
	drops_init(&s, spacing);
	add_collider(&s, box_shape(0, -0.01, -0.01, length, 0.01, 0.01), SPATE_COLLIDER_INSIDE);
	add_fill(&s, (spate_shape){SPATE_SHAPE_CYLINDER, {0, 0, 0}, {length, 0, 0}, radius});
	spate_world *w = scene_create(&s);
	spate_store *store = spate_world_store(w);
	const double *origin = spate_world_origin(w);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		double by = 1 + 0.1 * cos(pi * p[0] / length);
		store->position[row].y = (float)(by * p[1] - origin[1]);
		store->position[row].z = (float)(by * p[2] - origin[2]);
	}
	double reach = 0;
	while (spate_world_time(w) < 0.3 && reach < 2 * 2.6 * spacing)
	{
		run_frame(w);
		reach = INFINITY; // of the particle that is nearest to the far plate
		for (uint32_t row = 0; row < store->rows; row++)
		{
			double p[3];
			place_of(w, row, p);
			reach = fmin(reach, length - p[0]);
		}
	}
	double time = spate_world_time(w);
	spate_world_destroy(w);
	assert_true(evidence_at_most("column of water without gravity, radius 2 mm, time until it breaks", time, 0.2,
				     "s", "half a wave of 9 radii, 10 % at first; Rayleigh's growth takes 0.07 s"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(column_breaks),
	    cmocka_unit_test(drop_recoils),
	    cmocka_unit_test(drops_stand_at_their_contact_angles),
	    cmocka_unit_test(thick_drop_becomes_round),
	    cmocka_unit_test(drop_has_laplace_pressure),
	    cmocka_unit_test(drop_swings_as_rayleigh_says),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
