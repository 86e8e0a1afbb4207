// Values of single particles: which rows have which, and their extremes.
#include "check.h"
#include "particles/material.h"

// Ten particles with rest densities, two of them removed, one without a value of its own.
static void extremes_are_those_of_living_particles(void **state)
{
	(void)state;
	enum
	{
		COUNT = 10
	};
	spate_store *store = NULL;
	float positions[3 * COUNT] = {0}, as_fluid = -1;
	check_ok(spate_store_create(&store, 0, NULL));
	check_ok(spate_store_add(store, COUNT, positions, NULL, 0, NULL, NULL));
	material m;
	check_ok(material_survey(&m, store, 1, NULL));
	assert_true(m.low[MATERIAL_DENSITY] == INFINITY);
	check_near(m.high[MATERIAL_DENSITY], -1, 0);

	check_ok(spate_store_add_channel(store, "rest_density", SPATE_FLOAT, &as_fluid, NULL));
	float *values = spate_store_field(store, "rest_density", NULL);
	for (int row = 0; row < COUNT; row++)
		values[row] = row == 4 ? -1.0f : 100.0f * (float)((row + 3) % COUNT + 1);
	// values are 400, 500, 600, 700, none, 900, 1000, 100, 200, 300
	check_ok(spate_store_remove(store, (const uint32_t[]){6, 7}, 2, NULL));
	for (int threads = 1; threads <= 3; threads++)
	{
		check_ok(material_survey(&m, store, threads, NULL));
		check_near(m.low[MATERIAL_DENSITY], 200, 0);
		check_near(m.high[MATERIAL_DENSITY], 900, 0);
	}
	check_near(material_value(&m, MATERIAL_DENSITY, 5, 1234), 900, 0);
	check_near(material_value(&m, MATERIAL_DENSITY, 4, 1234), 1234, 0);
	assert_true(m.low[MATERIAL_VISCOSITY] == INFINITY);
	spate_store_destroy(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(extremes_are_those_of_living_particles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
