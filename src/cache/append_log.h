// Files that grow by lines while a run goes on (stats.jsonl, probes.csv) and can be taken back to a frame: a run that
// was killed and resumes from a checkpoint cuts off what came after it, and ends with the file of an uninterrupted run.
//
// Each line goes to the system at once, so a killed process loses nothing but the line it was writing.
#ifndef CACHE_APPEND_LOG_H
#define CACHE_APPEND_LOG_H

#include "spate/result.h"

#include <stddef.h>
#include <stdint.h>

typedef enum append_format
{
	APPEND_JSONL, // an object per line with "frame":N
	APPEND_CSV    // first line names the columns, the first of which is `frame`
} append_format;

typedef struct append_log
{
	char *path;
	int fd;
	uint64_t bytes; // in the file; 0 tells a CSV writer to write the names of the columns
} append_log;

// Starts an empty file.
spate_result append_log_create(append_log *log, const char *path, spate_error *error);
// Continues a file behind the lines of frames up to `last_frame`: later lines, a torn last line and lines without a
// frame are dropped. A file that is not there starts empty.
spate_result append_log_resume(append_log *log, const char *path, append_format format, int64_t last_frame,
			       spate_error *error);
// One line, given without its newline. On failure the file is as it was.
spate_result append_log_line(append_log *log, const char *line, spate_error *error);
// To the disk; called before a checkpoint is written, so that no line from before the checkpoint can be lost.
spate_result append_log_sync(append_log *log, spate_error *error);
void append_log_close(append_log *log);

#endif
