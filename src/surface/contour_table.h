// Marching cubes, its cases derived rather than written down.
//
// Corner c of a cell lies at (c & 1, c >> 1 & 1, c >> 2). Edge 4 a + k runs along axis a from the k-th corner whose bit a is 0.
// On each face the cuts between inside and outside corners are joined to segments; where two inside corners face each other across
// a face the liquid is joined. That depends on the four corners of the face alone, so both cells at a face draw the same segments:
// no cracks. Every cut edge ends one segment and begins another in a cell, so segments form closed loops, and each loop is filled.
// No triangle has a side in a face other than those segments (two cells could draw that side twice); a loop that cannot be filled so
// gets a vertex in its middle. Hence every edge of the mesh has two triangles, and every vertex one fan.
#ifndef SURFACE_CONTOUR_TABLE_H
#define SURFACE_CONTOUR_TABLE_H

#include <stdint.h>

enum
{
	CUBE_EDGES = 12,
	CASE_TRIANGLES = 12, // most of any case
	CASE_CENTRES = 2
};

typedef struct contour_case
{
	uint8_t triangle_count, centre_count;
	uint8_t corners[3 * CASE_TRIANGLES]; // an edge, or CUBE_EDGES + the number of a middle
	uint8_t loop_count[CASE_CENTRES];    // edges around each middle
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
