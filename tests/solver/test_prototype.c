// The calibration on the prototype lattice.
#include "check.h"
#include "solver/pbf_work.h"

static void volume_makes_the_lattice_dense(void **state)
{
	(void)state;
	prototype p = prototype_make(0.01, 0.02);
	check_near(p.volume / 1e-6, 0.9903, 2e-4);
	// the sum itself, over the 33 points of the lattice within reach
	double sum = 0, squares = 0, pi = 3.14159265358979323846, h = 2;
	for (int x = -2; x <= 2; x++)
		for (int y = -2; y <= 2; y++)
			for (int z = -2; z <= 2; z++)
			{
				double r = sqrt(x * x + y * y + z * z);
				if (r >= h)
					continue;
				sum += p.volume / 1e-6 * 315 / (64 * pi * pow(h, 9)) * pow(h * h - r * r, 3);
				double slope = r > 0 ? 45 / (pi * pow(h, 6)) * (h - r) * (h - r) : 0;
				squares += pow(p.volume / 1e-6 * slope, 2);
			}
	check_near(sum, 1, 1e-6);
	check_near(p.stiffness / 1e-4 * squares, 1, 1e-6);
}

// One Jacobi iteration on a wave of displacements must not overshoot; the steepest wave is just removed.
static void relaxation_is_a_third(void **state)
{
	(void)state;
	prototype p = prototype_make(0.01, 0.02);
	assert_true(p.beta > 0.34 && p.beta < 0.37);
	// a long wave along x: sum V W' sin(k x) x / r is about k sum V W' x^2 / r
	double poly6 = 0, spiky = 0, pi = 3.14159265358979323846, h = 2;
	for (int x = -1; x <= 1; x++)
		for (int y = -1; y <= 1; y++)
			for (int z = -1; z <= 1; z++)
			{
				double r = sqrt(x * x + y * y + z * z);
				if (r > 0)
				{
					poly6 += p.volume / 1e-6 * 6 * 315 / (64 * pi * pow(h, 9)) *
						 pow(h * h - r * r, 2) * x * x;
					spiky +=
					    p.volume / 1e-6 * 45 / (pi * pow(h, 6)) * (h - r) * (h - r) * x * x / r;
				}
			}
	check_near(p.response, p.stiffness / 1e-4 * poly6 * spiky, 1e-3);
	check_near(p.response, 2.73, 0.01);
}

static void calibration_does_not_depend_on_the_spacing(void **state)
{
	(void)state;
	prototype one = prototype_make(1, 2);
	const double spacings[] = {1e-7, 1e-5, 3e-4, 0.01, 0.7, 10, 1e6};
	for (size_t k = 0; k < sizeof spacings / sizeof *spacings; k++)
	{
		double d = spacings[k];
		prototype p = prototype_make(d, 2 * d);
		check_near(p.volume / (d * d * d), one.volume, 1e-9);
		check_near(p.stiffness / (d * d), one.stiffness, 1e-9);
		check_near(p.beta, one.beta, 1e-9);
		check_near(p.response, one.response, 1e-9);
		check_near(p.gradient, one.gradient, 1e-9);
	}
}

static void expected_error_follows_the_formula(void **state)
{
	(void)state;
	void *solver = NULL;
	check_ok(solver_pbf.create(&solver, NULL));
	prototype p = prototype_make(0.01, 0.02);
	double e = pbf_expected_error(solver, 0.01, 9.81, 0.2, 0.016, 16, 0);
	check_near(e, 9.81 * 0.016 * 0.016 * 0.2 / (16 * p.beta * p.response * 1e-4), 1e-6 * e);
	// quadratic in the step, linear in depth, shared by the iterations
	check_near(pbf_expected_error(solver, 0.01, 9.81, 0.2, 0.008, 16, 0), e / 4, 1e-9);
	check_near(pbf_expected_error(solver, 0.01, 9.81, 0.4, 0.016, 32, 0), e, 1e-9);
	solver_pbf.destroy(solver);
	assert_ptr_equal(solver_table(spate_solver_find("pbf")), &solver_pbf);
	assert_null(solver_table(SOLVER_COUNT));
	assert_null(solver_table(spate_solver_find("pdf")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(volume_makes_the_lattice_dense),
	    cmocka_unit_test(relaxation_is_a_third),
	    cmocka_unit_test(calibration_does_not_depend_on_the_spacing),
	    cmocka_unit_test(expected_error_follows_the_formula),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
