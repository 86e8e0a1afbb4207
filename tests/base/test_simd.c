// Every operation of base/simd.h: AVX2 and AVX-512 exactly as IEEE arithmetic has it, hence the same bits; the portable
// build likewise but for the fused operations, which it rounds twice.
#include "check.h"

#include "base/random.h"
#include "base/simd_probe.h"

enum
{
	LANES = SIMD_PROBE_LANES,
	ROUNDS = 4000
};

static const struct
{
	const char *name;
	size_t offset;
	int words;
} operations[] = {
#define X(name, words) {#name, offsetof(simd_probe, name), words},
    SIMD_PROBE_MAP(X)
#undef X
};

enum
{
	OPERATIONS = sizeof operations / sizeof *operations
};

static uint32_t bits_of(float x)
{
	uint32_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static float float_of(uint32_t bits)
{
	float x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static uint32_t word(int round, int stream)
{
	return random_u32((random_key){.seed = 11, .id = round, .stream = (uint32_t)stream});
}

// Kinds of numbers: any finite bits (large, small, denormal), and moderate ones whose sums and products mean something.
static float any_float(int round, int stream)
{
	uint32_t w = word(round, stream);
	if (round % 4 == 0) // denormals and zeros
		return float_of(w & (w & 64 ? 0x807fffffu : 0x80000000u));
	if (round % 4 == 1) // any finite number
		return float_of((w & 0x7f800000u) == 0x7f800000u ? w & 0xbfffffffu : w);
	return ((float)(w >> 8) * 0x1p-23f - 1.0f) * (round % 4 == 2 ? 1.0f : 1000.0f);
}

static simd_probe_input make_input(int round)
{
	simd_probe_input in = {.mask = (uint32_t)round % 256};
	int stream = 0;
	for (int k = 0; k < LANES; k++)
	{
		in.a[k] = any_float(round, stream++);
		in.b[k] = any_float(round, stream++);
		in.c[k] = any_float(round, stream++);
		in.i[k] = (int32_t)word(round, stream++);
		in.j[k] = word(round, stream++) & 1 ? in.i[k] : (int32_t)word(round, stream++);
		in.index[k] = word(round, stream++) % SIMD_PROBE_RECORDS;
		for (int m = 0; m < LANES; m++)
			in.rows[k][m] = (int32_t)word(round, stream++);
	}
	for (int r = 0; r < SIMD_PROBE_RECORDS; r++)
		for (int m = 0; m < 4; m++)
			in.records[r][m] = any_float(round, stream++);
	return in;
}

static float expect_lane(const simd_probe_input *in, const char *name, int k)
{
	float a = in->a[k], b = in->b[k], c = in->c[k];
	if (!strcmp(name, "f8_set1"))
		return in->a[0];
	if (!strcmp(name, "f8_load") || !strcmp(name, "f8_lane"))
		return a;
	if (!strcmp(name, "add"))
		return a + b;
	if (!strcmp(name, "subtract"))
		return a - b;
	if (!strcmp(name, "multiply"))
		return a * b;
	if (!strcmp(name, "divide"))
		return a / b;
	if (!strcmp(name, "f8_fma"))
		return fmaf(a, b, c);
	if (!strcmp(name, "f8_fnma"))
		return fmaf(-a, b, c);
	if (!strcmp(name, "f8_max"))
		return a > b ? a : b;
	if (!strcmp(name, "f8_min"))
		return a < b ? a : b;
	if (!strcmp(name, "f8_select_gt"))
		return a > b ? c : a;
	if (!strcmp(name, "f8_sqrt"))
		return sqrtf(fabsf(a));
	if (!strcmp(name, "f8_abs"))
		return fabsf(a);
	fail_msg("no expectation for %s", name);
	return NAN;
}

// The operation in plain arithmetic.
static void expect(const simd_probe_input *in, const char *name, uint32_t out[SIMD_PROBE_WORDS])
{
	memset(out, 0, SIMD_PROBE_WORDS * sizeof *out);
	for (int k = 0; k < LANES; k++)
		if (!strcmp(name, "i8_set1"))
			out[k] = (uint32_t)in->i[0];
		else if (!strcmp(name, "i8_iota"))
			out[k] = (uint32_t)k;
		else if (!strcmp(name, "i8_load"))
			out[k] = (uint32_t)in->i[k];
		else if (!strcmp(name, "f8_le"))
			out[0] |= (uint32_t)(in->a[k] <= in->b[k]) << k;
		else if (!strcmp(name, "i8_eq"))
			out[0] |= (uint32_t)(in->i[k] == in->j[k]) << k;
		else if (!strcmp(name, "f8_gather4"))
			for (int m = 0; m < 4; m++)
				out[LANES * m + k] = bits_of(in->records[in->index[k]][m]);
		else if (!strcmp(name, "f8_scatter4"))
			for (int m = 0; m < 4; m++)
				out[4 * k + m] = bits_of((m == 1 ? in->b : m == 2 ? in->c : in->a)[k]);
		else if (!strcmp(name, "i8_pack"))
		{
			if (in->mask >> k & 1)
				out[out[LANES]++] = (uint32_t)in->i[k];
		}
		else if (!strcmp(name, "i8_transpose"))
			for (int m = 0; m < LANES; m++)
				out[LANES * k + m] = (uint32_t)in->rows[m][k];
		else if (!strcmp(name, "f8_sum"))
		{
			const float *a = in->a;
			out[0] = bits_of(((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7])));
		}
		else
			out[k] = bits_of(expect_lane(in, name, k));
}

static void run(simd_level level, int operation, const simd_probe_input *in, uint32_t out[SIMD_PROBE_WORDS])
{
	simd_probe_function *function;
	memcpy(&function, (const char *)simd_probe_table(level) + operations[operation].offset, sizeof function);
	memset(out, 0, SIMD_PROBE_WORDS * sizeof *out);
	function(in, out);
}

// The kernels are built without signed zeros, so the larger of 0 and -0 may be either. Not-a-number, which finite
// operands give in 0 / 0 and in a sum that overflows to both sides, is outside their contract.
static int same(const char *name, uint32_t actual, uint32_t expected)
{
	if (!strcmp(name, "f8_max") || !strcmp(name, "f8_min"))
		return float_of(actual) == float_of(expected);
	if (!strcmp(name, "divide") || !strcmp(name, "f8_sum"))
		return actual == expected || isnan(float_of(expected));
	return actual == expected;
}

static int near(const simd_probe_input *in, int k, uint32_t actual, uint32_t expected)
{
	double product = fabs((double)in->a[k] * in->b[k]), sum = product + fabs((double)in->c[k]);
	if (!(sum < 3e38)) // the product alone may overflow where the fused sum does not
		return 1;
	return fabs((double)float_of(actual) - (double)float_of(expected)) <= sum * 1.2e-7 + 2e-45;
}

static void check_level(simd_level level)
{
	if (level > simd_level_detect())
		skip_because("this processor has no %s", simd_level_name(level));
	for (int round = 0; round < ROUNDS; round++)
	{
		simd_probe_input in = make_input(round);
		for (int o = 0; o < OPERATIONS; o++)
		{
			uint32_t actual[SIMD_PROBE_WORDS], expected[SIMD_PROBE_WORDS];
			run(level, o, &in, actual);
			const char *name = operations[o].name;
			expect(&in, name, expected);
			int twice = level == SIMD_PORTABLE && (!strcmp(name, "f8_fma") || !strcmp(name, "f8_fnma"));
			for (int k = 0; k < operations[o].words; k++)
				if (!(twice ? near(&in, k, actual[k], expected[k])
					    : same(name, actual[k], expected[k])))
					fail_msg("%s, %s, round %d, word %d: %08x (%.9g), expected %08x (%.9g)",
						 simd_level_name(level), name, round, k, actual[k],
						 (double)float_of(actual[k]), expected[k],
						 (double)float_of(expected[k]));
		}
	}
}

static void portable_computes_what_it_says(void **state)
{
	(void)state;
	check_level(SIMD_PORTABLE);
}

static void avx2_is_exact(void **state)
{
	(void)state;
	check_level(SIMD_AVX2);
}

static void avx512_is_exact(void **state)
{
	(void)state;
	check_level(SIMD_AVX512);
}

// Stronger than both being right: signs of zeros too.
static void avx2_and_avx512_give_the_same_bits(void **state)
{
	(void)state;
	if (simd_level_detect() < SIMD_AVX512)
		skip_because("this processor has no AVX-512 to compare with");
	for (int round = 0; round < ROUNDS; round++)
	{
		simd_probe_input in = make_input(round);
		for (int o = 0; o < OPERATIONS; o++)
		{
			uint32_t narrow[SIMD_PROBE_WORDS], wide[SIMD_PROBE_WORDS];
			run(SIMD_AVX2, o, &in, narrow);
			run(SIMD_AVX512, o, &in, wide);
			for (int k = 0; k < operations[o].words; k++)
				if (narrow[k] != wide[k])
					fail_msg("%s, round %d, word %d: avx2 %08x, avx512 %08x", operations[o].name,
						 round, k, narrow[k], wide[k]);
		}
	}
}

// Clamps meet infinities: a far dummy particle, an overflow on its way to the runaway policy.
static void infinities_pass_through_clamps_and_comparisons(void **state)
{
	(void)state;
	simd_probe_input in = {.a = {INFINITY, -INFINITY, 1, 2, INFINITY, -INFINITY, 0, 3},
			       .b = {1, 2, INFINITY, -INFINITY, INFINITY, INFINITY, 5, 3}};
	static const char *const names[] = {"f8_max", "f8_min", "f8_abs", "f8_sqrt", "f8_le", "f8_load", "f8_lane"};
	for (simd_level level = SIMD_PORTABLE; level <= simd_level_detect(); level++)
		for (int o = 0; o < OPERATIONS; o++)
			for (size_t n = 0; n < sizeof names / sizeof *names; n++)
				if (!strcmp(names[n], operations[o].name))
				{
					uint32_t actual[SIMD_PROBE_WORDS], expected[SIMD_PROBE_WORDS];
					run(level, o, &in, actual);
					expect(&in, names[n], expected);
					for (int k = 0; k < operations[o].words; k++)
						if (actual[k] != expected[k])
							fail_msg("%s, %s, word %d: %08x, expected %08x",
								 simd_level_name(level), names[n], k, actual[k],
								 expected[k]);
				}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(portable_computes_what_it_says),
	    cmocka_unit_test(avx2_is_exact),
	    cmocka_unit_test(avx512_is_exact),
	    cmocka_unit_test(avx2_and_avx512_give_the_same_bits),
	    cmocka_unit_test(infinities_pass_through_clamps_and_comparisons),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
