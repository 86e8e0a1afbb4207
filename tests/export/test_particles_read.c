// Files of particles, from bytes that are written here, and what is said about broken ones.
#define _GNU_SOURCE
#include "base/file.h"
#include "base/memory.h"
#include "bytes.h"
#include "cache/mesh_frame.h"
#include "data.h"
#include "export/particles_read.h"
#include "mesh/format.h"
#include "scratch.h"
#include "spate/frame.h"

#include <zlib.h>

static void put_attribute(file_bytes *b, const char *name, unsigned size, unsigned type)
{
	put_bits(b, strlen(name), 2);
	put_text(b, name);
	put_bits(b, size, 2);
	put_bits(b, type, 4);
	for (unsigned i = 0; i < size && type != 4; i++)
		put_bits(b, 0, 4);
}

enum
{
	POINTS = 3
};

// Three points with a vector v, an int id, an index of strings and five floats, and something behind them.
static file_bytes make_bgeo(void)
{
	file_bytes b = {.big = 1};
	put_text(&b, "BgeoV");
	const unsigned counts[] = {5, POINTS, 1, 0, 0, 4, 0, 1, 0};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		put_bits(&b, counts[i], 4);
	put_attribute(&b, "v", 3, 5);
	put_attribute(&b, "id", 1, 1);
	put_attribute(&b, "kind", 1, 4);
	put_bits(&b, 2, 4);
	put_bits(&b, 3, 2);
	put_text(&b, "one");
	put_bits(&b, 0, 2);
	put_attribute(&b, "wide", 5, 0);
	for (int p = 0; p < POINTS; p++)
	{
		for (int k = 0; k < 3; k++)
			put_float(&b, (float)p + 0.25f * (float)k);
		put_float(&b, 1.0f);
		for (int k = 0; k < 3; k++)
			put_float(&b, 10.0f * (float)p - (float)k);
		put_bits(&b, (uint32_t)(7 - 10 * p), 4);
		put_bits(&b, 1, 4);
		for (int k = 0; k < 5; k++)
			put_float(&b, 99.0f);
	}
	put_text(&b, "primitives");
	return b;
}

static void check_points(const spate_mesh *m)
{
	assert_int_equal(m->vertex_count, POINTS);
	assert_int_equal(m->triangle_count, 0);
	const spate_mesh_channel *v = spate_mesh_find_channel(m, "velocity");
	assert_non_null(v);
	assert_int_equal(v->components, 3);
	for (int p = 0; p < POINTS; p++)
		for (int k = 0; k < 3; k++)
		{
			check_near((double)m->positions[3 * p + k], p + 0.25 * k, 0.0);
			check_near((double)v->values[3 * p + k], 10.0 * p - k, 0.0);
		}
	const spate_mesh_channel *id = spate_mesh_find_channel(m, "id");
	assert_non_null(id);
	for (int p = 0; p < POINTS; p++)
		check_near((double)id->values[p], 7 - 10 * p, 0.0);
}

static void check_file(const scratch *s, const char *name, const file_bytes *b)
{
	particle_set set;
	spate_error error = {0};
	check_ok(file_write(scratch_file(s, name), b->data, b->count, NULL));
	if (particles_read(&set, scratch_file(s, name), NULL, 0, &error) != SPATE_OK)
		fail_msg("%s: %s", name, error.text);
	check_points(set.points);
	particles_free(&set);
}

// As gzip does it, with zeros behind the bytes; how many bytes there are.
static size_t zip(const file_bytes *b, size_t zeros, char *out, size_t room)
{
	static const char none[4096];
	z_stream z = {.next_out = (Bytef *)out, .avail_out = (uInt)room};
	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)(uintptr_t)b->data;
	z.avail_in = (uInt)b->count;
	assert_int_equal(deflate(&z, Z_NO_FLUSH), Z_OK);
	for (size_t done = 0; done < zeros; done += sizeof none)
	{
		z.next_in = (Bytef *)(uintptr_t)none;
		z.avail_in = sizeof none;
		assert_int_equal(deflate(&z, Z_NO_FLUSH), Z_OK);
	}
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

// Kilobytes that stand for megabytes: refused, before they have taken all of the memory.
static void test_bombs(void **state)
{
	(void)state;
	static char room[1 << 16];
	scratch s = scratch_make();
	file_bytes vtk = {0}, bgeo = make_bgeo();
	put_text(&vtk, "# vtk DataFile Version 3.0\n");
	const struct
	{
		const char *name;
		const file_bytes *start;
		size_t zeros, most; // bytes, of memory
	} bombs[] = {{"points.bgeo", &bgeo, 8 << 20, 4 << 20}, {"any.vtk", &vtk, 24 << 20, 96 << 20}};
	for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++)
	{
		particle_set set;
		spate_error error = {0};
		const char *path = scratch_file(&s, bombs[i].name);
		size_t bytes = zip(bombs[i].start, bombs[i].zeros, room, sizeof room);
		check_ok(file_write(path, room, bytes, NULL));
		uint64_t before = mem_reset_peak();
		check_result(particles_read(&set, path, NULL, 0, &error), SPATE_FORMAT);
		if (!strstr(error.text, "more than its particles need"))
			fail_msg("%s: %s", path, error.text);
		assert_in_range(mem_get_stats().peak - before, 1, bombs[i].most);
	}
	scratch_remove(&s);
}

static void test_bgeo(void **state)
{
	(void)state;
	scratch s = scratch_make();
	file_bytes b = make_bgeo();
	check_file(&s, "a.bgeo", &b);

	// the same, zipped
	file_bytes zipped = {0};
	zipped.count = zip(&b, 0, zipped.data, sizeof zipped.data);
	check_file(&s, "b.bgeo", &zipped);

	// a file that ends too early says so, wherever it ends, zipped or not
	size_t needed = b.count - strlen("primitives");
	for (size_t length = 5; length < needed; length++)
	{
		spate_mesh *points;
		spate_error error = {0};
		char *part = malloc(length + 1);
		memcpy(part, b.data, length);
		part[length] = 0;
		check_result(file_format_find("bgeo")->parse_points(&points, "x.bgeo", part, length, &error),
			     SPATE_FORMAT);
		assert_non_null(strstr(error.text, "x.bgeo: byte "));
		free(part);
	}
	particle_set set;
	spate_error error = {0};
	check_ok(file_write(scratch_file(&s, "c.bgeo"), zipped.data, zipped.count - 9, NULL));
	check_result(particles_read(&set, scratch_file(&s, "c.bgeo"), NULL, 0, &error), SPATE_FORMAT);
	assert_non_null(strstr(error.text, "decompressed"));

	// other versions
	b.data[8] = 6;
	check_ok(file_write(scratch_file(&s, "d.bgeo"), b.data, b.count, NULL));
	check_result(particles_read(&set, scratch_file(&s, "d.bgeo"), NULL, 0, &error), SPATE_FORMAT);
	assert_non_null(strstr(error.text, "has format version 6"));
	check_ok(file_write(scratch_file(&s, "e.bgeo"), "\x7fNSJb\1\2\3", 8, NULL));
	check_result(particles_read(&set, scratch_file(&s, "e.bgeo"), NULL, 0, &error), SPATE_FORMAT);
	assert_non_null(strstr(error.text, "Houdini 12"));
	scratch_remove(&s);
}

// As SPlisHSPlasH and ParaView write it; with or without a line's end behind the values, and with cells of either version.
static file_bytes make_vtk(int newlines, int modern)
{
	file_bytes b = {.big = 1};
	const char *end = newlines ? "\n" : "";
	put_text(&b, modern ? "# vtk DataFile Version 5.1\n" : "# vtk DataFile Version 4.1\n");
	put_text(&b, "particles\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 double\n");
	for (int i = 0; i < 3 * POINTS; i++)
		put_double(&b, i / 3 + 0.25 * (i % 3));
	put_text(&b, end);
	if (modern)
	{
		put_text(&b, "CELLS 4 3\nOFFSETS vtktypeint64\n");
		for (int i = 0; i < 4; i++)
			put_bits(&b, (unsigned)i, 8);
		put_text(&b, "\nCONNECTIVITY vtktypeint64\n");
		for (int i = 0; i < 3; i++)
			put_bits(&b, (unsigned)i, 8);
	}
	else
	{
		put_text(&b, "CELLS 3 6\n");
		for (unsigned i = 0; i < 6; i++)
			put_bits(&b, i % 2 ? i / 2 : 1, 4);
	}
	put_text(&b, end);
	put_text(&b, "CELL_TYPES 3\n");
	for (int i = 0; i < 3; i++)
		put_bits(&b, 1, 4);
	put_text(&b, end);
	put_text(&b, "CELL_DATA 3\nSCALARS id float\nLOOKUP_TABLE default\n");
	for (int i = 0; i < 3; i++)
		put_float(&b, 55.0f);
	put_text(&b, end);
	put_text(&b, "POINT_DATA 3\nSCALARS id int 1\nLOOKUP_TABLE default\n");
	for (int i = 0; i < POINTS; i++)
		put_bits(&b, (uint32_t)(7 - 10 * i), 4);
	put_text(&b, end);
	put_text(&b, "FIELD FieldData 2\nsmall 1 3 unsigned_char\n\x01\x02\xff");
	put_text(&b, newlines ? "\n" : "\n");
	put_text(&b, "velocity 3 3 float\n");
	for (int i = 0; i < 3 * POINTS; i++)
		put_float(&b, 10.0f * (float)(i / 3) - (float)(i % 3));
	put_text(&b, end);
	if (modern)
		put_text(&b, "METADATA\nINFORMATION 0\n\n");
	return b;
}

static void test_vtk(void **state)
{
	(void)state;
	scratch s = scratch_make();
	for (int variant = 0; variant < 4; variant++)
	{
		file_bytes b = make_vtk(variant & 1, variant >> 1);
		check_file(&s, "a.vtk", &b);
		particle_set set;
		check_ok(particles_read(&set, scratch_file(&s, "a.vtk"), NULL, 0, NULL));
		const spate_mesh_channel *small = spate_mesh_find_channel(set.points, "small");
		assert_non_null(small);
		check_near((double)small->values[2], 255.0, 0.0);
		particles_free(&set);
		for (size_t length = 5; length + 30 < b.count; length++)
		{
			spate_mesh *points = NULL;
			char *part = malloc(length + 1);
			memcpy(part, b.data, length);
			part[length] = 0;
			// sections are whole or there is an error; nothing else can be told about a shorter file
			if (file_format_find("vtk")->parse_points(&points, "x.vtk", part, length, NULL) == SPATE_OK)
				spate_mesh_destroy(points);
			else
				assert_null(points);
			free(part);
		}
	}
	static const char text[] =
	    "# vtk DataFile Version 2.0\nby hand\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0.25 0.5 1 1.25 1.5\n"
	    "2 2.25 2.5\nVERTICES 1 4\n3 0 1 2\nPOINT_DATA 3\nVECTORS velocity float\n0 -1 -2\n10 9 8 20 19 18\n"
	    "SCALARS id int\nLOOKUP_TABLE default\n7 -3 -13\nTENSORS t float\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
	    "0 0 0\n";
	file_bytes b = {.big = 1};
	put_text(&b, text);
	check_file(&s, "b.vtk", &b);
	scratch_remove(&s);
}

static void fails(const char *text, const char *part)
{
	spate_mesh *points = NULL;
	spate_error error = {0};
	check_result(file_format_find("vtk")->parse_points(&points, "x.vtk", text, strlen(text), &error), SPATE_FORMAT);
	if (!strstr(error.text, part))
		fail_msg("says '%s', expected '%s'", error.text, part);
}

static void test_bad_vtk(void **state)
{
	(void)state;
	fails("# vtk DataFile Version 2.0\nt\nTEXT\n", "x.vtk:3: neither ASCII nor BINARY");
	fails("# vtk DataFile Version 2.0\nt\nASCII\nDATASET STRUCTURED_POINTS\n",
	      "STRUCTURED_POINTS contains no particles");
	fails("# vtk DataFile Version 2.0\nt\nASCII\nDATASET POLYDATA\n", "has no POINTS");
	fails("# vtk DataFile Version 2.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 2 float\n0 0 0 0 x 0\n",
	      "x.vtk:6: 'x' is not a number");
	fails("# vtk DataFile Version 2.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 2 float\n0 0 0 0 0\n", "truncated");
	fails("# vtk DataFile Version 2.0\nt\nBINARY\nDATASET POLYDATA\nPOINTS 999999999999 float\n0 0\n", "truncated");
	fails("# vtk DataFile Version 2.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n0 0 0\nNONSENSE 4\n",
	      "section NONSENSE is missing");
}

static void test_ply(void **state)
{
	(void)state;
	scratch s = scratch_make();
	file_bytes b = {.big = 1};
	put_text(&b,
		 "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
		 "property float velocity_x\nproperty float velocity_y\nproperty float velocity_z\nproperty int id\n"
		 "end_header\n0 0.25 0.5 0 -1 -2 7\n1 1.25 1.5 10 9 8 -3\n2 2.25 2.5 20 19 18 -13\n");
	check_file(&s, "a.ply", &b);
	scratch_remove(&s);
}

static void test_frames(void **state)
{
	(void)state;
	scratch s = scratch_make();
	float position[2][3] = {{1, 2, 3}, {4, 5, 6}}, density[2] = {1000, 990};
	int32_t fluid[2] = {0, 3};
	int64_t id[2] = {8, 9};
	const spate_frame_channel_def channels[] = {{"id", SPATE_INT64, id, 0, 2},
						    {"position", SPATE_VEC3, position, 0, 2},
						    {"density", SPATE_FLOAT, density, 0, 2},
						    {"fluid", SPATE_INT32, fluid, 0, 2}};
	spate_frame_def def = spate_default_frame_def();
	def.frame = 12;
	def.time = 0.5;
	def.origin[1] = 100.0;
	def.count = 2;
	def.channels = channels;
	def.channel_count = 4;
	check_ok(spate_frame_write(scratch_file(&s, "f.spate"), &def, NULL));
	particle_set set;
	const char *wanted[] = {"fluid", "velocity"};
	check_ok(particles_read(&set, scratch_file(&s, "f.spate"), wanted, 2, NULL));
	assert_int_equal(set.frame, 12);
	check_near(set.origin[1], 100.0, 0.0);
	assert_int_equal(set.points->channel_count, 1);
	check_near((double)spate_mesh_find_channel(set.points, "fluid")->values[1], 3.0, 0.0);
	check_near((double)set.points->positions[4], 5.0, 0.0);
	particles_free(&set);
	check_ok(particles_read(&set, scratch_file(&s, "f.spate"), NULL, 0, NULL));
	assert_int_equal(set.points->channel_count, 2);
	particles_free(&set);

	// a hash for each content
	uint64_t first, second;
	check_ok(particles_hash(scratch_file(&s, "f.spate"), &first, NULL));
	density[1] = 991;
	check_ok(spate_frame_write(scratch_file(&s, "f.spate"), &def, NULL));
	check_ok(particles_hash(scratch_file(&s, "f.spate"), &second, NULL));
	assert_true(first != second);

	// a mesh in the same container: the same again, and no particles
	spate_mesh *mesh, *back;
	check_ok(spate_mesh_create(&mesh, 4, 2, NULL));
	const float places[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
	const uint32_t corners[6] = {0, 2, 1, 0, 1, 3};
	memcpy(mesh->positions, places, sizeof places);
	memcpy(mesh->triangles, corners, sizeof corners);
	spate_mesh_channel *channel;
	check_ok(spate_mesh_add_channel(mesh, "heat", 2, &channel, NULL));
	channel->values[7] = 4.5f;
	mesh_frame_def about = {.frame = 3, .time = 0.125, .origin = {10, 0, -10}, .note = "made=x", .threads = 1};
	check_ok(mesh_frame_write(scratch_file(&s, "m.spate"), mesh, &about, NULL));
	assert_true(mesh_frame_is(scratch_file(&s, "m.spate")));
	assert_false(mesh_frame_is(scratch_file(&s, "f.spate")));
	check_ok(mesh_frame_read(&back, scratch_file(&s, "m.spate"), NULL));
	assert_memory_equal(back->triangles, corners, sizeof corners);
	check_near((double)back->positions[3], 11.0, 0.0);
	check_near((double)back->positions[11], -9.0, 0.0);
	check_near((double)spate_mesh_find_channel(back, "heat")->values[7], 4.5, 0.0);
	spate_mesh_destroy(back);
	check_result(mesh_frame_read(&back, scratch_file(&s, "f.spate"), NULL), SPATE_FORMAT);
	check_result(particles_read(&set, scratch_file(&s, "m.spate"), NULL, 0, NULL), SPATE_FORMAT);

	// a triangle whose vertex is not there is noticed
	mesh->triangles[4] = 4;
	check_ok(mesh_frame_write(scratch_file(&s, "m.spate"), mesh, &about, NULL));
	spate_error error = {0};
	check_result(mesh_frame_read(&back, scratch_file(&s, "m.spate"), &error), SPATE_FORMAT);
	assert_non_null(strstr(error.text, "triangle 1 has no vertex 4"));
	spate_mesh_destroy(mesh);
	scratch_remove(&s);
}

static void test_other_files(void **state)
{
	(void)state;
	scratch s = scratch_make();
	particle_set set;
	spate_error error = {0};
	check_result(particles_read(&set, scratch_file(&s, "none.vtk"), NULL, 0, &error), SPATE_MISSING);
	check_ok(file_write(scratch_file(&s, "a.txt"), "hello", 5, NULL));
	check_result(particles_read(&set, scratch_file(&s, "a.txt"), NULL, 0, &error), SPATE_FORMAT);
	assert_non_null(strstr(error.text, "is not a particle file in a supported format"));
	check_ok(file_write(scratch_file(&s, "a.yaml"), "hello", 5, NULL));
	check_result(particles_read(&set, scratch_file(&s, "a.yaml"), NULL, 0, &error), SPATE_FORMAT);
	assert_non_null(strstr(error.text, "a.yaml is a scene file; its particles are in the folder of its run"));
	scratch_remove(&s);
}

static void test_spacing(void **state)
{
	(void)state;
	enum
	{
		SIDE = 12
	};
	static float p[SIDE * SIDE * SIDE][3];
	for (int i = 0; i < SIDE * SIDE * SIDE; i++)
		for (int k = 0; k < 3; k++)
			p[i][k] = 0.02f * (float)(k == 0 ? i % SIDE : k == 1 ? i / SIDE % SIDE : i / SIDE / SIDE);
	check_near(particles_guess_spacing(&p[0][0], SIDE * SIDE * SIDE), 0.02, 0.0004);
	check_near(particles_guess_spacing(&p[0][0], 10), 0.0, 0.0);
	check_near(particles_guess_spacing(NULL, 0), 0.0, 0.0);
}

// Those of other programs, where they are at hand.
static void test_found_files(void **state)
{
	(void)state;
	static const struct
	{
		const char *name;
		uint32_t count;
	} files[] = {{"particles/dam_break_frame_9_6859_particles.bgeo", 6859},
		     {"particles/double_dam_break_frame_26_4732_particles.vtk", 4732}};
	int found = 0;
	for (size_t i = 0; i < 2; i++)
	{
		const char *path = data_path(files[i].name);
		if (access(path, R_OK) != 0)
			continue;
		particle_set set;
		check_ok(particles_read(&set, path, NULL, 0, NULL));
		assert_int_equal(set.points->vertex_count, files[i].count);
		const spate_mesh_channel *velocity = spate_mesh_find_channel(set.points, "velocity");
		assert_non_null(velocity);
		for (size_t k = 0; k < 3 * (size_t)files[i].count; k++)
		{
			assert_true(fabsf(set.points->positions[k]) < 4.0f);
			assert_true(fabsf(velocity->values[k]) < 20.0f);
		}
		// both were made with particles of radius 0.025
		check_near(particles_guess_spacing(set.points->positions, files[i].count), 0.05, 0.006);
		particles_free(&set);
		found++;
	}
	if (!found)
		skip_because("there are no particles of other programs; $SPATE_DATA may name their directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bgeo),        cmocka_unit_test(test_bombs),   cmocka_unit_test(test_vtk),
	    cmocka_unit_test(test_bad_vtk),     cmocka_unit_test(test_ply),     cmocka_unit_test(test_frames),
	    cmocka_unit_test(test_other_files), cmocka_unit_test(test_spacing), cmocka_unit_test(test_found_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
