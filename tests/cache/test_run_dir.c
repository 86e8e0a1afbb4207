// The directory of a run: layout, lock, checkpoints to trust, logs taken back to a frame.
#define _GNU_SOURCE
#include "base/file.h"
#include "base/memory.h"
#include "cache/append_log.h"
#include "cache/checkpoint.h"
#include "cache/lock.h"
#include "cache/run_dir.h"
#include "scratch.h"
#include "spate/log.h"
#include "sync_watch.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void check_text(const char *path, const char *expected)
{
	char *data;
	size_t bytes;
	spate_error error;
	check_ok(file_read(path, &data, &bytes, &error));
	assert_string_equal(data, expected);
	mem_free(data);
}

static void layout_and_listing(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *directory = scratch_file(&s, "out/dam");
	spate_error error;
	run_numbers numbers = {0};
	check_ok(run_list_frames(directory, &numbers, &error));
	assert_int_equal(numbers.count, 0);

	check_ok(run_dir_create(directory, &error));
	char expected[2100];
	snprintf(expected, sizeof expected, "%s/frames/frame_000012.spate", directory);
	assert_string_equal(run_frame_path(directory, 12).text, expected);
	snprintf(expected, sizeof expected, "%s/checkpoint/checkpoint_1234567.spate", directory);
	assert_string_equal(run_checkpoint_path(directory, 1234567).text, expected);

	// numbers come sorted; names that a run would not write do not count
	const int64_t present[] = {100, 2, 1000000, 7};
	for (size_t i = 0; i < 4; i++)
		check_ok(file_write(run_frame_path(directory, present[i]).text, "", 0, &error));
	const char *foreign[] = {"frame_7.spate",
				 "frame_000008.spate.bak",
				 "frame_-00003.spate",
				 "frame_0000009.spate",
				 "frame_99999999999999999999.spate",
				 "frame_.spate",
				 "notes.txt"};
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
	{
		snprintf(expected, sizeof expected, "frames/%s", foreign[i]);
		check_ok(file_write(run_file_path(directory, expected).text, "", 0, &error));
	}
	static const char ours[] = "frames/.spate-0123456789abcdef-99-0.tmp", draft[] = "draft.tmp";
	check_ok(file_write(run_file_path(directory, ours).text, "", 0, &error));
	check_ok(file_write(run_file_path(directory, draft).text, "", 0, &error));
	check_ok(run_list_frames(directory, &numbers, &error));
	assert_int_equal(numbers.count, 4);
	const int64_t sorted[] = {2, 7, 100, 1000000};
	assert_memory_equal(numbers.data, sorted, sizeof sorted);
	array_free(&numbers);

	// starting again clears away what an interrupted writer left, and nothing else
	check_ok(run_dir_create(directory, &error));
	assert_int_not_equal(access(run_file_path(directory, ours).text, F_OK), 0);
	assert_int_equal(access(run_file_path(directory, draft).text, F_OK), 0);

	char longest[5000];
	memset(longest, 'x', sizeof longest);
	longest[4999] = 0;
	check_result(run_dir_create(longest, &error), SPATE_INVALID);
	assert_string_equal(run_frame_path(longest, 1).text, "");
	scratch_remove(&s);
}

// A child that takes the lock, tells so, and waits to be killed.
static pid_t hold_lock(const char *directory)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0)
	{
		run_lock lock;
		char answer = run_lock_take(&lock, directory, NULL) == SPATE_OK ? 'y' : 'n';
		if (write(ends[1], &answer, 1) == 1)
			pause();
		_exit(0);
	}
	char answer = 0;
	assert_int_equal(read(ends[0], &answer, 1), 1);
	assert_int_equal(answer, 'y');
	close(ends[0]);
	close(ends[1]);
	return child;
}

static void lock_is_refused_until_its_holder_is_gone(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_error error;
	run_lock lock;
	pid_t child = hold_lock(s.path);
	check_result(run_lock_take(&lock, s.path, &error), SPATE_BUSY);
	char expected[2100];
	snprintf(expected, sizeof expected, "process %ld is writing to %s; wait for it or choose another directory",
		 (long)child, s.path);
	assert_string_equal(error.text, expected);
	assert_int_equal(lock.fd, -1);

	// a killed process leaves the file behind, but not the lock
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check_ok(run_lock_take(&lock, s.path, &error));
	run_lock other;
	check_result(run_lock_take(&other, s.path, &error), SPATE_BUSY);
	run_lock_release(&lock);
	run_lock_release(&lock);
	check_ok(run_lock_take(&other, s.path, &error));
	run_lock_release(&other);
	check_result(run_lock_take(&other, scratch_file(&s, "nowhere"), &error), SPATE_IO);
	scratch_remove(&s);
}

typedef struct warnings
{
	int count;
	char last[1024];
} warnings;

static void count_warning(void *context, spate_log_level level, const char *text)
{
	warnings *w = context;
	if (level != SPATE_LOG_WARNING)
		return;
	w->count++;
	snprintf(w->last, sizeof w->last, "%s", text);
}

static void write_checkpoint(const char *directory, int64_t number)
{
	int64_t ids[] = {number, 2, 3};
	spate_frame_channel_def channel = {.name = "id", .type = SPATE_INT64, .data = ids, .count = 3};
	spate_frame_def def = spate_default_frame_def();
	def.kind = SPATE_FRAME_CHECKPOINT;
	def.frame = number;
	def.count = 3;
	def.channels = &channel;
	def.channel_count = 1;
	spate_error error = {0};
	if (checkpoint_write(directory, &def, &error) != SPATE_OK)
		fail_msg("%s", error.text);
}

static void check_newest(const char *directory, int64_t expected)
{
	spate_frame *frame;
	spate_error error = {0};
	if (checkpoint_newest_valid(directory, 0, &frame, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	assert_int_equal(spate_frame_number(frame), expected);
	const void *data;
	check_ok(spate_frame_channel(frame, "id", NULL, &data, &error));
	assert_int_equal(*(const int64_t *)data, expected);
	spate_frame_close(frame);
}

// Flips the last byte, which belongs to the values: only a full check notices.
static void damage(const char *path)
{
	FILE *file = fopen(path, "r+b");
	fseek(file, -1, SEEK_END);
	int byte = fgetc(file);
	fseek(file, -1, SEEK_END);
	fputc(byte ^ 1, file);
	fclose(file);
}

static void newest_undamaged_checkpoint_is_taken(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_error error;
	spate_frame *frame;
	warnings w = {0};
	spate_log_set_handler(count_warning, &w);
	check_ok(run_dir_create(s.path, &error));
	check_result(checkpoint_newest_valid(s.path, 0, &frame, &error), SPATE_MISSING);

	// only the last two are kept
	run_numbers numbers = {0};
	for (int64_t n = 5; n <= 20; n += 5)
		write_checkpoint(s.path, n);
	check_ok(run_list_checkpoints(s.path, &numbers, &error));
	assert_int_equal(numbers.count, 2);
	assert_int_equal(numbers.data[0], 15);
	assert_int_equal(numbers.data[1], 20);
	check_newest(s.path, 20);
	assert_int_equal(w.count, 0);

	damage(run_checkpoint_path(s.path, 20).text);
	check_newest(s.path, 15);
	assert_int_equal(w.count, 1);
	assert_non_null(strstr(w.last, "checkpoint_000020.spate is damaged"));

	// a file under a wrong name is not believed; with the other one cut short none is left
	assert_int_equal(rename(run_checkpoint_path(s.path, 15).text, run_checkpoint_path(s.path, 16).text), 0);
	check_result(checkpoint_newest_valid(s.path, 0, &frame, &error), SPATE_DAMAGED);
	assert_null(frame);
	assert_non_null(strstr(error.text, "checkpoint_000020.spate is damaged"));
	assert_non_null(
	    strstr(error.text, "checkpoint_000016.spate does not contain the checkpoint that its name says"));
	assert_int_equal(w.count, 2); // that there is an older one to try
	spate_log_set_handler(NULL, NULL);
	array_free(&numbers);
	scratch_remove(&s);
}

// A damaged checkpoint of a later frame neither goes nor takes the place of one that is kept.
static void later_checkpoints_stay(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_error error;
	check_ok(run_dir_create(s.path, &error));
	write_checkpoint(s.path, 10);
	write_checkpoint(s.path, 20);
	damage(run_checkpoint_path(s.path, 20).text);
	write_checkpoint(s.path, 12);
	write_checkpoint(s.path, 14);
	run_numbers numbers = {0};
	check_ok(run_list_checkpoints(s.path, &numbers, &error));
	const int64_t expected[] = {12, 14, 20};
	assert_int_equal(numbers.count, 3);
	assert_memory_equal(numbers.data, expected, sizeof expected);
	array_free(&numbers);
	scratch_remove(&s);
}

static void clearing_removes_frames_and_checkpoints(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_error error;
	check_ok(run_dir_create(s.path, &error));
	for (int64_t n = 1; n <= 6; n++)
		check_ok(file_write(run_frame_path(s.path, n).text, "", 0, &error));
	write_checkpoint(s.path, 4);
	check_ok(file_write(run_file_path(s.path, "frames/notes.txt").text, "", 0, &error));
	check_ok(run_dir_clear(s.path, &error));
	run_numbers numbers = {0};
	check_ok(run_list_frames(s.path, &numbers, &error));
	assert_int_equal(numbers.count, 0);
	check_ok(run_list_checkpoints(s.path, &numbers, &error));
	assert_int_equal(numbers.count, 0);
	assert_int_equal(access(run_file_path(s.path, "frames/notes.txt").text, F_OK), 0);
	array_free(&numbers);
	scratch_remove(&s);
}

static void jsonl_is_cut_back_to_a_frame(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "stats.jsonl");
	spate_error error;
	append_log log;
	check_ok(append_log_create(&log, path, &error));
	const char *lines[] = {"{\"frame\":1,\"step\":1}", "{\"frame\":1,\"step\":2}", "{\"frame\": 2, \"step\":3}",
			       "{\"frame\":10,\"step\":4}"};
	for (size_t i = 0; i < 4; i++)
		check_ok(append_log_line(&log, lines[i], &error));
	sync_watch_reset(NULL);
	check_ok(append_log_sync(&log, &error));
	assert_int_equal(sync_watch.files, 1);
	append_log_close(&log);
	const char *whole = "{\"frame\":1,\"step\":1}\n{\"frame\":1,\"step\":2}\n{\"frame\": 2, \"step\":3}\n"
			    "{\"frame\":10,\"step\":4}\n";
	check_text(path, whole);

	// nothing to cut
	check_ok(append_log_resume(&log, path, APPEND_JSONL, 10, &error));
	assert_int_equal(log.bytes, strlen(whole));
	append_log_close(&log);
	check_text(path, whole);

	// killed at every byte of the file, resumed at frame 1, and run to the end again
	for (size_t bytes = strlen(lines[0]) + strlen(lines[1]) + 2; bytes <= strlen(whole); bytes++)
	{
		check_ok(file_write(path, whole, bytes, &error));
		check_ok(append_log_resume(&log, path, APPEND_JSONL, 1, &error));
		check_ok(append_log_line(&log, lines[2], &error));
		check_ok(append_log_line(&log, lines[3], &error));
		append_log_close(&log);
		check_text(path, whole);
	}

	// a torn line that looks finished up to its number, zero bytes of a power cut, lines of something else
	const char torn[] = "{\"frame\":1,\"step\":1}\n{\"frame\":1\n\0\0\0\n{}\nhello\n{\"frame\":1,\"step\":2}\n";
	check_ok(file_write(path, torn, sizeof torn - 1, &error));
	check_ok(append_log_resume(&log, path, APPEND_JSONL, 1, &error));
	append_log_close(&log);
	check_text(path, "{\"frame\":1,\"step\":1}\n{\"frame\":1,\"step\":2}\n");

	check_ok(append_log_resume(&log, scratch_file(&s, "new.jsonl"), APPEND_JSONL, 3, &error));
	assert_int_equal(log.bytes, 0);
	append_log_close(&log);
	scratch_remove(&s);
}

static void csv_is_cut_back_to_a_frame(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "probes.csv"), *whole = "frame,time,height\n1,0.1,2\n2,0.2,3\n12,0.3,4\n";
	spate_error error;
	append_log log;
	check_ok(file_write(path, whole, strlen(whole), &error));
	check_ok(append_log_resume(&log, path, APPEND_CSV, 2, &error));
	append_log_close(&log);
	check_text(path, "frame,time,height\n1,0.1,2\n2,0.2,3\n");

	// a torn line of names is written anew
	check_ok(file_write(path, whole, 9, &error));
	check_ok(append_log_resume(&log, path, APPEND_CSV, 2, &error));
	assert_int_equal(log.bytes, 0);
	append_log_close(&log);
	scratch_remove(&s);
}

static void failed_line_leaves_no_trace(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "stats.jsonl");
	pid_t child = fork();
	if (child == 0)
	{
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){15, 15});
		append_log log;
		spate_error error;
		int good = append_log_create(&log, path, &error) == SPATE_OK &&
			   append_log_line(&log, "{\"frame\":1}", &error) == SPATE_OK &&
			   append_log_line(&log, "{\"frame\":2}", &error) == SPATE_IO &&
			   strstr(error.text, "stats.jsonl: file too large");
		_exit(good ? 0 : 1);
	}
	int status;
	waitpid(child, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 0);
	check_text(path, "{\"frame\":1}\n");
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(layout_and_listing),
	    cmocka_unit_test(lock_is_refused_until_its_holder_is_gone),
	    cmocka_unit_test(newest_undamaged_checkpoint_is_taken),
	    cmocka_unit_test(later_checkpoints_stay),
	    cmocka_unit_test(clearing_removes_frames_and_checkpoints),
	    cmocka_unit_test(jsonl_is_cut_back_to_a_frame),
	    cmocka_unit_test(csv_is_cut_back_to_a_frame),
	    cmocka_unit_test(failed_line_leaves_no_trace),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
