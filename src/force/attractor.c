// Attractor: a pull towards a point, like the gravity of a ball.
#include "force/force.h"
#include "force/radial.h"

#include <string.h>

enum
{
	POSITION,
	STRENGTH = 3,
	RADIUS,
	POWER
};

static int setup(const spate_world_def *def, const spate_force_def *own, double *values)
{
	(void)def;
	memcpy(values, own->position, sizeof own->position);
	values[STRENGTH] = own->strength;
	values[RADIUS] = own->radius;
	values[POWER] = own->power;
	return own->strength != 0.0;
}

static force_bound bound(const force_entry *force, double speed)
{
	(void)speed;
	return (force_bound){.most = fabs(force->values[STRENGTH])};
}

static void accelerate(const force_entry *force, const force_rows *rows, const float *weights, const force_sum *sum)
{
	const double *v = force->values, *o = rows->origin;
	vec3 centre = vec3_make((float)(v[0] - o[0]), (float)(v[1] - o[1]), (float)(v[2] - o[2]));
	float strength = (float)v[STRENGTH], radius = (float)v[RADIUS], other = (float)v[POWER];
	int power = radial_power(v[POWER]);
	for (size_t row = 0; row < rows->count; row++)
	{
		vec4 x = rows->positions[row];
		vec3 d = vec3_sub(centre, vec3_make(x.x, x.y, x.z));
		float share = weights[row] * strength * radial_share(vec3_length(d), radius, power, other);
		sum->accelerations[row] = vec3_add_scaled(sum->accelerations[row], d, share);
	}
}

static const char *problem(const spate_force_def *own)
{
	if (!(own->radius > 0.0))
		return "its radius is not positive";
	return own->power >= 0.0 && own->power <= 10.0 ? NULL : "its power is not between 0 and 10";
}

const force_type force_attractor = {.setup = setup, .bound = bound, .accelerate = accelerate, .problem = problem};
