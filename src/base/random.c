#include "base/random.h"

#include <assert.h>

enum
{
	ROUNDS = 10,
	TRY_SHIFT = 24, // the top byte of the stream's word counts the blocks drawn for one number
	TRIES = 256
};

void random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
	uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];
	for (int round = 0; round < ROUNDS; round++)
	{
		uint64_t even = (uint64_t)0xd2511f53u * c0, odd = (uint64_t)0xcd9e8d57u * c2;
		c0 = (uint32_t)(odd >> 32) ^ c1 ^ k0;
		c1 = (uint32_t)odd;
		c2 = (uint32_t)(even >> 32) ^ c3 ^ k1;
		c3 = (uint32_t)even;
		// Weyl sequences of the golden ratio and of sqrt(3) - 1
		k0 += 0x9e3779b9u;
		k1 += 0xbb67ae85u;
	}
	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

static void draw(random_key key, uint32_t attempt, uint32_t out[4])
{
	assert(key.stream >> TRY_SHIFT == 0);
	uint32_t counter[4] = {(uint32_t)(uint64_t)key.id, (uint32_t)((uint64_t)key.id >> 32), key.step,
			       key.stream | attempt << TRY_SHIFT};
	uint32_t words[2] = {(uint32_t)key.seed, (uint32_t)(key.seed >> 32)};
	random_philox(counter, words, out);
}

void random_block(random_key key, uint32_t out[4])
{
	draw(key, 0, out);
}

uint32_t random_u32(random_key key)
{
	uint32_t words[4];
	draw(key, 0, words);
	return words[0];
}

uint64_t random_u64(random_key key)
{
	uint32_t words[4];
	draw(key, 0, words);
	return (uint64_t)words[1] << 32 | words[0];
}

float random_float(random_key key)
{
	return (float)(random_u32(key) >> 8) * 0x1p-24f;
}

// Draws a point (u, v) inside the unit circle but not at its centre, by rejection; returns u^2 + v^2. Uses only exactly
// rounded operations, so that every machine accepts the same points. A block fails once in 22; all of them in practice
// never.
static double draw_in_circle(random_key key, double *u, double *v)
{
	for (uint32_t attempt = 0; attempt < TRIES; attempt++)
	{
		uint32_t words[4];
		draw(key, attempt, words);
		for (int pair = 0; pair < 4; pair += 2)
		{
			*u = (double)words[pair] * 0x1p-31 - 1.0;
			*v = (double)words[pair + 1] * 0x1p-31 - 1.0;
			double s = *u * *u + *v * *v;
			if (s > 0.0 && s < 1.0)
				return s;
		}
	}
	*u = 0.5;
	*v = 0.5;
	return 0.5;
}

// Marsaglia: Choosing a point from the surface of a sphere, 1972.
vec3 random_unit(random_key key)
{
	double u, v, s = draw_in_circle(key, &u, &v), scale = 2.0 * sqrt(1.0 - s);
	return (vec3){(float)(u * scale), (float)(v * scale), (float)(1.0 - 2.0 * s)};
}

// The polar method, in double: log() differs between libraries in the last bit, which rounding to float removes.
float random_normal(random_key key)
{
	double u, v, s = draw_in_circle(key, &u, &v);
	return (float)(u * sqrt(-2.0 * log(s) / s));
}
