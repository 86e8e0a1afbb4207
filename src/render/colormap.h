// Colours for numbers: short interpolated tables, and their legend.
#ifndef RENDER_COLORMAP_H
#define RENDER_COLORMAP_H

#include "render/image.h"
#include "spate/preview.h"

// The public list.
#define COLORMAP_LIST SPATE_COLORMAP_MAP

typedef enum colormap
{
#define X(upper, lower) COLORMAP_##upper,
	COLORMAP_LIST(X)
#undef X
	COLORMAP_COUNT
} colormap;

const char *colormap_name(colormap map);
// Returns -1 if there is none of that name.
int colormap_find(const char *name);

// The linear colour at t in 0..1; clamped outside, a warning magenta for NaN.
vec3 colormap_sample(colormap map, float t);

// A table for many samples: entry round(t * (COLORMAP_TABLE - 1)), followed by the colour of NaN.
enum
{
	COLORMAP_TABLE = 512
};
void colormap_table(colormap map, vec3 table[COLORMAP_TABLE + 1]);
// Index of `value` in such a table for the range [low, high].
int colormap_index(float value, float low, float high);

// Draws a vertical bar with ticks, title and unit (NULL or "" for none) on a dim panel whose right edge is at `right`
// and whose middle is at `middle`. `height` is the height of the bar, `scale` the scale of the font.
void colormap_draw_legend(image *picture, colormap map, float low, float high, const char *title, const char *unit,
			  int right, int middle, int height, int scale);

#endif
