// Who may write into a directory, and what is in it afterwards.
#define _GNU_SOURCE
#include "run_support.h"

#include "cache/lock.h"

// Whatever it asks for, and whatever is in the directory already.
static void second_run_is_refused(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char whole[1100], shared[1100], said[4096], expected[64];
	snprintf(whole, sizeof whole, "%s/whole", s.path);
	snprintf(shared, sizeof shared, "%s/shared", s.path);
	spate_run_gives(&s, 0, whole, "--frames=3", NULL, NULL);
	spate_run_gives(&s, 0, shared, "--frames=3", NULL, NULL);
	snprintf(expected, sizeof expected, "process %ld is writing to", (long)getpid());
	run_lock lock;
	check_ok(run_lock_take(&lock, shared, NULL));
	const char *wishes[] = {NULL, "--resume", "--overwrite"};
	for (int n = 0; n < 3; n++)
	{
		const char *arguments[] = {"run", basin_path(), "-o",         shared,    "-q",
					   "-t",  "1",          "--frames=5", wishes[n], NULL};
		child second = child_start(&s, arguments, 0);
		int code = child_wait(&second, said, sizeof said);
		if (code != 1)
			fail_msg("a second run into the directory exits with %d, expected 1: %s", code, said);
		check_sentence(said, expected);
		check_same_run(whole, shared, 3);
	}
	run_lock_release(&lock);
	scratch_remove(&s);
}

// A scene without probes, another one than the basin.
static spate_scene drop(void)
{
	static const char text[] =
	    "spate: 1\nframes: 2\nfluids: { water: { spacing: 0.05 } }\nsources:\n"
	    "  - { type: fill, fluid: water, shape: { sphere: { center: [0, 1, 0], radius: 0.2 } } }\n";
	spate_scene scene = {0};
	spate_problems problems = {0};
	spate_error error = {0};
	if (spate_scene_parse(&scene, "drop.yaml", text, strlen(text), NULL, 0, &problems, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	spate_problems_free(&problems);
	return scene;
}

static void other_scene_is_refused(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char whole[1100], directory[1100], said[4096];
	snprintf(whole, sizeof whole, "%s/whole", s.path);
	snprintf(directory, sizeof directory, "%s/used", s.path);
	spate_run_gives(&s, 0, whole, "--frames=5", NULL, NULL);
	spate_run_gives(&s, 0, directory, "--frames=5", NULL, NULL);

	// changed in one number: refused, with and without --resume, and nothing is touched
	const char *wishes[] = {NULL, "--resume"};
	for (int n = 0; n < 2; n++)
	{
		const char *arguments[] = {"run",     basin_path(), "-o", directory, "-q", "--set=gravity=[0, -1.6, 0]",
					   wishes[n], NULL};
		child c = child_start(&s, arguments, 0);
		assert_int_equal(child_wait(&c, said, sizeof said), 2);
		check_sentence(said, "--overwrite");
		check_same_run(whole, directory, 5);
	}

	// the same scene again is no other scene, and finished
	const char *again[] = {"run", basin_path(), "-o", directory, "--frames=5", NULL};
	child c = child_start(&s, again, 0);
	assert_int_equal(child_wait(&c, said, sizeof said), 0);
	if (!strstr(said, ": finished, nothing to do (--overwrite starts over)\n"))
		fail_msg("it said: %s", said);
	check_same_run(whole, directory, 5);

	// overwritten: old frames, checkpoints and gauges are gone, and nothing of the old run is resumed
	for (int resume = 0; resume < 2; resume++)
	{
		spate_run_gives(&s, 0, directory, "--frames=5", "--overwrite", NULL);
		check_same_run(whole, directory, 5);
		spate_scene scene = drop();
		spate_run_def def = run_def(&scene, directory);
		def.overwrite = 1;
		def.resume = resume;
		uint64_t hash = run_well(&def);
		assert_int_equal(check_frames_whole(directory), 2);
		assert_int_not_equal(access(run_file_path(directory, RUN_PROBES).text, F_OK), 0);
		def.directory = scratch_file(&s, resume ? "fresh_1" : "fresh_0");
		def.resume = 0;
		assert_true(run_well(&def) == hash);
		check_same_stats(def.directory, directory);
		spate_scene_free(&scene);
	}
	scratch_remove(&s);
}

// A run that was ended before it had written anything is resumed from the beginning; a stale lock stops nobody.
static void begun_and_not_more(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char directory[1100];
	snprintf(directory, sizeof directory, "%s/begun", s.path);
	assert_int_equal(mkdir(directory, 0777), 0);
	FILE *lock = fopen(run_file_path(directory, ".lock").text, "w");
	assert_non_null(lock);
	fprintf(lock, "%ld\n", (long)getpid());
	fclose(lock);
	spate_run_gives(&s, 0, directory, "--frames=2", "--resume", NULL);
	assert_int_equal(check_frames_whole(directory), 2);
	scratch_remove(&s);
}

static void put_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void check_text(const char *path, const char *expected)
{
	size_t bytes;
	char *text = file_text(path, &bytes);
	assert_string_equal(text, expected);
	free(text);
}

static void spate_run_says(const scratch *s, int expected, const char *directory, const char *option, const char *text)
{
	const char *arguments[] = {"run", basin_path(), "-o", directory, "-q", "-t", "1", "--frames=4", option, NULL};
	child c = child_start(s, arguments, 0);
	char said[4096];
	int code = child_wait(&c, said, sizeof said);
	if (code != expected)
		fail_msg("exit code %d, expected %d: %s", code, expected, said);
	if (expected != 0)
		check_sentence(said, text);
	else if (!strstr(said, text))
		fail_msg("expected '%s', got: %s", text, said);
}

// A directory where somebody keeps files of his own: what a run would replace is refused, the rest stays as it is.
static void own_files_are_kept(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char directory[1100];
	snprintf(directory, sizeof directory, "%s/own", s.path);
	assert_int_equal(mkdir(directory, 0777), 0);
	const char *names[] = {RUN_LOG, RUN_STATS, RUN_PROBES};
	for (int n = 0; n < 3; n++)
	{
		char expected[64];
		run_path path = run_file_path(directory, names[n]);
		snprintf(expected, sizeof expected, "holds a %s, which a run would replace", names[n]);
		put_text(path.text, "mine");
		spate_run_says(&s, 2, directory, NULL, expected);
		check_text(path.text, "mine");
		assert_int_equal(unlink(path.text), 0);
	}
	// a scene is not even overwritten on request
	run_path scene = run_file_path(directory, RUN_SCENE);
	put_text(scene.text, "spate: 1 # mine\n");
	spate_run_says(&s, 2, directory, NULL, "is not of a run, and a run would replace it");
	spate_run_says(&s, 2, directory, "--overwrite", "is not of a run, and a run would replace it");
	check_text(scene.text, "spate: 1 # mine\n");
	assert_int_equal(unlink(scene.text), 0);

	put_text(run_file_path(directory, "draft.tmp").text, "mine");
	spate_run_gives(&s, 0, directory, "--frames=2", NULL, NULL);
	check_text(run_file_path(directory, "draft.tmp").text, "mine");

	// frames whose scene is lost
	assert_int_equal(unlink(scene.text), 0);
	assert_int_equal(unlink(run_file_path(directory, RUN_STATS).text), 0);
	assert_int_equal(unlink(run_file_path(directory, RUN_PROBES).text), 0);
	spate_run_says(&s, 2, directory, NULL, "holds frames or checkpoints, but no scene.yaml");
	assert_int_equal(check_frames_whole(directory), 2);
	scratch_remove(&s);
}

// With no checkpoint to go on from, the message says why, what is at stake and what to type.
static void damaged_checkpoints_are_told(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char directory[1100];
	snprintf(directory, sizeof directory, "%s/run", s.path);
	spate_run_gives(&s, 0, directory, "--frames=3", NULL, NULL);
	scratch_damage(run_checkpoint_path(directory, 3).text);
	spate_run_says(&s, 1, directory, NULL, "checkpoint_000003.spate is damaged");
	spate_run_says(
	    &s, 1, directory, "--resume",
	    "the 3 frames of the run are untouched, and starting over would recreate them; --overwrite starts "
	    "over\n");
	assert_int_equal(check_frames_whole(directory), 3);
	spate_run_gives(&s, 0, directory, "--frames=4", "--overwrite", NULL);
	assert_int_equal(check_frames_whole(directory), 4);

	// a finished run is told to be so, and neither it nor its log is touched
	size_t bytes;
	char *log = access(run_file_path(directory, RUN_LOG).text, F_OK) == 0
			? file_text(run_file_path(directory, RUN_LOG).text, &bytes)
			: NULL;
	const char *again[] = {"run", basin_path(), "-o", directory, "--frames=2", NULL};
	child c = child_start(&s, again, 0);
	char said[4096];
	assert_int_equal(child_wait(&c, said, sizeof said), 0);
	if (!strstr(said,
		    "frame 2 was finished before (the run is at frame 4), nothing to do (--overwrite starts over)\n") ||
	    strstr(said, "continuing from"))
		fail_msg("it said: %s", said);
	if (log)
		check_text(run_file_path(directory, RUN_LOG).text, log);
	free(log);
	assert_int_equal(check_frames_whole(directory), 4);
	scratch_remove(&s);
}

// Links that somebody planted lead nowhere.
static void links_are_not_followed(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char directory[1100], precious[1100];
	snprintf(directory, sizeof directory, "%s/run", s.path);
	snprintf(precious, sizeof precious, "%s/precious", s.path);
	put_text(precious, "{\"frame\":99}\n");
	spate_run_gives(&s, 0, directory, "--frames=3", NULL, NULL);
	const char *names[] = {RUN_LOCK, RUN_STATS, RUN_PROBES};
	for (int n = 0; n < 3; n++)
	{
		run_path path = run_file_path(directory, names[n]), aside = run_file_path(directory, "aside");
		assert_int_equal(rename(path.text, aside.text), 0);
		assert_int_equal(symlink(precious, path.text), 0);
		spate_run_says(&s, 1, directory, NULL, "it is a symbolic link, which is not followed; remove it");
		// and what cannot be started over is not thrown away
		spate_run_says(&s, 1, directory, "--overwrite",
			       "it is a symbolic link, which is not followed; remove it\n");
		assert_int_equal(check_frames_whole(directory), 3);
		check_text(precious, "{\"frame\":99}\n");
		assert_int_equal(rename(aside.text, path.text), 0);
	}
	// a log is not worth a run
	unlink(run_file_path(directory, RUN_LOG).text);
	assert_int_equal(symlink(precious, run_file_path(directory, RUN_LOG).text), 0);
	spate_run_says(&s, 0, directory, "--set=output.checkpoint_every=1", "no log: cannot write");
	check_text(precious, "{\"frame\":99}\n");
	assert_int_equal(check_frames_whole(directory), 4);
	scratch_remove(&s);
}

static void log_has_warnings_with_their_frame(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char directory[1100], said[8192];
	snprintf(directory, sizeof directory, "%s/run", s.path);
	const char *arguments[] = {
	    "run", basin_path(), "-o", directory, "-q", "-t", "1", "--frames=3", "--set=speed_limit=2.1", NULL, NULL};
	child c = child_start(&s, arguments, 0);
	assert_int_equal(child_wait(&c, said, sizeof said), 0);

	// the emitter pours faster than the limit: eight are told one by one, then once that there are more
	size_t bytes;
	run_path path = run_file_path(directory, RUN_LOG);
	char *log = file_text(path.text, &bytes);
	int told = 0, more = 0;
	for (char *line = strtok(log, "\n"); line; line = strtok(NULL, "\n"))
	{
		unsigned prefix = 0, frame = 0;
		char *where = strstr(line, " in frame ");
		int warned = where && sscanf(line, "frame %u: warning: ", &prefix) == 1 &&
			     sscanf(where, " in frame %u", &frame) == 1;
		if (warned && prefix != frame)
			fail_msg("frame %u and %u in: %s", prefix, frame, line);
		told += warned && strstr(line, "exceeds the speed limit") && strstr(line, ": removed");
		more += warned && strstr(line, "only counted");
	}
	free(log);
	assert_int_equal(told, 8);
	assert_int_equal(more, 1);
	assert_non_null(strstr(said, "exceeds the speed limit")); // on the terminal too, however quiet
	if (!strstr(said, "% of the particles were lost: ") ||
	    !strstr(said, " were too fast; do not trust this result: "))
		fail_msg("the losses are not told: %s", said);

	// resuming adds to it, starting over begins it anew
	arguments[7] = "--frames=4";
	arguments[9] = "--resume";
	c = child_start(&s, arguments, 0);
	assert_int_equal(child_wait(&c, NULL, 0), 0);
	log = file_text(path.text, &bytes);
	assert_non_null(strstr(log, "exceeds the speed limit"));
	assert_non_null(strstr(log, "continuing from frame 3\n"));
	free(log);
	arguments[8] = "--overwrite";
	arguments[9] = NULL;
	c = child_start(&s, arguments, 0);
	assert_int_equal(child_wait(&c, NULL, 0), 0);
	log = file_text(path.text, &bytes);
	assert_null(strstr(log, "exceeds the speed limit"));
	free(log);
	scratch_remove(&s);
}

// A run that misses what its quality promises says so. A large residual leaves much of the compression; pbf promises nothing.
static void missed_promises_are_told(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char directory[1100], said[8192];
	snprintf(directory, sizeof directory, "%s/run", s.path);
	const char *arguments[] = {"run",
				   basin_path(),
				   "-o",
				   directory,
				   "-q",
				   "-t",
				   "1",
				   "--frames=2",
				   "--set=solver.quality=high",
				   "--set=solver.type=projection",
				   "--set=solver.residual=1",
				   NULL};
	child c = child_start(&s, arguments, 0);
	assert_int_equal(child_wait(&c, said, sizeof said), 0);
	if (!strstr(said, "more than the 0.1 % that quality high promises"))
		fail_msg("the error is not told: %s", said);
	scratch_remove(&s);
	s = scratch_make();
	snprintf(directory, sizeof directory, "%s/run", s.path);
	arguments[9] = NULL;
	c = child_start(&s, arguments, 0);
	assert_int_equal(child_wait(&c, said, sizeof said), 0);
	assert_null(strstr(said, "promises"));
	scratch_remove(&s);
}

// The end of a run that failed is in its log, with the frame.
static void log_has_the_failure(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char directory[1100], said[8192];
	snprintf(directory, sizeof directory, "%s/run", s.path);
	// the sources are slower; falling is not
	const char *arguments[] = {
	    "run", basin_path(), "-o", directory, "-q", "-t", "1", "--set=speed_limit=2.1", "--set=runaway=stop", NULL};
	child c = child_start(&s, arguments, 0);
	assert_int_equal(child_wait(&c, said, sizeof said), 1);
	check_sentence(said, "exceeds the speed limit");
	size_t bytes;
	char *log = file_text(run_file_path(directory, RUN_LOG).text, &bytes);
	assert_non_null(strstr(log, "error: particle "));
	free(log);
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(second_run_is_refused),
	    cmocka_unit_test(other_scene_is_refused),
	    cmocka_unit_test(own_files_are_kept),
	    cmocka_unit_test(links_are_not_followed),
	    cmocka_unit_test(damaged_checkpoints_are_told),
	    cmocka_unit_test(begun_and_not_more),
	    cmocka_unit_test(log_has_warnings_with_their_frame),
	    cmocka_unit_test(missed_promises_are_told),
	    cmocka_unit_test(log_has_the_failure),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
