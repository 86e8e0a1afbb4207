// Forces that probes measure: the weight of the liquid on its tank, and the buoyancy of a box.
#include "measured_forces.h"

// A tank of which all walls are one collider bears what is in it.
static void tank_bears_the_weight(void **state)
{
	(void)state;
	const double spacing = 0.02;
	scene s;
	scene_init(&s, spacing);
	add_collider(&s, box_shape(0, 0, 0, 0.4, 1, 0.4), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.4, 0.3, 0.4));
	add_probe(&s, "tank", SPATE_PROBE_FORCE)->collider = 0;
	spate_world *w = scene_create(&s);
	run_until(w, 0.5);
	static const char *const columns[] = {"tank.force_y", "tank.pressure_force_y", "tank.friction_force_y",
					      "tank.torque_x", "tank.torque_z"};
	double mean[5], weight = count_of(w) * 1000 * pow(spacing, 3) * 9.81;
	mean_of(w, 12, columns, 5, mean);
	const char *note = "0.4 m x 0.4 m, 0.3 m deep, spacing 2 cm; mean over 12 frames";
	int good = evidence("weight of the liquid on a tank", -mean[0], weight, 0.01 * weight, "N", note);
	good &= evidence("part of the weight that is pressure", -mean[1], weight, 0.01 * weight, "N", note);
	good &= evidence("part of the weight that is friction", -mean[2], 0, 0.001 * weight, "N", note);
	good &= evidence("lever arm of the weight along z", mean[3] / -mean[0], 0.2, 0.002, "m", note);
	good &= evidence("lever arm of the weight along x", mean[4] / mean[0], 0.2, 0.002, "m", note);
	spate_world_destroy(w);
	assert_true(good);
}

static void water_lifts_a_box(void **state)
{
	(void)state;
	const immersed box = {.shape = box_shape(-0.1, -0.1, -0.1, 0.1, 0.1, 0.1),
			      .width = 0.2,
			      .volume = 0.008,
			      .layers = 10,
			      .clear = 6};
	assert_true(check_buoyancy("box of 10 spacings", &box, 0.03));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tank_bears_the_weight),
	    cmocka_unit_test(water_lifts_a_box),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
