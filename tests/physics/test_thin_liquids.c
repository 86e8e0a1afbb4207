// Liquids as thin as water, oil, syrup and paint: a shear wave in them decays at the viscosity that was asked for, and a little faster by the
// numerical viscosity, which is that of a wave 20 spacings long without gravity.
#include "measure.h"

static const double spacing = 0.01, wave = 0.2, length = 0.5, width = 0.06, seconds = 0.5;

// Amplitude (m/s) of v_x = u cos(k y) in the middle, away from the free ends.
static double shear_speed(spate_world *w)
{
	const spate_store *store = spate_world_store(w);
	double sum = 0, norm = 0, k = 2 * pi / wave;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		if (fabs(p[0] - length / 2) > length / 4)
			continue;
		sum += cos(k * p[1]) * (double)store->velocity[row].x;
		norm += cos(k * p[1]) * cos(k * p[1]);
	}
	return sum / norm;
}

// Viscosity (m^2/s) by which a wave of 0.1 m/s decays at default settings. It lies between smooth walls, which touch its crests: no stress
// is lost there. Crests travel by 5 spacings.
static double viscosity_of(double asked)
{
	scene s;
	scene_init(&s, spacing);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.fluids[0].viscosity = asked;
	add_collider(&s, box_shape(-length, 0, 0, 2 * length, wave, width), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, length, wave, width));
	spate_world *w = scene_create(&s);
	spate_store *store = spate_world_store(w);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		store->velocity[row].x = (float)(0.1 * cos(2 * pi / wave * p[1]));
	}
	double start = shear_speed(w);
	run_until(w, seconds);
	double rate = log(start / shear_speed(w)) / spate_world_time(w);
	spate_world_destroy(w);
	return rate * wave * wave / (4 * pi * pi);
}

static void liquids_are_as_thin_as_they_are(void **state)
{
	(void)state;
	static const struct
	{
		const char *name;
		double viscosity; // m^2/s
	} liquids[] = {{"water", 1e-6}, {"oil", 9.2e-5}, {"syrup", 1.28e-4}, {"paint", 8e-4}};
	const char *note = "wave of 20 spacings, 0.1 m/s; spacing 1 cm, 24 frames per second";
	double own = viscosity_of(0);
	int good = evidence_at_most("shear wave, numerical viscosity", 1e6 * own, 20, "mm^2/s", note);
	for (size_t n = 0; n < sizeof liquids / sizeof *liquids; n++)
	{
		char name[96];
		double expected = 1e6 * (liquids[n].viscosity + fmin(own, 2e-5));
		snprintf(name, sizeof name, "shear wave, viscosity of %s", liquids[n].name);
		good &= evidence(name, 1e6 * viscosity_of(liquids[n].viscosity), expected, 0.1 * expected, "mm^2/s",
				 "asked and numerical, of which 20 mm^2/s at most count");
	}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(liquids_are_as_thin_as_they_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
