#include "base/simd_probe.h"

#include "base/simd.h"

_Static_assert((int)SIMD_PROBE_LANES == (int)SIMD_LANES, "the probe's vectors are those of simd.h");

static void put(uint32_t *out, f8 v)
{
	memcpy(out, &v, sizeof v);
}

static void probe_f8_set1(const simd_probe_input *in, uint32_t *out)
{
	put(out, f8_set1(in->a[0]));
}

static void probe_i8_set1(const simd_probe_input *in, uint32_t *out)
{
	i8_store(out, i8_set1(in->i[0]));
}

static void probe_i8_iota(const simd_probe_input *in, uint32_t *out)
{
	(void)in;
	i8_store(out, i8_iota());
}

// Through addresses four bytes off any vector's alignment: loads and stores take every address that a float may have.
static void probe_f8_load(const simd_probe_input *in, uint32_t *out)
{
	_Alignas(32) float shifted[1 + SIMD_LANES], result[1 + SIMD_LANES];
	memcpy(shifted + 1, in->a, sizeof in->a);
	f8_store(result + 1, f8_load(shifted + 1));
	memcpy(out, result + 1, sizeof in->a);
}

static void probe_i8_load(const simd_probe_input *in, uint32_t *out)
{
	_Alignas(32) int32_t shifted[1 + SIMD_LANES], result[1 + SIMD_LANES];
	memcpy(shifted + 1, in->i, sizeof in->i);
	i8_store(result + 1, i8_load(shifted + 1));
	memcpy(out, result + 1, sizeof in->i);
}

static void probe_add(const simd_probe_input *in, uint32_t *out)
{
	put(out, f8_load(in->a) + f8_load(in->b));
}

static void probe_subtract(const simd_probe_input *in, uint32_t *out)
{
	put(out, f8_load(in->a) - f8_load(in->b));
}

static void probe_multiply(const simd_probe_input *in, uint32_t *out)
{
	put(out, f8_load(in->a) * f8_load(in->b));
}

static void probe_divide(const simd_probe_input *in, uint32_t *out)
{
	put(out, f8_load(in->a) / f8_load(in->b));
}

static void probe_f8_fma(const simd_probe_input *in, uint32_t *out)
{
	put(out, f8_fma(f8_load(in->a), f8_load(in->b), f8_load(in->c)));
}

static void probe_f8_fnma(const simd_probe_input *in, uint32_t *out)
{
	put(out, f8_fnma(f8_load(in->a), f8_load(in->b), f8_load(in->c)));
}

static void probe_f8_max(const simd_probe_input *in, uint32_t *out)
{
	put(out, f8_max(f8_load(in->a), f8_load(in->b)));
}

static void probe_f8_min(const simd_probe_input *in, uint32_t *out)
{
	put(out, f8_min(f8_load(in->a), f8_load(in->b)));
}

static void probe_f8_select_gt(const simd_probe_input *in, uint32_t *out)
{
	put(out, f8_select_gt(f8_load(in->a), f8_load(in->b), f8_load(in->c), f8_load(in->a)));
}

static void probe_f8_sqrt(const simd_probe_input *in, uint32_t *out)
{
	put(out, f8_sqrt(f8_abs(f8_load(in->a))));
}

static void probe_f8_abs(const simd_probe_input *in, uint32_t *out)
{
	put(out, f8_abs(f8_load(in->a)));
}

static void probe_f8_le(const simd_probe_input *in, uint32_t *out)
{
	out[0] = f8_le(f8_load(in->a), f8_load(in->b));
}

static void probe_i8_eq(const simd_probe_input *in, uint32_t *out)
{
	out[0] = i8_eq(i8_load(in->i), i8_load(in->j));
}

static void probe_f8_gather4(const simd_probe_input *in, uint32_t *out)
{
	f8 x, y, z, w;
	f8_gather4(in->records[0], in->index, &x, &y, &z, &w);
	put(out, x);
	put(out + 8, y);
	put(out + 16, z);
	put(out + 24, w);
}

static void probe_f8_scatter4(const simd_probe_input *in, uint32_t *out)
{
	float records[4 * SIMD_LANES];
	f8_scatter4(records, f8_load(in->a), f8_load(in->b), f8_load(in->c), f8_load(in->a));
	memcpy(out, records, sizeof records);
}

static void probe_i8_pack(const simd_probe_input *in, uint32_t *out)
{
	i8_store(out, i8_pack(i8_load(in->i), packing_make(in->mask)));
	uint32_t count = m8_count(in->mask);
	for (uint32_t k = count; k < SIMD_LANES; k++)
		out[k] = 0;
	out[SIMD_LANES] = count;
}

static void probe_i8_transpose(const simd_probe_input *in, uint32_t *out)
{
	i8 rows[SIMD_LANES];
	for (int k = 0; k < SIMD_LANES; k++)
		rows[k] = i8_load(in->rows[k]);
	i8_transpose(rows);
	for (int k = 0; k < SIMD_LANES; k++)
		i8_store(out + SIMD_LANES * k, rows[k]);
}

static void probe_f8_sum(const simd_probe_input *in, uint32_t *out)
{
	float sum = f8_sum(f8_load(in->a));
	memcpy(out, &sum, sizeof sum);
}

static void probe_f8_lane(const simd_probe_input *in, uint32_t *out)
{
	for (int k = 0; k < SIMD_LANES; k++)
	{
		float lane = f8_lane(f8_load(in->a), k);
		memcpy(out + k, &lane, sizeof lane);
	}
}

const simd_probe SIMD_NAME(simd_probe_table) = {
#define X(name, words) .name = probe_##name,
    SIMD_PROBE_MAP(X)
#undef X
};
