// A drop of water without gravity, 1 cm in radius: its pressure, and how it swings when it was pulled long.
#include "measure.h"

// N/m, of water at 20 C
#define TENSION 0.0728
#define RADIUS 0.01

static spate_world *make_drop(double spacing, double stretch)
{
	scene s;
	scene_init(&s, spacing);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.def.fps = 240;
	s.def.threads = 2;
	add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, RADIUS});
	add_probe(&s, "middle", SPATE_PROBE_POINT);
	spate_world *w = scene_create(&s);
	const double *origin = spate_world_origin(w);
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		vec4 *x = &spate_world_store(w)->position[row];
		x->x = (float)(p[0] * stretch - origin[0]);
		x->y = (float)(p[1] / sqrt(stretch) - origin[1]);
		x->z = (float)(p[2] / sqrt(stretch) - origin[2]);
	}
	return w;
}

// Second moment along x over those along y and z, less one: 0 when round.
static double elongation(spate_world *w)
{
	double centre[3] = {mean_place(w, 0, -1), mean_place(w, 1, -1), mean_place(w, 2, -1)}, m[3] = {0};
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		for (int k = 0; k < 3; k++)
			m[k] += (p[k] - centre[k]) * (p[k] - centre[k]);
	}
	return 2 * m[0] / (m[1] + m[2]) - 1;
}

static void drop_has_laplace_pressure(void **state)
{
	(void)state;
	int good = 1;
	for (int n = 0; n < 2; n++)
	{
		char name[96];
		double spacing = n ? 0.0008 : 0.00125, pressure = 0;
		spate_world *w = make_drop(spacing, 1);
		run_until(w, 0.1);
		for (int frame = 0; frame < 24; frame++)
		{
			run_frame(w);
			pressure += probe_value(w, "middle.pressure") / 24;
		}
		spate_world_destroy(w);
		snprintf(name, sizeof name, "drop of water, spacing %g mm, pressure", 1000 * spacing);
		good &= evidence(name, pressure, 2 * TENSION / RADIUS, 0.2 * 2 * TENSION / RADIUS, "Pa",
				 "Laplace: 2 sigma / R; mean from 0.1 to 0.2 s");
	}
	assert_true(good);
}

// Rayleigh: omega^2 = 8 sigma / (rho R^3) for the slowest swing.
static void drop_swings(void **state)
{
	(void)state;
	const double period = 2 * pi / sqrt(8 * TENSION / (1000 * pow(RADIUS, 3)));
	int good = 1;
	for (int n = 0; n < 2; n++)
	{
		char name[96];
		double spacing = n ? 0.0008 : 0.00125, round = NAN;
		spate_world *w = make_drop(spacing, 1.2);
		for (double before = elongation(w); spate_world_time(w) < period && isnan(round);)
		{
			run_frame(w);
			double now = elongation(w);
			if (now <= 0)
				round = spate_world_time(w) + now / (before - now) / 240;
			before = now;
		}
		evidence_report(n ? "drop of water, spacing 0.8 mm, elongation at last"
				  : "drop of water, spacing 1.25 mm, elongation at last",
				elongation(w), "", "0.73 at the start; when first round, or after a period");
		spate_world_destroy(w);
		snprintf(name, sizeof name, "drop of water, spacing %g mm, time until it is round", 1000 * spacing);
		good &= evidence(name, round, period / 4, 0.15 * period / 4, "s",
				 "pulled long by a fifth; a quarter of Rayleigh's period");
	}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(drop_has_laplace_pressure),
	    cmocka_unit_test(drop_swings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
