// What several commands print: sentences on stderr, numbers for people, numbers for JSON.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cache/run_dir.h"
#include "scene/buffer.h"

#include <stdint.h>

// "spate preview: SENTENCE" on stderr.
void complain(const char *program, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum
{
	REPORT_CHARS = 48
};
typedef struct report_text
{
	char text[REPORT_CHARS];
} report_text;

// "102,400"; "41.0 MB"; "2 min 45 s".
report_text report_count(double count);
report_text report_bytes(double bytes);
report_text report_seconds(double seconds);
// "3, 7-9" for ascending numbers; what is left out becomes "...".
report_text report_numbers(const int64_t *numbers, size_t count);
// Which of the numbers from `first` to `last` are not among the ascending `present`, the first million of them. 0 when out of
// memory.
int missing_numbers(const run_numbers *present, int64_t first, int64_t last, run_numbers *missing);

// Leaves only those of the ascending numbers that are also among the ascending `present`; the others are added to `gone`. 0 when out
// of memory.
int numbers_keep(run_numbers *numbers, const run_numbers *present, run_numbers *gone);

// A whole number from `least` to `most`; 0 when the text is none.
int read_whole(const char *text, long least, long most, long *out);
// A finite number.
int read_number(const char *text, double *out);
// "1280x720", both sides from `least` to `most`.
int read_size(const char *text, int least, int most, int *width, int *height);

// A number, or null when it is not finite.
void json_number(buffer *json, double value);
// Prints the text as a line on stdout and frees it; EXIT_DONE, or EXIT_FAILED with a sentence.
int json_print(buffer *json, const char *program);
// Whether everything printed on stdout got there: EXIT_DONE, or EXIT_FAILED with a sentence.
int finish_output(const char *program);

// Columns of the terminal behind a file descriptor, asked anew since windows change; 0 when it is none.
size_t report_columns(int fd);
// A line on stdout: `head`, and from column `indent` on a text that a terminal's width breaks between words only.
void report_wrapped(const char *head, int indent, const char *text);

// Seconds since some moment.
double report_clock(void);

#endif
