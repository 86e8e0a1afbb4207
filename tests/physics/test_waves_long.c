// Water that swings to and fro between smooth walls: nothing but viscosity, which is small, should stop it.
#include "wave_tank.h"

// ------------------------------------------------------------------------------------------------------- standing wave

static void standing_wave_goes_on(void **state)
{
	(void)state;
	int good = 1;
	for (int layers = 20; layers <= 40; layers *= 2)
	{
		const wave_tank t = {
		    .length = 1, .depth = 0.5, .height = 0.02, .layers = layers, .across = layers == 20 ? 6 : 4};
		char name[96];
		double kept = NAN, period = wave_period(&t);
		swing record = wave_tank_run(&t, layers == 20 ? 5 : 2);
		double measured = swing_fit(&record, period, &kept);
		snprintf(name, sizeof name, "standing wave, %d layers, period", layers);
		good &= evidence(name, measured, period, 0.015 * period, "s", "1 m long, 0.5 m deep, 2 cm high");
		snprintf(name, sizeof name, "standing wave, %d layers, amplitude after a period", layers);
		good &= evidence_at_least(name, kept, layers == 20 ? 0.9 : 0.94, "",
					  "of that before; viscosity alone would leave 0.9999");
	}
	assert_true(good);
}

// -------------------------------------------------------------------------------------------------------------- U-tube

// Part of a square corner that counts for the length of a column: potential flow cuts the corner. It is the electric resistance of the
// corner of a sheet, in squares.
#define CORNER 0.559

// Two limbs and the channel between them, all as wide as the wall that parts them. The rise is measured by how much more water is on the
// left.
static swing run_tube(int across, double width, double level, double rise, double seconds)
{
	scene s;
	const double d = width / across;
	scene_init(&s, d);
	s.def.threads = 2;
	add_collider(&s, box_shape(0, 0, 0, 3 * width, 2 * level, width), SPATE_COLLIDER_INSIDE);
	add_collider(&s, box_shape(width, width, -width, 2 * width, 3 * level, 2 * width), SPATE_COLLIDER_OUTSIDE);
	add_fill(&s, box_shape(0, width, 0, width, level + rise, width));
	add_fill(&s, box_shape(0, 0, 0, 3 * width, width, width));
	add_fill(&s, box_shape(2 * width, width, 0, 3 * width, level - rise, width));
	spate_world *w = scene_create(&s);
	swing record = {.every = 1 / s.def.fps, .count = (int)(seconds * s.def.fps)};
	for (int n = 0; n < record.count; n++)
	{
		if (n > 0)
			run_frame(w);
		for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
		{
			double p[3];
			place_of(w, row, p);
			record.values[n] += (p[0] < 1.5 * width ? 0.5 : -0.5) * d * d * d / (width * width);
		}
	}
	spate_world_destroy(w);
	return record;
}

static void column_swings_in_a_tube(void **state)
{
	(void)state;
	const double width = 0.2, level = 0.8, length = 2 * (level - width) + width + 2 * CORNER * width,
		     period = 2 * pi * sqrt(length / (2 * 9.81));
	double kept = NAN;
	swing record = run_tube(12, width, level, 0.15, 2 * period);
	double measured = swing_fit(&record, period, &kept);
	int good = evidence("U-tube, 12 across, period", measured, period, 0.05 * period, "s",
			    "potential flow that cuts the corners, 1.62 m long, 0.2 m wide, raised by 0.15 m; with the "
			    "length along its middle, 1.8 m, it would be 1.903 s");
	good &= evidence_at_least("U-tube, 12 across, amplitude after a period", kept, 0.8, "",
				  "of that before; the losses of a bend leave about 0.88");
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(standing_wave_goes_on),
	    cmocka_unit_test(column_swings_in_a_tube),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
