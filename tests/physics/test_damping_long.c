// Damping by a raw coefficient.
#include "measure.h"

// A raw coefficient, however large, does not blow up a falling column at any quality.
static void damping_is_stable(void **state)
{
	(void)state;
	static const double dampings[] = {0, 0.5, 5, 50};
	static const char *const qualities[SPATE_QUALITY_COUNT] = {"draft", "normal", "high"};
	int good = 1;
	for (int quality = 0; quality < SPATE_QUALITY_COUNT; quality++)
		for (size_t n = 0; n < sizeof dampings / sizeof *dampings; n++)
		{
			scene s;
			scene_init(&s, 0.02);
			s.def.solver.quality = (spate_quality)quality;
			s.fluids[0].damping = dampings[n];
			add_collider(&s, box_shape(0, 0, 0, 0.6, 0.6, 0.2), SPATE_COLLIDER_INSIDE);
			add_fill(&s, box_shape(0, 0, 0, 0.2, 0.4, 0.2));
			spate_world *w = scene_create(&s);
			energy_watch watch = energy_watch_make(w);
			watched_until(w, &watch, 0.5);
			char name[96];
			snprintf(name, sizeof name, "damping %g, %s, rise of energy", dampings[n], qualities[quality]);
			good &= evidence_at_most(name, 100 * watch.rise / (watch.start * 2 / 3), 1, "%",
						 "falling column; of what it can give");
			assert_int_equal(spate_world_stats(w)->removed, 0);
			assert_int_equal(spate_world_stats(w)->outside, 0);
			spate_world_destroy(w);
		}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(damping_is_stable),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
