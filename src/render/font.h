// A small built-in bitmap font: 5 x 9 dots in a cell of 6 x 11, the printable ASCII characters and a few more.
#ifndef RENDER_FONT_H
#define RENDER_FONT_H

#include "render/image.h"

enum
{
	FONT_ADVANCE = 6,      // dots from one character to the next
	FONT_LINE_HEIGHT = 11, // dots from one line to the next
	FONT_ASCENT = 7,       // dots from the top of a capital to the baseline
	FONT_COLUMNS = 5,
	FONT_ROWS = 9 // two of them below the baseline
};

// Whether the dot is set, for a Unicode code point; unknown ones are drawn as '?'.
int font_dot(uint32_t code, int column, int row);

// Width of the longest line of a UTF-8 text at this scale, in pixels.
int font_width(const char *text, int scale);

// Draws a UTF-8 text, its top left corner at (x, y), every dot scale x scale pixels; '\n' starts a new line.
void font_draw(image *picture, int x, int y, const char *text, int scale, vec4 colour);

// The same, rotated: the text runs upwards, its left edge at x and its start at y.
void font_draw_upwards(image *picture, int x, int y, const char *text, int scale, vec4 colour);

#endif
