// Interfaces between the particles of many fluids, and between them and air, by chromatic contouring: points near interfaces are
// triangulated, and every tetrahedron is cut where the colours of its corners differ.
//
//	chromatic_input -> chromatic_select -> chromatic_points -> chromatic_contour -> chromatic_mesh
//
// In the plane the same gives lines (chromatic_lines.h). Theory and limits: docs/theory/interfaces.md.
#ifndef SURFACE_CHROMATIC_H
#define SURFACE_CHROMATIC_H

#include "base/array.h"
#include "surface/chromatic_mesh.h"
#include "surface/delaunay.h"

// Particles of up to fifteen fluids. Borrowed for the call.
typedef struct chromatic_input
{
	uint32_t dimension; // 2 or 3; in the plane z is not read
	uint32_t count;
	const float *positions; // m, 3 each
	const uint8_t *fluids;  // 1 to 15
	float radius;           // m, half the spacing of the particles
	const float *radii;     // m, of each one, with at most 32 different values; NULL when all have `radius`
	const float *values;    // what the interface function says at the particles, positive; NULL takes the radii
	int smooth;  // without values: makes them small where the neighbours are of other fluids, which smooths steps
	int threads; // 0 takes all cores
} chromatic_input;

// Labelled points that bracket every interface. All zero is empty.
typedef struct chromatic_points
{
	uint32_t dimension;
	double spacing;           // m, of most of them
	ARRAY(double) positions;  // m, `dimension` each
	ARRAY(uint8_t) labels;    // 0 is air
	ARRAY(float) radii;       // m; between radii a and b of a fluid and of air the cut is at a / (a + b) of the way
	ARRAY(float) values;      // the same between two fluids
	ARRAY(uint32_t) particle; // the particle that a point is, or that an air point was made for
} chromatic_points;

void chromatic_points_free(chromatic_points *points);

// Picks the particles with a neighbour of another fluid or of air within two spacings, and sets air points a spacing outside of free
// surfaces.
spate_result chromatic_select(const chromatic_input *input, chromatic_points *points, spate_error *error);

// Adds one point; 0 when out of memory.
int chromatic_points_add(chromatic_points *points, const double *position, uint8_t label, float radius, float value,
			 uint32_t particle);

// The triangulation of the points with dimension + 1 air points far around them behind the last, which together are its hull.
// `points` has them afterwards as well.
spate_result chromatic_triangulate(chromatic_points *points, delaunay **out, spate_error *error);

// Where the interface crosses an edge; the context are chromatic_points.
double chromatic_crossing(const void *context, uint32_t a, uint32_t b);

// The mesh of labelled points in space. They get the far air points of chromatic_triangulate() on top.
spate_result chromatic_contour(chromatic_points *points, chromatic_mesh *mesh, spate_error *error);

// All of it: from particles to the mesh. Without particles the mesh is empty.
spate_result chromatic_interfaces(const chromatic_input *input, chromatic_mesh *mesh, spate_error *error);

#endif
