// Curl noise: a random acceleration without divergence, so that it stirs a liquid and does not press it together.
//
// It is the curl of a random vector potential made of waves, as in kinematic simulations of turbulence (Kraichnan, Diffusion by a random
// velocity field, 1970; Bridson, Houriham, Nordenstam, Curl-noise for procedural fluid flow, 2007):
//
//	psi(x, t) = sum A_i sin(2 pi (k_i x - f_i t + p_i)),     a = curl psi = sum B_i cos(2 pi (k_i x - f_i t + p_i)),  B_i = 2 pi k_i x A_i
//
// The divergence is zero because B_i is perpendicular to k_i, whatever the phases are.
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "force/force.h"

#include <math.h>

enum
{
	WAVES = 16,
	AMPLITUDE = 0, // of `values`
	STREAM = 40    // of random numbers
};

typedef struct noise
{
	double number[WAVES][3]; // 1/m, wave vectors in turns
	double rate[WAVES];      // turns per second
	double phase[WAVES];     // turns
	vec3 push[WAVES];        // B of an amplitude of 1
} noise;

static double draw(uint64_t seed, int wave, uint32_t what)
{
	return (double)random_float((random_key){.seed = seed, .id = wave, .stream = STREAM + what});
}

// Directions are spread evenly over half a sphere, which is turned at random; wave lengths are from size / sqrt(2) to size sqrt(2).
static spate_result make(const spate_force_def *own, void **asset, spate_error *error)
{
	const double pi = 3.14159265358979323846, golden = pi * (3.0 - sqrt(5.0));
	noise *n = mem_alloc(sizeof *n);
	*asset = n;
	if (!n)
		return error_memory(error, sizeof *n);
	random_key turn = {.seed = own->seed, .stream = STREAM};
	vec3 z = random_unit(turn), y = fabsf(z.x) < 0.7f ? vec3_make(1, 0, 0) : vec3_make(0, 1, 0);
	vec3 x = vec3_cross(y, z);
	x = vec3_scale(x, 1.0f / vec3_length(x));
	y = vec3_cross(z, x);
	for (int i = 0; i < WAVES; i++)
	{
		double up = (i + 0.5) / WAVES, across = sqrt(1.0 - up * up), angle = golden * i;
		// 7 and 16 have no common divisor: neighbouring directions get different wave lengths
		double length = own->size * exp2((i * 7 % WAVES + 0.5) / WAVES - 0.5);
		vec3 way = vec3_add_scaled(vec3_add_scaled(vec3_scale(z, (float)up), x, (float)(across * cos(angle))),
					   y, (float)(across * sin(angle)));
		const float parts[3] = {way.x, way.y, way.z};
		for (int k = 0; k < 3; k++)
			n->number[i][k] = (double)parts[k] / length;
		n->rate[i] = (draw(own->seed, i, 1) < 0.5 ? own->speed : -own->speed) / length;
		n->phase[i] = draw(own->seed, i, 2);
		// a direction perpendicular to the wave
		vec3 side = vec3_cross(way, fabsf(way.x) < 0.7f ? vec3_make(1, 0, 0) : vec3_make(0, 1, 0));
		side = vec3_scale(side, 1.0f / vec3_length(side));
		vec3 other = vec3_cross(way, side);
		double about = 2.0 * pi * draw(own->seed, i, 3), size = sqrt(2.0 / WAVES);
		n->push[i] =
		    vec3_add_scaled(vec3_scale(side, (float)(size * cos(about))), other, (float)(size * sin(about)));
	}
	return SPATE_OK;
}

static int setup(const spate_world_def *def, const spate_force_def *own, double *values)
{
	(void)def;
	values[AMPLITUDE] = own->amplitude;
	return own->amplitude > 0.0;
}

// All waves at their crests.
static force_bound bound(const force_entry *force, double speed)
{
	(void)speed;
	return (force_bound){.most = force->values[AMPLITUDE] * sqrt(2.0 * WAVES)};
}

// cos(2 pi x): a quarter less the distance to the next whole number is the argument of a sine within a quarter turn, whose series to the
// eleventh power is exact in single precision. Plain arithmetic, so that compilers make vectors of it.
static inline float cosine(double turns)
{
	const double whole = 0x1.8p52; // adding it rounds
	float f = 0.25f - fabsf((float)(turns - ((turns + whole) - whole)));
	float z = 6.28318530718f * f, s = z * z;
	return z *
	       (1.0f + s * (-1.0f / 6 + s * (1.0f / 120 + s * (-1.0f / 5040 + s * (1.0f / 362880 - s / 39916800)))));
}

static void accelerate(const force_entry *force, const force_rows *rows, const float *weights, const force_sum *sum)
{
	const noise *n = force->asset;
	float x[FORCE_ROWS], y[FORCE_ROWS], z[FORCE_ROWS], ax[FORCE_ROWS], ay[FORCE_ROWS], az[FORCE_ROWS];
	size_t count = rows->count;
	for (size_t row = 0; row < count; row++)
	{
		x[row] = rows->positions[row].x;
		y[row] = rows->positions[row].y;
		z[row] = rows->positions[row].z;
		ax[row] = ay[row] = az[row] = 0.0f;
	}
	for (int i = 0; i < WAVES; i++)
	{
		const double *k = n->number[i];
		double p = n->phase[i] - n->rate[i] * rows->time;
		p += k[0] * rows->origin[0] + k[1] * rows->origin[1] + k[2] * rows->origin[2];
		p -= floor(p);
		double kx = k[0], ky = k[1], kz = k[2];
		vec3 push = n->push[i];
		for (size_t row = 0; row < count; row++)
		{
			float c = cosine(kx * (double)x[row] + ky * (double)y[row] + kz * (double)z[row] + p);
			ax[row] += push.x * c;
			ay[row] += push.y * c;
			az[row] += push.z * c;
		}
	}
	float amplitude = (float)force->values[AMPLITUDE];
	for (size_t row = 0; row < count; row++)
		sum->accelerations[row] = vec3_add_scaled(sum->accelerations[row], vec3_make(ax[row], ay[row], az[row]),
							  amplitude * weights[row]);
}

static const char *problem(const spate_force_def *own)
{
	if (own->amplitude < 0.0)
		return "its amplitude is negative";
	return own->size > 0.0 ? NULL : "its size is not positive";
}

const force_type force_noise = {
    .setup = setup, .bound = bound, .accelerate = accelerate, .problem = problem, .make = make, .unmake = mem_free};
