// Curl and confinement on flows whose answers are known, with the lists of a real world, for every instruction set of this machine.
#include "solver/pair_kernels.h"
#include "world/scene.h"
#include "world/world.h"

typedef struct cloud
{
	scene scene;
	spate_world *world;
	uint32_t count, slices;
	pair_pass pass;
	pair_traits *traits;
	vec4 *velocities, *curls, *force;
} cloud;

// A box of one spacing, or of two that meet at x = 0, shaken out of the lattice.
static cloud *make_cloud(double coarser, double jitter)
{
	cloud *c = calloc(1, sizeof *c);
	assert_non_null(c);
	scene_init(&c->scene, 0.01);
	memset(c->scene.def.gravity, 0, sizeof c->scene.def.gravity);
	c->scene.def.fluid_count = 2;
	c->scene.fluids[1].spacing = 0.01 * coarser;
	for (int side = 0; side < 2; side++)
	{
		spate_source_def *fill = add_fill(&c->scene, side ? box_shape(0, -0.1, -0.1, 0.1, 0.1, 0.1)
								  : box_shape(-0.1, -0.1, -0.1, 0, 0.1, 0.1));
		fill->fluid = (uint32_t)side;
		fill->jitter = jitter;
	}
	c->world = scene_create(&c->scene);
	step(c->world);
	spate_world *w = c->world;
	c->count = w->work.list.count;
	c->slices = w->work.list.slice_count;
	c->traits = calloc(c->count + 8, sizeof *c->traits);
	c->velocities = calloc(c->count + 8, sizeof(vec4));
	c->curls = calloc(c->count + 8, sizeof(vec4));
	c->force = calloc(c->count + 8, sizeof(vec4));
	assert_true(c->traits && c->velocities && c->curls && c->force);
	for (uint32_t row = 0; row < c->count + 8; row++)
	{
		double d = row < c->count ? w->model.fluids[w->state.store->fluid[row]].spacing : 0.01;
		c->traits[row] = (pair_traits){(float)d, (float)(0.99 * pow(d / 0.02, 3)), 1, 0};
		if (row >= c->count)
			w->state.store->position[row] = (vec4){1e12f, 1e12f, 1e12f, 1};
	}
	c->pass = (pair_pass){.slice_begin = w->work.list.slice_begin.data,
			      .slice_length = w->work.list.slice_length.data,
			      .entries = w->work.list.entries.data,
			      .count = c->count,
			      .same = c->traits[c->count],
			      .traits = c->traits,
			      .mixed = coarser != 1,
			      .reference_h = 0.02f};
	return c;
}

static void destroy(cloud *c)
{
	spate_world_destroy(c->world);
	free(c->traits), free(c->velocities), free(c->curls), free(c->force);
	free(c);
}

static void place(const cloud *c, uint32_t row, double p[3])
{
	vec4 x = c->world->state.store->position[row];
	const double *o = c->world->model.origin;
	p[0] = (double)x.x + o[0], p[1] = (double)x.y + o[1], p[2] = (double)x.z + o[2];
}

// How far inside of the box a row is (m).
static double depth(const cloud *c, uint32_t row)
{
	double p[3];
	place(c, row, p);
	return 0.1 - fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2])));
}

static int levels(void)
{
	unsetenv("SPATE_SIMD");
	return (int)simd_level_detect() + 1;
}

static void run(cloud *c, int level)
{
	const pair_kernels *kernels = pair_kernels_table((simd_level)level);
	kernels->curl(&c->pass, c->world->state.store->position, c->velocities, c->curls, 0, c->slices);
	memset(c->curls + c->count, 0, 8 * sizeof(vec4));
	kernels->confinement(&c->pass, c->world->state.store->position, c->curls, c->force, 0, c->slices);
}

// Root mean square error of the curl of a rotation, relative to 2 Omega, among rows at least so deep.
static double rotation_error(cloud *c, int level, double least)
{
	const double spin[3] = {0.6, -1, 4}, size = 2 * sqrt(0.36 + 1 + 16);
	for (uint32_t row = 0; row < c->count; row++)
	{
		double p[3];
		place(c, row, p);
		c->velocities[row] =
		    (vec4){(float)(5 + spin[1] * p[2] - spin[2] * p[1]), (float)(spin[2] * p[0] - spin[0] * p[2]),
			   (float)(spin[0] * p[1] - spin[1] * p[0]), 0};
	}
	run(c, level);
	double squares = 0;
	uint32_t seen = 0;
	for (uint32_t row = 0; row < c->count; row++)
	{
		vec4 w = c->curls[row];
		double e =
		    hypot(hypot((double)w.x - 2 * spin[0], (double)w.y - 2 * spin[1]), (double)w.z - 2 * spin[2]);
		check_near((double)w.w, sqrt((double)(w.x * w.x + w.y * w.y + w.z * w.z)), 1e-4);
		if (depth(c, row) < least)
			continue;
		squares += e * e / (size * size);
		seen++;
	}
	assert_true(seen > 300);
	return sqrt(squares / seen);
}

static void rotation_has_twice_its_rate(void **state)
{
	(void)state;
	for (int level = 0; level < levels(); level++)
	{
		cloud *lattice = make_cloud(1, 0), *shaken = make_cloud(1, 0.2), *mixed = make_cloud(1.4, 0.2);
		double exact = rotation_error(lattice, level, 0.025), inside = rotation_error(shaken, level, 0.025),
		       all = rotation_error(shaken, level, 0), seam = rotation_error(mixed, level, 0.03);
		printf(
		    "curl of a rotation, rms error: %.2g on a lattice, %.2g off it, %.2g with all sides, %.2g across two "
		    "resolutions\n",
		    exact, inside, all, seam);
		check_near(exact, 0, 0.01);
		check_near(inside, 0, 0.04);
		check_near(all, 0, 0.1);
		check_near(seam, 0, 0.06);
		destroy(lattice), destroy(shaken), destroy(mixed);
	}
}

// The mixed pass on rows that are all alike gives what the plain one does; AVX2 and AVX-512 give the same bits.
static void variants_agree(void **state)
{
	(void)state;
	cloud *c = make_cloud(1, 0.2);
	vec4 *plain = calloc(c->count, sizeof *plain), *bits = calloc(c->count, sizeof *bits);
	assert_true(plain && bits);
	for (int level = 0; level < levels(); level++)
	{
		c->pass.mixed = 0;
		rotation_error(c, level, 0);
		memcpy(plain, c->force, c->count * sizeof *plain);
		c->pass.mixed = 1;
		rotation_error(c, level, 0);
		double size = 0;
		for (uint32_t row = 0; row < c->count; row++)
			size = fmax(size, fabs((double)plain[row].x));
		for (uint32_t row = 0; row < c->count; row++)
			check_near((double)c->force[row].x, (double)plain[row].x, 1e-4 * size);
		if (level >= SIMD_AVX512)
			assert_memory_equal(c->force, bits, c->count * sizeof *bits);
		memcpy(bits, c->force, c->count * sizeof *bits);
	}
	free(plain), free(bits);
	destroy(c);
}

// A vortex v = u(r) around z with omega = a exp(-r^2 / R^2): the force is along the flow, h omega^2 times the fading factor.
static void force_drives_the_vortex(void **state)
{
	(void)state;
	const double a = 10, radius = 0.06, h = 0.02;
	for (int level = 0; level < levels(); level++)
	{
		cloud *c = make_cloud(1, 0.2);
		for (uint32_t row = 0; row < c->count; row++)
		{
			double p[3];
			place(c, row, p);
			double r2 = p[0] * p[0] + p[1] * p[1], R2 = radius * radius;
			double turn = r2 > 0 ? 0.5 * a * R2 * (1 - exp(-r2 / R2)) / r2 : 0.5 * a;
			c->velocities[row] = (vec4){(float)(-turn * p[1]), (float)(turn * p[0]), 0, 0};
		}
		run(c, level);
		double sum = 0, expected = 0, across = 0, size = 0;
		for (uint32_t row = 0; row < c->count; row++)
		{
			double p[3];
			place(c, row, p);
			double r = hypot(p[0], p[1]), omega = a * exp(-r * r / (radius * radius));
			if (depth(c, row) < 0.03 || r < 0.02)
				continue;
			double steep = 2 * r / (radius * radius) * h;
			vec4 f = c->force[row];
			sum += ((double)f.y * p[0] - (double)f.x * p[1]) / r;
			expected += h * omega * omega * steep / ((steep + 0.1) * (1 + 4 * steep * steep));
			across += fabs(((double)f.x * p[0] + (double)f.y * p[1]) / r) + fabs((double)f.z);
			size += hypot((double)f.x, (double)f.y);
		}
		assert_true(expected > 0);
		check_near(sum / expected, 1, 0.1);
		check_near(across / size, 0, 0.25);
		destroy(c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rotation_has_twice_its_rate),
	    cmocka_unit_test(variants_agree),
	    cmocka_unit_test(force_drives_the_vortex),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
