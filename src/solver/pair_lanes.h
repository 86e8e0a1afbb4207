// Eight rows at a time, for the files of kernels. Included only by *.simd.c.
#ifndef SOLVER_PAIR_LANES_H
#define SOLVER_PAIR_LANES_H

#include "base/kernels.h"
#include "base/simd.h"
#include "solver/pair_kernels.h"

// Lower limit of squared distances. Coincident particles have no direction, and 0 / 0 would be NaN.
#define TINY 1e-24f

#define POLY6 ((float)KERNEL_POLY6_NORM)
#define SPIKY ((float)(3.0 * KERNEL_SPIKY_NORM)) // of the gradient's magnitude

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

typedef struct traits8
{
	f8 half_h, volume, pull, push;
} traits8;

static inline traits8 same_traits(const pair_pass *p)
{
	return (traits8){f8_set1(p->same.half_h), f8_set1(p->same.volume), f8_set1(p->same.pull),
			 f8_set1(p->same.push)};
}

static inline traits8 traits_of(const pair_pass *p, const uint32_t *rows)
{
	traits8 t;
	f8_gather4(&p->traits->half_h, rows, &t.half_h, &t.volume, &t.pull, &t.push);
	return t;
}

static inline traits8 own_traits(const pair_pass *p, uint32_t row, int mixed)
{
	static const uint32_t consecutive[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	if (!mixed)
		return same_traits(p);
	traits8 t;
	f8_gather4(&p->traits[row].half_h, consecutive, &t.half_h, &t.volume, &t.pull, &t.push);
	return t;
}

// Eight consecutive records in each part of wide vectors.
static inline void repeat_rows(const vec4 *records, uint32_t row, fw *x, fw *y, fw *z, fw *w)
{
	f8 a, b, c, d;
	load_rows(records, row, &a, &b, &c, &d);
	*x = fw_repeat(a);
	*y = fw_repeat(b);
	*z = fw_repeat(c);
	*w = fw_repeat(d);
}

// The same for wide vectors.
typedef struct wide_traits
{
	fw half_h, volume, pull, push;
} wide_traits;

static inline wide_traits repeat_traits(traits8 t)
{
	return (wide_traits){fw_repeat(t.half_h), fw_repeat(t.volume), fw_repeat(t.pull), fw_repeat(t.push)};
}

static inline wide_traits same_wide_traits(const pair_pass *p)
{
	return repeat_traits(same_traits(p));
}

static inline wide_traits own_wide_traits(const pair_pass *p, uint32_t row, int mixed)
{
	return repeat_traits(own_traits(p, row, mixed));
}

static inline wide_traits wide_traits_of(const pair_pass *p, const uint32_t *const rows[SIMD_PARTS])
{
	wide_traits t;
	fw_gather4(&p->traits->half_h, rows, &t.half_h, &t.volume, &t.pull, &t.push);
	return t;
}

// Inverse radius of a pair in units of the reference: 1 / (h_pair / h_ref).
static inline f8 pair_scale(const pair_pass *p, f8 half_i, f8 half_j)
{
	return f8_set1(p->reference_h) / (half_i + half_j);
}

static inline fw wide_pair_scale(const pair_pass *p, fw half_i, fw half_j)
{
	return fw_set1(p->reference_h) / (half_i + half_j);
}

#endif
