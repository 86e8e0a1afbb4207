// Gravity: the same acceleration for every particle.
#include "force/force.h"

#include <string.h>

static int setup(const spate_world_def *def, const spate_force_def *own, double *values)
{
	(void)own;
	memcpy(values, def->gravity, sizeof def->gravity);
	return 1;
}

static force_bound bound(const force_entry *force, double speed)
{
	(void)speed;
	const double *g = force->values;
	return (force_bound){.most = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), .common = {g[0], g[1], g[2]}};
}

const force_type force_gravity = {.setup = setup, .bound = bound};
