// Written once and compiled three times: with constants where all fluids are alike, with traits gathered by row where they differ
// (`mixed`), and between two fluids (`across`). The gradient of B is -4 norm / h^5 (1 - q^2) times the vector between the particles: no pass takes a root.
#include "solver/surface_kernels.h"
#include "solver/image_lanes.h"

#define NORM ((float)SURFACE_NORM)
#define SLOPE ((float)(4.0 * SURFACE_NORM))

typedef struct pair8
{
	f8 inverse2; // 1/m^2, of the square of the radius
	f8 volume;   // of the neighbour, in units of the cube of the radius
} pair8;

static inline pair8 make_pair(const surface_pass *p, traits8 own, traits8 other)
{
	f8 scale = pair_scale(&p->pairs, own.half_h, other.half_h);
	f8 inverse = scale * (f8_set1(1.0f) / f8_set1(p->pairs.reference_h));
	return (pair8){inverse * inverse, other.volume * scale * scale * scale};
}

// 1 for neighbours on the other side, else 0.
static inline f8 opposite(const float *sides, f8 own, const uint32_t *rows)
{
	float other[SIMD_LANES];
	for (int k = 0; k < SIMD_LANES; k++)
		other[k] = sides[rows[k]];
	return f8_max(f8_set1(0.0f) - own * f8_load(other), f8_set1(0.0f));
}

static inline void cover_pass(const surface_pass *p, const vec4 *places, float *out, uint32_t first, uint32_t last,
			      int mixed, int across)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f);
	traits8 same = same_traits(&p->pairs);
	pair8 pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi, sum = zero;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		traits8 own = own_traits(&p->pairs, row, mixed);
		f8 side = across ? f8_load(p->sides + row) : zero;
		EACH_NEIGHBOUR(&p->pairs)
		{
			f8 xj, yj, zj, wj;
			f8_gather4(&places->x, near.entry, &xj, &yj, &zj, &wj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj, r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx));
			if (mixed)
				pair = make_pair(p, own, traits_of(&p->pairs, near.entry));
			f8 t = f8_max(one - r2 * pair.inverse2, zero);
			if (across)
				sum = f8_fma(t * t, opposite(p->sides, side, near.entry) * pair.volume, sum);
			else
				sum = mixed ? f8_fma(t * t, pair.volume, sum) : f8_fma(t, t, sum);
		}
		pair8 self = make_pair(p, own, own);
		if (!across)
			sum = mixed ? sum + self.volume : (sum + one) * self.volume;
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

static inline void force_pass(const surface_pass *p, const vec4 *places, vec4 *out, uint32_t first, uint32_t last,
			      int mixed, int across)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f);
	traits8 same = same_traits(&p->pairs);
	pair8 pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, si, fx = zero, fy = zero, fz = zero;
		load_rows(places, row, &xi, &yi, &zi, &si);
		traits8 own = own_traits(&p->pairs, row, mixed);
		f8 side = across ? f8_load(p->sides + row) : zero;
		EACH_NEIGHBOUR(&p->pairs)
		{
			f8 xj, yj, zj, sj;
			f8_gather4(&places->x, near.entry, &xj, &yj, &zj, &sj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj, r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx));
			if (mixed)
				pair = make_pair(p, own, traits_of(&p->pairs, near.entry));
			f8 factor = f8_max(one - r2 * pair.inverse2, zero) * (si + sj);
			if (across)
				factor = factor * opposite(p->sides, side, near.entry);
			if (mixed)
				factor = factor * pair.volume * pair.inverse2;
			fx = f8_fma(factor, dx, fx);
			fy = f8_fma(factor, dy, fy);
			fz = f8_fma(factor, dz, fz);
		}
		f8 weight = f8_set1(SLOPE);
		if (!mixed)
			weight = weight * pair.volume * pair.inverse2;
		store_rows(out, row, weight * fx, weight * fy, weight * fz, zero);
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
