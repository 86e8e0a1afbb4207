// The table of formats: what it lists is true.
#define _GNU_SOURCE
#include "mesh/format.h"
#include "scratch.h"
#include "spate/spate.h"

// Every row has what its bits promise, and nothing else.
static void test_rows(void **state)
{
	(void)state;
	const file_format *f;
	uint32_t count = 0;
	for (; (f = file_format_at(count)); count++)
	{
		const spate_format *a = &f->about;
		assert_ptr_equal(spate_format_at(count), a);
		assert_ptr_equal(spate_format_find(a->name), a);
		assert_int_equal(a->suffix[0], '.');
		assert_string_equal(a->suffix + 1, a->name);
		assert_true(strlen(a->text) > 10 && a->reads + a->writes > 0);
		assert_true((f->parse_mesh || f->read_mesh) == !!(a->reads & SPATE_FORMAT_TRIANGLES));
		assert_true((f->parse_points || f->read_points) == !!(a->reads & SPATE_FORMAT_PARTICLES));
		assert_true((f->write || f->write_mesh) == !!(a->writes & SPATE_FORMAT_TRIANGLES));
		assert_true((f->write_particles || f->save_particles) == !!(a->writes & SPATE_FORMAT_PARTICLES));
		assert_true((f->write_field != NULL) == !!(a->writes & SPATE_FORMAT_FIELD));
		assert_true(f->match || !(a->reads & (SPATE_FORMAT_TRIANGLES | SPATE_FORMAT_PARTICLES)));
	}
	assert_int_equal(count, 11);
	assert_null(spate_format_at(count));
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(spate_format_at(0)->name, "ply");
	assert_string_equal(spate_format_of_path("out/A.PLY")->name, "ply");
	assert_string_equal(spate_format_of_path("splash.bgeo.gz")->name, "bgeo");
	assert_null(spate_format_of_path("a.fbx"));
	assert_null(spate_format_of_path("ply"));
	assert_null(spate_format_find("PLY"));
	assert_string_equal(file_formats_writing(SPATE_FORMAT_TRIANGLES, 0).text, "ply, obj, stl, vtk, vtp or spate");
	assert_string_equal(file_formats_reading(SPATE_FORMAT_PARTICLES, 1).text, ".ply, .vtk, .spate or .bgeo");
	assert_string_equal(file_formats_writing(SPATE_FORMAT_FIELD, 1).text, ".vdb");
}

// A triangle with everything that a mesh can have, written and read in every format that does both.
static void test_round_trips(void **state)
{
	static const float positions[] = {0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 2.0f, 0.0f};
	static const float uvs[] = {0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 1.0f};
	scratch s = scratch_make();
	const spate_format *f;
	spate_mesh *mesh = NULL;
	spate_mesh_channel *heat;
	(void)state;
	check_ok(spate_mesh_create(&mesh, 3, 1, NULL));
	check_ok(spate_mesh_add_channel(mesh, "heat", 1, &heat, NULL));
	memcpy(mesh->positions, positions, sizeof positions);
	for (uint32_t k = 0; k < 3; k++)
	{
		mesh->triangles[k] = k;
		heat->values[k] = 10.0f * (float)k;
	}
	mesh->uvs = (float *)uvs;
	mesh->sides = (uint8_t[]){2, 1};
	for (uint32_t n = 0; (f = spate_format_at(n)); n++)
	{
		char name[16];
		spate_mesh *back = NULL;
		snprintf(name, sizeof name, "a%s", f->suffix);
		if (!(f->writes & SPATE_FORMAT_TRIANGLES))
		{
			check_result(spate_mesh_write(mesh, scratch_file(&s, name), NULL), SPATE_INVALID);
			continue;
		}
		check_ok(spate_mesh_write(mesh, scratch_file(&s, name), NULL));
		if (!(f->reads & SPATE_FORMAT_TRIANGLES))
		{
			check_result(spate_mesh_read(&back, scratch_file(&s, name), NULL), SPATE_FORMAT);
			continue;
		}
		check_ok(spate_mesh_read(&back, scratch_file(&s, name), NULL));
		assert_int_equal(back->triangle_count, 1);
		assert_memory_equal(back->positions, positions, sizeof positions);
		assert_true((back->uvs != NULL) == !!(f->reads & f->writes & SPATE_FORMAT_UVS));
		assert_true((back->sides != NULL) == !!(f->reads & f->writes & SPATE_FORMAT_SIDES));
		if (back->uvs)
			assert_memory_equal(back->uvs, uvs, sizeof uvs);
		spate_mesh_destroy(back);
	}
	mesh->uvs = NULL;
	mesh->sides = NULL;
	spate_mesh_destroy(mesh);
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_round_trips),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
