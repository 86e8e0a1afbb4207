// Merges points: exactly equal ones, and copies of a vertex that differ by rounding.
#ifndef MESH_WELD_H
#define MESH_WELD_H

#include "base/array.h"

#include <stdint.h>

// Every triple of numbers gets the index of the first equal one. 0 and -0 are equal.
typedef struct weld
{
	ARRAY(float) points; // distinct points, 3 numbers each, in the order of first use
	uint32_t *slots;     // index + 1 of a point, 0 for none; an open hash table, at most half full
	size_t slot_count;   // a power of two
} weld;

// Sets *index to the index of the point among the distinct ones. Returns 0 when out of memory.
int weld_add(weld *w, const float point[3], uint32_t *index);
void weld_free(weld *w);

// Closes cracks between triangles whose corners are copies of one vertex up to their last digits: first[v] is set to
// the first copy of vertex v, or to v itself. Only vertices at open edges are considered. The result does not depend on
// the order of the triangles. `corners` has 3 vertices per triangle. Returns 0 when out of memory. In
// src/mesh/weld_cracks.c.
int weld_cracks(uint32_t *first, const float *positions, uint32_t vertices, const uint32_t *corners, uint32_t count);

#endif
