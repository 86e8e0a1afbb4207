// Finds points that are one: exactly equal ones, and copies of one vertex that rounding has put apart.
#ifndef MESH_WELD_H
#define MESH_WELD_H

#include "base/array.h"

#include <stdint.h>

// Every triple of numbers gets the index of the first one that was equal to it. 0 and -0 are equal.
typedef struct weld
{
	ARRAY(float) points; // the different ones, 3 numbers each, in the order of their first use
	uint32_t *slots;     // index + 1 of a point, 0 for none; an open hash table, at most half full
	size_t slot_count;   // a power of two
} weld;

// Index of the point among the different ones in *index; 0 when out of memory.
int weld_add(weld *w, const float point[3], uint32_t *index);
void weld_free(weld *w);

// Closes cracks between triangles whose corners are copies of one vertex but for their last digits: first[v] becomes the first of the
// copies of vertex v, v itself where there is none before it. Only vertices at open edges are looked at. Which ones become one does
// not depend on the order of the triangles. `corners` has 3 vertices per triangle. 0 when out of memory. In src/mesh/weld_cracks.c.
int weld_cracks(uint32_t *first, const float *positions, uint32_t vertices, const uint32_t *corners, uint32_t count);

#endif
