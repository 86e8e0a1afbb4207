// The viscosity that solvers add to slow flow is what `spate check` says.
#include "measure.h"
#include "solver/solver.h"

// Viscosity (m^2/s) by which a wave of 0.1 m/s, 20 spacings long, decays in a liquid that should have none, while its crests travel 5 spacings.
// It lies between smooth walls, which touch its crests.
static double measured(double spacing, double tension)
{
	const double wave = 20 * spacing, length = 50 * spacing, speed = 0.1, k = 2 * pi / wave;
	scene s;
	scene_init(&s, spacing);
	s.def.solver.type = spate_solver_find("projection");
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.fluids[0].viscosity = 0;
	s.fluids[0].surface_tension = tension;
	add_collider(&s, box_shape(-length, 0, 0, 2 * length, wave, 6 * spacing), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, length, wave, 6 * spacing));
	spate_world *w = scene_create(&s);
	spate_store *store = spate_world_store(w);
	double crests[2];
	for (int end = 0; end < 2; end++)
	{
		double sum = 0, norm = 0;
		for (uint32_t row = 0; row < store->rows; row++)
		{
			double p[3];
			place_of(w, row, p);
			if (!end)
				store->velocity[row].x = (float)(speed * cos(k * p[1]));
			if (fabs(p[0] - length / 2) > length / 4)
				continue;
			sum += cos(k * p[1]) * (double)store->velocity[row].x;
			norm += cos(k * p[1]) * cos(k * p[1]);
		}
		crests[end] = sum / norm;
		if (!end)
			run_until(w, 5 * spacing / speed);
	}
	double rate = log(crests[0] / crests[1]) / spate_world_time(w);
	spate_world_destroy(w);
	return rate / (k * k);
}

static void check_tells_the_numerical_viscosity(void **state)
{
	(void)state;
	static const struct
	{
		double spacing, tension;
	} cases[] = {{0.005, 0.0728}, {0.01, 0.0728}, {0.02, 0.0728}, {0.005, 0}, {0.02, 0}};
	int good = 1;
	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
	{
		char name[96];
		spate_fluid_def water = spate_default_fluid_def();
		water.spacing = cases[n].spacing;
		water.surface_tension = cases[n].tension;
		double told = solver_table(spate_solver_find("projection"))->numerical_viscosity(&water, 0, 1.0 / 24);
		snprintf(name, sizeof name, "numerical viscosity, spacing %g mm, surface tension %g N/m",
			 1000 * cases[n].spacing, cases[n].tension);
		good &= evidence(name, 1e6 * measured(cases[n].spacing, cases[n].tension), 1e6 * told, 0.5e6 * told,
				 "mm^2/s", "what `spate check` says, from the same measurements");
	}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(check_tells_the_numerical_viscosity),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
