// A block of 8^3 voxels is halved three times: each time the centres of the eight octants, the last time the voxels
// themselves, fill eight lanes. A triangle is passed down to an octant only if it can be nearest to one of its voxels:
// if it is no farther from the octant's centre than the nearest triangle plus the octant's diameter. Products and sums
// are not fused, so all instruction sets give the same bits.
#include "collider/field_kernel.h"

#include "base/simd.h"

typedef struct lanes3
{
	f8 x, y, z;
} lanes3;

static inline f8 dot_constant(const float n[3], lanes3 p)
{
	return f8_set1(n[0]) * p.x + f8_set1(n[1]) * p.y + f8_set1(n[2]) * p.z;
}

// Squared distances from eight places to one triangle.
static inline f8 square_distance(const near_triangle *t, lanes3 p)
{
	f8 within = f8_set1(1e30f), nearest = f8_set1(1e30f);
	for (int k = 0; k < 3; k++)
	{
		const float *point = t->sides[k].point, *along = t->sides[k].along;
		within = f8_min(within, dot_constant(t->sides[k].wall, p) + f8_set1(t->sides[k].wall[3]));
		lanes3 q = {p.x - f8_set1(point[0]), p.y - f8_set1(point[1]), p.z - f8_set1(point[2])};
		f8 s = f8_min(f8_max(dot_constant(along, q), f8_set1(t->sides[k].low)), f8_set1(t->sides[k].high));
		q.x -= s * f8_set1(along[0]);
		q.y -= s * f8_set1(along[1]);
		q.z -= s * f8_set1(along[2]);
		nearest = f8_min(nearest, q.x * q.x + q.y * q.y + q.z * q.z);
	}
	f8 above = dot_constant(t->plane, p) + f8_set1(t->plane[3]);
	return f8_select_gt(within, f8_set1(0.0f), above * above, nearest);
}

// Centres of the octants of a cube around (x, y, z): lane 4 i + 2 j + k is at +-quarter along x, y, z.
static inline lanes3 octants(const float centre[3], float quarter)
{
	const f8 x = {-1, -1, -1, -1, 1, 1, 1, 1}, y = {-1, -1, 1, 1, -1, -1, 1, 1}, z = {-1, 1, -1, 1, -1, 1, -1, 1};
	f8 scale = f8_set1(quarter);
	return (lanes3){f8_set1(centre[0]) + scale * x, f8_set1(centre[1]) + scale * y, f8_set1(centre[2]) + scale * z};
}

// Distances from the octants' centres to all triangles of a list. Returns the distance up to which a triangle matters
// for an octant whose voxels are within `radius` of its centre.
static f8 rank(const near_triangle *triangles, const uint32_t *list, uint32_t count, lanes3 centres, float radius,
	       float reach, float *distances)
{
	f8 nearest = f8_set1(1e30f);
	for (uint32_t i = 0; i < count; i++)
	{
		f8 d = f8_sqrt(square_distance(&triangles[list[i]], centres));
		f8_store(distances + 8 * (size_t)i, d);
		nearest = f8_min(nearest, d);
	}
	// plus a hundredth of a cell for rounding
	return f8_min(nearest + f8_set1(2.0f * radius), f8_set1(reach + radius)) + f8_set1(0.01f);
}

static uint32_t choose(const uint32_t *list, uint32_t count, const float *distances, int lane, float limit,
		       uint32_t *out)
{
	uint32_t chosen = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		out[chosen] = list[i];
		chosen += distances[8 * (size_t)i + (size_t)lane] <= limit;
	}
	return chosen;
}

// Measures the eight voxels of a cube of 2^3.
static void measure_pair(const near_triangle *triangles, const uint32_t *list, uint32_t count, const float centre[3],
			 float reach, float *distance, int32_t *nearest)
{
	lanes3 places = octants(centre, 0.5f);
	f8 least = f8_set1(reach * reach);
	i8 which = i8_set1(-1);
	for (uint32_t i = 0; i < count; i++)
	{
		f8 d = square_distance(&triangles[list[i]], places);
		i8 closer = (i8)(d < least);
		which = (closer & i8_set1((int32_t)list[i])) | (~closer & which);
		least = f8_min(least, d);
	}
	least = f8_sqrt(least);
	size_t first = (size_t)(centre[0] - 0.5f) * 64 + (size_t)(centre[1] - 0.5f) * 8 + (size_t)(centre[2] - 0.5f);
	for (int k = 0; k < 8; k++)
	{
		size_t at = first + (size_t)(k >> 2 & 1) * 64 + (size_t)(k >> 1 & 1) * 8 + (size_t)(k & 1);
		nearest[at] = which[k];
		distance[at] = which[k] < 0 ? reach : least[k];
	}
}

static void measure(const near_triangle *triangles, uint32_t count, float reach, float *scratch, float distance[512],
		    int32_t nearest[512])
{
	float *halves = scratch, *quarters = scratch + 8 * (size_t)count;
	uint32_t *in_half = (uint32_t *)(void *)(scratch + 16 * (size_t)count), *in_quarter = in_half + count;

	// the whole list, in the memory that later holds the voxels' lists
	for (uint32_t i = 0; i < count; i++)
		in_quarter[i] = i;
	const float middle[3] = {3.5f, 3.5f, 3.5f}, radius_half = 2.5980762f, radius_quarter = 0.8660254f;
	lanes3 half_centres = octants(middle, 2.0f);
	f8 half_limits = rank(triangles, in_quarter, count, half_centres, radius_half, reach, halves);
	for (int h = 0; h < 8; h++)
	{
		for (uint32_t i = 0; i < count; i++)
			in_quarter[i] = i;
		uint32_t half_count = choose(in_quarter, count, halves, h, half_limits[h], in_half);
		const float half[3] = {half_centres.x[h], half_centres.y[h], half_centres.z[h]};
		lanes3 centres = octants(half, 1.0f);
		f8 limits = rank(triangles, in_half, half_count, centres, radius_quarter, reach, quarters);
		for (int q = 0; q < 8; q++)
		{
			uint32_t quarter_count = choose(in_half, half_count, quarters, q, limits[q], in_quarter);
			const float quarter[3] = {centres.x[q], centres.y[q], centres.z[q]};
			measure_pair(triangles, in_quarter, quarter_count, quarter, reach, distance, nearest);
		}
	}
}

const field_kernel SIMD_NAME(field_kernel_table) = {measure};
