// Wet maps on disk: a run that was stopped and resumed leaves the same bytes as one that was not.
#define _GNU_SOURCE
#include "run_support.h"

#include "cache/wet_files.h"
#include "collider/field.h"

enum
{
	FRAMES = 6
};

static const char plate[] =
    "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 4/4 3/3 2/2\n";

static const char text[] =
    "spate: 1\nframes: 6\nfps: 24\n"
    "fluids:\n  water: { preset: water, spacing: 0.04 }\n"
    "sources:\n  - { type: fill, fluid: water, shape: { box: { min: [-0.2, 0.02, -0.2], max: [0.2, 0.4, 0.2] } } }\n"
    "colliders:\n  - name: my plate\n    mesh: plate.obj\n    mode: shell\n"
    "    wet_map: { size: 64, drying: 0.1, channel: velocity, format: png }\n"
    "output: { checkpoint_every: 2 }\n";

static void put_file(const char *path, const char *content)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(content, file);
	fclose(file);
}

static spate_scene load(const scratch *s, const char *override)
{
	put_file(scratch_file(s, "plate.obj"), plate);
	put_file(scratch_file(s, "scene.yaml"), text);
	spate_scene scene = {0};
	spate_problems problems = {0};
	spate_error error = {0};
	if (spate_scene_load(&scene, scratch_file(s, "scene.yaml"), &override, override ? 1 : 0, &problems, &error) !=
	    SPATE_OK)
		fail_msg("%s", error.text);
	spate_problems_free(&problems);
	return scene;
}

static void check_pictures(const char *left, const char *right, spate_image_format format)
{
	for (int64_t n = 1; n <= FRAMES; n++)
	{
		check_same_file(wet_file_path(left, "my_plate", NULL, n, format).text,
				wet_file_path(right, "my_plate", NULL, n, format).text);
		check_same_file(wet_file_path(left, "my_plate", "velocity", n, format).text,
				wet_file_path(right, "my_plate", "velocity", n, format).text);
	}
}

static void resume_in(spate_image_format format, const char *override)
{
	scratch s = scratch_make();
	spate_scene scene = load(&s, override);
	char whole[1100], stopped[1100];
	snprintf(whole, sizeof whole, "%s/whole", s.path);
	snprintf(stopped, sizeof stopped, "%s/stopped", s.path);
	spate_run_def def = run_def(&scene, whole);
	uint64_t hash = run_well(&def);
	def = run_def(&scene, stopped);
	uint32_t frame = 3;
	def.handler = stop_in_frame;
	def.context = &frame;
	check_result(spate_run(&def, NULL, NULL), SPATE_CANCELLED);
	// a picture of a frame that is to be made again
	put_file(wet_file_path(stopped, "my_plate", NULL, 4, format).text, "old");
	put_file(wet_file_path(stopped, "my_plate", NULL, 9, format).text, "older");
	def = run_def(&scene, stopped);
	def.resume = 1;
	def.threads = 2;
	assert_true(run_well(&def) == hash);
	check_pictures(whole, stopped, format);
	check_same_file(run_checkpoint_path(whole, FRAMES).text, run_checkpoint_path(stopped, FRAMES).text);
	// what the run does not come to stays; starting over throws it away
	assert_int_equal(access(wet_file_path(stopped, "my_plate", NULL, 9, format).text, F_OK), 0);
	def.resume = 0;
	def.overwrite = 1;
	assert_true(run_well(&def) == hash);
	check_pictures(whole, stopped, format);
	assert_int_not_equal(access(wet_file_path(stopped, "my_plate", NULL, 9, format).text, F_OK), 0);
	check_no_temporaries(stopped);
	spate_scene_free(&scene);
	scratch_remove(&s);
}

static void resumed_png(void **state)
{
	(void)state;
	resume_in(SPATE_IMAGE_PNG, NULL);
}

static void resumed_exr(void **state)
{
	(void)state;
#ifdef SPATE_OPENEXR
	resume_in(SPATE_IMAGE_EXR, "colliders.0.wet_map.format=exr");
#else
	scratch s = scratch_make();
	spate_scene scene = load(&s, "colliders.0.wet_map.format=exr");
	spate_run_def def = run_def(&scene, scratch_file(&s, "out"));
	spate_error error = {0};
	check_result(spate_run(&def, NULL, &error), SPATE_MISSING);
	assert_non_null(strstr(error.text, "this build has no OpenEXR"));
	spate_scene_free(&scene);
	scratch_remove(&s);
#endif
}

static void unknown_channel_is_refused(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_scene scene = load(&s, "colliders.0.wet_map.channel=temper");
	spate_run_def def = run_def(&scene, scratch_file(&s, "out"));
	spate_error error = {0};
	check_result(spate_run(&def, NULL, &error), SPATE_MISSING);
	assert_string_equal(error.text,
			    "the wet map of my_plate names a channel 'temper', which particles do not have");
	spate_scene_free(&scene);
	scratch_remove(&s);
}

int main(void)
{
	if (!distance_field_available())
		return skip_program_without("OPENVDB");
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(resumed_png),
	    cmocka_unit_test(resumed_exr),
	    cmocka_unit_test(unknown_channel_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
