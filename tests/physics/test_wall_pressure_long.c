// Pressure at a wall that a dam break has hit: how noisy a gauge reads, and whether it reads what the wall bears.
#include "measure.h"

enum
{
	ACROSS = 6,
	GAUGES = 3,
	RATE = 200,        // frames per second
	SMOOTH = 10,       // frames before and after that a reading is smoothed over
	FRAMES = RATE / 2, // that are judged
	ARRIVAL = 90       // frame by which the water has arrived and stands against the wall
};

static const double spacing = 0.01, height = 0.3, length = 0.9;

// The wall is a plane of its own at x = length. Gauges are along the lower part of it.
static spate_world *make_dam(void)
{
	scene s;
	static char names[GAUGES][24];
	double width = ACROSS * spacing;
	scene_init(&s, spacing);
	s.def.fps = RATE;
	s.def.threads = 2;
	add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {length, 0, 0}, {-1, 0, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
	add_collider(&s, box_shape(0, 0, 0, 2 * length, 4 * height, width), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, height, height, width));
	add_probe(&s, "wall", SPATE_PROBE_FORCE)->collider = 0;
	for (int g = 0; g < GAUGES; g++)
	{
		snprintf(names[g], sizeof names[g], "gauge_%d", g);
		spate_probe_def *gauge = add_probe(&s, names[g], SPATE_PROBE_POINT);
		gauge->a[0] = length, gauge->a[1] = (g + 0.5) * 2 * spacing, gauge->a[2] = width / 2;
	}
	return scene_create(&s);
}

// Root mean square of what a record deviates from its own smooth course, over its mean.
static double noise_of(const double *values)
{
	double mean = 0, square = 0;
	for (int n = SMOOTH; n < FRAMES + SMOOTH; n++)
	{
		double smooth = 0;
		for (int k = n - SMOOTH; k <= n + SMOOTH; k++)
			smooth += values[k] / (2 * SMOOTH + 1);
		mean += values[n] / FRAMES;
		square += (values[n] - smooth) * (values[n] - smooth) / FRAMES;
	}
	return sqrt(square) / mean;
}

// Force (N) that the pressure of the particles in the layer beside the wall makes.
static double force_beside(spate_world *w)
{
	const spate_store *store = spate_world_store(w);
	double sum = 0;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		sum += p[0] > length - spacing ? (double)store->pressure[row] * spacing * spacing : 0;
	}
	return sum;
}

static void gauges_read_what_walls_bear(void **state)
{
	(void)state;
	static double readings[GAUGES][FRAMES + 2 * SMOOTH];
	double borne = 0, read = 0, noise = 0;
	spate_world *w = make_dam();
	while (spate_world_frame(w) < ARRIVAL - SMOOTH)
		run_frame(w);
	for (int n = 0; n < FRAMES + 2 * SMOOTH; n++)
	{
		run_frame(w);
		borne += probe_value(w, "wall.force_x");
		read += force_beside(w);
		for (int g = 0; g < GAUGES; g++)
		{
			char column[32];
			snprintf(column, sizeof column, "gauge_%d.pressure", g);
			readings[g][n] = probe_value(w, column);
		}
	}
	spate_world_destroy(w);
	for (int g = 0; g < GAUGES; g++)
		noise += noise_of(readings[g]) / GAUGES;
	const char *note = "dam 0.3 m high against a wall 0.9 m away, from 0.45 to 0.95 s; spacing 1 cm";
	int good = evidence_at_most("dam break, noise of pressure gauges at the wall", 100 * noise, 15, "%",
				    "of the mean, 1 to 5 cm above the floor, at 200 Hz, smooth over 0.1 s");
	good &= evidence("dam break, pressure beside the wall over what it bears", read / borne, 1, 0.1, "", note);
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(gauges_read_what_walls_bear),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
