// Period and damping of something that swings, for benchmarks and tests.
#ifndef BENCH_SWING_H
#define BENCH_SWING_H

#include <math.h>

static const double swing_pi = 3.14159265358979323846;

enum
{
	SWING_SAMPLES = 512
};

// Something that swings, recorded at even times.
typedef struct swing
{
	double values[SWING_SAMPLES], every; // s
	int count;
} swing;

// What a + exp(-decay t) (b cos(omega t) + c sin(omega t)) with the best a, b and c leaves of a record: the sum of squares.
static inline double swing_misfit(const swing *s, double omega, double decay)
{
	double m[3][4] = {{0}}, left = 0;
	for (int pass = 0; pass < 2; pass++)
	{
		for (int n = 0; n < s->count; n++)
		{
			double t = n * s->every, y = s->values[n], fade = exp(-decay * t),
			       f[3] = {1, fade * cos(omega * t), fade * sin(omega * t)};
			for (int i = 0; i < 3 && pass == 0; i++)
			{
				for (int j = 0; j < 3; j++)
					m[i][j] += f[i] * f[j];
				m[i][3] += f[i] * y;
			}
			if (pass == 1)
				left += pow(y - m[0][3] * f[0] - m[1][3] * f[1] - m[2][3] * f[2], 2);
		}
		// Gauss and Jordan: the last column becomes the solution
		for (int i = 0; i < 3 && pass == 0; i++)
			for (int row = 0; row < 3; row++)
			{
				double by = row == i ? 1 - 1 / m[i][i] : m[row][i] / m[i][i];
				for (int j = 3; j >= 0; j--)
					m[row][j] -= by * m[i][j];
			}
	}
	return left;
}

// Period (s) of a record that should have one of about `guess`, and what is left of the swing after a period: the best on a grid, then
// closer and closer around it.
static inline double swing_fit(const swing *s, double guess, double *kept)
{
	double best = INFINITY, period = NAN;
	for (double p = 0.6 * guess; p < 1.8 * guess; p += 0.02 * guess)
		for (double k = 0.02; k <= 1.2; k += 0.04)
		{
			double misfit = swing_misfit(s, 2 * swing_pi / p, -log(k) / p);
			if (misfit < best)
				best = misfit, period = p, *kept = k;
		}
	for (double reach = 0.02; reach > 1e-5; reach *= 0.7)
	{
		double p = period, k = *kept;
		for (int n = 0; n < 9; n++)
		{
			double near_p = p + (n % 3 - 1) * reach * guess, near_k = fmax(k + (n / 3 - 1) * reach, 1e-3),
			       misfit = swing_misfit(s, 2 * swing_pi / near_p, -log(near_k) / near_p);
			if (misfit < best)
				best = misfit, period = near_p, *kept = near_k;
		}
	}
	return period;
}

#endif
