// Every pass is written once and compiled twice: with constants where all fluids are alike, and with traits gathered by row where they
// differ (`mixed`). The radius of a pair is the mean of the two radii.
#include "solver/sph_kernels.h"
#include "solver/image_lanes.h"

// Inverse radius of a pair (1/m), and the volumes of the other and of the own particle in units of its cube.
typedef struct pair8
{
	f8 inverse, other, own;
} pair8;

static inline pair8 make_pair(const shear_pass *p, traits8 own, traits8 other)
{
	f8 scale = pair_scale(&p->pairs, own.half_h, other.half_h), cube = scale * scale * scale;
	return (pair8){scale * (f8_set1(1.0f) / f8_set1(p->pairs.reference_h)), other.volume * cube, own.volume * cube};
}

static inline void density_pass(const shear_pass *p, const vec4 *places, const vec4 *velocities, float *errors,
				float *rates, uint32_t first, uint32_t last, int mixed, int with_rates)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f);
	traits8 same = same_traits(&p->pairs);
	pair8 pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi, ui = zero, vi = zero, qi = zero, ci, density = zero, rate = zero;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		if (with_rates)
			load_rows(velocities, row, &ui, &vi, &qi, &ci);
		traits8 own = own_traits(&p->pairs, row, mixed);
		EACH_NEIGHBOUR
		{
			f8 xj, yj, zj, wj;
			f8_gather4(&places->x, near.entry, &xj, &yj, &zj, &wj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj, r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx));
			if (mixed)
				pair = make_pair(p, own, traits_of(&p->pairs, near.entry));
			f8 t = f8_max(f8_fnma(r2 * pair.inverse, pair.inverse, one), zero), value = t * t * t;
			density = mixed ? f8_fma(value, pair.other, density) : density + value;
			if (!with_rates)
				continue;
			f8 uj, vj, qj, cj;
			f8_gather4(&velocities->x, near.entry, &uj, &vj, &qj, &cj);
			f8 inverse_r = one / f8_sqrt(f8_max(r2, f8_set1(TINY)));
			f8 s = f8_max(one - r2 * inverse_r * pair.inverse, zero), slope = s * s * inverse_r;
			if (mixed)
				slope = slope * pair.other * pair.inverse;
			f8 along = f8_fma(qi - qj, dz, f8_fma(vi - vj, dy, (ui - uj) * dx));
			rate = f8_fma(slope, along, rate);
		}
		pair8 self = make_pair(p, own, own);
		if (!mixed)
		{
			density = density * self.other;
			rate = rate * self.other * self.inverse;
		}
		f8_store(errors + row, f8_fma(f8_set1(POLY6), density + self.other, zero - one));
		if (with_rates)
			f8_store(rates + row, f8_set1(-SPIKY) * rate);
	}
}

static void densities(const shear_pass *p, const vec4 *places, float *errors, uint32_t first, uint32_t last)
{
	if (p->pairs.mixed)
		density_pass(p, places, NULL, errors, NULL, first, last, 1, 0);
	else
		density_pass(p, places, NULL, errors, NULL, first, last, 0, 0);
}

static void rates(const shear_pass *p, const vec4 *places, const vec4 *velocities, float *errors, float *out,
		  uint32_t first, uint32_t last)
{
	if (p->pairs.mixed)
		density_pass(p, places, velocities, errors, out, first, last, 1, 1);
	else
		density_pass(p, places, velocities, errors, out, first, last, 0, 1);
}

static inline void push_pass(const shear_pass *p, const vec4 *places, const float *scale, vec4 *out, uint32_t first,
			     uint32_t last, int mixed)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f);
	traits8 same = same_traits(&p->pairs);
	pair8 pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, pi, sx = zero, sy = zero, sz = zero;
		load_rows(places, row, &xi, &yi, &zi, &pi);
		traits8 own = own_traits(&p->pairs, row, mixed);
		EACH_NEIGHBOUR
		{
			f8 xj, yj, zj, pj;
			f8_gather4(&places->x, near.entry, &xj, &yj, &zj, &pj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj;
			f8 r2 = f8_max(f8_fma(dz, dz, f8_fma(dy, dy, dx * dx)), f8_set1(TINY));
			if (mixed)
				pair = make_pair(p, own, traits_of(&p->pairs, near.entry));
			f8 inverse_r = one / f8_sqrt(r2), s = f8_max(one - r2 * inverse_r * pair.inverse, zero);
			f8 factor = s * s * inverse_r * (pi + pj);
			if (mixed)
				factor = factor * pair.other * pair.inverse;
			sx = f8_fma(factor, dx, sx);
			sy = f8_fma(factor, dy, sy);
			sz = f8_fma(factor, dz, sz);
		}
		f8 weight = f8_set1(SPIKY) * f8_load(scale + row);
		if (!mixed)
			weight = weight * pair.other * pair.inverse;
		store_rows(out, row, weight * sx, weight * sy, weight * sz, zero);
	}
}

static void push(const shear_pass *p, const vec4 *places, const float *scale, vec4 *out, uint32_t first, uint32_t last)
{
	if (p->pairs.mixed)
		push_pass(p, places, scale, out, first, last, 1);
	else
		push_pass(p, places, scale, out, first, last, 0);
}

const sph_kernels SIMD_NAME(sph_kernels_table) = {densities, rates, push};
