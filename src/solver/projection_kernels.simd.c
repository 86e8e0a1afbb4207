// Every pass is written once and compiled twice: with constants where all fluids are alike, and with traits gathered by row where they
// differ (`mixed`). The gradient of Wendland's C4 kernel is -(56/3) norm / h^5 (1 + 5 q) (1 - q)^5 times the vector between the
// particles: there is no division by the distance.
#include "solver/projection_kernels.h"
#include "solver/image_lanes.h"

#define NORM ((float)KERNEL_WENDLAND_NORM)
#define SLOPE ((float)(KERNEL_WENDLAND_NORM * 56.0 / 3.0))

// Radius and volume of a pair. Volumes are in units of the cube of the reference radius.
typedef struct wide_pair
{
	fw inverse;    // 1/m, of the radius
	fw own, other; // volumes times (reference / radius)^3
	fw inverse2;   // of the square of the radius
} wide_pair;

static inline wide_pair make_pair(const projection_pass *p, wide_traits own, wide_traits other)
{
	fw scale = wide_pair_scale(&p->pairs, own.half_h, other.half_h), cube = scale * scale * scale;
	fw inverse = scale * (fw_set1(1.0f) / fw_set1(p->pairs.reference_h));
	return (wide_pair){inverse, own.volume * cube, other.volume * cube, inverse * inverse};
}

// Symmetric matrices in the lanes.
typedef struct matrices
{
	fw xx, xy, xz, yy, yz, zz;
} matrices;

static inline matrices own_matrices(const vec4 *const records[2], uint32_t row)
{
	matrices m;
	fw unused;
	repeat_rows(records[0], row, &m.xx, &m.xy, &m.xz, &m.yy);
	repeat_rows(records[1], row, &m.yz, &m.zz, &unused, &unused);
	return m;
}

static inline matrices matrices_of(const vec4 *const records[2], const uint32_t *const rows[SIMD_PARTS])
{
	matrices m;
	fw unused;
	fw_gather4(&records[0]->x, rows, &m.xx, &m.xy, &m.xz, &m.yy);
	fw_gather4(&records[1]->x, rows, &m.yz, &m.zz, &unused, &unused);
	return m;
}

// Replaces (x, y, z) by m times it.
static inline void turn_by(const matrices *m, fw *x, fw *y, fw *z)
{
	fw a = *x, b = *y, c = *z;
	*x = fw_fma(m->xz, c, fw_fma(m->xy, b, m->xx * a));
	*y = fw_fma(m->yz, c, fw_fma(m->yy, b, m->xy * a));
	*z = fw_fma(m->zz, c, fw_fma(m->yz, b, m->xz * a));
}

static inline matrices add_matrices(fw share, matrices a, fw other_share, matrices b)
{
	return (matrices){fw_fma(share, a.xx, other_share * b.xx), fw_fma(share, a.xy, other_share * b.xy),
			  fw_fma(share, a.xz, other_share * b.xz), fw_fma(share, a.yy, other_share * b.yy),
			  fw_fma(share, a.yz, other_share * b.yz), fw_fma(share, a.zz, other_share * b.zz)};
}

typedef struct moment8
{
	f8 xx, xy, xz, yy, yz, zz;
} moment8;

// m += slope r r
static inline void add_moment(moment8 *m, fw slope, fw x, fw y, fw z, uint32_t parts)
{
	fw a = slope * x, b = slope * y;
	m->xx = add_products(m->xx, a, x, parts);
	m->xy = add_products(m->xy, a, y, parts);
	m->xz = add_products(m->xz, a, z, parts);
	m->yy = add_products(m->yy, b, y, parts);
	m->yz = add_products(m->yz, b, z, parts);
	m->zz = add_products(m->zz, slope * z, z, parts);
}

SIMD_PASS void constraint_pass(const projection_pass *p, const vec4 *places, float *constraint, float *diagonal,
			       vec4 *const *moments, uint32_t first, uint32_t last, int mixed, int corrected)
{
	const f8 none = f8_set1(0.0f);
	const fw zero = fw_set1(0.0f), one = fw_set1(1.0f);
	wide_traits same = same_wide_traits(&p->pairs);
	wide_pair pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 density = none, gx = none, gy = none, gz = none, squares = none;
		fw xi, yi, zi, wi;
		moment8 moment = {none, none, none, none, none, none};
		repeat_rows(places, row, &xi, &yi, &zi, &wi);
		wide_traits own = own_wide_traits(&p->pairs, row, mixed);
		EACH_WIDE_NEIGHBOUR(&p->pairs)
		{
			fw xj, yj, zj, wj;
			fw_gather4(&places->x, near.entry, &xj, &yj, &zj, &wj);
			fw dx = xi - xj, dy = yi - yj, dz = zi - zj, r2 = fw_fma(dz, dz, fw_fma(dy, dy, dx * dx));
			if (mixed)
				pair = make_pair(p, own, wide_traits_of(&p->pairs, near.entry));
			fw q = fw_sqrt(r2) * pair.inverse, t = fw_max(one - q, zero), t2 = t * t, t4 = t2 * t2;
			fw value = t4 * t2 * fw_fma(q, fw_fma(q, fw_set1(35.0f / 3.0f), fw_set1(6.0f)), one);
			fw slope = t4 * t * fw_fma(q, fw_set1(5.0f), one);
			if (mixed)
			{
				value = value * pair.other;
				slope = slope * pair.other * pair.inverse2;
			}
			density = add_terms(density, value, near.parts);
			squares = add_products(squares, slope * slope * r2, wj, near.parts);
			if (corrected)
				add_moment(&moment, slope, dx, dy, dz, near.parts);
			gx = add_products(gx, slope, dx, near.parts);
			gy = add_products(gy, slope, dy, near.parts);
			gz = add_products(gz, slope, dz, near.parts);
		}
		f8 weight = f8_set1(SLOPE);
		wide_pair self = make_pair(p, own, own);
		f8 volume = fw_part(self.other, 0);
		if (!mixed)
		{
			density = density * volume;
			weight = weight * volume * fw_part(self.inverse2, 0);
		}
		f8 own_square = f8_fma(gz, gz, f8_fma(gy, gy, gx * gx));
		f8_store(constraint + row, f8_fma(f8_set1(NORM), density + volume, f8_set1(-1.0f)));
		f8_store(diagonal + row, weight * weight * f8_fma(own_square, fw_part(wi, 0), squares));
		if (!corrected)
			continue;
		store_rows(moments[0], row, weight * moment.xx, weight * moment.xy, weight * moment.xz,
			   weight * moment.yy);
		store_rows(moments[1], row, weight * moment.yz, weight * moment.zz, none, none);
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

SIMD_PASS void push_pass(const projection_pass *p, const vec4 *places, vec4 *out, uint32_t first, uint32_t last,
			 int mixed, int images, int corrected)
{
	const int from = images ? SEERS : AMONG_PARTICLES, to = images ? PARTS : SEERS;
	const f8 none = f8_set1(0.0f);
	const fw zero = fw_set1(0.0f), one = fw_set1(1.0f);
	wide_traits same = same_wide_traits(&p->pairs);
	wide_pair pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES + (images ? p->pairs.first_image : 0);
		f8 sx = none, sy = none, sz = none;
		fw xi, yi, zi, li;
		repeat_rows(places, row, &xi, &yi, &zi, &li);
		wide_traits own = own_wide_traits(&p->pairs, row, mixed);
		matrices load = {zero, zero, zero, zero, zero, zero};
		if (corrected)
			load = own_matrices(p->loads, row);
		for (int part = from; part < to; part++)
		{
			// what comes next is gathered a step ahead, beside the arithmetic
			wide_entries next = wide_entries_of(&p->pairs, slice, part);
			fw xn = zero, yn = zero, zn = zero, ln = zero;
			if (next.length > 0)
				fw_gather4(&places->x, next.entry, &xn, &yn, &zn, &ln);
			while (next.length > 0)
			{
				wide_entries near = next;
				fw xj = xn, yj = yn, zj = zn, lj = ln;
				next = wide_entries_ahead(near);
				fw_gather4(&places->x, next.entry, &xn, &yn, &zn, &ln);
				fw dx = xi - xj, dy = yi - yj, dz = zi - zj,
				   r2 = fw_fma(dz, dz, fw_fma(dy, dy, dx * dx));
				fw share = one, other_share = one;
				if (mixed)
				{
					pair = make_pair(p, own, wide_traits_of(&p->pairs, near.entry));
					share = pair.other * pair.inverse2;
					other_share = pair.own * pair.inverse2;
				}
				fw q = fw_sqrt(r2) * pair.inverse, t = fw_max(one - q, zero), t2 = t * t;
				fw factor = t2 * t2 * t * fw_fma(q, fw_set1(5.0f), one);
				if (corrected)
				{
					matrices sum =
					    add_matrices(share, load, other_share, matrices_of(p->loads, near.entry));
					turn_by(&sum, &dx, &dy, &dz);
				}
				else
					factor = factor * fw_fma(share, li, other_share * lj);
				sx = add_products(sx, factor, dx, near.parts);
				sy = add_products(sy, factor, dy, near.parts);
				sz = add_products(sz, factor, dz, near.parts);
			}
		}
		f8 weight = f8_set1(-SLOPE) * f8_load(p->inverse_mass + row);
		if (!mixed)
			weight = weight * fw_part(pair.other, 0) * fw_part(pair.inverse2, 0);
		store_rows(out, row, weight * sx, weight * sy, weight * sz, none);
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

SIMD_PASS void rate_pass(const projection_pass *p, const vec4 *places, const vec4 *velocities, float *out,
			 uint32_t first, uint32_t last, int mixed, int corrected)
{
	const f8 none = f8_set1(0.0f);
	const fw zero = fw_set1(0.0f), one = fw_set1(1.0f);
	wide_traits same = same_wide_traits(&p->pairs);
	wide_pair pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 sum = none;
		fw xi, yi, zi, wi, ui, vi, qi, unused;
		matrices correction = {one, zero, zero, one, zero, one};
		if (corrected)
			correction = own_matrices(p->correction, row);
		repeat_rows(places, row, &xi, &yi, &zi, &wi);
		repeat_rows(velocities, row, &ui, &vi, &qi, &unused);
		wide_traits own = own_wide_traits(&p->pairs, row, mixed);
		EACH_WIDE_NEIGHBOUR(&p->pairs)
		{
			fw xj, yj, zj, wj, uj, vj, qj;
			fw_gather4(&places->x, near.entry, &xj, &yj, &zj, &wj);
			fw_gather4(&velocities->x, near.entry, &uj, &vj, &qj, &unused);
			fw dx = xi - xj, dy = yi - yj, dz = zi - zj, r2 = fw_fma(dz, dz, fw_fma(dy, dy, dx * dx));
			if (mixed)
				pair = make_pair(p, own, wide_traits_of(&p->pairs, near.entry));
			fw q = fw_sqrt(r2) * pair.inverse, t = fw_max(one - q, zero), t2 = t * t;
			fw slope = t2 * t2 * t * fw_fma(q, fw_set1(5.0f), one);
			if (mixed)
				slope = slope * pair.other * pair.inverse2;
			if (corrected)
				turn_by(&correction, &dx, &dy, &dz);
			fw along = fw_fma(qi - qj, dz, fw_fma(vi - vj, dy, (ui - uj) * dx));
			sum = add_products(sum, slope, along, near.parts);
		}
		f8 weight = f8_set1(-SLOPE);
		if (!mixed)
			weight = weight * fw_part(pair.other, 0) * fw_part(pair.inverse2, 0);
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

SIMD_PASS void difference_pass(const projection_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out,
			       uint32_t first, uint32_t last, int mixed)
{
	f8 none = f8_set1(0.0f);
	fw zero = fw_set1(0.0f), one = fw_set1(1.0f), two = fw_set1(2.0f), half = fw_set1(0.5f);
	wide_traits same = same_wide_traits(&p->pairs);
	wide_pair pair = make_pair(p, same, same);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 su = none, sv = none, sq = none;
		fw xi, yi, zi, wi, ui, vi, qi, ci;
		repeat_rows(places, row, &xi, &yi, &zi, &wi);
		repeat_rows(velocities, row, &ui, &vi, &qi, &ci);
		wide_traits own = own_wide_traits(&p->pairs, row, mixed);
		EACH_WIDE_NEIGHBOUR(&p->pairs)
		{
			fw xj, yj, zj, wj, uj, vj, qj, cj;
			fw_gather4(&places->x, near.entry, &xj, &yj, &zj, &wj);
			fw_gather4(&velocities->x, near.entry, &uj, &vj, &qj, &cj);
			fw dx = xi - xj, dy = yi - yj, dz = zi - zj, r2 = fw_fma(dz, dz, fw_fma(dy, dy, dx * dx));
			if (mixed)
				pair = make_pair(p, own, wide_traits_of(&p->pairs, near.entry));
			fw q = fw_sqrt(r2) * pair.inverse, t = fw_max(one - q, zero), t2 = t * t;
			fw value = t2 * t2 * t2 * fw_fma(q, fw_fma(q, fw_set1(35.0f / 3.0f), fw_set1(6.0f)), one);
			value = value * (pair.own + pair.other) * half * fw_min(ci, cj);
			if (!p->pairs.equal_masses || mixed)
				value = value * (two * wi / (wi + wj));
			su = add_products(su, value, uj - ui, near.parts);
			sv = add_products(sv, value, vj - vi, near.parts);
			sq = add_products(sq, value, qj - qi, near.parts);
		}
		f8 norm = f8_set1(NORM);
		store_rows(out, row, norm * su, norm * sv, norm * sq, fw_part(ci, 0));
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
