// Hashes: XXH64's published answers, and what the state hash promises.
#include "check.h"

#include "base/hash.h"

#define check_hash(actual, expected)                                                            \
	do                                                                                      \
	{                                                                                       \
		unsigned long long check_a = (actual), check_e = (expected);                    \
		if (check_a != check_e)                                                         \
			fail_msg("%s is %016llx, expected %016llx", #actual, check_a, check_e); \
	} while (0)

static uint64_t hash_text(const char *text, uint64_t seed)
{
	return hash_bytes(text, strlen(text), seed);
}

static void xxh64_gives_the_published_answers(void **state)
{
	(void)state;
	check_hash(hash_bytes(NULL, 0, 0), 0xef46db3751d8e999u);
	check_hash(hash_text("", 2654435761u), 0xac75fda2929b17efu);
	check_hash(hash_text("a", 0), 0xd24ec4f1a98c6e5bu);
	check_hash(hash_text("abc", 0), 0x44bc2cf5ad770999u);
	check_hash(hash_text("xxhash", 0), 0x32dd38952c4bc720u);
	check_hash(hash_text("xxhash", 20141025), 0xb559b98d844e0635u);
	check_hash(hash_text("Nobody inspects the spammish repetition", 0), 0xfbcea83c8a378bf1u);
	check_hash(hash_text("The quick brown fox jumps over the lazy dog", 0), 0x0b242d361fda71bcu);
}

static void addresses_do_not_matter_but_every_bit_does(void **state)
{
	(void)state;
	unsigned char bytes[208];
	for (int k = 0; k < 208; k++)
		bytes[k] = (unsigned char)(k * 37);
	for (size_t size = 0; size <= 200; size++)
	{
		uint64_t hash = hash_bytes(bytes, size, 1);
		unsigned char shifted[208];
		memcpy(shifted + 3, bytes, size);
		check_hash(hash_bytes(shifted + 3, size, 1), hash);
		assert_true(hash_bytes(bytes, size, 2) != hash);
		if (size > 0)
			assert_true(hash_bytes(bytes, size - 1, 1) != hash);
		for (size_t bit = 0; bit < 8 * size; bit++)
		{
			bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
			if (hash_bytes(bytes, size, 1) == hash)
				fail_msg("bit %zu of %zu bytes does not matter", bit, size);
			bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
		}
	}
}

static void mixing_moves_half_of_the_bits(void **state)
{
	(void)state;
	check_hash(hash_mix(0x9e3779b97f4a7c15u), 0xe220a8397b1dcdafu); // first number of splitmix64 from 0
	for (int bit = 0; bit < 64; bit++)
	{
		double moved = 0;
		for (uint64_t x = 0; x < 1000; x++)
			moved += __builtin_popcountll(hash_mix(x) ^ hash_mix(x ^ (uint64_t)1 << bit));
		check_near(moved / 1000, 32.0, 1.0);
	}
}

enum
{
	COUNT = 20001
};

typedef struct particles
{
	int64_t id[COUNT];
	vec4 position[COUNT], velocity[COUNT];
} particles;

static particles first, second;

static float number(uint64_t n)
{
	return (float)(hash_mix(n) >> 40) * 0x1p-20f - 8.0f;
}

static void fill(particles *p)
{
	for (size_t i = 0; i < COUNT; i++)
	{
		p->id[i] = (int64_t)(3 * i + 5);
		p->position[i] = (vec4){number(8 * i), number(8 * i + 1), number(8 * i + 2), number(8 * i + 3)};
		p->velocity[i] = (vec4){number(8 * i + 4), number(8 * i + 5), number(8 * i + 6), number(8 * i + 7)};
	}
}

static uint64_t hash_all(int threads, const particles *p)
{
	return hash_particles(threads, COUNT, p->id, p->position, p->velocity);
}

static void order_and_threads_do_not_matter(void **state)
{
	(void)state;
	fill(&first);
	uint64_t hash = hash_all(1, &first);
	for (int threads = 2; threads <= 7; threads++)
		check_hash(hash_all(threads, &first), hash);
	for (size_t i = 0; i < COUNT; i++)
	{
		size_t from = (i * 7919 + 13) % COUNT; // a permutation: 7919 is prime and does not divide COUNT
		second.id[i] = first.id[from];
		second.position[i] = first.position[from];
		second.velocity[i] = first.velocity[from];
	}
	check_hash(hash_all(2, &second), hash);
}

static void parts_add_up(void **state)
{
	(void)state;
	fill(&first);
	size_t cut = 777;
	uint64_t low = hash_particles(1, cut, first.id, first.position, first.velocity);
	uint64_t high = hash_particles(2, COUNT - cut, first.id + cut, first.position + cut, first.velocity + cut);
	check_hash(low + high, hash_all(1, &first));
	check_hash(hash_particles(2, 0, NULL, NULL, NULL), 0);
}

static void every_bit_of_the_state_matters(void **state)
{
	(void)state;
	fill(&first);
	uint64_t hash = hash_all(1, &first);
	float *fields[] = {&first.position[4321].x, &first.position[4321].y, &first.position[4321].z,
			   &first.velocity[4321].x, &first.velocity[4321].y, &first.velocity[4321].z};
	for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
		for (int bit = 0; bit < 32; bit++)
		{
			uint32_t bits, flipped;
			memcpy(&bits, fields[f], sizeof bits);
			flipped = bits ^ 1u << bit;
			memcpy(fields[f], &flipped, sizeof flipped);
			if (hash_all(2, &first) == hash)
				fail_msg("bit %d of field %zu does not matter", bit, f);
			memcpy(fields[f], &bits, sizeof bits);
		}
	first.id[17] ^= 1;
	assert_true(hash_all(1, &first) != hash);
	first.id[17] ^= 1;

	// the fourth components are the solvers' scratch
	first.position[3].w += 1.0f;
	first.velocity[4].w += 1.0f;
	check_hash(hash_all(1, &first), hash);

	// two particles that swap velocities are another state
	vec4 swap = first.velocity[0];
	first.velocity[0] = first.velocity[1];
	first.velocity[1] = swap;
	assert_true(hash_all(1, &first) != hash);
}

static void zeros_of_both_signs_differ(void **state)
{
	(void)state;
	int64_t id = 0;
	vec4 plus = {0}, minus = {-0.0f, 0, 0, 0};
	assert_true(hash_particles(1, 1, &id, &plus, &plus) != hash_particles(1, 1, &id, &minus, &plus));
	assert_true(hash_particles(1, 1, &id, &plus, &minus) != hash_particles(1, 1, &id, &minus, &plus));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(xxh64_gives_the_published_answers),
	    cmocka_unit_test(addresses_do_not_matter_but_every_bit_does),
	    cmocka_unit_test(mixing_moves_half_of_the_bits),
	    cmocka_unit_test(order_and_threads_do_not_matter),
	    cmocka_unit_test(parts_add_up),
	    cmocka_unit_test(every_bit_of_the_state_matters),
	    cmocka_unit_test(zeros_of_both_signs_differ),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
