// A growing string, for text that the scene module writes. Running out of memory is remembered until buffer_take().
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
// Appends the text in double quotes, escaped so that both JSON and YAML can read it.
void buffer_add_quoted(buffer *b, const char *text);
// Appends the shortest decimal that reads back to the same bits.
void buffer_add_number(buffer *b, double value);
// Returns the text (free it with mem_free), or frees it and returns NULL when memory ran out.
char *buffer_take(buffer *b);
void buffer_free(buffer *b);

enum
{
	NUMBER_CHARS = 32
};
// The same decimal in `out`, which is returned.
char *number_text(char out[NUMBER_CHARS], double value);

#endif
