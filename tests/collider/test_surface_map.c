// Numbers over a mesh: exact values at points of triangles, and what colliders make of them.
#define _GNU_SOURCE
#include "meshes.h"
#include "scratch.h"

#include "cache/grey_file.h"
#include "collider/collider.h"

// The square from (-1, -1) to (1, 1) in the plane y = 0, u along x and v along z, with a channel that is x at each vertex.
static spate_mesh *make_square(int uvs, const char *channel)
{
	static const float places[4][3] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}},
			   corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
	static const uint32_t triangles[6] = {0, 2, 1, 0, 3, 2};
	spate_mesh *mesh = NULL;
	check_ok(spate_mesh_create(&mesh, 4, 2, NULL));
	memcpy(mesh->positions, places, sizeof places);
	memcpy(mesh->triangles, triangles, sizeof triangles);
	mesh->uvs = uvs ? mem_alloc(12 * sizeof(float)) : NULL;
	for (int k = 0; k < 6 && uvs; k++)
		memcpy(mesh->uvs + 2 * k, corners[triangles[k]], 2 * sizeof(float));
	spate_mesh_channel *own;
	if (channel)
	{
		check_ok(spate_mesh_add_channel(mesh, channel, 1, &own, NULL));
		for (int v = 0; v < 4; v++)
			own->values[v] = places[v][0];
	}
	return mesh;
}

static void values_at_points(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "half.png");
	const float halves[4] = {0, 1, 0, 1};
	check_ok(grey_file_write(path, SPATE_IMAGE_PNG, halves, 2, 2, NULL));
	spate_mesh *mesh = make_square(1, "rough");
	surface_map even, picture, channel;
	check_ok(surface_map_create(&even, &(spate_map_def){0}, 0.7, 1, mesh, mesh->uvs, "a", "b", NULL));
	check_ok(
	    surface_map_create(&picture, &(spate_map_def){.texture = path}, 0.5, 1, mesh, mesh->uvs, "a", "b", NULL));
	check_ok(
	    surface_map_create(&channel, &(spate_map_def){.channel = "rough"}, 4, 3, mesh, mesh->uvs, "a", "b", NULL));
	assert_true(surface_map_is_even(&even) && !surface_map_is_even(&picture) && !surface_map_is_even(&channel));

	// corners of triangle 0 are at x = -1, 1 and 1
	const triangle_point low = {.triangle = 0, .weights = {0.75f, 0.125f, 0.125f}},
			     high = {.triangle = 0, .weights = {0.25f, 0.5f, 0.25f}},
			     middle = {.triangle = 1, .weights = {0.25f, 0.25f, 0.5f}}; // x = -1, -1, 1
	check_near((double)surface_map_at(&even, &low), 0.7, 1e-7);
	check_near((double)surface_map_at(&picture, &low), 0, 1e-7);       // u = 0.25, the middle of the black texel
	check_near((double)surface_map_at(&picture, &high), 0.5, 1e-7);    // u = 0.75
	check_near((double)surface_map_at(&picture, &middle), 0.25, 1e-5); // u = 0.5, between the two
	check_near((double)surface_map_at(&channel, &low), 0, 0);          // x = -0.5: nothing below 0
	check_near((double)surface_map_at(&channel, &high), 2, 1e-6);      // x = 0.5
	check_near((double)surface_map_at(&channel, &(triangle_point){.weights = {0, 1, 0}}), 3,
		   1e-6); // no more than the limit
	surface_map_destroy(&even);
	surface_map_destroy(&picture);
	surface_map_destroy(&channel);
	spate_mesh_destroy(mesh);
	scratch_remove(&s);
}

// Friction, bounce and stickiness of a shell whose channel is -1 on the left and 1 on the right.
static void colliders_look_them_up(void **state)
{
	(void)state;
	skip_without_fields();
	spate_mesh *mesh = make_square(0, "rough");
	spate_collider_def def = spate_default_collider_def();
	def.mesh.mesh = mesh;
	def.mode = SPATE_COLLIDER_SHELL;
	def.friction = 0.8;
	def.bounce = 0.5;
	def.friction_map.channel = def.bounce_map.channel = "rough";
	const collider_world world = {.fps = 24, .spacing = 0.1f, .radius = 0.2f, .threads = 1};
	collider_set set;
	check_ok(collider_set_create(&set, &def, 1, &world, NULL));
	felt_wall walls[COLLIDER_MOST_WALLS];
	const float xs[3] = {-0.5f, 0.25f, 0.75f}, ys[3] = {0.03f, 0.06f, 0.1f};
	for (int k = 0; k < 3; k++)
		for (int y = 0; y < 3; y++)
		{
			vec3 p = {xs[k], ys[y], 0.3f};
			double share = fmax((double)xs[k], 0);
			assert_int_equal(collider_set_feel(&set, COLLIDER_ALL, p, p, 0.2f, walls, NULL, NULL), 1);
			check_near((double)walls[0].friction, 0.8 * share, 1e-3);
			// what flew in at 2 m/s and stopped leaves at its share of that
			vec3 touching = {xs[k], 0.05f, 0.3f};
			vec3 out = collider_set_respond(&set, touching, vec3_make(1, -2, 0), vec3_make(1, 0, 0), 0.05f,
							0.01f, NULL);
			check_near((double)out.y, 0.5 * share * 2, 2e-3);
			check_near((double)out.x, 1, 1e-6);
		}
	collider_set_destroy(&set);

	def.bounce = def.friction = 0;
	def.stickiness = 1;
	def.stickiness_map.channel = "rough";
	check_ok(collider_set_create(&set, &def, 1, &world, NULL));
	for (int k = 0; k < 3; k++)
	{
		double share = fmax((double)xs[k], 0);
		vec3 out = collider_set_respond(&set, vec3_make(xs[k], 0.05f, 0.3f), vec3_make(1, 0, 0),
						vec3_make(1, 0, 0), 0.05f, 0.01f, NULL);
		check_near((double)out.x, exp(-50 * share / (1 - share) * 0.01), 2e-3);
	}
	collider_set_destroy(&set);
	spate_mesh_destroy(mesh);
}

static void refuses(const spate_collider_def *def, const char *sentence)
{
	collider_set set;
	spate_error error = {0};
	const collider_world world = {.fps = 24, .spacing = 0.1f, .radius = 0.2f, .threads = 1};
	check_result(collider_set_create(&set, def, 1, &world, &error), SPATE_INVALID);
	assert_string_equal(error.text, sentence);
}

static void a_mesh_without_what_is_needed_is_refused(void **state)
{
	(void)state;
	skip_without_fields();
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "bare.ply");
	spate_mesh *mesh = make_square(0, NULL);
	check_ok(spate_mesh_write(mesh, path, NULL));
	spate_mesh_destroy(mesh);
	char expected[2048];
	spate_collider_def def = spate_default_collider_def();
	def.mesh.path = path;
	def.mode = SPATE_COLLIDER_SHELL;
	def.friction_map.texture = "x.png";
	snprintf(expected, sizeof expected, "%s has no UVs, which the texture of friction_map needs", path);
	refuses(&def, expected);
	def.friction_map.texture = NULL;
	def.bounce_map.channel = "rough";
	snprintf(expected, sizeof expected, "%s has no channel 'rough', which bounce_map names", path);
	refuses(&def, expected);
	def.bounce_map.channel = NULL;
	def.wet.size = 16;
	snprintf(expected, sizeof expected, "%s has no UVs, which wet_map needs", path);
	refuses(&def, expected);
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_at_points),
	    cmocka_unit_test(colliders_look_them_up),
	    cmocka_unit_test(a_mesh_without_what_is_needed_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
