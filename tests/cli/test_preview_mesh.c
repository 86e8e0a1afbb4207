// spate preview of meshes: surfaces of a folder, single files, and colliders.
#define _GNU_SOURCE
#include "cli/cache.h"
#include "render/image.h"
#include "tools/meshes/make.h"

#include <sys/stat.h>

static const char small[] = "--size 160x90 --supersample 1 --threads 1";

static const char *command(const char *arguments)
{
	static char line[1024];
	snprintf(line, sizeof line, "preview %s %s", arguments, small);
	return line;
}

// A ball of radius 0.2 whose middle is at (x, 0.5, 0.5).
static void write_ball(const char *path, double x)
{
	spate_mesh *mesh;
	check_ok(make_sphere(&mesh, 0.2, 40, 20, NULL));
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		mesh->positions[3 * v] += (float)x;
		mesh->positions[3 * v + 1] += 0.5f;
		mesh->positions[3 * v + 2] += 0.5f;
	}
	check_ok(spate_mesh_write(mesh, path, NULL));
	spate_mesh_destroy(mesh);
}

static void write_surfaces(const scratch *s, const char *folder, const char *extension)
{
	char path[256];
	assert_int_equal(mkdir(scratch_file(s, folder), 0777), 0);
	for (int frame = 1; frame <= 4; frame++)
	{
		snprintf(path, sizeof path, "%s/mesh_%06d%s", folder, frame, extension);
		write_ball(scratch_file(s, path), 0.6 + 0.1 * frame);
	}
}

typedef struct blob
{
	int count;
	double column, row; // of the mean pixel
} blob;

// Pixels of one picture that differ from another by more than `least` levels in any colour.
static blob difference(const char *a, const char *b, int least)
{
	image x, y;
	blob found = {0};
	check_ok(image_read_png(&x, a, NULL));
	check_ok(image_read_png(&y, b, NULL));
	assert_int_equal(x.width, 160);
	assert_int_equal(y.height, 90);
	for (int i = 0; i < 160 * 90; i++)
	{
		int differs = 0;
		for (int k = 0; k < 3; k++)
			differs |= abs(x.pixels[4 * i + k] - y.pixels[4 * i + k]) > least;
		found.count += differs;
		found.column += differs * (i % 160);
		found.row += differs * (i / 160);
	}
	image_free(&x);
	image_free(&y);
	found.column /= found.count ? found.count : 1;
	found.row /= found.count ? found.count : 1;
	return found;
}

// Mean column of the pixels that are clearly bluer than red.
static blob blue(const char *path)
{
	image picture;
	blob found = {0};
	check_ok(image_read_png(&picture, path, NULL));
	for (int i = 0; i < 160 * 90; i++)
		if (picture.pixels[4 * i + 2] > picture.pixels[4 * i] + 40)
		{
			found.count++;
			found.column += i % 160;
			found.row += i / 160;
		}
	image_free(&picture);
	found.column /= found.count ? found.count : 1;
	found.row /= found.count ? found.count : 1;
	return found;
}

static void test_surfaces(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	check_command(s.path, command("run --mesh --no-movie"), 1,
		      "run/mesh has no surfaces such as mesh_000001.ply; create them with 'spate mesh run'");
	write_surfaces(&s, "run/mesh", ".ply");
	check_command(s.path, command("run --mesh --no-movie"), 0, "wrote run/preview_mesh/frame_*.png (4 frames)");

	// the scene's camera looks along -z from 3.5 m in front of the ball: 142.7 / 3.5 pixels per metre
	blob first = blue(scratch_file(&s, "run/preview_mesh/frame_000001.png"));
	blob last = blue(scratch_file(&s, "run/preview_mesh/frame_000004.png"));
	check_near(last.column - first.column, 0.3 * 142.7 / 3.5, 0.8);
	check_near(first.column, 79.5 - 0.3 * 142.7 / 3.5, 1.0);
	check_near(first.count, 3.14159 * pow(0.2 * 142.7 / 3.5, 2.0), 40.0);

	// a folder of another place and format, in either way of writing it; frames asked for and missing ones
	write_surfaces(&s, "stl", ".stl");
	check_command(s.path, command("run --mesh=stl --frames 2 -o two.png"), 0, "wrote two.png");
	check_command(s.path, command("run --mesh stl --frames 2 -o again.png"), 0, "wrote again.png");
	assert_int_equal(difference(scratch_file(&s, "two.png"), scratch_file(&s, "again.png"), 0).count, 0);
	assert_true(
	    difference(scratch_file(&s, "two.png"), scratch_file(&s, "run/preview_mesh/frame_000002.png"), 12).count <
	    20);
	remove(scratch_file(&s, "run/mesh/mesh_000003.ply"));
	cache_write_text(scratch_file(&s, "run/mesh/mesh_000002.ply"), "ply\nnonsense\n");
	check_command(s.path, command("run --mesh --no-movie"), 1, "a frame is missing and skipped: 3\n");
	check_command(s.path, command("run --mesh --no-movie"), 1, "frame skipped: run/mesh/");
	check_command(s.path, command("run --mesh --no-movie"), 1, "(2 frames)");
	check_command(s.path, command("run --mesh --color-by speed"), 2, "--color-by applies to particles");
	scratch_remove(&s);
}

// Surfaces that were made from other frames than there are now are told.
static void test_outdated_surfaces(void **state)
{
	static const double zero[3];
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	check_command(s.path, "mesh run -q", 0, "");
	check_command(s.path, command("run --mesh --no-movie"), 0, "(4 frames)");
	assert_null(strstr(command_run(s.path, command("run --mesh --no-movie")).text, "older"));
	cache_write_frame(run_frame_path(scratch_file(&s, "run"), 2).text, SPATE_FRAME_PLAIN, 9, zero);
	check_command(s.path, command("run --mesh --no-movie"), 0,
		      "surfaces older than the frames of the run: 1, from frame 2 on; spate mesh run remakes them\n");
	check_command(s.path, "info run", 0,
		      "  meshes       1 of 4 older than their frames, from frame 2 on; spate mesh run remakes them\n");
	check_command(s.path, "info run --json", 0, "\"outdated_meshes\":1,");
	check_command(s.path, "mesh run -q", 0, "");
	assert_null(strstr(command_run(s.path, command("run --mesh --no-movie")).text, "older"));
	assert_null(strstr(command_run(s.path, "info run").text, "meshes"));
	scratch_remove(&s);
}

// A shorter run in the place of a longer one: what is left of that one is named, and is in neither pictures nor movie.
static void test_leftovers(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	check_command(s.path, "mesh run -q", 0, "");
	check_command(s.path, command("run --mesh --no-movie"), 0, "(4 frames)");
	check_command(s.path, command("run --no-movie"), 0, "(4 frames)");
	assert_null(strstr(command_run(s.path, command("run --no-movie")).text, "no longer"));
	remove(run_frame_path(scratch_file(&s, "run"), 3).text);
	remove(run_frame_path(scratch_file(&s, "run"), 4).text);
	static const char surfaces[] =
	    "run/mesh has surfaces of frames that the run no longer has, which are left out: 3-4\n";
	check_command(s.path, command("run --mesh --no-movie"), 0, surfaces);
	check_command(s.path, command("run --mesh=run/mesh --no-movie -o again"), 0, surfaces);
	check_command(
	    s.path, command("run --mesh --no-movie"), 0,
	    "run/preview_mesh has pictures of frames that the run no longer has, left from an earlier run: 3-4\n");
	check_command(s.path, command("run --mesh --no-movie"), 0, "wrote run/preview_mesh/frame_*.png (2 frames)");
	check_command(s.path, command("run --no-movie"), 0,
		      "run/preview has pictures of frames that the run no longer has, left from an earlier run: 3-4\n");
	assert_true(cache_exists(scratch_file(&s, "run/preview/frame_000004.png")));
	assert_null(strstr(command_run(s.path, command("run --no-movie -o elsewhere")).text, "no longer"));
	check_command(s.path, command("run --mesh --no-movie --frames 3-"), 1, "run has frames 1-2, but none of 3-");

	// a folder of somebody else's surfaces, and a run that is nothing but surfaces
	assert_int_equal(rename(scratch_file(&s, "run/mesh"), scratch_file(&s, "other")), 0);
	check_command(s.path, command("run --mesh=other --no-movie -o pictures"), 0, "(4 frames)");
	assert_int_equal(rename(scratch_file(&s, "other"), scratch_file(&s, "run/mesh")), 0);
	for (int frame = 1; frame <= 2; frame++)
		remove(run_mesh_path(scratch_file(&s, "run/mesh"), frame, ".ply").text);
	check_command(s.path, command("run --mesh --no-movie"), 1,
		      "run/mesh has no surfaces of the frames of the run; create them with 'spate mesh run'");
	for (int frame = 1; frame <= 2; frame++)
		remove(run_frame_path(scratch_file(&s, "run"), frame).text);
	check_command(s.path, command("run --mesh --no-movie"), 0, "(2 frames)");
	scratch_remove(&s);
}

static void test_single_mesh(void **state)
{
	scratch s = scratch_make();
	(void)state;
	write_ball(scratch_file(&s, "ball.ply"), 7.0);
	check_command(s.path, command("ball.ply"), 0, "wrote ball.png");
	check_command(s.path, command("ball.ply --look matt -o matt.png"), 0, "wrote matt.png");
	check_command(s.path, command("ball.ply --label -o label.png"), 0, "wrote label.png");
	// wherever it is, it is framed; water is blue, matt is grey
	blob water = blue(scratch_file(&s, "ball.png"));
	check_near(water.column, 79.5, 8.0);
	check_near(water.row, 44.5, 10.0);
	assert_true(water.count > 1000);
	assert_int_equal(blue(scratch_file(&s, "matt.png")).count, 0);
	assert_true(difference(scratch_file(&s, "ball.png"), scratch_file(&s, "label.png"), 0).count > 200);
	check_command(s.path, command("ball.ply --look wood"), 2, "--look takes water or matt, not 'wood'");
	check_command(s.path, command("ball.ply --color-by speed"), 2, "--color-by applies to particles");
	cache_write_text(scratch_file(&s, "bad.obj"), "f 1 2 3\n");
	check_command(s.path, command("bad.obj"), 1, "bad.obj");
	scratch_remove(&s);
}

// The scene of the cache with a mesh collider: a ball of radius 0.1 times its scale at x = 1.5, that moves up and grows to twice
// its size.
static void write_scene(const scratch *s, const char *mesh)
{
	char text[2048];
	snprintf(text, sizeof text, "%s%s",
		 "spate: 1\nname: cube\nframes: 4\nfps: 24\n"
		 "fluids:\n  water: { spacing: 0.1, color: \"#3b82c4\" }\n"
		 "sources:\n  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } } }\n"
		 "cameras:\n  side: { position: [1, 0.5, 4], target: [1, 0.5, 0.5], fov: 35 }\n",
		 mesh);
	cache_write_text(scratch_file(s, "run/scene.yaml"), text);
}

static void test_colliders(void **state)
{
	scratch s = scratch_make();
	spate_mesh *mesh;
	(void)state;
	cache_make(scratch_file(&s, "run"));
	check_ok(make_sphere(&mesh, 0.1, 40, 20, NULL));
	check_ok(spate_mesh_write(mesh, scratch_file(&s, "run/ball.obj"), NULL));
	spate_mesh_destroy(mesh);
	write_scene(&s, "");
	check_command(s.path, command("run --no-movie -o none"), 0, "(4 frames)");
	write_scene(&s, "colliders:\n  - mesh: ball.obj\n    scale: 2\n    position: [1.6, 0.3, 0.5]\n    motion:\n"
			"      keyframes:\n"
			"        - { time: 0, position: [0, 0, 0] }\n"
			"        - { time: 0.1666666666, position: [0, 0.4, 0] }\n");
	check_command(s.path, command("run --no-movie -o ball"), 0, "(4 frames)");

	// the lower edge of the picture is at y = -0.6 there; the shadow on the floor is softer than 60 levels
	blob low = difference(scratch_file(&s, "ball/frame_000001.png"), scratch_file(&s, "none/frame_000001.png"), 60);
	blob high =
	    difference(scratch_file(&s, "ball/frame_000004.png"), scratch_file(&s, "none/frame_000004.png"), 60);
	check_near(low.column, 79.5 + 0.6 * 142.7 / 3.5, 2.0);
	check_near(low.row - high.row, 0.3 * 142.7 / 3.5, 2.0);

	// as a container it is drawn too, and a mesh that is not there is named once and left out
	write_scene(&s, "colliders:\n  - { mesh: ball.obj, mode: inside, scale: 9, position: [1, 0.5, 0.5] }\n");
	check_command(s.path, command("run --no-movie -o around"), 0, "(4 frames)");
	assert_true(blue(scratch_file(&s, "around/frame_000001.png")).count > 100);
	write_scene(&s, "colliders:\n  - { mesh: nothing.obj }\n");
	check_command(s.path, command("run --no-movie -o left"), 1, "collider skipped: ");
	assert_int_equal(
	    difference(scratch_file(&s, "left/frame_000004.png"), scratch_file(&s, "none/frame_000004.png"), 0).count,
	    0);
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_outdated_surfaces), cmocka_unit_test(test_leftovers), cmocka_unit_test(test_surfaces),
	    cmocka_unit_test(test_single_mesh),       cmocka_unit_test(test_colliders),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
