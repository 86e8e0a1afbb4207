// How a frame is cut into substeps.
#include "scene.h"

#include "solver/pbf_work.h"
#include "spate/log.h"
#include "world/world.h"

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
	assert_true(spate_world_stats(w)->dt * 8 <= 0.25 * (double)w->model.radius);
	spate_world_destroy(w);

	scene_init(&s, 0.02);
	s.def.solver.cfl = 0.25;
	add_fill(&s, box_shape(0, 0, 0, 0.1, 0.1, 0.1));
	spate_collider_def *paddle = add_collider(&s, box_shape(1, 0, 0, 2, 1, 1), SPATE_COLLIDER_OUTSIDE);
	paddle->motion = (spate_motion){.direction = {0, 1, 0}, .amplitude = 1, .frequency = 2};
	w = scene_create(&s);
	step(w);
	assert_true(spate_world_stats(w)->dt * 4 * 3.14159 <= 0.25 * (double)w->model.radius);
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
	scene_solver(&s, "pbf");
	scene_set(&s, "iterations", 6);
	scene_set(&s, "min_iterations", 2);
	scene_set(&s, "tolerance", 1e-9);
	spate_world *w = scene_create(&s);
	for (int k = 0; k < 20; k++)
	{
		step(w);
		assert_true(spate_world_stats(w)->iterations <= 6 && spate_world_stats(w)->iterations >= 2);
	}
	assert_int_equal(spate_world_stats(w)->iterations, 6);
	spate_world_destroy(w);
	scene_set(&s, "tolerance", 1);
	w = scene_create(&s);
	for (int k = 0; k < 20; k++)
	{
		step(w);
		assert_int_equal(spate_world_stats(w)->iterations, 2);
	}
	spate_world_destroy(w);
}

// Deep liquid of position-based fluids: as few substeps as leave no more than the quality's density error at the bottom, at any depth.
static void deep_liquid_is_not_squeezed(void **state)
{
	(void)state;
	for (double depth = 0.5; depth <= 2; depth *= 2)
	{
		scene s;
		scene_init(&s, 0.02);
		scene_solver(&s, "pbf");
		add_collider(&s, box_shape(0, 0, 0, 0.06, 3, 0.06), SPATE_COLLIDER_INSIDE);
		add_fill(&s, box_shape(0, 0, 0, 0.06, depth, 0.06));
		spate_world *w = scene_create(&s);
		step_view view = world_view(w, 0);
		pbf_quality q = pbf_quality_of(&view);
		double bottom = w->state.counters.depth;
		check_near(bottom, depth, 0.05 * depth);
		step(w);
		double substeps = round(1 / (24 * spate_world_stats(w)->dt)), errors[2];
		for (int fewer = 0; fewer < 2; fewer++)
			errors[fewer] = pbf_expected_error(w->state.solver, 0.02, 9.81, bottom,
							   1 / (24 * (substeps - fewer)), q.iterations, q.acceleration);
		if (!(errors[0] <= q.error * 1.0001 && errors[1] > q.error))
			fail_msg("%g m deep: %g substeps leave %g, one fewer leaves %g; the limit is %g", depth,
				 substeps, errors[0], errors[1], q.error);
		spate_world_destroy(w);
	}
}

// The shortest capillary wave, two spacings long, takes more than ten substeps: dt = 0.1 sqrt(d^3 rho / sigma).
static void capillary_waves_are_resolved(void **state)
{
	(void)state;
	const double kappas[] = {0.1, 1}, d = 0.01, frame = 1 / 24.0;
	for (int k = 0; k < 2; k++)
	{
		scene s;
		scene_init(&s, d);
		memset(s.def.gravity, 0, sizeof s.def.gravity);
		s.fluids[0].cohesion = kappas[k];
		add_fill(&s, box_shape(0, 0, 0, 0.03, 0.03, 0.03));
		spate_world *w = scene_create(&s);
		double longest = 0.1 * sqrt(d * d * d / (kappas[k] * 7.3e-4));
		step(w);
		check_near(spate_world_stats(w)->dt, frame / ceil(frame / longest), 1e-12);
		// omega^2 = sigma k^3 / rho
		double period = 2 * 3.14159265 / sqrt(kappas[k] * 7.3e-4 * pow(3.14159265 / d, 3));
		assert_true(spate_world_stats(w)->dt < 0.1 * period);
		spate_world_destroy(w);
	}
}

// Liquid that becomes fast all at once: substeps get shorter by 3 % at a time, and a little more where a whole number of them must fill
// the frame, until they are as short as its travel asks for.
static void substeps_shrink_gently(void **state)
{
	(void)state;
	const double frame = 1 / 24.0, speed = 4;
	scene s;
	scene_init(&s, 0.01);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.fluids[0].cohesion = 1;
	s.def.solver.cfl = 0.25;
	add_fill(&s, box_shape(0, 0, 0, 0.05, 0.05, 0.05));
	spate_world *w = scene_create(&s);
	const double radius = (double)w->model.radius;
	step(w);
	spate_store *store = spate_world_store(w);
	for (uint32_t row = 0; row < store->rows; row++)
		store->velocity[row].z = (float)speed;
	step(w);
	double first = spate_world_stats(w)->dt, last = first, wanted = 0.25 * radius / speed;
	assert_true(wanted < 0.5 * first);
	for (int n = 0; n < 60; n++)
	{
		double left = frame * (spate_world_frame(w) + 1) - spate_world_time(w);
		// other liquid than this has come no faster
		double travel = 0.25 * radius / spate_world_stats(w)->speed_max;
		step(w);
		double dt = spate_world_stats(w)->dt, least = 0.97 * last;
		if (travel < 0.9 * least)
			check_near(dt, left / ceil(left / least - 1e-9), 1e-9);
		last = dt;
	}
	assert_true(last <= wanted && last > 0.8 * wanted);
	spate_world_destroy(w);
}

// A light fluid among heavy particles, or fine particles among coarse ones, gets twice the iterations.
static void unlike_fluids_iterate_more(void **state)
{
	(void)state;
	for (int kind = 0; kind < 4; kind++)
	{
		scene s;
		scene_init(&s, 0.02);
		s.def.fluid_count = kind > 0 ? 2 : 1;
		scene_solver(&s, "pbf");
		scene_set(&s, "tolerance", 1e-9);
		s.fluids[1].density = kind == 1 ? 1999 : kind == 2 ? 2000 : 1000;
		s.fluids[1].spacing = kind == 3 ? 0.03 : 0.02;
		add_collider(&s, box_shape(0, 0, 0, 0.2, 0.4, 0.1), SPATE_COLLIDER_INSIDE);
		add_fill(&s, box_shape(0, 0, 0, 0.1, 0.2, 0.1));
		spate_world *w = scene_create(&s);
		uint32_t most = 0;
		for (int k = 0; k < 10; k++)
		{
			step(w);
			// some substeps leave no error at all after fewer
			most = spate_world_stats(w)->iterations > most ? spate_world_stats(w)->iterations : most;
		}
		assert_int_equal(most, kind < 2 ? 8 : 16);
		spate_world_destroy(w);
	}
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
	    cmocka_unit_test(iterations_keep_their_limits), cmocka_unit_test(capillary_waves_are_resolved),
	    cmocka_unit_test(deep_liquid_is_not_squeezed),  cmocka_unit_test(substeps_shrink_gently),
	    cmocka_unit_test(unlike_fluids_iterate_more),   cmocka_unit_test(empty_worlds_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
