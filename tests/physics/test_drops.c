// Surface tension in N/m of the projection solver: a drop that swings, and a full box that must not. More in test_drops_long.c.
#include "drops.h"

static void drop_swings_as_rayleigh_says(void **state)
{
	(void)state;
	double kept = NAN, period = swing_period(10, 1, &kept);
	evidence_report("drop of water, disordered, R/d = 10, swing kept after a period", kept, "",
			"Rayleigh's damping keeps 0.99");
	assert_true(evidence("drop of water, disordered, R/d = 10, period", period, rayleigh_period(),
			     0.1 * rayleigh_period(), "s", "pulled long by a fifth; Rayleigh"));
}

static void full_boxes_stay_still(void **state)
{
	(void)state;
	static const int rates[] = {24, 240, 1000};
	int good = 1;
	for (int n = 0; n < 3; n++)
	{
		scene s;
		drops_init(&s, 0.002);
		s.def.fps = rates[n];
		add_collider(&s, box_shape(0, 0, 0, 0.02, 0.02, 0.02), SPATE_COLLIDER_INSIDE);
		add_fill(&s, box_shape(0, 0, 0, 0.02, 0.02, 0.02));
		spate_world *w = scene_create(&s);
		double most = 0;
		for (int frame = 0; frame < 20; frame++)
		{
			run_frame(w);
			most = fmax(most, spate_world_stats(w)->speed_max);
		}
		spate_world_destroy(w);
		char name[96];
		snprintf(name, sizeof name, "full box of water without gravity, %d frames per second, largest speed",
			 rates[n]);
		good &= evidence_at_most(name, 1e3 * most, 0.1, "mm/s", "spacing 2 mm, largest of 20 frames");
	}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(drop_swings_as_rayleigh_says),
	    cmocka_unit_test(full_boxes_stay_still),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
