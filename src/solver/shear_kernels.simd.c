// Written once and compiled for each combination: with constants where all fluids are alike, and with traits gathered by row where they
// differ (`mixed`). |W'| / r of Wendland's C4 kernel is (56/3) norm / h^5 (1 + 5 q) (1 - q)^5, and half of the Laplacian of the viscosity
// kernel is 3 norm / h^5 (1 - q): there is no division by the distance.
#include "solver/shear_kernels.h"
#include "solver/image_lanes.h"

#define SLOPE ((float)(KERNEL_WENDLAND_NORM * 56.0 / 3.0))
#define HALF_LAPLACIAN ((float)(KERNEL_VISCOSITY_NORM * 3.0))

// Extra smoothing between particles of different radii: their density estimates do not quite agree, which would make the seam jitter.
// In units of the coefficient of XSPH, of which one is h^2 / 11 here.
#define SEAM 0.6f
#define XSPH (1.0f / 11.0f)

static inline void exchange_pass(const shear_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out,
				 uint32_t first, uint32_t last, int mixed, int images, int along, int laplacian)
{
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f), two = f8_set1(2.0f), half = f8_set1(0.5f);
	f8 inverse_ref = one / f8_set1(p->pairs.reference_h);
	traits8 same = same_traits(&p->pairs);
	f8 same_scale = pair_scale(&p->pairs, same.half_h, same.half_h), same_inverse = same_scale * inverse_ref;
	f8 same_weight = same.volume * same_scale * same_scale * same_scale * same_inverse * same_inverse;
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES + (images ? p->pairs.first_image : 0);
		f8 xi, yi, zi, wi, ui, vi, qi, ci, su = zero, sv = zero, sq = zero;
		load_rows(places, row, &xi, &yi, &zi, &wi);
		load_rows(velocities, row, &ui, &vi, &qi, &ci);
		traits8 own = own_traits(&p->pairs, row, mixed);
		for (int part = images ? SEERS : AMONG_PARTICLES; part < (images ? PARTS : SEERS); part++)
		{
			f8 share = part == AMONG_PARTICLES ? one : half;
			for (near_entries near = entries_of(&p->pairs, slice, part); near.length > 0;
			     near.length--, near.entry += SIMD_LANES)
			{
				f8 xj, yj, zj, wj, uj, vj, qj, cj;
				f8_gather4(&places->x, near.entry, &xj, &yj, &zj, &wj);
				f8_gather4(&velocities->x, near.entry, &uj, &vj, &qj, &cj);
				f8 dx = xi - xj, dy = yi - yj, dz = zi - zj;
				f8 r2 = f8_fma(dz, dz, f8_fma(dy, dy, dx * dx)), inverse = same_inverse,
				   weight = same_weight, coefficient = f8_min(ci, cj);
				if (mixed)
				{
					traits8 other = traits_of(&p->pairs, near.entry);
					f8 scale = pair_scale(&p->pairs, own.half_h, other.half_h),
					   h = own.half_h + other.half_h;
					inverse = scale * inverse_ref;
					weight = (own.volume + other.volume) * half * (scale * scale * scale) *
						 inverse * inverse;
					f8 contrast = f8_abs(own.half_h - other.half_h) / h;
					f8 extra = f8_min(two * contrast, f8_set1(SEAM));
					coefficient = f8_fma(extra * f8_set1(XSPH), h * h, coefficient);
				}
				f8 q = f8_sqrt(r2) * inverse, t = f8_max(one - q, zero), t2 = t * t;
				f8 slope = laplacian ? t : t2 * t2 * t * f8_fma(q, f8_set1(5.0f), one);
				weight = weight * slope * coefficient * share;
				if (!p->pairs.equal_masses || mixed)
					weight = weight * (two * wi / (wi + wj));
				f8 du = uj - ui, dv = vj - vi, dq = qj - qi;
				if (along)
				{
					f8 projected =
					    f8_fma(dq, dz, f8_fma(dv, dy, du * dx)) / f8_max(r2, f8_set1(TINY));
					du = projected * dx;
					dv = projected * dy;
					dq = projected * dz;
				}
				su = f8_fma(weight, du, su);
				sv = f8_fma(weight, dv, sv);
				sq = f8_fma(weight, dq, sq);
			}
		}
		f8 scale = f8_set1(laplacian ? HALF_LAPLACIAN : SLOPE);
		if (images)
			store_rows(out, row, scale * su, scale * sv, scale * sq, ci);
		else
			store_rows(out, row, f8_fma(scale, su, ui), f8_fma(scale, sv, vi), f8_fma(scale, sq, qi), ci);
	}
}

static inline void exchange_kernel(const shear_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out,
				   uint32_t first, uint32_t last, int images, int laplacian)
{
	if (p->pairs.mixed && p->along)
		exchange_pass(p, places, velocities, out, first, last, 1, images, 1, laplacian);
	else if (p->pairs.mixed)
		exchange_pass(p, places, velocities, out, first, last, 1, images, 0, laplacian);
	else if (p->along)
		exchange_pass(p, places, velocities, out, first, last, 0, images, 1, laplacian);
	else
		exchange_pass(p, places, velocities, out, first, last, 0, images, 0, laplacian);
}

static inline void exchange_any(const shear_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out,
				uint32_t first, uint32_t last, int images)
{
	if (p->laplacian)
		exchange_kernel(p, places, velocities, out, first, last, images, 1);
	else
		exchange_kernel(p, places, velocities, out, first, last, images, 0);
}

static void smooth(const shear_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out, uint32_t first,
		   uint32_t last)
{
	exchange_any(p, places, velocities, out, first, last, 0);
}

static void smooth_images(const shear_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out, uint32_t first,
			  uint32_t last)
{
	exchange_any(p, places, velocities, out, first, last, 1);
}

const shear_kernels SIMD_NAME(shear_kernels_table) = {smooth, smooth_images};
