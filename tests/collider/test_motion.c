// Motions over time: interpolation, swings, and the bounds of their speeds.
#include "check.h"
#include "collider/motion.h"

static const double no_origin[3] = {0, 0, 0}, pi = 3.14159265358979323846;
static const spate_keyframe keys[] = {
    {0, {0, 0, 0}, {0, 0, 0}, 1}, {2, {1, 0, 0}, {0, 0, 90}, 1}, {3, {1, 2, 0}, {0, 0, 0}, 1}};

static double x_at(const spate_motion *m, double time)
{
	return motion_placement(m, no_origin, time).translation[0];
}

static void keyframes_are_joined_as_asked(void **state)
{
	(void)state;
	spate_motion m = {.keyframes = keys, .keyframe_count = 3};
	check_near(x_at(&m, 0.5), 0.25, 1e-15);
	m.between = SPATE_BETWEEN_SMOOTH;
	check_near(x_at(&m, 0.5), 0.15625, 1e-15);
	check_near(x_at(&m, 1), 0.5, 1e-15);
	check_near(x_at(&m, 1.5), 0.84375, 1e-15);
	// at rest at both ends, fastest in the middle
	check_near((x_at(&m, 1e-4) - x_at(&m, 0)) / 1e-4, 0, 1e-3);
	check_near((x_at(&m, 2) - x_at(&m, 2 - 1e-4)) / 1e-4, 0, 1e-3);
	check_near((x_at(&m, 1 + 1e-4) - x_at(&m, 1 - 1e-4)) / 2e-4, 0.75, 1e-6);
	m.between = SPATE_BETWEEN_STEP;
	check_near(x_at(&m, 1.999), 0, 0);
	check_near(x_at(&m, 2), 1, 0);
	check_near(motion_placement(&m, no_origin, 2.5).rotation[3], 1, 1e-15);
}

// A jump moves the collider within a substep, and has no velocity.
static void jumps_have_no_velocity(void **state)
{
	(void)state;
	spate_motion m = {
	    .keyframes = keys, .keyframe_count = 3, .between = SPATE_BETWEEN_STEP, .frequency = 1, .turn_frequency = 1};
	pose_source source;
	spate_error error = {0};
	check_ok(pose_source_of_motion(&source, &m, no_origin, &error));
	placement before, now;
	check_ok(source.type->place(source.self, 1.95, 2.05, &before, &now, &error));
	assert_memory_equal(&before, &now, sizeof now);
	check_near(now.translation[0], 1, 0);
	check_near(motion_speed(&m, 1, 1.95, 2.05), 0, 0);
	source.type->destroy(source.self);
	// with a swing, that has one
	m.amplitude = 0.5;
	m.direction[2] = 1;
	check_ok(pose_source_of_motion(&source, &m, no_origin, &error));
	check_ok(source.type->place(source.self, 1.95, 2.05, &before, &now, &error));
	check_near(now.translation[0] - before.translation[0], 0, 0);
	check_near(now.translation[2] - before.translation[2], sin(0.1 * pi), 1e-12);
	source.type->destroy(source.self);
}

static void rotary_swings_about_its_axis(void **state)
{
	(void)state;
	spate_motion m = {.axis = {0, 0, 2}, .turn = 30, .turn_frequency = 0.5, .turn_start = 1, .pivot = {1, 1, 0}};
	assert_true(motion_moves(&m));
	const struct
	{
		double time, degrees;
	} cases[] = {{0.5, 0}, {1, 0}, {1.5, 30}, {2, 0}, {2.5, -30}, {1 + 1.0 / 6, 15}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
	{
		placement p = motion_placement(&m, no_origin, cases[k].time);
		double c = cos(cases[k].degrees * pi / 180), s = sin(cases[k].degrees * pi / 180);
		const double expected[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
		for (int i = 0; i < 9; i++)
			check_near(p.rotation[i], expected[i], 1e-12);
		// the pivot stays, and a point beside it goes round
		check_near(p.translation[0] + c - s, 1, 1e-12);
		check_near(p.translation[1] + s + c, 1, 1e-12);
	}
	// any axis: the same as the rotation of a keyframe, and on top of it
	spate_motion z = {.axis = {0, 3, 0}, .turn = 40, .turn_frequency = 0.25, .turn_phase = 20};
	double angle = 40 * (sin(0.5 * pi * 0.7 + 20 * pi / 180) - sin(20 * pi / 180));
	double r[9], first[9], both[9];
	motion_rotation((const double[]){0, angle, 0}, r);
	placement p = motion_placement(&z, no_origin, 0.7);
	for (int i = 0; i < 9; i++)
		check_near(p.rotation[i], r[i], 1e-12);
	const spate_keyframe turned = {0, {0, 0, 0}, {10, 20, 30}, 1};
	z.keyframes = &turned;
	z.keyframe_count = 1;
	motion_rotation(turned.rotation, first);
	for (int i = 0; i < 9; i++)
		both[i] = r[i / 3 * 3] * first[i % 3] + r[i / 3 * 3 + 1] * first[3 + i % 3] +
			  r[i / 3 * 3 + 2] * first[6 + i % 3];
	p = motion_placement(&z, no_origin, 0.7);
	for (int i = 0; i < 9; i++)
		check_near(p.rotation[i], both[i], 1e-12);
}

// Sampled speeds of a point stay below the bound, and come near it.
static void bounds_hold(void **state)
{
	(void)state;
	const spate_motion motions[] = {
	    {.keyframes = keys, .keyframe_count = 3, .between = SPATE_BETWEEN_SMOOTH},
	    {.keyframes = keys, .keyframe_count = 3},
	    {.axis = {0, 0, 1}, .turn = 50, .turn_frequency = 0.7, .turn_phase = 30, .turn_start = 0.3},
	    {.axis = {0, 0, 1},
	     .turn = 50,
	     .turn_frequency = 0.7,
	     .direction = {0, 1, 0},
	     .amplitude = 0.1,
	     .frequency = 2}};
	for (size_t k = 0; k < sizeof motions / sizeof *motions; k++)
	{
		double reached = 0;
		for (int i = 0; i < 300; i++)
		{
			const double dt = 1e-4, time = 0.01 * i;
			placement a = motion_placement(&motions[k], no_origin, time),
				  b = motion_placement(&motions[k], no_origin, time + dt);
			double moved = hypot(b.translation[0] - a.translation[0] + b.rotation[0] - a.rotation[0],
					     b.translation[1] - a.translation[1] + b.rotation[3] - a.rotation[3]);
			double bound = motion_speed(&motions[k], 1, time, time + dt);
			if (!(moved / dt <= bound * (1 + 1e-6) + 1e-9))
				fail_msg("motion %zu has %.9g m/s at %g s, above the bound %.9g", k, moved / dt, time,
					 bound);
			reached = fmax(reached, bound > 0 ? moved / dt / bound : 0);
		}
		assert_true(reached > 0.4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keyframes_are_joined_as_asked),
	    cmocka_unit_test(jumps_have_no_velocity),
	    cmocka_unit_test(rotary_swings_about_its_axis),
	    cmocka_unit_test(bounds_hold),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
