// Random numbers: the generator's published answers, and statistics with limits far out on the tails; all of it
// repeats.
#include "check.h"

#include "base/random.h"

static void philox_gives_the_published_answers(void **state)
{
	(void)state;
	static const struct
	{
		uint32_t counter[4], key[2], out[4];
	} cases[] = {
	    {{0}, {0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
	    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
	     {0xffffffff, 0xffffffff},
	     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
	    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
	     {0xa4093822, 0x299f31d0},
	     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
	{
		uint32_t out[4];
		random_philox(cases[k].counter, cases[k].key, out);
		for (int w = 0; w < 4; w++)
			if (out[w] != cases[k].out[w])
				fail_msg("case %zu, word %d: %08x, expected %08x", k, w, out[w], cases[k].out[w]);
	}
}

static void a_block_holds_the_other_forms(void **state)
{
	(void)state;
	random_key key = {.seed = 5, .id = -7, .step = 9, .stream = 2};
	uint32_t words[4];
	random_block(key, words);
	assert_int_equal(random_u32(key), words[0]);
	assert_true(random_u64(key) == ((uint64_t)words[1] << 32 | words[0]));
	check_near(random_float(key), floor(words[0] / 256.0) / 16777216.0, 0.0);

	// every member of the key goes its documented way into the counter
	uint32_t counter[4] = {(uint32_t)-7, 0xffffffff, 9, 2}, seed[2] = {5, 0}, out[4];
	random_philox(counter, seed, out);
	assert_memory_equal(out, words, sizeof out);
}

enum
{
	BINS = 256,
	DRAWS = 256000
};

// Chi-square of equal bins: mean 255, standard deviation 22.6; six of them either way.
static void check_uniform(const unsigned bins[BINS], const char *what)
{
	double expected = (double)DRAWS / BINS, chi = 0.0;
	for (int b = 0; b < BINS; b++)
		chi += (bins[b] - expected) * (bins[b] - expected) / expected;
	if (!(chi > 255 - 6 * 22.6 && chi < 255 + 6 * 22.6))
		fail_msg("%s: chi-square %.1f, expected 255 within 136", what, chi);
}

// The n-th key along one member of the key.
static random_key key_along(int member, uint32_t n)
{
	return (random_key){.seed = member == 0 ? n : 1,
			    .id = member == 1 ? n : 1,
			    .step = member == 2 ? n : 1,
			    .stream = member == 3 ? n : 1};
}

static void floats_are_uniform_along_every_member(void **state)
{
	(void)state;
	static const char *const names[] = {"seed", "id", "step", "stream"};
	for (int member = 0; member < 4; member++)
	{
		unsigned bins[BINS] = {0};
		for (uint32_t n = 0; n < DRAWS; n++)
		{
			float x = random_float(key_along(member, n));
			assert_true(x >= 0.0f && x < 1.0f);
			bins[(int)(x * BINS)]++;
		}
		check_uniform(bins, names[member]);
	}
}

// Neighbours along each member, in a 16 x 16 table of pairs.
static void neighbours_are_independent(void **state)
{
	(void)state;
	static const char *const names[] = {"pairs of seeds", "pairs of ids", "pairs of steps", "pairs of streams"};
	for (int member = 0; member < 4; member++)
	{
		unsigned bins[BINS] = {0};
		uint32_t before = random_u32(key_along(member, 0)) >> 28;
		for (uint32_t n = 1; n <= DRAWS; n++)
		{
			uint32_t now = random_u32(key_along(member, n)) >> 28;
			bins[before << 4 | now]++;
			before = now;
		}
		check_uniform(bins, names[member]);
	}
}

static void every_member_matters_to_its_last_bit(void **state)
{
	(void)state;
	random_key key = {.seed = 1, .id = 2, .step = 3, .stream = 4};
	uint64_t base = random_u64(key);
	for (int bit = 0; bit < 64; bit++)
	{
		random_key other = key;
		other.seed ^= (uint64_t)1 << bit;
		assert_true(random_u64(other) != base);
		other = key;
		other.id = (int64_t)((uint64_t)key.id ^ (uint64_t)1 << bit);
		assert_true(random_u64(other) != base);
		other = key;
		other.step ^= 1u << bit % 32;
		assert_true(random_u64(other) != base);
		other = key;
		other.stream ^= 1u << bit % 24;
		assert_true(random_u64(other) != base);
	}
}

static void the_order_of_calls_does_not_matter(void **state)
{
	(void)state;
	enum
	{
		COUNT = 1000
	};
	float forward[COUNT];
	for (uint32_t n = 0; n < COUNT; n++)
		forward[n] = random_normal(key_along(1, n));
	for (uint32_t n = COUNT; n-- > 0;)
	{
		random_unit(key_along(2, n));
		float again = random_normal(key_along(1, n));
		assert_memory_equal(&again, &forward[n], sizeof again);
	}
}

static void unit_vectors_cover_the_sphere(void **state)
{
	(void)state;
	double sum[3] = {0}, square[3] = {0};
	unsigned heights[BINS] = {0};
	for (uint32_t n = 0; n < DRAWS; n++)
	{
		vec3 v = random_unit(key_along(1, n));
		check_near(sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z), 1.0, 2e-7);
		const float c[3] = {v.x, v.y, v.z};
		for (int k = 0; k < 3; k++)
		{
			sum[k] += c[k];
			square[k] += (double)c[k] * c[k];
		}
		// on a sphere every coordinate is uniform (Archimedes)
		int bin = (int)((v.x + 1.0f) * (BINS / 2));
		heights[bin < BINS ? bin : BINS - 1]++;
	}
	for (int k = 0; k < 3; k++)
	{
		check_near(sum[k] / DRAWS, 0.0, 6 * sqrt(1.0 / 3 / DRAWS));
		check_near(square[k] / DRAWS, 1.0 / 3, 6 * sqrt(4.0 / 45 / DRAWS));
	}
	check_uniform(heights, "heights");
}

static void normals_have_their_moments(void **state)
{
	(void)state;
	double sum = 0, square = 0, fourth = 0;
	int beyond_two = 0;
	for (uint32_t n = 0; n < DRAWS; n++)
	{
		double x = random_normal(key_along(2, n));
		assert_true(isfinite(x));
		sum += x;
		square += x * x;
		fourth += x * x * x * x;
		beyond_two += fabs(x) > 2.0;
	}
	check_near(sum / DRAWS, 0.0, 6 * sqrt(1.0 / DRAWS));
	check_near(square / DRAWS, 1.0, 6 * sqrt(2.0 / DRAWS));
	check_near(fourth / DRAWS, 3.0, 6 * sqrt(96.0 / DRAWS));
	check_near((double)beyond_two / DRAWS, 0.0455003, 6 * sqrt(0.0455 * 0.9545 / DRAWS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(philox_gives_the_published_answers),
	    cmocka_unit_test(a_block_holds_the_other_forms),
	    cmocka_unit_test(floats_are_uniform_along_every_member),
	    cmocka_unit_test(neighbours_are_independent),
	    cmocka_unit_test(every_member_matters_to_its_last_bit),
	    cmocka_unit_test(the_order_of_calls_does_not_matter),
	    cmocka_unit_test(unit_vectors_cover_the_sphere),
	    cmocka_unit_test(normals_have_their_moments),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
