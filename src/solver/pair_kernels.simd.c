// Sums over pairs: surface tension, smoothing of velocities, curls and confinement. Poly6 for values, spiky for gradients; the radius
// of a pair is the mean of the two radii.
//
// Every pass is written once and compiled twice: with constants where all fluids are alike, and with traits gathered by row where
// they differ (`mixed`).
#include "solver/pair_lanes.h"

// Extra smoothing between particles of different radii: their density estimates do not quite agree, which would make the seam
// jitter.
#define SEAM 0.6f

// Cohesion (Akinci, Akinci, Teschner 2013, eq. 2): two particles attract each other beyond about a third of the radius and repel
// each other within, by (1 - q)^3 q^3 and twice that less its peak. Particles at a free surface lack partners outside and are drawn
// in. Masses enter as in XSPH below, so that momentum is conserved.
static inline void cohesion_pass(const pair_pass *p, const vec4 *places, vec4 *out, uint32_t first, uint32_t last,
				 int mixed)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f), two = f8_set1(2.0f), half = f8_set1(0.5f);
	f8 inverse_ref = one / f8_set1(p->reference_h);
	traits8 same = same_traits(p);
	f8 same_scale = pair_scale(p, same.half_h, same.half_h), same_inverse = same_scale * inverse_ref;
	f8 same_weight = same.volume * same_scale * same_scale * same_scale;
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi, sx = zero, sy = zero, sz = zero;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		traits8 own = own_traits(p, row, mixed);
		const uint32_t *entry = p->entries + p->slice_begin[slice];
		for (uint32_t k = p->slice_length[slice]; k > 0; k--, entry += SIMD_LANES)
		{
			f8 xj, yj, zj, wj, inverse = same_inverse, weight = same_weight, pull = same.pull,
					   push = same.push;
			f8_gather4(&places->x, entry, &xj, &yj, &zj, &wj);
			f8 dx = xj - xi, dy = yj - yi, dz = zj - zi;
			f8 r2 = f8_max(f8_fma(dz, dz, f8_fma(dy, dy, dx * dx)), f8_set1(TINY)),
			   inverse_r = one / f8_sqrt(r2);
			if (mixed)
			{
				traits8 other = traits_of(p, entry);
				f8 scale = pair_scale(p, own.half_h, other.half_h);
				inverse = scale * inverse_ref;
				weight = (own.volume + other.volume) * half * (scale * scale * scale);
				pull = (own.pull + other.pull) * half;
				push = (own.push + other.push) * half;
			}
			f8 q = r2 * inverse_r * inverse, s = f8_max(one - q, zero), sq = s * q, base = sq * sq * sq;
			f8 force = f8_select_gt(q, half, base, f8_fma(two, base, f8_set1(-1.0f / 64.0f)));
			force = f8_max(force, zero) * pull + f8_min(force, zero) * push;
			force = f8_select_gt(s, zero, force, zero);
			f8 factor = force * weight * inverse_r * (two * wi / (wi + wj));
			sx = f8_fma(factor, dx, sx);
			sy = f8_fma(factor, dy, sy);
			sz = f8_fma(factor, dz, sz);
		}
		store_rows(out, row, sx, sy, sz, zero);
	}
}

static void cohesion(const pair_pass *p, const vec4 *places, vec4 *out, uint32_t first, uint32_t last)
{
	if (p->mixed)
		cohesion_pass(p, places, out, first, last, 1);
	else
		cohesion_pass(p, places, out, first, last, 0);
}

// XSPH: v_i += sum_j min(c_i, c_j) 2 m_j / (m_i + m_j) V_ij W_ij (v_j - v_i), with V_ij the mean volume, so that the exchange of
// momentum is symmetric. The places' w is the inverse mass: 2 m_j / (m_i + m_j) = 2 w_i / (w_i + w_j), 1 among equals. Along the
// line, only the part of the difference that points along x_ij is exchanged.
static inline void smoothing_pass(const pair_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out,
				  uint32_t first, uint32_t last, int mixed, int equal, int along)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f), two = f8_set1(2.0f), inverse_ref = one / f8_set1(p->reference_h);
	traits8 same = same_traits(p);
	f8 same_scale = pair_scale(p, same.half_h, same.half_h), same_inverse = same_scale * inverse_ref;
	f8 same_weight = same.volume * same_scale * same_scale * same_scale;
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi, ui, vi, qi, ci;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		load_rows(velocities, row, &ui, &vi, &qi, &ci);
		traits8 own = own_traits(p, row, mixed);
		f8 su = zero, sv = zero, sq = zero;
		const uint32_t *entry = p->entries + p->slice_begin[slice];
		for (uint32_t k = p->slice_length[slice]; k > 0; k--, entry += SIMD_LANES)
		{
			f8 xj, yj, zj, wj, uj, vj, qj, cj;
			f8_gather4(&places->x, entry, &xj, &yj, &zj, &wj);
			f8_gather4(&velocities->x, entry, &uj, &vj, &qj, &cj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj;
			f8 r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx)), inverse = same_inverse, weight = one,
			   extra = zero;
			if (mixed)
			{
				traits8 other = traits_of(p, entry);
				f8 scale = pair_scale(p, own.half_h, other.half_h);
				inverse = scale * inverse_ref;
				weight = (own.volume + other.volume) * f8_set1(0.5f) * (scale * scale * scale);
				f8 contrast = f8_abs(own.half_h - other.half_h) / (own.half_h + other.half_h);
				extra = f8_min(f8_set1(2.0f) * contrast, f8_set1(SEAM));
			}
			f8 t = f8_max(f8_fnma(r2 * inverse, inverse, one), zero);
			weight = weight * (t * t * t);
			weight = weight * (f8_min(ci, cj) + extra);
			if (!equal)
				weight = weight * (two * wi / (wi + wj));
			f8 du = uj - ui, dv = vj - vi, dq = qj - qi;
			if (along)
			{
				f8 projected = f8_fma(dq, dz, f8_fma(dv, dy, du * dx)) / f8_max(r2, f8_set1(TINY));
				du = projected * dx;
				dv = projected * dy;
				dq = projected * dz;
			}
			su = f8_fma(weight, du, su);
			sv = f8_fma(weight, dv, sv);
			sq = f8_fma(weight, dq, sq);
		}
		f8 scale = f8_set1(POLY6);
		if (!mixed)
			scale = scale * same_weight;
		store_rows(out, row, f8_fma(scale, su, ui), f8_fma(scale, sv, vi), f8_fma(scale, sq, qi), ci);
	}
}

static void smooth_velocity(const pair_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out, uint32_t first,
			    uint32_t last)
{
	if (p->mixed)
		smoothing_pass(p, places, velocities, out, first, last, 1, 0, 0);
	else if (p->equal_masses)
		smoothing_pass(p, places, velocities, out, first, last, 0, 1, 0);
	else
		smoothing_pass(p, places, velocities, out, first, last, 0, 0, 0);
}

static void smooth_along(const pair_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out, uint32_t first,
			 uint32_t last)
{
	if (p->mixed)
		smoothing_pass(p, places, velocities, out, first, last, 1, 0, 1);
	else
		smoothing_pass(p, places, velocities, out, first, last, 0, 0, 1);
}

// Sums of the derivatives below. They run over differences to the particle itself and are divided by the same sum taken of the
// identity, which makes them exact for linear fields, both inside the liquid and at a flat surface. The divisor has a lower limit,
// LEAST_IDENTITY, so that the few neighbours of a lone particle are not amplified.
typedef struct slope
{
	f8 x, y, z, identity;
} slope;

#define LEAST_IDENTITY 0.3f

// The force fades out where the relative change of |curl| within a radius is below SOFT, which is noise in a flow that rotates as a
// whole, and where it is above about 1/2, since no vortex can be sharper at this spacing.
#define SOFT 0.1f
#define SHARP 4.0f

// V_j |grad W| / r of one pair, up to the common factor; adds r |grad W| to `identity`.
static inline f8 slope_of_pair(const pair_pass *p, const traits8 *own, const uint32_t *entry, f8 r2, slope *sum,
			       int mixed)
{
	f8 inverse_r = f8_set1(1.0f) / f8_sqrt(r2), r = r2 * inverse_r, weight = f8_set1(1.0f), half = own->half_h;
	if (mixed)
	{
		traits8 other = traits_of(p, entry);
		f8 scale = pair_scale(p, own->half_h, other.half_h), scale2 = scale * scale;
		weight = other.volume * (scale2 * scale2);
		half = other.half_h;
	}
	f8 s = f8_max(f8_set1(1.0f) - r / (own->half_h + half), f8_set1(0.0f)), g = weight * (s * s);
	sum->identity = f8_fma(g, r, sum->identity);
	return g * inverse_r;
}

// The factor that turns a sum into a derivative.
static inline f8 slope_scale(const pair_pass *p, const traits8 *own, f8 identity, int mixed)
{
	f8 factor = f8_set1(SPIKY) / f8_set1(p->reference_h);
	if (!mixed)
	{
		f8 scale = pair_scale(p, own->half_h, own->half_h), scale2 = scale * scale;
		factor = factor * own->volume * (scale2 * scale2);
	}
	return factor / f8_max(factor * identity * f8_set1(1.0f / 3.0f), f8_set1(LEAST_IDENTITY));
}

static inline void curl_pass(const pair_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out, uint32_t first,
			     uint32_t last, int mixed)
{
	f8 zero = f8_set1(0.0f);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi, ui, vi, qi, ci;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		load_rows(velocities, row, &ui, &vi, &qi, &ci);
		traits8 own = own_traits(p, row, mixed);
		slope sum = {zero, zero, zero, zero};
		const uint32_t *entry = p->entries + p->slice_begin[slice];
		for (uint32_t k = p->slice_length[slice]; k > 0; k--, entry += SIMD_LANES)
		{
			f8 xj, yj, zj, wj, uj, vj, qj, cj;
			f8_gather4(&places->x, entry, &xj, &yj, &zj, &wj);
			f8_gather4(&velocities->x, entry, &uj, &vj, &qj, &cj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj, du = uj - ui, dv = vj - vi, dq = qj - qi;
			f8 r2 = f8_max(f8_fma(dz, dz, f8_fma(dy, dy, dx * dx)), f8_set1(TINY));
			// the gradient points towards j: grad W x dv = (dv x d) g / r
			f8 g = slope_of_pair(p, &own, entry, r2, &sum, mixed);
			sum.x = f8_fma(g, f8_fnma(dq, dy, dv * dz), sum.x);
			sum.y = f8_fma(g, f8_fnma(du, dz, dq * dx), sum.y);
			sum.z = f8_fma(g, f8_fnma(dv, dx, du * dy), sum.z);
		}
		f8 scale = slope_scale(p, &own, sum.identity, mixed);
		f8 x = scale * sum.x, y = scale * sum.y, z = scale * sum.z;
		store_rows(out, row, x, y, z, f8_sqrt(f8_fma(z, z, f8_fma(y, y, x * x))));
	}
}

static void curl(const pair_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out, uint32_t first,
		 uint32_t last)
{
	if (p->mixed)
		curl_pass(p, places, velocities, out, first, last, 1);
	else
		curl_pass(p, places, velocities, out, first, last, 0);
}

static inline void confinement_pass(const pair_pass *p, const vec4 *places, const vec4 *curls, vec4 *out,
				    uint32_t first, uint32_t last, int mixed)
{
	f8 zero = f8_set1(0.0f);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi, cx, cy, cz, size;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		load_rows(curls, row, &cx, &cy, &cz, &size);
		traits8 own = own_traits(p, row, mixed);
		slope sum = {zero, zero, zero, zero};
		const uint32_t *entry = p->entries + p->slice_begin[slice];
		for (uint32_t k = p->slice_length[slice]; k > 0; k--, entry += SIMD_LANES)
		{
			f8 xj, yj, zj, wj, ux, uy, uz, other;
			f8_gather4(&places->x, entry, &xj, &yj, &zj, &wj);
			f8_gather4(&curls->x, entry, &ux, &uy, &uz, &other);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj;
			f8 r2 = f8_max(f8_fma(dz, dz, f8_fma(dy, dy, dx * dx)), f8_set1(TINY));
			f8 g = slope_of_pair(p, &own, entry, r2, &sum, mixed) * (size - other);
			sum.x = f8_fma(g, dx, sum.x);
			sum.y = f8_fma(g, dy, sum.y);
			sum.z = f8_fma(g, dz, sum.z);
		}
		f8 scale = slope_scale(p, &own, sum.identity, mixed), h = own.half_h + own.half_h;
		// change of |curl| within a radius, as a vector and relative to |curl|
		f8 nx = scale * h * sum.x, ny = scale * h * sum.y, nz = scale * h * sum.z;
		f8 steep = f8_sqrt(f8_fma(nz, nz, f8_fma(ny, ny, nx * nx))) / f8_max(size, f8_set1(1e-12f));
		steep = f8_min(steep, f8_set1(1e3f));
		f8 factor = h / ((steep + f8_set1(SOFT)) * f8_fma(f8_set1(SHARP) * steep, steep, f8_set1(1.0f)));
		f8 fx = factor * f8_fnma(nz, cy, ny * cz), fy = factor * f8_fnma(nx, cz, nz * cx),
		   fz = factor * f8_fnma(ny, cx, nx * cy);
		store_rows(out, row, fx, fy, fz, zero);
	}
}

static void confinement(const pair_pass *p, const vec4 *places, const vec4 *curls, vec4 *out, uint32_t first,
			uint32_t last)
{
	if (p->mixed)
		confinement_pass(p, places, curls, out, first, last, 1);
	else
		confinement_pass(p, places, curls, out, first, last, 0);
}

const pair_kernels SIMD_NAME(pair_kernels_table) = {cohesion, smooth_velocity, smooth_along, curl, confinement};
