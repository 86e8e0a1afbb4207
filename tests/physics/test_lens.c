// Two liquids that do not mix: a drop of oil on water draws together to the lens of Neumann's triangle, or spreads where no such triangle
// exists.
#include "drops.h"

#define OIL_TENSION 0.032

// Volume of a spherical cap of radius 1 at its base that meets it at an angle of this cosine, and the second moment of the distance from
// its axis.
static void add_cap(double cosine, double *volume, double *moment)
{
	double sine = sqrt(1 - cosine * cosine), step = 1e-4;
	for (double r = 0.5 * step; r < 1; r += step)
	{
		double height = (sqrt(1 - sine * sine * r * r) - cosine) / sine;
		*volume += 2 * pi * r * height * step;
		*moment += 2 * pi * r * r * r * height * step;
	}
}

// Rms distance (m) of a lens from its axis, by the three tensions (F. Neumann, 1894) and its volume.
static double neumann_radius(double water, double oil, double between, double volume)
{
	double unit = 0, moment = 0;
	add_cap((water * water + oil * oil - between * between) / (2 * water * oil), &unit, &moment);
	add_cap((water * water + between * between - oil * oil) / (2 * water * between), &unit, &moment);
	return sqrt(moment / unit) * cbrt(volume / unit);
}

// The rms distance (m) of the oil from its axis after 0.25 s.
static double settled_radius(double between, double *volume)
{
	const double d = 0.001, half = 0.01;
	scene s;
	drops_init(&s, d);
	s.def.gravity[1] = -9.81;
	s.def.fluid_count = 2;
	s.fluids[1].density = 920;
	s.fluids[1].viscosity = 1e-5;
	s.fluids[1].surface_tension = OIL_TENSION;
	s.interfaces[s.def.interface_count++] = (spate_interface_def){{0, 1}, between};
	add_collider(&s, box_shape(-half, 0, -half, half, 0.03, half), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(-half, 0, -half, half, 0.005, half))->jitter = 0.1;
	spate_source_def *oil = add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0.0085, 0}, {0, 0, 0}, 0.0035});
	oil->fluid = 1;
	oil->jitter = 0.1;
	spate_world *w = scene_create(&s);
	run_until(w, 0.25);
	double centre[3] = {mean_place(w, 0, 1), 0, mean_place(w, 2, 1)}, sum = 0, count = 0;
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		if (spate_world_store(w)->fluid[row] != 1)
			continue;
		sum += (p[0] - centre[0]) * (p[0] - centre[0]) + (p[2] - centre[2]) * (p[2] - centre[2]);
		count++;
	}
	spate_world_destroy(w);
	*volume = count * pow(d, 3);
	return sqrt(sum / count);
}

static void oil_forms_a_lens_or_spreads(void **state)
{
	(void)state;
	double volume = NAN, lens = settled_radius(0.06, &volume);
	double expected = neumann_radius(TENSION, OIL_TENSION, 0.06, volume);
	int good = evidence("lens of oil on water, 0.06 N/m between them, rms radius", 1e3 * lens, 1e3 * expected,
			    0.1e3 * expected, "mm", "7 mm across at first; Neumann's triangle; after 0.25 s");
	double film = settled_radius(0.005, &volume);
	good &= evidence_at_least("film of oil on water, 0.005 N/m between them, rms radius over that of the lens",
				  film / lens, 1.15, "", "0.0728 > 0.032 + 0.005: oil spreads; after 0.25 s");
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(oil_forms_a_lens_or_spreads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
