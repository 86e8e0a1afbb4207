// Progress of a long job, as one line on stderr. On a terminal it is redrawn in place, never wider than the terminal; a log file gets a
// line now and then.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

// A part of the line. If not all fit, those of the highest rank are left out first.
typedef struct progress_field
{
	char text[64];
	int rank;
} progress_field;

typedef struct progress
{
	const char *program, *what; // "spate preview", "frames"
	uint64_t total;
	double started, shown; // s
	double wait, pause;    // s, before the first line, and between lines
	int quiet, terminal, visible;
} progress;

// Shows a line once a job takes more than two seconds.
progress progress_begin(const char *program, const char *what, uint64_t total, int quiet);
// Shows the amount done, the total, and the time left.
void progress_update(progress *p, uint64_t done);

// For lines with other fields: whether the next line is due, and drawing it.
int progress_due(const progress *p);
void progress_draw(progress *p, const progress_field *fields, size_t count);

// Clears the line, before other output and at the end; or leaves it there.
void progress_clear(progress *p);
void progress_keep(progress *p);

// "1:05" or "2:03:04"; "--" for a negative time.
void progress_time(char *out, size_t size, double seconds);

#endif
