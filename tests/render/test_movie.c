// Movies, read back with ffprobe; skipped where ffmpeg is not installed.
#include "check.h"

#include "render/movie.h"

#include <sys/stat.h>
#include <unistd.h>

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

static void test_failure_gives_ffmpegs_reason(void **state)
{
	(void)state;
	movie *film;
	image frame;
	spate_error error = {0};
	check_ok(image_init(&frame, 640, 480, NULL));
	check_ok(movie_create(&film, "/nonexistent/film.mp4", 640, 480, 30.0, NULL));
	// ffmpeg dies at its own pace: one of the frames, or the end, reports it, and no signal ends this program
	spate_result result = SPATE_OK;
	for (int k = 0; k < 50 && result == SPATE_OK; k++)
		result = movie_add(film, &frame, &error);
	if (result == SPATE_OK)
		result = movie_finish(film, &error);
	assert_int_equal(result, SPATE_IO);
	assert_non_null(strstr(error.text, "/nonexistent/film.mp4"));
	assert_non_null(strstr(error.text, "No such file"));
	movie_destroy(film);
	image_free(&frame);
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
	    cmocka_unit_test(test_missing_program),
	    cmocka_unit_test(test_bad_arguments),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
