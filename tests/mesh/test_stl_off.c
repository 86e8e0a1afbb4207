// STL, text and binary, and OFF.
#include "mesh_support.h"

#define FACET(a, b, c) \
	" facet normal 0 0 0\n  outer loop\n   vertex " a "\n   vertex " b "\n   vertex " c "\n  endloop\n endfacet\n"
#define TETRA                            \
	FACET("0 0 0", "0 1 0", "1 0 0") \
	FACET("-0 0 0", "1e0 0 0", "0 0 1") FACET("0 0 0", "0 0 1", "0 1 -0.0") FACET("1 0 0", "0 1 0", "0 0 1.0")

static void text_is_welded(void **state)
{
	(void)state;
	spate_mesh *mesh = mesh_of("a.stl", "solid a tetrahedron\n" TETRA "endsolid a tetrahedron\n");
	check_counts(mesh, 4, 4, 0);
	spate_mesh_measure m = measure_of(mesh);
	assert_true(m.closed);
	assert_int_equal(m.components, 1);
	check_near(m.volume, 1.0 / 6.0, 1e-12);
	spate_mesh_destroy(mesh);
}

static void odd_text(void **state)
{
	(void)state;
	// several solids, capitals, tabs, names full of our words, all in one line
	static const char one[] =
	    "SOLID facet loop\r\nFACET NORMAL 0 0 1\r\n\tOuter Loop\r\n Vertex 0 0 0\r\nvertex\t1 0\t0 vertex\r\n"
	    "0 1 0 ENDLOOP endfacet\nEndSolid\n\n";
	char text[2048];
	snprintf(text, sizeof text,
		 "%ssolid\n%sendsolid\nsolid x facet normal 0 0 1 outer loop vertex 7 0 0 vertex 8 0 0 vertex "
		 "7 1 0 endloop endfacet endsolid x",
		 one, TETRA);
	spate_mesh *mesh = mesh_of("a.obj", text);
	// the first triangle lies on the bottom of the tetrahedron
	check_counts(mesh, 7, 6, 0);
	assert_int_equal(measure_of(mesh).components, 2);
	spate_mesh_destroy(mesh);
}

static void put_u32(char *to, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (char)(value >> 8 * i);
}

static void put_float(char *to, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	put_u32(to, bits);
}

// Two triangles that share an edge, and a third without area.
static size_t binary_file(char data[84 + 150], const char *header)
{
	static const float corners[27] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, -0.0f, 1, 1,
					  0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 2, 2,     0};
	memset(data, 0, 84 + 150);
	memcpy(data, header, strlen(header));
	put_u32(data + 80, 3);
	for (int i = 0; i < 27; i++)
		put_float(data + 84 + i / 9 * 50 + 12 + i % 9 * 4, corners[i]);
	return 84 + 150;
}

static void binary_files(void **state)
{
	(void)state;
	static const char *const headers[] = {"", "solid facet normal", "FileType: Binary", "ply\n"};
	char data[84 + 150 + 1];
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
	{
		size_t bytes = binary_file(data, headers[i]);
		// what begins like a PLY file is taken for one
		if (i == 3)
		{
			check_refused_bytes("a.stl", data, bytes, "a.stl:2: the header has no end");
			continue;
		}
		spate_mesh *mesh = mesh_of_bytes(i % 2 ? "a.obj" : "a.stl", data, bytes);
		check_counts(mesh, 5, 2, 1);
		static const uint32_t triangles[] = {0, 1, 2, 1, 3, 2};
		assert_memory_equal(mesh->triangles, triangles, sizeof triangles);
		spate_mesh_destroy(mesh);
	}
	// something behind the triangles does no harm
	size_t bytes = binary_file(data, "x");
	data[bytes] = 'x';
	spate_mesh *mesh = mesh_of_bytes("a.stl", data, bytes + 1);
	spate_mesh_destroy(mesh);
	sweep_memory("a.stl", data, bytes);
	check_beginnings("a.stl", data, bytes, 0);
}

static void broken_stl(void **state)
{
	(void)state;
	char data[84 + 150];
	size_t bytes = binary_file(data, "x");
	check_refused_bytes("a.stl", data, bytes - 1,
			    "a.stl: byte 233: the file is truncated: its header promises 3 triangles, it contains 2");
	check_refused_bytes("a.stl", data, 60, "a.stl: byte 60: the file is truncated within its header of 84 bytes");
	put_u32(data + 80, 0xffffffffu);
	check_refused_bytes(
	    "a.stl", data, bytes,
	    "a.stl: byte 234: the file is truncated: its header promises 4294967295 triangles, it contains 3");
	put_u32(data + 80, 0);
	check_refused_bytes("a.stl", data, 84, "a.stl has no triangles");
	bytes = binary_file(data, "x");
	put_float(data + 84 + 50 + 24 + 4, NAN);
	check_refused_bytes("a.stl", data, bytes, "a.stl: byte 158: a corner of triangle 2 has a non-finite position");

	check_refused("a.stl", "solid\nendsolid\n", "a.stl has no triangles");
	check_refused("a.stl", "solid\n" FACET("0 0 0", "1 0 0", "2 0 0") "endsolid\n",
		      "a.stl has no triangles: all 1 are degenerate");
	check_refused("a.stl", "solid\n" FACET("0 0 0", "1 0 0", "0 1 0"),
		      "a.stl:9: the file is truncated: endsolid is missing");
	check_refused("a.stl", "solid\n" FACET("0 0 0", "1 x 0", "0 1 0"), "a.stl:5: 'x' is not a number");
	check_refused("a.stl", "solid\n" FACET("0 0 0", "1 1e40 0", "0 1 0"),
		      "a.stl:5: a vertex has a non-finite position");
	check_refused("a.stl", "solid\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 endloop\n",
		      "a.stl:2: a facet has 2 corners");
	check_refused("a.stl", "solid\nfacet normal 0 0 1 outer loop vertex 0 0", "a.stl:2: the file is truncated");
	check_refused("a.stl", "solid\n facets\nendsolid\n", "a.stl:2: 'facets' is not an STL keyword");
}

static void off_files(void **state)
{
	(void)state;
	// counts in the first line, comments anywhere, colours of faces, a pentagon
	spate_mesh *mesh =
	    mesh_of("a.off", "OFF 5 2 0 # counts\n# comment\n\n0 0 0\n1 0 0 # one\n1 1 0\n\n.5 2 0\n0 1 0\n"
			     "5 0 1 2 3 4 255 0 0\n3  0 2 1 0.5 0.5 0.5\n");
	check_counts(mesh, 5, 4, 0);
	check_near(measure_of(mesh).area, 2.0, 1e-7);
	spate_mesh_destroy(mesh);

	// comments right behind words and numbers, and between the numbers of one vertex or face
	mesh =
	    mesh_of("a.off", "#first\nCOFF#header\n3#vertices\n1 0#faces and edges\n0 0 0#black\n1#x\n0 0 255 0 0#red\n"
			     "0 1 0 0 0 1#blue\n3#corners\n0 1#two\n2#and the third");
	static const float places[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
	check_counts(mesh, 3, 1, 0);
	check_floats(mesh->positions, places, 9);
	check_near((double)spate_mesh_find_channel(mesh, "color")->values[3], 1.0, 0.0);
	spate_mesh_destroy(mesh);

	// no header at all, and no number of edges
	mesh = mesh_of("a.off", "3 1\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2");
	check_counts(mesh, 3, 1, 0);
	assert_int_equal(mesh->channel_count, 0);
	spate_mesh_destroy(mesh);

	// told by its content
	mesh = mesh_of("a.stl", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
	spate_mesh_destroy(mesh);
}

static void off_channels(void **state)
{
	(void)state;
	spate_mesh *mesh =
	    mesh_of("a.off", "COFF\n3 1 0\n0 0 0 255 0 51 255\n1 0 0 0 255 0 255\n0 1 0 0 0 255 255\n3 0 1 2\n");
	static const float bytes[] = {1, 0, 51 / 255.0f, 0, 1, 0, 0, 0, 1};
	check_floats(spate_mesh_find_channel(mesh, "color")->values, bytes, 9);
	spate_mesh_destroy(mesh);
	mesh = mesh_of("a.off",
		       "STCNOFF\n3 1 0\n0 0 0 0 0 1 .5 .25 1 .1 .2\n1 0 0 0 0 1 0 1 0 .3 .4\n0 1 0 0 1 0 0 0 1 .5 .6\n"
		       "3 0 1 2\n");
	static const float colors[] = {.5f, .25f, 1, 0, 1, 0, 0, 0, 1}, normals[] = {0, 0, 1, 0, 0, 1, 0, 1, 0},
			   uvs[] = {.1f, .2f, .3f, .4f, .5f, .6f};
	check_floats(spate_mesh_find_channel(mesh, "color")->values, colors, 9);
	check_floats(spate_mesh_find_channel(mesh, "normal")->values, normals, 9);
	check_floats(mesh->uvs, uvs, 6);
	spate_mesh_destroy(mesh);
}

static void broken_off(void **state)
{
	(void)state;
	check_refused("a.off", "# only\n", "a.off has no triangles");
	check_refused("a.off", "OFF\n", "a.off:2: the numbers of vertices and faces are missing");
	check_refused("a.off", "4OFF\n3 1 0\n",
		      "a.off:1: the header '4OFF' is not supported; OFF, COFF, NOFF, CNOFF and STOFF are");
	check_refused("a.off", "OFF BINARY\n", "a.off:1: binary OFF is not supported; save the file as text");
	check_refused("a.off", "OFF\n3000000000 1 0\n0 0 0\n",
		      "a.off:3: the file is truncated: its header promises 3000000000 vertices and 1 faces");
	check_refused("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
		      "a.off:6: a face refers to vertex 3, but indices range from 0 to 2");
	check_refused("a.off", "OFF\n3 1 0\n0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n",
		      "a.off:4: vertex 2 has a non-finite position");
	check_refused("a.off", "OFF\n3 1 0\n0 0 0\n1 2,5 0\n0 1 0\n3 0 1 2\n", "a.off:4: '2,5' is not a number");
	check_refused("a.off", "OFF\n3 2 0\n0.00 0.00 0.00\n1 0 0\n0 1 0\n3 0 1 2\n",
		      "a.off:7: the file is truncated at face 2 of 2");
	check_refused("a.off", "OFF\n3 1 0\n0.00 0.00 0.00\n1.0 0 0\n0 1 0\n3 0 1",
		      "a.off:6: the file is truncated at face 1 of 1");
	static const char text[] =
	    "STCNOFF\n3 1 0\n0 0 0 0 0 1 .5 .25 1 .1 .2\n1 0 0 0 0 1 0 1 0 .3 .4\n0 1 0 0 1 0 0 0 1 .5 .6\n"
	    "3 0 1 2\n";
	sweep_memory("a.off", text, sizeof text - 1);
	check_beginnings("a.off", text, sizeof text - 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(text_is_welded), cmocka_unit_test(odd_text),  cmocka_unit_test(binary_files),
	    cmocka_unit_test(broken_stl),     cmocka_unit_test(off_files), cmocka_unit_test(off_channels),
	    cmocka_unit_test(broken_off),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
