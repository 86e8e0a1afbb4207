#include "solver/prototype.h"

#include "base/kernels.h"

#include <math.h>

enum
{
	REACH = 4, // lattice steps in each direction, enough for radii up to 4 spacings
	WAVES = 12 // wave numbers per axis
};

// For a plane wave of displacements u e^{ikx} the lattice answers dC = -i (g_poly6 . u) and dx = i lambda g_spiky, with
// g(k) = sum_j V grad W sin(k . r_j): one Jacobi iteration shrinks it by beta stiffness (g_poly6 . g_spiky).
static double wave_response(double radius, double volume, const double k[3])
{
	double poly6[3] = {0, 0, 0}, spiky[3] = {0, 0, 0};
	for (int x = -REACH; x <= REACH; x++)
		for (int y = -REACH; y <= REACH; y++)
			for (int z = -REACH; z <= REACH; z++)
			{
				double r = sqrt(x * x + y * y + z * z);
				if (r <= 0.0 || r >= radius)
					continue;
				double wave = sin(k[0] * x + k[1] * y + k[2] * z) * volume / r;
				double p = (double)poly6_derivative((float)r, (float)radius) * wave;
				double s = (double)spiky_derivative((float)r, (float)radius) * wave;
				poly6[0] += p * x, poly6[1] += p * y, poly6[2] += p * z;
				spiky[0] += s * x, spiky[1] += s * y, spiky[2] += s * z;
			}
	return poly6[0] * spiky[0] + poly6[1] * spiky[1] + poly6[2] * spiky[2];
}

// Computed in units of the spacing, so that no power of a small spacing underflows.
prototype prototype_make(double spacing, double radius)
{
	radius /= spacing;
	double sum = 0.0, squares = 0.0, moment = 0.0;
	for (int x = -REACH; x <= REACH; x++)
		for (int y = -REACH; y <= REACH; y++)
			for (int z = -REACH; z <= REACH; z++)
			{
				double r = sqrt(x * x + y * y + z * z);
				if (r >= radius)
					continue;
				sum += (double)poly6_value((float)r, (float)radius);
				double slope = r > 0.0 ? (double)spiky_derivative((float)r, (float)radius) : 0.0;
				squares += slope * slope;
				moment -= r > 0.0 ? slope / r * x * x : 0.0;
			}
	prototype p;
	p.volume = 1.0 / sum;
	p.stiffness = 1.0 / (p.volume * p.volume * squares);
	p.gradient = p.volume * moment;

	double stiffest = 0.0, pi = 3.14159265358979323846;
	for (int x = 0; x <= WAVES; x++)
		for (int y = 0; y <= x; y++)
			for (int z = 0; z <= y; z++)
			{
				double step = pi / WAVES, k[3] = {x * step, y * step, z * step};
				stiffest = fmax(stiffest, wave_response(radius, p.volume, k));
			}
	p.beta = 1.0 / (p.stiffness * stiffest);
	double k[3] = {0.01, 0, 0};
	p.response = p.stiffness * wave_response(radius, p.volume, k) / (k[0] * k[0]);
	p.volume *= spacing * spacing * spacing;
	p.stiffness *= spacing * spacing;
	return p;
}
