// Ctrl-C, a polite kill and a closed terminal: the frame is finished and saved, the exit code is 128 and the signal, and the same command
// goes on.
#define _GNU_SOURCE
#include "run_support.h"

#include <time.h>

static void wait_a_little(void)
{
	nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static int has_text(const char *path, const char *text)
{
	char content[8192];
	FILE *file = fopen(path, "rb");
	size_t got = file ? fread(content, 1, sizeof content - 1, file) : 0;
	if (file)
		fclose(file);
	content[got] = 0;
	return got > 0 && strstr(content, text) != NULL;
}

// Until the beginning of a file has a text or the process has ended (it stays a zombie until waited for).
static void wait_for_text(const char *path, const char *text, const child *c)
{
	siginfo_t info = {0};
	while (!has_text(path, text) && info.si_pid == 0)
	{
		wait_a_little();
		waitid(P_PID, (id_t)c->process, &info, WEXITED | WNOHANG | WNOWAIT);
	}
}

// Interrupts an endless run after its second frame, or whenever the signal comes; it must be resumed like one that was never interrupted.
static void interrupt_run(const scratch *s, const char *directory, int number, const char *whole)
{
	const char *arguments[] = {
	    "run", basin_path(), "-o", directory, "-q", "-t", "1", "--checkpoint-every=0", "--frames=100000", NULL};
	child c = child_start(s, arguments, 0);
	run_path second = run_frame_path(directory, 2);
	wait_for_text(second.text, "", &c);
	kill(c.process, number);
	char said[4096];
	int code = child_wait(&c, said, sizeof said);
	if (code != 128 + number)
		fail_msg("signal %d: exit code %d, expected %d: %s", number, code, 128 + number, said);
	assert_non_null(strstr(said, "stopped after frame"));
	assert_non_null(strstr(said, "the same command continues from there"));

	// saved at the frame it stopped after
	size_t frames = check_frames_whole(directory);
	assert_true(frames >= 2);
	assert_int_equal(access(run_checkpoint_path(directory, (int64_t)frames).text, F_OK), 0);
	char last[32];
	snprintf(last, sizeof last, "--frames=%zu", frames + 2);
	spate_run_gives(s, 0, directory, "--checkpoint-every=0", last, NULL);
	spate_run_gives(s, 0, whole, last, NULL, NULL);
	check_same_run(whole, directory, (uint32_t)frames + 2);
}

static void first_signal_saves(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	for (int n = 0; n < 3; n++)
	{
		char directory[1100], whole[1100];
		snprintf(directory, sizeof directory, "%s/run_%d", s.path, n);
		snprintf(whole, sizeof whole, "%s/whole_%d", s.path, n);
		interrupt_run(&s, directory, signals[n], whole);
	}
	scratch_remove(&s);
}

static void second_signal_ends(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *directory = scratch_file(&s, "slow");
	// one frame of very many steps
	const char *arguments[] = {"run",
				   basin_path(),
				   "-o",
				   directory,
				   "-q",
				   "-t",
				   "1",
				   "--set=solver.substeps=10000",
				   "--set=solver.iterations=100",
				   "--set=solver.min_iterations=100",
				   NULL};
	child c = child_start(&s, arguments, 0);
	run_path stats = run_file_path(directory, RUN_STATS);
	wait_for_text(stats.text, "", &c);
	kill(c.process, SIGINT);
	wait_for_text(c.output, "finishing this frame", &c);
	kill(c.process, SIGINT);
	char said[4096];
	assert_int_equal(child_wait(&c, said, sizeof said), 130);
	assert_non_null(strstr(said, "finishing this frame"));
	assert_int_equal(check_frames_whole(directory), 0);
	scratch_remove(&s);
}

int main(void)
{
	signal(SIGHUP, SIG_DFL); // whatever these tests are run by
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(first_signal_saves),
	    cmocka_unit_test(second_signal_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
