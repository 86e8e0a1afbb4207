// Eight float lanes, the only place where instruction sets are named. A file that uses this is called *.simd.c and is
// built once per instruction set; its functions carry SIMD_NAME(). AVX2 and AVX-512 give the same bits because every
// operation here is exactly rounded and fused alike; the portable version has no fused multiply-add and agrees to
// round-off.
#ifndef BASE_SIMD_H
#define BASE_SIMD_H

#include <stdint.h>
#include <string.h>

#define SIMD_JOIN_(name, isa) name##_##isa
#define SIMD_JOIN(name, isa) SIMD_JOIN_(name, isa)
#ifndef SIMD_ISA
#define SIMD_ISA portable
#endif
#define SIMD_NAME(name) SIMD_JOIN(name, SIMD_ISA)

enum
{
	SIMD_LANES = 8
};

// Of passes that are written once and compiled for several constant arguments.
#define SIMD_PASS static inline __attribute__((always_inline))

typedef float f8 __attribute__((vector_size(32)));
typedef int32_t i8 __attribute__((vector_size(32)));
typedef int64_t l4 __attribute__((vector_size(32))); // for sums of halves of an i8
typedef unsigned m8;                                 // one bit per lane

static inline f8 f8_set1(float a)
{
	return (f8){a, a, a, a, a, a, a, a};
}

static inline i8 i8_set1(int32_t a)
{
	return (i8){a, a, a, a, a, a, a, a};
}

// Halves of a vector, in wider lanes.
static inline l4 i8_widen_low(i8 a)
{
	return __builtin_convertvector(__builtin_shufflevector(a, a, 0, 1, 2, 3), l4);
}

static inline l4 i8_widen_high(i8 a)
{
	return __builtin_convertvector(__builtin_shufflevector(a, a, 4, 5, 6, 7), l4);
}

static inline i8 i8_iota(void)
{
	return (i8){0, 1, 2, 3, 4, 5, 6, 7};
}

static inline f8 f8_load(const float *p)
{
	f8 v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline void f8_store(float *p, f8 v)
{
	memcpy(p, &v, sizeof v);
}

static inline i8 i8_load(const void *p)
{
	i8 v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline void i8_store(void *p, i8 v)
{
	memcpy(p, &v, sizeof v);
}

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

// a b + c, rounded once
static inline f8 f8_fma(f8 a, f8 b, f8 c)
{
	return _mm256_fmadd_ps(a, b, c);
}

// c - a b, rounded once
static inline f8 f8_fnma(f8 a, f8 b, f8 c)
{
	return _mm256_fnmadd_ps(a, b, c);
}

static inline f8 f8_max(f8 a, f8 b)
{
	return _mm256_max_ps(a, b);
}

static inline f8 f8_min(f8 a, f8 b)
{
	return _mm256_min_ps(a, b);
}

static inline f8 f8_sqrt(f8 a)
{
	return _mm256_sqrt_ps(a);
}

static inline f8 f8_abs(f8 a)
{
	return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}

// lanes where a <= b
static inline m8 f8_le(f8 a, f8 b)
{
#ifdef __AVX512VL__
	return _mm256_cmp_ps_mask(a, b, _CMP_LE_OQ);
#else
	return (m8)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
#endif
}

// lanes where a == b
static inline m8 i8_eq(i8 a, i8 b)
{
#ifdef __AVX512VL__
	return _mm256_cmpeq_epi32_mask((__m256i)a, (__m256i)b);
#else
	return (m8)_mm256_movemask_ps((__m256)_mm256_cmpeq_epi32((__m256i)a, (__m256i)b));
#endif
}

// Eight records of four floats, records[index[k]], turned into four vectors of lanes.
static inline void f8_gather4(const float *records, const uint32_t *index, f8 *x, f8 *y, f8 *z, f8 *w)
{
#define LOAD(a, b)                                                                                 \
	_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(records + 4 * (size_t)index[a])), \
			     _mm_loadu_ps(records + 4 * (size_t)index[b]), 1)
	__m256 r04 = LOAD(0, 4), r15 = LOAD(1, 5), r26 = LOAD(2, 6), r37 = LOAD(3, 7);
#undef LOAD
	__m256 xy01 = _mm256_unpacklo_ps(r04, r15), zw01 = _mm256_unpackhi_ps(r04, r15);
	__m256 xy23 = _mm256_unpacklo_ps(r26, r37), zw23 = _mm256_unpackhi_ps(r26, r37);
	*x = _mm256_shuffle_ps(xy01, xy23, 0x44);
	*y = _mm256_shuffle_ps(xy01, xy23, 0xee);
	*z = _mm256_shuffle_ps(zw01, zw23, 0x44);
	*w = _mm256_shuffle_ps(zw01, zw23, 0xee);
}

// The reverse, for eight consecutive records.
static inline void f8_scatter4(float *records, f8 x, f8 y, f8 z, f8 w)
{
	__m256 xy01 = _mm256_unpacklo_ps(x, y), xy23 = _mm256_unpackhi_ps(x, y);
	__m256 zw01 = _mm256_unpacklo_ps(z, w), zw23 = _mm256_unpackhi_ps(z, w);
	__m256 r04 = _mm256_shuffle_ps(xy01, zw01, 0x44), r15 = _mm256_shuffle_ps(xy01, zw01, 0xee);
	__m256 r26 = _mm256_shuffle_ps(xy23, zw23, 0x44), r37 = _mm256_shuffle_ps(xy23, zw23, 0xee);
	_mm256_storeu_ps(records, _mm256_permute2f128_ps(r04, r15, 0x20));
	_mm256_storeu_ps(records + 8, _mm256_permute2f128_ps(r26, r37, 0x20));
	_mm256_storeu_ps(records + 16, _mm256_permute2f128_ps(r04, r15, 0x31));
	_mm256_storeu_ps(records + 24, _mm256_permute2f128_ps(r26, r37, 0x31));
}

// Plan for packing the kept lanes of a vector to its front, made once and applied to several vectors.
#ifdef __AVX512VL__
typedef __mmask8 packing;
static inline packing packing_make(m8 keep)
{
	return (__mmask8)keep;
}

static inline i8 i8_pack(i8 v, packing order)
{
	return (i8)_mm256_maskz_compress_epi32(order, (__m256i)v);
}
#else
typedef __m256i packing;
static inline packing packing_make(m8 keep)
{
	// the numbers of the kept lanes, a byte each
	uint64_t spread = _pdep_u64(keep, 0x0101010101010101u) * 0xffu;
	uint64_t packed = _pext_u64(0x0706050403020100u, spread);
	return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)packed));
}

static inline i8 i8_pack(i8 v, packing order)
{
	return (i8)_mm256_permutevar8x32_epi32((__m256i)v, order);
}
#endif

static inline f8 f8_pack(f8 v, packing order)
{
	return (f8)i8_pack((i8)v, order);
}

// Rows of eight 32-bit values become columns.
static inline void i8_transpose(i8 r[8])
{
	__m256i t[8], u[8];
	for (int k = 0; k < 8; k += 2)
	{
		t[k] = _mm256_unpacklo_epi32((__m256i)r[k], (__m256i)r[k + 1]);
		t[k + 1] = _mm256_unpackhi_epi32((__m256i)r[k], (__m256i)r[k + 1]);
	}
	for (int k = 0; k < 8; k += 4)
	{
		u[k] = _mm256_unpacklo_epi64(t[k], t[k + 2]);
		u[k + 1] = _mm256_unpackhi_epi64(t[k], t[k + 2]);
		u[k + 2] = _mm256_unpacklo_epi64(t[k + 1], t[k + 3]);
		u[k + 3] = _mm256_unpackhi_epi64(t[k + 1], t[k + 3]);
	}
	for (int k = 0; k < 4; k++)
	{
		r[k] = (i8)_mm256_permute2x128_si256(u[k], u[k + 4], 0x20);
		r[k + 4] = (i8)_mm256_permute2x128_si256(u[k], u[k + 4], 0x31);
	}
}

#else // portable: the compiler's vector extension, for any machine

#include <math.h>

static inline f8 f8_fma(f8 a, f8 b, f8 c)
{
	return a * b + c;
}

static inline f8 f8_fnma(f8 a, f8 b, f8 c)
{
	return c - a * b;
}

#define SIMD_EACH for (int k = 0; k < SIMD_LANES; k++)

static inline f8 f8_max(f8 a, f8 b)
{
	f8 r;
	SIMD_EACH r[k] = a[k] > b[k] ? a[k] : b[k];
	return r;
}

static inline f8 f8_min(f8 a, f8 b)
{
	f8 r;
	SIMD_EACH r[k] = a[k] < b[k] ? a[k] : b[k];
	return r;
}

static inline f8 f8_sqrt(f8 a)
{
	SIMD_EACH a[k] = sqrtf(a[k]);
	return a;
}

static inline f8 f8_abs(f8 a)
{
	SIMD_EACH a[k] = fabsf(a[k]);
	return a;
}

static inline m8 f8_le(f8 a, f8 b)
{
	m8 mask = 0;
	SIMD_EACH mask |= (m8)(a[k] <= b[k]) << k;
	return mask;
}

static inline m8 i8_eq(i8 a, i8 b)
{
	m8 mask = 0;
	SIMD_EACH mask |= (m8)(a[k] == b[k]) << k;
	return mask;
}

static inline void f8_gather4(const float *records, const uint32_t *index, f8 *x, f8 *y, f8 *z, f8 *w)
{
	SIMD_EACH
	{
		const float *r = records + 4 * (size_t)index[k];
		(*x)[k] = r[0];
		(*y)[k] = r[1];
		(*z)[k] = r[2];
		(*w)[k] = r[3];
	}
}

static inline void f8_scatter4(float *records, f8 x, f8 y, f8 z, f8 w)
{
	SIMD_EACH
	{
		records[4 * k] = x[k];
		records[4 * k + 1] = y[k];
		records[4 * k + 2] = z[k];
		records[4 * k + 3] = w[k];
	}
}

typedef m8 packing;
static inline packing packing_make(m8 keep)
{
	return keep;
}

static inline i8 i8_pack(i8 v, packing order)
{
	i8 r = {0};
	int count = 0;
	SIMD_EACH
	if (order >> k & 1)
		r[count++] = v[k];
	return r;
}

static inline f8 f8_pack(f8 v, packing order)
{
	return (f8)i8_pack((i8)v, order);
}

static inline void i8_transpose(i8 r[8])
{
	i8 c[8];
	for (int row = 0; row < 8; row++)
		SIMD_EACH c[k][row] = r[row][k];
	for (int row = 0; row < 8; row++)
		r[row] = c[row];
}

#endif

// Vectors as wide as the machine has them, for loops whose results do not depend on the number of lanes: tests, packing, and terms of sums
// that are added part by part.
#ifdef __AVX512F__

enum
{
	SIMD_WIDE = 16
};

typedef float fw __attribute__((vector_size(64)));
typedef int32_t iw __attribute__((vector_size(64)));
typedef __mmask16 wide_mask; // one bit per lane

static inline fw fw_set1(float a)
{
	return (fw)_mm512_set1_ps(a);
}

static inline iw iw_set1(int32_t a)
{
	return (iw)_mm512_set1_epi32(a);
}

static inline iw iw_iota(void)
{
	return (iw){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}

static inline fw fw_max(fw a, fw b)
{
	return (fw)_mm512_max_ps((__m512)a, (__m512)b);
}

static inline fw fw_min(fw a, fw b)
{
	return (fw)_mm512_min_ps((__m512)a, (__m512)b);
}

static inline fw fw_fma(fw a, fw b, fw c)
{
	return (fw)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

static inline fw fw_sqrt(fw a)
{
	return (fw)_mm512_sqrt_ps((__m512)a);
}

static inline fw fw_abs(fw a)
{
	return (fw)_mm512_andnot_ps(_mm512_set1_ps(-0.0f), (__m512)a);
}

// The same eight lanes in each part.
static inline fw fw_repeat(f8 a)
{
	return (fw)_mm512_insertf32x8(_mm512_castps256_ps512(a), a, 1);
}

static inline f8 fw_part(fw a, int part)
{
	return part == 0 ? _mm512_castps512_ps256((__m512)a) : _mm512_extractf32x8_ps((__m512)a, 1);
}

static inline wide_mask fw_le(fw a, fw b)
{
	return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ);
}

static inline wide_mask iw_eq(iw a, iw b)
{
	return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
}

static inline iw iw_pack(iw v, wide_mask keep)
{
	return (iw)_mm512_maskz_compress_epi32(keep, (__m512i)v);
}

typedef wide_mask wide_packing;
static inline wide_packing wide_packing_make(wide_mask keep)
{
	return keep;
}

// Consecutive records of four floats as lanes; the fourth float is skipped.
static inline void fw_load3(const float *records, fw *x, fw *y, fw *z)
{
	const __m512i xy = _mm512_set_epi32(29, 25, 21, 17, 13, 9, 5, 1, 28, 24, 20, 16, 12, 8, 4, 0);
	const __m512i zw = _mm512_set_epi32(31, 27, 23, 19, 15, 11, 7, 3, 30, 26, 22, 18, 14, 10, 6, 2);
	__m512 a = _mm512_loadu_ps(records), b = _mm512_loadu_ps(records + 16);
	__m512 c = _mm512_loadu_ps(records + 32), d = _mm512_loadu_ps(records + 48);
	__m512 xy_low = _mm512_permutex2var_ps(a, xy, b), xy_high = _mm512_permutex2var_ps(c, xy, d);
	__m512 z_low = _mm512_permutex2var_ps(a, zw, b), z_high = _mm512_permutex2var_ps(c, zw, d);
	*x = (fw)_mm512_shuffle_f32x4(xy_low, xy_high, 0x44);
	*y = (fw)_mm512_shuffle_f32x4(xy_low, xy_high, 0xee);
	*z = (fw)_mm512_shuffle_f32x4(z_low, z_high, 0x44);
}

// As f8_gather4(), with indices for each part.
SIMD_PASS void fw_gather4(const float *records, const uint32_t *const index[2], fw *x, fw *y, fw *z, fw *w)
{
	const uint32_t *low = index[0], *high = index[1];
#define LOAD(index, k) _mm_loadu_ps(records + 4 * (size_t)index[k])
#define LOADS(k)                                                                                               \
	_mm512_insertf32x4(_mm512_insertf32x4(_mm512_castps256_ps512(_mm256_insertf128_ps(                     \
						  _mm256_castps128_ps256(LOAD(low, k)), LOAD(low, k + 4), 1)), \
					      LOAD(high, k), 2),                                               \
			   LOAD(high, k + 4), 3)
	__m512 r0 = LOADS(0), r1 = LOADS(1), r2 = LOADS(2), r3 = LOADS(3);
#undef LOADS
#undef LOAD
	__m512 xy01 = _mm512_unpacklo_ps(r0, r1), zw01 = _mm512_unpackhi_ps(r0, r1);
	__m512 xy23 = _mm512_unpacklo_ps(r2, r3), zw23 = _mm512_unpackhi_ps(r2, r3);
	*x = (fw)_mm512_shuffle_ps(xy01, xy23, 0x44);
	*y = (fw)_mm512_shuffle_ps(xy01, xy23, 0xee);
	*z = (fw)_mm512_shuffle_ps(zw01, zw23, 0x44);
	*w = (fw)_mm512_shuffle_ps(zw01, zw23, 0xee);
}

#else

enum
{
	SIMD_WIDE = SIMD_LANES
};

typedef f8 fw;
typedef i8 iw;
typedef m8 wide_mask;

#define fw_set1 f8_set1
#define iw_set1 i8_set1
#define iw_iota i8_iota
#define fw_max f8_max
#define fw_min f8_min
#define fw_fma f8_fma
#define fw_sqrt f8_sqrt
#define fw_abs f8_abs
#define fw_le f8_le
#define iw_eq i8_eq
#define iw_pack i8_pack

typedef packing wide_packing;
#define wide_packing_make packing_make

static inline void fw_load3(const float *records, fw *x, fw *y, fw *z)
{
	static const uint32_t consecutive[SIMD_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
	f8 w;
	f8_gather4(records, consecutive, x, y, z, &w);
}

static inline fw fw_repeat(f8 a)
{
	return a;
}

static inline f8 fw_part(fw a, int part)
{
	(void)part;
	return a;
}

SIMD_PASS void fw_gather4(const float *records, const uint32_t *const index[1], fw *x, fw *y, fw *z, fw *w)
{
	f8_gather4(records, index[0], x, y, z, w);
}

#endif

// A wide vector is one or two parts of eight lanes.
enum
{
	SIMD_PARTS = SIMD_WIDE / SIMD_LANES
};

static inline fw fw_load(const float *p)
{
	fw v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline void fw_store(float *p, fw v)
{
	memcpy(p, &v, sizeof v);
}

static inline iw iw_load(const void *p)
{
	iw v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline void iw_store(void *p, iw v)
{
	memcpy(p, &v, sizeof v);
}

static inline fw fw_pack(fw v, wide_packing order)
{
	return (fw)iw_pack((iw)v, order);
}

static inline uint32_t wide_count(wide_mask mask)
{
	return (uint32_t)__builtin_popcount(mask);
}

// Lane by lane a > b ? x : y.
static inline f8 f8_select_gt(f8 a, f8 b, f8 x, f8 y)
{
	i8 greater = (i8)(a > b);
	return (f8)((greater & (i8)x) | (~greater & (i8)y));
}

static inline uint32_t m8_count(m8 mask)
{
	return (uint32_t)__builtin_popcount(mask);
}

// Sum of the lanes, always in the same order.
static inline float f8_sum(f8 a)
{
	return ((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7]));
}

static inline float f8_lane(f8 a, int lane)
{
	return a[lane];
}

#endif
