// Points between the particles of a surface: on the true surface, apart from each other, and what a mesh gains from them.
#include "surface/mesh_check.h"
#include "surface/shapes.h"

#include "base/hash.h"
#include "surface/near.h"
#include "surface/refine.h"

// The exact normals of a sphere: the middle of the curve is nearer to it than the middle of the chord, on the same side of it as the
// curve must be, and the tangents do not fold.
static void test_midpoint_on_sphere(void **state)
{
	(void)state;
	dice d = {3};
	double worst = 0.0;
	int made = 0;
	for (int i = 0; i < 2000; i++)
	{
		vec3 n[2];
		for (int k = 0; k < 2; k++)
			n[k] =
			    vec3_normalize((vec3){dice_range(&d, -1, 1), dice_range(&d, -1, 1), dice_range(&d, -1, 1)});
		vec3 p = vec3_scale(n[0], 5.0f), q = vec3_scale(n[1], 5.0f), c;
		if (vec3_dot(n[0], n[1]) < 0.5f)
			continue;
		assert_int_equal(refine_midpoint(p, n[0], q, n[1], &c), 1);
		double chord = 5.0 - (double)vec3_length(vec3_scale(vec3_add(p, q), 0.5f));
		double curve = fabs((double)vec3_length(c) - 5.0);
		if (chord > 1e-3)
			worst = fmax(worst, curve / chord);
		// half way between both, which also tells that the curve does not run back
		check_near(vec3_length(vec3_sub(c, p)), vec3_length(vec3_sub(c, q)), 1e-5);
		made++;
	}
	assert_true(made > 300);
	print_message("sphere: the curve's middle is off by at most %.3f of the chord's\n", worst);
	// a tangent of 1/3 would be exact for short arcs, 0.4 goes too far by a fifth
	assert_true(worst < 0.25);

	vec3 c, up = {0, 0, 1};
	assert_int_equal(refine_midpoint((vec3){0}, up, (vec3){1, 0, 0}, up, &c), 1);
	check_near(vec3_length(vec3_sub(c, (vec3){0.5f, 0, 0})), 0.0, 1e-7);
	// across a sheet, and one below the other
	assert_int_equal(refine_midpoint((vec3){0}, up, (vec3){1, 0, 0}, (vec3){0, 0, -1}, &c), 0);
	assert_int_equal(refine_midpoint((vec3){0}, up, (vec3){0, 0, 1}, up, &c), 0);
}

static refinement refine_cloud(const cloud *c, int rounds, int threads)
{
	uint32_t *rows = malloc((c->count + 1) * sizeof *rows);
	float *values = malloc((c->count + 1) * 2 * sizeof *values);
	assert_true(rows && values);
	for (uint32_t i = 0; i < c->count; i++)
	{
		rows[i] = i;
		values[2 * i] = 1.0f;
		values[2 * i + 1] = c->places[i].x;
	}
	points_source source = {.count = c->count,
				.rows = rows,
				.positions = &c->places->x,
				.stride = 3,
				.spacing = 1.0f,
				.kernel = NEAR_KERNEL};
	refinement out;
	check_ok(refine_surface(&out, &source, c->count, 2, values, rounds, threads, NULL));
	free(rows);
	free(values);
	return out;
}

static double nearest(const vec3 *a, size_t count, vec3 p, size_t but)
{
	double least = 1e300;
	for (size_t i = 0; i < count; i++)
		if (i != but)
			least = fmin(least, (double)vec3_length(vec3_sub(a[i], p)));
	return least;
}

// A slab of the lattice has a surface without bumps: added points lie in its two outer layers, in the middle between particles.
static void test_slab(void **state)
{
	(void)state;
	cloud c = {0};
	for (int i = 0; i < 20 * 20 * 6; i++)
		cloud_add(&c, (vec3){(float)(i % 20), (float)(i / 20 % 20), (float)(i / 400)});
	for (int rounds = 1; rounds <= 2; rounds++)
	{
		refinement r = refine_cloud(&c, rounds, 1);
		float grid = rounds == 1 ? 2.0f : 4.0f;
		uint32_t inner = 0;
		for (size_t i = 0; i < r.added.places.count; i++)
		{
			vec3 p = r.added.places.data[i];
			if (fminf(p.x, p.y) < 3.9f || fmaxf(p.x, p.y) > 15.1f)
				continue;
			inner++;
			check_near(p.z, p.z < 2.5f ? 0.0 : 5.0, 1e-3);
			check_near(p.x * grid, roundf(p.x * grid), 2e-2);
			check_near(p.y * grid, roundf(p.y * grid), 2e-2);
			check_near(r.added.values.data[2 * i], 1.0, 1e-6);
			check_near(r.added.values.data[2 * i + 1], p.x, 2e-2);
		}
		// from 4 to 15: 23 or 45 places along each axis, 12 of them particles, on both sides
		uint32_t side = rounds == 1 ? 23 : 45;
		assert_int_equal(inner, 2 * (side * side - 12 * 12));
		refinement_free(&r);
	}
	cloud_free(&c);
}

static void test_distances_hold(void **state)
{
	(void)state;
	const double size[1] = {6.0};
	cloud c = cloud_fill(sphere_distance, size, 6.0f, 1.0f, 0.2f);
	for (int rounds = 1; rounds <= 2; rounds++)
	{
		refinement r = refine_cloud(&c, rounds, 1);
		size_t count = r.added.places.count;
		double weld = (double)(REFINE_WELD * NEAR_H) * (rounds == 2 ? 0.5 : 1.0), between = 1e300, from = 1e300;
		for (size_t i = 0; i < count; i++)
		{
			between = fmin(between, nearest(r.added.places.data, count, r.added.places.data[i], i));
			from = fmin(from, nearest(c.places, c.count, r.added.places.data[i], SIZE_MAX));
		}
		print_message("rounds %d: %zu points, nearest pair %.4f, nearest particle %.4f, welded below %.4f\n",
			      rounds, count, between, from, weld);
		assert_true(count > 500);
		assert_true(between >= weld * (1.0 - 1e-5) && from >= weld * (1.0 - 1e-5));
		// and not much further apart
		assert_true(between < 2.0 * weld);
		refinement_free(&r);
	}
	cloud_free(&c);
}

static void test_weld_by_hand(void **state)
{
	(void)state;
	refine_points points = {.width = 2};
	const float places[6][3] = {{0, 0, 0}, {0.2f, 0, 0}, {0.4f, 0, 0}, {5, 0, 0}, {5, 0, 0}, {5.3f, 0, 0}};
	for (int i = 0; i < 6; i++)
		assert_true(refine_points_add(&points, (vec3){places[i][0], places[i][1], places[i][2]},
					      (const float[]){1.0f, (float)i}));
	check_ok(refine_weld(&points, 0.25f, NULL));
	// 0 and 1 become 0.1, too far from 0.4; the two at 5 become one, too far from 5.3
	assert_int_equal(points.places.count, 4);
	check_near(points.places.data[0].x, 0.1, 1e-6);
	check_near(points.values.data[1], 0.5, 1e-6);
	check_near(points.places.data[1].x, 0.4, 1e-6);
	check_near(points.places.data[2].x, 5.0, 1e-6);
	check_near(points.values.data[5], 3.5, 1e-6);
	check_ok(refine_weld(&points, 0.35f, NULL));
	// the means count what went into them: 0.2 of three, 5.1 of three
	assert_int_equal(points.places.count, 2);
	check_near(points.places.data[1].x, (5.0 + 5.3) / 2.0, 1e-6);
	refine_points_free(&points);
}

static uint64_t hash_of(const refinement *r)
{
	uint64_t hash = hash_bytes(r->added.places.data, r->added.places.count * sizeof(vec3), 1);
	return hash_bytes(r->added.values.data, r->added.values.count * sizeof(float), hash);
}

static void test_order_and_threads(void **state)
{
	(void)state;
	const double size[2] = {8.0, 3.0};
	cloud c = cloud_fill(torus_distance, size, 11.0f, 1.0f, 0.2f);
	refinement one = refine_cloud(&c, 2, 1), three = refine_cloud(&c, 2, 3);
	assert_true(one.added.places.count > 1000);
	assert_int_equal(hash_of(&one), hash_of(&three));
	dice d = {5};
	for (uint32_t i = c.count - 1; i > 0; i--)
	{
		uint32_t j = dice_below(&d, i + 1);
		vec3 swap = c.places[i];
		c.places[i] = c.places[j];
		c.places[j] = swap;
	}
	refinement mixed = refine_cloud(&c, 2, 2);
	assert_int_equal(hash_of(&one), hash_of(&mixed));
	refinement_free(&one);
	refinement_free(&three);
	refinement_free(&mixed);
	cloud_free(&c);
}

typedef struct quality
{
	double volume; // over that of the sphere
	double bumps;  // m, rms of the distance from the mean sphere
	double normal; // degrees, rms between triangles' normals and the sphere's
	uint32_t added, triangles;
} quality;

static quality measure(const cloud *c, double radius, int method, double kernel, int refine)
{
	spate_surface_input input = cloud_input(c, 1.0);
	spate_surface_def def = spate_default_surface_def();
	def.method = (spate_surface_method)method;
	def.kernel = kernel;
	def.cell = 0.4;
	def.smoothing = 0;
	def.refine = refine;
	spate_surface_stats stats;
	spate_mesh *mesh = NULL;
	check_ok(spate_surface_create_mesh(&mesh, &input, &def, &stats, NULL));
	check_closed(mesh);
	double sum = 0.0, squares = 0.0, turn = 0.0, area = 0.0;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		double r = (double)vec3_length(mesh_vertex(mesh, v));
		sum += r;
		squares += r * r;
	}
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		const uint32_t *k = mesh->triangles + 3 * (size_t)t;
		vec3 p = mesh_vertex(mesh, k[0]), q = mesh_vertex(mesh, k[1]), r = mesh_vertex(mesh, k[2]);
		vec3 n = vec3_cross(vec3_sub(q, p), vec3_sub(r, p));
		double a = (double)vec3_length(n), cosine = (double)vec3_dot(vec3_normalize(n), vec3_normalize(p));
		double angle = acos(fmin(fmax(cosine, -1.0), 1.0)) * 57.29577951;
		turn += a * angle * angle;
		area += a;
	}
	double mean = sum / mesh->vertex_count;
	quality out = {.volume = stats.volume / (4.0 / 3.0 * 3.14159265358979 * pow(radius, 3.0)),
		       .bumps = sqrt(fmax(squares / mesh->vertex_count - mean * mean, 0.0)),
		       .normal = sqrt(turn / area),
		       .added = stats.refined,
		       .triangles = mesh->triangle_count};
	spate_mesh_destroy(mesh);
	return out;
}

// Particles in shells around a centre, as a drop of a solver is: the surface is round and what is left are bumps over particles.
static cloud shells(double radius, float jitter)
{
	cloud c = {0};
	dice d = {19};
	for (double r = radius - 0.5; r > 0.0; r -= 1.0)
	{
		int count = (int)fmax(1.0, 4.0 * 3.14159265 * r * r + 0.5);
		for (int i = 0; i < count; i++)
		{
			double z = 1.0 - (2.0 * i + 1.0) / count, angle = 2.399963229728653 * i + r;
			double s = sqrt(1.0 - z * z);
			cloud_add(&c, (vec3){(float)(r * s * cos(angle)) + dice_range(&d, -jitter, jitter),
					     (float)(r * s * sin(angle)) + dice_range(&d, -jitter, jitter),
					     (float)(r * z) + dice_range(&d, -jitter, jitter)});
		}
	}
	return c;
}

// A small kernel shows more detail, and bumps over particles; those go with what is added. The method's own kernel hardly shows them.
static void test_bumps_fall(void **state)
{
	(void)state;
	const double size[1] = {5.0};
	cloud clouds[2] = {shells(5.0, 0.12f), cloud_fill(sphere_distance, size, 5.0f, 1.0f, 0.0f)};
	for (int k = 0; k < 12; k++)
	{
		cloud *c = &clouds[k & 1];
		int method = k / 4;
		double kernel = k & 2 ? 1.5 : 0.0;
		quality q[3];
		for (int refine = 0; refine < 3; refine++)
		{
			q[refine] = measure(c, 5.0, method, kernel, refine);
			print_message(
			    "%s sphere of %u, method %d, kernel %g, refine %d: +%u particles, volume %.4f, bumps "
			    "%.4f d, normals off by %.2f degrees\n",
			    k & 1 ? "lattice" : "shaken", c->count, method, kernel, refine, q[refine].added,
			    q[refine].volume, q[refine].bumps, q[refine].normal);
		}
		assert_true(q[1].bumps < (k & 2 ? 0.85 : 1.0) * q[0].bumps);
		assert_true(q[1].normal < (k & 2 ? 0.75 : 0.97) * q[0].normal);
		check_near(q[1].volume / q[0].volume, 1.0, 0.02);
		check_near(q[2].volume / q[0].volume, 1.0, 0.02);
	}
	for (int k = 0; k < 2; k++)
		cloud_free(&clouds[k]);
}

static void test_channels_and_radii(void **state)
{
	(void)state;
	const double size[1] = {5.0};
	cloud c = cloud_fill(sphere_distance, size, 5.0f, 1.0f, 0.1f);
	float *radii = malloc(c.count * sizeof *radii);
	assert_non_null(radii);
	for (uint32_t i = 0; i < c.count; i++)
		radii[i] = c.places[i].x < 0.0f ? 0.5f : 0.55f;
	spate_surface_channel channel = {"place", 3, 3, &c.places->x};
	spate_surface_input input = cloud_input(&c, 1.0);
	input.radii = radii;
	input.channels = &channel;
	input.channel_count = 1;
	spate_surface_def def = spate_default_surface_def();
	def.refine = 1;
	spate_surface_stats stats;
	spate_mesh *mesh = NULL;
	check_ok(spate_surface_create_mesh(&mesh, &input, &def, &stats, NULL));
	check_closed(mesh);
	assert_true(stats.refined > 100);
	assert_int_equal(stats.particles, c.count);
	const spate_mesh_channel *place = spate_mesh_find_channel(mesh, "place");
	assert_non_null(place);
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
		check_near(
		    vec3_length(vec3_sub(mesh_vertex(mesh, v), (vec3){place->values[3 * v], place->values[3 * v + 1],
								      place->values[3 * v + 2]})),
		    0.0, 1.2);
	spate_mesh_destroy(mesh);

	def.refine = 4;
	spate_error error = {0};
	check_result(spate_surface_create_mesh(&mesh, &input, &def, NULL, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "not 4"));
	def.refine = 2;
	input.count = 0;
	check_ok(spate_surface_create_mesh(&mesh, &input, &def, NULL, NULL));
	assert_int_equal(mesh->triangle_count, 0);
	spate_mesh_destroy(mesh);
	input.count = 1;
	check_ok(spate_surface_create_mesh(&mesh, &input, &def, &stats, NULL));
	assert_int_equal(stats.refined, 0);
	check_closed(mesh);
	spate_mesh_destroy(mesh);
	free(radii);
	cloud_free(&c);
}

static void test_memory(void **state)
{
	(void)state;
	const double size[1] = {2.5};
	cloud c = cloud_fill(sphere_distance, size, 2.5f, 1.0f, 0.1f);
	spate_surface_channel channel = {"place", 3, 3, &c.places->x};
	spate_surface_input input = cloud_input(&c, 1.0);
	input.channels = &channel;
	input.channel_count = 1;
	spate_surface_def def = spate_default_surface_def();
	def.refine = 1;
	def.threads = 1;
	uint64_t blocks = mem_get_stats().blocks, n = 1;
	for (;; n++)
	{
		spate_mesh *mesh = NULL;
		mem_fail_at(n);
		spate_result result = spate_surface_create_mesh(&mesh, &input, &def, NULL, NULL);
		mem_fail_at(0);
		spate_mesh_destroy(mesh);
		assert_int_equal(mem_get_stats().blocks, blocks);
		if (result == SPATE_OK)
			break;
		check_result(result, SPATE_MEMORY);
	}
	assert_true(n > 40);
	cloud_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_midpoint_on_sphere), cmocka_unit_test(test_slab),
	    cmocka_unit_test(test_distances_hold),     cmocka_unit_test(test_weld_by_hand),
	    cmocka_unit_test(test_order_and_threads),  cmocka_unit_test(test_bumps_fall),
	    cmocka_unit_test(test_channels_and_radii), cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
