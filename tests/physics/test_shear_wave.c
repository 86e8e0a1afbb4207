// Viscosity as a number: a shear wave decays by exp(-nu k^2 t).
#include "measure.h"

static const double spacing = 0.01, length = 0.24, width = 0.4;

// Decay rate (1/s) of v_x = u cos(k y) in a block with crests on its free surfaces, which carry no stress there. Near the other sides
// particles miss neighbours, so the block is wide and only its middle counts.
static double decay_rate_over(const spate_track *track, double viscosity, double amplitude, uint32_t substeps,
			      uint32_t steps)
{
	const double k = pi / length;
	scene s;
	scene_init(&s, spacing);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.fluids[0].viscosity = viscosity;
	s.def.tracks = track;
	s.def.track_count = track != NULL;
	s.fluids[0].surface_tension = s.fluids[0].cohesion = 0; // it rounds a free block, which drowns a flow this slow
	s.def.solver.substeps = substeps;
	add_fill(&s, box_shape(0, 0, 0, width, length, width));
	spate_world *w = scene_create(&s);
	spate_store *store = spate_world_store(w);
	double sums[2];
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		store->velocity[row].x = (float)(amplitude * cos(k * p[1]));
	}
	for (int end = 0; end < 2; end++)
	{
		for (uint32_t n = 0; end && n < steps; n++)
			step(w);
		double norm = 0;
		sums[end] = 0;
		for (uint32_t row = 0; row < store->rows; row++)
		{
			double p[3];
			place_of(w, row, p);
			if (fabs(p[0] - width / 2) > width / 4 || fabs(p[2] - width / 2) > width / 4)
				continue;
			sums[end] += cos(k * p[1]) * (double)store->velocity[row].x;
			norm += cos(k * p[1]) * cos(k * p[1]);
		}
		sums[end] /= norm;
	}
	double rate = -log(sums[1] / sums[0]) / spate_world_time(w);
	spate_world_destroy(w);
	return rate;
}

static double decay_rate(double viscosity, double amplitude, uint32_t substeps, uint32_t steps)
{
	return decay_rate_over(NULL, viscosity, amplitude, substeps, steps);
}

// An eighth of a second of a viscosity that rises from 0: the wave decays by the integral.
static void a_rising_viscosity_counts_by_its_integral(void **state)
{
	(void)state;
	const uint32_t substeps = 20, steps = 60;
	const double k2 = pi * pi / (length * length), most = 2e-2, end = steps / (24.0 * substeps);
	const spate_track_key keys[] = {{0, {0}}, {end, {most}}};
	const spate_track track = {.path = "fluids.0.viscosity", .keys = keys, .key_count = 2};
	double amplitude = 0.05 * spacing * 24 * substeps / steps;
	double own = decay_rate(0, amplitude, substeps, steps) / k2;
	double measured = decay_rate_over(&track, 0, amplitude, substeps, steps) / k2;
	// every substep has the value of its beginning
	double mean = 0.5 * most * (steps - 1) / steps;
	check_near(measured - own, mean, 0.05 * mean);
}

static void shear_decays_at_its_viscosity(void **state)
{
	(void)state;
	// steps short enough for the backward Euler of the implicit solve
	static const struct
	{
		double viscosity;
		uint32_t substeps, steps;
	} cases[] = {{1e-3, 5, 60}, {1e-2, 20, 60}, {1, 200, 30}};
	int good = 1;
	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
	{
		const double k2 = pi * pi / (length * length);
		// crests travel a twentieth of a spacing: far above round-off, far below disorder
		double amplitude = 0.05 * spacing * 24 * cases[n].substeps / cases[n].steps;
		double own = decay_rate(0, amplitude, cases[n].substeps, cases[n].steps) / k2;
		double measured = decay_rate(cases[n].viscosity, amplitude, cases[n].substeps, cases[n].steps) / k2;
		char name[96];
		snprintf(name, sizeof name, "shear wave, numerical viscosity at %u substeps", cases[n].substeps);
		evidence_report(name, own, "m^2/s", "24 fps, spacing 1 cm");
		snprintf(name, sizeof name, "shear wave, viscosity %g m^2/s", cases[n].viscosity);
		good &=
		    evidence(name, measured - own, cases[n].viscosity, 0.05 * cases[n].viscosity, "m^2/s",
			     cases[n].viscosity >= 1 ? "implicit solve; less the numerical one, without surface tension"
						     : "less the numerical one, without surface tension");
	}
	evidence_report("shear wave of 0.1 m/s, numerical viscosity",
			decay_rate(0, 0.1, 5, 60) * length * length / (pi * pi), "m^2/s",
			"5 substeps at 24 fps for 0.5 s, crests travel 5 spacings");
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(shear_decays_at_its_viscosity),
	    cmocka_unit_test(a_rising_viscosity_counts_by_its_integral),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
