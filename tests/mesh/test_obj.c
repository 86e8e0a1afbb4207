// OBJ: what is read, how polygons are cut, and what broken files are told.
#include "mesh_support.h"

#define CUBE "v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\n"

static void quads_make_a_cube(void **state)
{
	(void)state;
	spate_mesh *mesh = mesh_of("a.obj", CUBE "f 1 5 7 3\nf 2 4 8 6\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 4 2\nf 5 6 8 7\n");
	check_counts(mesh, 8, 12, 0);
	spate_mesh_measure m = measure_of(mesh);
	assert_true(m.closed);
	assert_int_equal(m.flipped_edges, 0);
	check_near(m.volume, 8.0, 1e-12);
	check_near(m.area, 24.0, 1e-12);
	assert_null(mesh->uvs);
	spate_mesh_destroy(mesh);
}

// Negative indices count from the last vertex before the face, not from the last of the file.
static void negative_indices(void **state)
{
	(void)state;
	spate_mesh *mesh =
	    mesh_of("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 5\nv 1 0 5\nv 0 1 5\nf -3 -2 -1\n");
	static const uint32_t expected[] = {0, 1, 2, 3, 4, 5};
	check_counts(mesh, 6, 2, 0);
	assert_memory_equal(mesh->triangles, expected, sizeof expected);
	spate_mesh_destroy(mesh);
}

// Positive indices may name what comes later in the file; negative ones count from where they stand.
static void later_lines(void **state)
{
	(void)state;
	static const float places[] = {0, 0, 0, 1, 0, 0, 1, 1, 0}, uvs[] = {.25f, 0, 1, .5f, 0, .75f};
	static const char *const orders[] = {
	    "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1/1/1 2/2/1 3/3/1\nvt .25 0\nvt 1 .5\nvt 0 .75\n",
	    "f 1/1/1 2/2/1 3/3/1\nvn 0 0 1\nvt .25 0\nv 0 0 0\nvt 1 .5\nvt 0 .75\nv 1 0 0\nv 1 1 0\n",
	    "v 0 0 0\nv 1 0 0\nvt .25 0\nvt 1 .5\nf -2/-2 -1/-1 3/3\nv 1 1 0\nvt 0 .75\n"};
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
	{
		spate_mesh *mesh = mesh_of("a.obj", orders[i]);
		static const uint32_t corners[] = {0, 1, 2};
		check_counts(mesh, 3, 1, 0);
		check_floats(mesh->positions, places, 9);
		assert_memory_equal(mesh->triangles, corners, sizeof corners);
		assert_non_null(mesh->uvs);
		check_floats(mesh->uvs, uvs, 6);
		spate_mesh_destroy(mesh);
	}
	check_refused("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1/1 2/2 3/3\nvt 0 0\nvt 1 0\n",
		      "a.obj:4: a face refers to texture coordinate 3, but there are 2");
	check_refused("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nf 1/-1 2/-2 3/1\nvt 1 0\n",
		      "a.obj:5: a face refers to texture coordinate -2, but there are 1");
}

// A comment begins wherever its sign stands, and is never continued.
static void comments(void **state)
{
	(void)state;
	spate_mesh *mesh = mesh_of("a.obj", "#v 9 9 9\nv 0 0 0#red\nv 1 0 0# \\\nv 1 1 0 #\nvt 0 0#\n"
					    "f 1/1 2/1 3/1# up \\\nf#down \\\nv 0 1 0\nf 1 3 4#last");
	check_counts(mesh, 4, 2, 1);
	static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
	assert_memory_equal(mesh->triangles, triangles, sizeof triangles);
	spate_mesh_destroy(mesh);
}

// Odd but legal: continued lines, ends of lines from elsewhere, groups with face-like names, faces before vertices, no last end of line.
static void odd_lines(void **state)
{
	(void)state;
	spate_mesh *mesh =
	    mesh_of("a.obj", "# ends in a backslash \\\r\ng An f 1 2 9\r\no f\r\nusemtl v 1 2 3\r\ns off\r\n"
			     "f 1 \\\r\n  2 \\\r\n3\r\n\tv 0 0 \\\r\n 0\r\nv\t1  0 0 1.0\r\nvn 0 0 1\r\n"
			     "vp 0.3\r\nfoo 3 4 5\r\nv 0 +1 0 # a comment");
	static const float expected[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
	check_counts(mesh, 3, 1, 0);
	check_floats(mesh->positions, expected, 9);
	spate_mesh_destroy(mesh);
}

static void uvs_at_corners(void **state)
{
	(void)state;
	// the shared edge has other coordinates in every face; the third face has none
	spate_mesh *mesh =
	    mesh_of("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt .25 .75 0\n"
			     "f 1/1/1 2/2/1 3/3/1\nf 1/4 3/-2 4/1\nf 1//1 2//1 4//1\nf 1 2 3\n");
	static const float expected[] = {0, 0, 1, 0, 1, 1, .25f, .75f, 1, 1, 0, 0};
	check_counts(mesh, 4, 4, 0);
	assert_non_null(mesh->uvs);
	check_floats(mesh->uvs, expected, 12);
	for (int i = 12; i < 24; i++)
		check_near((double)mesh->uvs[i], 0.0, 0.0);
	spate_mesh_destroy(mesh);

	// coordinates that no face uses are none
	mesh = mesh_of("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nf 1 2 3\n");
	assert_null(mesh->uvs);
	spate_mesh_destroy(mesh);
}

// The uvs of a polygon's corners stay with them however it is cut: here they are the places themselves.
static void uvs_of_polygons(void **state)
{
	(void)state;
	spate_mesh *mesh =
	    mesh_of("a.obj", "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 1 0\nv 0 4 0\nvt 0 0\nvt 4 0\nvt 4 4\nvt 2 1\n"
			     "vt 0 4\nf 1/1 2/2 3/3 4/4 5/5\n");
	check_counts(mesh, 5, 3, 0);
	for (size_t i = 0; i < 9; i++)
		check_floats(mesh->uvs + 2 * i, mesh->positions + 3 * (size_t)mesh->triangles[i], 2);
	spate_mesh_destroy(mesh);
}

static void colors_of_vertices(void **state)
{
	(void)state;
	spate_mesh *mesh = mesh_of("a.obj", "v 0 0 0\nv 1 0 0 1 .5 .25\nv 1 1 0 1 0.1 0.2 0.3\nf 1 2 3\n");
	const spate_mesh_channel *color = spate_mesh_find_channel(mesh, "color");
	static const float expected[] = {0, 0, 0, 1, .5f, .25f, .1f, .2f, .3f};
	assert_non_null(color);
	assert_int_equal(color->components, 3);
	check_floats(color->values, expected, 9);
	spate_mesh_destroy(mesh);
}

// Area by sign is kept, and no triangle lies outside: the areas add up to that of the polygon.
static void check_polygon(const char *corners, uint32_t count, double area)
{
	// in all planes, one of them askew, and in both directions
	for (int plane = 0; plane < 4; plane++)
		for (int turn = 0; turn < 2; turn++)
		{
			char text[4096];
			size_t length = 0;
			const char *at = corners;
			for (uint32_t i = 0; i < count; i++)
			{
				char *end;
				double x = strtod(at, &end), y = strtod(end, &end);
				at = end;
				const double places[4][3] = {{x, y, 0}, {0, x, y}, {x, 2, y}, {x, y, x + y}};
				const double *p = places[plane];
				length += (size_t)snprintf(text + length, sizeof text - length, "v %g %g %g\n", p[0],
							   p[1], p[2]);
			}
			length += (size_t)snprintf(text + length, sizeof text - length, "f");
			for (uint32_t i = 0; i < count; i++)
				length += (size_t)snprintf(text + length, sizeof text - length, " %u",
							   turn ? count - i : i + 1);
			spate_mesh *mesh = mesh_of("polygon.obj", text);
			assert_int_equal(mesh->triangle_count + mesh->dropped, count - 2);
			check_near(measure_of(mesh).area, plane == 3 ? area * sqrt(3.0) : area, 1e-5 * area);
			spate_mesh_destroy(mesh);
		}
}

static void polygons(void **state)
{
	(void)state;
	check_polygon("0 0 4 0 4 4 0 4", 4, 16);
	// a dart, from each of its corners
	check_polygon("0 0 4 0 1 1 0 4", 4, 4);
	check_polygon("4 0 1 1 0 4 0 0", 4, 4);
	check_polygon("1 1 0 4 0 0 4 0", 4, 4);
	// a corner in the middle of an edge
	check_polygon("0 0 2 0 4 0 0 4", 4, 8);
	// an L, a comb, a star
	check_polygon("0 0 4 0 4 1 1 1 1 4 0 4", 6, 7);
	check_polygon("0 0 7 0 7 3 6 3 6 1 5 1 5 3 4 3 4 1 3 1 3 3 2 3 2 1 1 1 1 3 0 3", 16, 15);
	check_polygon("10 0 3 1 0 10 -3 1 -10 0 -3 -1 0 -10 3 -1", 8, 80);
	// a square with a square hole, along a bridge there and back
	check_polygon("0 0 4 0 4 4 0 4 0 0 1 1 1 3 3 3 3 1 1 1", 10, 12);
	// a spiral
	check_polygon("0 0 6 0 6 6 1 6 1 2 4 2 4 4 3 4 3 3 2 3 2 5 5 5 5 1 0 1", 14, 21);
}

static void what_has_no_area(void **state)
{
	(void)state;
	// equal corners, a line, a line within rounding, one good triangle, an edge
	spate_mesh *mesh =
	    mesh_of("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nv 0.3 0.1 0\nv 0.6 0.2 0\nv 0.9 0.3 0\n"
			     "f 1 1 2\nf 1 2 4\nf 5 6 7\nf 1 2 3\nf 1 2\n");
	check_counts(mesh, 7, 1, 4);
	spate_mesh_destroy(mesh);
	// small is not flat
	mesh = mesh_of("a.obj", "v 0 0 0\nv 1e-15 0 0\nv 0 1e-15 0\nf 1 2 3\n");
	check_counts(mesh, 3, 1, 0);
	spate_mesh_destroy(mesh);
}

static void broken_files(void **state)
{
	(void)state;
	check_refused("a.obj", "", "a.obj is empty");
	check_refused("a.obj", "# nothing\n", "a.obj has no triangles");
	check_refused("a.obj", "v 1 2 3\n", "a.obj has no triangles: it is a point cloud without faces");
	check_refused("a.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 1 1 3\n",
		      "a.obj has no triangles: all 2 are degenerate");
	check_refused("a.obj", "v 0 0 0\nv 1 nan 0\n", "a.obj:2: vertex 2 has a non-finite position");
	check_refused("a.obj", "v 0 0 -inf\n", "a.obj:1: vertex 1 has a non-finite position");
	check_refused("a.obj", "\nv 0 1e39 0\n", "a.obj:2: vertex 1 has a non-finite position");
	check_refused("a.obj", "v 0 0\n", "a.obj:1: a vertex needs x, y and z, but the line has 2 numbers");
	check_refused("a.obj", "v 0 0 O\n", "a.obj:1: 'O' is not a number");
	check_refused("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 4\n",
		      "a.obj:5: a face refers to vertex 4, but there are 3");
	check_refused("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n",
		      "a.obj:4: a face refers to vertex 0, but there are 3");
	check_refused("a.obj", "v 0 0 0\nf -1 -2 1\nv 1 0 0\nv 0 1 0\n",
		      "a.obj:2: a face refers to vertex -2, but there are 1");
	check_refused("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/2 3/1\n",
		      "a.obj:5: a face refers to texture coordinate 2, but there are 1");
	check_refused("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3.5\n",
		      "a.obj:4: '3.5' is not a corner of a face; corners are v, v/vt, v//vn or v/vt/vn");
	check_refused(
	    "a.obj", "v 0 0 0\nf 1 99999999999999999999 1\n",
	    "a.obj:2: '99999999999999999999' is not a corner of a face; corners are v, v/vt, v//vn or v/vt/vn");
	check_refused("a.txt", "hello there\n",
		      "a.txt is not a mesh in a supported format: ply, obj, stl, off or spate");
}

static void told_by_content(void **state)
{
	(void)state;
	static const char *const names[] = {"a.stl", "a.ply", "a.off", "a", "a.txt", "a.obj"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
	{
		spate_mesh *mesh = mesh_of(names[i], "# x\nmtllib x\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
		check_counts(mesh, 3, 1, 0);
		spate_mesh_destroy(mesh);
		mesh = mesh_of(names[i], "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
		spate_mesh_destroy(mesh);
	}
}

static void out_of_memory(void **state)
{
	(void)state;
	static const char text[] =
	    "v 0 0 0 1 0 0\nv 4 0 0\nv 4 4 0\nv 2 1 0\nv 0 4 0\nvt 0 0\nf 1/1 2/1 3/1 4/1 5/1\nf 1 2 3\n";
	sweep_memory("a.obj", text, sizeof text - 1);
	check_beginnings("a.obj", text, sizeof text - 1, 19);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(quads_make_a_cube), cmocka_unit_test(negative_indices),
	    cmocka_unit_test(odd_lines),         cmocka_unit_test(later_lines),
	    cmocka_unit_test(comments),          cmocka_unit_test(uvs_at_corners),
	    cmocka_unit_test(uvs_of_polygons),   cmocka_unit_test(colors_of_vertices),
	    cmocka_unit_test(polygons),          cmocka_unit_test(what_has_no_area),
	    cmocka_unit_test(broken_files),      cmocka_unit_test(told_by_content),
	    cmocka_unit_test(out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
