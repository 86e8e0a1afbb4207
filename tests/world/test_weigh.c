// What a frame says about density is true of the places that it has, and measuring it moves nothing.
#include "scene.h"
#include "world/world.h"

static void dam(scene *s, const char *solver)
{
	scene_init(s, 0.04);
	scene_solver(s, solver);
	s->def.fps = 12;
	add_collider(s, box_shape(0, 0, 0, 0.8, 0.8, 0.24), SPATE_COLLIDER_INSIDE);
	add_fill(s, box_shape(0, 0, 0, 0.4, 0.48, 0.24));
}

// The projection begins a substep with the density errors of the places that the last one has left. These are the reported ones.
static void frames_end_with_the_next_start(void **state)
{
	(void)state;
	scene s;
	dam(&s, "projection");
	spate_world *w = scene_create(&s);
	for (uint32_t frame = 1; frame < 8; frame += 2)
	{
		run_frame(w);
		double reported = spate_world_stats(w)->density_error_avg,
		       largest = spate_world_stats(w)->density_error_max, before = w->state.counters.error;
		step(w);
		assert_int_equal(spate_world_frame(w), frame); // within the next frame
		check_near(spate_world_stats(w)->density_error_avg, reported, 1e-6 * reported);
		check_near(spate_world_stats(w)->density_error_max, largest, 1e-5 * largest);
		assert_true(before != reported);
		run_frame(w);
	}
	spate_world_destroy(w);
}

static double mean_of_channel(spate_world *w)
{
	const spate_store *store = spate_world_store(w);
	double sum = 0;
	for (uint32_t row = 0; row < store->rows; row++)
		sum += fmax((double)store->density[row] / 1000 - 1, 0);
	return sum / store->rows;
}

// Weighing again gives the same; it changes neither places and velocities nor what decides the next substep.
static void weighing_moves_nothing(void **state)
{
	(void)state;
	for (int type = 0; spate_solver_name(type); type++)
	{
		scene s;
		dam(&s, spate_solver_name(type));
		spate_world *w = scene_create(&s);
		run_until(w, 0.25);
		const spate_step_stats *stats = spate_world_stats(w);
		double error = stats->density_error_avg, found = w->state.counters.error;
		check_near(mean_of_channel(w), error, 1e-6 + 1e-3 * error);
		uint64_t hash = spate_world_hash(w);
		check_ok(world_weigh(w, stats->dt, NULL));
		check_near(stats->density_error_avg, error, 0);
		check_near(w->state.counters.error, found, 0);
		assert_int_equal(spate_world_hash(w), hash);
		spate_world_destroy(w);
	}
}

// Sinks may leave nothing to be weighed.
static void empty_worlds_are_weighed(void **state)
{
	(void)state;
	for (int type = 0; spate_solver_name(type); type++)
	{
		scene s;
		dam(&s, spate_solver_name(type));
		s.sinks[s.def.sink_count++] = spate_default_sink_def();
		s.sinks[0].shape = box_shape(-1, -1, -1, 1, 1, 1);
		spate_world *w = scene_create(&s);
		run_until(w, 0.25);
		assert_int_equal(spate_world_stats(w)->particles, 0);
		spate_world_destroy(w);
	}
}

static void solvers_have_names(void **state)
{
	(void)state;
	int count = 0;
	for (; spate_solver_name(count); count++)
	{
		assert_int_equal(spate_solver_find(spate_solver_name(count)), count);
		assert_true(strlen(spate_solver_title(count)) > 3);
	}
	assert_int_equal(count, SOLVER_COUNT);
	assert_null(spate_solver_title(count));
	assert_null(spate_solver_name(-1));
	assert_null(spate_solver_title(-1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(frames_end_with_the_next_start),
	    cmocka_unit_test(weighing_moves_nothing),
	    cmocka_unit_test(empty_worlds_are_weighed),
	    cmocka_unit_test(solvers_have_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
