// Cuts coloured tetrahedra (or triangles in the plane) where their corners' colours differ. Simplices that share a face share the
// vertices in it, so that the pieces join without a gap.
//
//	chromatic_cutter c = {.points = ..., .fraction = ...};
//	for all tetrahedra: if (!chromatic_cut_tetrahedron(&c, ids, labels)) ...out of memory...
//	chromatic_cutter_finish(&c, &mesh, error);
#ifndef SURFACE_CHROMATIC_CUT_H
#define SURFACE_CHROMATIC_CUT_H

#include "base/array.h"
#include "base/vec.h"
#include "surface/chromatic_mesh.h"
#include "surface/key_map.h"

// Where the interface crosses the edge from point a to point b: in [0, 1], 0 at a. Called with a < b.
typedef double chromatic_fraction(const void *context, uint32_t a, uint32_t b);

// Where three interfaces meet in a face whose three points have three colours: weights of the points, positive, with
// sum 1. Called with ascending points.
typedef void chromatic_centre(const void *context, const uint32_t points[3], double weights[3]);

typedef struct chromatic_cutter
{
	const double *points; // m, 3 each, also in the plane
	chromatic_fraction *fraction;
	chromatic_centre *centre; // NULL for the mean of the three points on edges
	const void *context;
	// results so far
	key_map map; // of edges and faces to vertices
	ARRAY(dvec3) vertices;
	ARRAY(uint32_t) corners; // 3 per triangle, or 2 per segment
	ARRAY(uint8_t) sides;    // 2 per piece
	uint64_t cases[CHROMATIC_CASES];
} chromatic_cutter;

void chromatic_cutter_free(chromatic_cutter *cutter);

// A positive tetrahedron of four points, with their colours. 0 when out of memory.
int chromatic_cut_tetrahedron(chromatic_cutter *cutter, const uint32_t ids[4], const uint8_t labels[4]);
// A triangle that turns left: the fluid of the first side lies to the left of a segment.
int chromatic_cut_triangle(chromatic_cutter *cutter, const uint32_t ids[3], const uint8_t labels[3]);

// Creates the mesh of all triangles so far. Empties the cutter in any case.
spate_result chromatic_cutter_finish(chromatic_cutter *cutter, chromatic_mesh *mesh, spate_error *error);

#endif
