// Kills runs at random moments and resumes them, until a number of kills is reached; each chain of kills must end with the files
// of a run that nobody disturbed.
#ifndef TESTS_RUN_KILL_LOOP_H
#define TESTS_RUN_KILL_LOOP_H

#include "run_support.h"

#include "base/random.h"

#include <time.h>

enum
{
	KILL_FRAMES = 12
};

static inline double kill_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline child kill_start(const scratch *s, const char *directory)
{
	// a run that has not even begun cannot be resumed
	int resume = access(run_file_path(directory, ".lock").text, F_OK) == 0;
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
				   resume ? "--resume" : NULL,
				   NULL};
	return child_start(s, arguments, 0);
}

// Lets a run go on for some seconds and kills it; 1 when it had finished before.
static inline int kill_after(const scratch *s, const char *directory, double seconds)
{
	child c = kill_start(s, directory);
	struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
	nanosleep(&pause, NULL);
	kill(c.process, SIGKILL);
	char said[4096];
	int code = child_wait(&c, said, sizeof said);
	if (code != 0 && code != -SIGKILL)
		fail_msg("a run into %s exits with %d: %s", directory, code, said);
	check_frames_whole(directory);
	return code == 0;
}

// `kills` when a run takes little time, fewer when it is slow (under a sanitizer, say).
static inline void kill_and_resume(int kills)
{
	scratch s = scratch_make();
	char whole[1100], chain[1100];
	snprintf(whole, sizeof whole, "%s/whole", s.path);
	double begin = kill_clock();
	child c = kill_start(&s, whole);
	assert_int_equal(child_wait(&c, NULL, 0), 0);
	double length = kill_clock() - begin;
	if (length > 3.0)
		kills = kills < 6 ? kills : 6;
	for (int done = 0, number = 0; done < kills; number++)
	{
		snprintf(chain, sizeof chain, "%s/chain_%d", s.path, number);
		for (int finished = 0; !finished && done < kills; done += !finished)
		{
			// half of them early, while things are being set up
			random_key key = {42, number, (uint32_t)done, 0};
			double part = (double)random_float(key);
			finished = kill_after(&s, chain, done % 2 ? part * length : 0.1 * part * length);
		}
		c = kill_start(&s, chain);
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
