// Particles on a lattice, shaken or not, whose fluid a function of the place decides; 0 leaves one out.
#ifndef TESTS_PARTICLE_SETS_H
#define TESTS_PARTICLE_SETS_H

#include "check.h"
#include "dice.h"

#include "base/array.h"
#include "surface/chromatic.h"

typedef uint8_t fluid_at(const void *context, const float p[3]);

typedef struct particle_set
{
	ARRAY(float) positions;
	ARRAY(uint8_t) fluids;
	chromatic_input input;
} particle_set;

// A lattice of `side` places along each axis (one along z in the plane) in the unit cube, each moved by up to `shake` spacings.
static inline particle_set particle_set_make(uint32_t dimension, uint32_t side, float shake, fluid_at *at,
					     const void *context)
{
	particle_set set = {0};
	dice d = {11};
	float spacing = 1.0f / (float)side;
	uint32_t count = dimension == 3 ? side * side * side : side * side;
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t cell[3] = {i % side, i / side % side, i / side / side};
		float p[3] = {0};
		for (uint32_t k = 0; k < dimension; k++)
			p[k] = spacing * ((float)cell[k] + 0.5f + dice_range(&d, -shake, shake));
		uint8_t fluid = at(context, p);
		if (!fluid)
			continue;
		for (int k = 0; k < 3; k++)
			assert_true(array_push(&set.positions, p[k]));
		assert_true(array_push(&set.fluids, fluid));
	}
	set.input = (chromatic_input){.dimension = dimension,
				      .count = (uint32_t)set.fluids.count,
				      .positions = set.positions.data,
				      .fluids = set.fluids.data,
				      .radius = 0.5f * spacing,
				      .threads = 1};
	return set;
}

static inline void particle_set_free(particle_set *set)
{
	array_free(&set->positions);
	array_free(&set->fluids);
}

// Fluid 1 below, 2 above.
static inline uint8_t layers(const void *context, const float p[3])
{
	(void)context;
	for (int k = 0; k < 3; k++)
		if (p[k] < 0.0f || p[k] > 1.0f)
			return 0;
	return p[1] < 0.5f ? 1 : 2;
}

// A ball of fluid 2 inside a ball of fluid 1; in the plane a disc.
static inline uint8_t drop_in_drop(const void *context, const float p[3])
{
	const uint32_t *dimension = context;
	float r = 0.0f;
	for (uint32_t k = 0; k < *dimension; k++)
		r += (p[k] - 0.5f) * (p[k] - 0.5f);
	return r < 0.0625f ? 2 : r < 0.2025f ? 1 : 0;
}

// Three sectors around the axis.
static inline uint8_t sectors(const void *context, const float p[3])
{
	if (layers(context, p) == 0)
		return 0;
	float angle = atan2f(p[1] - 0.52f, p[0] - 0.49f);
	return angle < -1.0f ? 1 : angle < 1.1f ? 2 : 3;
}

// Four fluids that meet in the middle: nearest corner of a tetrahedron.
static inline uint8_t four(const void *context, const float p[3])
{
	if (layers(context, p) == 0)
		return 0;
	static const float c[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
	int best = 0;
	float most = -10.0f;
	for (int k = 0; k < 4; k++)
	{
		float s = c[k][0] * (p[0] - 0.51f) + c[k][1] * (p[1] - 0.5f) + c[k][2] * (p[2] - 0.49f);
		if (s > most)
		{
			most = s;
			best = k;
		}
	}
	return (uint8_t)(best + 1);
}

// Nearest of fifteen seeds.
static inline uint8_t fifteen(const void *context, const float p[3])
{
	if (layers(context, p) == 0)
		return 0;
	dice d = {21};
	int best = 0;
	float least = 10.0f;
	for (int k = 0; k < 15; k++)
	{
		float r = 0.0f;
		for (int x = 0; x < 3; x++)
		{
			float q = dice_range(&d, 0.1f, 0.9f) - p[x];
			r += q * q;
		}
		if (r < least)
		{
			least = r;
			best = k;
		}
	}
	return (uint8_t)(best + 1);
}

#endif
