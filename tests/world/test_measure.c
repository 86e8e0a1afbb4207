// Energies, momenta and the depth do not depend on the order of the rows, to the bit.
#include "scene.h"

#include "base/hash.h"
#include "world/world.h"

#include <stdlib.h>

static void shuffle(spate_world *w, uint64_t seed)
{
	uint32_t rows = w->state.store->rows, *order = malloc(rows * sizeof *order);
	assert_non_null(order);
	for (uint32_t i = 0; i < rows; i++)
	{
		uint32_t j = (uint32_t)(hash_mix(seed + i) % (i + 1));
		order[i] = order[j];
		order[j] = i;
	}
	store_permute(w->state.store, order, w->model.threads);
	free(order);
}

static void no_order_of_the_rows_changes_a_sum(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.0125);
	s.def.threads = 2;
	s.def.gravity[0] = 0.3;
	add_collider(&s, box_shape(0, 0, 0, 0.5, 0.5, 0.25), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.25, 0.375, 0.25));
	spate_world *w = scene_create(&s);
	for (int k = 0; k < 3; k++)
		step(w);
	assert_true(w->state.store->rows > 2 * 4096);
	spate_step_stats before = *spate_world_stats(w);
	world_counters counted = w->state.counters;
	assert_true(before.kinetic_energy > 0.0 && before.momentum[1] < 0.0 && before.angular_momentum[2] != 0.0);
	for (uint64_t seed = 1; seed < 4; seed++)
	{
		shuffle(w, seed);
		check_ok(world_measure(w, NULL));
		const spate_step_stats *after = spate_world_stats(w);
		assert_memory_equal(&after->kinetic_energy, &before.kinetic_energy, sizeof(double));
		assert_memory_equal(&after->potential_energy, &before.potential_energy, sizeof(double));
		assert_memory_equal(after->momentum, before.momentum, sizeof before.momentum);
		assert_memory_equal(after->angular_momentum, before.angular_momentum, sizeof before.angular_momentum);
		assert_memory_equal(&w->state.counters, &counted, sizeof counted);
	}
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(no_order_of_the_rows_changes_a_sum),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
