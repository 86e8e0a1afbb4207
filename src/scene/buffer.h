// A string that grows, for text that the scene module writes. Running out of memory is remembered until the end.
#ifndef SCENE_BUFFER_H
#define SCENE_BUFFER_H

#include <stddef.h>

typedef struct buffer
{
	char *text; // NUL-terminated once anything was written
	size_t length, capacity;
	int failed;
} buffer;

void buffer_add(buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The text in double quotes, escaped as JSON and YAML both read it.
void buffer_add_quoted(buffer *b, const char *text);
// The shortest decimal that reads back to the same bits.
void buffer_add_number(buffer *b, double value);
// Hands over the text (for mem_free), or frees it and gives NULL when memory ran out.
char *buffer_take(buffer *b);
void buffer_free(buffer *b);

enum
{
	NUMBER_CHARS = 32
};
// The same for one number; returns `out`.
char *number_text(char out[NUMBER_CHARS], double value);

#endif
