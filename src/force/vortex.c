// Vortex and spiral: swirl about an axis, as an acceleration or as drag towards a swirling flow, and a pull towards the axis and along it.
// The swirl has the profile of a Rankine vortex: like a solid body inside the radius, and outside it falling with a power of the distance.
#include "force/radial.h"
#include "force/relax.h"

#include <string.h>

enum
{
	POSITION,
	AXIS = 3, // of length 1
	STRENGTH = 6,
	INWARD,
	ALONG,
	SPEED,
	DRAG,
	QUADRATIC,
	RADIUS,
	POWER
};

static int setup(const spate_world_def *def, const spate_force_def *own, double *values)
{
	(void)def;
	memcpy(values + POSITION, own->position, sizeof own->position);
	double length = sqrt(own->axis[0] * own->axis[0] + own->axis[1] * own->axis[1] + own->axis[2] * own->axis[2]);
	for (int k = 0; k < 3; k++)
		values[AXIS + k] = own->axis[k] / length;
	values[STRENGTH] = own->strength;
	values[INWARD] = own->type == SPATE_FORCE_SPIRAL ? own->inward : 0.0;
	values[ALONG] = own->type == SPATE_FORCE_SPIRAL ? own->along : 0.0;
	int drags = own->type == SPATE_FORCE_VORTEX && (own->drag > 0.0 || own->quadratic > 0.0);
	values[SPEED] = drags ? own->speed : 0.0;
	values[DRAG] = drags ? own->drag : 0.0;
	values[QUADRATIC] = drags ? own->quadratic : 0.0;
	values[RADIUS] = own->radius;
	values[POWER] = own->power;
	return drags || values[STRENGTH] != 0.0 || values[INWARD] != 0.0 || values[ALONG] != 0.0;
}

static force_bound bound(const force_entry *force, double speed)
{
	const double *v = force->values;
	double flow = fabs(v[SPEED]), across = v[STRENGTH] * v[STRENGTH] + v[INWARD] * v[INWARD];
	return (force_bound){
	    .most = sqrt(across + v[ALONG] * v[ALONG]), .rate = v[DRAG] + v[QUADRATIC] * (flow + speed), .flow = flow};
}

static void accelerate(const force_entry *force, const force_rows *rows, const float *weights, const force_sum *sum)
{
	const double *v = force->values, *o = rows->origin;
	vec3 centre = vec3_make((float)(v[0] - o[0]), (float)(v[1] - o[1]), (float)(v[2] - o[2]));
	vec3 axis = vec3_make((float)v[AXIS], (float)v[AXIS + 1], (float)v[AXIS + 2]);
	float radius = (float)v[RADIUS], other = (float)v[POWER];
	float around = (float)v[STRENGTH], inward = (float)v[INWARD], along = (float)v[ALONG], flow = (float)v[SPEED];
	int power = radial_power(v[POWER]), drags = v[DRAG] > 0.0 || v[QUADRATIC] > 0.0;
	for (size_t row = 0; row < rows->count; row++)
	{
		vec4 x = rows->positions[row];
		vec3 d = vec3_sub(vec3_make(x.x, x.y, x.z), centre);
		d = vec3_add_scaled(d, axis, -vec3_dot(d, axis));
		vec3 turn = vec3_cross(axis, d);
		float share = radial_share(vec3_length(d), radius, power, other), weight = weights[row];
		vec3 a = vec3_add_scaled(vec3_scale(turn, around * share), d, -inward * share);
		// along the axis as strongly as around it: all of it moves together
		float height = along * share * vec3_length(d);
		a = vec3_add_scaled(a, axis, height);
		sum->accelerations[row] = vec3_add_scaled(sum->accelerations[row], a, weight);
		if (drags && weight > 0.0f)
			relax_row(rows, sum, row, weight, vec3_scale(turn, flow * share), v[DRAG], v[QUADRATIC]);
	}
}

static const char *problem(const spate_force_def *own)
{
	if (!(own->radius > 0.0))
		return "its radius is not positive";
	if (own->axis[0] == 0.0 && own->axis[1] == 0.0 && own->axis[2] == 0.0)
		return "its axis has zero length";
	return own->power >= 0.0 && own->power <= 10.0 ? NULL : "its power is not between 0 and 10";
}

const force_type force_vortex = {.setup = setup, .bound = bound, .accelerate = accelerate, .problem = problem};

const force_type force_spiral = {.setup = setup, .bound = bound, .accelerate = accelerate, .problem = problem};
