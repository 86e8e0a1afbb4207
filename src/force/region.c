#include "force/region.h"

#include "collider/shape.h"

int region_is_limited(const spate_force_def *own)
{
	const spate_shape *s = &own->shape;
	double sum = fabs(s->radius);
	for (int k = 0; k < 3; k++)
		sum += fabs(s->a[k]) + fabs(s->b[k]);
	return sum > 0.0;
}

// 1 inside; outside, smoothstep down to 0 at `falloff`.
float region_weight(float distance, float falloff)
{
	if (distance <= 0.0f)
		return 1.0f;
	if (!(distance < falloff))
		return 0.0f;
	float t = 1.0f - distance / falloff;
	return t * t * (3.0f - 2.0f * t);
}

// 1 for the fluids that are named, 0 for others.
static int weigh_fluids(const spate_force_def *own, const force_rows *rows, float *weights)
{
	int some = 0;
	for (size_t row = 0; row < rows->count; row++)
	{
		int named = 0;
		for (uint32_t f = 0; f < own->fluid_count; f++)
			named |= (uint32_t)rows->fluids[row] == own->fluids[f];
		weights[row] = (float)named;
		some |= named;
	}
	return some;
}

int region_weigh(const spate_force_def *own, const force_rows *rows, float *weights)
{
	for (size_t row = 0; row < rows->count; row++)
		weights[row] = 1.0f;
	if (!own)
		return 1;
	if (own->fluid_count > 0 && rows->fluids && !weigh_fluids(own, rows, weights))
		return 0;
	if (!region_is_limited(own))
		return 1;
	solid_shape shape = shape_make(&own->shape, rows->origin);
	float falloff = (float)own->falloff;
	int some = 0;
	for (size_t row = 0; row < rows->count; row++)
	{
		vec4 x = rows->positions[row];
		if (weights[row] > 0.0f)
			weights[row] = region_weight(shape_distance(&shape, vec3_make(x.x, x.y, x.z)), falloff);
		some |= weights[row] > 0.0f;
	}
	return some;
}
