// Iterations per particle: a row of level n takes part in the first n iterations of a substep. After those it stays where it is, and
// is still a neighbour, with its last multiplier.
//
// Every iteration runs over compact lists of what still takes part, in row order: slices with such a row, rows near walls, images. So what
// is done costs nothing. The rows of a slice have one level.
#ifndef SOLVER_PBF_LEVELS_H
#define SOLVER_PBF_LEVELS_H

#include "spate/result.h"

#include <stdatomic.h>
#include <stdint.h>

struct pbf_work;

typedef struct pbf_levels
{
	uint32_t least, most; // range of the levels
	float *
	    rows; // level of each row, the same for those of a slice, with room for STEP_SLACK more; NULL until the first iteration has chosen it
	// Contact-only iterations before the solve, for rows whose level in the last substep, `before`, was below `below`.
	uint32_t stabilize, below;
	const uint32_t *home; // of each row in `before`, which has 0 for particles that have had no substep yet
	const int32_t *before;
	// Chooses the levels by the errors of the first iteration; NULL if they are known before it.
	void (*choose)(struct pbf_work *work, double average);

	// what takes part in the current iteration, in ascending order
	float iteration; // from 1
	uint32_t *slices, slice_count;
	uint32_t *near, near_count;    // among the rows near walls
	uint32_t *images, image_count; // those of rows that took part in the iteration before
	uint32_t *done, done_count;    // slices that took part in the iteration before, but no more
	_Atomic int64_t done_sum;      // errors of slices that are done, in units of PBF_ERROR_UNIT
} pbf_levels;

// Takes memory for the lists, which hold everything at first.
spate_result pbf_levels_open(struct pbf_work *work, pbf_levels *levels, spate_error *error);
// Moves rows that walls overlap and that were done early in the last substep out of those walls, at both ends of the substep, so that
// they get no velocity.
void pbf_levels_stabilize(struct pbf_work *work);
// Drops from the lists what does not take part in an iteration, from 1. Returns 0 if nothing is left.
int pbf_levels_enter(struct pbf_work *work, uint32_t iteration);

#endif
