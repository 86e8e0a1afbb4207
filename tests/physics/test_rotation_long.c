// Water that turns: walls without friction take nothing from it, viscosity takes what its number says.
#include "measure.h"

// --------------------------------------------------------------------------------------------------------------- bucket

// Share of its angular momentum that water has after 3.5 s in a smooth round bucket.
static double kept_spin(double spacing, spate_viscosity_model model)
{
	scene s;
	const spate_shape water = {SPATE_SHAPE_CYLINDER, {0, 0, 0}, {0, 0.2, 0}, 0.2};
	spate_shape bucket = water;
	bucket.b[1] = 0.5;
	scene_init(&s, spacing);
	s.def.threads = 2;
	s.def.solver.viscosity_model = model;
	add_collider(&s, bucket, SPATE_COLLIDER_INSIDE);
	add_fill(&s, water)->spin[1] = 3;
	spate_world *w = scene_create(&s);
	double start = spate_world_stats(w)->angular_momentum[1];
	run_until(w, 3.5);
	double end = spate_world_stats(w)->angular_momentum[1];
	spate_world_destroy(w);
	return end / start;
}

static void water_in_a_bucket_turns_on(void **state)
{
	(void)state;
	static const char *const models[] = {"xsph", "pairwise"};
	int good = 1;
	for (int n = 0; n < 2; n++)
		for (int model = 0; model < 2; model++)
		{
			char name[96];
			double spacing = n ? 0.0125 : 0.02;
			snprintf(name, sizeof name, "spinning bucket, %s, spacing %g mm, angular momentum kept",
				 models[model], 1000 * spacing);
			good &= evidence_at_least(name, 100 * kept_spin(spacing, (spate_viscosity_model)model), 90, "%",
						  "radius 0.2 m, 0.2 m deep, 3 rad/s for 3.5 s");
		}
	assert_true(good);
}

// ----------------------------------------------------------------------------------------------------------- viscosities

// Kinetic energy after a second of one cell of Taylor and Green's flow in a full box, over that at the start.
static double kept_energy(double viscosity, double length, double spacing)
{
	scene s;
	scene_init(&s, spacing);
	s.fluids[0].viscosity = viscosity;
	add_collider(&s, box_shape(0, 0, 0, length, length, 0.06), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, length, length, 0.06));
	spate_world *w = scene_create(&s);
	double start = 0, k = pi / length;
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		vec4 v = {(float)(sin(k * p[0]) * cos(k * p[1])), (float)(-cos(k * p[0]) * sin(k * p[1])), 0, 0};
		spate_world_store(w)->velocity[row] = v;
		start += 0.5 * 1000 * pow(spacing, 3) * (double)(v.x * v.x + v.y * v.y);
	}
	run_until(w, 1);
	double energy = spate_world_stats(w)->kinetic_energy / start;
	spate_world_destroy(w);
	return energy;
}

// Energy decays by exp(-4 nu k^2 t), and whatever else a substep loses it loses from both.
static void thin_liquids_differ(void **state)
{
	(void)state;
	const double length = 0.24, rate = 4 * pi * pi / (length * length), thin = 1e-6, thick = 8e-4;
	int good = 1;
	for (int n = 0; n < 2; n++)
	{
		char name[96];
		double spacing = n ? 0.01 : 0.015, water = kept_energy(thin, length, spacing);
		snprintf(name, sizeof name, "vortex of water, spacing %g mm, energy after 1 s", 1000 * spacing);
		good &= evidence_at_least(name, 100 * water, 90, "%",
					  "of that at the start; cell of 0.24 m at 1 m/s, viscosity leaves 99.9 %");
		snprintf(name, sizeof name, "vortex of syrup, spacing %g mm, viscosity more than water's",
			 1000 * spacing);
		good &= evidence(name, log(water / kept_energy(thick, length, spacing)) / rate, thick - thin,
				 0.2 * thick, "m^2/s", "by its energy after 1 s");
	}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(water_in_a_bucket_turns_on),
	    cmocka_unit_test(thin_liquids_differ),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
