// Cuts tetrahedra whose corners all have an owner, in air too: the fluid that would be there if there were liquid. The
// tetrahedron is first divided by owner; then its liquid ends where the depth is zero. So the line where an interface
// meets the free surface follows both functions instead of the corners.
//
//	labels_cutter c = {.point_count = ..., .points = ..., .owners = ..., .depths = ..., .fraction = ..., .centre = ...};
//	for all tetrahedra: if (!labels_cut_tetrahedron(&c, ids)) ...out of memory...
//	labels_cutter_finish(&c, &mesh, error);
#ifndef SURFACE_LABELS_CUT_H
#define SURFACE_LABELS_CUT_H

#include "surface/chromatic_cut.h"

// A node of a tetrahedron: a corner, or a point where owners meet on an edge, in a face or inside.
typedef struct labels_node
{
	dvec3 place;
	double depth;
} labels_node;

typedef struct labels_cutter
{
	uint32_t point_count;
	const double *points;  // m, 3 each
	const uint8_t *owners; // 1 to 15
	const double *depths;  // liquid where positive
	chromatic_fraction *fraction;
	chromatic_centre *centre;
	const void *context;
	// results so far
	key_map node_map; // edges and faces to nodes
	ARRAY(labels_node) nodes;
	key_map vertex_map;   // nodes, and pairs of a liquid and a dry node, to vertices
	chromatic_cutter out; // vertices and triangles
} labels_cutter;

void labels_cutter_free(labels_cutter *cutter);

// A positive tetrahedron of four points. 0 when out of memory.
int labels_cut_tetrahedron(labels_cutter *cutter, const uint32_t ids[4]);

// Creates the mesh of all triangles so far. Empties the cutter in any case.
spate_result labels_cutter_finish(labels_cutter *cutter, chromatic_mesh *mesh, spate_error *error);

#endif
