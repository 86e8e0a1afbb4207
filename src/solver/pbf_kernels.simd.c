// Position-based fluids in volume form (METHODS 1): C_i = sum_j V_j W_ij + B_i - 1, poly6 for the value, spiky for the gradient.
#include "solver/pbf_kernels.h"

#include "base/simd.h"

// Eight consecutive records as lanes.
static inline void load_rows(const vec4 *records, uint32_t row, f8 *x, f8 *y, f8 *z, f8 *w)
{
	static const uint32_t consecutive[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	f8_gather4(&records[row].x, consecutive, x, y, z, w);
}

static inline void store_rows(vec4 *records, uint32_t row, f8 x, f8 y, f8 z, f8 w)
{
	f8_scatter4(&records[row].x, x, y, z, w);
}

// Squared distances below this count as this: coincident particles have no direction, and 0 / 0 is no number.
#define TINY 1e-24f

// Errors of a block of slices, summed in a fixed order.
typedef struct error_sum
{
	f8 sum, max;
	double tail; // of the lanes of a last, partly filled slice
} error_sum;

// Multipliers of one slice from its constraint, and the bookkeeping of errors.
static inline f8 finish_slice(const pbf_pass *p, uint32_t row, f8 c, f8 stiffness, float *constraint, error_sum *errors)
{
	f8_store(constraint + row, c);
	f8 zero = f8_set1(0.0f), error = f8_max(c, zero);
	if (row + SIMD_LANES <= p->count)
	{
		errors->sum += error;
		errors->max = f8_max(errors->max, c);
	}
	else
		for (uint32_t lane = 0; row + lane < p->count; lane++)
		{
			errors->tail += (double)error[lane];
			errors->max[0] = c[lane] > errors->max[0] ? c[lane] : errors->max[0];
		}
	return zero - f8_set1(p->beta) * stiffness * f8_max(c, f8_set1(-p->attraction));
}

static double total_error(const error_sum *errors, float *largest)
{
	double total = errors->tail;
	for (int lane = 0; lane < SIMD_LANES; lane++)
	{
		total += (double)errors->sum[lane];
		*largest = errors->max[lane] > *largest ? errors->max[lane] : *largest;
	}
	return total;
}

static double multipliers(const pbf_pass *p, const vec4 *places, vec4 *out, float *constraint, uint32_t first,
			  uint32_t last, float *largest)
{
	f8 inverse_h = f8_set1(p->inverse_h), inverse_h2 = inverse_h * inverse_h, zero = f8_set1(0.0f), one = f8_set1(1.0f);
	error_sum errors = {zero, f8_set1(-1.0f), 0.0};
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		f8 density = zero, gx = zero, gy = zero, gz = zero, squares = zero;
		const uint32_t *entry = p->entries + p->slice_begin[slice];
		for (uint32_t k = p->slice_length[slice]; k > 0; k--, entry += SIMD_LANES)
		{
			f8 xj, yj, zj, wj;
			f8_gather4(&places->x, entry, &xj, &yj, &zj, &wj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj;
			f8 r2 = f8_max(f8_fma(dz, dz, f8_fma(dy, dy, dx * dx)), f8_set1(TINY));
			f8 inverse = one / f8_sqrt(r2);
			f8 t = f8_max(f8_fnma(r2, inverse_h2, one), zero); // 1 - q^2
			density = f8_fma(t * t, t, density);
			f8 s = f8_max(f8_fnma(r2 * inverse, inverse_h, one), zero); // 1 - q
			f8 g = s * s;
			squares = f8_fma(g * g, wj, squares);
			f8 direction = g * inverse;
			gx = f8_fma(direction, dx, gx);
			gy = f8_fma(direction, dy, gy);
			gz = f8_fma(direction, dz, gz);
		}
		f8 wall_x, wall_y, wall_z, wall;
		load_rows(p->wall, row, &wall_x, &wall_y, &wall_z, &wall);
		f8 c = f8_fma(f8_set1(p->poly6), density, f8_set1(p->poly6)) + wall - one;

		// the gradient of the spiky kernel points towards the neighbour: -spiky g
		f8 spiky = f8_set1(p->spiky);
		gx = f8_fnma(spiky, gx, wall_x);
		gy = f8_fnma(spiky, gy, wall_y);
		gz = f8_fnma(spiky, gz, wall_z);
		f8 own = f8_fma(gz, gz, f8_fma(gy, gy, gx * gx));
		f8 compliance = f8_fma(spiky * spiky, squares, own * wi);

		// k = min(prototype's, 1 / compliance): more neighbours than the prototype has would overshoot
		f8 stiffness = f8_min(f8_set1(p->stiffness) / wi, one / f8_max(compliance, f8_set1(1e-30f)));
		f8_store(p->row_stiffness + row, stiffness);
		store_rows(out, row, xi, yi, zi, finish_slice(p, row, c, stiffness, constraint, &errors));
	}
	return total_error(&errors, largest);
}

static double densities(const pbf_pass *p, const vec4 *places, vec4 *out, float *constraint, uint32_t first,
			uint32_t last, float *largest)
{
	f8 inverse_h2 = f8_set1(p->inverse_h * p->inverse_h), zero = f8_set1(0.0f), one = f8_set1(1.0f);
	error_sum errors = {zero, f8_set1(-1.0f), 0.0};
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		f8 density = zero;
		const uint32_t *entry = p->entries + p->slice_begin[slice];
		for (uint32_t k = p->slice_length[slice]; k > 0; k--, entry += SIMD_LANES)
		{
			f8 xj, yj, zj, wj;
			f8_gather4(&places->x, entry, &xj, &yj, &zj, &wj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj;
			f8 r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx));
			f8 t = f8_max(f8_fnma(r2, inverse_h2, one), zero); // 1 - q^2
			density = f8_fma(t * t, t, density);
		}
		f8 wall_x, wall_y, wall_z, wall;
		load_rows(p->wall, row, &wall_x, &wall_y, &wall_z, &wall);
		f8 c = f8_fma(f8_set1(p->poly6), density, f8_set1(p->poly6)) + wall - one;
		f8 lambda = finish_slice(p, row, c, f8_load(p->row_stiffness + row), constraint, &errors);
		store_rows(out, row, xi, yi, zi, lambda);
	}
	return total_error(&errors, largest);
}

static void corrections(const pbf_pass *p, const vec4 *multipliers_in, const float *inverse_mass, vec4 *places,
			vec4 *moved, uint32_t first, uint32_t last)
{
	f8 inverse_h = f8_set1(p->inverse_h), inverse_h2 = inverse_h * inverse_h, zero = f8_set1(0.0f), one = f8_set1(1.0f);
	f8 tensile = f8_set1(-p->tensile), tensile_w = f8_set1(p->poly6 * p->tensile_w);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, lambda;
		load_rows(multipliers_in, row, &xi, &yi, &zi, &lambda);
		f8 sx = zero, sy = zero, sz = zero;
		const uint32_t *entry = p->entries + p->slice_begin[slice];
		for (uint32_t k = p->slice_length[slice]; k > 0; k--, entry += SIMD_LANES)
		{
			f8 xj, yj, zj, lambda_j;
			f8_gather4(&multipliers_in->x, entry, &xj, &yj, &zj, &lambda_j);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj;
			f8 r2 = f8_max(f8_fma(dz, dz, f8_fma(dy, dy, dx * dx)), f8_set1(TINY));
			f8 inverse = one / f8_sqrt(r2);
			f8 s = f8_max(f8_fnma(r2 * inverse, inverse_h, one), zero);
			f8 pull = lambda + lambda_j;
			if (p->tensile > 0.0f)
			{
				// s_corr = -g (W / W(dq))^4 (METHODS 2)
				f8 t = f8_max(f8_fnma(r2, inverse_h2, one), zero); // 1 - q^2
				f8 w = tensile_w * (t * t * t), w2 = w * w;
				pull = f8_fma(tensile, w2 * w2, pull);
			}
			f8 factor = s * s * inverse * pull;
			sx = f8_fma(factor, dx, sx);
			sy = f8_fma(factor, dy, sy);
			sz = f8_fma(factor, dz, sz);
		}
		f8 wall_x, wall_y, wall_z, wall;
		load_rows(p->wall, row, &wall_x, &wall_y, &wall_z, &wall);
		f8 w = f8_load(inverse_mass + row), spiky = f8_set1(-p->spiky);
		f8 cx = w * f8_fma(spiky, sx, lambda * wall_x);
		f8 cy = w * f8_fma(spiky, sy, lambda * wall_y);
		f8 cz = w * f8_fma(spiky, sz, lambda * wall_z);
		store_rows(places, row, xi + cx, yi + cy, zi + cz, w);
		f8 mx, my, mz, mw;
		load_rows(moved, row, &mx, &my, &mz, &mw);
		store_rows(moved, row, mx + cx, my + cy, mz + cz, mw + lambda);
	}
}

// XSPH (METHODS 3): v_i += sum_j min(c_i, c_j) 2 m_j / (m_i + m_j) V W_ij (v_j - v_i); the places' w is the inverse mass, so that
// 2 m_j / (m_i + m_j) = 2 w_i / (w_i + w_j), which is 1 in one fluid.
static inline void smooth_slices(const pbf_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out, uint32_t first,
				 uint32_t last, int one_fluid)
{
	f8 inverse_h2 = f8_set1(p->inverse_h * p->inverse_h), zero = f8_set1(0.0f), one = f8_set1(1.0f), two = f8_set1(2.0f);
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES;
		f8 xi, yi, zi, wi, ui, vi, qi, ci;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		load_rows(velocities, row, &ui, &vi, &qi, &ci);
		f8 su = zero, sv = zero, sq = zero;
		const uint32_t *entry = p->entries + p->slice_begin[slice];
		for (uint32_t k = p->slice_length[slice]; k > 0; k--, entry += SIMD_LANES)
		{
			f8 xj, yj, zj, wj, uj, vj, qj, cj;
			f8_gather4(&places->x, entry, &xj, &yj, &zj, &wj);
			f8_gather4(&velocities->x, entry, &uj, &vj, &qj, &cj);
			f8 dx = xi - xj, dy = yi - yj, dz = zi - zj;
			f8 r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx));
			f8 t = f8_max(f8_fnma(r2, inverse_h2, one), zero);
			f8 weight = t * t * t;
			if (!one_fluid)
				weight = weight * f8_min(ci, cj) * (two * wi / (wi + wj));
			su = f8_fma(weight, uj - ui, su);
			sv = f8_fma(weight, vj - vi, sv);
			sq = f8_fma(weight, qj - qi, sq);
		}
		f8 scale = one_fluid ? f8_set1(p->poly6) * ci : f8_set1(p->poly6);
		store_rows(out, row, f8_fma(scale, su, ui), f8_fma(scale, sv, vi), f8_fma(scale, sq, qi), ci);
	}
}

static void smooth_velocity(const pbf_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out, uint32_t first,
			    uint32_t last)
{
	if (p->one_fluid)
		smooth_slices(p, places, velocities, out, first, last, 1);
	else
		smooth_slices(p, places, velocities, out, first, last, 0);
}

const pbf_kernels SIMD_NAME(pbf_kernels_table) = {multipliers, densities, corrections, smooth_velocity};
