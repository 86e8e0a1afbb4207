// Pouring from meshes and volumes, and sinks of every kind: the same bits on any number of threads, after a stop, and from a snapshot in
// the middle of a frame; and the statistics tell what each sink took.
#define _GNU_SOURCE
#include "run_support.h"

#include "collider/field.h"
#include "spate/snapshot.h"
#include "spate/world.h"

enum
{
	FRAMES = 6,
	SINKS = 7
};

static spate_scene openings(void)
{
	char path[2048];
	snprintf(path, sizeof path, "%s/tests/run/openings.yaml", from_environment("SPATE_SOURCE"));
	spate_scene scene = {0};
	spate_problems problems = {0};
	spate_error error = {0};
	if (spate_scene_load(&scene, path, NULL, 0, &problems, &error) != SPATE_OK ||
	    spate_scene_read_meshes(&scene, &problems, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	assert_int_equal(problems.count, 0);
	spate_problems_free(&problems);
	return scene;
}

// Numbers of a list in the last line of stats.jsonl.
static void last_list(const char *directory, const char *key, uint64_t *out, int count)
{
	size_t bytes;
	char *text = file_text(run_file_path(directory, RUN_STATS).text, &bytes);
	text[bytes - 1] = 0;
	const char *line = strrchr(text, '\n') + 1, *at = strstr(line, key);
	assert_non_null(at);
	at += strlen(key);
	for (int n = 0; n < count; n++)
	{
		char *end;
		out[n] = strtoull(at, &end, 10);
		assert_true(end > at && (*end == ',' || *end == ']'));
		at = end + 1;
	}
	free(text);
}

static void threads_and_stops_make_no_difference(void **state)
{
	(void)state;
	if (!distance_field_available())
		skip_without("OpenVDB");
	scratch s = scratch_make();
	spate_scene scene = openings();
	spate_run_def def = run_def(&scene, scratch_file(&s, "whole"));
	uint64_t hash = run_well(&def);
	def.directory = scratch_file(&s, "threads");
	def.threads = 3;
	assert_true(run_well(&def) == hash);
	check_same_run(scratch_file(&s, "whole"), scratch_file(&s, "threads"), FRAMES);
	uint32_t stop = 4;
	def.directory = scratch_file(&s, "stopped");
	def.handler = stop_in_frame;
	def.context = &stop;
	check_result(spate_run(&def, NULL, NULL), SPATE_CANCELLED);
	def.handler = NULL;
	def.resume = 1;
	def.threads = 2;
	assert_true(run_well(&def) == hash);
	check_same_run(scratch_file(&s, "whole"), scratch_file(&s, "stopped"), FRAMES);
	uint64_t taken[SINKS], removed, sum = 0;
	last_list(scratch_file(&s, "whole"), "\"sinks\":[", taken, SINKS);
	last_list(scratch_file(&s, "whole"), "\"removed\":", &removed, 1);
	for (int n = 0; n < SINKS; n++)
	{
		print_message("sink %d took %llu\n", n, (unsigned long long)taken[n]);
		sum += taken[n];
		assert_true(taken[n] > 0);
	}
	assert_int_equal(sum, removed);
	spate_scene_free(&scene);
	scratch_remove(&s);
}

static void run_to_end(spate_world *world)
{
	while (spate_world_frame(world) < FRAMES)
		check_ok(spate_world_step(world, NULL, NULL));
}

// In a world of its own, and in the one that has gone on.
static void a_snapshot_in_a_frame_continues_the_same(void **state)
{
	(void)state;
	if (!distance_field_available())
		skip_without("OpenVDB");
	spate_scene scene = openings();
	spate_world *world = NULL, *other = NULL;
	spate_snapshot *snapshot = NULL;
	check_ok(spate_world_create(&world, &scene.world, NULL));
	for (int step = 0; step < 100; step++)
		check_ok(spate_world_step(world, NULL, NULL));
	assert_true(spate_world_time(world) * 24 - spate_world_frame(world) > 0.01);
	check_ok(spate_snapshot_take(&snapshot, world, NULL));
	run_to_end(world);
	uint64_t hash = spate_world_hash(world);
	check_ok(spate_world_create_empty(&other, &scene.world, NULL));
	check_ok(spate_snapshot_restore(other, snapshot, NULL));
	run_to_end(other);
	assert_true(spate_world_hash(other) == hash);
	check_ok(spate_snapshot_restore(world, snapshot, NULL));
	run_to_end(world);
	assert_true(spate_world_hash(world) == hash);
	for (uint32_t n = 0; n < SINKS; n++)
		assert_int_equal(spate_world_sink_removed(world, n), spate_world_sink_removed(other, n));
	spate_snapshot_destroy(snapshot);
	spate_world_destroy(world);
	spate_world_destroy(other);
	spate_scene_free(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(threads_and_stops_make_no_difference),
	    cmocka_unit_test(a_snapshot_in_a_frame_continues_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
