#include "surface/eigen.h"

#include <math.h>

enum
{
	SWEEPS = 16 // six suffice in practice; each squares the remaining error
};

// Turns the plane of axes p and q so that a[p][q] vanishes.
static void rotate(double a[3][3], double v[3][3], int p, int q)
{
	double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
	double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + hypot(theta, 1.0));
	double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
	int r = 3 - p - q;
	double apr = a[p][r], aqr = a[q][r];
	a[p][p] -= t * a[p][q];
	a[q][q] += t * a[p][q];
	a[p][q] = a[q][p] = 0.0;
	a[p][r] = a[r][p] = c * apr - s * aqr;
	a[q][r] = a[r][q] = s * apr + c * aqr;
	for (int k = 0; k < 3; k++)
	{
		double vp = v[p][k], vq = v[q][k];
		v[p][k] = c * vp - s * vq;
		v[q][k] = s * vp + c * vq;
	}
}

void eigen_symmetric(const double m[6], double values[3], double vectors[3][3])
{
	// divide by the largest entry to avoid overflow and underflow
	double scale = 0.0;
	for (int k = 0; k < 6; k++)
		scale = fmax(scale, fabs(m[k]));
	double inverse = scale > 0.0 ? 1.0 / scale : 0.0;
	double a[3][3] = {{m[0] * inverse, m[1] * inverse, m[2] * inverse},
			  {m[1] * inverse, m[3] * inverse, m[4] * inverse},
			  {m[2] * inverse, m[4] * inverse, m[5] * inverse}};
	double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	for (int sweep = 0; sweep < SWEEPS; sweep++)
	{
		if (fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]) < 1e-300)
			break;
		for (int p = 0; p < 2; p++)
			for (int q = p + 1; q < 3; q++)
				if (fabs(a[p][q]) > 1e-300)
					rotate(a, v, p, q);
	}

	int order[3] = {0, 1, 2};
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2 - i; j++)
			if (a[order[j]][order[j]] < a[order[j + 1]][order[j + 1]])
			{
				int swap = order[j];
				order[j] = order[j + 1];
				order[j + 1] = swap;
			}
	for (int k = 0; k < 3; k++)
	{
		values[k] = a[order[k]][order[k]] * scale;
		for (int axis = 0; axis < 3; axis++)
			vectors[k][axis] = v[order[k]][axis];
	}
	for (int axis = 0; axis < 3; axis++)
	{
		int b = (axis + 1) % 3, c = (axis + 2) % 3;
		vectors[2][axis] = vectors[0][b] * vectors[1][c] - vectors[0][c] * vectors[1][b];
	}
}
