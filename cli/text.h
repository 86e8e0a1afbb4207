// Text that is printed into memory first, so that it comes out whole or not at all; and the parts of JSON.
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdio.h>

typedef struct output_text
{
	FILE *stream; // print to it
	char *bytes;
	size_t length;
} output_text;

// Ends the program when out of memory.
void text_open(output_text *t, const char *program);
// Closes the stream; `bytes` is then NUL-terminated, to be freed by the caller, or NULL when memory ran out.
void text_close(output_text *t);
// Prints the text as a line on stdout and frees it; EXIT_DONE, or EXIT_FAILED after a message.
int text_print(output_text *t, const char *program);
// Writes the text to a file, completely or not at all, or to stdout for NULL, and frees it; the exit code, after a message on failure.
int text_write(output_text *t, const char *path, const char *program);

// A string in quotes; a number, or null when it is not finite; three numbers in brackets.
void json_put_string(FILE *out, const char *string);
void json_put_number(FILE *out, double value);
void json_put_triple(FILE *out, const double v[3]);

#endif
