// Progress of a long job, on stderr. On a terminal it is one line, redrawn in place and never wider than the terminal. Elsewhere it is lines
// for programs:
//
//	PROGRESS: 42% frame 5/12 eta 00:01:20
//
// one whenever the percentage has grown, but at most one per second, and one every half minute in any case (docs/runs.md).
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
	int prepares; // another pass follows, so that the percentage stays 0
	int percent;  // of the last line for programs; -1 for none
} progress;

// Shows a line once a job takes more than two seconds. `plain` asks for lines for programs, of which the first comes at once.
progress progress_begin(const char *program, const char *what, uint64_t total, int quiet, int plain);
// Shows the amount done, the total, and the time left.
void progress_update(progress *p, uint64_t done);

// Prints the line for programs if it is due, or `now`. `fraction` is what is done of the whole, up to 1; `left` (s) is negative if unknown;
// `rest`, which may be empty, follows.
void progress_tell(progress *p, int now, double fraction, uint64_t done, double left, const char *rest);

// For lines with other fields: whether the next line is due, and drawing it.
int progress_due(const progress *p);
void progress_draw(progress *p, const progress_field *fields, size_t count);

// Clears the line, before other output and at the end; or leaves it there.
void progress_clear(progress *p);
void progress_keep(progress *p);

// "1:05" or "2:03:04"; "--" for a negative time.
void progress_time(char *out, size_t size, double seconds);

#endif
