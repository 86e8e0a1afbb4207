// Line plots: several series over one pair of axes, as an image.
#ifndef RENDER_PLOT_H
#define RENDER_PLOT_H

#include "render/image.h"

typedef struct plot_series
{
	const char *name;    // in the legend; NULL for none
	const double *x, *y; // a value that is not finite breaks the line
	size_t count;
	uint32_t colour; // 0xrrggbb; 0 takes the next of a built-in palette
	int markers;     // a dot at every point
	int no_line;     // dots only
} plot_series;

typedef struct plot_settings
{
	int width, height;                     // pixels; at least 160 x 120
	const char *title, *x_label, *y_label; // UTF-8, NULL for none
	int has_x_range, has_y_range;          // otherwise from the data, with a margin
	double x_low, x_high, y_low, y_high;
	int scale; // of font and lines; 0 chooses by size
} plot_settings;

plot_settings plot_default_settings(void);

// `out` is reallocated if it is empty (all zero) or has another size.
spate_result plot_draw(const plot_settings *settings, const plot_series *series, int count, image *out,
		       spate_error *error);
spate_result plot_write_png(const plot_settings *settings, const plot_series *series, int count, const char *path,
			    spate_error *error);

#endif
