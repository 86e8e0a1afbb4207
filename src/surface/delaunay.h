// Delaunay triangulation in the plane and in space.
//
// Points in special position (the lattice that particles start on, duplicates) have several triangulations, and neighbouring
// simplices may disagree about which. So every point is first moved by a hundred-thousandth of the spacing, in a
// direction that depends only on its index: then there is one triangulation, in which all faces match. This is checked;
// if rounding still prevents it, the points are moved ten times as far.
#ifndef SURFACE_DELAUNAY_H
#define SURFACE_DELAUNAY_H

#include "spate/result.h"

#include <stdint.h>

typedef struct delaunay
{
	uint32_t dimension; // 2 or 3
	uint32_t point_count;
	double *points; // m, `dimension` each, as triangulated
	double moved;   // m, upper bound on how far a point was moved
	uint32_t simplex_count;
	uint32_t *simplices;     // dimension + 1 points each; triangles turn left, tetrahedra are positive
	uint32_t boundary_count; // faces (edges in the plane) that belong to only one simplex
} delaunay;

// Coordinates are `dimension` per point. `spacing` (m) is the typical distance between neighbours; 0 derives it from
// the extent. Too few points, or all at one place, give INVALID; points on a line or plane may give flat simplices.
spate_result delaunay_create(delaunay **out, uint32_t dimension, uint32_t count, const double *points, double spacing,
			     spate_error *error);
void delaunay_destroy(delaunay *d);

#endif
