// Marching cubes with cases that are derived instead of tabulated by hand.
//
// Corner c of a cell lies at (c & 1, c >> 1 & 1, c >> 2). Edge 4 a + k runs along axis a from the k-th corner whose bit a is 0.
// On each face, segments join the cuts between inside and outside corners; where two inside corners are diagonally
// opposite, the liquid is connected. This depends only on the four corners of the face, so both cells at a face draw
// the same segments and there are no cracks. In a cell every cut edge ends one segment and begins another, so segments
// form closed loops, and each loop is filled. No triangle has a side in a face other than those segments, since two
// cells could draw that side twice; a loop that cannot be filled this way gets a vertex in its middle. Hence every edge
// of the mesh has two triangles, and every vertex one fan.
#ifndef SURFACE_CONTOUR_TABLE_H
#define SURFACE_CONTOUR_TABLE_H

#include <stdint.h>

enum
{
	CUBE_EDGES = 12,
	CASE_TRIANGLES = 12, // maximum over all cases
	CASE_CENTRES = 2
};

typedef struct contour_case
{
	uint8_t triangle_count, centre_count;
	uint8_t corners[3 * CASE_TRIANGLES]; // an edge, or CUBE_EDGES + the index of a centre
	uint8_t loop_count[CASE_CENTRES];    // edges around each centre
	uint8_t loops[CASE_CENTRES][CUBE_EDGES];
} contour_case;

// Index: bit c is set when corner c is inside.
typedef struct contour_table
{
	contour_case cases[256];
} contour_table;

void contour_table_init(contour_table *table);

// The corner from which an edge starts; it ends at that corner with bit `edge / 4` set.
static inline int contour_edge_corner(int edge)
{
	int axis = edge >> 2, k = edge & 3, low = k & ((1 << axis) - 1);
	return (k - low) * 2 + low;
}

#endif
