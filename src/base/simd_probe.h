// Self-check of the lanes: every operation of base/simd.h applied to one set of operands, so that the builds for
// different instruction sets can be compared with each other and with plain arithmetic.
#ifndef BASE_SIMD_PROBE_H
#define BASE_SIMD_PROBE_H

#include "base/simd_level.h"

#include <stdint.h>

enum
{
	SIMD_PROBE_LANES = 8,
	SIMD_PROBE_RECORDS = 16,
	SIMD_PROBE_WORDS = 64 // the longest result, eight vectors
};

typedef struct simd_probe_input
{
	float a[SIMD_PROBE_LANES], b[SIMD_PROBE_LANES], c[SIMD_PROBE_LANES];
	int32_t i[SIMD_PROBE_LANES], j[SIMD_PROBE_LANES];
	int32_t rows[SIMD_PROBE_LANES][SIMD_PROBE_LANES];
	float records[SIMD_PROBE_RECORDS][4];
	uint32_t index[SIMD_PROBE_LANES]; // into the records
	uint32_t mask;                    // one bit per lane
} simd_probe_input;

// Leaves the bits of the result in `out`, as many words as the table below says.
typedef void simd_probe_function(const simd_probe_input *in, uint32_t out[SIMD_PROBE_WORDS]);

// operation, words of its result, what it computes
#define SIMD_PROBE_MAP(X)                                                      \
	X(f8_set1, 8)       /* a[0] in all lanes */                            \
	X(i8_set1, 8)       /* i[0] in all lanes */                            \
	X(i8_iota, 8)       /* 0 to 7 */                                       \
	X(f8_load, 8)       /* a, loaded from and stored to odd addresses */   \
	X(i8_load, 8)       /* i, likewise */                                  \
	X(add, 8)           /* a + b */                                        \
	X(subtract, 8)      /* a - b */                                        \
	X(multiply, 8)      /* a b */                                          \
	X(divide, 8)        /* a / b */                                        \
	X(f8_fma, 8)        /* a b + c */                                      \
	X(f8_fnma, 8)       /* c - a b */                                      \
	X(f8_max, 8)        /* larger of a and b */                            \
	X(f8_min, 8)        /* smaller */                                      \
	X(f8_select_gt, 8)  /* a > b ? c : a */                                \
	X(f8_sqrt, 8)       /* root of |a| */                                  \
	X(f8_abs, 8)        /* |a| */                                          \
	X(f8_le, 1)         /* bits of lanes with a <= b */                    \
	X(i8_eq, 1)         /* bits of lanes with i == j */                    \
	X(f8_gather4, 32)   /* x, y, z, w of records[index] */                 \
	X(f8_scatter4, 32)  /* records of a, b, c, a */                        \
	X(i8_pack, 9)       /* lanes of i kept by the mask, zeros; how many */ \
	X(i8_transpose, 64) /* columns of rows */                              \
	X(f8_sum, 1)        /* sum of the lanes of a */                        \
	X(f8_lane, 8)       /* lanes of a, one by one */

typedef struct simd_probe
{
#define X(name, words) simd_probe_function *name;
	SIMD_PROBE_MAP(X)
#undef X
} simd_probe;

SIMD_TABLE(simd_probe, simd_probe_table)

#endif
