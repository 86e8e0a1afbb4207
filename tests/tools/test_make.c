// Example meshes have the volume, the area and the edges that geometry gives them; sequences have the names that were asked for.
#include "mesh/mesh_support.h"
#include "mesh/sequence.h"
#include "tools/meshes/make.h"

// A regular polygon of n corners on the unit circle.
static double polygon_area(uint32_t n)
{
	return 0.5 * n * sin(2.0 * M_PI / n);
}

static void check_closed(const spate_mesh *mesh, uint64_t components, double volume)
{
	spate_mesh_measure m = measure_of(mesh);
	assert_int_equal(m.open_edges, 0);
	assert_int_equal(m.crowded_edges, 0);
	assert_int_equal(m.flipped_edges, 0);
	assert_true(m.closed);
	assert_int_equal(m.components, components);
	check_near(m.volume, volume, 1e-6 * volume);
}

// Slices between two similar polygons, summed up to the sphere of this many segments and rings.
static double sphere_volume(double radius, uint32_t segments, uint32_t rings)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < rings; i++)
	{
		double a = M_PI * i / rings, b = M_PI * (i + 1) / rings, r = sin(a), s = sin(b);
		sum += (cos(a) - cos(b)) * (r * r + r * s + s * s) / 3.0;
	}
	return sum * polygon_area(segments) * radius * radius * radius;
}

static void solids(void **state)
{
	(void)state;
	spate_mesh *mesh;
	check_ok(make_box(&mesh, (const double[3]){1, 2, 3}, NULL));
	check_closed(mesh, 1, 6.0);
	check_near(measure_of(mesh).area, 22.0, 1e-5);
	assert_non_null(mesh->uvs);
	spate_mesh_destroy(mesh);

	check_ok(make_sphere(&mesh, 2.0, 48, 24, NULL));
	check_closed(mesh, 1, sphere_volume(2.0, 48, 24));
	check_near(measure_of(mesh).volume, 4.0 / 3.0 * M_PI * 8.0, 0.02 * 33.5);
	assert_int_equal(mesh->vertex_count, 48 * 23 + 2);
	spate_mesh_destroy(mesh);

	// Pappus: the area of the tube's polygon times the way of its middle, of a polygon as well
	check_ok(make_torus(&mesh, 1.0, 0.25, 64, 32, NULL));
	check_near(measure_of(mesh).volume, 2.0 * M_PI * M_PI * 0.0625, 0.01 * 1.234);
	check_closed(mesh, 1, 64 * sin(2.0 * M_PI / 64) * polygon_area(32) * 0.0625);
	spate_mesh_destroy(mesh);

	check_ok(make_cup(&mesh, 0.5, 1.0, 0.1, 30, NULL));
	check_closed(mesh, 1, polygon_area(30) * (0.25 * 1.0 - 0.16 * 0.9));
	spate_mesh_measure m = measure_of(mesh);
	check_near(m.low[1], 0.0, 0.0);
	check_near(m.high[1], 1.0, 0.0);
	spate_mesh_destroy(mesh);
}

static void soups(void **state)
{
	(void)state;
	spate_mesh *mesh;
	check_ok(make_two_spheres(&mesh, 1.0, 0.7, 16, 8, NULL));
	check_closed(mesh, 2, 2.0 * sphere_volume(1.0, 16, 8));
	spate_mesh_destroy(mesh);

	check_ok(make_wheel(&mesh, 1.0, 0.2, 0.5, 0.05, 6, NULL));
	check_closed(mesh, 7, polygon_area(24) * 0.04 * 0.5 + 6 * 0.9 * 0.5 * 0.05);
	spate_mesh_destroy(mesh);

	// two sticks along x, and five along z
	check_ok(make_grate(&mesh, 1.0, 0.05, 3, NULL));
	spate_mesh_measure m = measure_of(mesh);
	check_near(m.volume, 7 * 0.0025, 1e-8);
	check_near(m.high[0], 0.5, 1e-7);
	check_near(m.low[2], -0.5, 1e-7);
	spate_mesh_destroy(mesh);
}

static void turned(void **state)
{
	(void)state;
	static const double profile[3][2] = {{0.5, 0.0}, {0.5, 1.0}, {0.25, 2.0}};
	spate_mesh *mesh;
	check_ok(make_turned(&mesh, profile, 3, 1, 40, NULL));
	// a cylinder and a part of a cone
	check_closed(mesh, 1, polygon_area(40) * (0.25 + (0.25 + 0.125 + 0.0625) / 3.0));
	spate_mesh_destroy(mesh);
	check_ok(make_turned(&mesh, profile, 3, 0, 40, NULL));
	assert_int_equal(measure_of(mesh).open_edges, 40);
	spate_mesh_destroy(mesh);
	check_result(make_turned(&mesh, (const double[2][2]){{0.0, 0.0}, {1.0, 1.0}}, 2, 1, 40, NULL), SPATE_INVALID);
}

static void places(void **state)
{
	(void)state;
	spate_mesh *mesh;
	check_ok(make_cascade(&mesh, NULL));
	spate_mesh_measure m = measure_of(mesh);
	assert_true(m.closed);
	assert_int_equal(m.components, 1);
	assert_int_equal(m.flipped_edges, 0);
	assert_true(m.volume > 0.0);
	check_near(m.low[1], -0.5, 1e-6);
	check_near(m.high[0] - m.low[0], 2.8, 1e-6);
	spate_mesh_destroy(mesh);

	check_ok(make_sewer(&mesh, NULL));
	check_closed(mesh, 3, 0.8 * 0.16 * 0.5 + 0.3 * 0.45 * 0.3 + polygon_area(32) * 0.06 * 0.06 * 0.6);
	spate_mesh_destroy(mesh);

	check_ok(make_cobbles(&mesh, NULL));
	m = measure_of(mesh);
	assert_true(m.closed && m.volume > 0.0 && m.components > 20);
	for (size_t v = 0; v < mesh->vertex_count; v++)
	{
		const float *p = mesh->positions + 3 * v;
		assert_false(fabsf(p[0] - 0.05f) < 0.15f && fabsf(p[2]) < 0.13f);
		assert_true(p[0] > -0.4f && p[0] < 0.4f);
	}
	spate_mesh_destroy(mesh);
}

static void sheets(void **state)
{
	(void)state;
	spate_mesh *mesh;
	check_ok(make_terrain(&mesh, 4.0, 2.0, 0.5, 20, 3, NULL));
	spate_mesh_measure m = measure_of(mesh);
	assert_false(m.closed);
	assert_int_equal(m.open_edges, 80);
	assert_int_equal(m.flipped_edges, 0);
	assert_true(m.area > 8.0 && m.low[1] >= 0.0 && m.high[1] <= 0.5 && m.high[1] - m.low[1] > 0.1);
	assert_non_null(mesh->uvs);
	// uvs follow the places, and all triangles look up
	for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
	{
		const float *p = mesh->positions + 3 * (size_t)mesh->triangles[i];
		check_near((double)mesh->uvs[2 * i], (double)p[0] / 4.0 + 0.5, 1e-6);
		check_near((double)mesh->uvs[2 * i + 1], (double)p[2] / 2.0 + 0.5, 1e-6);
	}
	// another seed gives other hills, the same seed the same
	spate_mesh *again, *other;
	check_ok(make_terrain(&again, 4.0, 2.0, 0.5, 20, 3, NULL));
	check_ok(make_terrain(&other, 4.0, 2.0, 0.5, 20, 4, NULL));
	check_same_mesh(mesh, again);
	assert_memory_not_equal(mesh->positions, other->positions, 12 * (size_t)mesh->vertex_count);
	spate_mesh_destroy(mesh);
	spate_mesh_destroy(again);
	spate_mesh_destroy(other);
	check_ok(make_terrain(&mesh, 1.0, 1.0, 0.0, 2, 0, NULL));
	const float *p[3] = {mesh->positions + 3 * (size_t)mesh->triangles[0],
			     mesh->positions + 3 * (size_t)mesh->triangles[1],
			     mesh->positions + 3 * (size_t)mesh->triangles[2]};
	double up = (double)((p[1][2] - p[0][2]) * (p[2][0] - p[0][0]) - (p[1][0] - p[0][0]) * (p[2][2] - p[0][2]));
	check_near(up, 0.25, 1e-6);
	spate_mesh_destroy(mesh);

	// one edge all around, and somewhere the sides meet
	check_ok(make_moebius(&mesh, 1.0, 0.4, 40, NULL));
	m = measure_of(mesh);
	assert_int_equal(m.open_edges, 80);
	assert_int_equal(m.crowded_edges, 0);
	assert_int_equal(m.components, 1);
	assert_true(m.flipped_edges > 0);
	spate_mesh_destroy(mesh);
}

static void strange_ones(void **state)
{
	(void)state;
	spate_mesh *mesh;
	check_ok(make_flipped_cube(&mesh, 2.0, 0, NULL));
	check_closed(mesh, 1, 8.0);
	spate_mesh_destroy(mesh);
	// one side inwards: all of its four edges tell, and its third of the volume counts twice against the rest
	check_ok(make_flipped_cube(&mesh, 2.0, 1 << 2, NULL));
	spate_mesh_measure m = measure_of(mesh);
	assert_true(m.closed);
	assert_int_equal(m.flipped_edges, 4);
	check_near(m.volume, 8.0 * 4.0 / 6.0, 1e-9);
	spate_mesh_destroy(mesh);

	check_ok(make_wings(&mesh, 2.0, 1.0, 4, NULL));
	m = measure_of(mesh);
	check_near(m.volume, 0.0, 1e-12);
	check_near(m.area, 2.0 * 2.0 * sqrt(1.0625), 1e-6);
	assert_int_equal(m.open_edges, 0);
	spate_mesh_destroy(mesh);

	spate_error error = {0};
	check_result(make_cup(&mesh, 0.5, 1.0, 0.6, 30, &error), SPATE_INVALID);
	assert_string_equal(error.text, "a cup of this size cannot be made");
	check_result(make_sphere(&mesh, 1.0, 2, 8, &error), SPATE_INVALID);
	check_result(make_sphere(&mesh, 1.0, 4000000000u, 4000000000u, &error), SPATE_RANGE);
	mem_fail_at(4);
	check_result(make_box(&mesh, (const double[3]){1, 2, 3}, &error), SPATE_MEMORY);
	mem_fail_at(0);
	assert_int_equal(mem_get_stats().blocks, 0);
}

static void creatures(void **state)
{
	(void)state;
	// thirteen balls; in twice the size eight times the volume
	spate_mesh *mesh;
	check_ok(make_critter(&mesh, 1.0, NULL));
	spate_mesh_measure small = measure_of(mesh);
	check_closed(mesh, 13, small.volume);
	check_near(small.low[1], 0.0, 1e-6);
	assert_true(small.volume > 0.0);
	spate_mesh_destroy(mesh);
	check_ok(make_critter(&mesh, 2.0, NULL));
	check_closed(mesh, 13, 8.0 * small.volume);
	spate_mesh_destroy(mesh);
	// a duck of eight balls, and a hull in one piece
	check_ok(make_duck(&mesh, 1.0, NULL));
	check_closed(mesh, 8, measure_of(mesh).volume);
	spate_mesh_destroy(mesh);
	check_ok(make_hull(&mesh, 1.0, NULL));
	spate_mesh_measure hull = measure_of(mesh);
	check_closed(mesh, 1, hull.volume);
	assert_true(hull.volume > 0.02 && hull.volume < 0.28 * 0.3);
	spate_mesh_destroy(mesh);
	// an idol faces x: its lips are furthest out, at the height that emitters count on, but for its plinth
	check_ok(make_idol(&mesh, 1.0, NULL));
	spate_mesh_measure idol = measure_of(mesh);
	check_closed(mesh, 31, idol.volume);
	check_near(idol.low[1], 0.0, 1e-6);
	double lips = 0.0;
	for (size_t v = 0; v < mesh->vertex_count; v++)
		if (fabsf(mesh->positions[3 * v + 1] - 0.64f) < 0.1f)
			lips = fmax(lips, (double)mesh->positions[3 * v]);
	check_near(lips, 0.27, 0.01);
	spate_mesh_destroy(mesh);

	// body with its fin, two wings, six balls. Wings are open all around, fins at the two free sides of every triangle; nine bands of
	// twelve sides look inwards, with two edges to the others at every side
	check_ok(make_dragon(&mesh, 1.0, NULL));
	spate_mesh_measure m = measure_of(mesh);
	assert_false(m.closed);
	assert_int_equal(m.components, 9);
	assert_int_equal(m.crowded_edges, 43);
	assert_int_equal(m.open_edges, 2 * 4 * 8 + 2 * 43);
	assert_int_equal(m.flipped_edges, 9 * 2 * 12);
	spate_mesh_destroy(mesh);

	// the wave shears slices of the fish sideways: triangles and volume stay, and after a whole beat all of it
	spate_mesh *still, *beat;
	check_ok(make_fish(&still, 1.0, 0.0, NULL));
	check_ok(make_fish(&mesh, 1.0, 0.25, NULL));
	check_ok(make_fish(&beat, 1.0, 1.0, NULL));
	double volume = measure_of(still).volume;
	check_closed(still, 1, volume);
	check_closed(mesh, 1, volume);
	assert_true(volume > 0.0);
	assert_memory_equal(mesh->triangles, still->triangles, 12 * (size_t)mesh->triangle_count);
	double moved = 0.0, repeated = 0.0;
	for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
	{
		moved = fmax(moved, fabs((double)(mesh->positions[i] - still->positions[i])));
		repeated = fmax(repeated, fabs((double)(beat->positions[i] - still->positions[i])));
	}
	check_near(repeated, 0.0, 1e-6);
	assert_true(moved > 0.1);
	spate_mesh_destroy(mesh);
	spate_mesh_destroy(still);
	spate_mesh_destroy(beat);

	spate_error error = {0};
	check_result(make_dragon(&mesh, 0.0, &error), SPATE_INVALID);
	check_result(make_critter(&mesh, -1.0, &error), SPATE_INVALID);
	check_result(make_fish(&mesh, 0.0, 0.0, &error), SPATE_INVALID);
	assert_string_equal(error.text, "a fish of this size cannot be made");
	assert_int_equal(mem_get_stats().blocks, 0);
}

static void check_path(const char *pattern, int64_t frame, const char *expected)
{
	char path[64];
	spate_error error = {0};
	if (sequence_path(path, sizeof path, pattern, frame, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	assert_string_equal(path, expected);
}

static void check_no_path(const char *pattern, const char *sentence)
{
	char path[64];
	spate_error error = {0};
	check_result(sequence_path(path, sizeof path, pattern, 1, &error), SPATE_INVALID);
	assert_string_equal(error.text, sentence);
	check_result(sequence_path(NULL, 0, pattern, 1, NULL), SPATE_INVALID);
}

static void sequences(void **state)
{
	(void)state;
	check_path("fish.%04d.obj", 12, "fish.0012.obj");
	check_path("%d", 123456, "123456");
	check_path("a/%3d.ply", 7, "a/  7.ply");
	check_path("100%%_%02d%%.stl", 123, "100%_123%.stl");
	check_path("x%04d", -5, "x-005");
	// folders are called what they are called
	check_path("100%%/%02d%%.stl", 123, "100%%/123%.stl");
	check_path("/%/100%/%d/%s/%02d.stl", 7, "/%/100%/%d/%s/07.stl");
	check_no_path(
	    "fish.obj",
	    "the pattern 'fish.obj' has 0 placeholders for the frame number; exactly one is needed, such as %04d");
	check_no_path(
	    "%d_%04d.obj",
	    "the pattern '%d_%04d.obj' has 2 placeholders for the frame number; exactly one is needed, such as %04d");
	check_no_path(
	    "%d/fish.obj",
	    "the pattern '%d/fish.obj' has 0 placeholders for the frame number; exactly one is needed, such as %04d");
	// what is no field stands for itself
	check_path("50%_%d.obj", 1, "50%_1.obj");
	check_path("%n%d%", 1, "%n1%");
	static const char *const plain[] = {"50%.obj",       "fish.%s.obj", "%",    "%ld",  "%*d", "%19d",
					    "%99999999999d", "%-4d",        "%.4d", "%1$d", "%%d", "%d_%04d.obj"};
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
	{
		check_result(sequence_path(NULL, 0, plain[i], 1, NULL), SPATE_INVALID);
		assert_false(sequence_is_pattern(plain[i]));
	}
	check_ok(sequence_path(NULL, 0, "%018d", 1, NULL));
	char small[8];
	check_result(sequence_path(small, sizeof small, "abcdef%d", 12, NULL), SPATE_INVALID);
	check_ok(sequence_path(small, sizeof small, "abcdef%d", 1, NULL));
	assert_true(sequence_is_pattern("a%04d.obj"));
	assert_false(sequence_is_pattern("100%%.obj"));
	assert_false(sequence_is_pattern("100%/a%04d/a.obj"));
	assert_true(sequence_is_pattern("100%/a%04d.obj"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(solids),       cmocka_unit_test(soups),     cmocka_unit_test(sheets),
	    cmocka_unit_test(strange_ones), cmocka_unit_test(creatures), cmocka_unit_test(sequences),
	    cmocka_unit_test(turned),       cmocka_unit_test(places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
