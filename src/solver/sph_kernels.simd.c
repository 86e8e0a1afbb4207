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

// Weight of the exchange of a pair: poly6 times the mean volume, in units that the callers put right, and times 2 m_j / (m_i + m_j).
static inline f8 exchange_of(const shear_pass *p, const pair8 *pair, f8 value, f8 wi, f8 wj, int mixed)
{
	if (mixed)
		value = value * (pair->own + pair->other) * f8_set1(0.5f);
	if (mixed || !p->pairs.equal_masses)
		value = value * (f8_set1(2.0f) * wi / (wi + wj));
	return value;
}

static inline void density_pass(const shear_pass *p, const vec4 *places, float *errors, uint32_t first, uint32_t last,
				int mixed)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f);
	traits8 same = same_traits(&p->pairs);
	pair8 pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi, density = zero;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		traits8 own = own_traits(&p->pairs, row, mixed);
		EACH_NEIGHBOUR(&p->pairs)
		{
			f8 xj, yj, zj, wj;
			f8_gather4(&places->x, near.entry, &xj, &yj, &zj, &wj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj, r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx));
			if (mixed)
				pair = make_pair(p, own, traits_of(&p->pairs, near.entry));
			f8 t = f8_max(f8_fnma(r2 * pair.inverse, pair.inverse, one), zero), value = t * t * t;
			density = mixed ? f8_fma(value, pair.other, density) : density + value;
		}
		pair8 self = make_pair(p, own, own);
		if (!mixed)
			density = density * self.other;
		f8_store(errors + row, f8_fma(f8_set1(POLY6), density + self.other, zero - one));
	}
}

static void densities(const shear_pass *p, const vec4 *places, float *errors, uint32_t first, uint32_t last)
{
	if (p->pairs.mixed)
		density_pass(p, places, errors, first, last, 1);
	else
		density_pass(p, places, errors, first, last, 0);
}

static inline void measure_pass(const shear_pass *p, const vec4 *places, const vec4 *velocities, float *errors,
				float *rates, float *responses, vec4 *differences, uint32_t first, uint32_t last,
				int mixed)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f);
	traits8 same = same_traits(&p->pairs);
	pair8 pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi, ui, vi, qi, ci, density = zero, rate = zero, response = zero, su = zero, sv = zero,
						   sq = zero;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		load_rows(velocities, row, &ui, &vi, &qi, &ci);
		traits8 own = own_traits(&p->pairs, row, mixed);
		EACH_NEIGHBOUR(&p->pairs)
		{
			f8 xj, yj, zj, wj, uj, vj, qj, cj;
			f8_gather4(&places->x, near.entry, &xj, &yj, &zj, &wj);
			f8_gather4(&velocities->x, near.entry, &uj, &vj, &qj, &cj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj, r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx));
			if (mixed)
				pair = make_pair(p, own, traits_of(&p->pairs, near.entry));
			f8 t = f8_max(f8_fnma(r2 * pair.inverse, pair.inverse, one), zero), value = t * t * t;
			density = mixed ? f8_fma(value, pair.other, density) : density + value;
			f8 weight = exchange_of(p, &pair, value, wi, wj, mixed);
			f8 du = uj - ui, dv = vj - vi, dq = qj - qi;
			su = f8_fma(weight, du, su);
			sv = f8_fma(weight, dv, sv);
			sq = f8_fma(weight, dq, sq);
			f8 inverse_r = one / f8_sqrt(f8_max(r2, f8_set1(TINY)));
			f8 q = r2 * inverse_r * pair.inverse, s = f8_max(one - q, zero), slope = s * s * inverse_r;
			f8 both = t * t * q * (s * s) * (wi + wj);
			if (mixed)
			{
				f8 unit = pair.other * pair.inverse;
				slope = slope * unit;
				both = both * unit * unit;
			}
			response = response + both;
			rate = f8_fma(slope, f8_fma(dq, dz, f8_fma(dv, dy, du * dx)), rate);
		}
		pair8 self = make_pair(p, own, own);
		f8 norm = f8_set1(POLY6);
		if (!mixed)
		{
			density = density * self.other;
			f8 unit = self.other * self.inverse;
			rate = rate * unit;
			response = response * unit * unit;
			norm = norm * self.other;
		}
		f8_store(errors + row, f8_fma(f8_set1(POLY6), density + self.other, zero - one));
		f8_store(rates + row, f8_set1(SPIKY) * rate);
		f8_store(responses + row, f8_set1(3.0f * POLY6 * SPIKY) * response);
		store_rows(differences, row, norm * su, norm * sv, norm * sq, wi);
	}
}

static void measure(const shear_pass *p, const vec4 *places, const vec4 *velocities, float *errors, float *rates,
		    float *responses, vec4 *differences, uint32_t first, uint32_t last)
{
	if (p->pairs.mixed)
		measure_pass(p, places, velocities, errors, rates, responses, differences, first, last, 1);
	else
		measure_pass(p, places, velocities, errors, rates, responses, differences, first, last, 0);
}

static inline void push_pass(const shear_pass *p, const vec4 *places, const float *scale, const vec4 *differences,
			     float calming, vec4 *out, uint32_t first, uint32_t last, int mixed, int calms)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f);
	traits8 same = same_traits(&p->pairs);
	pair8 pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, pi, sx = zero, sy = zero, sz = zero;
		f8 ui = zero, vi = zero, qi = zero, wi = zero, su = zero, sv = zero, sq = zero;
		load_rows(places, row, &xi, &yi, &zi, &pi);
		if (calms)
			load_rows(differences, row, &ui, &vi, &qi, &wi);
		traits8 own = own_traits(&p->pairs, row, mixed);
		EACH_NEIGHBOUR(&p->pairs)
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
			if (!calms)
				continue;
			f8 uj, vj, qj, wj;
			f8_gather4(&differences->x, near.entry, &uj, &vj, &qj, &wj);
			f8 t = f8_max(f8_fnma(r2 * pair.inverse, pair.inverse, one), zero);
			f8 weight = exchange_of(p, &pair, t * t * t, wi, wj, mixed);
			su = f8_fma(weight, uj - ui, su);
			sv = f8_fma(weight, vj - vi, sv);
			sq = f8_fma(weight, qj - qi, sq);
		}
		f8 weight = f8_set1(SPIKY) * f8_load(scale + row), norm = f8_set1(-POLY6 * calming);
		if (!mixed)
		{
			weight = weight * pair.other * pair.inverse;
			norm = norm * pair.other;
		}
		f8 x = weight * sx, y = weight * sy, z = weight * sz;
		if (calms)
		{
			x = f8_fma(norm, su, x);
			y = f8_fma(norm, sv, y);
			z = f8_fma(norm, sq, z);
		}
		store_rows(out, row, x, y, z, zero);
	}
}

static void push(const shear_pass *p, const vec4 *places, const float *scale, const vec4 *differences, float calming,
		 vec4 *out, uint32_t first, uint32_t last)
{
	if (p->pairs.mixed && calming > 0.0f)
		push_pass(p, places, scale, differences, calming, out, first, last, 1, 1);
	else if (p->pairs.mixed)
		push_pass(p, places, scale, differences, calming, out, first, last, 1, 0);
	else if (calming > 0.0f)
		push_pass(p, places, scale, differences, calming, out, first, last, 0, 1);
	else
		push_pass(p, places, scale, differences, calming, out, first, last, 0, 0);
}

const sph_kernels SIMD_NAME(sph_kernels_table) = {densities, measure, push};
