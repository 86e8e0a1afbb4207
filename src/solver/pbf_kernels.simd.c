// Position-based fluids in volume form (docs/theory/pbf.md): C_i = sum_j V_j W_ij - 1, poly6 for the value, spiky for the
// gradient; the radius of a pair is the mean of the two radii. j includes the images of particles behind walls.
//
// Every pass is written once and compiled twice: with constants where all fluids are alike, and with traits gathered by row where
// they differ (`mixed`).
#include "solver/pbf_kernels.h"
#include "solver/pair_lanes.h"

// The neighbours of a slice: those among the particles, then those among the images, which have an array of their own.
typedef struct near_entries
{
	const vec4 *from;
	const uint32_t *entry;
	uint32_t length;
} near_entries;

enum
{
	AMONG_PARTICLES,
	AMONG_IMAGES,
	PARTS
};

static inline near_entries entries_of(const pbf_pass *p, const vec4 *records, uint32_t slice, int part)
{
	if (part == AMONG_PARTICLES)
		return (near_entries){records, p->pairs.entries + p->pairs.slice_begin[slice],
				      p->pairs.slice_length[slice]};
	const image_list *seen = &p->pairs.seen;
	return (near_entries){p->image_places, seen->entries + seen->begin[slice], seen->length[slice]};
}

// The n-th slice that takes part.
static inline uint32_t slice_at(const pbf_pass *p, uint32_t n)
{
	return p->slices ? p->slices[n] : n;
}

#define EACH_NEIGHBOUR(records)                                                                \
	for (int part = AMONG_PARTICLES; part < PARTS; part++)                                 \
		for (near_entries near = entries_of(p, records, slice, part); near.length > 0; \
		     near.length--, near.entry += SIMD_LANES)

// Errors of a block of slices.
typedef struct error_sum
{
	l4 units[2]; // of the lower and upper lanes
	f8 max;
} error_sum;

// Multipliers of one slice from its constraint; also stores the constraint and adds up the errors.
static inline f8 finish_slice(const pbf_pass *p, uint32_t row, f8 c, f8 stiffness, float *constraint, error_sum *errors)
{
	f8_store(constraint + row, c);
	f8 zero = f8_set1(0.0f), error = f8_max(c, zero);
	f8 units = f8_min(error, f8_set1(PBF_ERROR_MOST)) * f8_set1((float)(1.0 / PBF_ERROR_UNIT));
	i8 whole = __builtin_convertvector(units, i8);
	if (row + SIMD_LANES <= p->pairs.count)
	{
		errors->units[0] += i8_widen_low(whole);
		errors->units[1] += i8_widen_high(whole);
		errors->max = f8_max(errors->max, c);
	}
	else
		for (uint32_t lane = 0; row + lane < p->pairs.count; lane++)
		{
			errors->units[0][0] += whole[lane];
			errors->max[0] = c[lane] > errors->max[0] ? c[lane] : errors->max[0];
		}
	return zero - f8_set1(p->beta) * stiffness * error;
}

static int64_t total_error(const error_sum *errors, float *largest)
{
	int64_t total = 0;
	for (int lane = 0; lane < SIMD_LANES; lane++)
	{
		total += errors->units[lane / 4][lane % 4];
		*largest = errors->max[lane] > *largest ? errors->max[lane] : *largest;
	}
	return total;
}

// C from the sum of V_j (h_ref / h_pair)^3 (1 - q^2)^3 over the neighbours.
static inline f8 constraint_of(const pbf_pass *p, traits8 own, f8 density)
{
	f8 scale = pair_scale(&p->pairs, own.half_h, own.half_h), self = own.volume * scale * scale * scale;
	return f8_set1(POLY6) * (density + self) - f8_set1(1.0f); // not fused: see PBF_ERROR_UNIT
}

static inline int64_t multiplier_pass(const pbf_pass *p, const vec4 *places, vec4 *out, float *constraint,
				      uint32_t first, uint32_t last, float *largest, int mixed)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f), inverse_ref = one / f8_set1(p->pairs.reference_h);
	error_sum errors = {.max = f8_set1(-1.0f)};
	traits8 same = same_traits(&p->pairs);
	f8 same_scale = pair_scale(&p->pairs, same.half_h, same.half_h), same_inverse = same_scale * inverse_ref;
	f8 same_inverse2 = same_inverse * same_inverse;
	for (uint32_t n = first; n < last; n++)
	{
		uint32_t slice = slice_at(p, n), row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		traits8 own = own_traits(&p->pairs, row, mixed);
		f8 density = zero, gx = zero, gy = zero, gz = zero, squares = zero;
		EACH_NEIGHBOUR(places)
		{
			f8 xj, yj, zj, wj;
			f8_gather4(&near.from->x, near.entry, &xj, &yj, &zj, &wj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj;
			f8 r2 = f8_max(f8_fma(dz, dz, f8_fma(dy, dy, dx * dx)), f8_set1(TINY));
			f8 inverse_r = one / f8_sqrt(r2), r = r2 * inverse_r;
			if (mixed)
			{
				traits8 other = traits_of(&p->pairs, near.entry);
				f8 scale = pair_scale(&p->pairs, own.half_h, other.half_h),
				   inverse = scale * inverse_ref;
				f8 weight = other.volume * scale * scale * scale; // V_j h_ref^3 / h_pair^3
				f8 t = f8_max(f8_fnma(r2 * inverse, inverse, one), zero),
				   s = f8_max(f8_fnma(r, inverse, one), zero);
				density = f8_fma(weight, t * t * t, density);
				f8 g = weight * scale * (s * s);
				squares = f8_fma(g * g, wj, squares);
				f8 direction = g * inverse_r;
				gx = f8_fma(direction, dx, gx);
				gy = f8_fma(direction, dy, gy);
				gz = f8_fma(direction, dz, gz);
			}
			else
			{
				f8 t = f8_max(f8_fnma(r2, same_inverse2, one), zero); // 1 - q^2
				density = f8_fma(t * t, t, density);
				f8 s = f8_max(f8_fnma(r, same_inverse, one), zero); // 1 - q
				f8 g = s * s;
				squares = f8_fma(g * g, wj, squares);
				f8 direction = g * inverse_r;
				gx = f8_fma(direction, dx, gx);
				gy = f8_fma(direction, dy, gy);
				gz = f8_fma(direction, dz, gz);
			}
		}
		// factors common to all pairs
		f8 spiky = f8_set1(SPIKY) * inverse_ref;
		if (!mixed)
		{
			f8 weight = same.volume * same_scale * same_scale * same_scale;
			density = density * weight;
			spiky = spiky * weight * same_scale;
		}
		f8 c = constraint_of(p, own, density);

		f8 own_square = f8_fma(gz, gz, f8_fma(gy, gy, gx * gx));
		f8 compliance = spiky * spiky * f8_fma(own_square, wi, squares);

		// k = min(prototype's, 1 / compliance): rows with more neighbours than the prototype would overshoot
		f8 h = own.half_h + own.half_h;
		f8 stiffness = f8_min(f8_set1(p->stiffness) * h * h / wi, one / f8_max(compliance, f8_set1(1e-30f)));
		f8_store(p->row_stiffness + row, stiffness);
		store_rows(out, row, xi, yi, zi, finish_slice(p, row, c, stiffness, constraint, &errors));
	}
	return total_error(&errors, largest);
}

static int64_t multipliers(const pbf_pass *p, const vec4 *places, vec4 *out, float *constraint, uint32_t first,
			   uint32_t last, float *largest)
{
	return p->pairs.mixed ? multiplier_pass(p, places, out, constraint, first, last, largest, 1)
			      : multiplier_pass(p, places, out, constraint, first, last, largest, 0);
}

static inline int64_t density_pass(const pbf_pass *p, const vec4 *places, vec4 *out, float *constraint, uint32_t first,
				   uint32_t last, float *largest, int mixed)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f), inverse_ref = one / f8_set1(p->pairs.reference_h);
	error_sum errors = {.max = f8_set1(-1.0f)};
	traits8 same = same_traits(&p->pairs);
	f8 same_scale = pair_scale(&p->pairs, same.half_h, same.half_h), same_inverse = same_scale * inverse_ref;
	f8 same_inverse2 = same_inverse * same_inverse,
	   same_weight = same.volume * same_scale * same_scale * same_scale;
	for (uint32_t n = first; n < last; n++)
	{
		uint32_t slice = slice_at(p, n), row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		traits8 own = own_traits(&p->pairs, row, mixed);
		f8 density = zero;
		EACH_NEIGHBOUR(places)
		{
			f8 xj, yj, zj, wj;
			f8_gather4(&near.from->x, near.entry, &xj, &yj, &zj, &wj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj;
			f8 r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx));
			if (mixed)
			{
				traits8 other = traits_of(&p->pairs, near.entry);
				f8 scale = pair_scale(&p->pairs, own.half_h, other.half_h),
				   inverse = scale * inverse_ref;
				f8 t = f8_max(f8_fnma(r2 * inverse, inverse, one), zero);
				density = f8_fma(other.volume * scale * scale * scale, t * t * t, density);
			}
			else
			{
				f8 t = f8_max(f8_fnma(r2, same_inverse2, one), zero);
				density = f8_fma(t * t, t, density);
			}
		}
		if (!mixed)
			density = density * same_weight;
		f8 c = constraint_of(p, own, density);
		f8 lambda = finish_slice(p, row, c, f8_load(p->row_stiffness + row), constraint, &errors);
		store_rows(out, row, xi, yi, zi, lambda);
	}
	return total_error(&errors, largest);
}

static int64_t densities(const pbf_pass *p, const vec4 *places, vec4 *out, float *constraint, uint32_t first,
			 uint32_t last, float *largest)
{
	return p->pairs.mixed ? density_pass(p, places, out, constraint, first, last, largest, 1)
			      : density_pass(p, places, out, constraint, first, last, largest, 0);
}

// Eight vectors.
typedef struct vectors8
{
	f8 x, y, z;
} vectors8;

// Sum over neighbours of (V_j l_i + V_i l_j) (1 - q)^2 e, without the factors that all pairs have.
static inline vectors8 sum_pulls(const pbf_pass *p, const vec4 *multipliers_in, uint32_t slice, int part, int mixed)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f), inverse_ref = one / f8_set1(p->pairs.reference_h);
	f8 same_inverse =
	    pair_scale(&p->pairs, f8_set1(p->pairs.same.half_h), f8_set1(p->pairs.same.half_h)) * inverse_ref;
	f8 xi, yi, zi, lambda;
	uint32_t row = slice * SIMD_LANES;
	load_rows(multipliers_in, row, &xi, &yi, &zi, &lambda);
	traits8 own = own_traits(&p->pairs, row, mixed);
	vectors8 sum = {zero, zero, zero};
	for (near_entries near = entries_of(p, multipliers_in, slice, part); near.length > 0;
	     near.length--, near.entry += SIMD_LANES)
	{
		f8 xj, yj, zj, lambda_j;
		f8_gather4(&near.from->x, near.entry, &xj, &yj, &zj, &lambda_j);
		f8 dx = xi - xj, dy = yi - yj, dz = zi - zj;
		f8 r2 = f8_max(f8_fma(dz, dz, f8_fma(dy, dy, dx * dx)), f8_set1(TINY));
		f8 inverse_r = one / f8_sqrt(r2), pull, inverse = same_inverse;
		if (mixed)
		{
			traits8 other = traits_of(&p->pairs, near.entry);
			f8 scale = pair_scale(&p->pairs, own.half_h, other.half_h), scale2 = scale * scale;
			inverse = scale * inverse_ref;
			pull = f8_fma(other.volume, lambda, own.volume * lambda_j);
			pull = pull * (scale2 * scale2);
		}
		else
			pull = lambda + lambda_j;
		f8 s = f8_max(f8_fnma(r2 * inverse_r, inverse, one), zero);
		f8 factor = s * s * inverse_r * pull;
		sum.x = f8_fma(factor, dx, sum.x);
		sum.y = f8_fma(factor, dy, sum.y);
		sum.z = f8_fma(factor, dz, sum.z);
	}
	return sum;
}

// Keeps account of what images do in a correction: `by` is new in it.
static inline void record_pushes(const pbf_pass *p, uint32_t slice, vectors8 by, f8 momentum, f8 limit)
{
	uint32_t record = SIMD_LANES * p->wall_group[slice];
	f8 x, y, z, unused, lx, ly, lz;
	load_rows(p->pushed, record, &x, &y, &z, &unused);
	load_rows(p->pushed_last, record, &lx, &ly, &lz, &unused);
	lx = f8_fma(momentum, lx, by.x) * limit;
	ly = f8_fma(momentum, ly, by.y) * limit;
	lz = f8_fma(momentum, lz, by.z) * limit;
	store_rows(p->pushed, record, x + lx, y + ly, z + lz, unused);
	store_rows(p->pushed_last, record, lx, ly, lz, unused);
}

// Largest correction of a light particle in one iteration, in half kernel radii.
#define MOST_CORRECTION 0.05f

static inline void correction_pass(const pbf_pass *p, const vec4 *multipliers_in, vec4 *places, vec4 *moved, vec4 *step,
				   uint32_t first, uint32_t last, int mixed)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f), inverse_ref = one / f8_set1(p->pairs.reference_h);
	traits8 same = same_traits(&p->pairs);
	f8 same_scale = pair_scale(&p->pairs, same.half_h, same.half_h);
	f8 omega = f8_set1(p->omega), momentum = omega - one;
	for (uint32_t n = first; n < last; n++)
	{
		uint32_t slice = slice_at(p, n), row = slice * SIMD_LANES;
		f8 xi, yi, zi, lambda;
		load_rows(multipliers_in, row, &xi, &yi, &zi, &lambda);
		traits8 own = own_traits(&p->pairs, row, mixed);
		vectors8 sum = sum_pulls(p, multipliers_in, slice, AMONG_PARTICLES, mixed),
			 by_images = {zero, zero, zero};
		int seen = p->pairs.seen.length[slice] > 0;
		if (seen)
			by_images = sum_pulls(p, multipliers_in, slice, AMONG_IMAGES, mixed);
		f8 spiky = zero - f8_set1(SPIKY) * inverse_ref;
		if (!mixed)
			spiky = spiky * same.volume * (same_scale * same_scale) * (same_scale * same_scale);
		f8 old_x, old_y, old_z, w, lx, ly, lz, lw;
		load_rows(places, row, &old_x, &old_y, &old_z, &w);
		f8 scaled = w * omega * spiky;
		load_rows(step, row, &lx, &ly, &lz, &lw);
		f8 cx = f8_fma(scaled, sum.x + by_images.x, momentum * lx);
		f8 cy = f8_fma(scaled, sum.y + by_images.y, momentum * ly);
		f8 cz = f8_fma(scaled, sum.z + by_images.z, momentum * lz);
		// a light particle caught between heavy ones is not shot out
		f8 most = f8_select_gt(w, f8_set1(p->light), f8_set1(MOST_CORRECTION) * own.half_h, f8_set1(1e15f));
		f8 length2 = f8_max(f8_fma(cz, cz, f8_fma(cy, cy, cx * cx)), f8_set1(TINY));
		f8 limit = f8_min(most / f8_sqrt(length2), one);
		f8 push = f8_fma(omega, lambda, momentum * lw);
		cx = cx * limit;
		cy = cy * limit;
		cz = cz * limit;
		if (seen && p->pushed)
			record_pushes(p, slice,
				      (vectors8){scaled * by_images.x, scaled * by_images.y, scaled * by_images.z},
				      momentum, limit);
		store_rows(step, row, cx, cy, cz, push);
		store_rows(places, row, xi + cx, yi + cy, zi + cz, w);
		f8 mx, my, mz, mw;
		load_rows(moved, row, &mx, &my, &mz, &mw);
		store_rows(moved, row, mx + cx, my + cy, mz + cz, mw + push);
	}
}

static void corrections(const pbf_pass *p, const vec4 *multipliers_in, vec4 *places, vec4 *moved, vec4 *step,
			uint32_t first, uint32_t last)
{
	if (p->pairs.mixed)
		correction_pass(p, multipliers_in, places, moved, step, first, last, 1);
	else
		correction_pass(p, multipliers_in, places, moved, step, first, last, 0);
}

const pbf_kernels SIMD_NAME(pbf_kernels_table) = {multipliers, densities, corrections};
