// Jobs put colliders where the frames say they are, not where the scene's motion would have them.
#define _GNU_SOURCE
#include "scratch.h"

#include "cache/run_dir.h"
#include "cache/world_files.h"
#include "spate/spate.h"

// A drop and a ball whose motion holds it at x = %g, y = %g.
static const char scene_text[] =
    "spate: 1\nframes: 1\ngravity: [0, 0, 0]\nfluids: { water: { spacing: 0.05 } }\n"
    "sources: [ { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.4, 0.4, 0.4] } } } ]\n"
    "cameras: { main: { position: [0.2, 0.6, 2], target: [0.2, 0.3, 0.2], fov: 50 } }\n"
    "colliders:\n"
    "  - { shape: { plane: { point: [0, -9, 0], normal: [0, 1, 0] } } }\n"
    "  - { name: ball, shape: { sphere: { center: [0, 0, 0], radius: 0.2 } }, motion: { keyframes: [ { time: 0, "
    "position: [%g, %g, 0.25] } ] } }\n";

static const double wanted[3] = {0.25, 0.5, 0.25};

static int hold(void *context, double time, spate_pose *pose)
{
	(void)context, (void)time;
	*pose = spate_default_pose();
	memcpy(pose->position, wanted, sizeof wanted);
	return 1;
}

// Writes the first frame of a run without simulating: the ball where the scene says, or where the callback holds it.
static void make_run(const char *directory, double x, double y, int held)
{
	char text[1024];
	snprintf(text, sizeof text, scene_text, x, y);
	spate_scene scene;
	spate_problems problems = {0};
	check_ok(spate_scene_parse(&scene, "drop", text, strlen(text), NULL, 0, &problems, NULL));
	spate_world *w = NULL;
	check_ok(spate_world_create(&w, &scene.world, NULL));
	if (held)
		check_ok(spate_world_set_pose_callback(w, 1, hold, NULL, NULL));
	check_ok(run_dir_create(directory, NULL));
	check_ok(world_write_frame(w, directory, NULL, 0, NULL));
	FILE *file = fopen(run_file_path(directory, RUN_SCENE).text, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	spate_world_destroy(w);
	spate_scene_free(&scene);
	spate_problems_free(&problems);
}

static void frames_hold_poses(void **state)
{
	const scratch *s = *state;
	spate_frame *frame = NULL;
	spate_frame_collider_pose at;
	spate_error error = {0};
	check_ok(spate_frame_open(scratch_file(s, "held/frames/frame_000000.spate"), &frame, NULL));
	assert_int_equal(spate_frame_collider_count(frame), 2);
	check_ok(spate_frame_collider(frame, 0, &at, &error));
	assert_string_equal(at.name, "");
	check_near(at.pose.position[0], 0, 0);
	check_ok(spate_frame_collider(frame, 1, &at, &error));
	assert_string_equal(at.name, "ball");
	for (int k = 0; k < 3; k++)
		check_near(at.pose.position[k], wanted[k], 1e-15);
	check_near(at.pose.rotation[0], 1, 0);
	check_near(at.pose.scale, 1, 0);
	check_near(at.sequence_frame, -1, 0);
	check_result(spate_frame_collider(frame, 2, &at, &error), SPATE_MISSING);
	spate_frame_close(frame);
}

// Nearest vertex of the only mesh to a point, and how many were moved.
static double nearest_vertex(const scratch *s, const char *run, const double centre[3], uint32_t *moved)
{
	spate_mesh_job_def def = spate_default_mesh_job_def();
	spate_mesh_job_summary summary;
	spate_error error = {0};
	def.input = scratch_file(s, run);
	def.clip_colliders = 1;
	def.job.threads = 1;
	if (spate_mesh_job_run(&def, &summary, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	assert_int_equal(summary.made_count, 1);
	*moved = summary.made[0].moved;
	spate_mesh *mesh = NULL;
	check_ok(spate_mesh_read(&mesh, summary.made[0].path, NULL));
	double nearest = INFINITY;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		double square = 0;
		for (int k = 0; k < 3; k++)
			square += pow((double)mesh->positions[3 * v + (uint32_t)k] - centre[k], 2);
		nearest = fmin(nearest, sqrt(square));
	}
	spate_mesh_destroy(mesh);
	spate_mesh_job_summary_free(&summary);
	return nearest;
}

static void meshes_are_clipped_there(void **state)
{
	const scratch *s = *state;
	uint32_t moved;
	check_near(nearest_vertex(s, "held", wanted, &moved), 0.2, 2e-3);
	assert_true(moved > 0);
	assert_true(nearest_vertex(s, "away", wanted, &moved) < 0.19);
	assert_int_equal(moved, 0);
}

enum
{
	WIDTH = 160,
	HEIGHT = 120
};

static uint8_t *picture_of(const scratch *s, const char *run)
{
	spate_preview_def def = spate_default_preview_def();
	def.input = scratch_file(s, run);
	def.width = WIDTH, def.height = HEIGHT;
	def.label = 0;
	def.job.threads = 1;
	spate_preview *preview = NULL;
	spate_error error = {0};
	if (spate_preview_open(&def, &preview, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	uint8_t *pixels = test_calloc(WIDTH * HEIGHT, 4);
	check_ok(spate_preview_draw(preview, 0, pixels, NULL));
	spate_preview_close(preview);
	return pixels;
}

static void write_again(const scratch *s, const char *from, const char *to, const void *poses, size_t bytes)
{
	spate_frame *frame = NULL;
	check_ok(spate_frame_open(scratch_file(s, from), &frame, NULL));
	spate_frame_channel_def channel = {.name = "position", .count = spate_frame_count(frame)};
	check_ok(spate_frame_channel(frame, "position", &channel.type, &channel.data, NULL));
	spate_frame_blob_def blob = {.name = "colliders", .data = poses, .bytes = bytes};
	spate_frame_def def = spate_default_frame_def();
	spate_frame_origin(frame, def.origin);
	def.count = channel.count;
	def.channels = &channel, def.channel_count = 1;
	def.blobs = &blob, def.blob_count = poses != NULL;
	check_ok(spate_frame_write(scratch_file(s, to), &def, NULL));
	spate_frame_close(frame);
}

// The same liquid without poses, beside a scene that has the ball where the callback held it.
static void pictures_show_them_there(void **state)
{
	const scratch *s = *state;
	write_again(s, "held/frames/frame_000000.spate", "old/frames/frame_000000.spate", NULL, 0);
	uint8_t *held = picture_of(s, "held"), *old = picture_of(s, "old"), *away = picture_of(s, "away");
	assert_memory_equal(held, old, WIDTH * HEIGHT * 4);
	int other = 0;
	for (int k = 0; k < WIDTH * HEIGHT * 4; k++)
		other += held[k] != away[k];
	assert_true(other > 1000);
	test_free(held), test_free(old), test_free(away);
}

static void wrong_poses_are_refused(void **state)
{
	const scratch *s = *state;
	double wrong[32] = {[3] = 1, [7] = 1, [16 + 3] = 1, [16 + 7] = NAN};
	write_again(s, "held/frames/frame_000000.spate", "old/frames/frame_000000.spate", wrong, sizeof wrong);
	spate_frame *frame = NULL;
	spate_frame_collider_pose at;
	check_ok(spate_frame_open(scratch_file(s, "old/frames/frame_000000.spate"), &frame, NULL));
	check_ok(spate_frame_collider(frame, 0, &at, NULL));
	check_result(spate_frame_collider(frame, 1, &at, NULL), SPATE_FORMAT);
	spate_frame_close(frame);
}

static int make_runs(void **state)
{
	static scratch s;
	s = scratch_make();
	make_run(scratch_file(&s, "held"), 5, 5, 1);
	make_run(scratch_file(&s, "old"), wanted[0], wanted[1], 0);
	make_run(scratch_file(&s, "away"), 5, 5, 0);
	*state = &s;
	return 0;
}

static int remove_runs(void **state)
{
	scratch_remove(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(frames_hold_poses), cmocka_unit_test(meshes_are_clipped_there),
	    cmocka_unit_test(pictures_show_them_there), cmocka_unit_test(wrong_poses_are_refused)};
	return cmocka_run_group_tests(tests, make_runs, remove_runs);
}
