// A run that was stopped and resumed leaves the same bytes as one that was not.
#define _GNU_SOURCE
#include "whole_run.h"

enum
{
	FRAMES = 9,
	EVERY = 3 // frames between checkpoints
};

static int set_up(void **state)
{
	return whole_run_begin(state, basin("frames=9", "output.checkpoint_every=3"));
}

// Starts (or goes on) and is stopped in the course of a frame.
static void stop_at(fixture *f, const char *directory, int resume, uint32_t frame)
{
	spate_run_def def = run_def(&f->scene, directory);
	def.resume = resume;
	def.handler = stop_in_frame;
	def.context = &frame;
	spate_error error = {0};
	check_result(spate_run(&def, NULL, &error), SPATE_CANCELLED);
	char expected[64];
	snprintf(expected, sizeof expected, "stopped after frame %u", frame);
	assert_string_equal(error.text, expected);
	assert_int_equal(check_frames_whole(directory), frame);
}

static void finish(fixture *f, const char *directory, int threads)
{
	spate_run_def def = run_def(&f->scene, directory);
	def.resume = 1;
	def.threads = threads;
	uint64_t hash = run_well(&def);
	if (hash != f->hash)
		fail_msg("the resumed run ends with %016llx, the whole one with %016llx", (unsigned long long)hash,
			 (unsigned long long)f->hash);
	check_same_run(f->whole, directory, FRAMES);
	check_no_temporaries(directory);
}

static void after_any_frame(void **state)
{
	fixture *f = *state;
	for (uint32_t frame = 1; frame < FRAMES; frame++)
	{
		char name[32];
		snprintf(name, sizeof name, "stopped_%u", frame);
		stop_at(f, scratch_file(&f->s, name), 0, frame);
		finish(f, scratch_file(&f->s, name), 1 + (int)(frame % 3));
	}
}

static void twice(void **state)
{
	fixture *f = *state;
	const char *directory = scratch_file(&f->s, "twice");
	stop_at(f, directory, 0, 2);
	stop_at(f, directory, 1, 5);
	finish(f, directory, 2);
}

// The frames after the last checkpoint are made again.
static void behind_the_checkpoint(void **state)
{
	fixture *f = *state;
	const char *directory = scratch_file(&f->s, "behind");
	stop_at(f, directory, 0, 5);
	spate_error error = {0};
	assert_int_equal(unlink(run_checkpoint_path(directory, 5).text), 0);
	run_numbers numbers = {0};
	check_ok(run_list_checkpoints(directory, &numbers, &error));
	assert_int_equal(numbers.count, 1);
	assert_int_equal(numbers.data[0], EVERY);
	array_free(&numbers);
	finish(f, directory, 1);
}

// Times of change of the frames, to see which were written again.
static struct timespec changed(const char *directory, uint32_t frame)
{
	struct stat status;
	assert_int_equal(stat(run_frame_path(directory, frame).text, &status), 0);
	return status.st_ctim;
}

typedef struct watcher
{
	const char *directory;
	uint32_t last;
} watcher;

// However far the run is, no frame is missing: each is replaced, none is removed.
static int see_all_frames(void *context, const spate_run_progress *progress)
{
	(void)progress;
	const watcher *w = context;
	for (uint32_t n = 1; n <= w->last; n++)
		if (access(run_frame_path(w->directory, n).text, F_OK) != 0)
			fail_msg("frame %u is gone", n);
	return 0;
}

static void with_the_newest_checkpoint_damaged(void **state)
{
	fixture *f = *state;
	const char *directory = scratch_file(&f->s, "damaged");
	stop_at(f, directory, 0, 8);
	scratch_damage(run_checkpoint_path(directory, 8).text);
	watcher w = {directory, 8};
	spate_run_def def = run_def(&f->scene, directory);
	def.handler = see_all_frames;
	def.context = &w;
	assert_true(run_well(&def) == f->hash);
	check_same_run(f->whole, directory, FRAMES);
}

// With no checkpoint to go on from nothing is touched until that is asked for.
static void with_all_checkpoints_damaged(void **state)
{
	fixture *f = *state;
	const char *directory = scratch_file(&f->s, "ruined");
	stop_at(f, directory, 0, 5);
	assert_int_equal(truncate(run_checkpoint_path(directory, 5).text, 100), 0);
	scratch_damage(run_checkpoint_path(directory, 3).text);
	size_t bytes, after;
	char *stats = file_text(run_file_path(directory, RUN_STATS).text, &bytes);
	for (int resume = 0; resume < 2; resume++)
	{
		spate_run_def def = run_def(&f->scene, directory);
		spate_error error = {0};
		def.resume = resume;
		check_result(spate_run(&def, NULL, &error), SPATE_DAMAGED);
		if (!strstr(error.text, "checkpoint_000005.spate") || !strstr(error.text, "checkpoint_000003.spate") ||
		    !strstr(error.text, "the 5 frames of the run are untouched") || strstr(error.text, "--"))
			fail_msg("it said: %s", error.text);
		assert_int_equal(check_frames_whole(directory), 5);
		char *now = file_text(run_file_path(directory, RUN_STATS).text, &after);
		assert_string_equal(stats, now);
		free(now);
	}
	free(stats);
	spate_run_def def = run_def(&f->scene, directory);
	def.overwrite = 1;
	assert_true(run_well(&def) == f->hash);
	check_same_run(f->whole, directory, FRAMES);
}

// A run that got beyond its first checkpoint and has none has lost them.
static void with_all_checkpoints_gone(void **state)
{
	fixture *f = *state;
	const char *directory = scratch_file(&f->s, "gone");
	stop_at(f, directory, 0, 5);
	assert_int_equal(unlink(run_checkpoint_path(directory, 5).text), 0);
	assert_int_equal(unlink(run_checkpoint_path(directory, 3).text), 0);
	for (int resume = 0; resume < 2; resume++)
	{
		spate_run_def def = run_def(&f->scene, directory);
		spate_error error = {0};
		def.resume = resume;
		check_result(spate_run(&def, NULL, &error), SPATE_DAMAGED);
		assert_non_null(strstr(error.text, "has 5 frames but no checkpoint"));
		assert_int_equal(check_frames_whole(directory), 5);
	}
}

// A run that ended before its first checkpoint begins again; its frames are replaced one by one.
static void without_a_checkpoint(void **state)
{
	fixture *f = *state;
	const char *directory = scratch_file(&f->s, "early");
	stop_at(f, directory, 0, 2);
	assert_int_equal(unlink(run_checkpoint_path(directory, 2).text), 0);
	watcher w = {directory, 2};
	spate_run_def def = run_def(&f->scene, directory);
	def.handler = see_all_frames;
	def.context = &w;
	assert_true(run_well(&def) == f->hash);
	check_same_run(f->whole, directory, FRAMES);
}

static void of_a_finished_run(void **state)
{
	fixture *f = *state;
	const char *directory = scratch_file(&f->s, "finished");
	spate_run_def def = run_def(&f->scene, directory);
	run_well(&def);
	struct timespec before = changed(directory, 1), after;
	// asked for in any way, with fewer frames as well: nothing to do, nothing lost
	spate_scene fewer = basin("frames=4", "output.checkpoint_every=3");
	for (int way = 0; way < 4; way++)
	{
		spate_run_summary summary;
		spate_error error = {0};
		def = run_def(way == 3 ? &fewer : &f->scene, directory);
		def.resume = way == 1;
		def.last = way == 2 ? 4 : 0;
		check_ok(spate_run(&def, &summary, &error));
		assert_true(summary.nothing_to_do);
		assert_int_equal(summary.frame, FRAMES);
		assert_true(summary.hash == f->hash && summary.particles > 0);
		check_same_run(f->whole, directory, FRAMES);
		after = changed(directory, 1);
		assert_memory_equal(&after, &before, sizeof after);
	}
	spate_scene_free(&fewer);

	// starting over does all of it again
	spate_run_summary summary;
	def = run_def(&f->scene, directory);
	def.overwrite = 1;
	check_ok(spate_run(&def, &summary, NULL));
	assert_false(summary.nothing_to_do);
	assert_int_equal(summary.start, 0);
	after = changed(directory, 1);
	assert_memory_not_equal(&after, &before, sizeof after);
	check_same_run(f->whole, directory, FRAMES);
}

static void of_a_shorter_run(void **state)
{
	fixture *f = *state;
	const char *directory = scratch_file(&f->s, "extended");
	spate_run_def def = run_def(&f->scene, directory);
	def.last = 4;
	run_well(&def);
	assert_int_equal(check_frames_whole(directory), 4);
	// the last frame has a checkpoint, whatever their interval
	assert_int_equal(access(run_checkpoint_path(directory, 4).text, F_OK), 0);
	finish(f, directory, 2);

	// the number of frames in the scene may change as well
	spate_scene shorter = basin("frames=5", "output.checkpoint_every=2");
	directory = scratch_file(&f->s, "extended_too");
	def = run_def(&shorter, directory);
	run_well(&def);
	spate_scene_free(&shorter);
	finish(f, directory, 1);
}

// Lines that a kill tore, or that came after the checkpoint, do not stay.
static void with_torn_lines(void **state)
{
	fixture *f = *state;
	const char *directory = scratch_file(&f->s, "torn");
	stop_at(f, directory, 0, 4);
	FILE *stats = fopen(run_file_path(directory, RUN_STATS).text, "a");
	fputs("{\"frame\":5,\"step\":31,\"time\":0.17}\n{\"frame\":5,\"st", stats);
	fclose(stats);
	FILE *probes = fopen(run_file_path(directory, RUN_PROBES).text, "a");
	fputs("5,0.2", probes);
	fclose(probes);
	finish(f, directory, 1);
}

static void without_a_run(void **state)
{
	fixture *f = *state;
	const char *directory = scratch_file(&f->s, "nothing");
	spate_run_def def = run_def(&f->scene, directory);
	def.resume = 1;
	spate_error error = {0};
	check_result(spate_run(&def, NULL, &error), SPATE_MISSING);
	assert_non_null(strstr(error.text, "has no run to resume"));
	assert_null(strstr(error.text, "--"));
	assert_int_not_equal(access(directory, F_OK), 0);
}

// Frames before the first one asked for are simulated but not written.
static void range_of_frames(void **state)
{
	fixture *f = *state;
	const char *directory = scratch_file(&f->s, "range");
	spate_run_def def = run_def(&f->scene, directory);
	def.first = 4;
	def.last = 6;
	run_well(&def);
	run_numbers numbers = frames_of(directory);
	assert_int_equal(numbers.count, 3);
	for (uint32_t n = 0; n < 3; n++)
	{
		assert_int_equal(numbers.data[n], n + 4);
		check_same_file(run_frame_path(f->whole, n + 4).text, run_frame_path(directory, n + 4).text);
	}
	array_free(&numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(after_any_frame),
	    cmocka_unit_test(twice),
	    cmocka_unit_test(behind_the_checkpoint),
	    cmocka_unit_test(with_the_newest_checkpoint_damaged),
	    cmocka_unit_test(with_all_checkpoints_damaged),
	    cmocka_unit_test(with_all_checkpoints_gone),
	    cmocka_unit_test(without_a_checkpoint),
	    cmocka_unit_test(of_a_finished_run),
	    cmocka_unit_test(of_a_shorter_run),
	    cmocka_unit_test(with_torn_lines),
	    cmocka_unit_test(without_a_run),
	    cmocka_unit_test(range_of_frames),
	};
	return cmocka_run_group_tests(tests, set_up, whole_run_end);
}
