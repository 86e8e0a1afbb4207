// The files that a scene names: where they are looked for, who is told when they are missing, and what is told about meshes.
#define _GNU_SOURCE
#include "scene/scene_support.h"

#include "base/build.h"
#include "base/memory.h"
#include "bridge/vdb_vectors.h"
#include "collider/field.h"
#include "collider/mesh_solid.h"
#include "scene/files.h"
#include "scratch.h"

#include <sys/stat.h>

#define LIQUID                                           \
	"spate: 1\nfluids:\n  water: { spacing: 0.1 }\n" \
	"sources:\n  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } } }\ncolliders:\n"

// A box from 0 to (1, 2, 3), and the same without its top.
static const char box[] = "v 0 0 0\nv 1 0 0\nv 1 0 3\nv 0 0 3\nv 0 2 0\nv 1 2 0\nv 1 2 3\nv 0 2 3\n"
			  "f 1 2 3 4\nf 1 5 6 2\nf 2 6 7 3\nf 3 7 8 4\nf 4 8 5 1\nf 1 1 2\n";
static const char lid[] = "f 5 8 7 6\n";
static const char with_uvs[] = "v 0 0 0\nv 1 0 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n";

typedef struct folder
{
	scratch own;
	char before[4096]; // the current one
} folder;

static void put(const folder *f, const char *name, const char *text, const char *more)
{
	FILE *file = fopen(scratch_file(&f->own, name), "w");
	assert_non_null(file);
	fputs(text, file);
	fputs(more, file);
	fclose(file);
}

static int begin(void **state)
{
	static folder f;
	f.own = scratch_make();
	assert_non_null(getcwd(f.before, sizeof f.before));
	assert_int_equal(mkdir(scratch_file(&f.own, "sub"), 0777), 0);
	put(&f, "box.obj", box, lid);
	put(&f, "open.obj", box, "");
	put(&f, "uv.obj", with_uvs, "");
	put(&f, "bad.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n", "");
	put(&f, "sub/a_1.obj", box, lid);
	put(&f, "sub/a_2.obj", box, lid);
	assert_int_equal(mkdir(scratch_file(&f.own, "100%d"), 0777), 0);
	put(&f, "100%d/a.obj", box, lid);
	put(&f, "100%d/a_1.obj", box, lid);
	put(&f, "100%d/a_2.obj", box, lid);
	put(&f, "50%.obj", box, lid);
	*state = &f;
	return 0;
}

static int end(void **state)
{
	folder *f = *state;
	assert_int_equal(chdir(f->before), 0);
	scratch_remove(&f->own);
	return 0;
}

// Loads a scene file with these colliders; must be fine.
static spate_scene load(const folder *f, const char *name, const char *colliders, const char *override)
{
	put(f, name, LIQUID, colliders);
	spate_scene scene;
	spate_problems problems = {0};
	spate_error error = {0};
	spate_result result =
	    spate_scene_load(&scene, scratch_file(&f->own, name), &override, override != NULL, &problems, &error);
	if (result != SPATE_OK || problems.count > 0)
		fail_msg("%s: %s", name, error.text);
	return scene;
}

// What reading the meshes says, in one text.
static void expect_said(spate_scene *scene, spate_result expected, const char *said)
{
	spate_problems problems = {0};
	spate_error error = {0};
	char text[4096];
	spate_result result = spate_scene_read_meshes(scene, &problems, &error);
	problems_text(&problems, text, sizeof text);
	if (result != expected || strcmp(text, said) != 0)
		fail_msg("reading meshes gave %s and said\n%s\nexpected %s and\n%s", spate_result_name(result), text,
			 spate_result_name(expected), said);
	spate_problems_free(&problems);
}

static void paths_begin_at_the_scene(void **state)
{
	folder *f = *state;
	char expected[4096];
	spate_scene s = load(f, "sub/s.yaml", "  - { mesh: ./a_1.obj }\n  - { mesh: ../box.obj }\n", NULL);
	snprintf(expected, sizeof expected, "%s/sub/a_1.obj", f->own.path);
	assert_string_equal(s.world.colliders[0].mesh.path, expected);
	snprintf(expected, sizeof expected, "%s/sub/../box.obj", f->own.path);
	assert_string_equal(s.world.colliders[1].mesh.path, expected);
	expect_said(&s, SPATE_OK, "");

	// a copy elsewhere means the same files
	char *text = spate_scene_text(&s);
	put(f, "copy.yaml", text, "");
	spate_scene copy;
	spate_problems problems = {0};
	check_ok(spate_scene_load(&copy, scratch_file(&f->own, "copy.yaml"), NULL, 0, &problems, NULL));
	assert_string_equal(copy.world.colliders[1].mesh.path, expected);
	expect_said(&copy, SPATE_OK, "");
	spate_scene_text_free(text);
	spate_problems_free(&problems); // a warning, perhaps
	spate_scene_free(&copy);
	spate_scene_free(&s);
}

static void overrides_and_memory_begin_at_the_current_folder(void **state)
{
	folder *f = *state;
	char here[4096], expected[5000];
	assert_int_equal(chdir(f->own.path), 0);
	assert_non_null(getcwd(here, sizeof here));
	spate_scene s = load(f, "sub/s.yaml", "  - { mesh: a_1.obj }\n", "colliders.0.mesh=box.obj");
	snprintf(expected, sizeof expected, "%s/box.obj", here);
	assert_string_equal(s.world.colliders[0].mesh.path, expected);
	spate_scene_free(&s);

	s = parse_good(LIQUID "  - { mesh: sub/a_2.obj }\n");
	snprintf(expected, sizeof expected, "%s/sub/a_2.obj", here);
	assert_string_equal(s.world.colliders[0].mesh.path, expected);
	expect_said(&s, SPATE_OK, "");
	spate_scene_free(&s);

	// a scene file named by a relative path
	spate_problems problems = {0};
	check_ok(spate_scene_load(&s, "./sub/s.yaml", NULL, 0, &problems, NULL));
	snprintf(expected, sizeof expected, "%s/sub/a_1.obj", here);
	assert_string_equal(s.world.colliders[0].mesh.path, expected);
	spate_scene_free(&s);
	assert_int_equal(chdir(f->before), 0);
}

static void missing_files_are_told_once_and_where(void **state)
{
	folder *f = *state;
	char expected[4096];
	spate_scene s =
	    load(f, "s.yaml",
		 "  - { mesh: no.obj }\n  - { mesh: no.obj }\n"
		 "  - { mesh: box.obj, friction: 1, friction_map: { texture: no.png } }\n  - { mesh: sub }\n",
		 NULL);
	snprintf(expected, sizeof expected,
		 "7:13: error: colliders.0: cannot read %s/no.obj: No such file or directory\n"
		 "9:60: error: colliders.2.friction_map: cannot read %s/no.png: No such file or directory\n"
		 "10:13: error: colliders.3: cannot read %s/sub: it is a directory\n",
		 f->own.path, f->own.path, f->own.path);
	spate_problems problems = {0};
	spate_error error = {0};
	char said[4096];
	check_result(spate_scene_find_files(&s, &problems, &error), SPATE_SCENE);
	problems_text(&problems, said, sizeof said);
	assert_string_equal(said, expected);
	assert_int_equal(problems.errors, 3);
	assert_non_null(strstr(error.text, "no.obj"));
	spate_problems_free(&problems);
	expect_said(&s, SPATE_SCENE, expected);
	assert_null(spate_scene_mesh_report(&s, 0));
	spate_scene_free(&s);

	// the override is named instead of a place
	s = load(f, "s.yaml", "  - { mesh: box.obj }\n", "colliders.0.mesh=/none/x.obj");
	expect_said(
	    &s, SPATE_SCENE,
	    "0:0: error: colliders.0: --set colliders.0.mesh=/none/x.obj: cannot read /none/x.obj: No such file or "
	    "directory\n");
	spate_scene_free(&s);
}

static void forces_need_their_file_and_its_grid(void **state)
{
	folder *f = *state;
	const int32_t low[3] = {0, 0, 0};
	const uint32_t size[3] = {1, 1, 1};
	const float vector[3] = {1, 2, 3};
	const double corner[3] = {0, 0, 0};
	spate_error error = {0};
	if (vdb_write_vectors(scratch_file(&f->own, "flow.vdb"), "vel", low, size, vector, 0.1, corner, &error) !=
	    SPATE_OK)
		fail_msg("%s", error.text);
	put(f, "forces.yaml",
	    "spate: 2\nfluids:\n  water: { spacing: 0.1 }\ngravity: [0, 0, 0]\n"
	    "sources:\n  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } } }\nforces:\n"
	    "  - { type: target, field: flow.vdb, rate: 5 }\n  - { type: target, field: none.vdb, rate: 5 }\n"
	    "  - { type: target, field: flow.vdb, grid: v, rate: 5 }\n  - { type: target, field: box.obj, rate: 5 }\n",
	    "");
	spate_scene s;
	spate_problems problems = {0};
	check_ok(spate_scene_load(&s, scratch_file(&f->own, "forces.yaml"), NULL, 0, &problems, &error));
	char said[4096], expected[4096];
	check_result(spate_scene_find_files(&s, &problems, &error), SPATE_SCENE);
	problems_text(&problems, said, sizeof said);
	snprintf(expected, sizeof expected,
		 "9:28: error: forces.1: cannot read %s/none.vdb: No such file or directory\n"
		 "10:28: error: forces.2: %s/flow.vdb has no grid 'v'; its grids: vel (vectors)\n"
		 "11:28: error: forces.3: %s/box.obj: OpenVDB reports: ",
		 f->own.path, f->own.path, f->own.path);
	if (strncmp(said, expected, strlen(expected)) != 0)
		fail_msg("said:\n%s\nexpected:\n%s", said, expected);
	assert_int_equal(problems.errors, 3);
	spate_problems_free(&problems);
	spate_scene_free(&s);
}

static void sequences_need_all_their_files(void **state)
{
	folder *f = *state;
	char expected[4096];
	spate_scene s = load(f, "s.yaml", "  - { mesh: sub/a_%d.obj, sequence: { last: 2 } }\n", NULL);
	expect_said(&s, SPATE_OK, "");
	assert_int_equal(spate_scene_mesh_report(&s, 0)->files, 2);
	spate_scene_free(&s);
	s = load(f, "s.yaml", "  - { mesh: sub/a_%d.obj, sequence: { last: 9 } }\n", NULL);
	snprintf(
	    expected, sizeof expected,
	    "7:13: error: colliders.0: cannot read a file of the sequence, %s/sub/a_3.obj: No such file or directory\n",
	    f->own.path);
	expect_said(&s, SPATE_SCENE, expected);
	spate_scene_free(&s);
}

// Only the name of a file says that there are many.
static void folders_may_have_percent_signs(void **state)
{
	folder *f = *state;
	spate_scene s =
	    load(f, "s.yaml", "  - { mesh: 100%d/a.obj }\n  - { mesh: 100%d/a_%d.obj, sequence: { last: 2 } }\n", NULL);
	expect_said(&s, SPATE_OK, "");
	assert_int_equal(spate_scene_mesh_report(&s, 0)->files, 1);
	assert_int_equal(spate_scene_mesh_report(&s, 1)->files, 2);
	spate_scene_free(&s);
}

// A percent sign that begins no field is part of a name.
static void files_may_have_percent_signs(void **state)
{
	folder *f = *state;
	spate_scene s = load(f, "s.yaml", "  - { mesh: 50%.obj }\n", NULL);
	expect_said(&s, SPATE_OK, "");
	assert_int_equal(spate_scene_mesh_report(&s, 0)->files, 1);
	assert_int_equal(spate_scene_mesh_report(&s, 0)->triangles, 12);
	spate_scene_free(&s);
}

// The box turned by 90 degrees about y: x becomes -z, z becomes x. Doubled and moved after that.
static void reports_tell_size_and_field(void **state)
{
	folder *f = *state;
	spate_scene s = load(f, "s.yaml",
			     "  - { shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } }, mode: inside }\n"
			     "  - { mesh: box.obj, scale: 2, rotation: [0, 90, 0], position: [10, 0, 0],\n"
			     "      field: { cell: 0.1, band: 0.5 } }\n  - { mesh: box.obj }\n",
			     NULL);
	expect_said(&s, SPATE_OK, "");
	assert_null(spate_scene_mesh_report(&s, 0));
	const spate_mesh_report *r = spate_scene_mesh_report(&s, 1), *plain = spate_scene_mesh_report(&s, 2);
	assert_non_null(r);
	assert_int_equal(r->files, 1);
	assert_int_equal(r->triangles, 12);
	assert_int_equal(r->dropped, 1);
	assert_int_equal(r->open_edges, 0);
	const double low[3] = {10, 0, -2}, high[3] = {16, 4, 0};
	for (int k = 0; k < 3; k++)
	{
		check_near(r->low[k], low[k], 1e-5);
		check_near(r->high[k], high[k], 1e-5);
	}
	check_near(r->area, 4.0 * 22.0, 1e-3);
	check_near(r->field_voxels, 88.0 / 0.01 * 10.0, 1.0);
	check_near(r->field_bytes, 5e6 + 10.0 * r->field_voxels, 1e-6);
	// half a spacing, and as far as the solver looks to both sides
	check_near(plain->cell, 0.05, 1e-12);
	check_near(plain->band, 0.35, 1e-12);
	assert_null(spate_scene_mesh_report(&s, 3));
	spate_scene_free(&s);
}

static void fields_that_cannot_be_made_are_told(void **state)
{
	folder *f = *state;
	char expected[256];
	spate_scene s = load(f, "s.yaml", "  - { mesh: box.obj, field: { cell: 1e-6 } }\n", NULL);
	snprintf(expected, sizeof expected,
		 "7:13: error: colliders.0: a distance field's band must be 1 to 1000 cells wide, not 350000\n");
	expect_said(&s, SPATE_SCENE, expected);
	spate_scene_free(&s);
}

// What check tells about fields is what a run has.
static void estimates_of_fields_are_near(void **state)
{
	folder *f = *state;
	if (!distance_field_available())
		skip_without("OPENVDB");
	spate_scene s = load(f, "s.yaml", "  - { mesh: box.obj, field: { cell: 0.03, offset: 0.02 } }\n", NULL);
	expect_said(&s, SPATE_OK, "");
	const spate_mesh_report *r = spate_scene_mesh_report(&s, 0);
	const collider_world world = {.fps = 24, .spacing = 0.1f, .radius = 0.2f, .threads = 1};
	mesh_solid *solid;
	check_ok(mesh_solid_create(&solid, &s.world.colliders[0].mesh, SPATE_COLLIDER_OUTSIDE, &world, NULL));
	check_near(r->field_bytes, (double)mesh_solid_bytes(solid), 0.15 * (double)mesh_solid_bytes(solid));
	vec3 low, high;
	mesh_solid_bounds(solid, &low, &high);
	check_near(r->band, -(double)low.x, 2.0 * r->cell);
	mesh_solid_destroy(solid);
	spate_scene_free(&s);
}

// A fall ends at the bottom of a container, once it is known how deep that is.
static void estimates_know_meshes_that_were_read(void **state)
{
	folder *f = *state;
	spate_scene s =
	    load(f, "s.yaml", "  - { mesh: box.obj, scale: 10, position: [0, -19, 0], mode: inside }\n", NULL);
	spate_estimate before, after;
	spate_scene_estimate(&s, &before);
	expect_said(&s, SPATE_OK, "");
	spate_scene_estimate(&s, &after);
	// before, 4.17 s of falling at up to 41 m/s; afterwards 19 m in 2 s at up to 19.6 m/s: at most 1.7 m and 0.82 m per frame in steps of 0.05 m
	print_message("%g and %g substeps\n", before.substeps, after.substeps);
	assert_true(before.substeps > 16.0 && before.substeps < 35.0);
	assert_true(after.substeps > 4.0 && after.substeps < 0.75 * before.substeps);
	spate_scene_free(&s);
}

// Nor does it go on below a mesh that may catch it, unless the mesh is elsewhere.
static void falls_end_at_meshes_below(void **state)
{
	folder *f = *state;
	static const char *const places[] = {"[0, -4, -1]", "[40, -4, -1]"};
	double substeps[2];
	for (int i = 0; i < 2; i++)
	{
		char collider[128];
		snprintf(collider, sizeof collider, "  - { mesh: box.obj, position: %s }\n", places[i]);
		spate_scene s = load(f, "s.yaml", collider, NULL);
		spate_estimate e;
		expect_said(&s, SPATE_OK, "");
		spate_scene_estimate(&s, &e);
		substeps[i] = e.substeps;
		spate_scene_free(&s);
	}
	print_message("%g and %g substeps\n", substeps[0], substeps[1]);
	assert_true(substeps[0] < 0.5 * substeps[1]);
}

// A source that pours nothing at first says nothing about the size of the liquid, and its curve does.
static void sizes_know_curves(void **state)
{
	folder *f = *state;
	put(f, "s.yaml",
	    "spate: 2\nframes: 24\nfluids:\n  a: { spacing: 0.1 }\nsources:\n  - { type: emitter, fluid: a, radius: 0.2, position: "
	    "[0, 4, 0], direction: [0, -1, 0], flow: [[0, 0], [1, 1]] }\n",
	    "colliders: [{ mesh: box.obj }]\n");
	for (int poured = 0; poured < 2; poured++)
	{
		spate_scene scene;
		spate_problems problems = {0};
		const char *none = "sources.0.flow=0";
		check_ok(spate_scene_load(&scene, scratch_file(&f->own, "s.yaml"), &none, !poured, &problems, NULL));
		expect_said(&scene, SPATE_OK, "");
		spate_problems_free(&problems);
		spate_scene_free(&scene);
	}
}

static void odd_meshes_are_warned_about(void **state)
{
	folder *f = *state;
	static const char *const cases[][2] = {
	    {"  - { mesh: open.obj }\n",
	     "7:13: warning: colliders.0: the mesh is open: 4 edges have only one triangle; where the mesh encloses no volume it acts "
	     "as a shell; set mode: shell if that is intended\n"},
	    {"  - { mesh: open.obj, mode: shell }\n", ""},
	    {"  - { mesh: box.obj, scale: 500 }\n",
	     "7:13: warning: colliders.0: the mesh is 1500 m large, 1500 times as much as the liquid; is the scale right? scale: 0.001 "
	     "converts millimetres to metres\n"},
	    {"  - { mesh: box.obj, scale: 0.0001 }\n",
	     "7:13: warning: colliders.0: the mesh is 0.0003 m large, and the liquid is 3333 times as large; is the scale right? "
	     "scale: 1000 converts kilometres to metres\n"},
	    {"  - { mesh: box.obj, position: [500, 0, 0] }\n",
	     "7:13: warning: colliders.0: the mesh is 499 m away from all sources, further than the liquid can travel before the scene "
	     "ends; are position and scale right?\n"},
	    {"  - { mesh: box.obj, position: [500, 0, 0], motion: { keyframes: [{ time: 0 }] } }\n", ""},
	    {"  - { mesh: box.obj, position: [0, -5, 0], mode: inside }\n",
	     "7:13: warning: colliders.0: every fill lies completely outside this container\n"},
	    {"  - { mesh: box.obj, position: [0, -5, 0] }\n", ""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		spate_scene s = load(f, "s.yaml", cases[i][0], NULL);
		expect_said(&s, SPATE_OK, cases[i][1]);
		spate_scene_free(&s);
	}
}

static void meshes_must_have_what_maps_need(void **state)
{
	folder *f = *state;
	put(f, "t.png", "x", "");
	spate_scene s =
	    load(f, "s.yaml",
		 "  - { mesh: box.obj, bounce: 1, bounce_map: { texture: t.png }, wet_map: { size: 8 }, friction: 1,\n"
		 "      friction_map: { channel: grip } }\n"
		 "  - { mesh: uv.obj, mode: shell, bounce: 1, bounce_map: { texture: t.png }, wet_map: { size: 8 } }\n",
		 NULL);
	expect_said(
	    &s, SPATE_SCENE,
	    "7:13: error: colliders.0: the mesh has no UVs, which wet_map needs\n"
	    "7:13: error: colliders.0: the mesh has no channel 'grip', which friction_map names; it has 0 channels\n"
	    "7:13: error: colliders.0: the mesh has no UVs, which the texture of bounce_map needs\n");
	spate_scene_free(&s);
}

static void damaged_meshes_are_told_with_their_place(void **state)
{
	folder *f = *state;
	char expected[4096], said[4096];
	spate_scene s = load(f, "s.yaml", "  - { mesh: bad.obj }\n", NULL);
	spate_problems problems = {0};
	check_result(spate_scene_read_meshes(&s, &problems, NULL), SPATE_SCENE);
	problems_text(&problems, said, sizeof said);
	snprintf(expected, sizeof expected, "7:13: error: colliders.0: %s/bad.obj:3: ", f->own.path);
	if (strncmp(said, expected, strlen(expected)) != 0)
		fail_msg("said %s, expected %s...", said, expected);
	spate_problems_free(&problems);
	spate_scene_free(&s);
}

// Fills of meshes: what cannot be filled is told at the place of its path, and what can be is known from then on.
static void meshes_of_fills_are_read_with_their_place(void **state)
{
	folder *f = *state;
	if (!distance_field_available())
		skip_without("OpenVDB");
	// a NULL stands for nothing; otherwise the folder's path is between the two
	static const struct
	{
		const char *fill, *said, *then;
	} cases[] = {
	    {"{ mesh: { path: uv.obj } }", "5:56: error: sources.0.shape.mesh: ",
	     "/uv.obj encloses no volume, so it has no inside; close its holes\n"},
	    {"{ mesh: { path: no.obj } }", "5:56: error: sources.0.shape.mesh: cannot read ",
	     "/no.obj: No such file or directory\n"},
	    {"{ mesh: { path: box.obj, scale: 0.5 } }, level: -1",
	     "5:56: error: sources.0.shape.mesh: the level of -1 m is below the mesh, which begins at 0 m, so there is nothing "
	     "to fill\n",
	     NULL},
	    {"{ union: [ { mesh: { path: box.obj } }, { mesh: { path: uv.obj } } ] }",
	     "5:96: error: sources.0.shape.union.1.mesh: ",
	     "/uv.obj encloses no volume, so it has no inside; close its holes\n"}};
	char text[1024], expected[4096], said[4096];
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
	{
		snprintf(
		    text, sizeof text,
		    "spate: 2\nfluids:\n  water: { spacing: 0.1 }\nsources:\n  - { type: fill, fluid: water, shape: %s }\n",
		    cases[c].fill);
		put(f, "s.yaml", text, "gravity: [0, 0, 0]\n");
		spate_scene s;
		spate_problems problems = {0};
		check_ok(spate_scene_load(&s, scratch_file(&f->own, "s.yaml"), NULL, 0, &problems, NULL));
		check_result(spate_scene_read_meshes(&s, &problems, NULL), SPATE_SCENE);
		problems_text(&problems, said, sizeof said);
		snprintf(expected, sizeof expected, "%s%s%s", cases[c].said, cases[c].then ? f->own.path : "",
			 cases[c].then ? cases[c].then : "");
		assert_string_equal(said, expected);
		spate_problems_free(&problems);
		spate_scene_free(&s);
	}
	// 3 m^3 up to its middle
	put(f, "s.yaml",
	    "spate: 2\nfluids:\n  water: { spacing: 0.1 }\nsources:\n  - { type: fill, fluid: water, shape: { mesh: { path: "
	    "box.obj, position: [0, 1, 0] } }, level: 2 }\n",
	    "gravity: [0, 0, 0]\n");
	spate_scene s;
	spate_problems problems = {0};
	check_ok(spate_scene_load(&s, scratch_file(&f->own, "s.yaml"), NULL, 0, &problems, NULL));
	check_near(spate_scene_estimate_fluid(&s, 0), 0, 0);
	check_ok(spate_scene_read_fills(&s, &problems, NULL));
	assert_int_equal(problems.count, 0);
	check_near(spate_scene_estimate_fluid(&s, 0), 3000, 30);
	spate_world *world;
	check_ok(spate_world_create(&world, &s.world, NULL));
	check_near(spate_store_count(spate_world_store(world)), 3000, 15);
	spate_world_destroy(world);
	spate_problems_free(&problems);
	spate_scene_free(&s);
}

// Surfaces, volumes and sinks of meshes, with what is wrong with them among their colliders; and the area of a good surface.
static void meshes_of_surfaces_and_sinks_are_read(void **state)
{
	folder *f = *state;
	if (!distance_field_available())
		skip_without("OpenVDB");
	static const struct
	{
		const char *source, *rest, *said, *then;
		double area;
	} cases[] = {
	    {"surface, speed: 1, shape: { mesh: { path: box.obj } } }", "", "", NULL, 22},
	    // a sheet needs no inside
	    {"surface, speed: 1, shape: { mesh: { path: uv.obj, scale: 2 } } }", "", "", NULL, 2},
	    {"surface, speed: 1, direction: [0, -5, 0], shape: { mesh: { path: box.obj } } }", "", "", NULL, 3},
	    {"surface, speed: 1, shape: { mesh: { path: box.obj } } }",
	     "colliders:\n  - { shape: { plane: { point: [0, 1, 0], normal: [0, 1, 0] } } }\n", "", NULL,
	     10.8}, // half of it without a strip of a quarter of a spacing,
	    {"surface, speed: 1, shape: { mesh: { path: no.obj } } }", "",
	     "5:69: error: sources.0.shape.mesh: cannot read ", "/no.obj: No such file or directory\n", 0},
	    {"surface, speed: 1, shape: { mesh: { path: uv.obj, scale: 0.1 } } }", "",
	     "5:69: warning: sources.0.shape.mesh: only 0.005 m^2 of the surface pour, less than the square of the fluid's "
	     "spacing of 0.1 m\n",
	     NULL, 0.005},
	    {"surface, speed: 1, direction: [0, 1, 0], shape: { mesh: { path: uv.obj, scale: 2 } } }", "",
	     "5:91: warning: sources.0.shape.mesh: no face of the mesh looks along the direction, so nothing pours; turn one "
	     "of them\n",
	     NULL, 0},
	    {"surface, speed: 1, shape: { mesh: { path: box.obj } } }",
	     "colliders:\n  - { name: rock, shape: { sphere: { center: [0, 0, 0], radius: 5 } } }\n",
	     "5:69: warning: sources.0.shape.mesh: the whole surface lies inside colliders.0 ('rock'), so nothing pours; move "
	     "one of them\n",
	     NULL, 0},
	    {"surface, speed: 1, shape: { mesh: { path: box.obj } } }",
	     "colliders:\n  - { shape: { box: { min: [5, 5, 5], max: [9, 9, 9] } }, mode: inside }\n",
	     "5:69: warning: sources.0.shape.mesh: the whole surface lies outside the container colliders.0, so nothing "
	     "pours; move one of them\n",
	     NULL, 0},
	    {"surface, speed: 1, flow: 30, shape: { mesh: { path: box.obj } } }", "",
	     "5:79: warning: sources.0.shape.mesh: at this speed only 22 m^3/s of 30 pass the 22 m^2 of the surface; raise "
	     "the speed, or leave out one of flow and speed\n",
	     NULL, 22},
	    {"volume, flow: 1, shape: { mesh: { path: uv.obj } } }", "", "5:67: error: sources.0.shape.mesh: ",
	     "/uv.obj encloses no volume, so it has no inside; close its holes\n", 0},
	    {"volume, flow: 100, shape: { mesh: { path: box.obj } } }", "gravity: [0, -10, 0]\n",
	     "5:69: warning: sources.0.shape.mesh: no more than about 69.6 m^3/s of 100 find room, because what appears "
	     "leaves the shape at 6.32 m/s at most; enlarge the shape, or give the particles a velocity\n",
	     NULL, 0},
	    {"surface, speed: 1, shape: { mesh: { path: box.obj } } }",
	     "sinks:\n  - { shape: { difference: [ { mesh: { path: box.obj } }, { mesh: { path: uv.obj } } ] } }\n",
	     "7:75: error: sinks.0.shape.difference.1.mesh: ",
	     "/uv.obj encloses no volume, so it has no inside; close its holes\n", 22},
	};
	char text[1024], expected[4096], said[4096];
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
	{
		int falls = strstr(cases[c].rest, "gravity") != NULL;
		snprintf(text, sizeof text,
			 "spate: 2\nfluids:\n  water: { spacing: 0.1 }\nsources:\n  - { fluid: water, type: %s\n%s%s",
			 cases[c].source, cases[c].rest,
			 falls ? "sinks: [{ shape: { plane: { point: [0, -9, 0], normal: [0, 1, 0] } } }]\n" : "");
		put(f, "s.yaml", text, falls ? "" : "gravity: [0, 0, 0]\n");
		spate_scene s;
		spate_problems problems = {0};
		check_ok(spate_scene_load(&s, scratch_file(&f->own, "s.yaml"), NULL, 0, &problems, NULL));
		spate_scene_read_meshes(&s, &problems, NULL);
		problems_text(&problems, said, sizeof said);
		snprintf(expected, sizeof expected, "%s%s%s", cases[c].said, cases[c].then ? f->own.path : "",
			 cases[c].then ? cases[c].then : "");
		assert_string_equal(said, expected);
		check_near(s.world.sources[0].area, cases[c].area, 0.01 * cases[c].area);
		spate_problems_free(&problems);
		spate_scene_free(&s);
	}
}

// What builds without some of the libraries say of the same scene.
static void builds_without_libraries_say_what_they_lack(void **state)
{
	folder *f = *state;
	static const char wants[] = "this build has no ";
	static const struct
	{
		unsigned libraries;
		const char *said;
	} builds[] = {
	    {1u << SPATE_LIBRARY_OPENVDB | 1u << SPATE_LIBRARY_OPENEXR, ""},
	    {1u << SPATE_LIBRARY_OPENVDB,
	     "7:13: error: colliders.0: the scene cannot run: this build has no OpenEXR, which a wet_map with format: exr needs; "
	     "install libopenexr-dev (tools/install.sh run) and rebuild\n"},
	    {1u << SPATE_LIBRARY_OPENEXR,
	     "7:13: error: colliders.0: the scene cannot run: this build has no OpenVDB, which colliders made of meshes need; "
	     "install libopenvdb-dev libnanovdb-dev libboost-dev libboost-iostreams-dev libtbb-dev (tools/install.sh run) and "
	     "rebuild\n"},
	};
	spate_scene scene = load(f, "wet.yaml", "  - { mesh: uv.obj, wet_map: { size: 8, format: exr } }\n", NULL);
	for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
	{
		char said[4096];
		problem_list list = {0};
		spate_problems problems = {0};
		files_check_build(&scene, builds[i].libraries, &list);
		problem_finish(&list, &problems);
		problems_text(&problems, said, sizeof said);
		assert_string_equal(said, builds[i].said);
		spate_problems_free(&problems);
	}
	// this build, whatever it is
	spate_problems problems = {0};
	spate_error error = {0};
	unsigned all = builds[0].libraries;
	int whole = (spate_build_libraries() & all) == all;
	check_result(spate_scene_find_files(&scene, &problems, &error), whole ? SPATE_OK : SPATE_SCENE);
	assert_true(whole || strstr(error.text, wants));
	spate_problems_free(&problems);
	spate_scene_free(&scene);
	// shapes need nothing
	scene = load(f, "shape.yaml", "  - { shape: { plane: { point: [0, 0, 0], normal: [0, 1, 0] } } }\n", NULL);
	problem_list list = {0};
	files_check_build(&scene, 0, &list);
	assert_int_equal(list.errors, 0);
	spate_scene_free(&scene);
}

static void every_failed_allocation_is_reported(void **state)
{
	folder *f = *state;
	put(f, "s.yaml", LIQUID, "  - { mesh: box.obj }\n  - { mesh: open.obj }\n");
	mem_stats before = mem_get_stats();
	for (uint64_t n = 1;; n++)
	{
		spate_scene s;
		spate_problems problems = {0};
		mem_fail_at(n);
		spate_result result = spate_scene_load(&s, scratch_file(&f->own, "s.yaml"), NULL, 0, &problems, NULL);
		if (result == SPATE_OK)
			result = spate_scene_read_meshes(&s, &problems, NULL);
		int reached = mem_fail_at(0) == 0;
		spate_problems_free(&problems);
		spate_scene_free(&s);
		assert_int_equal(mem_get_stats().blocks, before.blocks);
		check_result(result, reached ? SPATE_MEMORY : SPATE_OK);
		if (!reached)
			return;
		assert_true(n < 10000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(paths_begin_at_the_scene),
	    cmocka_unit_test(overrides_and_memory_begin_at_the_current_folder),
	    cmocka_unit_test(missing_files_are_told_once_and_where),
	    cmocka_unit_test(forces_need_their_file_and_its_grid),
	    cmocka_unit_test(sequences_need_all_their_files),
	    cmocka_unit_test(folders_may_have_percent_signs),
	    cmocka_unit_test(files_may_have_percent_signs),
	    cmocka_unit_test(estimates_of_fields_are_near),
	    cmocka_unit_test(fields_that_cannot_be_made_are_told),
	    cmocka_unit_test(reports_tell_size_and_field),
	    cmocka_unit_test(estimates_know_meshes_that_were_read),
	    cmocka_unit_test(falls_end_at_meshes_below),
	    cmocka_unit_test(sizes_know_curves),
	    cmocka_unit_test(odd_meshes_are_warned_about),
	    cmocka_unit_test(meshes_must_have_what_maps_need),
	    cmocka_unit_test(damaged_meshes_are_told_with_their_place),
	    cmocka_unit_test(meshes_of_fills_are_read_with_their_place),
	    cmocka_unit_test(meshes_of_surfaces_and_sinks_are_read),
	    cmocka_unit_test(every_failed_allocation_is_reported),
	};
	const struct CMUnitTest of_builds[] = {cmocka_unit_test(builds_without_libraries_say_what_they_lack)};
	int failed = cmocka_run_group_tests(of_builds, begin, end);
	if (!failed && !distance_field_available())
		return skip_program_without("OPENVDB");
	return failed + cmocka_run_group_tests(tests, begin, end);
}
