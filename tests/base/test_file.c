// Files are whole or not there, whatever goes wrong while they are written.
#define _GNU_SOURCE
#include "base/file.h"
#include "base/memory.h"
#include "scratch.h"
#include "sync_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void check_content(const char *path, const char *expected)
{
	char *data;
	size_t bytes;
	spate_error error;
	check_ok(file_read(path, &data, &bytes, &error));
	assert_string_equal(data, expected);
	assert_int_equal(bytes, strlen(expected));
	mem_free(data);
}

static void check_absent(const char *path)
{
	if (access(path, F_OK) == 0)
		fail_msg("%s exists", path);
}

static void writes_and_replaces(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "a.txt");
	spate_error error;
	check_ok(file_write(path, "first", 5, &error));
	check_content(path, "first");
	check_ok(file_write(path, "second", 6, &error));
	check_content(path, "second");
	check_ok(file_write(path, "", 0, &error));
	check_content(path, "");
	check_no_temporaries(s.path);
	scratch_remove(&s);
}

static void appears_only_when_committed(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "a.txt");
	spate_error error;
	file_writer writer;
	check_ok(file_begin(&writer, path, &error));
	check_ok(file_append(&writer, "hello world", 11, &error));
	check_ok(file_patch(&writer, 0, "HE", 2, &error));
	check_ok(file_append(&writer, "!", 1, &error));
	check_absent(path);
	check_ok(file_commit(&writer, &error));
	file_abandon(&writer);
	check_content(path, "HEllo world!");

	check_ok(file_begin(&writer, path, &error));
	check_ok(file_append(&writer, "other", 5, &error));
	file_abandon(&writer);
	check_content(path, "HEllo world!");
	check_no_temporaries(s.path);
	scratch_remove(&s);
}

// Bytes reach the disk before the name does, and the name before the call returns.
static void is_on_the_disk_when_committed(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "a.txt");
	spate_error error;
	sync_watch_reset(path);
	check_ok(file_write(path, "whole", 5, &error));
	assert_int_equal(sync_watch.files, 1);
	assert_int_equal(sync_watch.files_with_the_name, 0);
	assert_int_equal(sync_watch.directories, 1);
	scratch_remove(&s);
}

// In a child whose files may not grow beyond `limit` bytes; its exit code says what it saw.
static int write_with_limit(const char *path, size_t bytes, rlim_t limit, char *text, size_t text_bytes)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0)
	{
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, limit});
		spate_error error = {0};
		char *data = mem_calloc(1, bytes);
		spate_result result = file_write(path, data, bytes, &error);
		ssize_t sent = write(ends[1], error.text, strlen(error.text) + 1);
		_exit(sent > 0 ? -(int)result : 99);
	}
	close(ends[1]);
	ssize_t got = read(ends[0], text, text_bytes - 1);
	text[got > 0 ? got : 0] = 0;
	close(ends[0]);
	int status;
	waitpid(child, &status, 0);
	return -WEXITSTATUS(status);
}

static void full_disk_keeps_the_old_file(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "a.bin");
	spate_error error;
	check_ok(file_write(path, "old", 3, &error));
	// the limit falls into the middle of the write, and before its first byte
	for (rlim_t limit = 0; limit <= 5000; limit += 5000)
	{
		char text[1024];
		assert_int_equal(write_with_limit(path, 10000, limit, text, sizeof text), SPATE_IO);
		char expected[2100];
		snprintf(expected, sizeof expected, "cannot write %s: file too large", path);
		assert_string_equal(text, expected);
		check_content(path, "old");
		check_no_temporaries(s.path);
	}
	scratch_remove(&s);
}

static void a_full_disk_is_reported(void **state)
{
	(void)state;
	int full = open("/dev/full", O_WRONLY);
	if (full < 0)
		skip_because("there is no /dev/full, the device that is always full");
	int number = file_write_all(full, "x", 1);
	close(full);
	assert_int_equal(number, ENOSPC);
}

static void says_what_to_do_about_a_full_disk(void **state)
{
	(void)state;
	spate_error error;
	check_result(file_error(&error, SPATE_IO, "write", "out/x/frames/frame_000012.spate", ENOSPC), SPATE_IO);
	assert_string_equal(error.text, "cannot write out/x/frames/frame_000012.spate: no space left on device; free "
					"some and run again");
}

static void unwritable_places_are_named(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_error error;
	check_ok(file_write(scratch_file(&s, "plain"), "x", 1, &error));

	// a file in the place of a directory: refused for root as well
	const char *below = scratch_file(&s, "plain/a.txt");
	check_result(file_write(below, "x", 1, &error), SPATE_IO);
	char expected[2100];
	snprintf(expected, sizeof expected, "cannot write %s: not a directory", below);
	assert_string_equal(error.text, expected);
	check_result(file_make_directory(scratch_file(&s, "plain/a/b"), &error), SPATE_IO);
	assert_non_null(strstr(error.text, "plain is not a directory"));

	// a directory in the place of the file
	check_ok(file_make_directory(scratch_file(&s, "folder"), &error));
	check_result(file_write(scratch_file(&s, "folder"), "x", 1, &error), SPATE_IO);
	assert_non_null(strstr(error.text, "is a directory"));
	check_absent(scratch_file(&s, "folder.tmp"));

	// nothing there at all
	check_result(file_write(scratch_file(&s, "none/a.txt"), "x", 1, &error), SPATE_IO);
	char *data;
	size_t bytes;
	check_result(file_read(scratch_file(&s, "none"), &data, &bytes, &error), SPATE_MISSING);
	check_result(file_read(scratch_file(&s, "folder"), &data, &bytes, &error), SPATE_IO);
	scratch_remove(&s);
}

static void makes_directories(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_error error;
	const char *deep = scratch_file(&s, "a/b//c");
	check_ok(file_make_directory(deep, &error));
	check_ok(file_make_directory(deep, &error));
	check_ok(file_write(scratch_file(&s, "a/b/c/here"), "x", 1, &error));
	scratch_remove(&s);
}

// A process that dies while it writes; the name of its temporary.
static void die_while_writing(const char *path, char *temporary, size_t room)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0)
	{
		file_writer writer;
		if (file_begin(&writer, path, NULL) != SPATE_OK || file_append(&writer, "half", 4, NULL) != SPATE_OK ||
		    write(ends[1], writer.temporary, strlen(writer.temporary) + 1) < 0)
			_exit(1);
		raise(SIGKILL);
	}
	close(ends[1]);
	assert_true(read(ends[0], temporary, room) > 0);
	close(ends[0]);
	waitpid(child, NULL, 0);
	check_content(temporary, "half");
}

// What a dead writer left goes; what somebody is writing stays, and so does whatever is not ours.
static void removes_what_is_stale_and_ours(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_error error;
	char dead[2048], name[300];
	die_while_writing(scratch_file(&s, "gone.spate"), dead, sizeof dead);
	file_writer writer;
	check_ok(file_begin(&writer, scratch_file(&s, "alive.spate"), &error));
	check_ok(file_append(&writer, "alive", 5, &error));
	const char *others[] = {"keep.spate",
				"draft.tmp",
				"frame_000001.spate.tmp",
				".spate-notes.tmp",
				".spate-0123456789abcdef-12-x.tmp",
				".spate-0123456789abcdef-12-0.tmp.txt"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		check_ok(file_write(scratch_file(&s, others[i]), "mine", 4, &error));
	const char *link = scratch_file(&s, ".spate-0123456789abcdef-12-0.tmp");
	assert_int_equal(symlink("keep.spate", link), 0);

	check_ok(file_remove_stale(s.path, &error));
	check_absent(dead);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		check_content(scratch_file(&s, others[i]), "mine");
	check_content(link, "mine");
	check_ok(file_commit(&writer, &error));
	check_content(scratch_file(&s, "alive.spate"), "alive");
	check_ok(file_remove_stale(scratch_file(&s, "nowhere"), &error));

	// a name as long as names may be has a temporary that is not longer
	memset(name, 'n', 255);
	name[255] = 0;
	check_ok(file_write(scratch_file(&s, name), "long", 4, &error));
	check_content(scratch_file(&s, name), "long");
	scratch_remove(&s);
}

// Files that stay open are never reached through a link, nor are they pipes.
static void logs_are_regular_files(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_error error;
	check_ok(file_write(scratch_file(&s, "precious"), "mine", 4, &error));
	assert_int_equal(symlink("precious", scratch_file(&s, "link")), 0);
	assert_int_equal(symlink("nothing", scratch_file(&s, "dangling")), 0);
	assert_int_equal(mkfifo(scratch_file(&s, "pipe"), 0666), 0);
	assert_int_equal(file_open_log(scratch_file(&s, "link"), O_WRONLY | O_TRUNC, &error), -1);
	assert_non_null(strstr(error.text, "link: it is a symbolic link, which is not followed; remove it"));
	assert_int_equal(file_open_log(scratch_file(&s, "dangling"), O_WRONLY, &error), -1);
	assert_non_null(strstr(error.text, "symbolic link"));
	assert_int_equal(file_open_log(scratch_file(&s, "pipe"), O_WRONLY, &error), -1);
	assert_non_null(strstr(error.text, "pipe: it is not a regular file"));
	check_content(scratch_file(&s, "precious"), "mine");
	check_absent(scratch_file(&s, "nothing"));
	int fd = file_open_log(scratch_file(&s, "log"), O_WRONLY, &error);
	assert_true(fd >= 0);
	close(fd);
	scratch_remove(&s);
}

// A link in the place of a temporary is not written through.
static void planted_temporaries_are_not_followed(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_error error;
	char planted[2048];
	file_writer writer;
	check_ok(file_begin(&writer, scratch_file(&s, "a.txt"), &error));
	snprintf(planted, sizeof planted, "%s", writer.temporary);
	file_abandon(&writer);
	check_ok(file_write(scratch_file(&s, "precious"), "mine", 4, &error));
	assert_int_equal(symlink("precious", planted), 0);
	check_ok(file_write(scratch_file(&s, "a.txt"), "text", 4, &error));
	check_content(scratch_file(&s, "a.txt"), "text");
	check_content(scratch_file(&s, "precious"), "mine");
	scratch_remove(&s);
}

static void lack_of_memory_is_an_error(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "a.txt");
	spate_error error;
	uint64_t blocks = mem_get_stats().blocks;
	for (uint64_t n = 1; n <= 2; n++)
	{
		mem_fail_at(n);
		check_result(file_write(path, "x", 1, &error), SPATE_MEMORY);
		mem_fail_at(0);
		check_absent(path);
		assert_int_equal(mem_get_stats().blocks, blocks);
	}
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(writes_and_replaces),
	    cmocka_unit_test(is_on_the_disk_when_committed),
	    cmocka_unit_test(appears_only_when_committed),
	    cmocka_unit_test(full_disk_keeps_the_old_file),
	    cmocka_unit_test(a_full_disk_is_reported),
	    cmocka_unit_test(says_what_to_do_about_a_full_disk),
	    cmocka_unit_test(unwritable_places_are_named),
	    cmocka_unit_test(makes_directories),
	    cmocka_unit_test(removes_what_is_stale_and_ours),
	    cmocka_unit_test(logs_are_regular_files),
	    cmocka_unit_test(planted_temporaries_are_not_followed),
	    cmocka_unit_test(lack_of_memory_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
