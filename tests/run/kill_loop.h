// Kills runs at random moments and resumes them, until a number of kills is reached; each chain of kills must end with the files
// of a run that nobody disturbed. A moment is counted in what happened to the run's files so far, not in time: a kill finds a slow machine
// where it finds a fast one.
#ifndef TESTS_RUN_KILL_LOOP_H
#define TESTS_RUN_KILL_LOOP_H

#include "run_support.h"

#include "base/random.h"

#include <poll.h>
#include <sys/inotify.h>

enum
{
	KILL_FRAMES = 12,
	KILL_NEVER = 1000000
};

static const uint32_t kill_events = IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_ONLYDIR;

static inline child kill_start(const scratch *s, const char *directory)
{
	const char *arguments[] = {"run",
				   basin_path(),
				   "--quiet",
				   "--output",
				   directory,
				   "--frames=12",
				   "--threads=2",
				   "--checkpoint-every=2",
				   "--set=fluids.water.spacing=0.03",
				   "--set=fluids.oil.spacing=0.03",
				   NULL};
	return child_start(s, arguments, 0);
}

// Counts what happens in a run's directory and in the folders below it, up to `most` events or the end of the process, which closes the pipe.
static inline int kill_count_events(const char *directory, int most, int watch, int end_of_process)
{
	int count = 0;
	struct pollfd sources[2] = {{.fd = watch, .events = POLLIN}, {.fd = end_of_process, .events = POLLIN}};
	while (count < most && poll(sources, 2, -1) > 0)
	{
		if (!(sources[0].revents & POLLIN))
			return count;
		union
		{
			struct inotify_event first;
			char bytes[4096];
		} buffer;
		ssize_t got = read(watch, buffer.bytes, sizeof buffer.bytes);
		for (ssize_t at = 0; at < got; count++)
		{
			const struct inotify_event *event = (const void *)(buffer.bytes + at);
			if (event->mask & IN_ISDIR && event->mask & IN_CREATE)
				inotify_add_watch(watch, run_file_path(directory, event->name).text, kill_events);
			at += (ssize_t)(sizeof *event + event->len);
		}
	}
	return count;
}

// Lets a run go on for some events and kills it; 1 when it had finished before. *seen (may be NULL) tells how many there were.
static inline int kill_after(const scratch *s, const char *directory, int events, int *seen)
{
	int watch = inotify_init1(IN_CLOEXEC), ends[2];
	const char *const folders[] = {"", "frames", "checkpoint"};
	assert_true(watch >= 0);
	mkdir(directory, 0777);
	for (int k = 0; k < 3; k++)
		inotify_add_watch(watch, run_file_path(directory, folders[k]).text, kill_events);
	assert_int_equal(pipe(ends), 0);
	child c = kill_start(s, directory);
	close(ends[1]);
	int count = kill_count_events(directory, events, watch, ends[0]);
	if (seen)
		*seen = count;
	kill(c.process, SIGKILL);
	char said[4096];
	int code = child_wait(&c, said, sizeof said);
	close(ends[0]);
	close(watch);
	if (code != 0 && code != -SIGKILL)
		fail_msg("a run into %s exits with %d: %s", directory, code, said);
	check_frames_whole(directory);
	return code == 0;
}

static inline void kill_and_resume(int kills)
{
	scratch s = scratch_make();
	char whole[1100], chain[1100];
	int events;
	snprintf(whole, sizeof whole, "%s/whole", s.path);
	assert_true(kill_after(&s, whole, KILL_NEVER, &events));
	assert_true(events > 4 * KILL_FRAMES);
	for (int done = 0, number = 0; done < kills; number++)
	{
		snprintf(chain, sizeof chain, "%s/chain_%d", s.path, number);
		for (int finished = 0; !finished && done < kills; done += !finished)
		{
			// half of them early, while things are being set up
			random_key key = {42, number, (uint32_t)done, 0};
			double part = (double)random_float(key) * (done % 2 ? 1.0 : 0.1);
			finished = kill_after(&s, chain, (int)(part * events), NULL);
		}
		child c = kill_start(&s, chain);
		char said[4096];
		int code = child_wait(&c, said, sizeof said);
		if (code != 0)
			fail_msg("the run into %s cannot be resumed after %d kills, it exits with %d: %s", chain, done,
				 code, said);
		check_same_run(whole, chain, KILL_FRAMES);
		check_no_temporaries(chain);
	}
	scratch_remove(&s);
}

#endif
