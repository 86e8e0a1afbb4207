// Output shared by several commands: messages on stderr, numbers for people.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stddef.h>
#include <stdint.h>

// Prints "spate preview: MESSAGE" to stderr.
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
// "3, 7-9" for ascending numbers; what does not fit becomes "...".
report_text report_numbers(const int64_t *numbers, size_t count);
// Reads an integer from `least` to `most`; 0 if the text is not one.
int read_whole(const char *text, long least, long most, long *out);
// Reads a finite number; 0 if the text is not one.
int read_number(const char *text, double *out);
// Reads a size such as "1280x720", both sides from `least` to `most`.
int read_size(const char *text, int least, int most, int *width, int *height);

// Whether all output to stdout was written: EXIT_DONE, or EXIT_FAILED after a message.
int finish_output(const char *program);

// Current number of columns of the terminal behind a file descriptor; 0 if it is not a terminal.
size_t report_columns(int fd);
// Prints `head` and, from column `indent` on, a text wrapped between words at the terminal's width.
void report_wrapped(const char *head, int indent, const char *text);

// Monotonic clock, in seconds.
double report_clock(void);

#endif
