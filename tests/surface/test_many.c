// Surfaces of many fluids: space is parted, interfaces are shared, and the outside is that of one liquid.
#include "many_cases.h"

#include "base/hash.h"

// Each kind once, shaken and smoothed by turns.
static void test_space_is_parted(void **state)
{
	(void)state;
	for (int n = 0; n < MANY_KINDS; n++)
		check_many_parted(&many_kinds[n], n & 1, n & 2 ? 5 : 0, 20000);
}

// Every vertex of the surface of all particles as one liquid is there again, seams and all: on edges of the grid the cuts against air are
// the same.
static void test_outside_is_that_of_one(void **state)
{
	(void)state;
	particle_set from = particle_set_make(3, 20, 0.2f, four, NULL);
	many_set set = many_set_make(&from, 4);
	spate_surface_input input = {
	    .count = from.input.count, .positions = from.input.positions, .spacing = 2.0 * (double)from.input.radius};
	for (int smoothing = 0; smoothing <= 5; smoothing += 5)
	{
		spate_surface_def def = spate_default_surface_def();
		def.smoothing = smoothing;
		spate_surface_stats stats, of_one;
		spate_surface_many *many = many_make(spate_surface_create_meshes, &set, &def, &stats);
		spate_mesh *one = NULL;
		check_ok(spate_surface_create_mesh(&one, &input, &def, &of_one, NULL));
		vertex_grid grid = vertex_grid_make(many->combined, 0.1f);
		double worst = 0.0, sum = 0.0;
		for (uint32_t v = 0; v < one->vertex_count; v++)
		{
			double d = vertex_distance(&grid, one->positions + 3 * v) / input.spacing;
			worst = fmax(worst, d);
			sum += d;
		}
		print_message(
		    "smoothing %d: vertices of the surface of one liquid are %.5f d from those of many in the mean, "
		    "%.5f d at most; volumes %.6f and %.6f\n",
		    smoothing, sum / one->vertex_count, worst, of_one.volume, stats.volume);
		// clamped cuts near grid points differ by 2 % of a cell
		if (smoothing == 0)
			assert_true(worst < 0.75 * 0.021);
		check_near(stats.volume / of_one.volume, 1.0, 0.01);
		vertex_grid_free(&grid);
		spate_mesh_destroy(one);
		spate_surface_many_destroy(many);
	}
	many_set_free(&set);
	particle_set_free(&from);
}

// Fluids that touch have no air between them, though each fluid on its own ends somewhere else.
static void test_no_film_of_air(void **state)
{
	(void)state;
	particle_set from = particle_set_make(3, 16, 0.3f, layers, NULL);
	many_set set = many_set_make(&from, 2);
	spate_surface_def def = spate_default_surface_def();
	spate_surface_many *many = many_make(spate_surface_create_meshes, &set, &def, NULL);
	enum
	{
		SIDE = 60
	};
	static float points[SIDE * SIDE * SIDE * 3];
	static uint8_t labels[SIDE * SIDE * SIDE];
	for (uint32_t i = 0; i < SIDE * SIDE * SIDE; i++)
		for (uint32_t k = 0; k < 3; k++)
			points[3 * i + k] =
			    0.12f + 0.76f * (float)(i / (uint32_t[]){1, SIDE, SIDE * SIDE}[k] % SIDE) / (SIDE - 1);
	check_ok(spate_surface_classify(many, SIDE * SIDE * SIDE, points, labels, 0, NULL));
	for (uint32_t i = 0; i < SIDE * SIDE * SIDE; i++)
		assert_true(labels[i] == 1 || labels[i] == 2);
	// the interface is near the plane
	for (uint32_t t = 0; t < many->combined->triangle_count; t++)
		for (uint32_t k = 0; k < 3 && many->sides[2 * t + 1] == 1; k++)
			check_near(many->combined->positions[3 * many->combined->triangles[3 * t + k] + 1], 0.5,
				   0.75 / 16);
	spate_surface_many_destroy(many);
	many_set_free(&set);
	particle_set_free(&from);
}

static void test_compared_with_chromatic(void **state)
{
	(void)state;
#ifdef SPATE_QHULL
	check_against_chromatic(&many_kinds[2]); // three sectors
#endif
}

// Two fluids of spacings 1 and 1.5 side by side.
static void test_two_spacings(void **state)
{
	(void)state;
	ARRAY(float) fine = {0};
	ARRAY(float) coarse = {0};
	for (int i = 0; i < 12 * 12 * 6; i++)
		for (int k = 0; k < 3; k++)
			assert_true(array_push(&fine, 0.5f + (float)(i / (int[]){1, 12, 144}[k] % 12)));
	for (int i = 0; i < 8 * 8 * 4; i++)
		for (int k = 0; k < 3; k++)
			assert_true(array_push(&coarse, (k == 2 ? 6.0f : 0.0f) +
							    1.5f * (0.5f + (float)(i / (int[]){1, 8, 64}[k] % 8))));
	many_set set = {.fluids = 3};
	set.inputs[0] = (spate_surface_input){.count = 864, .positions = fine.data, .spacing = 1.0};
	set.inputs[2] = (spate_surface_input){.count = 256, .positions = coarse.data, .spacing = 1.5};
	// a fluid without particles has a place and nothing in it
	set.inputs[1] = (spate_surface_input){.spacing = 0.01};
	spate_surface_def def = spate_default_surface_def();
	spate_surface_many *many = many_make(spate_surface_create_meshes, &set, &def, NULL);
	check_many(many, 50000, NULL, NULL);
	check_near(mesh_volume(many->fluids[0]) / 864.0, 1.0, 0.06);
	check_near(mesh_volume(many->fluids[2]) / 864.0, 1.0, 0.09);
	assert_int_equal(many->fluids[1]->triangle_count, 0);
	for (uint32_t t = 0; t < many->combined->triangle_count; t++)
		for (uint32_t k = 0; k < 3 && many->sides[2 * t + 1] == 1; k++)
		{
			assert_int_equal(many->sides[2 * t], 3);
			check_near(many->combined->positions[3 * many->combined->triangles[3 * t + k] + 2], 6.0, 0.75);
		}
	spate_surface_many_destroy(many);
	array_free(&fine);
	array_free(&coarse);
}

// A ball of `count` places of one fluid in another.
static double share_of_drop(float radius, uint32_t *count)
{
	ARRAY(float) places[2] = {{0}};
	*count = 0;
	for (int i = 0; i < 11 * 11 * 11; i++)
	{
		float p[3] = {(float)(i % 11) - 5.0f, (float)(i / 11 % 11) - 5.0f, (float)(i / 121) - 5.0f};
		int drop = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] <= radius * radius;
		*count += (uint32_t)drop;
		for (int k = 0; k < 3; k++)
			assert_true(array_push(&places[drop], p[k]));
	}
	many_set set = {.fluids = 2};
	for (int f = 0; f < 2; f++)
		set.inputs[f] = (spate_surface_input){
		    .count = (uint32_t)(places[f].count / 3), .positions = places[f].data, .spacing = 1.0};
	spate_surface_def def = spate_default_surface_def();
	def.cell = 0.4;
	spate_surface_many *many = many_make(spate_surface_create_meshes, &set, &def, NULL);
	check_many(many, 20000, NULL, NULL);
	double share = mesh_volume(many->fluids[1]) / *count;
	spate_surface_many_destroy(many);
	array_free(&places[0]);
	array_free(&places[1]);
	return share;
}

static void test_drops_in_liquid(void **state)
{
	(void)state;
	const float radii[4] = {0.5f, 1.0f, 1.8f, 3.0f};
	for (int k = 0; k < 4; k++)
	{
		uint32_t count;
		double share = share_of_drop(radii[k], &count);
		print_message("a drop of %u particles in another fluid has %.2f of its volume\n", count, share);
		if (k == 3)
			check_near(share, 1.0, 0.1);
	}
}

static void test_seam_is_smooth(void **state)
{
	(void)state;
	for (int n = 0; n < 4; n++)
		check_seam_line(many_angles[n], many_tilts[n & 1], n & 2, n == 0 || n == 3 ? 0 : 5);
}

static uint64_t many_hash(const spate_surface_many *many)
{
	uint64_t hash = hash_bytes(many->sides, 2 * many->combined->triangle_count, 1);
	hash = hash_bytes(many->combined->positions, 12 * many->combined->vertex_count, hash);
	hash = hash_bytes(many->combined->triangles, 12 * many->combined->triangle_count, hash);
	for (uint32_t k = 0; k < many->fluid_count; k++)
		for (uint32_t c = 0; c < many->fluids[k]->channel_count; c++)
			hash = hash_bytes(many->fluids[k]->channels[c].values,
					  4 * many->fluids[k]->vertex_count * many->fluids[k]->channels[c].components,
					  hash);
	return hash;
}

static void test_threads_and_channels(void **state)
{
	(void)state;
	particle_set from = particle_set_make(3, 14, 0.2f, sectors, NULL);
	many_set set = many_set_make(&from, 3);
	spate_surface_channel channels[3];
	for (uint32_t f = 0; f < 3; f++)
	{
		channels[f] = (spate_surface_channel){"place", 3, 3, set.positions[f].data};
		set.inputs[f].channels = &channels[f];
		set.inputs[f].channel_count = f == 1 ? 0 : 1;
	}
	uint64_t hashes[3];
	for (int k = 0; k < 3; k++)
	{
		spate_surface_def def = spate_default_surface_def();
		def.threads = 1 + k;
		spate_surface_many *many = many_make(spate_surface_create_meshes, &set, &def, NULL);
		hashes[k] = many_hash(many);
		assert_null(spate_mesh_find_channel(many->fluids[1], "place"));
		const spate_mesh_channel *place = spate_mesh_find_channel(many->fluids[2], "place");
		assert_non_null(place);
		assert_non_null(spate_mesh_find_channel(many->fluids[0], "normal"));
		for (uint32_t v = 0; v < 3 * many->fluids[2]->vertex_count; v++)
			check_near(place->values[v], many->fluids[2]->positions[v], 1.2 / 14);
		spate_surface_many_destroy(many);
	}
	assert_int_equal(hashes[0], hashes[1]);
	assert_int_equal(hashes[0], hashes[2]);
	many_set_free(&set);
	particle_set_free(&from);
}

static void test_clip(void **state)
{
	(void)state;
	particle_set from = particle_set_make(3, 16, 0.1f, layers, NULL);
	many_set set = many_set_make(&from, 2);
	spate_surface_def def = spate_default_surface_def();
	def.clip = 1;
	for (int k = 0; k < 3; k++)
	{
		def.clip_min[k] = k == 0 ? 0.5 : -1.0;
		def.clip_max[k] = 2.0;
	}
	spate_surface_stats stats;
	spate_surface_many *many = many_make(spate_surface_create_meshes, &set, &def, &stats);
	check_many(many, 20000, NULL, NULL);
	check_near(stats.volume, 0.5, 0.03);
	spate_surface_many_destroy(many);
	many_set_free(&set);
	particle_set_free(&from);
}

// A ball of fluid 1 in air around a ball of fluid 2 with a bubble in it; drops of both beside, and one of fluid 2 in the shell of fluid 1.
static uint8_t nested(const void *context, const float p[3])
{
	(void)context;
	static const struct
	{
		float x, y, z, radius;
		uint8_t fluid;
	} balls[] = {{0.45f, 0.5f, 0.5f, 0.06f, 0}, {0.45f, 0.5f, 0.5f, 0.17f, 2},  {0.71f, 0.5f, 0.5f, 0.055f, 2},
		     {0.45f, 0.5f, 0.5f, 0.4f, 1},  {0.93f, 0.93f, 0.5f, 0.06f, 1}, {0.93f, 0.07f, 0.5f, 0.06f, 2}};
	for (size_t k = 0; k < sizeof balls / sizeof *balls; k++)
	{
		float x = p[0] - balls[k].x, y = p[1] - balls[k].y, z = p[2] - balls[k].z;
		if (x * x + y * y + z * z < balls[k].radius * balls[k].radius)
			return balls[k].fluid;
	}
	return 0;
}

static uint8_t label_at(const spate_surface_many *many, float x, float y, float z)
{
	uint8_t label;
	check_ok(spate_surface_classify(many, 1, (const float[3]){x, y, z}, &label, 1, NULL));
	return label;
}

static void test_small_parts(void **state)
{
	(void)state;
	particle_set from = particle_set_make(3, 40, 0.05f, nested, NULL);
	many_set set = many_set_make(&from, 2);
	double particle = pow(2.0 * (double)from.input.radius, 3.0), drop = 4.0 / 3.0 * 3.14159265 * 0.06 * 0.06 * 0.06;
	double inner = 4.0 / 3.0 * 3.14159265 * 0.17 * 0.17 * 0.17;
	uint32_t vertices = 0;
	for (int n = 0; n < 4; n++)
	{
		spate_surface_def def = spate_default_surface_def();
		def.min_blob = n == 1 || n == 2 ? 2.0 * drop / particle : n == 3 ? 1.5 * inner / particle : 0.0;
		def.min_cavity = n >= 2 ? 2.0 * drop / particle : 0.0;
		spate_surface_stats stats;
		spate_surface_many *many = many_make(spate_surface_create_meshes, &set, &def, &stats);
		check_many(many, 20000, NULL, NULL);
		print_message("%u blobs, %u cavities, %u vertices\n", stats.blobs, stats.cavities, stats.vertices);
		assert_int_equal(stats.blobs, n == 0 ? 0 : n == 3 ? 4 : 3);
		assert_int_equal(stats.cavities, n >= 2);
		// bubble, inner ball, drop in the shell, shell, drops in air
		assert_int_equal(label_at(many, 0.45f, 0.5f, 0.5f), n < 2 ? 0 : n == 2 ? 2 : 1);
		assert_int_equal(label_at(many, 0.45f, 0.61f, 0.5f), n < 3 ? 2 : 1);
		assert_int_equal(label_at(many, 0.71f, 0.5f, 0.5f), n == 0 ? 2 : 1);
		assert_int_equal(label_at(many, 0.45f, 0.77f, 0.5f), 1);
		assert_int_equal(label_at(many, 0.93f, 0.93f, 0.5f), n == 0 ? 1 : 0);
		assert_int_equal(label_at(many, 0.93f, 0.07f, 0.5f), n == 0 ? 2 : 0);
		assert_true(n == 0 || stats.vertices < vertices);
		vertices = stats.vertices;
		spate_surface_many_destroy(many);
	}
	// everything, with the bubble that nobody asked to fill
	spate_surface_def def = spate_default_surface_def();
	def.min_blob = 1e6;
	spate_surface_stats stats;
	spate_surface_many *many = many_make(spate_surface_create_meshes, &set, &def, &stats);
	assert_int_equal(stats.blobs, 5);
	assert_int_equal(stats.triangles, 0);
	assert_int_equal(many->combined->vertex_count, 0);
	spate_surface_many_destroy(many);
	many_set_free(&set);
	particle_set_free(&from);
}

// Two tetrahedra of different fluids that overlap: the place in both is told from one in either.
static void test_tangle_is_told(void **state)
{
	(void)state;
	float places[24] = {0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3};
	uint32_t triangles[24] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
	uint8_t sides[16];
	for (uint32_t k = 0; k < 12; k++)
	{
		places[12 + k] = places[k] - 0.5f;
		triangles[12 + k] = triangles[k] + 4;
		sides[2 * (k % 8)] = k % 8 < 4 ? 1 : 2;
		sides[2 * (k % 8) + 1] = 0;
	}
	spate_mesh mesh = {.vertex_count = 8, .triangle_count = 8, .positions = places, .triangles = triangles};
	spate_surface_many many = {.fluid_count = 2, .combined = &mesh, .sides = sides};
	const float points[15] = {0.2f, 0.2f, 0.2f, 0.9f, 0.9f, 0.9f, -0.2f, -0.1f, 0.3f, 5, 0, 0, NAN, 0, 0};
	const uint8_t expected[5] = {SPATE_SURFACE_TANGLED, 1, 2, 0, 0};
	uint8_t labels[5];
	check_ok(spate_surface_classify(&many, 5, points, labels, 1, NULL));
	assert_memory_equal(labels, expected, 5);
	// in line with edges and corners
	const float edges[6] = {-0.3f, 0.0f, 0.0f, 0.5f, 0.5f, 0.0f};
	check_ok(spate_surface_classify(&many, 2, edges, labels, 1, NULL));
	assert_int_equal(labels[0], 2);
}

static void test_refused(void **state)
{
	(void)state;
	spate_surface_input inputs[16] = {{.spacing = 1.0}};
	spate_surface_def def = spate_default_surface_def();
	spate_surface_many *many = NULL;
	spate_error error = {0};
	check_result(spate_surface_create_meshes(&many, 0, inputs, &def, NULL, &error), SPATE_INVALID);
	check_result(spate_surface_create_meshes(&many, 16, inputs, &def, NULL, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "not 16"));
	check_result(spate_surface_create_meshes(&many, 2, inputs, &def, NULL, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "fluid 2"));
	assert_null(many);
	inputs[1].spacing = 1.0;
	def.refine = 1;
	check_result(spate_surface_create_meshes(&many, 2, inputs, &def, NULL, &error), SPATE_INVALID);
	def.refine = 0;
	def.decimate = 0.1;
	check_result(spate_surface_create_meshes(&many, 2, inputs, &def, NULL, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "refine and decimate must be 0"));
	def.decimate = 0.0;
	// no particles at all
	check_ok(spate_surface_create_meshes(&many, 2, inputs, &def, NULL, NULL));
	assert_int_equal(many->combined->triangle_count, 0);
	uint8_t label = 9;
	check_ok(spate_surface_classify(many, 1, (const float[3]){0, 0, 0}, &label, 1, NULL));
	assert_int_equal(label, 0);
	check_result(spate_surface_classify(many, 1, NULL, &label, 1, NULL), SPATE_INVALID);
	spate_surface_many_destroy(many);
	// one particle, and one that is nowhere
	const float places[6] = {0, 0, 0, NAN, 0, 0};
	inputs[0].count = 2;
	inputs[0].positions = places;
	check_ok(spate_surface_create_meshes(&many, 2, inputs, &def, NULL, NULL));
	check_ok(spate_surface_classify(many, 1, (const float[3]){0, 0, 0}, &label, 1, NULL));
	assert_int_equal(label, 1);
	spate_surface_many_destroy(many);
	spate_surface_many_destroy(NULL);
}

static void test_memory(void **state)
{
	(void)state;
	particle_set from = particle_set_make(3, 4, 0.1f, sectors, NULL);
	many_set set = many_set_make(&from, 3);
	spate_surface_def def = spate_default_surface_def();
	def.min_blob = def.min_cavity = 2.0;
	def.threads = 1;
	uint64_t blocks = mem_get_stats().blocks, n = 1;
	for (;; n++)
	{
		spate_surface_many *many = NULL;
		uint8_t label;
		mem_fail_at(n);
		spate_result result = spate_surface_create_meshes(&many, 3, set.inputs, &def, NULL, NULL);
		if (result == SPATE_OK)
			result = spate_surface_classify(many, 1, (const float[3]){0}, &label, 1, NULL);
		mem_fail_at(0);
		spate_surface_many_destroy(many);
		assert_int_equal(mem_get_stats().blocks, blocks);
		if (result == SPATE_OK)
			break;
		check_result(result, SPATE_MEMORY);
	}
	assert_true(n > 50);
	many_set_free(&set);
	particle_set_free(&from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_space_is_parted),
	    cmocka_unit_test(test_outside_is_that_of_one),
	    cmocka_unit_test(test_no_film_of_air),
	    cmocka_unit_test(test_compared_with_chromatic),
	    cmocka_unit_test(test_two_spacings),
	    cmocka_unit_test(test_drops_in_liquid),
	    cmocka_unit_test(test_seam_is_smooth),
	    cmocka_unit_test(test_threads_and_channels),
	    cmocka_unit_test(test_clip),
	    cmocka_unit_test(test_small_parts),
	    cmocka_unit_test(test_tangle_is_told),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
