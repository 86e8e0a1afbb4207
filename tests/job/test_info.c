// Describing files, and checking scenes, from C through the public headers alone.
#define _GNU_SOURCE
#include "scratch.h"

#include "spate/spate.h"

static const char scene_text[] = "spate: 1\nframes: 4\nfluids: { water: { spacing: 0.05, viscosity: 1.0e-3 } }\n"
				 "sources: [ { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: "
				 "[0.3, 0.3, 0.3] } } } ]\n"
				 "colliders: [ { shape: { box: { min: [0, 0, 0], max: [0.6, 0.6, 0.3] } }, mode: "
				 "inside } ]\n";

static void make_run(const char *directory)
{
	spate_scene scene;
	spate_problems problems = {0};
	check_ok(spate_scene_parse(&scene, "cube", scene_text, strlen(scene_text), NULL, 0, &problems, NULL));
	spate_run_def def = spate_default_run_def();
	def.scene = &scene;
	def.directory = directory;
	def.threads = 1;
	check_ok(spate_run(&def, NULL, NULL));
	spate_scene_free(&scene);
	spate_problems_free(&problems);
}

static spate_info read_info(const char *path)
{
	spate_info info;
	spate_info_def def = spate_default_info_def();
	def.path = path;
	check_ok(spate_info_read(&def, &info, NULL));
	return info;
}

static void test_run(void **state)
{
	(void)state;
	scratch s = scratch_make();
	make_run(scratch_file(&s, "run"));
	spate_info info = read_info(scratch_file(&s, "run"));
	assert_int_equal(info.kind, SPATE_INFO_RUN);
	assert_int_equal(info.run.has_scene, 1);
	assert_string_equal(info.run.scene.name, "cube");
	assert_int_equal(info.run.frames.count, 4);
	assert_int_equal(info.run.first_count, 216);
	assert_int_equal(info.run.most_count, 216);
	assert_int_equal(info.problem_count, 0);
	spate_info_free(&info);

	// a gap and a damaged frame are facts about the run, not errors
	remove(scratch_file(&s, "run/frames/frame_000002.spate"));
	FILE *file = fopen(scratch_file(&s, "run/frames/frame_000003.spate"), "r+b");
	assert_non_null(file);
	fseek(file, -40, SEEK_END);
	fputc('!', file);
	fclose(file);
	info = read_info(scratch_file(&s, "run"));
	assert_int_equal(info.run.missing.count, 1);
	assert_int_equal(info.run.missing.items[0], 2);
	assert_int_equal(info.run.damaged.count, 1);
	assert_int_equal(info.run.damaged.items[0], 3);
	assert_int_equal(info.problem_count, 1);
	assert_non_null(strstr(info.problems[0], "frame_000003.spate"));
	spate_info_free(&info);
	scratch_remove(&s);
}

static int stop_after_two(void *context, const spate_job_progress *progress)
{
	*(uint32_t *)context = progress->done;
	return progress->done == 2;
}

static void test_cancel(void **state)
{
	(void)state;
	scratch s = scratch_make();
	make_run(scratch_file(&s, "run"));
	uint32_t done = 0;
	spate_info info;
	spate_info_def def = spate_default_info_def();
	def.path = scratch_file(&s, "run");
	def.job.handler = stop_after_two;
	def.job.context = &done;
	check_result(spate_info_read(&def, &info, NULL), SPATE_CANCELLED);
	assert_int_equal(done, 2);
	assert_int_equal(info.kind, SPATE_INFO_UNKNOWN);
	assert_null(info.run.frames.items);
	scratch_remove(&s);
}

static void test_frame(void **state)
{
	(void)state;
	scratch s = scratch_make();
	make_run(scratch_file(&s, "run"));
	spate_info info = read_info(scratch_file(&s, "run/frames/frame_000004.spate"));
	assert_int_equal(info.kind, SPATE_INFO_FRAME);
	assert_int_equal(info.frame.number, 4);
	assert_int_equal(info.frame.particles, 216);
	const spate_channel_info *id = &info.frame.channels[0];
	assert_string_equal(id->name, "id");
	check_near(id->range[0].low, 0.0, 0.0);
	check_near(id->range[0].high, 215.0, 0.0);
	check_near(id->range[0].mean, 107.5, 0.0);
	spate_info_free(&info);
	scratch_remove(&s);
}

// A tetrahedron with corners at the origin and at 1 on every axis: closed, volume 1/6.
static void test_mesh(void **state)
{
	(void)state;
	scratch s = scratch_make();
	static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
	check_ok(spate_file_write(scratch_file(&s, "a.obj"), obj, strlen(obj), NULL));
	spate_info info = read_info(scratch_file(&s, "a.obj"));
	assert_int_equal(info.kind, SPATE_INFO_MESH);
	assert_int_equal(info.mesh.measure.closed, 1);
	check_near(info.mesh.measure.volume, 1.0 / 6.0, 1e-6);
	assert_int_equal(info.mesh.crossings, 0);
	spate_info_free(&info);

	spate_info_kind kind;
	check_ok(spate_file_write(scratch_file(&s, "b.bin"), "\x01\x02", 2, NULL));
	check_ok(spate_info_detect(scratch_file(&s, "b.bin"), &kind, NULL));
	assert_int_equal(kind, SPATE_INFO_UNKNOWN);
	check_result(spate_info_detect(scratch_file(&s, "nowhere"), &kind, NULL), SPATE_IO);
	scratch_remove(&s);
}

static void test_check(void **state)
{
	(void)state;
	scratch s = scratch_make();
	check_ok(spate_file_write(scratch_file(&s, "a.yaml"), scene_text, strlen(scene_text), NULL));
	spate_check_def def = spate_default_check_def();
	spate_check check;
	def.path = scratch_file(&s, "a.yaml");
	check_ok(spate_check_run(&def, &check, NULL));
	assert_int_equal(check.valid, 1);
	check_near(check.fluids[0].particles, 216.0, 1.0);
	assert_true(check.estimate.substeps >= 1.0);
	spate_check_free(&check);

	// an override with two mistakes: both are told, nothing else is known
	const char *const overrides[] = {"fluids.water.spacing=-1", "frames=none"};
	def.overrides = overrides;
	def.override_count = 2;
	check_result(spate_check_run(&def, &check, NULL), SPATE_SCENE);
	assert_int_equal(check.valid, 0);
	assert_int_equal(check.problems.errors, 2);
	spate_check_free(&check);
	def.path = scratch_file(&s, "nowhere.yaml");
	check_result(spate_check_run(&def, &check, NULL), SPATE_IO);
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_run), cmocka_unit_test(test_cancel),
					   cmocka_unit_test(test_frame), cmocka_unit_test(test_mesh),
					   cmocka_unit_test(test_check)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
