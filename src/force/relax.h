// Drag towards a velocity, shared by the forces that have it.
//
// Linear drag has the rate k (1/s), quadratic drag c |u - v| with c in 1/m. Together they slow a difference w = |u - v| down in the time dt to
// w exp(-k dt) / (1 + c w (1 - exp(-k dt)) / k); the rate that does the same is k + log(1 + c w (1 - exp(-k dt)) / k) / dt.
#ifndef FORCE_RELAX_H
#define FORCE_RELAX_H

#include "force/force.h"

#include <math.h>

// The rate (1/s) at which a difference `w` (m/s) decays over dt.
static inline float relax_rate(double k, double c, double w, double dt)
{
	if (!(c * w > 0.0))
		return (float)k;
	double x = k * dt, mean = x > 1e-6 ? -expm1(-x) / x : 1.0;
	return (float)(dt > 0.0 ? k + log1p(c * w * mean * dt) / dt : k + c * w);
}

// Adds drag of a row towards u.
static inline void relax_row(const force_rows *rows, const force_sum *sum, size_t row, float weight, vec3 u, double k,
			     double c)
{
	float rate = (float)k;
	if (c > 0.0)
	{
		vec4 v = rows->velocities[row];
		float x = u.x - v.x, y = u.y - v.y, z = u.z - v.z;
		rate = relax_rate(k, c, (double)sqrtf(x * x + y * y + z * z), (double)rows->dt);
	}
	rate *= weight;
	vec4 *d = &sum->drags[row];
	*d = (vec4){d->x + rate * u.x, d->y + rate * u.y, d->z + rate * u.z, d->w + rate};
}

#endif
