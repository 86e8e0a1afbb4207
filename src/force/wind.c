// Wind: drag towards the velocity of moving air.
#include "force/relax.h"

#include <string.h>

enum
{
	VELOCITY,
	DRAG = 3,
	QUADRATIC
};

static int setup(const spate_world_def *def, const spate_force_def *own, double *values)
{
	(void)def;
	memcpy(values, own->velocity, sizeof own->velocity);
	values[DRAG] = own->drag;
	values[QUADRATIC] = own->quadratic;
	return own->drag > 0.0 || own->quadratic > 0.0;
}

static force_bound bound(const force_entry *force, double speed)
{
	const double *v = force->values;
	double flow = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	return (force_bound){.rate = v[DRAG] + v[QUADRATIC] * (flow + speed), .flow = flow};
}

static void accelerate(const force_entry *force, const force_rows *rows, const float *weights, const force_sum *sum)
{
	const double *v = force->values;
	vec3 u = vec3_make((float)v[0], (float)v[1], (float)v[2]);
	for (size_t row = 0; row < rows->count; row++)
		if (weights[row] > 0.0f)
			relax_row(rows, sum, row, weights[row], u, v[DRAG], v[QUADRATIC]);
}

const force_type force_wind = {.setup = setup, .bound = bound, .accelerate = accelerate};

// ------------------------------------------------------------------------------------------------------------------ drag

static int setup_still(const spate_world_def *def, const spate_force_def *own, double *values)
{
	int acts = setup(def, own, values);
	memset(values, 0, sizeof own->velocity);
	return acts;
}

const force_type force_drag = {.setup = setup_still, .bound = bound, .accelerate = accelerate};
