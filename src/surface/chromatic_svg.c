#include "base/error.h"
#include "base/file.h"
#include "surface/chromatic_lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

// Air, then fifteen colours that differ in hue and lightness.
static const char *const colours[CHROMATIC_MAX_FLUIDS + 1] = {
    "#ffffff", "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2", "#edc948",
    "#9c755f", "#ff9da7", "#2f4b7c", "#8cd17d", "#a05195", "#d4a6c8", "#499894", "#79706e"};

// A growing text. Running out of memory is reported at the end.
typedef struct page
{
	ARRAY(char) text;
	int full;
} page;

static void write_text(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void write_text(page *p, const char *format, ...)
{
	char line[256];
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	size_t bytes = length > 0 ? (size_t)length : 0;
	if (bytes >= sizeof line || !array_reserve(&p->text, p->text.count + bytes))
	{
		p->full = 1;
		return;
	}
	for (size_t k = 0; k < bytes; k++)
		p->text.data[p->text.count++] = line[k];
}

// Maps metres to pixels, with y upwards.
typedef struct view
{
	double low[2], high[2], scale;
} view;

static view view_of(const chromatic_lines *lines, double width)
{
	view v = {.low = {HUGE_VAL, HUGE_VAL}, .high = {-HUGE_VAL, -HUGE_VAL}};
	for (size_t i = 0; i < 2 * (size_t)lines->vertex_count; i++)
	{
		v.low[i % 2] = fmin(v.low[i % 2], lines->positions[i]);
		v.high[i % 2] = fmax(v.high[i % 2], lines->positions[i]);
	}
	if (lines->vertex_count == 0)
		v = (view){.high = {1.0, 1.0}};
	double margin = 0.03 * fmax(v.high[0] - v.low[0], v.high[1] - v.low[1]);
	for (int k = 0; k < 2; k++)
	{
		v.low[k] -= margin;
		v.high[k] += margin;
	}
	v.scale = width / (v.high[0] - v.low[0]);
	return v;
}

static void write_place(page *p, const view *v, char command, const float *at)
{
	write_text(p, "%c%.2f %.2f", command, (at[0] - v->low[0]) * v->scale, (v->high[1] - at[1]) * v->scale);
}

// Draws the area of a fluid: all segments around it, as a path of loops. Segments are chained by their ends and
// reversed where the fluid is on their right.
static int write_area(page *p, const view *v, const chromatic_lines *l, uint8_t fluid)
{
	uint32_t *next = mem_calloc(l->vertex_count + 1, sizeof *next); // vertex + 1
	if (!next)
		return 0;
	uint32_t edges = 0;
	for (uint32_t s = 0; s < l->segment_count; s++)
	{
		uint32_t left = l->sides[s][0] == fluid;
		if (!left && l->sides[s][1] != fluid)
			continue;
		next[l->segments[2 * s + !left]] = l->segments[2 * s + left] + 1;
		edges++;
	}
	if (edges)
		write_text(p, "<path fill=\"%s\" fill-opacity=\"0.55\" d=\"",
			   colours[fluid <= CHROMATIC_MAX_FLUIDS ? fluid : 0]);
	for (uint32_t start = 0; start < l->vertex_count; start++)
	{
		char command = 'M';
		for (uint32_t at = start; next[at];)
		{
			write_place(p, v, command, l->positions + 2 * (size_t)at);
			uint32_t to = next[at] - 1;
			next[at] = 0;
			at = to;
			command = 'L';
		}
		if (command == 'L')
			write_text(p, "Z\n");
	}
	if (edges)
		write_text(p, "\"/>\n");
	mem_free(next);
	return 1;
}

spate_result chromatic_lines_write_svg(const chromatic_lines *lines, const chromatic_points *points, double width,
				       const char *path, spate_error *error)
{
	page p = {0};
	view v = view_of(lines, width);
	double height = (v.high[1] - v.low[1]) * v.scale;
	write_text(&p,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\">\n"
		   "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
		   width, height);
	int room = 1;
	for (uint8_t fluid = 1; fluid <= CHROMATIC_MAX_FLUIDS && room; fluid++)
		room = write_area(&p, &v, lines, fluid);

	for (uint32_t n = 0; n < lines->line_count; n++)
	{
		const chromatic_line *line = &lines->lines[n];
		write_text(&p, "<path fill=\"none\" stroke=\"#222222\" stroke-width=\"1.5\" d=\"");
		for (uint32_t k = 0; k < line->count; k++)
			write_place(&p, &v, k ? 'L' : 'M',
				    lines->positions + 2 * (size_t)lines->order[line->first + k]);
		write_text(&p, "\"/>\n");
	}

	for (size_t i = 0; points && i < points->labels.count; i++)
	{
		const double *at = points->positions.data + 2 * i;
		uint8_t label = points->labels.data[i];
		if (at[0] < v.low[0] || at[0] > v.high[0] || at[1] < v.low[1] || at[1] > v.high[1])
			continue;
		write_text(&p,
			   "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2\" stroke-width=\"0.6\" fill=\"%s\" stroke=\"%s\"/>\n",
			   (at[0] - v.low[0]) * v.scale, (v.high[1] - at[1]) * v.scale,
			   colours[label <= CHROMATIC_MAX_FLUIDS ? label : 0], label ? "#222222" : "#999999");
	}
	write_text(&p, "</svg>\n");

	spate_result result =
	    room && !p.full ? file_write(path, p.text.data, p.text.count, error) : error_memory(error, p.text.count);
	array_free(&p.text);
	return result;
}
