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
	const float *radii;     // m, per particle, with at most 32 distinct values; NULL when all have `radius`
	const float *values;    // interface function at the particles, positive; NULL uses the radii
	int smooth;             // only without values: reduces them near other fluids, which smooths steps
	int threads;            // 0 uses all cores
} chromatic_input;

// Labelled points that bracket every interface. All zero is empty.
typedef struct chromatic_points
{
	uint32_t dimension;
	double spacing;           // m, of most points
	ARRAY(double) positions;  // m, `dimension` each
	ARRAY(uint8_t) labels;    // 0 is air
	ARRAY(float) radii;       // m; between radii a (fluid) and b (air) the cut is at a / (a + b) of the edge
	ARRAY(float) values;      // likewise between two fluids
	ARRAY(uint32_t) particle; // the particle that a point is, or for which an air point was made
} chromatic_points;

void chromatic_points_free(chromatic_points *points);

// Selects the particles with a neighbour of another fluid or of air within two spacings, and places air points one
// spacing outside free surfaces.
spate_result chromatic_select(const chromatic_input *input, chromatic_points *points, spate_error *error);

// Adds one point; 0 when out of memory.
int chromatic_points_add(chromatic_points *points, const double *position, uint8_t label, float radius, float value,
			 uint32_t particle);

// Triangulates the points after appending dimension + 1 distant air points, which form the hull. They remain in
// `points`.
spate_result chromatic_triangulate(chromatic_points *points, delaunay **out, spate_error *error);

// Where the interface crosses an edge; the context is a chromatic_points.
double chromatic_crossing(const void *context, uint32_t a, uint32_t b);

// The mesh of labelled points in space. Appends the distant air points of chromatic_triangulate() to `points`.
spate_result chromatic_contour(chromatic_points *points, chromatic_mesh *mesh, spate_error *error);

// Runs all stages, from particles to the mesh. Without particles the mesh is empty.
spate_result chromatic_interfaces(const chromatic_input *input, chromatic_mesh *mesh, spate_error *error);

#endif
