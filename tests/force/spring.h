// A force that is in no table and differs from place to place.
#ifndef TESTS_FORCE_SPRING_H
#define TESTS_FORCE_SPRING_H

#include "force/force.h"

// A spring towards a point, no stronger than a limit: values are the point, the stiffness (1/s^2) and the limit (m/s^2).
static force_bound spring_bound(const force_entry *force, double speed)
{
	(void)speed;
	return (force_bound){.most = force->values[4]};
}

static void spring_accelerate(const force_entry *force, const force_rows *rows, const float *weights,
			      const force_sum *sum)
{
	const double *values = force->values;
	vec3 *out = sum->accelerations;
	(void)weights;
	for (size_t k = 0; k < rows->count; k++)
	{
		vec4 x = rows->positions[k];
		double d[3] = {values[0] - (double)x.x - rows->origin[0], values[1] - (double)x.y - rows->origin[1],
			       values[2] - (double)x.z - rows->origin[2]};
		double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]),
		       a = fmin(values[3], values[4] / fmax(r, 1e-9));
		out[k] = vec3_add(out[k], vec3_make((float)(a * d[0]), (float)(a * d[1]), (float)(a * d[2])));
	}
}

static const force_type spring = {.bound = spring_bound, .accelerate = spring_accelerate};

#endif
