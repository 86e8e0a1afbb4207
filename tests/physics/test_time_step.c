// The length of the substep is no force: liquid at rest stays at rest when it changes, and however short it is.
#include "measure.h"
#include "spate/live.h"

static double energy_per_mass(spate_world *w, double mass)
{
	return spate_world_stats(w)->kinetic_energy / mass;
}

// ---------------------------------------------------------------------------------------------------------- shorter substeps

typedef struct change
{
	double rise;  // J/kg, largest kinetic energy less that before
	double level; // largest change of the water level, relative
} change;

// A still tank whose substeps become `factor` times as short after a second.
static change shorten(int layers, int factor, int substeps)
{
	scene s;
	const double d = 0.5 / layers, side = 10 * d, mass = 1000 * side * side * 0.5;
	scene_init(&s, d);
	add_collider(&s, box_shape(0, 0, 0, side, 1, side), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, side, 0.5, side));
	spate_world *w = scene_create(&s);
	run_until(w, 1);
	// twice the height of the centre of mass is that of the level
	double calm = energy_per_mass(w, mass), height = mean_place(w, 1, -1);
	double per_frame = round(1 / (s.def.fps * spate_world_stats(w)->dt));
	spate_error error = {0};
	check_ok(spate_world_set_number(w, "solver.substeps", factor * per_frame, &error));
	change c = {0, 0};
	for (int n = 0; n < substeps; n++)
	{
		step(w);
		c.rise = fmax(c.rise, energy_per_mass(w, mass) - calm);
		c.level = fmax(c.level, fabs(mean_place(w, 1, -1) / height - 1));
	}
	printf("%d layers: %.0f substeps a frame, then %d times as many; calm %.3g mJ/kg\n", layers, per_frame, factor,
	       1e3 * calm);
	spate_world_destroy(w);
	return c;
}

static void shorter_substeps_stir_nothing(void **state)
{
	(void)state;
	int good = 1;
	for (int factor = 2; factor <= 100; factor *= 50)
	{
		char name[96];
		change c = shorten(20, factor, factor == 2 ? 150 : 500);
		snprintf(name, sizeof name, "still tank, substeps %d times shorter, rise of kinetic energy", factor);
		good &= evidence_at_most(name, 1e3 * c.rise, 0.1, "mJ/kg", "0.5 m deep, 20 layers");
		snprintf(name, sizeof name, "still tank, substeps %d times shorter, change of level", factor);
		good &= evidence_at_most(name, 100 * c.level, 0.1, "%", "0.5 m deep, 20 layers");
	}
	assert_true(good);
}

// -------------------------------------------------------------------------------------------------------------- short frames

// A box full of water without gravity, at frame rates up to the largest that a scene may have.
static double largest_speed(int fps, double jitter)
{
	scene s;
	scene_init(&s, 0.02);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.def.fps = fps;
	add_collider(&s, box_shape(0, 0, 0, 0.2, 0.2, 0.2), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.2, 0.2, 0.2))->jitter = jitter;
	spate_world *w = scene_create(&s);
	double most = 0;
	for (int frame = 0; frame < 200; frame++)
	{
		run_frame(w);
		most = fmax(most, energy_per_mass(w, 1000 * pow(0.2, 3)));
	}
	spate_world_destroy(w);
	return sqrt(2 * most);
}

static void short_frames_stir_nothing(void **state)
{
	(void)state;
	static const int rates[] = {1000, 20000, 100000};
	int good = 1;
	for (int n = 0; n < 3; n++)
		for (int disordered = 0; disordered < 2; disordered++)
		{
			char name[96];
			snprintf(name, sizeof name, "full box without gravity, %s, %d frames per second, rms speed",
				 disordered ? "disordered" : "lattice", rates[n]);
			good &= evidence_at_most(name, 1e3 * largest_speed(rates[n], disordered ? 0.25 : 0), 1, "mm/s",
						 "spacing 20 mm, largest of 200 frames");
		}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(shorter_substeps_stir_nothing),
	    cmocka_unit_test(short_frames_stir_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
