// Movies, read back with ffprobe; skipped where ffmpeg is not installed.
#define _GNU_SOURCE
#include "scratch.h"

#include "base/file.h"
#include "render/movie.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static char folder[] = "/tmp/spate_movie_XXXXXX";
static char path[256];

static int make_folder(void **state)
{
	(void)state;
	snprintf(path, sizeof path, "%s/film.mp4", mkdtemp(folder));
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder); // fails when a temporary file was left behind
}

static void test_ffprobe_reads_it(void **state)
{
	(void)state;
	movie *film;
	check_ok(movie_create(&film, path, 63, 41, 24.0, NULL));
	image frame;
	check_ok(image_init(&frame, 63, 41, NULL));
	for (int k = 0; k < 12; k++)
	{
		image_fill(&frame, (vec4){(float)k / 12.0f, 0.2f, 0.5f, 1.0f});
		check_ok(movie_add(film, &frame, NULL));
		assert_int_not_equal(access(path, F_OK), 0); // not there before it is whole
	}
	check_ok(movie_finish(film, NULL));
	check_result(movie_add(film, &frame, NULL), SPATE_INVALID);
	movie_destroy(film);
	image_free(&frame);

	char command[600], line[200] = "";
	snprintf(command, sizeof command,
		 "ffprobe -v error -count_frames -select_streams v -show_entries "
		 "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames -of csv=p=0 %s",
		 path);
	FILE *probe = popen(command, "r");
	assert_non_null(fgets(line, sizeof line, probe));
	pclose(probe);
	line[strcspn(line, "\n")] = '\0';
	assert_string_equal(line, "h264,64,42,yuv420p,24/1,12");
}

static void test_giving_up_leaves_nothing(void **state)
{
	(void)state;
	unlink(path);
	movie *film;
	image frame;
	check_ok(image_init(&frame, 64, 64, NULL));
	check_ok(movie_create(&film, path, 64, 64, 30.0, NULL));
	check_ok(movie_add(film, &frame, NULL));
	movie_destroy(film);
	assert_int_not_equal(access(path, F_OK), 0);
	image_free(&frame);
}

// A program called ffmpeg in a directory of its own, which becomes the only one that is searched before the usual ones.
static char *put_ffmpeg(const scratch *s, const char *script)
{
	char *old = strdup(getenv("PATH")), search[4096];
	const char *program = scratch_file(s, "ffmpeg");
	FILE *file = fopen(program, "w");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", script);
	fclose(file);
	assert_int_equal(chmod(program, 0755), 0);
	snprintf(search, sizeof search, "%s:%s", s->path, old);
	setenv("PATH", search, 1);
	return old;
}

static void test_failure_gives_ffmpegs_reason(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char *old = put_ffmpeg(&s, "echo first words >&2; echo No encoder today >&2; exit 1");
	movie *film;
	image frame;
	spate_error error = {0};
	check_ok(image_init(&frame, 640, 480, NULL));
	check_ok(movie_create(&film, path, 640, 480, 30.0, NULL));
	// ffmpeg dies at its own pace: one of the frames, or the end, reports it, and no signal ends this program
	spate_result result = SPATE_OK;
	for (int k = 0; k < 50 && result == SPATE_OK; k++)
		result = movie_add(film, &frame, &error);
	if (result == SPATE_OK)
		result = movie_finish(film, &error);
	assert_int_equal(result, SPATE_IO);
	assert_non_null(strstr(error.text, path));
	assert_non_null(strstr(error.text, "No encoder today"));
	movie_destroy(film);
	image_free(&frame);
	setenv("PATH", old, 1);
	free(old);

	// a place that does not exist is told before anything is drawn
	check_result(movie_create(&film, "/nonexistent/film.mp4", 640, 480, 30.0, &error), SPATE_IO);
	assert_string_equal(error.text, "cannot write /nonexistent/film.mp4: no such file or directory");
	scratch_remove(&s);
}

// Names that look like addresses, options or patterns are names of files.
static void test_any_name_is_a_file(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char *before = getcwd(NULL, 0);
	assert_int_equal(chdir(s.path), 0);
	assert_int_equal(mkdir("a:b", 0777), 0);
	const char *names[] = {"-x.mp4", "a:b.mp4",    "http:x.mp4",         "file:y.mp4",
			       "%d.mkv", "a:b/-c.mov", "tcp:__1.2.3.4:5.mp4"};
	image frame;
	check_ok(image_init(&frame, 16, 16, NULL));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
	{
		movie *film;
		spate_error error = {0};
		check_ok(movie_create(&film, names[i], 16, 16, 24.0, &error));
		spate_result result = movie_add(film, &frame, &error);
		if (result == SPATE_OK)
			result = movie_finish(film, &error);
		if (result != SPATE_OK)
			fail_msg("%s: %s", names[i], error.text);
		movie_destroy(film);
		struct stat status;
		if (stat(names[i], &status) != 0 || status.st_size < 100)
			fail_msg("%s is not there", names[i]);
	}
	image_free(&frame);
	check_no_temporaries(s.path);
	assert_int_equal(chdir(before), 0);
	free(before);
	scratch_remove(&s);
}

// The process that a file names, once it is there; gives up after half a minute.
static pid_t wait_for_process(const char *file)
{
	for (int n = 0; n < 3000; n++)
	{
		long number = 0;
		FILE *text = fopen(file, "r");
		int got = text ? fscanf(text, "%ld.", &number) : 0;
		if (text)
			fclose(text);
		if (got == 1)
			return (pid_t)number;
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	}
	fail_msg("%s never came", file);
	return 0;
}

static int has_ended(pid_t process)
{
	char name[64], text[256] = "";
	snprintf(name, sizeof name, "/proc/%ld/stat", (long)process);
	FILE *file = fopen(name, "r");
	if (!file)
		return 1;
	size_t got = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	const char *end = got ? strrchr(text, ')') : NULL;
	return !end || end[2] == 'Z';
}

// A program that is killed takes ffmpeg with it, and what it leaves is cleared away by the next one.
static void test_killed_programs_leave_nothing(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char script[2200], told[1100], out[1100], film_path[1200];
	snprintf(told, sizeof told, "%s/process", s.path);
	snprintf(out, sizeof out, "%s/out", s.path);
	snprintf(film_path, sizeof film_path, "%s/film.mp4", out);
	snprintf(script, sizeof script, "printf '%%s.' $$ >'%s'\nexec sleep 600", told);
	assert_int_equal(mkdir(out, 0777), 0);
	char *old = put_ffmpeg(&s, script);
	pid_t child = fork();
	if (child == 0)
	{
		movie *film;
		if (movie_create(&film, film_path, 16, 16, 24.0, NULL) == SPATE_OK)
			pause();
		_exit(1);
	}
	pid_t ffmpeg = wait_for_process(told);
	assert_int_equal(kill(child, SIGKILL), 0);
	waitpid(child, NULL, 0);
	int ended = 0;
	for (int n = 0; n < 3000 && !ended; n++)
	{
		ended = has_ended(ffmpeg);
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	}
	if (!ended)
		kill(ffmpeg, SIGKILL);
	assert_true(ended);
	check_ok(file_remove_stale(out, NULL));
	assert_int_equal(rmdir(out), 0);
	setenv("PATH", old, 1);
	free(old);
	scratch_remove(&s);
}

static void test_missing_program(void **state)
{
	(void)state;
	char *old = strdup(getenv("PATH"));
	setenv("PATH", "/nonexistent", 1);
	movie *film;
	spate_error error = {0};
	check_result(movie_create(&film, path, 64, 64, 24.0, &error), SPATE_MISSING);
	assert_non_null(strstr(error.text, "ffmpeg is not installed"));
	assert_null(film);
	setenv("PATH", old, 1);
	free(old);
}

static void test_bad_arguments(void **state)
{
	(void)state;
	movie *film;
	image frame;
	check_result(movie_create(&film, path, 0, 64, 24.0, NULL), SPATE_INVALID);
	check_result(movie_create(&film, path, 64, 64, NAN, NULL), SPATE_INVALID);
	check_ok(image_init(&frame, 10, 10, NULL));
	check_ok(movie_create(&film, path, 64, 64, 24.0, NULL));
	check_result(movie_add(film, &frame, NULL), SPATE_INVALID);
	movie_destroy(film);
	image_free(&frame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ffprobe_reads_it),
	    cmocka_unit_test(test_giving_up_leaves_nothing),
	    cmocka_unit_test(test_failure_gives_ffmpegs_reason),
	    cmocka_unit_test(test_any_name_is_a_file),
	    cmocka_unit_test(test_killed_programs_leave_nothing),
	    cmocka_unit_test(test_missing_program),
	    cmocka_unit_test(test_bad_arguments),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
