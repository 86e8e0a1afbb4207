// Interfaces in the plane: lines between fluids, for slices and for illustrating the method.
#ifndef SURFACE_CHROMATIC_LINES_H
#define SURFACE_CHROMATIC_LINES_H

#include "surface/chromatic.h"

// A run of vertices between two fluids. A closed line ends with the vertex it starts with; others end at triple points.
typedef struct chromatic_line
{
	uint32_t first, count; // range of chromatic_lines.order
	uint8_t sides[2];      // fluids left and right of the line; the second is lower
} chromatic_line;

// All zero is empty.
typedef struct chromatic_lines
{
	uint32_t vertex_count, segment_count, line_count;
	float *positions;    // m, 2 per vertex
	uint32_t *segments;  // 2 vertices each, in the direction of their line
	uint8_t (*sides)[2]; // per segment
	uint32_t *order;     // vertices of all lines
	chromatic_line *lines;
	uint64_t cases[CHROMATIC_CASES];
} chromatic_lines;

void chromatic_lines_free(chromatic_lines *lines);

// The lines between labelled points in the plane. Appends the distant air points of chromatic_triangulate() to
// `points`.
spate_result chromatic_contour_lines(chromatic_points *points, chromatic_lines *lines, spate_error *error);

// Writes a picture of the lines, `width` pixels wide, with dots for the points, hollow for air. `points` may be NULL.
spate_result chromatic_lines_write_svg(const chromatic_lines *lines, const chromatic_points *points, double width,
				       const char *path, spate_error *error);

#endif
