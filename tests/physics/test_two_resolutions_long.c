// One liquid in two resolutions side by side, ten fine particles in the volume of a coarse one, at rest.
#include "measure.h"

enum
{
	COARSE = 13,
	FINE = 28, // (28 / 13)^3 = 9.99
	FPS = 24
};

static const double side = 0.26;

// Where the fine half ends and how high each half stands, as means over half a second (m).
typedef struct halves
{
	double interface, height[2], error;
} halves;

static halves watch_half_second(spate_world *w, energy_watch *watch)
{
	halves m = {0};
	const int frames = FPS / 2;
	for (int frame = 0; frame < frames; frame++)
	{
		watched_frame(w, watch);
		m.interface += 2 * mean_place(w, 0, 0) / frames;
		for (int f = 0; f < 2; f++)
			m.height[f] += 2 * mean_place(w, 1, f) / frames;
		m.error += spate_world_stats(w)->density_error_avg / frames;
	}
	return m;
}

static void two_resolutions_rest_side_by_side(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, side / FINE);
	s.def.fluid_count = 2;
	s.fluids[1].spacing = side / COARSE;
	add_collider(&s, box_shape(0, 0, 0, 2 * side, 2 * side, side), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, side, side, side));
	add_fill(&s, box_shape(side, 0, 0, 2 * side, side, side))->fluid = 1;
	spate_world *w = scene_create(&s);
	assert_int_equal(count_of(w), FINE * FINE * FINE + COARSE * COARSE * COARSE);
	energy_watch watch = energy_watch_make(w);
	halves m = {0};
	for (int k = 0; k < 4; k++)
		m = watch_half_second(w, &watch);
	// the kernel radius of a pair across the interface
	double h = side / FINE + side / COARSE;
	int good = evidence("two resolutions, height of the fine half over the coarse", m.height[0] / m.height[1], 1,
			    0.02, "", "count ratio 10, after 2 s");
	evidence_report("two resolutions, height of the fine half", m.height[0] / side, "", "over that at the start");
	good &= evidence_at_most("two resolutions, mean density error", 100 * m.error, 1, "%", "");
	good &= evidence("two resolutions, shift of the interface", (m.interface - side) / h, 0, 1, "h", "in 2 s");
	good &= evidence("two resolutions, particles outside or lost",
			 spate_world_stats(w)->outside + (FINE * FINE * FINE + COARSE * COARSE * COARSE - count_of(w)),
			 0, 0, "", "");
	good &= evidence_at_most("two resolutions, rise of energy", 100 * watch.rise / watch.start, 1, "%",
				 "of the energy above the floor");
	spate_world_destroy(w);
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(two_resolutions_rest_side_by_side),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
