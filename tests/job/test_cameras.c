// Cameras that move: where a known point lands in the picture, frame by frame; and the automatic one, which depends on the scene alone.
#define _GNU_SOURCE
#include "job/view.h"

enum
{
	SIDE = 200 // pixels
};

static const char scene_text[] =
    "spate: 2\nname: fly\nframes: 48\nfps: 24\nfluids: { dot: { spacing: 0.1, color: \"#ff0000\" } }\n"
    "sources: [ { type: fill, fluid: dot, shape: { box: { min: [0, -0.6, 0], max: [0.1, -0.5, 0.1] } } } ]\n"
    "cameras:\n"
    // 90 degrees: a metre away, the picture is two metres high
    "  track: { position: [[0, [0, 0, 2]], [2, [2, 0, 2]]], target: [[0, [0, 0, 0]], [2, [2, 0, 0]]], fov: 90 }\n"
    "  zoom: { position: [-0.5, 0, 2], target: [-0.5, 0, 0], fov: { keys: [[0, 90], [1, 60]], between: step } }\n"
    "  lift: { position: { expression: [\"0\", \"0.5*t\", \"2\"] }, target: { expression: [\"0\", \"0.5*t\", \"0\"] }, fov: 90 }\n"
    "  roll: { position: [-0.5, 0, 2], target: [-0.5, 0, 0], up: [[0, [0, 1, 0]], [1, [1, 0, 0]]], fov: 90 }\n"
    "  odd: { position: [0, 0, 2], fov: { expression: \"t < 3 ? 90 : sqrt(-1)\" } }\n";

// A run of one particle at the origin.
static void make_run(const scratch *s, const char *name)
{
	char path[1200];
	snprintf(path, sizeof path, "%s/%s", s->path, name);
	assert_int_equal(mkdir(path, 0777), 0);
	snprintf(path, sizeof path, "%s/%s/frames", s->path, name);
	assert_int_equal(mkdir(path, 0777), 0);
	snprintf(path, sizeof path, "%s/%s/scene.yaml", s->path, name);
	check_ok(spate_file_write(path, scene_text, strlen(scene_text), NULL));
	static const float position[3] = {0, 0, 0};
	for (int frame = 0; frame <= 96; frame += 12)
	{
		spate_frame_def def = spate_default_frame_def();
		const spate_frame_channel_def channels[] = {
		    {.name = "position", .type = SPATE_VEC3, .count = 1, .data = position}};
		def.frame = frame;
		def.time = frame / 24.0;
		def.count = 1;
		def.channels = channels;
		def.channel_count = 1;
		snprintf(path, sizeof path, "%s/%s/frames/frame_%06d.spate", s->path, name, frame);
		check_ok(spate_frame_write(path, &def, NULL));
	}
}

// The middle of what is red.
static void find_dot(const uint8_t *rgba, double *x, double *y)
{
	double sum[3] = {0};
	for (int row = 0; row < SIDE; row++)
		for (int column = 0; column < SIDE; column++)
		{
			const uint8_t *p = rgba + 4 * (SIDE * row + column);
			if (p[0] < p[1] + 25 || p[0] < p[2] + 25)
				continue;
			sum[0] += column + 0.5;
			sum[1] += row + 0.5;
			sum[2] += 1.0;
		}
	if (sum[2] == 0.0)
		fail_msg("the particle is not in the picture");
	*x = sum[0] / sum[2];
	*y = sum[1] / sum[2];
}

static void points_land_where_they_should(void **state)
{
	(void)state;
	// pixels from the middle, to the right and down, at a metre of height of the picture per metre of distance
	static const struct
	{
		const char *camera;
		int index; // of the frame, half a second each
		double x, y;
	} cases[] = {
	    {"track", 0, 0, 0},
	    {"track", 1, -25, 0},
	    {"track", 2, -50, 0},
	    {"track", 3, -75, 0},
	    // 0.5 m to the right at 2 m: 25 pixels, and with 60 degrees 25 / tan(30 degrees)
	    {"zoom", 0, 25, 0},
	    {"zoom", 1, 25, 0},
	    {"zoom", 2, 43.30127, 0},
	    {"zoom", 8, 43.30127, 0},
	    {"lift", 2, 0, 25},
	    {"lift", 4, 0, 50},
	    // up is to the right: what was to the right is above
	    {"roll", 0, 25, 0},
	    {"roll", 1, 17.67767, -17.67767},
	    {"roll", 2, 0, -25},
	};
	scratch s = scratch_make();
	make_run(&s, "run");
	static uint8_t rgba[4 * SIDE * SIDE];
	spate_preview *preview = NULL;
	const char *open = "";
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
	{
		if (strcmp(open, cases[k].camera) != 0)
		{
			spate_preview_def def = spate_default_preview_def();
			def.input = scratch_file(&s, "run");
			def.camera_name = open = cases[k].camera;
			def.width = def.height = SIDE;
			def.job.threads = 1;
			spate_preview_close(preview);
			check_ok(spate_preview_open(&def, &preview, NULL));
		}
		double x, y;
		check_ok(spate_preview_draw(preview, (uint32_t)cases[k].index, rgba, NULL));
		find_dot(rgba, &x, &y);
		print_message("%s %d: %.2f %.2f\n", open, cases[k].index, x - SIDE / 2, y - SIDE / 2);
		check_near(x - SIDE / 2, cases[k].x, 0.6);
		check_near(y - SIDE / 2, cases[k].y, 0.6);
	}
	spate_preview_close(preview);
	scratch_remove(&s);
}

// A file with nothing but cameras may have them move; where an expression has no value, the camera stays and it is said.
static void files_of_cameras_may_move(void **state)
{
	(void)state;
	scratch s = scratch_make();
	make_run(&s, "run");
	static const char views[] =
	    "cameras:\n  fly: { position: [[0, [0, 0, 2]], [1, [1, 0, 2]]], target: [[0, [0, 0, 0]], "
	    "[1, [1, 0, 0]]], fov: 90 }\n";
	check_ok(spate_file_write(scratch_file(&s, "views.yaml"), views, strlen(views), NULL));
	static uint8_t rgba[4 * SIDE * SIDE];
	listener heard = {0};
	spate_preview *preview;
	spate_preview_def def = spate_default_preview_def();
	def.input = scratch_file(&s, "run");
	def.camera_file = scratch_file(&s, "views.yaml");
	def.width = def.height = SIDE;
	check_ok(spate_preview_open(&def, &preview, NULL));
	double x, y;
	check_ok(spate_preview_draw(preview, 1, rgba, NULL));
	find_dot(rgba, &x, &y);
	check_near(x - SIDE / 2, -25.0, 0.6);
	spate_preview_close(preview);
	def.camera_file = NULL;
	def.camera_name = "odd";
	def.job.log = listener_log;
	def.job.context = &heard;
	check_ok(spate_preview_open(&def, &preview, NULL));
	check_ok(spate_preview_draw(preview, 5, rgba, NULL));
	assert_string_equal(heard.warnings, "");
	check_ok(spate_preview_draw(preview, 7, rgba, NULL));
	check_ok(spate_preview_draw(preview, 8, rgba, NULL));
	assert_string_equal(heard.warnings,
			    "the camera does not move: cameras.odd.fov is not a number at 3.5 s: its expression "
			    "has no value there\n");
	spate_preview_close(preview);
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(points_land_where_they_should),
	    cmocka_unit_test(files_of_cameras_may_move),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
