#include "world/measure_kernels.h"

#include "base/simd.h"

// Double precision works on half of the lanes at a time: gcc splits vectors of 64 bytes into scalars where there is no AVX-512.
enum
{
	HALF = SIMD_LANES / 2
};
typedef float f4 __attribute__((vector_size(HALF * sizeof(float))));
typedef double d4 __attribute__((vector_size(HALF * sizeof(double))));
typedef int64_t d4_mask __attribute__((vector_size(HALF * sizeof(int64_t))));

static inline d4 widen(const f8 *a, int half)
{
	f4 part;
	memcpy(&part, (const float *)a + (ptrdiff_t)half * HALF, sizeof part);
	return __builtin_convertvector(part, d4);
}

static inline void sum(const measure_frame *frame, measure_block *block, int which, int half, d4 term)
{
	d4 *high = (d4 *)block->sums[which][0] + half, *low = (d4 *)block->sums[which][1] + half;
	d4 part = (term + frame->cuts[which][0]) - frame->cuts[which][0];
	*high += part;
	*low += ((term - part) + frame->cuts[which][1]) - frame->cuts[which][1];
}

static inline void add_half(const measure_frame *frame, const f8 x[3], const f8 v[3], f8 speed2,
			    const measure_group *group, measure_block *block, int half)
{
	d4 m, p[3], u[3];
	memcpy(&m, group->mass + (ptrdiff_t)half * HALF, sizeof m);
	for (int k = 0; k < 3; k++)
	{
		p[k] = widen(&x[k], half) + frame->origin[k];
		u[k] = widen(&v[k], half);
	}
	d4 height = p[0] * frame->up[0] + p[1] * frame->up[1] + p[2] * frame->up[2],
	   *lowest = (d4 *)block->lowest + half;
	d4_mask lower = height < *lowest;
	*lowest = (d4)(((d4_mask)height & lower) | ((d4_mask)*lowest & ~lower));
	sum(frame, block, MEASURE_MASS, half, m);
	sum(frame, block, MEASURE_HEIGHT, half, m * height);
	sum(frame, block, MEASURE_KINETIC, half, 0.5 * m * widen(&speed2, half));
	for (int k = 0; k < 3; k++)
		sum(frame, block, MEASURE_MOMENTUM + k, half, m * u[k]);
	for (int k = 0; k < 3; k++)
		sum(frame, block, MEASURE_ANGULAR + k, half,
		    m * (p[(k + 1) % 3] * u[(k + 2) % 3] - p[(k + 2) % 3] * u[(k + 1) % 3]));
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

	for (int half = 0; half < 2; half++)
		add_half(frame, x, v, speed2, group, block, half);
	return 1;
}

const measure_kernels SIMD_NAME(measure_kernels_table) = {add};
