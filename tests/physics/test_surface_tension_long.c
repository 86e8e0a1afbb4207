// Cohesion, surface tension as one knob: a cube without gravity becomes round, the sooner the more of it, at any substep.
#include "measure.h"

enum
{
	ACROSS = 16,
	DIRECTIONS = 200
};

static const double spacing = 0.002;

static spate_world *make_cube(double kappa, double fps, uint32_t substeps)
{
	scene s;
	scene_init(&s, spacing);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.fluids[0].surface_tension = 0; // the knob alone
	s.fluids[0].cohesion = kappa;
	s.def.fps = fps;
	s.def.solver.substeps = substeps;
	double half = 0.5 * ACROSS * spacing;
	add_fill(&s, box_shape(-half, -half, -half, half, half, half));
	return scene_create(&s);
}

// Smallest over largest extent, over directions that are spread evenly, and through corners, edges and faces of the cube.
static double roundness(spate_world *w)
{
	double least = INFINITY, most = 0;
	for (int k = 0; k < DIRECTIONS + 13; k++)
	{
		double y = 1 - (k + 0.5) / DIRECTIONS, turn = k * pi * (3 - sqrt(5)), r = sqrt(fmax(0, 1 - y * y));
		double n[3] = {r * cos(turn), y, r * sin(turn)}, low = INFINITY, high = -INFINITY;
		if (k >= DIRECTIONS)
		{
			// the 13 directions to neighbours in a cube of cubes
			int code = k - DIRECTIONS + 14;
			n[0] = code % 3 - 1, n[1] = code / 3 % 3 - 1, n[2] = code / 9 - 1;
			double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
			n[0] /= size, n[1] /= size, n[2] /= size;
		}
		for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
		{
			double p[3];
			place_of(w, row, p);
			double along = p[0] * n[0] + p[1] * n[1] + p[2] * n[2];
			low = fmin(low, along), high = fmax(high, along);
		}
		least = fmin(least, high - low + spacing), most = fmax(most, high - low + spacing);
	}
	return least / most;
}

// Mean of the products of places along two axes around the centre, with that of each particle's own cell (m^2).
static void second_moments(spate_world *w, double m[3][3])
{
	double centre[3] = {mean_place(w, 0, -1), mean_place(w, 1, -1), mean_place(w, 2, -1)};
	for (int k = 0; k < 3; k++)
		for (int l = 0; l < 3; l++)
			m[k][l] = k == l ? spacing * spacing / 12 : 0;
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		for (int k = 0; k < 3; k++)
			for (int l = 0; l < 3; l++)
				m[k][l] += (p[k] - centre[k]) * (p[l] - centre[l]) / count_of(w);
	}
}

static double gyration(spate_world *w)
{
	double m[3][3];
	second_moments(w, m);
	return sqrt(m[0][0] + m[1][1] + m[2][2]);
}

// Of the ellipsoid with these moments: half axes a have moments a^2 / 5.
static double ellipsoid_volume(spate_world *w)
{
	double m[3][3];
	second_moments(w, m);
	double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
		     m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
		     m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
	return 4 * pi / 3 * sqrt(125 * det);
}

// How long (s) a cube takes until it is half way to the roundness that its swings pass through; `limit` if it does not get there.
static double time_to_round(double kappa, double limit)
{
	spate_world *w = make_cube(kappa, 500, 0);
	while (spate_world_time(w) < limit && roundness(w) < 0.65)
		run_frame(w);
	double time = spate_world_time(w);
	spate_world_destroy(w);
	return time;
}

static void more_tension_is_faster(void **state)
{
	(void)state;
	static const double kappas[] = {0, 0.25, 0.5, 1}, limit = 0.1;
	double times[4], least = INFINITY;
	for (int n = 0; n < 4; n++)
	{
		times[n] = time_to_round(kappas[n], limit);
		char name[96];
		snprintf(name, sizeof name, "cube without gravity, time until it is rounder, kappa %g", kappas[n]);
		evidence_report(name, 1e3 * times[n], "ms",
				"smallest over largest extent 0.65; 0.58 for a cube; at most 100 ms");
		if (n > 0)
			least = fmin(least, times[n - 1] / times[n]);
	}
	assert_true(evidence_at_least("cube without gravity, time over that with the next kappa, smallest", least, 1.1,
				      "", ""));
}

static void ball_keeps_its_volume(void **state)
{
	(void)state;
	spate_world *w = make_cube(1, 24, 0);
	run_until(w, 1);
	double volume = 0, cube = pow(ACROSS * spacing, 3);
	for (int frame = 0; frame < 24; frame++)
	{
		run_frame(w);
		volume += ellipsoid_volume(w) / cube / 24;
	}
	evidence_report("ball from a cube, roundness after 2 s", roundness(w), "", "kappa 1");
	int good = evidence("ball from a cube, volume", volume, 1, 0.02, "",
			    "of the cube; that of the ellipsoid with its moments, mean of a second");
	good &= evidence("ball from a cube, particles lost", ACROSS * ACROSS * ACROSS - count_of(w), 0, 0, "", "");
	spate_world_destroy(w);
	assert_true(good);
}

static void substeps_make_no_difference(void **state)
{
	(void)state;
	static const uint32_t substeps[3] = {4, 16, 64};
	double size[3], middle = 0;
	char name[96];
	for (int n = 0; n < 3; n++)
	{
		spate_world *w = make_cube(0.5, 62.5, substeps[n]);
		run_until(w, 0.08);
		size[n] = gyration(w) / (ACROSS * spacing);
		middle += size[n] / 3;
		snprintf(name, sizeof name, "cube without gravity, roundness at %u substeps per 16 ms", substeps[n]);
		evidence_report(name, roundness(w), "", "kappa 0.5, after 80 ms");
		spate_world_destroy(w);
	}
	int good = 1;
	for (int n = 0; n < 3; n++)
	{
		snprintf(name, sizeof name, "cube without gravity, radius of gyration at %u substeps per 16 ms",
			 substeps[n]);
		good &= evidence(name, size[n], middle, 0.05 * middle, "edges", "against the mean of three");
	}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(more_tension_is_faster),
	    cmocka_unit_test(ball_keeps_its_volume),
	    cmocka_unit_test(substeps_make_no_difference),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
