// Stand-alone neighbour search in an unbounded domain, for one or several radii. A search may be used by one thread at a
// time; spate_neighbours_of only reads.
#ifndef SPATE_NEIGHBOURS_H
#define SPATE_NEIGHBOURS_H

#include "spate/result.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spate_neighbours spate_neighbours;

SPATE_API spate_result spate_neighbours_create(spate_neighbours **search, spate_error *error);
SPATE_API void spate_neighbours_destroy(spate_neighbours *search);

// Finds all pairs among `count` points (3 * count floats, in metres). Points i and j are neighbours when their distance is at most
// the mean of their radii. `radii` holds one radius per point, with at most 32 different values, or is NULL when all have `radius`.
// A point that is not finite or beyond 2^20 radii from the origin gives SPATE_RANGE with its index in the message. On error
// the search keeps its previous result. `threads` 0 uses all cores.
SPATE_API spate_result spate_neighbours_find(spate_neighbours *search, uint32_t count, const float *points,
					     float radius, const float *radii, int threads, spate_error *error);

// Number of neighbours of point i; writes the first `capacity` of them to `out` (may be NULL if capacity is 0), in an unspecified
// but reproducible order. 0 for an index out of range.
SPATE_API uint32_t spate_neighbours_of(const spate_neighbours *search, uint32_t i, uint32_t *out, uint32_t capacity);

// Total number of pairs, each counted once.
SPATE_API uint64_t spate_neighbours_pairs(const spate_neighbours *search);

#ifdef __cplusplus
}
#endif
#endif
