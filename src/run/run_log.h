// log.txt of a run: every message, with the frame that it belongs to. Messages are passed on to whoever listened before.
#ifndef RUN_RUN_LOG_H
#define RUN_RUN_LOG_H

#include "base/log.h"
#include "spate/live.h"

#include <stdint.h>
#include <stdio.h>

typedef struct run_log
{
	const char *directory;
	int fresh;      // the first line replaces an earlier log
	uint32_t frame; // frame that is being simulated; 0 for none
	FILE *file;     // opened by the first line
	int failed;     // it cannot be written; the run goes on without it
	log_target before;
} run_log;

// From here on the messages of this thread go to the log. Send the first one only when the directory is locked.
void run_log_begin(run_log *log, const char *directory, int fresh);
// Messages about a world go there, too.
void run_log_hear(run_log *log, spate_world *world);
// Ends it with a last line, unless nothing has been logged.
void run_log_end(run_log *log, const char *last);

#endif
