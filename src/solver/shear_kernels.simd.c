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

SIMD_PASS void exchange_pass(const shear_pass *p, const vec4 *places, const vec4 *velocities, vec4 *out, uint32_t first,
			     uint32_t last, int mixed, int images, int along, int laplacian)
{
	const f8 none = f8_set1(0.0f);
	const fw zero = fw_set1(0.0f), one = fw_set1(1.0f), two = fw_set1(2.0f), half = fw_set1(0.5f);
	fw inverse_ref = one / fw_set1(p->pairs.reference_h);
	wide_traits same = same_wide_traits(&p->pairs);
	fw same_scale = wide_pair_scale(&p->pairs, same.half_h, same.half_h), same_inverse = same_scale * inverse_ref;
	fw same_weight = same.volume * same_scale * same_scale * same_scale * same_inverse * same_inverse;
	for (uint32_t slice = first; slice < last; slice++)
	{
		uint32_t row = slice * SIMD_LANES + (images ? p->pairs.first_image : 0);
		f8 su = none, sv = none, sq = none;
		fw xi, yi, zi, wi, ui, vi, qi, ci;
		repeat_rows(places, row, &xi, &yi, &zi, &wi);
		repeat_rows(velocities, row, &ui, &vi, &qi, &ci);
		wide_traits own = own_wide_traits(&p->pairs, row, mixed);
		for (int part = images ? SEERS : AMONG_PARTICLES; part < (images ? PARTS : SEERS); part++)
		{
			fw share = part == AMONG_PARTICLES ? one : half;
			for (wide_entries near = wide_entries_of(&p->pairs, slice, part); near.length > 0;
			     near = wide_entries_after(near))
			{
				fw xj, yj, zj, wj, uj, vj, qj, cj;
				fw_gather4(&places->x, near.entry, &xj, &yj, &zj, &wj);
				fw_gather4(&velocities->x, near.entry, &uj, &vj, &qj, &cj);
				fw dx = xi - xj, dy = yi - yj, dz = zi - zj;
				fw r2 = fw_fma(dz, dz, fw_fma(dy, dy, dx * dx)), inverse = same_inverse,
				   weight = same_weight, coefficient = fw_min(ci, cj);
				if (mixed)
				{
					wide_traits other = wide_traits_of(&p->pairs, near.entry);
					fw scale = wide_pair_scale(&p->pairs, own.half_h, other.half_h),
					   h = own.half_h + other.half_h;
					inverse = scale * inverse_ref;
					weight = (own.volume + other.volume) * half * (scale * scale * scale) *
						 inverse * inverse;
					fw contrast = fw_abs(own.half_h - other.half_h) / h;
					fw extra = fw_min(two * contrast, fw_set1(SEAM));
					coefficient = fw_fma(extra * fw_set1(XSPH), h * h, coefficient);
				}
				fw q = fw_sqrt(r2) * inverse, t = fw_max(one - q, zero), t2 = t * t;
				fw slope = laplacian ? t : t2 * t2 * t * fw_fma(q, fw_set1(5.0f), one);
				weight = weight * slope * coefficient * share;
				if (!p->pairs.equal_masses || mixed)
					weight = weight * (two * wi / (wi + wj));
				fw du = uj - ui, dv = vj - vi, dq = qj - qi;
				if (along)
				{
					fw projected =
					    fw_fma(dq, dz, fw_fma(dv, dy, du * dx)) / fw_max(r2, fw_set1(TINY));
					du = projected * dx;
					dv = projected * dy;
					dq = projected * dz;
				}
				su = add_products(su, weight, du, near.parts);
				sv = add_products(sv, weight, dv, near.parts);
				sq = add_products(sq, weight, dq, near.parts);
			}
		}
		f8 scale = f8_set1(laplacian ? HALF_LAPLACIAN : SLOPE);
		if (images)
			store_rows(out, row, scale * su, scale * sv, scale * sq, fw_part(ci, 0));
		else
			store_rows(out, row, f8_fma(scale, su, fw_part(ui, 0)), f8_fma(scale, sv, fw_part(vi, 0)),
				   f8_fma(scale, sq, fw_part(qi, 0)), fw_part(ci, 0));
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
