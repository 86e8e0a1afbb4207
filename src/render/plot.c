#include "render/plot.h"

#include "base/error.h"
#include "base/memory.h"
#include "render/font.h"
#include "render/line.h"
#include "render/ticks.h"

#include <float.h>
#include <string.h>

static const uint32_t palette[] = {0x2b6cb0, 0xd9622b, 0x2f8f5b, 0xb23a6f, 0x7a5cc0, 0xb08a1e, 0x2a9aa8, 0x5f6b76};
static const uint32_t ink = 0x2a3138, soft_ink = 0x8a949c, grid = 0xe3e7ea, paper = 0xffffff;

enum
{
	LEGEND_LINE = FONT_LINE_HEIGHT + 3 // dots per name
};

// State of a plot: the position of the axes, in pixels and in values.
typedef struct plot_area
{
	image *out;
	int scale;
	int left, top, right, bottom;
	double x_low, x_high, y_low, y_high;
	ticks x, y;
	float *coverage; // of the current series, one per pixel
} plot_area;

plot_settings plot_default_settings(void)
{
	return (plot_settings){.width = 960, .height = 600};
}

static vec4 solid(uint32_t hex)
{
	return colour_opaque(colour_from_hex(hex));
}

static uint32_t colour_of(const plot_series *series, int index)
{
	return series->colour ? series->colour : palette[(size_t)index % (sizeof palette / sizeof *palette)];
}

static void find_ranges(plot_area *area, const plot_settings *s, const plot_series *series, int count)
{
	double x0 = DBL_MAX, x1 = -DBL_MAX, y0 = DBL_MAX, y1 = -DBL_MAX;
	for (int k = 0; k < count; k++)
		for (size_t i = 0; i < series[k].count; i++)
		{
			double x = series[k].x[i], y = series[k].y[i];
			if (!isfinite(x) || !isfinite(y))
				continue;
			x0 = fmin(x0, x);
			x1 = fmax(x1, x);
			y0 = fmin(y0, y);
			y1 = fmax(y1, y);
		}
	area->x_low = s->has_x_range ? s->x_low : x0;
	area->x_high = s->has_x_range ? s->x_high : x1;
	area->y_low = s->has_y_range ? s->y_low : y0;
	area->y_high = s->has_y_range ? s->y_high : y1;
	ticks_range(&area->x_low, &area->x_high, s->has_x_range ? 0.0 : 0.02);
	ticks_range(&area->y_low, &area->y_high, s->has_y_range ? 0.0 : 0.06);
}

static int widest_label(const ticks *axis, int scale)
{
	int widest = 0;
	for (int k = 0; k < axis->count; k++)
	{
		char text[32];
		ticks_label(axis, k, text, sizeof text);
		int width = font_width(text, scale);
		widest = width > widest ? width : widest;
	}
	return widest;
}

// Computes margins from their contents.
static void place_axes(plot_area *area, const plot_settings *s)
{
	int scale = area->scale, line = FONT_LINE_HEIGHT * scale, gap = 6 * scale;
	area->top = gap + (s->title && *s->title ? line + 2 * gap : gap);
	area->bottom = area->out->height - gap - line - gap - (s->x_label && *s->x_label ? line + gap : 0);
	area->y = ticks_make(area->y_low, area->y_high, (area->bottom - area->top) / (26 * scale) + 1);
	area->left = gap + (s->y_label && *s->y_label ? line + gap : 0) + widest_label(&area->y, scale) + gap;
	area->right = area->out->width - 3 * gap;
	area->x = ticks_make(area->x_low, area->x_high, (area->right - area->left) / (56 * scale) + 1);
}

static float pixel_x(const plot_area *area, double x)
{
	return (float)(area->left + (x - area->x_low) / (area->x_high - area->x_low) * (area->right - area->left));
}

static float pixel_y(const plot_area *area, double y)
{
	return (float)(area->bottom - (y - area->y_low) / (area->y_high - area->y_low) * (area->bottom - area->top));
}

static void draw_axes(const plot_area *area, const plot_settings *s)
{
	int scale = area->scale, gap = 6 * scale, line = FONT_LINE_HEIGHT * scale;
	int width = area->right - area->left, height = area->bottom - area->top, thin = (scale + 1) / 2;
	char text[32];
	for (int k = 0; k < area->x.count; k++)
	{
		int x = (int)lroundf(pixel_x(area, area->x.value[k]));
		ticks_label(&area->x, k, text, sizeof text);
		image_blend_rectangle(area->out, x, area->top, thin, height, solid(grid));
		image_blend_rectangle(area->out, x, area->bottom, thin, 3 * scale, solid(soft_ink));
		font_draw(area->out, x - font_width(text, scale) / 2, area->bottom + gap, text, scale, solid(ink));
	}
	for (int k = 0; k < area->y.count; k++)
	{
		int y = (int)lroundf(pixel_y(area, area->y.value[k]));
		ticks_label(&area->y, k, text, sizeof text);
		image_blend_rectangle(area->out, area->left, y, width, thin, solid(grid));
		image_blend_rectangle(area->out, area->left - 3 * scale, y, 3 * scale, thin, solid(soft_ink));
		font_draw(area->out, area->left - gap - font_width(text, scale), y - FONT_ASCENT * scale / 2, text,
			  scale, solid(ink));
	}
	image_blend_rectangle(area->out, area->left, area->bottom, width + thin, thin, solid(soft_ink));
	image_blend_rectangle(area->out, area->left, area->top, thin, height, solid(soft_ink));

	if (s->title)
		font_draw(area->out, area->left, gap + scale, s->title, scale, solid(ink));
	if (s->x_label)
		font_draw(area->out, area->left + (width - font_width(s->x_label, scale)) / 2,
			  area->bottom + gap + line + gap, s->x_label, scale, solid(ink));
	if (s->y_label)
		font_draw_upwards(area->out, gap, area->top + (height + font_width(s->y_label, scale)) / 2, s->y_label,
				  scale, solid(ink));
}

// Segments of a series only raise the coverage, so that joints do not show.
static void cover(void *context, int x, int y, float coverage, float along)
{
	(void)along;
	plot_area *area = context;
	float *at = area->coverage + (size_t)y * (size_t)area->out->width + (size_t)x;
	*at = coverage > *at ? coverage : *at;
}

// Distant ends would lose precision in float: clamps a value to within a few pictures of the axes.
static float limited(float pixel, int size)
{
	float far = 8.0f * (float)size;
	return pixel < -far ? -far : pixel > far ? far : pixel;
}

static void draw_series(plot_area *area, const plot_series *series, uint32_t hex)
{
	image *out = area->out;
	memset(area->coverage, 0, (size_t)out->width * (size_t)out->height * sizeof *area->coverage);
	float thickness = 1.4f * (float)area->scale, dot = 4.0f * (float)area->scale, last_x = 0.0f, last_y = 0.0f;
	int connected = 0;
	for (size_t i = 0; i < series->count; i++)
	{
		if (!isfinite(series->x[i]) || !isfinite(series->y[i]))
		{
			connected = 0;
			continue;
		}
		float x = limited(pixel_x(area, series->x[i]), out->width),
		      y = limited(pixel_y(area, series->y[i]), out->height);
		if (connected && !series->no_line)
			line_cover(last_x, last_y, x, y, thickness, out->width, out->height, cover, area);
		// a single point would be invisible without a dot
		if (series->markers || series->no_line || series->count == 1)
			line_cover(x, y, x, y, dot, out->width, out->height, cover, area);
		last_x = x;
		last_y = y;
		connected = 1;
	}
	for (int y = area->top; y <= area->bottom && y < out->height; y++)
		for (int x = area->left; x <= area->right && x < out->width; x++)
			image_blend(out, x, y, solid(hex), area->coverage[(size_t)y * (size_t)out->width + (size_t)x]);
}

// A pale panel with the names, in the corner of the axes with the fewest lines.
typedef struct legend_panel
{
	int named; // series with a name
	int width, height;
	uint32_t used[4]; // covered pixels in each corner: upper right, upper left, lower right, lower left
} legend_panel;

static void legend_place(const plot_area *area, const legend_panel *panel, int corner, int *left, int *top)
{
	int gap = 5 * area->scale;
	*left = corner & 1 ? area->left + gap : area->right - gap - panel->width;
	*top = corner & 2 ? area->bottom - gap - panel->height : area->top + gap;
}

static void measure_legend(const plot_area *area, const plot_series *series, int count, legend_panel *panel)
{
	int scale = area->scale, widest = 0;
	for (int k = 0; k < count; k++)
		if (series[k].name && *series[k].name)
		{
			int width = font_width(series[k].name, scale);
			widest = width > widest ? width : widest;
			panel->named++;
		}
	panel->width = widest + 31 * scale;
	panel->height = (panel->named * LEGEND_LINE + 5) * scale;
}

// Counts the pixels of the current series that the panel would hide in each corner.
static void count_legend(const plot_area *area, legend_panel *panel)
{
	for (int corner = 0; corner < 4; corner++)
	{
		int left, top;
		legend_place(area, panel, corner, &left, &top);
		for (int y = top < 0 ? 0 : top; y < top + panel->height && y < area->out->height; y++)
			for (int x = left < 0 ? 0 : left; x < left + panel->width && x < area->out->width; x++)
				panel->used[corner] +=
				    area->coverage[(size_t)y * (size_t)area->out->width + (size_t)x] > 0.0f;
	}
}

static void draw_legend(const plot_area *area, const plot_series *series, int count, const legend_panel *panel)
{
	if (!panel->named)
		return;
	int scale = area->scale, gap = 5 * scale, sample = 16 * scale, best = 0, left, y;
	for (int corner = 1; corner < 4; corner++)
		if (panel->used[corner] < panel->used[best])
			best = corner;
	legend_place(area, panel, best, &left, &y);
	vec4 pale = solid(paper);
	pale.w = 0.85f;
	image_blend_rectangle(area->out, left, y, panel->width, panel->height, pale);
	for (int k = 0; k < count; k++)
	{
		if (!series[k].name || !*series[k].name)
			continue;
		int middle = y + gap + FONT_ASCENT * scale / 2;
		vec4 colour = solid(colour_of(&series[k], k));
		if (!series[k].no_line)
			image_blend_rectangle(area->out, left + gap, middle - scale / 2, sample, scale + scale / 2,
					      colour);
		if (series[k].markers || series[k].no_line)
			image_blend_rectangle(area->out, left + gap + sample / 2 - 2 * scale, middle - 2 * scale,
					      4 * scale, 4 * scale, colour);
		font_draw(area->out, left + 2 * gap + sample, y + gap, series[k].name, scale, solid(ink));
		y += LEGEND_LINE * scale;
	}
}

spate_result plot_draw(const plot_settings *settings, const plot_series *series, int count, image *out,
		       spate_error *error)
{
	if (settings->width < 160 || settings->height < 120)
		return error_set(error, SPATE_INVALID, "a plot of %d x %d pixels: it needs at least 160 x 120",
				 settings->width, settings->height);
	if (out->width != settings->width || out->height != settings->height)
	{
		image_free(out);
		spate_result result = image_init(out, settings->width, settings->height, error);
		if (result != SPATE_OK)
			return result;
	}
	image_fill(out, solid(paper));

	plot_area area = {.out = out, .scale = settings->scale};
	if (area.scale < 1)
		area.scale = settings->height >= 1400 ? 3 : settings->height >= 480 ? 2 : 1;
	size_t bytes = (size_t)out->width * (size_t)out->height * sizeof *area.coverage;
	area.coverage = mem_alloc(bytes);
	if (!area.coverage)
		return error_memory(error, bytes);
	find_ranges(&area, settings, series, count);
	place_axes(&area, settings);
	draw_axes(&area, settings);
	legend_panel panel = {0};
	measure_legend(&area, series, count, &panel);
	for (int k = 0; k < count; k++)
	{
		draw_series(&area, &series[k], colour_of(&series[k], k));
		count_legend(&area, &panel);
	}
	draw_legend(&area, series, count, &panel);
	mem_free(area.coverage);
	return SPATE_OK;
}

spate_result plot_write_png(const plot_settings *settings, const plot_series *series, int count, const char *path,
			    spate_error *error)
{
	image picture = {0};
	spate_result result = plot_draw(settings, series, count, &picture, error);
	if (result == SPATE_OK)
		result = image_write_png(&picture, path, error);
	image_free(&picture);
	return result;
}
