// The inner loops of position-based fluids against the equations of docs/theory/pbf.md in plain double precision, for every
// instruction set of this machine.
#include "base/kernels.h"
#include "base/simd_level.h"
#include "check.h"
#include "dice.h"
#include "solver/pbf_kernels.h"
#include "solver/prototype.h"

#include <float.h>

enum
{
	SLACK = 8,
	MOST = 4096,
	FIRST = MOST + SLACK, // row of the first image
	IMAGES = 1024
};

// A cloud with lists made by brute force. Places carry the inverse mass in w.
typedef struct cloud
{
	uint32_t count, slices;
	double h;
	vec4 places[MOST + SLACK], multipliers[MOST + SLACK], moved[MOST + SLACK];
	vec4 pushed[MOST + SLACK], pushed_last[MOST + SLACK];
	uint32_t images, roots[IMAGES]; // images of rows behind a wall at x = 0
	vec4 image_places[FIRST + IMAGES];
	uint32_t image_begin[MOST / 8 + 1], image_length[MOST / 8 + 1], *image_entries;
	vec4 velocities[MOST + SLACK], smoothed[MOST + SLACK];
	vec4 last[MOST + SLACK];
	float inverse_mass[MOST + SLACK], constraint[MOST + SLACK], stiffness[MOST + SLACK];
	double poly6, spiky; // V W(0), and the factor of (1 - q)^2 in V |grad W| (1/m)
	uint64_t begin[MOST / 8 + 1];
	uint32_t length[MOST / 8 + 1];
	uint32_t wall_group[MOST / 8 + 1]; // every slice has its own
	uint32_t *entries;
	pbf_pass pass;
} cloud;

static double distance(vec4 a, vec4 b)
{
	double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
	return sqrt(x * x + y * y + z * z);
}

// Lists the rows of `others` in [first, last) that are closer to each particle than h, interleaved as the passes read them; returns the lists
// and sets where those of a slice begin. Those of the particles do not include their own.
static uint32_t *list_within(const cloud *c, const vec4 *others, uint32_t first, uint32_t last, uint64_t *begin,
			     uint32_t *length)
{
	uint32_t *entries = malloc(((size_t)c->slices * 8 * 256 + 8) * sizeof *entries);
	assert_non_null(entries);
	uint64_t used = 0;
	for (uint32_t s = 0; s < c->slices; s++)
	{
		uint32_t lists[8][256], n[8] = {0}, longest = 0;
		for (uint32_t lane = 0; lane < 8; lane++)
		{
			uint32_t i = 8 * s + lane;
			for (uint32_t j = first; j < last && i < c->count; j++)
				if (j != i && distance(c->places[i], others[j]) < c->h)
				{
					assert_true(n[lane] < 256);
					lists[lane][n[lane]++] = j;
				}
			longest = n[lane] > longest ? n[lane] : longest;
		}
		begin[s] = used;
		length[s] = longest;
		for (uint32_t k = 0; k < longest; k++)
			for (uint32_t lane = 0; lane < 8; lane++)
				entries[used++] = k < n[lane] ? lists[lane][k] : c->count;
	}
	return entries;
}

static void list_neighbours(cloud *c)
{
	uint64_t begin[MOST / 8 + 1];
	c->slices = (c->count + 7) / 8;
	c->entries = list_within(c, c->places, 0, c->count, c->begin, c->length);
	c->image_entries = list_within(c, c->image_places, FIRST, FIRST + c->images, begin, c->image_length);
	for (uint32_t s = 0; s < c->slices; s++)
	{
		c->image_begin[s] = (uint32_t)begin[s];
		c->wall_group[s] = s;
	}
}

static void finish(cloud *c, double spacing)
{
	prototype p = prototype_make(spacing, c->h);
	for (uint32_t k = 0; k < SLACK; k++)
	{
		c->multipliers[c->count + k] = (vec4){1e12f, 1e12f, 1e12f, 0};
		c->places[c->count + k] = (vec4){1e12f, 1e12f, 1e12f, 1};
		c->image_places[c->count + k] = c->multipliers[c->count + k];
		c->inverse_mass[c->count + k] = 1;
	}
	list_neighbours(c);
	double h = c->h;
	c->pass = (pbf_pass){
	    .pairs = {.slice_begin = c->begin,
		      .slice_length = c->length,
		      .entries = c->entries,
		      .count = c->count,
		      .seen = {.begin = c->image_begin, .length = c->image_length, .entries = c->image_entries},
		      .same = {.half_h = (float)(0.5 * h), .volume = (float)(p.volume / (h * h * h))},
		      .reference_h = (float)h},
	    .light = FLT_MAX,
	    .beta = (float)p.beta,
	    .stiffness = (float)(p.stiffness / (h * h)),
	    .omega = 1,
	    .row_stiffness = c->stiffness,
	    .image_places = c->image_places,
	    .pushed = c->pushed,
	    .pushed_last = c->pushed_last,
	    .wall_group = c->wall_group};
	c->poly6 = p.volume * KERNEL_POLY6_NORM / (h * h * h);
	c->spiky = p.volume * 3 * KERNEL_SPIKY_NORM / (h * h * h * h);
}

// Two densities, 1 and `ratio`, random places at about the rest density or above, in front of a wall or not.
static cloud *random_cloud(uint32_t count, double spacing, double ratio, int walls)
{
	cloud *c = calloc(1, sizeof *c);
	assert_non_null(c);
	dice d = {11};
	c->count = count;
	c->h = 2 * spacing;
	float side = (float)(spacing * cbrt(count) * 0.95);
	for (uint32_t i = 0; i < count; i++)
	{
		c->inverse_mass[i] = dice_below(&d, 2) ? 1.0f : (float)(1 / ratio);
		c->places[i] = (vec4){dice_range(&d, 0, side), dice_range(&d, 0, side), dice_range(&d, 0, side),
				      c->inverse_mass[i]};
		c->velocities[i] = (vec4){dice_range(&d, -1, 1), dice_range(&d, -1, 1), dice_range(&d, -1, 1),
					  dice_range(&d, 0.02f, 0.5f)};
		if (walls && (double)c->places[i].x < c->h)
		{
			assert_true(c->images < IMAGES);
			c->roots[c->images] = i;
			c->image_places[FIRST + c->images] = c->places[i];
			c->image_places[FIRST + c->images++].x *= -1;
		}
	}
	finish(c, spacing);
	return c;
}

static void destroy(cloud *c)
{
	free(c->entries);
	free(c->image_entries);
	free(c);
}

static int levels(void)
{
	unsetenv("SPATE_SIMD");
	return (int)simd_level_detect() + 1;
}

// V grad W of the spiky kernel at a, from b.
static void spiky_gradient(const cloud *c, vec4 a, vec4 b, double out[3])
{
	double r = distance(a, b), g = -c->spiky * pow(1 - r / c->h, 2);
	out[0] = g * ((double)a.x - (double)b.x) / r;
	out[1] = g * ((double)a.y - (double)b.y) / r;
	out[2] = g * ((double)a.z - (double)b.z) / r;
}

// Neighbour n of a row: a particle, or behind those an image.
static vec4 neighbour(const cloud *c, uint32_t n, uint32_t *root)
{
	*root = n < c->count ? n : c->roots[n - c->count];
	return n < c->count ? c->places[n] : c->image_places[FIRST + n - c->count];
}

static void reference_multiplier(const cloud *c, uint32_t i, double *constraint, double *lambda)
{
	double density = c->poly6, own[3] = {0, 0, 0}, squares = 0;
	for (uint32_t n = 0; n < c->count + c->images; n++)
	{
		uint32_t j;
		vec4 other = neighbour(c, n, &j);
		double r = distance(c->places[i], other), g[3];
		if (n == i || r >= c->h)
			continue;
		density += c->poly6 * pow(1 - r * r / (c->h * c->h), 3);
		spiky_gradient(c, c->places[i], other, g);
		for (int k = 0; k < 3; k++)
		{
			own[k] += g[k];
			squares += g[k] * g[k] * (double)c->inverse_mass[j];
		}
	}
	double w = (double)c->inverse_mass[i];
	squares += w * (own[0] * own[0] + own[1] * own[1] + own[2] * own[2]);
	*constraint = density - 1;
	*lambda = -(double)c->pass.beta * fmin((double)c->pass.stiffness * c->h * c->h / w, 1 / squares) *
		  fmax(*constraint, 0);
}

static void lattice_at_rest_is_dense(void **state)
{
	(void)state;
	for (int level = 0; level < levels(); level++)
	{
		cloud *c = calloc(1, sizeof *c);
		assert_non_null(c);
		const double d = 0.01;
		c->h = 2 * d;
		for (int n = 0; n < 12 * 12 * 12; n++)
		{
			c->inverse_mass[c->count] = 1;
			c->places[c->count++] =
			    (vec4){(float)(n % 12 * d), (float)(n / 12 % 12 * d), (float)(n / 144 * d), 1};
		}
		finish(c, d);
		float largest = -1;
		int64_t sum =
		    pbf_kernels_table((simd_level)level)
			->multipliers(&c->pass, c->places, c->multipliers, c->constraint, 0, c->slices, &largest);
		int inner = 0;
		for (int n = 0; n < 12 * 12 * 12; n++)
		{
			int x = n % 12, y = n / 12 % 12, z = n / 144;
			if (x < 2 || y < 2 || z < 2 || x > 9 || y > 9 || z > 9)
				continue;
			check_near((double)c->constraint[n], 0, 1e-3);
			inner++;
		}
		assert_int_equal(inner, 512);
		assert_true(largest < 1e-3f && PBF_ERROR_UNIT * (double)sum < 1728 * 1e-3);
		destroy(c);
	}
}

static void multipliers_match(void **state)
{
	(void)state;
	// counts that fill their last slice and that do not
	for (uint32_t count = 397; count <= 400; count++)
		for (int level = 0; level < levels(); level++)
		{
			cloud *c = random_cloud(count, 0.01, 7, 1);
			const pbf_kernels *kernels = pbf_kernels_table((simd_level)level);
			float largest = -1;
			int64_t sum = kernels->multipliers(&c->pass, c->places, c->multipliers, c->constraint, 0,
							   c->slices, &largest);
			double exact_sum = 0, expected_sum = 0, expected_largest = -1;
			int capped = 0;
			for (uint32_t i = 0; i < count; i++)
			{
				double constraint, lambda;
				reference_multiplier(c, i, &constraint, &lambda);
				check_near((double)c->constraint[i], constraint, 1e-5);
				check_near((double)c->multipliers[i].w, lambda, 1e-4 * fabs(lambda) + 1e-11);
				assert_memory_equal(&c->multipliers[i], &c->places[i], 12);
				exact_sum += fmax((double)c->constraint[i], 0);
				expected_sum += fmax(constraint, 0);
				expected_largest = fmax(expected_largest, constraint);
				capped += fabs(lambda) < 0.99 * (double)c->pass.beta * (double)c->pass.stiffness *
							     c->h * c->h / (double)c->inverse_mass[i] *
							     fmax(constraint, 0);
			}
			assert_true(capped > 10);
			check_near(PBF_ERROR_UNIT * (double)sum, expected_sum, 1e-4 * expected_sum);
			assert_true(PBF_ERROR_UNIT * (double)sum == exact_sum); // C is rounded, but not their sum
			check_near((double)largest, expected_largest, 1e-5);
			destroy(c);
		}
}

// Parts of the range give what the whole does: threads may share it as they like.
static void slices_are_independent(void **state)
{
	(void)state;
	for (int level = 0; level < levels(); level++)
	{
		const pbf_kernels *kernels = pbf_kernels_table((simd_level)level);
		cloud *a = random_cloud(400, 0.01, 3, 1), *b = random_cloud(400, 0.01, 3, 1);
		float largest = -1;
		int64_t sum = kernels->multipliers(&a->pass, a->places, a->multipliers, a->constraint, 0, a->slices,
						   &largest),
			parts = 0;
		for (uint32_t s = b->slices; s-- > 0;)
			parts += kernels->multipliers(&b->pass, b->places, b->multipliers, b->constraint, s, s + 1,
						      &largest);
		assert_true(sum > 0 && parts == sum);
		assert_memory_equal(a->multipliers, b->multipliers, 400 * sizeof(vec4));
		destroy(a), destroy(b);
	}
}

// What the correction of a row should be, before omega, and the part of it by images; the size of its terms.
static double reference_correction(const cloud *c, uint32_t i, double dx[3], double by_images[3])
{
	double lambda = (double)c->multipliers[i].w, im = (double)c->inverse_mass[i], size = 0;
	memset(dx, 0, 3 * sizeof *dx), memset(by_images, 0, 3 * sizeof *by_images);
	for (uint32_t n = 0; n < c->count + c->images; n++)
	{
		uint32_t j;
		vec4 other = neighbour(c, n, &j);
		double g[3];
		if (n == i || distance(c->places[i], other) >= c->h)
			continue;
		spiky_gradient(c, c->places[i], other, g);
		double pull = im * (lambda + (double)c->multipliers[j].w);
		for (int k = 0; k < 3; k++)
		{
			dx[k] += pull * g[k], size += fabs(pull * g[k]);
			by_images[k] += n >= c->count ? pull * g[k] : 0;
		}
	}
	return size;
}

static void corrections_match(void **state)
{
	(void)state;
	for (int accelerated = 0; accelerated < 2; accelerated++)
		for (int level = 0; level < levels(); level++)
		{
			cloud *c = random_cloud(397, 0.01, 7, 1);
			const pbf_kernels *kernels = pbf_kernels_table((simd_level)level);
			float largest = -1;
			// a correction before this one, of which omega - 1 is repeated; images did a part of it
			const double omega = accelerated ? 1.5 : 1, repeated = accelerated ? 0.5e-4 : 0;
			c->pass.omega = (float)omega;
			for (uint32_t i = 0; i < c->count; i++)
			{
				c->last[i] = (vec4){0, accelerated ? 1e-4f : 0, 0, 0};
				c->pushed[i] = (vec4){0, 0.5f, 0, 0};
				c->pushed_last[i] = (vec4){0, accelerated ? 2e-5f : 0, 0, 0};
				c->moved[i] = (vec4){0.25f, 0, -0.5f, -1e-3f};
			}
			kernels->multipliers(&c->pass, c->places, c->multipliers, c->constraint, 0, c->slices,
					     &largest);
			c->multipliers[c->count] = (vec4){1e12f, 1e12f, 1e12f, 0};
			for (uint32_t k = 0; k < c->images; k++)
				c->image_places[FIRST + k].w = c->multipliers[c->roots[k]].w;
			cloud *before = malloc(sizeof *before);
			assert_non_null(before);
			*before = *c;
			kernels->corrections(&c->pass, c->multipliers, c->places, c->moved, c->last, 0, c->slices);
			int pushed = 0;
			for (uint32_t i = 0; i < c->count; i++)
			{
				double lambda = (double)before->multipliers[i].w, dx[3], by_images[3];
				double size = reference_correction(before, i, dx, by_images), tolerance = 2e-6 * size;
				for (int k = 0; k < 3; k++)
					dx[k] = omega * dx[k] + (k == 1 ? repeated : 0);
				check_near((double)(c->moved[i].x) - 0.25, dx[0], tolerance + 5e-8);
				check_near((double)c->moved[i].y, dx[1], tolerance + 1e-9);
				check_near((double)c->moved[i].w, -1e-3 + omega * lambda, 1e-9);
				check_near((double)c->last[i].w, omega * lambda, 1e-9);
				check_near((double)c->last[i].y, dx[1], tolerance + 1e-9);
				check_near((double)c->places[i].y, (double)before->places[i].y + dx[1],
					   tolerance + 1e-7);
				check_near((double)c->places[i].z, (double)before->places[i].z + dx[2],
					   tolerance + 1e-7);
				check_near((double)c->places[i].w, (double)c->inverse_mass[i], 0);
				if (c->image_length[i / 8] == 0)
				{
					assert_memory_equal(&c->pushed[i], &before->pushed[i], sizeof(vec4));
					continue;
				}
				double again = accelerated ? 1e-5 : 0;
				pushed += by_images[0] > 0;
				check_near((double)c->pushed[i].x, omega * by_images[0], tolerance + 1e-9);
				check_near((double)c->pushed[i].y, 0.5 + omega * by_images[1] + again,
					   tolerance + 1e-7);
				check_near((double)c->pushed_last[i].y, omega * by_images[1] + again, tolerance + 1e-9);
			}
			assert_true(pushed > 30);
			free(before);
			destroy(c);
		}
}

// A light particle keeps its direction and moves by a fortieth of the radius at most; others as far as they are pushed.
static void light_particles_are_held_back(void **state)
{
	(void)state;
	cloud *free_one = random_cloud(3000, 0.01, 10, 0), *held = random_cloud(3000, 0.01, 10, 0);
	const pbf_kernels *kernels = pbf_kernels_table(SIMD_PORTABLE);
	float largest = -1;
	held->pass.light = 0.5f;
	for (int k = 0; k < 2; k++)
	{
		cloud *c = k ? held : free_one;
		for (uint32_t i = 0; i < c->count; i++)
			c->moved[i] = (vec4){0, 0, 0, 0};
		kernels->multipliers(&c->pass, c->places, c->multipliers, c->constraint, 0, c->slices, &largest);
		kernels->corrections(&c->pass, c->multipliers, c->places, c->moved, c->last, 0, c->slices);
	}
	int limited = 0;
	for (uint32_t i = 0; i < held->count; i++)
	{
		vec4 a = free_one->moved[i], b = held->moved[i];
		double length = sqrt((double)(a.x * a.x + a.y * a.y + a.z * a.z)), most = 0.025 * held->h, share = 1;
		if (held->inverse_mass[i] > 0.5f && length > most)
		{
			share = most / length;
			limited++;
		}
		check_near((double)b.x, share * (double)a.x, 1e-5 * length + 1e-9);
		check_near((double)b.y, share * (double)a.y, 1e-5 * length + 1e-9);
		check_near((double)b.z, share * (double)a.z, 1e-5 * length + 1e-9);
	}
	assert_true(limited > 10);
	destroy(free_one);
	destroy(held);
}

// Without walls nothing pushes the whole: sum m dx = 0, and sum m x cross dx = 0 because pairs push along their line.
static void corrections_keep_momentum(void **state)
{
	(void)state;
	for (int level = 0; level < levels(); level++)
	{
		cloud *c = random_cloud(3000, 0.01, 10, 0);
		const pbf_kernels *kernels = pbf_kernels_table((simd_level)level);
		float largest = -1;
		kernels->multipliers(&c->pass, c->places, c->multipliers, c->constraint, 0, c->slices, &largest);
		kernels->corrections(&c->pass, c->multipliers, c->places, c->moved, c->last, 0, c->slices);
		double sum[3] = {0, 0, 0}, spin[3] = {0, 0, 0}, size = 0;
		for (uint32_t i = 0; i < c->count; i++)
		{
			double m = 1 / (double)c->inverse_mass[i];
			vec4 dx = c->moved[i], x = c->multipliers[i];
			double d[3] = {m * (double)dx.x, m * (double)dx.y, m * (double)dx.z},
			       p[3] = {(double)x.x, (double)x.y, (double)x.z};
			for (int k = 0; k < 3; k++)
			{
				sum[k] += d[k];
				spin[k] += p[(k + 1) % 3] * d[(k + 2) % 3] - p[(k + 2) % 3] * d[(k + 1) % 3];
			}
			size += sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
		}
		assert_true(size > 0);
		for (int k = 0; k < 3; k++)
		{
			check_near(sum[k] / size, 0, 1e-5);
			check_near(spin[k] / (size * 0.14), 0, 1e-5);
		}
		destroy(c);
	}
}

static void smoothing_matches_and_keeps_momentum(void **state)
{
	(void)state;
	for (int level = 0; level < levels(); level++)
	{
		cloud *c = random_cloud(397, 0.01, 10, 0);
		pair_kernels_table((simd_level)level)
		    ->smooth_velocity(&c->pass.pairs, c->places, c->velocities, c->smoothed, 0, c->slices);
		double before[3] = {0, 0, 0}, after[3] = {0, 0, 0}, size = 0, energy_before = 0, energy_after = 0;
		for (uint32_t i = 0; i < c->count; i++)
		{
			vec4 v = c->velocities[i], u = c->smoothed[i];
			double x = (double)v.x, wi = (double)c->inverse_mass[i], m = 1 / wi;
			for (uint32_t j = 0; j < c->count; j++)
			{
				double r = distance(c->places[i], c->places[j]), wj = (double)c->inverse_mass[j];
				if (j == i || r >= c->h)
					continue;
				double weight = fmin((double)v.w, (double)c->velocities[j].w) * 2 * wi / (wi + wj) *
						c->poly6 * pow(1 - r * r / (c->h * c->h), 3);
				x += weight * ((double)c->velocities[j].x - (double)v.x);
			}
			check_near((double)u.x, x, 1e-5);
			check_near((double)u.w, (double)v.w, 0);
			const double a[3] = {(double)v.x, (double)v.y, (double)v.z},
				     b[3] = {(double)u.x, (double)u.y, (double)u.z};
			for (int k = 0; k < 3; k++)
			{
				before[k] += m * a[k];
				after[k] += m * b[k];
				size += m * fabs(a[k]);
				energy_before += m * a[k] * a[k];
				energy_after += m * b[k] * b[k];
			}
		}
		for (int k = 0; k < 3; k++)
			check_near((after[k] - before[k]) / size, 0, 1e-6);
		assert_true(energy_after < 0.95 * energy_before);
		destroy(c);
	}
}

// f(q) of docs/theory/surface_tension.md with the mean pull and push of a pair.
static double pair_force(double q, double pull, double push)
{
	double base = pow((1 - q) * q, 3), f = q > 0.5 ? base : 2 * base - 1.0 / 64;
	return fmax(f, 0) * pull + fmin(f, 0) * push;
}

// Rows that differ in pull and push alone: each pair takes the means, and what one gains the other loses.
static void cohesion_matches_and_keeps_momentum(void **state)
{
	(void)state;
	static pair_traits traits[MOST + SLACK];
	for (int level = 0; level < levels(); level++)
	{
		cloud *c = random_cloud(397, 0.01, 10, 0);
		dice d = {5};
		for (uint32_t i = 0; i < c->count + SLACK; i++)
		{
			traits[i] = c->pass.pairs.same;
			traits[i].pull = dice_below(&d, 2) ? 1e-3f : 4e-3f;
			traits[i].push = dice_below(&d, 2) ? 2e-3f : 5e-4f;
		}
		c->pass.pairs.mixed = 1;
		c->pass.pairs.traits = traits;
		pair_kernels_table((simd_level)level)->cohesion(&c->pass.pairs, c->places, c->moved, 0, c->slices);
		double sum[3] = {0, 0, 0}, size = 0;
		for (uint32_t i = 0; i < c->count; i++)
		{
			double x = 0, wi = (double)c->inverse_mass[i];
			for (uint32_t j = 0; j < c->count; j++)
			{
				double r = distance(c->places[i], c->places[j]), wj = (double)c->inverse_mass[j];
				if (j == i || r >= c->h)
					continue;
				double f = pair_force(r / c->h, 0.5 * ((double)traits[i].pull + (double)traits[j].pull),
						      0.5 * ((double)traits[i].push + (double)traits[j].push));
				x += 2 * wi / (wi + wj) * (double)c->pass.pairs.same.volume * f *
				     ((double)c->places[j].x - (double)c->places[i].x) / r;
			}
			vec4 out = c->moved[i];
			check_near((double)out.x, x, 1e-9);
			const double moved[3] = {(double)out.x, (double)out.y, (double)out.z};
			for (int k = 0; k < 3; k++)
			{
				sum[k] += moved[k] / wi;
				size += fabs(moved[k]) / wi;
			}
		}
		assert_true(size / c->count > 1e-6);
		for (int k = 0; k < 3; k++)
			check_near(sum[k] / size, 0, 1e-5);
		destroy(c);
	}
}

// Coincident particles and a lone one give numbers.
static void degenerate_clouds_stay_finite(void **state)
{
	(void)state;
	for (int level = 0; level < levels(); level++)
	{
		cloud *c = calloc(1, sizeof *c);
		assert_non_null(c);
		c->count = 10;
		c->h = 0.02;
		for (uint32_t i = 0; i < c->count; i++)
		{
			c->inverse_mass[i] = 1;
			c->places[i] = (vec4){i == 9 ? 5.0f : 1.0f, 0, 0, 1};
		}
		finish(c, 0.01);
		float largest = -1;
		const pbf_kernels *kernels = pbf_kernels_table((simd_level)level);
		kernels->multipliers(&c->pass, c->places, c->multipliers, c->constraint, 0, c->slices, &largest);
		c->multipliers[c->count] = (vec4){1e12f, 1e12f, 1e12f, 0};
		kernels->corrections(&c->pass, c->multipliers, c->places, c->moved, c->last, 0, c->slices);
		for (uint32_t i = 0; i < c->count; i++)
			check_near((double)c->moved[i].x, 0, 1e-6);
		check_near((double)c->multipliers[9].w, 0, 0);
		destroy(c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lattice_at_rest_is_dense),
	    cmocka_unit_test(multipliers_match),
	    cmocka_unit_test(slices_are_independent),
	    cmocka_unit_test(corrections_match),
	    cmocka_unit_test(corrections_keep_momentum),
	    cmocka_unit_test(light_particles_are_held_back),
	    cmocka_unit_test(smoothing_matches_and_keeps_momentum),
	    cmocka_unit_test(cohesion_matches_and_keeps_momentum),
	    cmocka_unit_test(degenerate_clouds_stay_finite),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
