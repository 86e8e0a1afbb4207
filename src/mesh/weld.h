// Finds equal points: every triple of numbers gets the index of the first one that was equal to it. 0 and -0 are equal.
#ifndef MESH_WELD_H
#define MESH_WELD_H

#include "base/array.h"

#include <stdint.h>

typedef struct weld
{
	ARRAY(float) points; // the different ones, 3 numbers each, in the order of their first use
	uint32_t *slots;     // index + 1 of a point, 0 for none; an open hash table, at most half full
	size_t slot_count;   // a power of two
} weld;

// Index of the point among the different ones in *index; 0 when out of memory.
int weld_add(weld *w, const float point[3], uint32_t *index);
void weld_free(weld *w);

#endif
