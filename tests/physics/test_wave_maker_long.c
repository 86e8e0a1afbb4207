// Waves of a piston keep their height along the tank.
#include "measure.h"

// F. Biesel: Etude theorique d'un certain type d'appareil a houle, 1951: a piston of stroke S makes waves of the height
// H = 2 (cosh 2kh - 1) / (sinh 2kh + 2kh) S in water of depth h.
#define DEPTH 0.36
#define STROKE 0.06
#define FREQUENCY 0.8 // Hz
#define LENGTH 4.25   // m; nothing comes back from its end to the gauges before the run ends

enum
{
	LAYERS = 36,
	ACROSS = 4,
	GAUGES = 2,
	PERIODS = 1 // over which heights are measured
};

static const double gauges[GAUGES] = {1, 2.5};     // m from the middle of the piston's way
static const double begins[GAUGES] = {3.75, 3.75}; // s, when the waves there are steady

// k of omega^2 = g k tanh(k h).
static double wave_number(void)
{
	double omega = 2 * pi * FREQUENCY, k = omega * omega / 9.81;
	for (int n = 0; n < 100; n++)
		k = 0.5 * (k + omega * omega / (9.81 * tanh(k * DEPTH)));
	return k;
}

// Level (m) at x by the volume of water near it, which is far less than a wave length long.
static double level_at(spate_world *w, double x, double d)
{
	double sum = 0, reach = 5 * d;
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		// as a hat, so that particles come and go without a jump
		sum += fmax(0, 1 - fabs(p[0] - x) / reach);
	}
	return sum * d * d * d / (reach * ACROSS * d);
}

static void waves_keep_their_height(void **state)
{
	(void)state;
	scene s;
	const double d = DEPTH / LAYERS, omega = 2 * pi * FREQUENCY, kh2 = 2 * wave_number() * DEPTH,
		     biesel = 2 * (cosh(kh2) - 1) / (sinh(kh2) + kh2) * STROKE, middle = STROKE / 2;
	double sums[GAUGES][2] = {{0}}, counts[GAUGES] = {0};
	scene_init(&s, d);
	s.def.threads = 2;
	add_collider(&s, box_shape(-1, 0, 0, LENGTH, 2 * DEPTH, ACROSS * d), SPATE_COLLIDER_INSIDE);
	// from its end, where it rests
	add_collider(&s, box_shape(-2, -1, -1, 0, 2, 1), SPATE_COLLIDER_OUTSIDE)->motion =
	    (spate_motion){.direction = {1, 0, 0}, .amplitude = STROKE / 2, .frequency = FREQUENCY, .phase = -90};
	add_fill(&s, box_shape(0, 0, 0, LENGTH, DEPTH, ACROSS * d));
	spate_world *w = scene_create(&s);
	while (spate_world_time(w) < begins[GAUGES - 1] + PERIODS / FREQUENCY - 1e-9)
	{
		run_frame(w);
		double t = spate_world_time(w);
		for (int g = 0; g < GAUGES; g++)
			if (t > begins[g] + 1e-9 && t < begins[g] + PERIODS / FREQUENCY + 1e-9)
			{
				double level = level_at(w, middle + gauges[g], d);
				sums[g][0] += level * cos(omega * t);
				sums[g][1] += level * sin(omega * t);
				counts[g]++;
			}
	}
	spate_world_destroy(w);
	int good = 1;
	for (int g = 0; g < GAUGES; g++)
	{
		char name[96];
		double height = 4 * hypot(sums[g][0], sums[g][1]) / counts[g];
		snprintf(name, sizeof name, "wave maker, height at %g m", gauges[g]);
		good &= evidence(name, 1e3 * height, 1e3 * biesel, (g == 0 ? 0.08 : 0.15) * 1e3 * biesel, "mm",
				 "first harmonic; 0.36 m deep, stroke 6 cm, 0.8 Hz, spacing 1 cm");
	}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(waves_keep_their_height),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
