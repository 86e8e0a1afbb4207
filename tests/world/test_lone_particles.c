// Particles that are far from all others cost what they carry, and less than particles of a liquid: no map, list or scratch grows with the
// space between them.
#include "world/scene.h"

#include "base/memory.h"
#include "dice.h"
#include "spate/store.h"

enum
{
	COUNT = 100000
};

// Heap memory (bytes) per particle of a world after its first steps.
static double bytes_in(const scene *s, double side)
{
	dice d = {5};
	uint64_t before = mem_get_stats().bytes;
	spate_world *w = scene_create(s);
	spate_store *store = spate_world_store(w);
	if (side > 0)
	{
		float *places = calloc((size_t)3 * COUNT, sizeof *places),
		      *still = calloc((size_t)3 * COUNT, sizeof *still);
		assert_true(places && still);
		for (int k = 0; k < 3 * COUNT; k++)
			places[k] = (float)side * dice_range(&d, 0, 1);
		check_ok(spate_store_add(store, COUNT, places, still, 0, NULL, NULL));
		free(places);
		free(still);
	}
	for (int k = 0; k < 2; k++)
		step(w);
	assert_int_equal(spate_store_count(store), COUNT);
	double bytes = (double)(mem_get_stats().bytes - before) / COUNT;
	spate_world_destroy(w);
	return bytes;
}

static void lone_particles_cost_only_themselves(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.01);
	// spray in a hall, and all over a town
	double hall = bytes_in(&s, 20), town = bytes_in(&s, 2000);
	add_fill(&s, box_shape(0, 0, 0, 0.5, 0.4, 0.5));
	double liquid = bytes_in(&s, 0);
	printf("bytes per particle: %.0f in a hall, %.0f in a town, %.0f of a liquid\n", hall, town, liquid);
	if (!(hall < 450 && town < 450 && town < 1.05 * hall && hall < 0.75 * liquid))
		fail_msg("lone particles take %g and %g bytes, those of a liquid %g", hall, town, liquid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lone_particles_cost_only_themselves),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
