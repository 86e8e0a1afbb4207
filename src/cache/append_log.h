// Files that grow by lines during a run (stats.jsonl, probes.csv, bodies.csv) and can be cut back to a frame: a killed run that
// resumes from a checkpoint drops the lines after it, and ends with the same file as an uninterrupted run.
//
// Each line is written at once, without buffering, so a killed process loses at most the line it was writing.
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
	uint64_t bytes; // size of the file; at 0, a CSV writer has to write the names of the columns
} append_log;

// Starts an empty file.
spate_result append_log_create(append_log *log, const char *path, spate_error *error);
// Continues a file after the lines of frames up to `last_frame`: later lines, an incomplete last line and lines without
// a frame are dropped. A missing file starts empty.
spate_result append_log_resume(append_log *log, const char *path, append_format format, int64_t last_frame,
			       spate_error *error);
// Appends a line, given without its newline. On failure the file is unchanged.
spate_result append_log_line(append_log *log, const char *line, spate_error *error);
// Syncs the file to disk. Called before a checkpoint is written, so that no line from before the checkpoint can be lost.
spate_result append_log_sync(append_log *log, spate_error *error);
void append_log_close(append_log *log);

#endif
