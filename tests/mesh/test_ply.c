// PLY: text and both byte orders, any types, lists of any size, properties that become channels.
#include "bytes.h"
#include "mesh_support.h"

static const char head[] =
    "comment a test\nobj_info of sorts\nelement camera 2\nproperty list uint8 int16 q\n"
    "element vertex 5\nproperty double x\nproperty float y\nproperty short z\nproperty uchar red\n"
    "property uchar green\nproperty uchar blue\nproperty float nx\nproperty float ny\n"
    "property float nz\nproperty char heat\nproperty list uchar float extra\nproperty int flow_x\n"
    "property uint flow_y\nelement face 2\nproperty float quality\nproperty list ushort int vertex_indices\n"
    "element nothing 4000000000\nend_header\n";

// A roof: a quad and a triangle.
static const double xs[5] = {0, 1, 1, 0, 0.5};
static const float ys[5] = {0, 0, 1.5f, 1.5f, 2};
static const int zs[5] = {0, 0, 0, 0, -3};

static file_bytes binary_file(int big)
{
	file_bytes b = {.big = big};
	put_text(&b, big ? "ply\nformat binary_big_endian 1.0\n" : "ply\nformat binary_little_endian 1.0\n");
	put_text(&b, head);
	put_bits(&b, 3, 1);
	for (uint64_t i = 0; i < 3; i++)
		put_bits(&b, i, 2);
	put_bits(&b, 0, 1);
	for (int i = 0; i < 5; i++)
	{
		put_double(&b, xs[i]);
		put_float(&b, ys[i]);
		put_bits(&b, (uint64_t)zs[i], 2);
		for (uint64_t k = 0; k < 3; k++)
			put_bits(&b, 51 * (k + (uint64_t)i % 2), 1);
		for (int k = 0; k < 3; k++)
			put_float(&b, (float)(k == 2));
		put_bits(&b, (uint64_t)-i, 1);
		put_bits(&b, (uint64_t)i, 1);
		for (int k = 0; k < i; k++)
			put_float(&b, 7.0f);
		put_bits(&b, (uint64_t)(-1000 * i), 4);
		put_bits(&b, 3000000000u, 4);
	}
	put_float(&b, 0.5f);
	put_bits(&b, 4, 2);
	for (uint64_t k = 0; k < 4; k++)
		put_bits(&b, k, 4);
	put_float(&b, 0.5f);
	put_bits(&b, 3, 2);
	put_bits(&b, 3, 4);
	put_bits(&b, 2, 4);
	put_bits(&b, 4, 4);
	return b;
}

static void check_roof(const spate_mesh *mesh)
{
	static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 3, 2, 4};
	check_counts(mesh, 5, 3, 0);
	assert_memory_equal(mesh->triangles, triangles, sizeof triangles);
	assert_int_equal(mesh->channel_count, 4);
	const spate_mesh_channel *color = spate_mesh_find_channel(mesh, "color"),
				 *heat = spate_mesh_find_channel(mesh, "heat"),
				 *normal = spate_mesh_find_channel(mesh, "normal"),
				 *flow = spate_mesh_find_channel(mesh, "flow");
	assert_true(color && heat && normal && flow);
	assert_int_equal(color->components, 3);
	assert_int_equal(normal->components, 3);
	assert_int_equal(heat->components, 1);
	assert_int_equal(flow->components, 2);
	for (int i = 0; i < 5; i++)
	{
		const float place[3] = {(float)xs[i], ys[i], (float)zs[i]};
		check_floats(mesh->positions + 3 * i, place, 3);
		for (int k = 0; k < 3; k++)
			check_near((double)color->values[3 * i + k], 0.2 * (k + i % 2), 1e-7);
		check_near((double)normal->values[3 * i + 2], 1.0, 0.0);
		check_near((double)heat->values[i], -i, 0.0);
		check_near((double)flow->values[2 * i], -1000.0 * i, 0.0);
		check_near((double)flow->values[2 * i + 1], 3e9, 0.0);
	}
}

static void both_byte_orders(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++)
	{
		file_bytes b = binary_file(big);
		spate_mesh *mesh = mesh_of_bytes("roof.ply", b.data, b.count);
		check_roof(mesh);
		spate_mesh_destroy(mesh);
		// told by its content
		mesh = mesh_of_bytes("roof.stl", b.data, b.count);
		spate_mesh_destroy(mesh);
		check_beginnings("roof.ply", b.data, b.count, 0);
		sweep_memory("roof.ply", b.data, b.count);
	}
}

static void as_text(void **state)
{
	(void)state;
	char text[4096];
	int length = snprintf(text, sizeof text, "ply\r\nformat ascii 1.0\r\n%s3 0 1 2\r\n0\r\n", head);
	for (int i = 0; i < 5; i++)
	{
		length +=
		    snprintf(text + length, sizeof text - (size_t)length, "%g %g %d %d %d %d 0 0 1e0 %d %d", xs[i],
			     (double)ys[i], zs[i], 51 * (i % 2), 51 * (1 + i % 2), 51 * (2 + i % 2), -i, i);
		for (int k = 0; k < i; k++)
			length += snprintf(text + length, sizeof text - (size_t)length, " 7");
		length += snprintf(text + length, sizeof text - (size_t)length, " %d 3000000000\n", -1000 * i);
	}
	snprintf(text + length, sizeof text - (size_t)length, "0.5 4 0 1 2 3\n0.5 3 3 2 4");
	spate_mesh *mesh = mesh_of("roof.ply", text);
	check_roof(mesh);
	spate_mesh_destroy(mesh);
	sweep_memory("roof.ply", text, strlen(text));
}

#define PLAIN "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
#define SQUARE "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
#define FACE "element face 1\nproperty list uchar int vertex_index\nend_header\n"

static void uvs(void **state)
{
	(void)state;
	// of vertices, under each of their names
	static const char *const names[][2] = {{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}};
	for (int n = 0; n < 3; n++)
	{
		char text[512];
		snprintf(text, sizeof text,
			 PLAIN "property float %s\nproperty float %s\n" FACE
			       "0 0 0 .1 .2\n1 0 0 .3 .4\n1 1 0 .5 .6\n0 1 0 .7 .8\n4 0 1 2 3\n",
			 names[n][0], names[n][1]);
		spate_mesh *mesh = mesh_of("a.ply", text);
		static const float expected[] = {.1f, .2f, .3f, .4f, .5f, .6f, .1f, .2f, .5f, .6f, .7f, .8f};
		check_counts(mesh, 4, 2, 0);
		assert_int_equal(mesh->channel_count, 0);
		check_floats(mesh->uvs, expected, 12);
		spate_mesh_destroy(mesh);
	}
	// of corners
	spate_mesh *mesh = mesh_of("a.ply", PLAIN "element face 1\nproperty list uchar int vertex_indices\n"
						  "property list uchar float texcoord\nend_header\n" SQUARE
						  "4 0 1 2 3 8 .1 .2 .3 .4 .5 .6 .7 .8\n");
	static const float expected[] = {.1f, .2f, .3f, .4f, .5f, .6f, .1f, .2f, .5f, .6f, .7f, .8f};
	check_floats(mesh->uvs, expected, 12);
	spate_mesh_destroy(mesh);
}

static void old_ends_of_lines(void **state)
{
	(void)state;
	char text[512];
	snprintf(text, sizeof text, "%s", PLAIN FACE);
	for (char *at = text; *at; at++)
		if (*at == '\n')
			*at = '\r';
	strcat(text, SQUARE "4 0 1 2 3\n");
	spate_mesh *mesh = mesh_of("a.ply", text);
	check_counts(mesh, 4, 2, 0);
	spate_mesh_destroy(mesh);
}

static void broken_files(void **state)
{
	(void)state;
	check_refused("a.ply", "ply\n", "a.ply:2: the header has no end");
	check_refused("a.ply", "ply\nend_header\n", "a.ply:2: the header has no format line");
	check_refused("a.ply", "ply\nformat cuneiform 1.0\n", "a.ply:2: unknown format 'cuneiform'");
	check_refused("a.ply", "ply\nformat ascii 1.0\nproperty float x\n",
		      "a.ply:3: a property precedes the first element");
	check_refused("a.ply", "ply\nelement vertex 1\nproperty real x\n",
		      "a.ply:3: 'real' is not a valid property type");
	check_refused("a.ply", "ply\nelement vertex 1\nproperty list float int x\n",
		      "a.ply:3: 'float' is not a valid type for a list length");
	check_refused("a.ply", "ply\nelement vertex many\n", "a.ply:2: element vertex has no count");
	check_refused("a.ply", "ply\nelemental\n", "a.ply:2: 'elemental' is not a PLY header keyword");
	check_refused("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
		      "a.ply: its vertices have no x, y and z");
	check_refused("a.ply", PLAIN "end_header\n" SQUARE,
		      "a.ply has no triangles: it is a point cloud without faces");
	check_refused("a.ply", PLAIN "element face 0\nproperty list uchar int vertex_index\nend_header\n" SQUARE,
		      "a.ply has no triangles: it is a point cloud without faces");
	check_refused("a.ply", PLAIN FACE SQUARE "4 0 1 2 4\n",
		      "a.ply:14: a face refers to vertex 4, but indices range from 0 to 3");
	check_refused("a.ply", PLAIN FACE SQUARE "4 0 1 2 -1\n",
		      "a.ply:14: a face refers to vertex -1, but indices range from 0 to 3");
	check_refused("a.ply", PLAIN FACE SQUARE "4 0 1 2 0.5\n",
		      "a.ply:14: a face refers to vertex 0.5, but indices range from 0 to 3");
	check_refused("a.ply", PLAIN FACE SQUARE "-4 0 1 2 3\n", "a.ply:14: a list has the invalid length -4");
	check_refused("a.ply", PLAIN FACE SQUARE "4000 0 1 2 3\n", "a.ply:14: the file is truncated");
	check_refused("a.ply", PLAIN FACE "0 0 0\n1 inf 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
		      "a.ply:11: vertex 1 has a non-finite position");
	check_refused("a.ply", PLAIN FACE "0 0 0\n1 one 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
		      "a.ply:11: 'one' is not a number");
	check_refused(
	    "a.ply",
	    "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_index\nend_header\n3 0 1 2\n",
	    "a.ply: its faces come before its vertices");
	check_refused("a.ply", PLAIN "element face 1\nproperty int index\nend_header\n" SQUARE "3\n",
		      "a.ply: its faces have no list vertex_indices");
}

// Counts are not believed: four thousand million vertices in a file of some bytes.
static void promises(void **state)
{
	(void)state;
	static const char text[] = "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\n"
				   "property float y\nproperty float z\nend_header\n";
	check_refused("a.ply", text,
		      "a.ply: byte 124: the file is truncated: the header promises 4000000000 of element vertex");
	// a broken vertex in a binary file: NaN in the second
	file_bytes b = {.big = 0};
	put_text(&b, "ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
		     "property float z\nend_header\n");
	size_t start = b.count;
	for (int i = 0; i < 6; i++)
		put_float(&b, i == 4 ? NAN : 1.0f);
	char sentence[96];
	snprintf(sentence, sizeof sentence, "a.ply: byte %zu: vertex 1 has a non-finite position", start + 12);
	check_refused_bytes("a.ply", b.data, b.count, sentence);
}

// A needle without area closes a surface between fluids, and is nothing but a flaw in any other mesh.
static void needles(void **state)
{
	(void)state;
	for (int sides = 0; sides < 2; sides++)
	{
		char text[512];
		snprintf(
		    text, sizeof text,
		    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
		    "element face 2\nproperty list uchar int vertex_indices\n%send_header\n"
		    "0 0 0\n1 0 0\n2 0 0\n1 1 0\n3 0 2 3%s\n3 0 1 2%s\n",
		    sides ? "property uchar side_a\nproperty uchar side_b\n" : "", sides ? " 2 1" : "",
		    sides ? " 2 1" : "");
		spate_mesh *mesh = NULL;
		check_ok(mesh_parse(&mesh, "needle.ply", text, strlen(text), NULL));
		assert_int_equal(mesh->triangle_count, sides ? 2 : 1);
		spate_mesh_destroy(mesh);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(both_byte_orders),  cmocka_unit_test(as_text),      cmocka_unit_test(uvs),
	    cmocka_unit_test(old_ends_of_lines), cmocka_unit_test(broken_files), cmocka_unit_test(promises),
	    cmocka_unit_test(needles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
