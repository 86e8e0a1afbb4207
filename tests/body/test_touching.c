// Bodies that touch in the liquid: stacks that float, stacks on the ground, and a crate in a tank that moves.
#include "body_scene.h"

// A box on a wider one floats; together they displace what they weigh.
static void stack_floats(void **state)
{
	(void)state;
	const double d = 0.03;
	body_scene s;
	body_scene_init(&s, d);
	add_collider(&s.scene, box_shape(0, 0, 0, 0.72, 1, 0.72), SPATE_COLLIDER_INSIDE);
	add_fill(&s.scene, box_shape(0, 0, 0, 0.72, 0.3, 0.72));
	add_body(&s, box_shape(0.18, 0.21, 0.18, 0.54, 0.36, 0.54), NULL, 400)->friction = 0.6;
	add_body(&s, box_shape(0.27, 0.36, 0.27, 0.45, 0.42, 0.45), NULL, 600)->friction = 0.6;
	spate_world *w = scene_create(&s.scene);
	run_until(w, 2);
	spate_body_state low = body_state(w, 0), high = body_state(w, 1);
	double weight = low.mass + high.mass, draft = weight / (1000 * 0.36 * 0.36);
	double volume = spate_store_count(spate_world_store(w)) * d * d * d + draft * 0.36 * 0.36;
	double found = volume / (0.72 * 0.72) - (low.position[1] - 0.075);
	print_message("draft %.4f m, weight needs %.4f m; gap %.4f m, shifted by %.4f m, tilts %.2f and %.2f degrees\n",
		      found, draft, high.position[1] - low.position[1] - 0.105,
		      hypot(high.position[0] - low.position[0], high.position[2] - low.position[2]),
		      acos(fmin(body_axis(&low, 1), 1)) * 57.3, acos(fmin(body_axis(&high, 1), 1)) * 57.3);
	check_near(found, draft, 0.15 * draft);
	check_near(high.position[1] - low.position[1], 0.105, 0.004);
	assert_true(hypot(high.position[0] - low.position[0], high.position[2] - low.position[2]) < 0.02);
	assert_true(body_axis(&low, 1) > cos(5 / 57.3));
	spate_world_destroy(w);
}

// Under water they press on each other and on the ground with what they weigh there, and stay.
static void stack_lies_under_water(void **state)
{
	(void)state;
	body_scene s;
	body_scene_init(&s, 0.03);
	add_collider(&s.scene, box_shape(0, 0, 0, 0.6, 1, 0.6), SPATE_COLLIDER_INSIDE);
	add_fill(&s.scene, box_shape(0, 0, 0, 0.6, 0.36, 0.6));
	add_body(&s, box_shape(0.18, 0, 0.18, 0.42, 0.12, 0.42), NULL, 2000);
	add_body(&s, box_shape(0.21, 0.12, 0.21, 0.39, 0.24, 0.39), NULL, 1300);
	spate_world *w = scene_create(&s.scene);
	run_until(w, 1);
	spate_body_state low = body_state(w, 0), high = body_state(w, 1);
	print_message("at %.5f and %.5f m, speeds %.2g and %.2g m/s\n", low.position[1], high.position[1],
		      low.velocity[1], high.velocity[1]);
	check_near(low.position[1], 0.06, 0.001);
	check_near(high.position[1], 0.18, 0.002);
	assert_true(fabs(high.velocity[1]) < 0.01);
	assert_true(hypot(high.position[0] - 0.3, high.position[2] - 0.3) < 0.005);
	spate_world_destroy(w);
}

// A light plate on the ground under a falling column of water does not give way: its floor holds it.
static void ground_holds_a_light_plate(void **state)
{
	(void)state;
	body_scene s;
	body_scene_init(&s, 0.03);
	add_collider(&s.scene, box_shape(0, 0, 0, 0.36, 1.5, 0.36), SPATE_COLLIDER_INSIDE);
	add_fill(&s.scene, box_shape(0.09, 0.3, 0.09, 0.27, 0.6, 0.27));
	add_body(&s, box_shape(0.06, 0, 0.06, 0.3, 0.06, 0.3), NULL, 50);
	spate_world *w = scene_create(&s.scene);
	double lowest = 1;
	while (spate_world_time(w) < 0.32)
	{
		step(w);
		lowest = fmin(lowest, body_state(w, 0).position[1]);
	}
	print_message("the plate was pressed down by %.2g m\n", 0.03 - lowest);
	assert_true(lowest > 0.03 - 0.003);
	spate_world_destroy(w);
}

static void crate_stays_in_a_moving_tank(void **state)
{
	(void)state;
	body_scene s;
	body_scene_init(&s, 0.03);
	spate_motion *motion = &add_collider(&s.scene, box_shape(0, 0, 0, 0.6, 1, 0.36), SPATE_COLLIDER_INSIDE)->motion;
	motion->direction[0] = 1, motion->amplitude = 0.1, motion->frequency = 0.8;
	add_fill(&s.scene, box_shape(0, 0, 0, 0.6, 0.24, 0.36));
	add_body(&s, box_shape(0.2, 0.18, 0.09, 0.38, 0.3, 0.27), NULL, 500);
	spate_world *w = scene_create(&s.scene);
	double fastest = 0, out = -1;
	while (spate_world_time(w) < 1.5)
	{
		step(w);
		spate_body_state crate = body_state(w, 0);
		spate_pose tank;
		spate_error error = {0};
		check_ok(spate_world_pose(w, 0, &tank, &error));
		double x = crate.position[0] - tank.position[0];
		out = fmax(out, fmax(0.05 - x, x - 0.55));
		fastest = fmax(fastest, spate_world_stats(w)->speed_max);
	}
	print_message("fastest particle %.2f m/s, the crate came within %.3f m of the ends\n", fastest, -out + 0.05);
	assert_true(out < 0);
	// the tank moves at 0.5 m/s at most, and water falls by no more than 0.24 m
	assert_true(fastest < 3 * sqrt(2 * 9.81 * 0.24));
	spate_world_destroy(w);
}

int main(void)
{
	if (!has_ode())
		return skip_program_without("ODE");
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(stack_floats),
	    cmocka_unit_test(stack_lies_under_water),
	    cmocka_unit_test(ground_holds_a_light_plate),
	    cmocka_unit_test(crate_stays_in_a_moving_tank),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
