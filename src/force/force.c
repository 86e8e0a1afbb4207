#include "force/force.h"

#include <assert.h>

static const force_type *const table[] = {
#define FORCE(name) &force_##name,
#include "force/forces.def"
#undef FORCE
};

static double length_of(const double v[3])
{
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Adds up the bounds. Common parts may cancel each other, so they are added as vectors.
static void add_up(force_set *set)
{
	double varying = 0.0;
	for (int k = 0; k < 3; k++)
		set->common[k] = set->up[k] = 0.0;
	for (uint32_t f = 0; f < set->count; f++)
	{
		force_bound own = set->forces[f].type->bound(set->forces[f].values);
		for (int k = 0; k < 3; k++)
			set->common[k] += own.common[k];
		if (set->forces[f].type->accelerate)
			varying += own.most;
	}
	set->pull = length_of(set->common);
	for (int k = 0; k < 3 && set->pull > 0.0; k++)
		set->up[k] = -set->common[k] / set->pull;
	set->most = set->pull + varying;
}

void force_set_make(force_set *set, const spate_world_def *def, const force_entry *extra, uint32_t extra_count)
{
	*set = (force_set){.count = 0};
	for (size_t t = 0; t < sizeof table / sizeof *table; t++)
	{
		force_entry *own = &set->forces[set->count];
		own->type = table[t];
		set->count += (uint32_t)(table[t]->setup(def, own->values) != 0);
	}
	assert(set->count + extra_count <= FORCE_MOST);
	for (uint32_t e = 0; e < extra_count; e++)
		set->forces[set->count++] = extra[e];
	add_up(set);
}

int force_set_accelerate(const force_set *set, const force_rows *rows, vec3 *same, vec3 *each)
{
	int alike = 1;
	*same = vec3_make((float)set->common[0], (float)set->common[1], (float)set->common[2]);
	for (uint32_t f = 0; f < set->count; f++)
	{
		if (!set->forces[f].type->accelerate)
			continue;
		for (size_t row = 0; row < rows->count && alike; row++)
			each[row] = *same;
		alike = 0;
		set->forces[f].type->accelerate(set->forces[f].values, rows, each);
	}
	return alike;
}

double force_most(const spate_world_def *def)
{
	force_set set;
	force_set_make(&set, def, NULL, 0);
	return set.most;
}
