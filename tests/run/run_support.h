// What the tests of whole runs share: the scene, runs in this process and in another one, and comparing their results.
#ifndef TESTS_RUN_SUPPORT_H
#define TESTS_RUN_SUPPORT_H

#include "check.h"
#include "scratch.h"

#include "cache/run_dir.h"
#include "spate/frame.h"
#include "spate/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static inline const char *from_environment(const char *name)
{
	const char *value = getenv(name);
	if (!value)
		fail_msg("$%s is not set; run this test by ctest", name);
	return value;
}

// tests/run/basin.yaml in this repository.
static inline const char *basin_path(void)
{
	static char path[2048];
	snprintf(path, sizeof path, "%s/tests/run/basin.yaml", from_environment("SPATE_SOURCE"));
	return path;
}

// The basin with overrides.
static inline spate_scene basin_with(const char *const *overrides, uint32_t count)
{
	spate_scene scene = {0};
	spate_problems problems = {0};
	spate_error error = {0};
	if (spate_scene_load(&scene, basin_path(), overrides, count, &problems, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	spate_problems_free(&problems);
	return scene;
}

// With up to two overrides; NULL for none.
static inline spate_scene basin(const char *first, const char *second)
{
	const char *overrides[] = {first, second};
	return basin_with(overrides, second ? 2 : first ? 1 : 0);
}

// ---------------------------------------------------------------------------------------------------- in this process

static inline spate_run_def run_def(const spate_scene *scene, const char *directory)
{
	spate_run_def def = spate_default_run_def();
	def.scene = scene;
	def.directory = directory;
	def.threads = 1;
	return def;
}

// A run that must be fine; the hash at its end.
static inline uint64_t run_well(const spate_run_def *def)
{
	spate_run_summary summary;
	spate_error error = {0};
	if (spate_run(def, &summary, &error) != SPATE_OK)
		fail_msg("the run into %s failed: %s", def->directory, error.text);
	return summary.hash;
}

// Asks to stop in the course of frame *context.
static inline int stop_in_frame(void *context, const spate_run_progress *progress)
{
	return progress->frame + !progress->frame_done >= *(uint32_t *)context;
}

// ------------------------------------------------------------------------------------------------- in another process

typedef struct child
{
	pid_t process;
	char output[1024]; // file with what it says
	int pipe;          // through which it says it when its files are limited; -1 for none
} child;

// spate with arguments up to a NULL; `file_limit` bytes per file at most, 0 for no limit.
static inline child child_start(const scratch *s, const char *const *arguments, size_t file_limit)
{
	child c;
	static int number;
	snprintf(c.output, sizeof c.output, "%.900s/stderr_%d", s->path, number++);
	int ends[2] = {-1, -1};
	if (file_limit > 0)
		assert_int_equal(pipe(ends), 0);
	c.pipe = ends[0];
	const char *binary = from_environment("SPATE_BINARY");
	char *list[16] = {(char *)(uintptr_t)binary};
	for (int i = 0; i < 14 && arguments[i]; i++)
		list[i + 1] = (char *)(uintptr_t)arguments[i];
	c.process = fork();
	assert_true(c.process >= 0);
	if (c.process == 0)
	{
		int fd = file_limit > 0 ? ends[1] : open(c.output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		struct rlimit limit = {file_limit, file_limit};
		int ready = fd >= 0 && dup2(fd, STDERR_FILENO) >= 0 && dup2(fd, STDOUT_FILENO) >= 0;
		if (ready && (file_limit == 0 || setrlimit(RLIMIT_FSIZE, &limit) == 0))
			execv(binary, list);
		_exit(99);
	}
	if (file_limit > 0)
		close(ends[1]);
	return c;
}

// Its exit code, or minus the signal that ended it; what it said in `said` (may be NULL).
static inline int child_wait(const child *c, char *said, size_t bytes)
{
	int status;
	while (waitpid(c->process, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	if (!said && c->pipe >= 0)
		close(c->pipe);
	if (said)
	{
		FILE *file = c->pipe >= 0 ? fdopen(c->pipe, "r") : fopen(c->output, "r");
		size_t got = file ? fread(said, 1, bytes - 1, file) : 0;
		said[got] = 0;
		if (file)
			fclose(file);
	}
	unlink(c->output);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Runs `spate run SCENE -o DIRECTORY -q -t 1` with up to three more arguments; the exit code must be the expected one.
static inline void spate_run_gives(const scratch *s, int expected, const char *directory, const char *first,
				   const char *second, const char *third)
{
	const char *arguments[] = {"run", basin_path(), "-o", directory, "-q", "-t", "1", first, second, third, NULL};
	child c = child_start(s, arguments, 0);
	char said[4096];
	int code = child_wait(&c, said, sizeof said);
	if (code != expected)
		fail_msg("spate run %s %s %s exits with %d, expected %d; it said: %s", first ? first : "",
			 second ? second : "", third ? third : "", code, expected, said);
}

// One sentence: a line of its own that has the text.
static inline void check_sentence(const char *said, const char *text)
{
	const char *newline = strchr(said, '\n');
	if (!newline || newline[1] != 0 || !strstr(said, text))
		fail_msg("expected one line with '%s', got:\n%s", text, said);
}

// --------------------------------------------------------------------------------------------------------- comparing

// A file of a run, for free(); fails when there is none.
static inline char *file_text(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		fail_msg("%s cannot be read", path);
	fseek(file, 0, SEEK_END);
	*bytes = (size_t)ftell(file);
	rewind(file);
	char *text = calloc(*bytes + 1, 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, *bytes, file), *bytes);
	fclose(file);
	return text;
}

static inline void check_same_file(const char *left, const char *right)
{
	size_t left_bytes, right_bytes;
	char *a = file_text(left, &left_bytes), *b = file_text(right, &right_bytes);
	if (left_bytes != right_bytes || memcmp(a, b, left_bytes) != 0)
		fail_msg("%s (%zu bytes) and %s (%zu bytes) differ", left, left_bytes, right, right_bytes);
	free(a);
	free(b);
}

// Leaves of every line of stats.jsonl what does not depend on the machine.
static inline void strip_stats(char *text)
{
	char *to = text;
	for (char *line = text, *end; *line && (end = strchr(line, '\n')); line = end + 1)
	{
		*end = 0;
		char *memory = strstr(line, ",\"list_bytes\""), *hash = strstr(line, ",\"hash\""),
		     *times = strstr(line, ",\"ms\"");
		assert_true(memory && times);
		memmove(to, line, (size_t)(memory - line));
		to += memory - line;
		if (hash)
		{
			memmove(to, hash, (size_t)(times - hash));
			to += times - hash;
		}
		*to++ = '\n';
	}
	*to = 0;
}

static inline void check_same_stats(const char *left, const char *right)
{
	size_t bytes;
	char *a = file_text(run_file_path(left, RUN_STATS).text, &bytes);
	char *b = file_text(run_file_path(right, RUN_STATS).text, &bytes);
	strip_stats(a);
	strip_stats(b);
	if (strcmp(a, b) != 0)
	{
		size_t at = 0;
		while (a[at] == b[at])
			at++;
		while (at > 0 && a[at - 1] != '\n')
			at--;
		fail_msg("the stats of %s and %s differ:\n%.400s\n%.400s", left, right, a + at, b + at);
	}
	free(a);
	free(b);
}

static inline run_numbers frames_of(const char *directory)
{
	run_numbers numbers = {0};
	spate_error error = {0};
	check_ok(run_list_frames(directory, &numbers, &error));
	return numbers;
}

// Every frame from 1 to `count` and no other, byte by byte the same; likewise probes and, line by line, stats.
static inline void check_same_run(const char *left, const char *right, uint32_t count)
{
	run_numbers a = frames_of(left), b = frames_of(right);
	assert_int_equal(a.count, count);
	assert_int_equal(b.count, count);
	for (uint32_t n = 1; n <= count; n++)
		check_same_file(run_frame_path(left, n).text, run_frame_path(right, n).text);
	array_free(&a);
	array_free(&b);
	check_same_file(run_file_path(left, RUN_PROBES).text, run_file_path(right, RUN_PROBES).text);
	check_same_stats(left, right);
}

// Every frame that is there reads whole; how many there are.
static inline size_t check_frames_whole(const char *directory)
{
	run_numbers numbers = frames_of(directory);
	for (size_t n = 0; n < numbers.count; n++)
	{
		spate_frame *frame = NULL;
		spate_error error = {0};
		spate_result result = spate_frame_open(run_frame_path(directory, numbers.data[n]).text, &frame, &error);
		if (result == SPATE_OK)
			result = spate_frame_verify(frame, &error);
		if (result != SPATE_OK)
			fail_msg("%s", error.text);
		assert_int_equal(spate_frame_number(frame), numbers.data[n]);
		spate_frame_close(frame);
	}
	size_t count = numbers.count;
	array_free(&numbers);
	return count;
}

#endif
