// How a frame is cut into substeps.
#include "scene.h"

#include "spate/log.h"

static void dam(scene *s)
{
	scene_init(s, 0.02);
	add_collider(s, box_shape(0, 0, 0, 1, 1, 0.2), SPATE_COLLIDER_INSIDE);
	add_fill(s, box_shape(0, 0, 0, 0.2, 0.4, 0.2));
}

static void fixed_substeps_are_exact(void **state)
{
	(void)state;
	const double rates[] = {24, 30, 29.97, 1000.0 / 16};
	for (int k = 0; k < 4; k++)
	{
		scene s;
		dam(&s);
		s.def.fps = rates[k];
		s.def.solver.substeps = 7;
		spate_world *w = scene_create(&s);
		check_near(spate_world_time(w), 0, 0);
		for (uint32_t n = 1; n <= 70; n++)
		{
			int done = -1;
			check_ok(spate_world_step(w, &done, NULL));
			const spate_step_stats *stats = spate_world_stats(w);
			assert_int_equal(done, n % 7 == 0);
			assert_int_equal(spate_world_frame(w), n / 7);
			assert_int_equal(stats->frame, (n + 6) / 7);
			assert_int_equal(stats->step, n);
			check_near(stats->dt, 1 / (7 * rates[k]), 1e-15);
			check_near(stats->time, n / (7 * rates[k]), 1e-12);
			// at frames the time is exact, not a sum
			if (done)
				assert_true(spate_world_time(w) == spate_world_frame(w) / rates[k]);
		}
		spate_world_destroy(w);
	}
}

static void travel_is_bounded(void **state)
{
	(void)state;
	const double cfl[] = {0, 0.1, 0.4};
	uint64_t steps[3];
	for (int k = 0; k < 3; k++)
	{
		scene s;
		dam(&s);
		s.def.solver.cfl = cfl[k];
		s.def.solver.max_substeps = 10000;
		spate_world *w = scene_create(&s);
		// a lone drop may travel 0.6 h, whatever the liquid may
		double limit = fmax(cfl[k], 0.6) * 0.04;
		while (spate_world_frame(w) < 12)
		{
			double before = spate_world_stats(w)->speed_max;
			step(w);
			double dt = spate_world_stats(w)->dt, travel = (before + 9.81 * dt) * dt;
			if (!(travel <= limit * 1.0001))
				fail_msg("a step of %g s allows a travel of %g m, the limit is %g m", dt, travel,
					 limit);
		}
		assert_true(spate_world_time(w) == 12 / 24.0);
		steps[k] = spate_world_stats(w)->step;
		spate_world_destroy(w);
	}
	assert_true(steps[1] > steps[2]);
}

// Emitters and moving colliders count before they have moved anything.
static void sources_and_colliders_count(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.02);
	s.def.solver.cfl = 0.25;
	spate_source_def *e = &s.sources[s.def.source_count++];
	*e = spate_default_source_def();
	e->type = SPATE_SOURCE_EMITTER;
	e->direction[0] = 1, e->width = e->height = 0.1, e->speed = 8;
	spate_world *w = scene_create(&s);
	step(w);
	assert_true(spate_world_stats(w)->dt * 8 <= 0.25 * 0.04);
	spate_world_destroy(w);

	scene_init(&s, 0.02);
	s.def.solver.cfl = 0.25;
	add_fill(&s, box_shape(0, 0, 0, 0.1, 0.1, 0.1));
	spate_collider_def *paddle = add_collider(&s, box_shape(1, 0, 0, 2, 1, 1), SPATE_COLLIDER_OUTSIDE);
	paddle->motion = (spate_motion){.direction = {0, 1, 0}, .amplitude = 1, .frequency = 2};
	w = scene_create(&s);
	step(w);
	assert_true(spate_world_stats(w)->dt * 4 * 3.14159 <= 0.25 * 0.04);
	spate_world_destroy(w);
}

static void count_warnings(void *context, spate_log_level level, const char *text)
{
	if (level == SPATE_LOG_WARNING && strstr(text, "max_substeps"))
		++*(int *)context;
}

static void max_substeps_holds_and_is_told_once(void **state)
{
	(void)state;
	int told = 0;
	spate_log_set_handler(count_warnings, &told);
	scene s;
	dam(&s);
	s.def.solver.max_substeps = 2;
	s.def.solver.quality = SPATE_QUALITY_HIGH;
	spate_world *w = scene_create(&s);
	for (uint32_t frame = 1; frame <= 6; frame++)
	{
		run_frame(w);
		assert_int_equal(spate_world_stats(w)->step, 2 * frame);
	}
	spate_log_set_handler(NULL, NULL);
	assert_int_equal(told, 1);
	spate_world_destroy(w);
}

static void iterations_keep_their_limits(void **state)
{
	(void)state;
	scene s;
	dam(&s);
	s.def.solver.iterations = 6;
	s.def.solver.min_iterations = 2;
	s.def.solver.tolerance = 1e-9;
	spate_world *w = scene_create(&s);
	for (int k = 0; k < 20; k++)
	{
		step(w);
		assert_true(spate_world_stats(w)->iterations <= 6 && spate_world_stats(w)->iterations >= 2);
	}
	assert_int_equal(spate_world_stats(w)->iterations, 6);
	spate_world_destroy(w);
	s.def.solver.tolerance = 10;
	w = scene_create(&s);
	for (int k = 0; k < 20; k++)
	{
		step(w);
		assert_int_equal(spate_world_stats(w)->iterations, 2);
	}
	spate_world_destroy(w);
}

static void empty_worlds_run(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.02);
	spate_world *w = scene_create(&s);
	run_until(w, 0.5);
	assert_int_equal(spate_world_stats(w)->particles, 0);
	assert_true(spate_world_time(w) == 0.5);
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fixed_substeps_are_exact),     cmocka_unit_test(travel_is_bounded),
	    cmocka_unit_test(sources_and_colliders_count),  cmocka_unit_test(max_substeps_holds_and_is_told_once),
	    cmocka_unit_test(iterations_keep_their_limits), cmocka_unit_test(empty_worlds_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
