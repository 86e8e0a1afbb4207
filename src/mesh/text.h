// Parses words and numbers from text in memory and counts lines. The text must be followed by a zero byte.
#ifndef MESH_TEXT_H
#define MESH_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct text_cursor
{
	const char *at, *end; // *end is 0
	uint32_t line;        // from 1
	int comments;         // 1: '#' and the rest of its line are skipped like blanks
} text_cursor;

// Moves to the next line, or to the end. Ignores comments.
void text_next_line(text_cursor *c);
// Skips blanks within the line; a '\' at the end of a line joins it with the next.
void text_skip_blanks(text_cursor *c);
// Skips blanks and line endings; returns 0 at the end of the text.
int text_skip_space(text_cursor *c);
// Whether only blanks or a comment are left in the line.
int text_line_done(text_cursor *c);

// Parses the number under the cursor, correctly rounded in any locale; "nan" and "inf" are numbers too. Returns 0 if
// there is none, or if other characters follow directly. The caller skips blanks before it.
int text_number(text_cursor *c, double *value);
// Parses an integer of at most 18 digits with an optional sign; stops at the first other character.
int text_whole(text_cursor *c, int64_t *value);

// Length of the word under the cursor: up to the next blank, comment or line ending.
size_t text_word_length(const text_cursor *c);
// Whether the word equals this one, ignoring case.
int text_word_is(const text_cursor *c, const char *word);

enum
{
	TEXT_WORD_CHARS = 40
};
// The word for a message: truncated, with unprintable characters replaced.
typedef struct text_excerpt
{
	char text[TEXT_WORD_CHARS];
} text_excerpt;
text_excerpt text_show_word(const text_cursor *c);

#endif
