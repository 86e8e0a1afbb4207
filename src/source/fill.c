// Fills: particles on a lattice inside a shape, once.
#include "base/random.h"
#include "source/source_work.h"

#include <string.h>

// Shifts a position by a random vector of its own, unless that leads into a collider, which would push the particle back.
static void shift_place(const source_set *set, uint32_t s, int64_t number, double d, const collider_set *colliders,
			double place[3])
{
	double length = set->defs[s].jitter * d;
	vec3 u = random_unit((random_key){set->seed, number, s, 0});
	double shifted[3] = {place[0] + length * (double)u.x, place[1] + length * (double)u.y,
			     place[2] + length * (double)u.z};
	if (length > 0.0 && collider_set_distance(colliders, source_relative(set->origin, shifted)) >= 0.49f * (float)d)
		memcpy(place, shifted, sizeof shifted);
}

int fill_each(const spate_source_def *def, double d, const double origin[3], const collider_set *colliders,
	      int64_t stride, fill_visit *visit, void *context)
{
	double low[3], high[3];
	shape_bounds(&def->shape, low, high);
	solid_shape form = shape_make(&def->shape, origin);
	int64_t cells[3];
	for (int k = 0; k < 3; k++)
		cells[k] = (int64_t)floor((high[k] - low[k]) / d + 1e-4);
	for (int64_t z = 0; z < cells[2]; z += stride)
		for (int64_t y = 0; y < cells[1]; y += stride)
			for (int64_t x = 0; x < cells[0]; x += stride)
			{
				double place[3] = {low[0] + ((double)x + 0.5) * d, low[1] + ((double)y + 0.5) * d,
						   low[2] + ((double)z + 0.5) * d};
				vec3 p = source_relative(origin, place);
				if (shape_distance(&form, p) > 0.0f ||
				    collider_set_distance(colliders, p) < 0.49f * (float)d)
					continue;
				if (!visit(context, (z * cells[1] + y) * cells[0] + x, place))
					return 0;
			}
	return 1;
}

void fill_velocity(const spate_source_def *def, const double place[3], double velocity[3])
{
	double low[3], high[3];
	shape_bounds(&def->shape, low, high);
	for (int k = 0; k < 3; k++)
	{
		int u = (k + 1) % 3, v = (k + 2) % 3;
		velocity[k] = def->velocity[k] + def->spin[u] * (place[v] - 0.5 * (low[v] + high[v])) -
			      def->spin[v] * (place[u] - 0.5 * (low[u] + high[u]));
	}
}

// State of a fill in progress.
typedef struct filling
{
	source_set *set;
	const collider_set *colliders;
	uint32_t source;
	double spacing;
} filling;

static int collect_place(void *context, int64_t number, const double lattice[3])
{
	const filling *f = context;
	double place[3] = {lattice[0], lattice[1], lattice[2]}, velocity[3];
	shift_place(f->set, f->source, number, f->spacing, f->colliders, place);
	fill_velocity(&f->set->defs[f->source], place, velocity);
	return source_collect(f->set, place, velocity);
}

int fill_collect(source_set *set, uint32_t s, double d, const collider_set *colliders)
{
	filling f = {set, colliders, s, d};
	return fill_each(&set->defs[s], d, set->origin, colliders, 1, collect_place, &f);
}

// A fill is created by the first step that begins at its start time or later.
int fill_can_be(const spate_source_def *def, const source_state *state, double now, double last_dt)
{
	double rounding = 1e-9 * (1.0 + now);
	if (state->turns == 0)
		return state->emitted == 0 && (now <= 0.0 || def->start > now - last_dt - rounding);
	return state->turns == 1 && def->start <= now + rounding;
}

double fill_speed(const spate_source_def *def)
{
	const double *v = def->velocity, *w = def->spin;
	double low[3], high[3], half2 = 0.0;
	shape_bounds(&def->shape, low, high);
	for (int k = 0; k < 3; k++)
		half2 += 0.25 * (high[k] - low[k]) * (high[k] - low[k]);
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + sqrt((w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * half2);
}
