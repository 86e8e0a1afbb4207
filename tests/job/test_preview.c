// Pictures from C, through the public headers alone: the same as the command's, into files and into memory, cancelled and continued.
#define _GNU_SOURCE
#include "job/view.h"

#include <fcntl.h>
#include <png.h>

enum
{
	WIDTH = 160,
	HEIGHT = 90,
	BYTES = 4 * WIDTH * HEIGHT
};

static spate_preview_def small_def(const char *input, const char *output)
{
	spate_preview_def def = spate_default_preview_def();
	def.job.threads = 1;
	def.input = input;
	def.output = output;
	def.width = WIDTH;
	def.height = HEIGHT;
	def.supersample = 1;
	return def;
}

static const char *picture(const scratch *s, const char *folder, int frame)
{
	char name[64];
	snprintf(name, sizeof name, "%s/frame_%06d.png", folder, frame);
	return scratch_file(s, name);
}

static int count_pictures(const scratch *s, const char *folder)
{
	int count = 0;
	for (int frame = 1; frame <= 4; frame++)
		count += view_exists(picture(s, folder, frame));
	return count;
}

static void test_files(void **state)
{
	(void)state;
	scratch s = scratch_make();
	listener l = {.left = 1.0};
	spate_preview_summary summary;
	view_make_run(scratch_file(&s, "run"));
	spate_preview_def def = small_def(scratch_file(&s, "run"), NULL);
	def.job = listener_job(&l);
	def.color_by = "speed";
	def.label = 1;
	check_ok(spate_preview_run(&def, &summary, NULL));
	assert_int_equal(summary.frames, 4);
	assert_int_equal(summary.kept, 0);
	assert_int_equal(summary.incomplete, 0);
	assert_string_equal(summary.folder, scratch_file(&s, "run/preview"));
	assert_string_equal(summary.movie, scratch_file(&s, "run/preview/cube.mp4"));
	assert_string_equal(summary.picture, "");
	// two passes over four frames, each told before the first and after every one
	assert_int_equal(l.calls, 10);
	assert_int_equal(l.last_done, 4);
	assert_int_equal(l.last_total, 4);
	check_near(l.left, 0.0, 0.0);
	assert_string_equal(l.item, scratch_file(&s, "run/frames/frame_000004.spate"));
	assert_string_equal(l.warnings, "");

	check_runs(s.path,
		   "preview run -o command --size 160x90 --supersample 1 --threads 1 --color-by speed --label -q");
	for (int frame = 1; frame <= 4; frame++)
		check_same_bytes(picture(&s, "run/preview", frame), picture(&s, "command", frame));
	check_same_bytes(scratch_file(&s, "run/preview/cube.mp4"), scratch_file(&s, "command/cube.mp4"));

	// one frame as one picture; a camera of one's own that is the scene's
	spate_camera_def camera = spate_default_camera_def();
	memcpy(camera.position, (double[3]){0.3, 0.3, 1.6}, sizeof camera.position);
	memcpy(camera.target, (double[3]){0.3, 0.25, 0.15}, sizeof camera.target);
	camera.fov = 30.0;
	def = small_def(scratch_file(&s, "run"), scratch_file(&s, "own.png"));
	def.frames = (spate_job_frames){.list = "3"};
	def.camera = &camera;
	def.color_by = "speed";
	def.label = 1;
	check_ok(spate_preview_run(&def, &summary, NULL));
	assert_string_equal(summary.picture, scratch_file(&s, "own.png"));
	assert_string_equal(summary.folder, "");
	def.output = scratch_file(&s, "named.png");
	def.camera = NULL;
	def.camera_name = "side";
	check_ok(spate_preview_run(&def, NULL, NULL));
	check_same_bytes(scratch_file(&s, "own.png"), scratch_file(&s, "named.png"));
	scratch_remove(&s);
}

static void test_cancel(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_preview_summary summary;
	char run[2048], cut[2048], never[2048];
	snprintf(run, sizeof run, "%s", scratch_file(&s, "run"));
	snprintf(cut, sizeof cut, "%s", scratch_file(&s, "cut"));
	snprintf(never, sizeof never, "%s", scratch_file(&s, "never"));
	view_make_run(run);
	spate_preview_def def = small_def(run, scratch_file(&s, "whole"));
	check_ok(spate_preview_run(&def, NULL, NULL));

	listener l = {.stop_what = "frames", .stop_after = 2};
	def.job = listener_job(&l);
	def.output = cut;
	check_refused(spate_preview_run(&def, &summary, &error), SPATE_CANCELLED, "2 of 4");
	assert_int_equal(summary.frames, 2);
	assert_string_equal(summary.folder, cut);
	assert_string_equal(summary.movie, "");
	assert_int_equal(count_pictures(&s, "cut"), 2);
	assert_false(view_exists(scratch_file(&s, "cut/cube.mp4")));
	check_no_temporaries(s.path);

	// continued, it leaves the finished pictures alone and ends with the same files
	struct stat before, after;
	assert_int_equal(stat(picture(&s, "cut", 1), &before), 0);
	l.stop_what = NULL;
	def.keep_pictures = 1;
	check_ok(spate_preview_run(&def, &summary, NULL));
	assert_int_equal(summary.frames, 4);
	assert_int_equal(summary.kept, 2);
	assert_int_equal(stat(picture(&s, "cut", 1), &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	for (int frame = 1; frame <= 4; frame++)
		check_same_bytes(picture(&s, "cut", frame), picture(&s, "whole", frame));
	check_same_bytes(scratch_file(&s, "cut/cube.mp4"), scratch_file(&s, "whole/cube.mp4"));

	// a picture that is older than its frame is drawn again, and so are all of another size
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = after.st_mtim.tv_sec + 60}};
	assert_int_equal(utimensat(AT_FDCWD, scratch_file(&s, "run/frames/frame_000003.spate"), times, 0), 0);
	check_ok(spate_preview_run(&def, &summary, NULL));
	assert_int_equal(summary.kept, 3);
	def.width = 2 * WIDTH;
	check_ok(spate_preview_run(&def, &summary, NULL));
	assert_int_equal(summary.kept, 0);
	assert_int_equal(summary.frames, 4);

	// nothing is written while the range of the colours is being looked for
	l = (listener){.stop_what = "frames read to find the colour range", .stop_after = 1};
	def.color_by = "density";
	def.output = never;
	check_refused(spate_preview_run(&def, &summary, &error), SPATE_CANCELLED, "1 of 4");
	assert_int_equal(l.calls, 2);
	assert_false(view_exists(never));
	scratch_remove(&s);
}

// Reads a PNG as RGBA without this library.
static void read_png(const char *path, uint8_t rgba[BYTES])
{
	png_image png = {.version = PNG_IMAGE_VERSION};
	assert_true(png_image_begin_read_from_file(&png, path));
	png.format = PNG_FORMAT_RGBA;
	assert_int_equal(png.width, WIDTH);
	assert_int_equal(png.height, HEIGHT);
	assert_true(png_image_finish_read(&png, NULL, rgba, 0, NULL));
}

static void test_memory(void **state)
{
	(void)state;
	scratch s = scratch_make();
	static uint8_t drawn[BYTES], read[BYTES];
	char camera[] = "side";
	view_make_run(scratch_file(&s, "run"));
	spate_preview_def def = small_def(scratch_file(&s, "run"), scratch_file(&s, "files"));
	char list[] = "2-";
	def.frames.list = list;
	def.movie = 0;
	def.camera_name = camera;
	check_ok(spate_preview_run(&def, NULL, NULL));
	spate_preview *preview;
	check_ok(spate_preview_open(&def, &preview, NULL));
	memset(camera, 0, sizeof camera), list[0] = '4'; // the definition was copied
	def = (spate_preview_def){0};
	assert_int_equal(spate_preview_count(preview), 3);
	for (uint32_t index = 3; index-- > 0;)
	{
		assert_int_equal(spate_preview_frame(preview, index), index + 2);
		check_ok(spate_preview_draw(preview, index, drawn, NULL));
		read_png(picture(&s, "files", (int)index + 2), read);
		assert_memory_equal(drawn, read, BYTES);
	}
	// a failure leaves the pixels alone
	remove(scratch_file(&s, "run/frames/frame_000003.spate"));
	check_refused(spate_preview_draw(preview, 1, drawn, &error), SPATE_MISSING, "frame_000003.spate");
	check_refused(spate_preview_draw(preview, 3, drawn, &error), SPATE_INVALID, "`index` 3");
	assert_memory_equal(drawn, read, BYTES);
	spate_preview_close(preview);
	spate_preview_close(NULL);
	scratch_remove(&s);
}

// The same particles as a frame and in two formats of other programs.
static void write_lattice(const scratch *s)
{
	enum
	{
		SIDE = 6,
		COUNT = SIDE * SIDE * SIDE
	};
	static float position[COUNT][3], heat[COUNT];
	FILE *vtk = fopen(scratch_file(s, "b.vtk"), "w"), *ply = fopen(scratch_file(s, "c.ply"), "w");
	assert_true(vtk && ply);
	fprintf(vtk, "# vtk DataFile Version 3.0\nlattice\nASCII\nDATASET POLYDATA\nPOINTS %d float\n", COUNT);
	fprintf(ply, "ply\nformat ascii 1.0\nelement vertex %d\n", COUNT);
	fprintf(ply, "property float x\nproperty float y\nproperty float z\nproperty float heat\nend_header\n");
	for (int i = 0; i < COUNT; i++)
	{
		position[i][0] = 0.125f * (float)(i % SIDE);
		position[i][1] = 0.125f * (float)(i / SIDE % SIDE);
		position[i][2] = 0.125f * (float)(i / SIDE / SIDE);
		heat[i] = (float)(i % SIDE);
		const double p[3] = {(double)position[i][0], (double)position[i][1], (double)position[i][2]};
		fprintf(vtk, "%g %g %g\n", p[0], p[1], p[2]);
		fprintf(ply, "%g %g %g %d\n", p[0], p[1], p[2], i % SIDE);
	}
	fprintf(vtk, "POINT_DATA %d\nSCALARS heat float 1\nLOOKUP_TABLE default\n", COUNT);
	for (int i = 0; i < COUNT; i++)
		fprintf(vtk, "%d\n", i % SIDE);
	fclose(vtk);
	fclose(ply);
	const spate_frame_channel_def channels[] = {{"position", SPATE_VEC3, position, 0, COUNT},
						    {"heat", SPATE_FLOAT, heat, 0, COUNT}};
	spate_frame_def def = spate_default_frame_def();
	def.count = COUNT;
	def.channels = channels;
	def.channel_count = 2;
	check_ok(spate_frame_write(scratch_file(s, "a.spate"), &def, NULL));
}

static void test_other_programs(void **state)
{
	(void)state;
	scratch s = scratch_make();
	write_lattice(&s);
	static const char *const files[] = {"a.spate", "b.vtk", "c.ply"};
	for (int coloured = 0; coloured < 2; coloured++)
	{
		for (int f = 0; f < 3; f++)
		{
			spate_preview_summary summary;
			spate_preview_def def = small_def(scratch_file(&s, files[f]), NULL);
			def.color_by = coloured ? "heat" : NULL;
			check_ok(spate_preview_run(&def, &summary, NULL));
			assert_int_equal(summary.frames, 1);
		}
		check_same_bytes(scratch_file(&s, "a.png"), scratch_file(&s, "b.png"));
		check_same_bytes(scratch_file(&s, "a.png"), scratch_file(&s, "c.png"));
	}
	spate_preview_def def = small_def(scratch_file(&s, "b.vtk"), NULL);
	def.color_by = "cold";
	check_refused(spate_preview_run(&def, NULL, &error), SPATE_INVALID, "choose one of: position, heat");
	def = small_def(scratch_file(&s, "a.png"), NULL);
	check_refused(spate_preview_run(&def, NULL, &error), SPATE_FORMAT, "not a particle file");
	scratch_remove(&s);
}

static void test_skipped(void **state)
{
	(void)state;
	scratch s = scratch_make();
	listener l = {.calls = 0};
	spate_preview_summary summary;
	view_make_run(scratch_file(&s, "run"));
	remove(scratch_file(&s, "run/frames/frame_000003.spate"));
	assert_int_equal(truncate(scratch_file(&s, "run/frames/frame_000002.spate"), 100), 0);
	spate_preview_def def = small_def(scratch_file(&s, "run"), scratch_file(&s, "out"));
	def.job = listener_job(&l);
	def.movie = 0;
	check_ok(spate_preview_run(&def, &summary, NULL));
	assert_int_equal(summary.frames, 2);
	assert_int_equal(summary.missing, 1);
	assert_int_equal(summary.skipped, 1);
	assert_int_equal(summary.incomplete, 1);
	assert_int_equal(count_pictures(&s, "out"), 2);
	assert_non_null(strstr(l.warnings, "a frame is missing and skipped: 3\n"));
	assert_non_null(strstr(l.warnings, "frame skipped: "));
	assert_non_null(strstr(l.warnings, "frame_000002.spate"));

	// a single file is not skipped but refused
	def = small_def(scratch_file(&s, "run/frames/frame_000002.spate"), NULL);
	check_refused(spate_preview_run(&def, NULL, &error), SPATE_FORMAT, "frame_000002.spate");
	scratch_remove(&s);
}

static void test_refused(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char run[2048];
	snprintf(run, sizeof run, "%s", scratch_file(&s, "run"));
	view_make_run(run);
	spate_preview_def def = small_def(NULL, NULL);
	check_refused(spate_preview_run(&def, NULL, &error), SPATE_INVALID, "`input`");
	def = small_def(scratch_file(&s, "nowhere"), NULL);
	check_refused(spate_preview_run(&def, NULL, &error), SPATE_IO, "nowhere");
	def = small_def(run, NULL);
	def.camera_name = "front";
	check_refused(spate_preview_run(&def, NULL, &error), SPATE_INVALID, "choose one of: auto, side");
	def = small_def(run, NULL);
	def.color_by = "heat";
	check_refused(spate_preview_run(&def, NULL, &error), SPATE_INVALID,
		      "unknown channel 'heat' for `color_by`; choose one of: id, position, velocity, density");
	def = small_def(run, scratch_file(&s, "one.png"));
	check_refused(spate_preview_run(&def, NULL, &error), SPATE_INVALID, "there are 4 frames");
	def = small_def(run, NULL);
	def.surfaces = 1;
	check_refused(spate_preview_run(&def, NULL, &error), SPATE_MISSING, "no surfaces such as mesh_000001.ply");
	def.color_by = "speed";
	check_refused(spate_preview_run(&def, NULL, &error), SPATE_INVALID, "`color_by` applies to particles");
	def = small_def(run, NULL);
	def.fluid = "water";
	check_refused(spate_preview_run(&def, NULL, &error), SPATE_INVALID, "`fluid`");
	def = small_def(run, NULL);
	def.width = SPATE_PREVIEW_MAX_SIZE + 1;
	check_refused(spate_preview_run(&def, NULL, &error), SPATE_INVALID, "`width`");
	def = small_def(run, NULL);
	def.pictures = def.movie = 0;
	check_refused(spate_preview_run(&def, NULL, &error), SPATE_INVALID, "nothing to write");
	def = small_def(run, NULL);
	def.frames = (spate_job_frames){.list = "7-"};
	check_refused(spate_preview_run(&def, NULL, &error), SPATE_MISSING, "has frames 1-4, but none of 7-");
	assert_false(view_exists(scratch_file(&s, "run/preview")));
	scratch_remove(&s);
}

// Arrows instead of particles: of a scene file before it is run, and of a run, whose frames tell the time.
static void test_forces(void **state)
{
	(void)state;
	static const char text[] =
	    "spate: 2\nfluids: { water: { spacing: 0.1 } }\n"
	    "sources: [{ type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } } }]\n"
	    "colliders: [{ shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } }, mode: inside }]\nforces:\n";
	scratch s = scratch_make();
	const char *const bodies[] = {"  []\n", "  - { type: wind, velocity: [4, 0, 0], drag: 1 }\n",
				      "  - { type: wind, velocity: [0, 4, 0], drag: 1 }\n",
				      "  - { type: wind, velocity: [8, 0, 0], drag: 2 }\n"};
	static uint8_t pixels[4][BYTES];
	spate_error error = {0};
	for (int n = 0; n < 4; n++)
	{
		FILE *file = fopen(scratch_file(&s, "wind.yaml"), "w");
		assert_non_null(file);
		fprintf(file, "%s%s", text, bodies[n]);
		fclose(file);
		spate_preview_def def = small_def(scratch_file(&s, "wind.yaml"), NULL);
		spate_preview *preview;
		def.forces = 1;
		if (n == 0)
		{
			check_result(spate_preview_open(&def, &preview, &error), SPATE_INVALID);
			assert_non_null(strstr(error.text, "no forces besides gravity"));
			continue;
		}
		check_ok(spate_preview_open(&def, &preview, &error));
		assert_int_equal(spate_preview_count(preview), 1);
		check_ok(spate_preview_draw(preview, 0, pixels[n], &error));
		spate_preview_close(preview);
	}
	// another direction is another picture; another strength differs in the numbers alone
	int turned = 0, stronger = 0;
	for (int k = 0; k < BYTES; k += 4)
	{
		turned += memcmp(pixels[1] + k, pixels[2] + k, 4) != 0;
		stronger += memcmp(pixels[1] + k, pixels[3] + k, 4) != 0;
	}
	assert_true(turned > 1000);
	assert_true(stronger > 0 && stronger < turned / 2);

	spate_preview_summary summary;
	spate_preview_def def = small_def(scratch_file(&s, "wind.yaml"), NULL);
	def.forces = 1;
	check_ok(spate_preview_run(&def, &summary, &error));
	assert_string_equal(summary.picture, scratch_file(&s, "wind_forces.png"));
	check_runs(s.path, "preview wind.yaml --forces -o command.png --size 160x90 --supersample 1 --threads 1 -q");
	check_same_bytes(scratch_file(&s, "wind_forces.png"), scratch_file(&s, "command.png"));
	def.color_by = "speed";
	check_result(spate_preview_run(&def, &summary, &error), SPATE_INVALID);

	// the run of that scene
	check_runs(s.path, "run wind.yaml -o run --frames 2 -q");
	check_runs(s.path, "preview run --forces --size 160x90 --supersample 1 --no-movie -q");
	assert_true(view_exists(picture(&s, "run/preview_forces", 2)));
	scratch_remove(&s);
}

// A picture from the side of a tank with water and more colliders.
static void draw_side(const scratch *s, const char *more, uint8_t pixels[BYTES])
{
	FILE *file = fopen(scratch_file(s, "side.yaml"), "w");
	assert_non_null(file);
	fprintf(file,
		"spate: 2\nframes: 1\nfluids: { water: { spacing: 0.1 } }\n"
		"sources: [{ type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 0.2, 1] } } }]\n"
		"colliders:\n  - { shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } }, mode: inside }\n%s"
		"cameras: { main: { position: [0.5, 0.3, 9], target: [0.5, -0.7, 0], fov: 22 } }\n",
		more);
	fclose(file);
	check_runs(s->path, "run side.yaml -o side -q --overwrite");
	spate_preview_def def = small_def(scratch_file(s, "side"), NULL);
	spate_preview *preview;
	check_ok(spate_preview_open(&def, &preview, NULL));
	check_ok(spate_preview_draw(preview, 0, pixels, NULL));
	spate_preview_close(preview);
}

static int count_other(const uint8_t a[BYTES], const uint8_t b[BYTES])
{
	int other = 0;
	for (int k = 0; k < BYTES; k += 4)
		other += memcmp(a + k, b + k, 4) != 0;
	return other;
}

// A table that a tank stands on is above the floor; a rock that reaches through the bottom of the tank leaves the floor there.
static void test_floor(void **state)
{
	(void)state;
	static const char rock[] = "  - { shape: { sphere: { center: [0.5, 0, 0.5], radius: 0.2 } } }\n",
			  legs[] = "  - { shape: { box: { min: [0.3, -1, 0.3], max: [0.7, 0, 0.7] } } }\n";
	static uint8_t alone[BYTES], with_rock[BYTES], with_legs[BYTES];
	scratch s = scratch_make();
	draw_side(&s, "", alone);
	draw_side(&s, rock, with_rock);
	draw_side(&s, legs, with_legs);
	// the floor of a picture is half of it or more, and moves with what stands on it
	int rocks = count_other(alone, with_rock), legged = count_other(alone, with_legs);
	print_message("%d and %d of %d pixels differ\n", rocks, legged, BYTES / 4);
	assert_true(rocks < BYTES / 4 / 8);
	assert_true(legged > BYTES / 4 / 4);
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_files),          cmocka_unit_test(test_cancel),  cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_other_programs), cmocka_unit_test(test_skipped), cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_forces),         cmocka_unit_test(test_floor),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
