// Interface meshes of particles, from selection to mesh.
#include "interface_check.h"
#include "particle_sets.h"

#include "surface/chromatic.h"

#ifndef SPATE_QHULL
int main(void)
{
	return skip_program_without("QHULL");
}
#else

static const uint32_t space = 3;

static chromatic_mesh mesh_of(const particle_set *set)
{
	chromatic_mesh mesh;
	spate_error error = {0};
	if (chromatic_interfaces(&set->input, &mesh, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	return mesh;
}

static void test_two_layers(void **state)
{
	(void)state;
	for (int shaken = 0; shaken < 2; shaken++)
	{
		particle_set set = particle_set_make(3, 16, shaken ? 0.2f : 0.0f, layers, NULL);
		chromatic_mesh mesh = mesh_of(&set);
		assert_int_equal(mesh_components(mesh.mesh), 1);
		assert_true(check_seams(&mesh) > 40);
		int64_t euler;
		for (uint8_t fluid = 1; fluid <= 2; fluid++)
		{
			check_near(check_fluid(&mesh, fluid, &euler), 0.5, shaken ? 0.02 : 0.01);
			assert_int_equal(euler, 2);
		}
		check_near(check_parted(&mesh, 100000, layers, NULL), 1.0, 0.04);
		chromatic_mesh_free(&mesh);
		particle_set_free(&set);
	}
}

static void test_drop_in_drop(void **state)
{
	(void)state;
	particle_set set = particle_set_make(3, 28, 0.15f, drop_in_drop, &space);
	chromatic_mesh mesh = mesh_of(&set);
	// the two spheres do not touch
	assert_int_equal(mesh_components(mesh.mesh), 2);
	assert_int_equal(check_seams(&mesh), 0);
	int64_t euler;
	double inner = check_fluid(&mesh, 2, &euler), ball = 4.0 / 3.0 * 3.14159265;
	assert_int_equal(euler, 2);
	check_near(inner / (ball * pow(0.25, 3.0)), 1.0, 0.05);
	double shell = check_fluid(&mesh, 1, &euler);
	assert_int_equal(euler, 4);
	check_near((inner + shell) / (ball * pow(0.45, 3.0)), 1.0, 0.05);
	check_near(check_parted(&mesh, 100000, drop_in_drop, &space), 1.0, 0.04);
	chromatic_mesh_free(&mesh);
	particle_set_free(&set);
}

static void test_three_at_a_line(void **state)
{
	(void)state;
	particle_set set = particle_set_make(3, 18, 0.15f, sectors, NULL);
	chromatic_mesh mesh = mesh_of(&set);
	assert_int_equal(mesh_components(mesh.mesh), 1);
	assert_true(check_seams(&mesh) > 18);
	double sum = 0.0;
	int64_t euler;
	for (uint8_t fluid = 1; fluid <= 3; fluid++)
	{
		double share = 0.0;
		for (uint32_t i = 0; i < set.input.count; i++)
			share += set.input.fluids[i] == fluid ? 1.0 / set.input.count : 0.0;
		double volume = check_fluid(&mesh, fluid, &euler);
		assert_int_equal(euler, 2);
		check_near(volume, share, 0.02);
		sum += volume;
	}
	check_near(sum, 1.0, 0.03);
	check_near(check_parted(&mesh, 100000, sectors, NULL), 1.0, 0.05);
	chromatic_mesh_free(&mesh);
	particle_set_free(&set);
}

static void test_four_at_a_point(void **state)
{
	(void)state;
	particle_set set = particle_set_make(3, 18, 0.15f, four, NULL);
	chromatic_mesh mesh = mesh_of(&set);
	assert_int_equal(mesh_components(mesh.mesh), 1);
	check_seams(&mesh);
	assert_true(mesh.cases[CHROMATIC_1_1_1_1] > 0);
	double sum = 0.0;
	int64_t euler;
	for (uint8_t fluid = 1; fluid <= 4; fluid++)
	{
		double volume = check_fluid(&mesh, fluid, &euler);
		assert_int_equal(euler, 2);
		check_near(volume, 0.25, 0.04);
		sum += volume;
	}
	check_near(sum, 1.0, 0.03);
	check_near(check_parted(&mesh, 100000, four, NULL), 1.0, 0.05);
	chromatic_mesh_free(&mesh);
	particle_set_free(&set);
}

static void test_fifteen(void **state)
{
	(void)state;
	particle_set set = particle_set_make(3, 26, 0.2f, fifteen, NULL);
	chromatic_mesh mesh = mesh_of(&set), again = mesh_of(&set);
	assert_true(same_mesh(&mesh, &again));
	assert_int_equal(mesh_components(mesh.mesh), 1);
	check_seams(&mesh);
	for (int kind = 0; kind < CHROMATIC_CASES; kind++)
		assert_true(mesh.cases[kind] > 0);
	double sum = 0.0;
	for (uint8_t fluid = 1; fluid <= 15; fluid++)
	{
		double share = 0.0;
		for (uint32_t i = 0; i < set.input.count; i++)
			share += set.input.fluids[i] == fluid ? 1.0 / set.input.count : 0.0;
		double volume = check_fluid(&mesh, fluid, NULL);
		check_near(volume, share, 0.005);
		sum += volume;
	}
	check_near(sum, 1.0, 0.02);
	check_near(check_parted(&mesh, 200000, fifteen, NULL), 1.0, 0.06);
	chromatic_mesh_free(&mesh);
	chromatic_mesh_free(&again);
	particle_set_free(&set);
}

// What is left out is the inside of fluids, and the mesh is the same as of all particles as far as it goes.
static void test_selection(void **state)
{
	(void)state;
	particle_set set = particle_set_make(3, 24, 0.0f, layers, NULL);
	chromatic_points points;
	check_ok(chromatic_select(&set.input, &points, NULL));
	uint32_t air = 0, fluid = 0;
	for (size_t i = 0; i < points.labels.count; i++)
	{
		const double *p = points.positions.data + 3 * i;
		double outside = 0.0, inside = 1.0;
		for (int k = 0; k < 3; k++)
		{
			outside = fmax(outside, fmax(-p[k], p[k] - 1.0));
			inside = fmin(inside, fmin(p[k], 1.0 - p[k]));
		}
		if (points.labels.data[i] == 0)
		{
			assert_true(outside > 0.0);
			air++;
			continue;
		}
		// within two layers of the surface or of the interface
		assert_true(inside < 2.0 / 24 || fabs(p[1] - 0.5) < 2.0 / 24);
		fluid++;
	}
	// one air point per particle of the six faces, and some along the edges
	assert_true(air >= 6 * 22 * 22 && air < 6 * 26 * 26);
	assert_true(fluid < 24 * 24 * 24 * 3 / 5);
	chromatic_points_free(&points);
	particle_set_free(&set);
}

static uint8_t with_holes(const void *context, const float p[3])
{
	const float *hole = context;
	float r = 0.0f;
	for (int k = 0; k < 3; k++)
		r += (p[k] - 0.55f) * (p[k] - 0.55f);
	return r < *hole * *hole ? 0 : layers(NULL, p) ? 1 : 0;
}

// A missing particle is no bubble, thirty missing ones are.
static void test_holes(void **state)
{
	(void)state;
	static const float holes[] = {0.04f, 0.21f};
	for (int which = 0; which < 2; which++)
	{
		particle_set set = particle_set_make(3, 10, 0.0f, with_holes, &holes[which]);
		assert_int_equal(set.input.count, which ? 967 : 999);
		chromatic_mesh mesh = mesh_of(&set);
		int64_t euler;
		double volume = check_fluid(&mesh, 1, &euler);
		assert_int_equal(euler, which ? 4 : 2);
		check_near(volume, which ? 0.967 : 1.0, 0.02);
		chromatic_mesh_free(&mesh);
		particle_set_free(&set);
	}
}

// Single particles, pairs, a line and a sheet of one layer: all are closed bodies.
static void test_small_things(void **state)
{
	(void)state;
	float positions[3 * 64] = {0};
	uint8_t fluids[64];
	for (int kind = 0; kind < 4; kind++)
	{
		uint32_t count = kind == 0 ? 1 : kind == 1 ? 2 : kind == 2 ? 8 : 64;
		for (uint32_t i = 0; i < count; i++)
		{
			positions[3 * i] = 5.0f + 0.1f * (float)(i % 8);
			positions[3 * i + 1] = 0.1f * (float)(i / 8);
			fluids[i] = (uint8_t)(1 + i % 8 / 4);
		}
		chromatic_input input = {3, count, positions, fluids, 0.05f, NULL, NULL, 0, 1};
		chromatic_mesh mesh;
		check_ok(chromatic_interfaces(&input, &mesh, NULL));
		int64_t euler;
		double volume = check_fluid(&mesh, 1, &euler), balls = count < 8 ? count : count / 2;
		assert_int_equal(euler, 2);
		// each takes about the cube of its spacing, or less: what pokes out is cut to a point
		assert_true(volume > 0.3 * balls * 0.001 && volume < 1.2 * balls * 0.001);
		assert_int_equal(mesh_components(mesh.mesh), 1);
		check_seams(&mesh);
		check_parted(&mesh, 20000, NULL, NULL);
		chromatic_mesh_free(&mesh);
	}
	chromatic_input nothing = {.dimension = 3, .radius = 0.1f};
	chromatic_mesh mesh;
	check_ok(chromatic_interfaces(&nothing, &mesh, NULL));
	assert_int_equal(mesh.mesh->triangle_count, 0);
	chromatic_mesh_free(&mesh);
}

// The interface function moves the interface: with values 1 and 3 it is a quarter of the way from the first fluid.
static void test_values(void **state)
{
	(void)state;
	particle_set set = particle_set_make(3, 10, 0.0f, layers, NULL);
	float values[1000];
	for (uint32_t i = 0; i < 1000; i++)
		values[i] = set.input.fluids[i] == 1 ? 1.0f : 3.0f;
	set.input.values = values;
	chromatic_mesh mesh = mesh_of(&set);
	uint32_t between = 0;
	for (uint32_t t = 0; t < mesh.mesh->triangle_count; t++)
		for (uint32_t k = 0; k < 3 && mesh.sides[t][1] == 1; k++)
		{
			const float *p = mesh.mesh->positions + 3 * mesh.mesh->triangles[3 * t + k];
			if (fabsf(p[0] - 0.5f) < 0.35f && fabsf(p[2] - 0.5f) < 0.35f)
			{
				check_near(p[1], 0.475, 1e-5);
				between++;
			}
		}
	assert_true(between > 100);
	chromatic_mesh_free(&mesh);
	particle_set_free(&set);
}

// Coarse particles beside fine ones.
static void test_two_resolutions(void **state)
{
	(void)state;
	particle_set fine = particle_set_make(3, 16, 0.0f, layers, NULL),
		     coarse = particle_set_make(3, 8, 0.0f, layers, NULL);
	ARRAY(float) positions = {0}, radii = {0};
	ARRAY(uint8_t) fluids = {0};
	for (int which = 0; which < 2; which++)
	{
		particle_set *set = which ? &coarse : &fine;
		for (uint32_t i = 0; i < set->input.count; i++)
		{
			if (set->input.fluids[i] != which + 1)
				continue;
			for (uint32_t k = 0; k < 3; k++)
				assert_true(array_push(&positions, set->positions.data[3 * i + k]));
			assert_true(array_push(&radii, set->input.radius));
			assert_true(array_push(&fluids, (uint8_t)(which + 1)));
		}
	}
	chromatic_input input = {3, (uint32_t)fluids.count, positions.data, fluids.data, 0.0f, radii.data, NULL, 0, 1};
	chromatic_mesh mesh;
	check_ok(chromatic_interfaces(&input, &mesh, NULL));
	check_near(check_fluid(&mesh, 1, NULL), 0.5, 0.03);
	check_near(check_fluid(&mesh, 2, NULL), 0.5, 0.03);
	check_seams(&mesh);
	check_parted(&mesh, 50000, NULL, NULL);
	chromatic_mesh_free(&mesh);
	array_free(&positions);
	array_free(&radii);
	array_free(&fluids);
	particle_set_free(&fine);
	particle_set_free(&coarse);
}

// For docs/theory/interfaces.md: the mesh for tools/draw_interfaces.py, made where SPATE_PICTURES names a directory.
static void draw_pictures(void **state)
{
	(void)state;
	const char *directory = getenv("SPATE_PICTURES");
	char path[1024];
	snprintf(path, sizeof path, "%s/fifteen.obj", directory);
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	particle_set set = particle_set_make(3, 32, 0.1f, fifteen, NULL);
	set.input.smooth = 1;
	chromatic_mesh mesh = mesh_of(&set);
	for (uint32_t v = 0; v < mesh.mesh->vertex_count; v++)
		fprintf(out, "v %g %g %g\n", mesh.mesh->positions[3 * v], mesh.mesh->positions[3 * v + 1],
			mesh.mesh->positions[3 * v + 2]);
	for (uint32_t t = 0; t < mesh.mesh->triangle_count; t++)
		fprintf(out, "g %u_%u\nf %u %u %u\n", mesh.sides[t][0], mesh.sides[t][1],
			mesh.mesh->triangles[3 * t] + 1, mesh.mesh->triangles[3 * t + 1] + 1,
			mesh.mesh->triangles[3 * t + 2] + 1);
	assert_int_equal(fclose(out), 0);
	chromatic_mesh_free(&mesh);
	particle_set_free(&set);
}

static void test_refused(void **state)
{
	(void)state;
	float position[3] = {0};
	uint8_t fluid = 16;
	chromatic_input input = {3, 1, position, &fluid, 0.1f, NULL, NULL, 0, 1};
	chromatic_mesh mesh;
	spate_error error = {0};
	check_result(chromatic_interfaces(&input, &mesh, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "particle 0 is of fluid 16"));
	fluid = 1;
	input.radius = 0.0f;
	check_result(chromatic_interfaces(&input, &mesh, &error), SPATE_INVALID);
	input.radius = 0.1f;
	input.dimension = 2;
	check_result(chromatic_interfaces(&input, &mesh, &error), SPATE_INVALID);
	input.dimension = 3;
	position[1] = NAN;
	check_result(chromatic_interfaces(&input, &mesh, &error), SPATE_RANGE);
	assert_null(mesh.mesh);
}

static void test_memory(void **state)
{
	(void)state;
	particle_set set = particle_set_make(3, 5, 0.1f, sectors, NULL);
	uint64_t blocks = mem_get_stats().blocks, n = 1;
	for (;; n++)
	{
		chromatic_mesh mesh;
		spate_mesh *one = NULL;
		mem_fail_at(n);
		spate_result result = chromatic_interfaces(&set.input, &mesh, NULL);
		if (result == SPATE_OK)
			result = chromatic_mesh_extract(&mesh, 2, &one, NULL);
		mem_fail_at(0);
		spate_mesh_destroy(one);
		chromatic_mesh_free(&mesh);
		assert_int_equal(mem_get_stats().blocks, blocks);
		if (result == SPATE_OK)
			break;
		check_result(result, SPATE_MEMORY);
	}
	assert_true(n > 30);
	particle_set_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_two_layers),      cmocka_unit_test(test_drop_in_drop),
	    cmocka_unit_test(test_three_at_a_line), cmocka_unit_test(test_four_at_a_point),
	    cmocka_unit_test(test_fifteen),         cmocka_unit_test(test_selection),
	    cmocka_unit_test(test_holes),           cmocka_unit_test(test_small_things),
	    cmocka_unit_test(test_values),          cmocka_unit_test(test_two_resolutions),
	    cmocka_unit_test(test_refused),         cmocka_unit_test(test_memory),
	};
	const struct CMUnitTest pictures[] = {cmocka_unit_test(draw_pictures)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	return failed || !getenv("SPATE_PICTURES") ? failed : cmocka_run_group_tests(pictures, NULL, NULL);
}
#endif
