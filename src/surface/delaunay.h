// Delaunay triangulation in the plane and in space.
//
// Points in special position (the lattice that particles start on, duplicates) have several triangulations, and neighbouring
// simplices may disagree about which. So every point is first moved by a hundred-thousandth of the spacing, in a direction that its index alone
// decides: then there is one triangulation, in which all faces match. That is checked, and where the numbers were too
// close for it the points are moved ten times as far.
#ifndef SURFACE_DELAUNAY_H
#define SURFACE_DELAUNAY_H

#include "spate/result.h"

#include <stdint.h>

typedef struct delaunay
{
	uint32_t dimension; // 2 or 3
	uint32_t point_count;
	double *points; // m, `dimension` each, as they were triangulated
	double moved;   // m, how far a point is at most from where it was given
	uint32_t simplex_count;
	uint32_t *simplices;     // dimension + 1 points each; triangles turn left, tetrahedra are positive
	uint32_t boundary_count; // faces (edges in the plane) that belong to one simplex alone
} delaunay;

// Coordinates are `dimension` per point. `spacing` (m) is the usual distance of neighbours; 0 takes it from the extent. Too few
// points, or all in one place, give INVALID; all in a line or plane may give flat simplices.
spate_result delaunay_create(delaunay **out, uint32_t dimension, uint32_t count, const double *points, double spacing,
			     spate_error *error);
void delaunay_destroy(delaunay *d);

#endif
