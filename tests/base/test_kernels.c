// Smoothing kernels against their definitions: integrals, finite differences, limits.
#include "check.h"

#include "base/kernels.h"

enum
{
	SAMPLES = 20000
};

static const float radii[] = {0.01f, 0.1f, 1.0f, 7.3f};

enum
{
	RADII = sizeof radii / sizeof *radii
};

// Integral of W r^power over the ball of radius h, by the midpoint rule.
static double integrate(const kernel *k, float h, int power)
{
	double sum = 0.0, dr = (double)h / SAMPLES;
	for (int n = 0; n < SAMPLES; n++)
	{
		double r = (n + 0.5) * dr;
		sum += 4.0 * KERNEL_PI * pow(r, 2 + power) * (double)k->value((float)r, h) * dr;
	}
	return sum;
}

static void kernels_integrate_to_one(void **state)
{
	(void)state;
	for (int k = 0; k < KERNEL_COUNT; k++)
		for (int n = 0; n < RADII; n++)
		{
			double integral = integrate(&kernel_table[k], radii[n], 0);
			if (!(fabs(integral - 1.0) < 1e-5))
				fail_msg("%s, h = %g: integral %.9g, expected 1", kernel_table[k].name,
					 (double)radii[n], integral);
		}
}

// The link between XSPH damping and viscosity rests on this moment.
static void poly6_has_its_second_moment(void **state)
{
	(void)state;
	check_near(integrate(&kernel_table[0], 2.0f, 2), 3.0 * 4.0 / 11.0, 1e-5);
}

// Values at one point, worked out by hand from the papers' formulas: h = 2, r = 1.
static void formulas_give_known_values(void **state)
{
	(void)state;
	check_near(poly6_value(1, 2), 315.0 / (64 * KERNEL_PI * 512) * 27, 1e-7);
	check_near(poly6_derivative(1, 2), -6 * 315.0 / (64 * KERNEL_PI * 512) * 9, 1e-7);
	check_near(poly6_laplacian(1, 2), -6 * 315.0 / (64 * KERNEL_PI * 512) * 3 * (12 - 7), 1e-7);
	check_near(spiky_value(1, 2), 15.0 / (KERNEL_PI * 64), 1e-7);
	check_near(spiky_derivative(1, 2), -45.0 / (KERNEL_PI * 64), 1e-7);
	check_near(spiky_laplacian(1, 2), 0.0, 1e-7); // changes sign at h / 2
	check_near(viscosity_value(1, 2), 15.0 / (2 * KERNEL_PI * 8) * (-1.0 / 16 + 1.0 / 4 + 1 - 1), 1e-7);
	check_near(viscosity_laplacian(1, 2), 45.0 / (KERNEL_PI * 64), 1e-7);
	check_near(cubic_value(1, 2), 1.0 / KERNEL_PI * 0.25, 1e-7);
	check_near(cubic_value(0, 2), 1.0 / KERNEL_PI, 1e-7);
	check_near(cubic_derivative(1, 2), -6.0 / (2 * KERNEL_PI) * 0.25, 1e-7);
	check_near(poly6_value(0, 2), 315.0 / (64 * KERNEL_PI * 8), 1e-7);
	check_near(poly6_derivative(0, 2), 0.0, 0.0);
	check_near(cubic_derivative(0, 2), 0.0, 0.0);
	assert_true(isinf(viscosity_value(0, 2)));
}

static void derivatives_match_differences(void **state)
{
	(void)state;
	for (int k = 0; k < KERNEL_COUNT; k++)
		for (int n = 0; n < RADII; n++)
			for (int s = 10; s <= 98; s++)
			{
				const kernel *w = &kernel_table[k];
				float h = radii[n], r = h * (float)s / 100.0f;
				float low = r - h / 256.0f, high = r + h / 256.0f;
				double step = (double)high - (double)low, scale = 1.0 / pow(h, 4);
				double slope = ((double)w->value(high, h) - (double)w->value(low, h)) / step;
				double actual = (double)w->derivative(r, h);
				if (!(fabs(actual - slope) <= 2e-3 * fabs(slope) + 3e-3 * scale))
					fail_msg("%s, h = %g, r = %g: slope %.9g, expected %.9g", w->name, (double)h,
						 (double)r, actual, slope);

				// the Laplacian is the divergence of the gradient: (r^2 W')' / r^2
				double flux = (pow(high, 2) * (double)w->derivative(high, h) -
					       pow(low, 2) * (double)w->derivative(low, h)) /
					      step / pow(r, 2);
				double laplacian = (double)w->laplacian(r, h);
				if (!(fabs(laplacian - flux) <= 1e-2 * fabs(flux) + 0.25 * scale / (double)h))
					fail_msg("%s, h = %g, r = %g: Laplacian %.9g, expected %.9g", w->name,
						 (double)h, (double)r, laplacian, flux);
			}
}

static void support_is_compact(void **state)
{
	(void)state;
	for (int k = 0; k < KERNEL_COUNT; k++)
		for (int n = 0; n < RADII; n++)
		{
			const kernel *w = &kernel_table[k];
			float h = radii[n];
			const float outside[] = {h, nextafterf(h, INFINITY), 1.5f * h, 1e10f, INFINITY};
			for (size_t o = 0; o < sizeof outside / sizeof *outside; o++)
			{
				assert_true(w->value(outside[o], h) == 0.0f);
				assert_true(w->derivative(outside[o], h) == 0.0f);
				assert_true(w->laplacian(outside[o], h) == 0.0f);
			}
			assert_true(w->value(0.98f * h, h) > 0.0f);
			assert_true(w->derivative(0.98f * h, h) < 0.0f);
		}
}

static void kernels_fall_monotonically(void **state)
{
	(void)state;
	for (int k = 0; k < KERNEL_COUNT; k++)
	{
		const kernel *w = &kernel_table[k];
		float before = w->singular ? INFINITY : w->value(0.0f, 0.1f), peak = w->value(0.01f, 0.1f);
		for (int s = 1; s <= 1000; s++)
		{
			float r = 0.1f * (float)s / 1000.0f, now = w->value(r, 0.1f);
			// round-off may hide the fall where the kernel is flat
			if (!(now <= before + 1e-6f * peak) || now < 0.0f || w->derivative(r, 0.1f) > 0.0f)
				fail_msg("%s rises from %.9g to %.9g at r = %g (slope %g)", w->name, (double)before,
					 (double)now, (double)r, (double)w->derivative(r, 0.1f));
			before = now;
		}
	}
}

// W(s r, s h) = W(r, h) / s^3, dW likewise with s^4 and the Laplacian with s^5; by powers of two, the same digits.
static void kernels_scale_with_the_radius(void **state)
{
	(void)state;
	for (int k = 0; k < KERNEL_COUNT; k++)
		for (int power = -16; power <= 16; power += 4)
			for (int s = 1; s < 20; s++)
			{
				const kernel *w = &kernel_table[k];
				float r = (float)s / 20.0f, scaled = ldexpf(r, power), h = ldexpf(1.0f, power);
				check_near(ldexpf(w->value(scaled, h), 3 * power), w->value(r, 1.0f), 0.0);
				check_near(ldexpf(w->derivative(scaled, h), 4 * power), w->derivative(r, 1.0f), 0.0);
				check_near(ldexpf(w->laplacian(scaled, h), 5 * power), w->laplacian(r, 1.0f), 0.0);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(kernels_integrate_to_one),
	    cmocka_unit_test(poly6_has_its_second_moment),
	    cmocka_unit_test(formulas_give_known_values),
	    cmocka_unit_test(derivatives_match_differences),
	    cmocka_unit_test(support_is_compact),
	    cmocka_unit_test(kernels_fall_monotonically),
	    cmocka_unit_test(kernels_scale_with_the_radius),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
