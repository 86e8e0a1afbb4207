// Written once and compiled three times: with constants where all fluids are alike, with traits gathered by row where they differ
// (`mixed`), and between two fluids (`across`). The gradient of B is -4 norm / h^5 (1 - q^2) times the vector between the particles: no pass takes a root.
#include "solver/surface_kernels.h"
#include "solver/image_lanes.h"

#define NORM ((float)SURFACE_NORM)
#define SLOPE ((float)(4.0 * SURFACE_NORM))

typedef struct wide_pair
{
	fw inverse2; // 1/m^2, of the square of the radius
	fw volume;   // of the neighbour, in units of the cube of the radius
} wide_pair;

static inline wide_pair make_pair(const surface_pass *p, wide_traits own, wide_traits other)
{
	fw scale = wide_pair_scale(&p->pairs, own.half_h, other.half_h);
	fw inverse = scale * (fw_set1(1.0f) / fw_set1(p->pairs.reference_h));
	return (wide_pair){inverse * inverse, other.volume * scale * scale * scale};
}

// 1 for neighbours on the other side, else 0.
static inline fw opposite(const float *sides, fw own, const uint32_t *const rows[SIMD_PARTS])
{
	float other[SIMD_WIDE];
	for (int k = 0; k < SIMD_WIDE; k++)
		other[k] = sides[rows[k / SIMD_LANES][k % SIMD_LANES]];
	return fw_max(fw_set1(0.0f) - own * fw_load(other), fw_set1(0.0f));
}

SIMD_PASS void cover_pass(const surface_pass *p, const vec4 *places, float *out, uint32_t first, uint32_t last,
			  int mixed, int across)
{
	const f8 none = f8_set1(0.0f);
	const fw zero = fw_set1(0.0f), one = fw_set1(1.0f);
	wide_traits same = same_wide_traits(&p->pairs);
	wide_pair pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 sum = none;
		fw xi, yi, zi, wi;
		repeat_rows(places, row, &xi, &yi, &zi, &wi);
		wide_traits own = own_wide_traits(&p->pairs, row, mixed);
		fw side = across ? fw_repeat(f8_load(p->sides + row)) : zero;
		EACH_WIDE_NEIGHBOUR(&p->pairs)
		{
			fw xj, yj, zj, wj;
			fw_gather4(&places->x, near.entry, &xj, &yj, &zj, &wj);
			fw dx = xi - xj, dy = yi - yj, dz = zi - zj, r2 = fw_fma(dz, dz, fw_fma(dy, dy, dx * dx));
			if (mixed)
				pair = make_pair(p, own, wide_traits_of(&p->pairs, near.entry));
			fw t = fw_max(one - r2 * pair.inverse2, zero);
			if (across)
				sum = add_products(sum, t * t, opposite(p->sides, side, near.entry) * pair.volume,
						   near.parts);
			else
				sum = add_products(sum, mixed ? t * t : t, mixed ? pair.volume : t, near.parts);
		}
		f8 volume = fw_part(make_pair(p, own, own).volume, 0);
		if (!across)
			sum = mixed ? sum + volume : (sum + f8_set1(1.0f)) * volume;
		f8_store(out + row, f8_set1(NORM) * sum);
	}
}

static void cover(const surface_pass *p, const vec4 *places, float *out, uint32_t first, uint32_t last)
{
	if (p->sides)
		cover_pass(p, places, out, first, last, p->pairs.mixed, 1);
	else if (p->pairs.mixed)
		cover_pass(p, places, out, first, last, 1, 0);
	else
		cover_pass(p, places, out, first, last, 0, 0);
}

SIMD_PASS void force_pass(const surface_pass *p, const vec4 *places, vec4 *out, uint32_t first, uint32_t last,
			  int mixed, int across)
{
	const f8 none = f8_set1(0.0f);
	const fw zero = fw_set1(0.0f), one = fw_set1(1.0f);
	wide_traits same = same_wide_traits(&p->pairs);
	wide_pair pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 fx = none, fy = none, fz = none;
		fw xi, yi, zi, si;
		repeat_rows(places, row, &xi, &yi, &zi, &si);
		wide_traits own = own_wide_traits(&p->pairs, row, mixed);
		fw side = across ? fw_repeat(f8_load(p->sides + row)) : zero;
		EACH_WIDE_NEIGHBOUR(&p->pairs)
		{
			fw xj, yj, zj, sj;
			fw_gather4(&places->x, near.entry, &xj, &yj, &zj, &sj);
			fw dx = xi - xj, dy = yi - yj, dz = zi - zj, r2 = fw_fma(dz, dz, fw_fma(dy, dy, dx * dx));
			if (mixed)
				pair = make_pair(p, own, wide_traits_of(&p->pairs, near.entry));
			fw factor = fw_max(one - r2 * pair.inverse2, zero) * (si + sj);
			if (across)
				factor = factor * opposite(p->sides, side, near.entry);
			if (mixed)
				factor = factor * pair.volume * pair.inverse2;
			fx = add_products(fx, factor, dx, near.parts);
			fy = add_products(fy, factor, dy, near.parts);
			fz = add_products(fz, factor, dz, near.parts);
		}
		f8 weight = f8_set1(SLOPE);
		if (!mixed)
			weight = weight * fw_part(pair.volume, 0) * fw_part(pair.inverse2, 0);
		store_rows(out, row, weight * fx, weight * fy, weight * fz, none);
	}
}

static void forces(const surface_pass *p, const vec4 *places, vec4 *out, uint32_t first, uint32_t last)
{
	if (p->sides)
		force_pass(p, places, out, first, last, p->pairs.mixed, 1);
	else if (p->pairs.mixed)
		force_pass(p, places, out, first, last, 1, 0);
	else
		force_pass(p, places, out, first, last, 0, 0);
}

const surface_kernels SIMD_NAME(surface_kernels_table) = {cover, forces};
