// Every pass is written once and compiled twice: with constants where all fluids are alike, and with traits gathered by row where they
// differ (`mixed`). The gradient of Wendland's C4 kernel is -(56/3) norm / h^5 (1 + 5 q) (1 - q)^5 times the vector between the
// particles: there is no division by the distance.
#include "solver/projection_kernels.h"
#include "solver/image_lanes.h"

#define NORM ((float)KERNEL_WENDLAND_NORM)
#define SLOPE ((float)(KERNEL_WENDLAND_NORM * 56.0 / 3.0))

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

// Eight symmetric matrices.
typedef struct matrix8
{
	f8 xx, xy, xz, yy, yz, zz;
} matrix8;

static inline matrix8 own_matrices(const vec4 *const records[2], uint32_t row)
{
	matrix8 m;
	f8 unused;
	load_rows(records[0], row, &m.xx, &m.xy, &m.xz, &m.yy);
	load_rows(records[1], row, &m.yz, &m.zz, &unused, &unused);
	return m;
}

static inline matrix8 matrices_of(const vec4 *const records[2], const uint32_t *rows)
{
	matrix8 m;
	f8 unused;
	f8_gather4(&records[0]->x, rows, &m.xx, &m.xy, &m.xz, &m.yy);
	f8_gather4(&records[1]->x, rows, &m.yz, &m.zz, &unused, &unused);
	return m;
}

// Replaces (x, y, z) by m times it.
static inline void turn_by(const matrix8 *m, f8 *x, f8 *y, f8 *z)
{
	f8 a = *x, b = *y, c = *z;
	*x = f8_fma(m->xz, c, f8_fma(m->xy, b, m->xx * a));
	*y = f8_fma(m->yz, c, f8_fma(m->yy, b, m->xy * a));
	*z = f8_fma(m->zz, c, f8_fma(m->yz, b, m->xz * a));
}

static inline matrix8 add_matrices(f8 share, matrix8 a, f8 other_share, matrix8 b)
{
	return (matrix8){f8_fma(share, a.xx, other_share * b.xx), f8_fma(share, a.xy, other_share * b.xy),
			 f8_fma(share, a.xz, other_share * b.xz), f8_fma(share, a.yy, other_share * b.yy),
			 f8_fma(share, a.yz, other_share * b.yz), f8_fma(share, a.zz, other_share * b.zz)};
}

// m += slope r r
static inline void add_moment(matrix8 *m, f8 slope, f8 x, f8 y, f8 z)
{
	f8 a = slope * x, b = slope * y;
	m->xx = f8_fma(a, x, m->xx);
	m->xy = f8_fma(a, y, m->xy);
	m->xz = f8_fma(a, z, m->xz);
	m->yy = f8_fma(b, y, m->yy);
	m->yz = f8_fma(b, z, m->yz);
	m->zz = f8_fma(slope * z, z, m->zz);
}

static inline void constraint_pass(const projection_pass *p, const vec4 *places, float *constraint, float *diagonal,
				   vec4 *const *moments, uint32_t first, uint32_t last, int mixed, int corrected)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f);
	traits8 same = same_traits(&p->pairs);
	pair8 pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi, density = zero, gx = zero, gy = zero, gz = zero, squares = zero;
		matrix8 moment = {zero, zero, zero, zero, zero, zero};
		load_rows(places, row, &xi, &yi, &zi, &wi);
		traits8 own = own_traits(&p->pairs, row, mixed);
		EACH_NEIGHBOUR(&p->pairs)
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
			if (corrected)
				add_moment(&moment, slope, dx, dy, dz);
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
		if (!corrected)
			continue;
		store_rows(moments[0], row, weight * moment.xx, weight * moment.xy, weight * moment.xz,
			   weight * moment.yy);
		store_rows(moments[1], row, weight * moment.yz, weight * moment.zz, zero, zero);
	}
}

static void constraints(const projection_pass *p, const vec4 *places, float *constraint, float *diagonal,
			vec4 *const *moments, uint32_t first, uint32_t last)
{
	if (p->pairs.mixed && moments)
		constraint_pass(p, places, constraint, diagonal, moments, first, last, 1, 1);
	else if (p->pairs.mixed)
		constraint_pass(p, places, constraint, diagonal, moments, first, last, 1, 0);
	else if (moments)
		constraint_pass(p, places, constraint, diagonal, moments, first, last, 0, 1);
	else
		constraint_pass(p, places, constraint, diagonal, moments, first, last, 0, 0);
}

static inline void push_pass(const projection_pass *p, const vec4 *places, vec4 *out, uint32_t first, uint32_t last,
			     int mixed, int images, int corrected)
{
	const int from = images ? SEERS : AMONG_PARTICLES, to = images ? PARTS : SEERS;
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f);
	traits8 same = same_traits(&p->pairs);
	pair8 pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES + (images ? p->pairs.first_image : 0);
		f8 xi, yi, zi, li, sx = zero, sy = zero, sz = zero;
		load_rows(places, row, &xi, &yi, &zi, &li);
		traits8 own = own_traits(&p->pairs, row, mixed);
		matrix8 load = {zero, zero, zero, zero, zero, zero};
		if (corrected)
			load = own_matrices(p->loads, row);
		EACH_OF(&p->pairs, from, to)
		{
			f8 xj, yj, zj, lj;
			f8_gather4(&places->x, near.entry, &xj, &yj, &zj, &lj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj, r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx));
			f8 share = one, other_share = one;
			if (mixed)
			{
				pair = make_pair(p, own, traits_of(&p->pairs, near.entry));
				share = pair.other * pair.inverse2;
				other_share = pair.own * pair.inverse2;
			}
			f8 q = f8_sqrt(r2) * pair.inverse, t = f8_max(one - q, zero), t2 = t * t;
			f8 factor = t2 * t2 * t * f8_fma(q, f8_set1(5.0f), one);
			if (corrected)
			{
				matrix8 sum = add_matrices(share, load, other_share, matrices_of(p->loads, near.entry));
				turn_by(&sum, &dx, &dy, &dz);
			}
			else
				factor = factor * f8_fma(share, li, other_share * lj);
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

static inline void push_any(const projection_pass *p, const vec4 *places, vec4 *out, uint32_t first, uint32_t last,
			    int images)
{
	if (p->pairs.mixed && p->correction[0])
		push_pass(p, places, out, first, last, 1, images, 1);
	else if (p->pairs.mixed)
		push_pass(p, places, out, first, last, 1, images, 0);
	else if (p->correction[0])
		push_pass(p, places, out, first, last, 0, images, 1);
	else
		push_pass(p, places, out, first, last, 0, images, 0);
}

static void push(const projection_pass *p, const vec4 *places, vec4 *out, uint32_t first, uint32_t last)
{
	push_any(p, places, out, first, last, 0);
}

static void push_images(const projection_pass *p, const vec4 *places, vec4 *out, uint32_t first, uint32_t last)
{
	push_any(p, places, out, first, last, 1);
}

static inline void rate_pass(const projection_pass *p, const vec4 *places, const vec4 *velocities, float *out,
			     uint32_t first, uint32_t last, int mixed, int corrected)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f);
	traits8 same = same_traits(&p->pairs);
	pair8 pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi, ui, vi, qi, unused, sum = zero;
		matrix8 correction = {one, zero, zero, one, zero, one};
		if (corrected)
			correction = own_matrices(p->correction, row);
		load_rows(places, row, &xi, &yi, &zi, &wi);
		load_rows(velocities, row, &ui, &vi, &qi, &unused);
		traits8 own = own_traits(&p->pairs, row, mixed);
		EACH_NEIGHBOUR(&p->pairs)
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
			if (corrected)
				turn_by(&correction, &dx, &dy, &dz);
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
	if (p->pairs.mixed && p->correction[0])
		rate_pass(p, places, velocities, out, first, last, 1, 1);
	else if (p->pairs.mixed)
		rate_pass(p, places, velocities, out, first, last, 1, 0);
	else if (p->correction[0])
		rate_pass(p, places, velocities, out, first, last, 0, 1);
	else
		rate_pass(p, places, velocities, out, first, last, 0, 0);
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
		EACH_NEIGHBOUR(&p->pairs)
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

static uint32_t within(const vec4 *places, vec4 from, const uint32_t *rows, const float *reach2, uint32_t count,
		       uint32_t *out)
{
	uint32_t found = 0;
	f8 x = f8_set1(from.x), y = f8_set1(from.y), z = f8_set1(from.z);
	for (uint32_t k = 0; k < count; k += SIMD_LANES)
	{
		f8 xj, yj, zj, wj;
		f8_gather4(&places->x, rows + k, &xj, &yj, &zj, &wj);
		f8 dx = xj - x, dy = yj - y, dz = zj - z, r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx));
		m8 keep = f8_le(r2, f8_load(reach2 + k));
		i8_store(out + found, i8_pack(i8_load(rows + k), packing_make(keep)));
		found += m8_count(keep);
	}
	return found;
}

const projection_kernels SIMD_NAME(projection_kernels_table) = {constraints, push,       push_images,
								rate,        difference, within};
