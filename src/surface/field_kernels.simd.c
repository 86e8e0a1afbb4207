#include "surface/field_kernels.h"

#include "base/simd.h"

// Lanes hold 4 points along x in 2 rows along y; a slice of a block is two such vectors.
typedef struct slice
{
	f8 x, y[2], z;
} slice;

static inline slice slice_at(int z, float cell)
{
	f8 step = f8_set1(cell);
	return (slice){(f8){0, 1, 2, 3, 0, 1, 2, 3} * step,
		       {(f8){0, 0, 0, 0, 1, 1, 1, 1} * step, (f8){2, 2, 2, 2, 3, 3, 3, 3} * step},
		       f8_set1((float)z * cell)};
}

static inline f8 cube(f8 t)
{
	return t * t * t;
}

// (1 - r^2 / H^2)^3, zero beyond H
static inline f8 kernel_value(f8 r2, f8 falloff)
{
	return cube(f8_max(f8_fnma(r2, falloff, f8_set1(1.0f)), f8_set1(0.0f)));
}

static inline f8 falloff_at(const field_points *p, size_t j)
{
	return f8_set1(p->falloff ? p->falloff[j] : p->falloff_all);
}

static inline void columns_add(field_columns *to, fw x, fw y, fw z, fw weight, iw row, wide_mask keep)
{
	wide_packing order = wide_packing_make(keep);
	fw_store(to->x + to->count, fw_pack(x, order));
	fw_store(to->y + to->count, fw_pack(y, order));
	fw_store(to->z + to->count, fw_pack(z, order));
	fw_store(to->weight + to->count, fw_pack(weight, order));
	iw_store(to->row + to->count, iw_pack(row, order));
	to->count += wide_count(keep);
}

static void load(field_columns *near, field_columns *others, const vec4 *positions, const float *weights,
		 const row_range *ranges, size_t count, const field_box *box)
{
	fw low_x = fw_set1(box->low.x), low_y = fw_set1(box->low.y), low_z = fw_set1(box->low.z);
	fw high_x = fw_set1(box->high.x), high_y = fw_set1(box->high.y), high_z = fw_set1(box->high.z);
	fw near2 = fw_set1(box->near * box->near), reach2 = fw_set1(box->reach * box->reach), zero = fw_set1(0.0f);
	fw from_x = fw_set1(box->origin.x), from_y = fw_set1(box->origin.y), from_z = fw_set1(box->origin.z);
	// local copies: the stores of floats cannot alias them
	field_columns front = *near, back = *others;
	int split = box->reach > box->near;
	for (size_t r = 0; r < count; r++)
		for (uint32_t row = ranges[r].begin, end = ranges[r].end; row < end; row += SIMD_WIDE)
		{
			fw x, y, z, weight = fw_load(weights + row);
			fw_load3(&positions[row].x, &x, &y, &z);
			fw dx = fw_max(fw_max(low_x - x, x - high_x), zero);
			fw dy = fw_max(fw_max(low_y - y, y - high_y), zero);
			fw dz = fw_max(fw_max(low_z - z, z - high_z), zero);
			fw r2 = fw_fma(dz, dz, fw_fma(dy, dy, dx * dx));
			unsigned all = end - row < SIMD_WIDE ? (1u << (end - row)) - 1 : ~0u;
			unsigned is_near = fw_le(r2, near2) & all, is_other = fw_le(r2, reach2) & all & ~is_near;
			iw rows = iw_set1((int32_t)row) + iw_iota();
			x -= from_x;
			y -= from_y;
			z -= from_z;
			columns_add(&front, x, y, z, weight, rows, (wide_mask)is_near);
			if (split)
				columns_add(&back, x, y, z, weight, rows, (wide_mask)is_other);
		}
	*near = front;
	*others = back;
}

static void weigh(const field_points *points, vec3 p, float out[4])
{
	f8 px = f8_set1(p.x), py = f8_set1(p.y), pz = f8_set1(p.z);
	f8 sum = f8_set1(0.0f), sx = sum, sy = sum, sz = sum, all = f8_set1(points->falloff_all);
	for (size_t j = 0; j < points->count; j += SIMD_LANES)
	{
		f8 dx = f8_load(points->x + j) - px, dy = f8_load(points->y + j) - py, dz = f8_load(points->z + j) - pz;
		f8 falloff = points->falloff ? f8_load(points->falloff + j) : all;
		f8 w = kernel_value(f8_fma(dx, dx, f8_fma(dy, dy, dz * dz)), falloff);
		sum += w;
		sx = f8_fma(w, dx, sx);
		sy = f8_fma(w, dy, sy);
		sz = f8_fma(w, dz, sz);
	}
	out[0] = f8_sum(sum);
	out[1] = f8_sum(sx);
	out[2] = f8_sum(sy);
	out[3] = f8_sum(sz);
}

// Sums over the near particles for one vector of points.
typedef struct mean_sums
{
	f8 w, x, y, z, radius;
} mean_sums;

static inline void mean_add(mean_sums *s, f8 w, f8 dx, f8 dy, f8 dz)
{
	s->w += w;
	s->x = f8_fma(w, dx, s->x);
	s->y = f8_fma(w, dy, s->y);
	s->z = f8_fma(w, dz, s->z);
}

static inline void mean_slice(const field_points *points, const slice *at, mean_sums out[2])
{
	f8 zero = f8_set1(0.0f);
	mean_sums a = {zero, zero, zero, zero, zero}, b = a;
	for (size_t j = 0; j < points->near; j++)
	{
		f8 dx = at->x - f8_set1(points->x[j]), dz = at->z - f8_set1(points->z[j]), y = f8_set1(points->y[j]);
		f8 dy0 = at->y[0] - y, dy1 = at->y[1] - y, across = f8_fma(dx, dx, dz * dz);
		f8 falloff = falloff_at(points, j), weight = f8_set1(points->weight[j]);
		f8 w0 = weight * kernel_value(f8_fma(dy0, dy0, across), falloff);
		f8 w1 = weight * kernel_value(f8_fma(dy1, dy1, across), falloff);
		mean_add(&a, w0, dx, dy0, dz);
		mean_add(&b, w1, dx, dy1, dz);
		if (points->radius)
		{
			f8 radius = f8_set1(points->radius[j]);
			a.radius = f8_fma(w0, radius, a.radius);
			b.radius = f8_fma(w1, radius, b.radius);
		}
	}
	out[0] = a;
	out[1] = b;
}

// Packs the particles within a kernel radius of the box around the lanes in `wanted` into the scratch. Returns their
// number.
static inline size_t pick_around(const field_points *points, const f8 centre[3], m8 wanted)
{
	f8 low[3], high[3];
	for (int a = 0; a < 3; a++)
	{
		float from = 3e38f, to = -3e38f;
		for (int lane = 0; lane < SIMD_LANES; lane++)
			if (wanted >> lane & 1)
			{
				from = centre[a][lane] < from ? centre[a][lane] : from;
				to = centre[a][lane] > to ? centre[a][lane] : to;
			}
		low[a] = f8_set1(from);
		high[a] = f8_set1(to);
	}
	const float *in[3] = {points->x, points->y, points->z};
	f8 zero = f8_set1(0.0f), one = f8_set1(1.0f), all = f8_set1(points->falloff_all);
	size_t found = 0;
	for (size_t j = 0; j < points->count; j += SIMD_LANES)
	{
		f8 at[3], r2 = zero;
		for (int a = 0; a < 3; a++)
		{
			at[a] = f8_load(in[a] + j);
			f8 d = f8_max(f8_max(low[a] - at[a], at[a] - high[a]), zero);
			r2 = f8_fma(d, d, r2);
		}
		f8 falloff = points->falloff ? f8_load(points->falloff + j) : all;
		m8 near = f8_le(r2 * falloff, one);
		packing order = packing_make(near);
		for (int a = 0; a < 3; a++)
			f8_store(points->scratch[a] + found, f8_pack(at[a], order));
		f8_store(points->scratch[3] + found, f8_pack(f8_load(points->weight + j), order));
		f8_store(points->scratch[4] + found, f8_pack(falloff, order));
		found += m8_count(near);
	}
	return found;
}

// w(c) and its transfer function, for the wanted lanes
static inline f8 decay_at(const field_points *points, const distance_rule *rule, const f8 centre[3], m8 wanted)
{
	const float *const *near = (const float *const *)points->scratch;
	size_t count = pick_around(points, centre, wanted);
	f8 sum = f8_set1(0.0f), one = f8_set1(1.0f);
	for (size_t j = 0; j < count; j++)
	{
		f8 dx = centre[0] - f8_set1(near[0][j]), dy = centre[1] - f8_set1(near[1][j]);
		f8 dz = centre[2] - f8_set1(near[2][j]), r2 = f8_fma(dx, dx, f8_fma(dy, dy, dz * dz));
		sum = f8_fma(kernel_value(r2, f8_set1(near[4][j])), f8_set1(near[3][j]), sum);
	}
	f8 lack = f8_max(f8_set1(rule->dense) - sum, f8_set1(0.0f)) * f8_set1(1.0f / (rule->dense - rule->thin));
	f8 g = f8_max(f8_fnma(lack, lack, one), f8_set1(0.0f));
	return g * g;
}

static void distance_block(const field_points *points, const distance_rule *rule, float *out)
{
	const f8 tiny = f8_set1(1e-20f);
	for (int z = 0; z < GRID_SIDE; z++)
	{
		slice at = slice_at(z, rule->cell);
		mean_sums sums[2];
		mean_slice(points, &at, sums);
		for (int half = 0; half < 2; half++)
		{
			mean_sums s = sums[half];
			f8 inverse = f8_set1(1.0f) / f8_max(s.w, tiny);
			f8 dx = s.x * inverse, dy = s.y * inverse, dz = s.z * inverse;
			f8 length = f8_sqrt(f8_fma(dx, dx, f8_fma(dy, dy, dz * dz)));
			f8 radius = points->radius ? s.radius * inverse : f8_set1(points->radius_all);
			// far outside, the transfer function has no visible effect
			f8 limit = f8_select_gt(s.w, tiny, radius + f8_set1(rule->cell), f8_set1(-1.0f));
			m8 wanted = f8_le(length, limit);
			f8 centre[3] = {at.x - dx, at.y[half] - dy, at.z - dz};
			if (rule->decay && wanted)
				radius *= decay_at(points, rule, centre, wanted);
			f8 value = f8_select_gt(s.w, tiny, length - radius, f8_set1(rule->empty));
			f8_store(out + 16 * z + 8 * half, value);
		}
	}
}

static void color_block(const field_points *points, float cell, float *out)
{
	for (int z = 0; z < GRID_SIDE; z++)
	{
		slice at = slice_at(z, cell);
		f8 a = f8_set1(0.0f), b = a;
		for (size_t j = 0; j < points->near; j++)
		{
			f8 dx = at.x - f8_set1(points->x[j]), dz = at.z - f8_set1(points->z[j]);
			f8 y = f8_set1(points->y[j]), dy0 = at.y[0] - y, dy1 = at.y[1] - y;
			f8 across = f8_fma(dx, dx, dz * dz), falloff = falloff_at(points, j);
			f8 weight = f8_set1(points->weight[j]);
			a = f8_fma(weight, kernel_value(f8_fma(dy0, dy0, across), falloff), a);
			b = f8_fma(weight, kernel_value(f8_fma(dy1, dy1, across), falloff), b);
		}
		f8_store(out + 16 * z, a);
		f8_store(out + 16 * z + 8, b);
	}
}

static void shaped_block(const field_points *points, float cell, float *out)
{
	const float *const *m = points->shape;
	f8 one = f8_set1(1.0f);
	for (int z = 0; z < GRID_SIDE; z++)
	{
		slice at = slice_at(z, cell);
		f8 sums[2] = {f8_set1(0.0f), f8_set1(0.0f)};
		for (size_t j = 0; j < points->near; j++)
		{
			f8 dx = at.x - f8_set1(points->x[j]), dz = at.z - f8_set1(points->z[j]);
			f8 y = f8_set1(points->y[j]), weight = f8_set1(points->weight[j]);
			f8 xx = f8_set1(m[0][j]), xy = f8_set1(m[1][j]), xz = f8_set1(m[2][j]);
			f8 yy = f8_set1(m[3][j]), yz = f8_set1(m[4][j]), zz = f8_set1(m[5][j]);
			f8 across = f8_fma(dx, f8_fma(xx, dx, xz * dz), zz * dz * dz), along = f8_fma(xy, dx, yz * dz);
			for (int half = 0; half < 2; half++)
			{
				f8 dy = at.y[half] - y;
				f8 r2 = f8_fma(dy, f8_fma(yy, dy, along), across);
				sums[half] = f8_fma(weight, kernel_value(r2, one), sums[half]);
			}
		}
		f8_store(out + 16 * z, sums[0]);
		f8_store(out + 16 * z + 8, sums[1]);
	}
}

// d W / d p = -6 / H^2 (1 - r^2 / H^2)^2 (p - p_j)
static void place(const field_points *points, vec3 p, float *share, place_sums *out)
{
	f8 px = f8_set1(p.x), py = f8_set1(p.y), pz = f8_set1(p.z), zero = f8_set1(0.0f);
	f8 all = f8_set1(points->falloff_all), s = zero, m[3] = {zero, zero, zero}, g[3] = {zero, zero, zero};
	uint32_t *active = (uint32_t *)(void *)points->scratch[1], found = 0;
	for (size_t j = 0; j < points->count; j += SIMD_LANES)
	{
		f8 d[3] = {px - f8_load(points->x + j), py - f8_load(points->y + j), pz - f8_load(points->z + j)};
		f8 falloff = points->falloff ? f8_load(points->falloff + j) : all, weight = f8_load(points->weight + j);
		f8 r2 = f8_fma(d[0], d[0], f8_fma(d[1], d[1], d[2] * d[2]));
		f8 t = f8_max(f8_fnma(r2, falloff, f8_set1(1.0f)), zero);
		f8 slope = weight * t * t, w = slope * t;
		slope *= falloff * f8_set1(-6.0f);
		f8_store(share + j, w);
		active[found] = (uint32_t)j;
		found += f8_le(w, zero) != (m8)((1u << SIMD_LANES) - 1);
		s += w;
		for (int a = 0; a < 3; a++)
		{
			m[a] = f8_fma(w, d[a], m[a]);
			g[a] = f8_fma(slope, d[a], g[a]);
		}
	}
	float sum = f8_sum(s), inverse = 1.0f / (sum > 1e-20f ? sum : 1e-20f);
	vec3 offset = {f8_sum(m[0]) * inverse, f8_sum(m[1]) * inverse, f8_sum(m[2]) * inverse};
	vec3 gradient = {f8_sum(g[0]), f8_sum(g[1]), f8_sum(g[2])};
	float length = sqrtf(offset.x * offset.x + offset.y * offset.y + offset.z * offset.z);
	float shrink = length > 0.0f ? 1.0f / length : 0.0f;
	vec3 e = {offset.x * shrink, offset.y * shrink, offset.z * shrink};

	// with u = p - C the length grows by e . du: the sum of (W e + W' (e . d)) less the growth of the sum of W
	f8 ex = f8_set1(e.x), ey = f8_set1(e.y), ez = f8_set1(e.z), q[3] = {zero, zero, zero};
	for (uint32_t k = 0; k < found; k++)
	{
		size_t j = active[k];
		f8 d[3] = {px - f8_load(points->x + j), py - f8_load(points->y + j), pz - f8_load(points->z + j)};
		f8 falloff = points->falloff ? f8_load(points->falloff + j) : all, weight = f8_load(points->weight + j);
		f8 r2 = f8_fma(d[0], d[0], f8_fma(d[1], d[1], d[2] * d[2]));
		f8 t = f8_max(f8_fnma(r2, falloff, f8_set1(1.0f)), zero);
		f8 along = f8_fma(d[0], ex, f8_fma(d[1], ey, d[2] * ez));
		f8 slope = weight * t * t * falloff * f8_set1(-6.0f) * along;
		for (int a = 0; a < 3; a++)
			q[a] = f8_fma(slope, d[a], q[a]);
	}
	out->active = found;
	out->sum = sum;
	out->gradient = gradient;
	out->offset = offset;
	out->slope = (vec3){e.x + (f8_sum(q[0]) - length * gradient.x) * inverse,
			    e.y + (f8_sum(q[1]) - length * gradient.y) * inverse,
			    e.z + (f8_sum(q[2]) - length * gradient.z) * inverse};
}

static void mix(const float *share, const uint32_t *active, size_t count, const float *values, size_t stride,
		uint32_t columns, float *out)
{
	f8 zero = f8_set1(0.0f);
	for (uint32_t c = 0; c < columns; c++, values += stride)
	{
		f8 sum = zero;
		for (size_t k = 0; k < count; k++)
		{
			f8 part = f8_load(share + active[k]);
			sum = f8_fma(part, f8_select_gt(part, zero, f8_load(values + active[k]), zero), sum);
		}
		out[c] = f8_sum(sum);
	}
}

static float moments(const field_points *points, vec3 p, float radius, float out[10])
{
	f8 px = f8_set1(p.x), py = f8_set1(p.y), pz = f8_set1(p.z), zero = f8_set1(0.0f), one = f8_set1(1.0f);
	f8 inverse = f8_set1(1.0f / radius), sums[10];
	for (int k = 0; k < 10; k++)
		sums[k] = zero;
	uint32_t found = 0;
	for (size_t j = 0; j < points->count; j += SIMD_LANES)
	{
		f8 dx = f8_load(points->x + j) - px, dy = f8_load(points->y + j) - py, dz = f8_load(points->z + j) - pz;
		f8 q = f8_sqrt(f8_fma(dx, dx, f8_fma(dy, dy, dz * dz))) * inverse;
		found += m8_count(f8_le(q, one));
		q = f8_min(q, one);
		f8 v = one - cube(q), vx = v * dx, vy = v * dy, vz = v * dz;
		sums[0] += v;
		sums[1] += vx;
		sums[2] += vy;
		sums[3] += vz;
		sums[4] = f8_fma(vx, dx, sums[4]);
		sums[5] = f8_fma(vx, dy, sums[5]);
		sums[6] = f8_fma(vx, dz, sums[6]);
		sums[7] = f8_fma(vy, dy, sums[7]);
		sums[8] = f8_fma(vy, dz, sums[8]);
		sums[9] = f8_fma(vz, dz, sums[9]);
	}
	for (int k = 0; k < 10; k++)
		out[k] = f8_sum(sums[k]);
	return (float)found;
}

const field_kernels SIMD_NAME(field_kernels_table) = {load,  weigh, distance_block, color_block, shaped_block,
						      place, mix,   moments};
