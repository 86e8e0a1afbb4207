// Viscosity against the decay of a shear wave, for any step.
#include "scene.h"

static const double pi = 3.14159265358979323846;

// Amplitude of cos(k y) in the x velocity, as a multiple of what it was.
static double decay(double viscosity, double damping, uint32_t substeps, double time)
{
	const double d = 0.01, length = 0.24, k = pi / length;
	scene s;
	scene_init(&s, d);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.fluids[0].viscosity = viscosity;
	s.fluids[0].damping = damping;
	s.fluids[0].surface_tension = s.fluids[0].cohesion = 0; // it rounds a free block, which drowns a flow this slow
	s.def.solver.substeps = substeps;
	// free surfaces carry no stress: a wave with its crests there decays as in an endless liquid
	add_fill(&s, box_shape(0, 0, 0, 0.08, length, 0.08));
	spate_world *w = scene_create(&s);
	spate_store *store = spate_world_store(w);
	const double y0 = spate_world_origin(w)[1];
	for (uint32_t row = 0; row < store->rows; row++)
		store->velocity[row].x = (float)(1e-4 * cos(k * ((double)store->position[row].y + y0)));
	run_until(w, time);
	double sum = 0, norm = 0;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double c = cos(k * ((double)store->position[row].y + y0));
		sum += c * (double)store->velocity[row].x;
		norm += 1e-4 * c * c;
	}
	spate_world_destroy(w);
	return sum / norm;
}

static void shear_decays_at_its_viscosity(void **state)
{
	(void)state;
	const double viscosities[] = {0.002, 0.01, 0.05}, k = pi / 0.24;
	for (int n = 0; n < 3; n++)
	{
		double time = fmin(1, 1 / (viscosities[n] * k * k)), expected = viscosities[n] * k * k;
		time = ceil(time * 24) / 24;
		for (uint32_t substeps = 5; substeps <= 20; substeps *= 2)
		{
			// thick liquids are solved implicitly, by a backward step, which decays as 1 / (1 + rate dt)
			double dt = 1 / (24.0 * substeps), slack = viscosities[n] > 0.02 ? 0.5 * expected * dt : 0;
			check_near(-log(decay(viscosities[n], -1, substeps, time)) / time, expected,
				   (0.06 + slack) * expected);
		}
	}
}

// A raw coefficient acts per step: twice the steps, twice the decay. And any coefficient is stable.
static void damping_acts_per_step(void **state)
{
	(void)state;
	double once = -log(decay(0, 0.3, 5, 0.5)), twice = -log(decay(0, 0.3, 10, 0.5));
	check_near(twice, 2 * once, 0.02 * twice);
	double left = decay(0, 50, 5, 0.25);
	assert_true(left >= 0 && left < 0.8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(shear_decays_at_its_viscosity),
	    cmocka_unit_test(damping_acts_per_step),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
