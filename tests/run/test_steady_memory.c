// A step of a liquid that neither grows nor shrinks asks for no memory.
#define _GNU_SOURCE
#include "run_support.h"

#include "base/memory.h"

// A closed tank whose paddles keep the liquid moving.
static spate_world *make_tank(int threads)
{
	spate_scene scene = basin("fluids.water.spacing=0.033", "fluids.oil.spacing=0.033");
	scene.world.sink_count = 0;
	scene.world.source_count = 1;
	scene.world.threads = threads;
	spate_world *world = NULL;
	spate_error error = {0};
	check_ok(spate_world_create(&world, &scene.world, &error));
	spate_scene_free(&scene);
	return world;
}

static void steady(int threads)
{
	enum
	{
		WARM_UP = 150, // until the liquid has been everywhere: new space means new cells
		STEPS = 50
	};
	spate_world *world = make_tank(threads);
	spate_error error = {0};
	uint64_t calls = 0;
	for (int n = 0; n < WARM_UP + STEPS; n++)
	{
		if (spate_world_step(world, NULL, &error) != SPATE_OK)
			fail_msg("%s", error.text);
		uint64_t now = mem_get_stats().calls;
		if (n >= WARM_UP && now != calls)
			fail_msg("step %d asked for memory %d times with %d threads", n + 1, (int)(now - calls),
				 threads);
		calls = now;
	}
	assert_true(spate_world_stats(world)->speed_max > 0.5); // it does move
	spate_world_destroy(world);
}

static void with_one_thread(void **state)
{
	(void)state;
	steady(1);
}

static void with_two_threads(void **state)
{
	(void)state;
	steady(2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(with_one_thread),
	    cmocka_unit_test(with_two_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
