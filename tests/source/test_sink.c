// Sinks that go by age, speed and flow.
#include "check.h"
#include "source/birth.h"
#include "source/source.h"

static const double no_origin[3] = {0, 0, 0};

enum
{
	ROWS = 100
};

// A row of particles a spacing apart along x, from half a spacing on; the n-th moves at n / 10 m/s and came at n / 100 s.
static spate_store *make_row(double spacing)
{
	spate_store *store = NULL;
	float positions[3 * ROWS] = {0}, velocities[3 * ROWS] = {0};
	for (int n = 0; n < ROWS; n++)
	{
		positions[3 * n] = (float)((n + 0.5) * spacing);
		velocities[3 * n + 1] = (float)n / 10;
	}
	check_ok(spate_store_create(&store, 0, NULL));
	check_ok(store_add_fields(store, (field_table){&birth_fields.fields[BIRTH_TIME], 1}, NULL));
	check_ok(spate_store_add(store, ROWS, positions, velocities, 0, NULL, NULL));
	float *born = spate_store_field(store, "birth", NULL);
	for (int n = 0; n < ROWS; n++)
		born[n] = (float)n / 100;
	return store;
}

static uint32_t run(const spate_sink_def *def, sink_state *state, spate_store *store, double now, double dt)
{
	spate_result result;
	spate_fluid_def fluid = spate_default_fluid_def();
	fluid.spacing = 0.1;
	uint32_t taken = sinks_run(def, state, 1, &fluid, no_origin, store, now, dt, &result);
	check_ok(result);
	return taken;
}

static void old_and_fast_particles_go(void **state)
{
	(void)state;
	spate_store *store = make_row(0.1);
	sink_state s = {0};
	spate_sink_def def = {.outside = SPATE_SINK_EVERYWHERE, .age = 0.5};
	assert_int_equal(run(&def, &s, store, 0.4, 0.1), 0);
	assert_int_equal(run(&def, &s, store, 0.755, 0.1), 26); // born at 0 to 0.25 s
	for (uint32_t row = 0; row < ROWS; row++)
		assert_int_equal(store->dead[row], row < 26);
	def = (spate_sink_def){.outside = SPATE_SINK_EVERYWHERE, .speed = 8.95};
	assert_int_equal(run(&def, &s, store, 0.755, 0.1), 10);
	// both conditions, and a place
	def = (spate_sink_def){.shape = {SPATE_SHAPE_BOX, {0, -1, -1}, {4, 1, 1}, 0}, .age = 0.5, .speed = 3.05};
	assert_int_equal(run(&def, &s, store, 1, 0.1), 9); // 31 to 39
	assert_int_equal(s.removed, 26 + 10 + 9);
	spate_store_destroy(store);
}

// 0.1 m^3/s of particles of 0.001 m^3: 100 a second, deepest first, and nothing is made up for when there was nothing to take.
static void a_drain_takes_its_flow(void **state)
{
	(void)state;
	spate_store *store = make_row(0.1);
	sink_state s = {0};
	spate_sink_def def = {.shape = {SPATE_SHAPE_BOX, {-9, -9, -9}, {5, 9, 9}, 0}, .flow = 0.1};
	for (int k = 1; k <= 16; k++)
	{
		run(&def, &s, store, 0.025 * k, 0.025);
		check_near((double)s.removed, 2.5 * k, 1);
	}
	// those that lie in the box furthest from its side at x = 5
	for (uint32_t row = 0; row < ROWS; row++)
		assert_int_equal(store->dead[row], row < s.removed);
	run(&def, &s, store, 10, 9.6);
	assert_int_equal(s.removed, 50);
	check_near(s.owed, 0.001, 1e-12);
	def.shape.b[0] = 20;
	assert_true(run(&def, &s, store, 10.01, 0.01) <= 2);
	array_free(&s.candidates);
	spate_store_destroy(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(old_and_fast_particles_go),
	    cmocka_unit_test(a_drain_takes_its_flow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
