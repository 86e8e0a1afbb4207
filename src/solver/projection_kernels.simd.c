// Every pass is written once and compiled twice: with constants where all fluids are alike, and with traits gathered by row where they
// differ (`mixed`). The gradient of Wendland's C4 kernel is -(56/3) norm / h^5 (1 + 5 q) (1 - q)^5 times the vector between the
// particles: there is no division by the distance.
#include "solver/projection_kernels.h"
#include "solver/pair_lanes.h"

#define NORM ((float)KERNEL_WENDLAND_NORM)
#define SLOPE ((float)(KERNEL_WENDLAND_NORM * 56.0 / 3.0))

// The neighbours of a slice: those among the particles, then those among the images.
typedef struct near_entries
{
	const uint32_t *entry;
	uint32_t length;
} near_entries;

enum
{
	AMONG_PARTICLES,
	AMONG_IMAGES,
	SEERS, // of an image
	PARTS
};

static inline near_entries entries_of(const projection_pass *p, uint32_t slice, int part)
{
	if (part == AMONG_PARTICLES)
		return (near_entries){p->pairs.entries + p->pairs.slice_begin[slice], p->pairs.slice_length[slice]};
	if (part == AMONG_IMAGES)
		return (near_entries){p->image_entries + p->image_begin[slice], p->image_length[slice]};
	return (near_entries){p->seer_entries + p->seer_begin[slice], p->seer_length[slice]};
}

#define EACH_OF(from, to)                                                             \
	for (int part = from; part < to; part++)                                      \
		for (near_entries near = entries_of(p, slice, part); near.length > 0; \
		     near.length--, near.entry += SIMD_LANES)
#define EACH_NEIGHBOUR EACH_OF(AMONG_PARTICLES, SEERS)

// Radius and volume of a pair. Volumes are in units of the cube of the reference radius.
typedef struct pair8
{
	f8 inverse;    // 1/m, of the radius
	f8 own, other; // volumes times (reference / radius)^3
	f8 inverse2;   // of the square of the radius
} pair8;

static inline pair8 make_pair(const projection_pass *p, traits8 own, traits8 other)
{
	f8 scale = pair_scale(&p->pairs, own.half_h, other.half_h), cube = scale * scale * scale;
	f8 inverse = scale * (f8_set1(1.0f) / f8_set1(p->pairs.reference_h));
	return (pair8){inverse, own.volume * cube, other.volume * cube, inverse * inverse};
}

static inline void constraint_pass(const projection_pass *p, const vec4 *places, float *constraint, float *diagonal,
				   uint32_t first, uint32_t last, int mixed)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f);
	traits8 same = same_traits(&p->pairs);
	pair8 pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi, density = zero, gx = zero, gy = zero, gz = zero, squares = zero;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		traits8 own = own_traits(&p->pairs, row, mixed);
		EACH_NEIGHBOUR
		{
			f8 xj, yj, zj, wj;
			f8_gather4(&places->x, near.entry, &xj, &yj, &zj, &wj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj, r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx));
			if (mixed)
				pair = make_pair(p, own, traits_of(&p->pairs, near.entry));
			f8 q = f8_sqrt(r2) * pair.inverse, t = f8_max(one - q, zero), t2 = t * t, t4 = t2 * t2;
			f8 value = t4 * t2 * f8_fma(q, f8_fma(q, f8_set1(35.0f / 3.0f), f8_set1(6.0f)), one);
			f8 slope = t4 * t * f8_fma(q, f8_set1(5.0f), one);
			if (mixed)
			{
				value = value * pair.other;
				slope = slope * pair.other * pair.inverse2;
			}
			density = density + value;
			squares = f8_fma(slope * slope * r2, wj, squares);
			gx = f8_fma(slope, dx, gx);
			gy = f8_fma(slope, dy, gy);
			gz = f8_fma(slope, dz, gz);
		}
		f8 weight = f8_set1(SLOPE);
		pair8 self = make_pair(p, own, own);
		if (!mixed)
		{
			density = density * self.other;
			weight = weight * self.other * self.inverse2;
		}
		f8 own_square = f8_fma(gz, gz, f8_fma(gy, gy, gx * gx));
		f8_store(constraint + row, f8_fma(f8_set1(NORM), density + self.other, zero - one));
		f8_store(diagonal + row, weight * weight * f8_fma(own_square, wi, squares));
	}
}

static void constraints(const projection_pass *p, const vec4 *places, float *constraint, float *diagonal,
			uint32_t first, uint32_t last)
{
	if (p->pairs.mixed)
		constraint_pass(p, places, constraint, diagonal, first, last, 1);
	else
		constraint_pass(p, places, constraint, diagonal, first, last, 0);
}

static inline void push_pass(const projection_pass *p, const vec4 *places, vec4 *out, uint32_t first, uint32_t last,
			     int mixed, int images)
{
	const int from = images ? SEERS : AMONG_PARTICLES, to = images ? PARTS : SEERS;
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f);
	traits8 same = same_traits(&p->pairs);
	pair8 pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES + (images ? p->first_image : 0);
		f8 xi, yi, zi, li, sx = zero, sy = zero, sz = zero;
		load_rows(places, row, &xi, &yi, &zi, &li);
		traits8 own = own_traits(&p->pairs, row, mixed);
		EACH_OF(from, to)
		{
			f8 xj, yj, zj, lj;
			f8_gather4(&places->x, near.entry, &xj, &yj, &zj, &lj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj, r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx));
			f8 sum = li + lj;
			if (mixed)
			{
				pair = make_pair(p, own, traits_of(&p->pairs, near.entry));
				sum = f8_fma(pair.other, li, pair.own * lj) * pair.inverse2;
			}
			f8 q = f8_sqrt(r2) * pair.inverse, t = f8_max(one - q, zero), t2 = t * t;
			f8 factor = t2 * t2 * t * f8_fma(q, f8_set1(5.0f), one) * sum;
			sx = f8_fma(factor, dx, sx);
			sy = f8_fma(factor, dy, sy);
			sz = f8_fma(factor, dz, sz);
		}
		f8 weight = f8_set1(-SLOPE) * f8_load(p->inverse_mass + row);
		if (!mixed)
			weight = weight * pair.other * pair.inverse2;
		store_rows(out, row, weight * sx, weight * sy, weight * sz, zero);
	}
}

static void push(const projection_pass *p, const vec4 *places, vec4 *out, uint32_t first, uint32_t last)
{
	if (p->pairs.mixed)
		push_pass(p, places, out, first, last, 1, 0);
	else
		push_pass(p, places, out, first, last, 0, 0);
}

static void push_images(const projection_pass *p, const vec4 *places, vec4 *out, uint32_t first, uint32_t last)
{
	if (p->pairs.mixed)
		push_pass(p, places, out, first, last, 1, 1);
	else
		push_pass(p, places, out, first, last, 0, 1);
}

static inline void rate_pass(const projection_pass *p, const vec4 *places, const vec4 *velocities, float *out,
			     uint32_t first, uint32_t last, int mixed)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f);
	traits8 same = same_traits(&p->pairs);
	pair8 pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi, ui, vi, qi, unused, sum = zero;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		load_rows(velocities, row, &ui, &vi, &qi, &unused);
		traits8 own = own_traits(&p->pairs, row, mixed);
		EACH_NEIGHBOUR
		{
			f8 xj, yj, zj, wj, uj, vj, qj;
			f8_gather4(&places->x, near.entry, &xj, &yj, &zj, &wj);
			f8_gather4(&velocities->x, near.entry, &uj, &vj, &qj, &unused);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj, r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx));
			if (mixed)
				pair = make_pair(p, own, traits_of(&p->pairs, near.entry));
			f8 q = f8_sqrt(r2) * pair.inverse, t = f8_max(one - q, zero), t2 = t * t;
			f8 slope = t2 * t2 * t * f8_fma(q, f8_set1(5.0f), one);
			if (mixed)
				slope = slope * pair.other * pair.inverse2;
			f8 along = f8_fma(qi - qj, dz, f8_fma(vi - vj, dy, (ui - uj) * dx));
			sum = f8_fma(slope, along, sum);
		}
		f8 weight = f8_set1(-SLOPE);
		if (!mixed)
			weight = weight * pair.other * pair.inverse2;
		f8_store(out + row, weight * sum);
	}
}

static void rate(const projection_pass *p, const vec4 *places, const vec4 *velocities, float *out, uint32_t first,
		 uint32_t last)
{
	if (p->pairs.mixed)
		rate_pass(p, places, velocities, out, first, last, 1);
	else
		rate_pass(p, places, velocities, out, first, last, 0);
}

static inline void difference_pass(const projection_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out,
				   uint32_t first, uint32_t last, int mixed)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f), two = f8_set1(2.0f), half = f8_set1(0.5f);
	traits8 same = same_traits(&p->pairs);
	pair8 pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi, ui, vi, qi, ci, su = zero, sv = zero, sq = zero;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		load_rows(velocities, row, &ui, &vi, &qi, &ci);
		traits8 own = own_traits(&p->pairs, row, mixed);
		EACH_NEIGHBOUR
		{
			f8 xj, yj, zj, wj, uj, vj, qj, cj;
			f8_gather4(&places->x, near.entry, &xj, &yj, &zj, &wj);
			f8_gather4(&velocities->x, near.entry, &uj, &vj, &qj, &cj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj, r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx));
			if (mixed)
				pair = make_pair(p, own, traits_of(&p->pairs, near.entry));
			f8 q = f8_sqrt(r2) * pair.inverse, t = f8_max(one - q, zero), t2 = t * t;
			f8 value = t2 * t2 * t2 * f8_fma(q, f8_fma(q, f8_set1(35.0f / 3.0f), f8_set1(6.0f)), one);
			value = value * (pair.own + pair.other) * half * f8_min(ci, cj);
			if (!p->pairs.equal_masses || mixed)
				value = value * (two * wi / (wi + wj));
			su = f8_fma(value, uj - ui, su);
			sv = f8_fma(value, vj - vi, sv);
			sq = f8_fma(value, qj - qi, sq);
		}
		f8 norm = f8_set1(NORM);
		store_rows(out, row, norm * su, norm * sv, norm * sq, ci);
	}
}

static void difference(const projection_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out, uint32_t first,
		       uint32_t last)
{
	if (p->pairs.mixed)
		difference_pass(p, places, velocities, out, first, last, 1);
	else
		difference_pass(p, places, velocities, out, first, last, 0);
}

const projection_kernels SIMD_NAME(projection_kernels_table) = {constraints, push, push_images, rate, difference};
