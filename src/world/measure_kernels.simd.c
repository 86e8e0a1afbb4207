#include "world/measure_kernels.h"

#include "base/simd.h"

typedef double d8 __attribute__((vector_size(64)));
typedef int64_t d8_mask __attribute__((vector_size(64)));

static d8 widen(f8 a)
{
	return __builtin_convertvector(a, d8);
}

static void sum(const measure_frame *frame, measure_block *block, int which, d8 term)
{
	d8 *high = (d8 *)block->sums[which][0], *low = (d8 *)block->sums[which][1];
	d8 part = (term + frame->cuts[which][0]) - frame->cuts[which][0];
	*high += part;
	*low += ((term - part) + frame->cuts[which][1]) - frame->cuts[which][1];
}

static void load(const vec4 *records, f8 to[3])
{
	static const uint32_t order[SIMD_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
	f8 w;
	f8_gather4(&records->x, order, &to[0], &to[1], &to[2], &w);
}

static int add(const measure_frame *frame, const vec4 *places, const vec4 *velocities, const float *density,
	       const measure_group *group, measure_block *block)
{
	f8 x[3], v[3];
	load(places, x);
	load(velocities, v);
	f8 speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], place = f8_set1(frame->place);
	m8 within = f8_le(speed2, f8_set1(frame->speed2)) & f8_le(f8_abs(x[0]), place) & f8_le(f8_abs(x[1]), place) &
		    f8_le(f8_abs(x[2]), place);
	if (within != 0xff)
		return 0;
	f8 *fastest = (f8 *)block->speed2, *bulk = (f8 *)block->bulk_speed2;
	*fastest = f8_max(speed2, *fastest);
	*bulk = f8_max(f8_select_gt(f8_load(group->sparse), f8_load(density), f8_set1(0.0f), speed2), *bulk);

	d8 m, p[3], u[3];
	memcpy(&m, group->mass, sizeof m);
	for (int k = 0; k < 3; k++)
	{
		p[k] = widen(x[k]) + frame->origin[k];
		u[k] = widen(v[k]);
	}
	d8 height = p[0] * frame->up[0] + p[1] * frame->up[1] + p[2] * frame->up[2], *lowest = (d8 *)block->lowest;
	d8_mask lower = height < *lowest;
	*lowest = (d8)(((d8_mask)height & lower) | ((d8_mask)*lowest & ~lower));
	sum(frame, block, MEASURE_MASS, m);
	sum(frame, block, MEASURE_HEIGHT, m * height);
	sum(frame, block, MEASURE_KINETIC, 0.5 * m * widen(speed2));
	for (int k = 0; k < 3; k++)
		sum(frame, block, MEASURE_MOMENTUM + k, m * u[k]);
	for (int k = 0; k < 3; k++)
		sum(frame, block, MEASURE_ANGULAR + k,
		    m * (p[(k + 1) % 3] * u[(k + 2) % 3] - p[(k + 2) % 3] * u[(k + 1) % 3]));
	return 1;
}

const measure_kernels SIMD_NAME(measure_kernels_table) = {add};
