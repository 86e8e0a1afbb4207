// Reading words and numbers out of a text in memory, counting lines. The text must be followed by a zero byte.
#ifndef MESH_TEXT_H
#define MESH_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct text_cursor
{
	const char *at, *end; // *end is 0
	uint32_t line;        // from 1
	int comments;         // 1: '#' and what follows on its line is skipped like blanks
} text_cursor;

// Next line, or the end. Does not look at comments.
void text_next_line(text_cursor *c);
// Over blanks within the line; a '\' at the end of a line joins the next one.
void text_skip_blanks(text_cursor *c);
// Over blanks and ends of lines; 0 at the end of the text.
int text_skip_space(text_cursor *c);
// Whether nothing but blanks (or a comment) is left in the line.
int text_line_done(text_cursor *c);

// The number under the cursor, correctly rounded whatever the locale; "nan" and "inf" are numbers too. 0 when there is none, or when
// something sticks to it. Blanks before it are the caller's business.
int text_number(text_cursor *c, double *value);
// A whole number of at most 18 digits, with a sign perhaps; stops at whatever is no digit.
int text_whole(text_cursor *c, int64_t *value);

// The word under the cursor: up to the next blank, comment or end of the line.
size_t text_word_length(const text_cursor *c);
// Whether the word is this one, small and capital letters alike.
int text_word_is(const text_cursor *c, const char *word);

enum
{
	TEXT_WORD_CHARS = 40
};
// The word for a message: cut to a sensible length, and what does not print replaced.
typedef struct text_excerpt
{
	char text[TEXT_WORD_CHARS];
} text_excerpt;
text_excerpt text_show_word(const text_cursor *c);

#endif
