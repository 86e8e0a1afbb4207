// Longer and finer versions of the physics tests.
#include "scene.h"

// Twenty layers for five seconds at high quality.
static void deep_tank_comes_to_rest(void **state)
{
	(void)state;
	const double d = 0.01, depth = 0.2;
	scene s;
	scene_init(&s, d);
	s.def.solver.quality = SPATE_QUALITY_HIGH;
	add_collider(&s, box_shape(0, 0, 0, 0.2, 0.4, 0.2), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.2, depth, 0.2));
	for (int k = 1; k <= 3; k++)
	{
		static const char *const names[4] = {"", "low", "middle", "high"};
		spate_probe_def *p = add_probe(&s, names[k], SPATE_PROBE_POINT);
		p->a[0] = p->a[2] = 0.1, p->a[1] = 0.05 * k;
	}
	spate_probe_def *gauge = add_probe(&s, "gauge", SPATE_PROBE_HEIGHT);
	gauge->a[0] = gauge->a[2] = gauge->b[0] = gauge->b[2] = 0.1, gauge->b[1] = 0.4;
	spate_world *w = scene_create(&s);
	double mass = 8000 * 1000 * d * d * d, rms = 0, pressure[3] = {0, 0, 0}, height = 0;
	run_until(w, 3);
	for (int frame = 0; frame < 48; frame++)
	{
		run_frame(w);
		rms += sqrt(2 * spate_world_stats(w)->kinetic_energy / mass) / 48;
		pressure[0] += probe_value(w, "low.pressure") / 48;
		pressure[1] += probe_value(w, "middle.pressure") / 48;
		pressure[2] += probe_value(w, "high.pressure") / 48;
		height += probe_value(w, "gauge.height") / 48;
		assert_true(spate_world_stats(w)->density_error_avg < 0.01);
	}
	assert_true(rms < 0.02);
	check_near(height, depth, 0.03 * depth);
	for (int k = 0; k < 3; k++)
		check_near(pressure[k], 9810 * (0.15 - 0.05 * k), 0.08 * 9810 * (0.15 - 0.05 * k));
	spate_world_destroy(w);
}

// Light liquid over heavy, ten to one, stays there and keeps its volume.
static void layers_stay_layered(void **state)
{
	(void)state;
	const double d = 0.01;
	scene s;
	scene_init(&s, d);
	s.def.solver.quality = SPATE_QUALITY_HIGH;
	s.def.fluid_count = 2;
	s.fluids[1].density = 100;
	add_collider(&s, box_shape(0, 0, 0, 0.12, 0.4, 0.12), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.12, 0.1, 0.12));
	add_fill(&s, box_shape(0, 0.1, 0, 0.12, 0.2, 0.12))->fluid = 1;
	spate_probe_def *gauge = add_probe(&s, "gauge", SPATE_PROBE_HEIGHT);
	gauge->a[0] = gauge->a[2] = gauge->b[0] = gauge->b[2] = 0.06, gauge->b[1] = 0.4;
	spate_world *w = scene_create(&s);
	run_until(w, 2);
	const spate_store *store = spate_world_store(w);
	double mean[2] = {0, 0};
	int strays = 0;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double y = (double)store->position[row].y + spate_world_origin(w)[1];
		mean[store->fluid[row]] += y / (store->rows / 2.0);
		strays += store->fluid[row] ? y < 0.08 : y > 0.12;
	}
	check_near(mean[0], 0.05, 0.003);
	check_near(mean[1], 0.15, 0.006);
	assert_int_equal(strays, 0);
	check_near(probe_value(w, "gauge.height"), 0.2, 0.01);
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(deep_tank_comes_to_rest),
	    cmocka_unit_test(layers_stay_layered),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
