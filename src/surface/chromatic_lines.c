#include "surface/chromatic_lines.h"

#include "base/error.h"
#include "surface/chromatic_cut.h"

#include <string.h>

void chromatic_lines_free(chromatic_lines *lines)
{
	mem_free(lines->positions);
	mem_free(lines->segments);
	mem_free(lines->sides);
	mem_free(lines->order);
	mem_free(lines->lines);
	*lines = (chromatic_lines){0};
}

// Follows segments from vertex to vertex. A vertex on an edge has one segment in and one out; a triple point may have
// any number.
typedef struct walk
{
	uint32_t *out;    // segment + 1 that leaves a vertex
	uint8_t *meeting; // vertices at which lines end
	uint8_t *done;    // segments already used
	ARRAY(uint32_t) order;
	ARRAY(chromatic_line) lines;
} walk;

static int follow(walk *w, const chromatic_lines *l, uint32_t segment)
{
	chromatic_line line = {.first = (uint32_t)w->order.count,
			       .sides = {l->sides[segment][0], l->sides[segment][1]}};
	if (!array_push(&w->order, l->segments[2 * segment]))
		return 0;
	for (;;)
	{
		uint32_t end = l->segments[2 * segment + 1];
		w->done[segment] = 1;
		if (!array_push(&w->order, end))
			return 0;
		uint32_t next = w->out[end];
		if (w->meeting[end] || next == 0 || w->done[next - 1])
			break;
		segment = next - 1;
	}
	line.count = (uint32_t)w->order.count - line.first;
	return array_push(&w->lines, line);
}

// Builds the lines that start at triple points first, then the closed ones.
static int chain(walk *w, chromatic_lines *l)
{
	w->out = mem_calloc(l->vertex_count + 1, sizeof *w->out);
	w->meeting = mem_calloc(l->vertex_count + 1, 1);
	w->done = mem_calloc(l->segment_count + 1, 1);
	uint8_t *in = mem_calloc(l->vertex_count + 1, 1);
	int room = w->out && w->meeting && w->done && in;
	for (uint32_t s = 0; s < l->segment_count && room; s++)
	{
		uint32_t a = l->segments[2 * s], b = l->segments[2 * s + 1];
		w->meeting[a] |= w->out[a] != 0;
		w->meeting[b] |= in[b];
		w->out[a] = s + 1;
		in[b] = 1;
	}
	for (int closed = 0; closed < 2; closed++)
		for (uint32_t s = 0; s < l->segment_count && room; s++)
			if (!w->done[s] && (closed || w->meeting[l->segments[2 * s]]))
				room = follow(w, l, s);
	mem_free(in);
	mem_free(w->out);
	mem_free(w->meeting);
	mem_free(w->done);
	l->order = w->order.data;
	l->lines = w->lines.data;
	l->line_count = (uint32_t)w->lines.count;
	return room;
}

// Cuts all triangles into segments.
static int cut(chromatic_cutter *cutter, const chromatic_points *points, const delaunay *d)
{
	for (size_t t = 0; t < d->simplex_count; t++)
	{
		const uint32_t *ids = d->simplices + 3 * t;
		uint8_t labels[3];
		for (int k = 0; k < 3; k++)
			labels[k] = points->labels.data[ids[k]];
		if (!chromatic_cut_triangle(cutter, ids, labels))
			return 0;
	}
	return 1;
}

static int take_segments(chromatic_lines *l, chromatic_cutter *cutter)
{
	l->vertex_count = (uint32_t)cutter->vertices.count;
	l->segment_count = (uint32_t)(cutter->corners.count / 2);
	l->segments = cutter->corners.data;
	l->sides = (uint8_t(*)[2])cutter->sides.data;
	memcpy(l->cases, cutter->cases, sizeof l->cases);
	cutter->corners.data = NULL;
	cutter->sides.data = NULL;
	l->positions = mem_calloc(l->vertex_count + 1, 2 * sizeof *l->positions);
	for (size_t v = 0; v < l->vertex_count && l->positions; v++)
	{
		l->positions[2 * v] = (float)cutter->vertices.data[v].x;
		l->positions[2 * v + 1] = (float)cutter->vertices.data[v].y;
	}
	return l->positions != NULL;
}

spate_result chromatic_contour_lines(chromatic_points *points, chromatic_lines *lines, spate_error *error)
{
	*lines = (chromatic_lines){0};
	if (points->dimension != 2)
		return error_set(error, SPATE_INVALID, "lines are made of points in the plane");
	if (points->labels.count == 0)
		return SPATE_OK;
	delaunay *d;
	spate_result result = chromatic_triangulate(points, &d, error);
	if (!d)
		return result;

	double *flat = mem_calloc(d->point_count, 3 * sizeof *flat);
	chromatic_cutter cutter = {.points = flat, .fraction = chromatic_crossing, .context = points};
	walk w = {0};
	for (size_t i = 0; i < d->point_count && flat; i++)
		memcpy(flat + 3 * i, d->points + 2 * i, 2 * sizeof *flat);
	int room = flat && cut(&cutter, points, d) && take_segments(lines, &cutter) && chain(&w, lines);
	delaunay_destroy(d);
	mem_free(flat);
	chromatic_cutter_free(&cutter);
	if (room)
		return SPATE_OK;
	chromatic_lines_free(lines);
	return error_memory(error, points->positions.count * sizeof(double));
}
