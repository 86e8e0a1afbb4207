// Water that swings to and fro between smooth walls: nothing but viscosity, which is small, should stop it.
#include "measure.h"

enum
{
	FPS = 24
};

// ------------------------------------------------------------------------------------------------------- standing wave

// A tank as long as half a wave, whose surface begins level and in motion: eta = A sin(omega t) cos(k x).
static swing run_wave(int layers, double depth, double length, double height, double period)
{
	scene s;
	const double d = depth / layers, k = pi / length, width = 8 * d, omega = 2 * pi / period;
	static const char *const names[2][3] = {{"left_0", "left_1", "left_2"}, {"right_0", "right_1", "right_2"}};
	scene_init(&s, d);
	add_collider(&s, box_shape(0, 0, 0, length, 2 * depth, width), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, length, depth, width));
	for (int side = 0; side < 2; side++)
		for (int n = 0; n < 3; n++)
			add_gauge(&s, names[side][n], (side ? 0.95 : 0.05) * length, (0.25 + 0.25 * n) * width,
				  2 * depth);
	spate_world *w = scene_create(&s);
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3], speed = height * omega / sinh(k * depth);
		place_of(w, row, p);
		spate_world_store(w)->velocity[row].x = (float)(-speed * sin(k * p[0]) * cosh(k * p[1]));
		spate_world_store(w)->velocity[row].y = (float)(speed * cos(k * p[0]) * sinh(k * p[1]));
	}
	// both ends against each other: what the whole level does falls out
	swing record = {.every = 1.0 / FPS, .count = (int)(4 * period * FPS)};
	for (int n = 1; n < record.count; n++)
	{
		run_frame(w);
		for (int g = 0; g < 3; g++)
		{
			char left[32], right[32];
			snprintf(left, sizeof left, "%s.height", names[0][g]);
			snprintf(right, sizeof right, "%s.height", names[1][g]);
			record.values[n] += (probe_value(w, left) - probe_value(w, right)) / 6;
		}
	}
	spate_world_destroy(w);
	return record;
}

static void standing_wave_goes_on(void **state)
{
	(void)state;
	const double depth = 0.5, length = 1, k = pi / length, period = 2 * pi / sqrt(9.81 * k * tanh(k * depth));
	int good = 1;
	for (int layers = 20; layers <= 40; layers *= 2)
	{
		char name[96];
		double kept = NAN;
		swing record = run_wave(layers, depth, length, 0.05, period);
		double measured = swing_fit(&record, period, &kept);
		snprintf(name, sizeof name, "standing wave, %d layers, period", layers);
		good &= evidence(name, measured, period, 0.03 * period, "s", "0.5 m deep, 1 m long, 5 cm high");
		snprintf(name, sizeof name, "standing wave, %d layers, amplitude after a period", layers);
		good &= evidence_at_least(name, kept, 0.9, "", "of that before; viscosity alone would leave 0.9999");
	}
	assert_true(good);
}

// -------------------------------------------------------------------------------------------------------------- U-tube

// Two limbs and the channel between them, all as wide as the wall that parts them. The column is measured along its middle.
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
	add_gauge(&s, "left", 0.5 * width, 0.5 * width, 2 * level);
	add_gauge(&s, "right", 2.5 * width, 0.5 * width, 2 * level);
	spate_world *w = scene_create(&s);
	swing record = {.every = 1.0 / FPS, .count = (int)(seconds * FPS)};
	for (int n = 0; n < record.count; n++)
	{
		if (n > 0)
			run_frame(w);
		record.values[n] = 0.5 * (probe_value(w, "left.height") - probe_value(w, "right.height"));
	}
	spate_world_destroy(w);
	return record;
}

static void column_swings_in_a_tube(void **state)
{
	(void)state;
	const double width = 0.2, level = 0.8, length = 2 * (level - 0.5 * width) + 2 * width,
		     period = 2 * pi * sqrt(length / (2 * 9.81));
	int good = 1;
	for (int across = 8; across <= 12; across += 4)
	{
		char name[96];
		double kept = NAN;
		swing record = run_tube(across, width, level, 0.15, 2.5 * period);
		double measured = swing_fit(&record, period, &kept);
		snprintf(name, sizeof name, "U-tube, %d across, period", across);
		good &= evidence(name, measured, period, 0.1 * period, "s",
				 "column of 1.8 m along its middle, 0.2 m wide, raised by 0.15 m");
		snprintf(name, sizeof name, "U-tube, %d across, amplitude after a period", across);
		good &= evidence_at_least(name, kept, 0.8, "", "of that before; the losses of a bend leave about 0.88");
	}
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
