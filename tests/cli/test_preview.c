// spate preview: which files appear, what is in the pictures, and what happens to frames that cannot be drawn.
#define _GNU_SOURCE
#include "cli/cache.h"
#include "render/image.h"

#include <signal.h>

static const char small[] = "--size 160x90 --supersample 1 --threads 1";

static const char *command(const char *arguments)
{
	static char line[1024];
	snprintf(line, sizeof line, "preview %s %s", arguments, small);
	return line;
}

static image read_picture(const char *path)
{
	image picture;
	check_ok(image_read_png(&picture, path, NULL));
	assert_int_equal(picture.width, 160);
	assert_int_equal(picture.height, 90);
	return picture;
}

// Mean column of the pixels that are clearly bluer than red, -1 when there are none.
static double blue_column(const char *path)
{
	image picture = read_picture(path);
	double sum = 0.0, count = 0.0;
	for (int i = 0; i < picture.width * picture.height; i++)
		if (picture.pixels[4 * i + 2] > picture.pixels[4 * i] + 60)
		{
			sum += i % picture.width;
			count += 1.0;
		}
	image_free(&picture);
	return count > 0.0 ? sum / count : -1.0;
}

// Pixels where two pictures differ.
static int differing(const char *a, const char *b)
{
	image x = read_picture(a), y = read_picture(b);
	int count = 0;
	for (int i = 0; i < x.width * x.height; i++)
		count += memcmp(x.pixels + 4 * i, y.pixels + 4 * i, 3) != 0;
	image_free(&x);
	image_free(&y);
	return count;
}

static void test_pictures(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	check_command(s.path, command("run --no-movie"), 0, "wrote run/preview/frame_*.png (4 frames)");
	assert_false(cache_exists(scratch_file(&s, "run/preview/cube.mp4")));

	// the camera looks along -z from 3.5 m at 90 pixels for 35 degrees: 0.1 m of x are 4.1 to 4.8 pixels on the cube's sides
	double first = blue_column(scratch_file(&s, "run/preview/frame_000001.png"));
	double last = blue_column(scratch_file(&s, "run/preview/frame_000004.png"));
	check_near(last - first, 3 * 4.4, 3 * 0.6);

	// another camera is another picture; a folder of one's own; only the frames asked for
	check_command(s.path, command("run --no-movie --camera top --frames 2-3 -o other/top"), 0, "(2 frames)");
	assert_false(cache_exists(scratch_file(&s, "other/top/frame_000001.png")));
	assert_true(differing(scratch_file(&s, "other/top/frame_000002.png"),
			      scratch_file(&s, "run/preview/frame_000002.png")) > 1000);
	check_command(s.path, command("run --frames 3 -o three.png"), 0, "wrote three.png");
	assert_int_equal(differing(scratch_file(&s, "three.png"), scratch_file(&s, "run/preview/frame_000003.png")), 0);
	assert_string_equal(command_run(s.path, command("run --frames 3 -o three.png --quiet")).text, "");

	// the label, and the moving ball
	check_command(s.path, command("run --frames 3 --label -o label.png"), 0, "wrote");
	assert_true(differing(scratch_file(&s, "three.png"), scratch_file(&s, "label.png")) > 200);
	scratch_remove(&s);
}

static void test_single_file(void **state)
{
	scratch s = scratch_make();
	const double zero[3] = {0}, far_away[3] = {4096.0, -512.0, 0.0};
	(void)state;
	// no scene: framed automatically, spacing from the particles; positions relative to an origin make no difference
	cache_write_frame(scratch_file(&s, "a.spate"), SPATE_FRAME_PLAIN, 1, zero);
	cache_write_frame(scratch_file(&s, "b.spate"), SPATE_FRAME_PLAIN, 1, far_away);
	check_command(s.path, command("a.spate"), 0, "wrote a.png");
	check_command(s.path, command("b.spate -o picture.png"), 0, "wrote picture.png");
	double centre = blue_column(scratch_file(&s, "a.png"));
	check_near(centre, 80.0, 8.0);
	check_near(blue_column(scratch_file(&s, "picture.png")), centre, 1.0);

	// in the frames of a run its scene counts: the same picture as from the run
	cache_make(scratch_file(&s, "run"));
	check_command(s.path, command("run --frames 2 -o of_run.png"), 0, "wrote");
	check_command(s.path, command("run/frames/frame_000002.spate -o of_file.png"), 0, "wrote");
	assert_int_equal(differing(scratch_file(&s, "of_run.png"), scratch_file(&s, "of_file.png")), 0);
	scratch_remove(&s);
}

static void test_colours(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	check_command(s.path, command("run --frames 1 --color-by speed -o speed.png"), 0, "wrote");
	check_command(s.path, command("run --frames 1 --color-by velocity.x --range 0:2.5 -o x.png"), 0, "wrote");
	check_command(s.path, command("run --frames 1 --color-by density --colormap grey -o density.png"), 0, "wrote");
	check_command(s.path, command("run --frames 1 -o plain.png"), 0, "wrote");
	assert_true(differing(scratch_file(&s, "speed.png"), scratch_file(&s, "plain.png")) > 500);
	assert_true(differing(scratch_file(&s, "speed.png"), scratch_file(&s, "density.png")) > 500);
	// the length of velocity is the speed, 0 to 2.5 m/s here, and has no part along y
	check_command(s.path, command("run --frames 1 --color-by velocity --range 0:2.5 -o length.png"), 0, "wrote");
	check_command(s.path, command("run --frames 1 --color-by velocity.y --range 0:2.5 -o y.png"), 0, "wrote");
	check_command(s.path, command("run --frames 1 --color-by velocity.z --range 0:2.5 -o z.png"), 0, "wrote");
	assert_int_equal(differing(scratch_file(&s, "speed.png"), scratch_file(&s, "length.png")), 0);
	assert_true(differing(scratch_file(&s, "x.png"), scratch_file(&s, "y.png")) > 50);
	assert_true(differing(scratch_file(&s, "y.png"), scratch_file(&s, "z.png")) < 50);

	check_command(s.path, command("run --color-by heat"), 2,
		      "unknown channel 'heat' for --color-by; choose one of: id, position, velocity, density, fluid");
	check_command(s.path, command("run --color-by speed --colormap pink"), 2, "unknown colour map 'pink'");
	check_command(s.path, command("run --color-by speed --range 3:1"), 2, "--range takes LOW:HIGH");
	check_command(s.path, command("run --range 1:3"), 2, "--range requires --color-by");
	scratch_remove(&s);
}

static void test_movie(void **state)
{
	(void)state;
	scratch s = scratch_make();
	cache_make(scratch_file(&s, "run"));
	check_command(s.path, command("run"), 0, "wrote run/preview/cube.mp4 (4 frames)");
	assert_true(cache_exists(scratch_file(&s, "run/preview/cube.mp4")));
	check_command(s.path, command("run --no-png -o alone.mp4 --fps 30"), 0, "wrote alone.mp4 (4 frames)");
	assert_true(cache_exists(scratch_file(&s, "alone.mp4")));
	// without the program the pictures are there all the same
	const char *no_program = "preview run -o rest --size 160x90 --supersample 1";
	char programs[4096];
	snprintf(programs, sizeof programs, "%s", getenv("PATH"));
	setenv("PATH", s.path, 1);
	check_command(s.path, no_program, 1, "spate preview: no movie: ");
	setenv("PATH", programs, 1);
	assert_true(cache_exists(scratch_file(&s, "rest/frame_000004.png")));
	assert_false(cache_exists(scratch_file(&s, "rest/cube.mp4")));
	scratch_remove(&s);
}

// Starts a movie of many frames, waits for its first picture and sends a signal; the exit code as a shell tells it.
static int signalled(const scratch *s, const char *signal, const char *size)
{
	char line[4096];
	snprintf(
	    line, sizeof line,
	    "cd '%s' && rm -rf run/preview && { '%s' preview run --size %s --supersample 1 --threads 1 >said 2>&1 & "
	    "job=$!; while [ ! -e run/preview/frame_000001.png ]; do sleep 0.01; done; kill -%s $job; wait $job; }",
	    s->path, getenv("SPATE_BINARY"), size, signal);
	int status = system(line);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Whoever ends it, nothing strays: at once when that can be asked for, else when the next one starts.
static void test_signals(void **state)
{
	(void)state;
	scratch s = scratch_make();
	cache_make(scratch_file(&s, "run"));
	for (int frame = 5; frame <= 300; frame++)
	{
		run_path path = run_frame_path(scratch_file(&s, "run"), frame);
		assert_int_equal(link(run_frame_path(scratch_file(&s, "run"), 1).text, path.text), 0);
	}
	const struct
	{
		const char *name;
		int code;
	} asked[] = {{"INT", 130}, {"TERM", 143}, {"HUP", 129}};
	for (size_t n = 0; n < sizeof asked / sizeof *asked; n++)
	{
		int code = signalled(&s, asked[n].name, "160x90");
		if (code != asked[n].code)
			fail_msg("SIG%s: exit code %d, expected %d", asked[n].name, code, asked[n].code);
		check_no_temporaries(s.path);
		assert_false(cache_exists(scratch_file(&s, "run/preview/cube.mp4")));
	}
	// pictures so large that hardly more than one is drawn; the words agree with their number
	assert_int_equal(signalled(&s, "TERM", "1600x900"), 143);
	int drawn = 0;
	while (cache_exists(run_picture_path(scratch_file(&s, "run/preview"), drawn + 1).text))
		drawn++;
	char said[256];
	snprintf(said, sizeof said, "grep -q 'interrupted after %d frame%s; %s written, the movie was not$' '%s'",
		 drawn, drawn == 1 ? "" : "s", drawn == 1 ? "its picture was" : "their pictures were",
		 scratch_file(&s, "said"));
	assert_int_equal(system(said), 0);
	assert_int_equal(signalled(&s, "KILL", "160x90"), 137);
	check_command(s.path, command("run --frames 1 --no-movie"), 0, "wrote");
	check_no_temporaries(s.path);
	scratch_remove(&s);
}

static void test_broken_frames(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	remove(run_frame_path(scratch_file(&s, "run"), 3).text);
	scratch_damage(run_frame_path(scratch_file(&s, "run"), 2).text);
	check_command(s.path, command("run --no-movie"), 1, "a frame is missing and skipped: 3\n");
	check_command(s.path, command("run --no-movie"), 1, "frame skipped: run/frames/frame_000002.spate");
	check_command(s.path, command("run --no-movie"), 1, "wrote run/preview/frame_*.png (2 frames)");
	assert_true(cache_exists(scratch_file(&s, "run/preview/frame_000004.png")));
	assert_false(cache_exists(scratch_file(&s, "run/preview/frame_000002.png")));
	check_command(s.path, command("run --no-movie --frames 4-6"), 0,
		      "spate preview: --frames goes up to 6, but the last frame is 4\n");
	check_command(s.path, command("run --frames 8-9"), 1, "run has frames 1-2, 4, but none of 8-9");
	check_command(s.path, command("run/frames/frame_000002.spate"), 1, "frame_000002.spate");
	scratch_remove(&s);
}

static void test_misuse(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	check_command(s.path, "preview", 2, "DIR or FILE is missing");
	check_command(s.path, "preview run --size 10x", 2, "--size takes WIDTHxHEIGHT");
	check_command(s.path, "preview run --frames 5-3", 2, "spate preview: --frames: '5-3' ends before it begins\n");
	check_command(s.path, "preview run --supersample 3", 2, "--supersample takes 1 or 2");
	check_command(s.path, "preview run --radius-scale 0", 2, "--radius-scale takes");
	check_command(s.path, "preview run --fps nan", 2, "--fps takes");
	check_command(s.path, "preview run --threads 0", 2, "--threads takes");
	check_command(s.path, "preview run --no-png --no-movie", 2, "leave nothing to write");
	check_command(s.path, "preview run --camera front", 2,
		      "unknown camera 'front'; choose one of: auto, side, top\n");
	check_command(s.path, "preview run -o one.png", 2, "one picture, but there are 4 frames");
	check_command(s.path, command("run --frames 1 --no-movie -o run/scene.yaml/one.png"), 1,
		      "run/scene.yaml/one.png");
	command_result unwritten = command_run(s.path, command("run --frames 1 --no-movie -o run/scene.yaml/one.png"));
	assert_null(strstr(unwritten.text, "wrote"));
	check_command(s.path, "preview nowhere", 1, "spate preview: cannot open nowhere");
	check_command(s.path, "preview --help", 0, "spate preview out/dam_break --color-by speed");
	check_ok(run_dir_create(scratch_file(&s, "empty"), NULL));
	check_command(s.path, "preview empty", 1, "spate preview: empty has no frames\n");
	scratch_remove(&s);
}

int main(void)
{
	signal(SIGHUP, SIG_DFL); // whatever these tests are run by
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pictures), cmocka_unit_test(test_single_file), cmocka_unit_test(test_colours),
	    cmocka_unit_test(test_movie),    cmocka_unit_test(test_signals),     cmocka_unit_test(test_broken_frames),
	    cmocka_unit_test(test_misuse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
