// Points by the cells of a grid, for questions about who is near.
#ifndef SOURCE_CROWD_H
#define SOURCE_CROWD_H

#include "base/array.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

// All zero is a crowd without memory.
typedef struct crowd
{
	ARRAY(int32_t) first, next; // by cell, by point; -1 for none
	int64_t cells[3];
	vec3 low;
	float cell;  // m
	size_t room; // points that `next` has room for
} crowd;

// Makes it a grid over a box, with a margin of a cell, in the memory that it has if that is enough. 0 when out of memory; free it even then.
int crowd_start(crowd *c, vec3 low, vec3 high, float cell, size_t room);
void crowd_free(crowd *c);
// Sorts points, `stride` floats apart, into the cells; those out of the box, and those that `left_out` (may be NULL) marks, are not there.
void crowd_fill(crowd *c, const float *points, size_t stride, size_t count, const uint8_t *left_out);
// The cell of a place; -1 out of the box.
int64_t crowd_cell(const crowd *c, vec3 p);

#endif
