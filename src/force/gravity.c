// Gravity: the same acceleration for every particle.
#include "force/force.h"

#include <string.h>

static int setup(const spate_world_def *def, double *values)
{
	memcpy(values, def->gravity, sizeof def->gravity);
	return 1;
}

static force_bound bound(const double *g)
{
	return (force_bound){.most = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), .common = {g[0], g[1], g[2]}};
}

const force_type force_gravity = {
    .name = "gravity", .doc = "Accelerates all particles alike.", .setup = setup, .bound = bound};
