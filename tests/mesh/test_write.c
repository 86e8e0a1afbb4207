// What is written reads back as it was, in every format that is read; the bytes of the others are looked at one by one.
#define _GNU_SOURCE
#include "base/file.h"
#include "mesh_support.h"
#include "scratch.h"
#include "tools/meshes/make.h"

// A sphere with uvs and channels of one to four components.
static spate_mesh *rich_mesh(void)
{
	static const char *const names[] = {"heat", "flow", "normal", "color"};
	spate_mesh *mesh;
	check_ok(make_sphere(&mesh, 0.7, 12, 6, NULL));
	for (uint32_t n = 0; n < 4; n++)
	{
		spate_mesh_channel *channel;
		// three of colour, so that obj holds them as well
		uint32_t components = n == 3 ? 3 : n + 1;
		check_ok(spate_mesh_add_channel(mesh, names[n], components, &channel, NULL));
		for (size_t i = 0; i < (size_t)components * mesh->vertex_count; i++)
			channel->values[i] = sinf((float)(i * (n + 1))) * (n == 0 ? 1e-30f : 1.0f);
	}
	return mesh;
}

static void write_mesh(const spate_mesh *mesh, const char *path)
{
	spate_error error = {0};
	if (spate_mesh_write(mesh, path, &error) != SPATE_OK)
		fail_msg("%s", error.text);
}

static spate_mesh *read_mesh(const char *path)
{
	spate_mesh *mesh = NULL;
	spate_error error = {0};
	if (spate_mesh_read(&mesh, path, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	return mesh;
}

static void ply_keeps_everything(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_mesh *mesh = rich_mesh(), *again;
	write_mesh(mesh, scratch_file(&s, "a.ply"));
	again = read_mesh(scratch_file(&s, "a.ply"));
	check_same_mesh(mesh, again);
	spate_mesh_destroy(again);

	// four components under a name with a blank, and colours with alpha, which becomes a channel of its own
	spate_mesh *plain;
	spate_mesh_channel *wide;
	check_ok(make_box(&plain, (const double[3]){1, 1, 1}, NULL));
	check_ok(spate_mesh_add_channel(plain, "a b", 4, &wide, NULL));
	for (int i = 0; i < 32; i++)
		wide->values[i] = (float)i;
	write_mesh(plain, scratch_file(&s, "b.ply"));
	again = read_mesh(scratch_file(&s, "b.ply"));
	const spate_mesh_channel *c = spate_mesh_find_channel(again, "a_b");
	assert_non_null(c);
	assert_int_equal(c->components, 4);
	check_floats(c->values, wide->values, 32);
	spate_mesh_destroy(again);
	spate_mesh_destroy(plain);
	spate_mesh_destroy(mesh);
	scratch_remove(&s);
}

static void obj_keeps_places_uvs_and_colors(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_mesh *mesh = rich_mesh();
	write_mesh(mesh, scratch_file(&s, "a.OBJ"));
	spate_mesh *again = read_mesh(scratch_file(&s, "a.OBJ"));
	check_counts(again, mesh->vertex_count, mesh->triangle_count, 0);
	check_floats(again->positions, mesh->positions, 3 * (size_t)mesh->vertex_count);
	assert_memory_equal(again->triangles, mesh->triangles, 12 * (size_t)mesh->triangle_count);
	check_floats(again->uvs, mesh->uvs, 6 * (size_t)mesh->triangle_count);
	check_floats(spate_mesh_find_channel(again, "color")->values, spate_mesh_find_channel(mesh, "color")->values,
		     3 * (size_t)mesh->vertex_count);
	spate_mesh_destroy(again);
	spate_mesh_destroy(mesh);

	spate_mesh *box;
	char *text;
	size_t bytes;
	check_ok(make_flipped_cube(&box, 1.0, 0, NULL));
	spate_mesh_channel *normal;
	check_ok(spate_mesh_add_channel(box, "normal", 3, &normal, NULL));
	write_mesh(box, scratch_file(&s, "b.obj"));
	check_ok(file_read(scratch_file(&s, "b.obj"), &text, &bytes, NULL));
	assert_true(strncmp(text, "v -0.5 -0.5 -0.5\nv 0.5 -0.5 -0.5\n", 33) == 0);
	assert_non_null(strstr(text, "\nvn 0 0 0\n"));
	assert_non_null(strstr(text, "\nf 1//1 5//5 7//7\n"));
	mem_free(text);
	spate_mesh_destroy(box);
	scratch_remove(&s);
}

static void stl_keeps_triangles(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_mesh *mesh = rich_mesh();
	write_mesh(mesh, scratch_file(&s, "a.stl"));
	spate_mesh *again = read_mesh(scratch_file(&s, "a.stl"));
	check_counts(again, mesh->vertex_count, mesh->triangle_count, 0);
	for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
		check_floats(again->positions + 3 * (size_t)again->triangles[i],
			     mesh->positions + 3 * (size_t)mesh->triangles[i], 3);
	spate_mesh_destroy(again);

	// the normals that others use
	char *data;
	size_t bytes;
	spate_mesh *box;
	check_ok(make_flipped_cube(&box, 1.0, 0, NULL));
	write_mesh(box, scratch_file(&s, "b.stl"));
	check_ok(file_read(scratch_file(&s, "b.stl"), &data, &bytes, NULL));
	assert_int_equal(bytes, 84 + 12 * 50);
	float normal[3];
	memcpy(normal, data + 84, sizeof normal);
	static const float left[] = {-1, 0, 0};
	check_floats(normal, left, 3);
	mem_free(data);
	spate_mesh_destroy(box);
	spate_mesh_destroy(mesh);
	scratch_remove(&s);
}

static uint32_t big_at(const char *at)
{
	const unsigned char *d = (const unsigned char *)at;
	return (uint32_t)d[0] << 24 | (uint32_t)d[1] << 16 | (uint32_t)d[2] << 8 | d[3];
}

static float big_float_at(const char *at)
{
	uint32_t bits = big_at(at);
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static void vtk_bytes(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_mesh *mesh;
	spate_mesh_channel *channel;
	char *data;
	size_t bytes;
	check_ok(make_flipped_cube(&mesh, 1.0, 0, NULL));
	check_ok(spate_mesh_add_channel(mesh, "my flow", 2, &channel, NULL));
	for (int i = 0; i < 16; i++)
		channel->values[i] = 0.25f * (float)i;
	write_mesh(mesh, scratch_file(&s, "a.vtk"));
	check_ok(file_read(scratch_file(&s, "a.vtk"), &data, &bytes, NULL));
	static const char head[] =
	    "# vtk DataFile Version 3.0\nmesh by spate\nBINARY\nDATASET POLYDATA\nPOINTS 8 float\n",
			  middle[] = "\nPOLYGONS 12 48\n",
			  tail[] = "\nPOINT_DATA 8\nFIELD FieldData 1\nmy%20flow 2 8 float\n";
	const char *at = data;
	assert_memory_equal(at, head, sizeof head - 1);
	at += sizeof head - 1;
	for (int i = 0; i < 24; i++, at += 4)
		check_near((double)big_float_at(at), (double)mesh->positions[i], 0.0);
	assert_memory_equal(at, middle, sizeof middle - 1);
	at += sizeof middle - 1;
	for (int i = 0; i < 48; i++, at += 4)
		assert_int_equal(big_at(at), i % 4 ? mesh->triangles[i / 4 * 3 + i % 4 - 1] : 3);
	assert_memory_equal(at, tail, sizeof tail - 1);
	at += sizeof tail - 1;
	for (int i = 0; i < 16; i++, at += 4)
		check_near((double)big_float_at(at), 0.25 * i, 0.0);
	assert_int_equal(at + 1 - data, bytes);
	mem_free(data);
	spate_mesh_destroy(mesh);
	scratch_remove(&s);
}

// Where the array of this name begins, behind its count of bytes, which must be as expected.
static const char *vtp_array(const char *data, size_t bytes, const char *name, uint64_t expected)
{
	char tag[64];
	snprintf(tag, sizeof tag, "Name=\"%s\"", name);
	const char *at = strstr(data, tag), *offset = at ? strstr(at, "offset=\"") : NULL;
	const char *start = strstr(data, "<AppendedData encoding=\"raw\">\n_");
	assert_true(offset && start);
	start += strlen("<AppendedData encoding=\"raw\">\n_") + strtoull(offset + 8, NULL, 10);
	uint64_t count;
	assert_true((size_t)(start - data) + 8 <= bytes);
	memcpy(&count, start, sizeof count);
	assert_int_equal(count, expected);
	assert_true((size_t)(start - data) + 8 + count <= bytes);
	return start + 8;
}

static void vtp_bytes(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_mesh *mesh = rich_mesh();
	char *data;
	size_t bytes;
	check_ok(spate_mesh_add_channel(mesh, "<&>", 1, NULL, NULL));
	write_mesh(mesh, scratch_file(&s, "a.vtp"));
	check_ok(file_read(scratch_file(&s, "a.vtp"), &data, &bytes, NULL));
	uint64_t v = mesh->vertex_count, t = mesh->triangle_count;
	assert_memory_equal(vtp_array(data, bytes, "Points", 12 * v), mesh->positions, 12 * v);
	assert_memory_equal(vtp_array(data, bytes, "connectivity", 12 * t), mesh->triangles, 12 * t);
	const char *offsets = vtp_array(data, bytes, "offsets", 8 * t);
	for (uint64_t i = 0; i < t; i++)
	{
		uint64_t offset;
		memcpy(&offset, offsets + 8 * i, sizeof offset);
		assert_int_equal(offset, 3 * (i + 1));
	}
	for (uint32_t n = 0; n < 4; n++)
	{
		const spate_mesh_channel *c = &mesh->channels[n];
		assert_memory_equal(vtp_array(data, bytes, c->name, 4 * v * c->components), c->values,
				    4 * v * c->components);
	}
	vtp_array(data, bytes, "&#60;&#38;&#62;", 4 * v);
	static const char tail[] = "\n</AppendedData>\n</VTKFile>\n";
	assert_memory_equal(data + bytes - (sizeof tail - 1), tail, sizeof tail - 1);
	mem_free(data);
	spate_mesh_destroy(mesh);
	scratch_remove(&s);
}

// An empty frame is a mesh too, and nothing half-written is ever left.
static void empty_and_failing(void **state)
{
	(void)state;
	scratch s = scratch_make();
	static const char *const names[] = {"e.obj", "e.ply", "e.stl", "e.vtk", "e.vtp"};
	spate_mesh *empty, *mesh = rich_mesh(), *none = NULL;
	spate_error error = {0};
	check_ok(spate_mesh_create(&empty, 0, 0, NULL));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
	{
		const char *path = scratch_file(&s, names[i]);
		write_mesh(empty, path);
		uint64_t blocks = mem_get_stats().blocks;
		spate_result result = SPATE_MEMORY;
		for (uint64_t n = 1; result != SPATE_OK; n++)
		{
			mem_fail_at(n);
			result = spate_mesh_write(mesh, path, &error);
			mem_fail_at(0);
			if (result != SPATE_OK)
				check_result(result, SPATE_MEMORY);
			assert_int_equal(mem_get_stats().blocks, blocks);
			check_no_temporaries(s.path);
		}
	}
	check_result(spate_mesh_write(mesh, scratch_file(&s, "a.fbx"), &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "a.fbx: meshes end in .ply, .obj, .stl, .vtk, .vtp or .spate"));
	check_result(spate_mesh_write(mesh, scratch_file(&s, "no/a.ply"), &error), SPATE_IO);
	check_result(spate_mesh_read(&none, scratch_file(&s, "no.ply"), &error), SPATE_MISSING);
	check_result(spate_mesh_read(&none, s.path, &error), SPATE_IO);
	assert_null(none);
	spate_mesh_destroy(empty);
	spate_mesh_destroy(mesh);
	scratch_remove(&s);
}

static void channels(void **state)
{
	(void)state;
	spate_mesh *mesh;
	spate_mesh_channel *channel;
	spate_error error = {0};
	check_ok(spate_mesh_create(&mesh, 5, 2, NULL));
	check_ok(spate_mesh_add_channel(mesh, "flow", 3, &channel, NULL));
	for (int i = 0; i < 15; i++)
		check_near((double)channel->values[i], 0.0, 0.0);
	assert_ptr_equal(spate_mesh_find_channel(mesh, "flow"), channel);
	assert_null(spate_mesh_find_channel(mesh, "flo"));
	check_result(spate_mesh_add_channel(mesh, "flow", 1, &channel, &error), SPATE_EXISTS);
	check_result(spate_mesh_add_channel(mesh, "", 1, &channel, &error), SPATE_INVALID);
	check_result(spate_mesh_add_channel(mesh, "a name of two and thirty letters", 1, &channel, &error),
		     SPATE_INVALID);
	check_result(spate_mesh_add_channel(mesh, "x", 5, &channel, &error), SPATE_INVALID);
	assert_string_equal(error.text, "channel x: a channel has 1 to 4 components, not 5");
	for (uint64_t n = 1; n <= 2; n++)
	{
		mem_fail_at(n);
		check_result(spate_mesh_add_channel(mesh, "y", 1, &channel, &error), SPATE_MEMORY);
		mem_fail_at(0);
	}
	assert_int_equal(mesh->channel_count, 1);
	spate_mesh_destroy(mesh);
	spate_mesh_destroy(NULL);
	for (uint64_t n = 1; n <= 3; n++)
	{
		mem_fail_at(n);
		check_result(spate_mesh_create(&mesh, 5, 2, NULL), SPATE_MEMORY);
		mem_fail_at(0);
	}
	assert_int_equal(mem_get_stats().blocks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ply_keeps_everything),
	    cmocka_unit_test(obj_keeps_places_uvs_and_colors),
	    cmocka_unit_test(stl_keeps_triangles),
	    cmocka_unit_test(vtk_bytes),
	    cmocka_unit_test(vtp_bytes),
	    cmocka_unit_test(empty_and_failing),
	    cmocka_unit_test(channels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
