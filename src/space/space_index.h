// The spatial index: classes of particles of equal radius, each sorted by (key, id) and mapped by its own grid.
//
// Rows of class 0 come first, then those of class 1, and so on. A class is a resolution: fluids of the same radius share one.
#ifndef SPACE_SPACE_INDEX_H
#define SPACE_SPACE_INDEX_H

#include "base/simd_level.h"
#include "space/cell_map.h"
#include "space/cell_sort.h"

enum
{
	SPACE_MAX_CLASSES = 32
};

#define SPACE_MIN_RADIUS 1e-12f // m
#define SPACE_MAX_RADIUS 1e12f

typedef struct space_class
{
	float radius; // m, within which two particles of this class are neighbours
	float reach;  // m, within which all are in the 27 cells around
	cell_grid grid;
	uint32_t first_row, rows;
	cell_map map;
} space_class;

// All zero is the empty index; set its classes before use.
typedef struct space_index
{
	simd_level simd;
	uint32_t class_count;
	space_class classes[SPACE_MAX_CLASSES];
	uint32_t count;         // rows sorted
	ARRAY(uint64_t) keys;   // of the rows, sorted within each class
	ARRAY(uint64_t) sorted; // the new keys while the old ones are still needed
	cell_sorter sorter;
} space_index;

void space_index_free(space_index *index);

// Radii by class, each from SPACE_MIN_RADIUS to SPACE_MAX_RADIUS, so that squared distances neither underflow nor overflow.
// Cells are larger than a radius by `room` (m): lists with a margin up to that are found in the cells around.
spate_result space_index_set_classes(space_index *index, uint32_t count, const float *radii, float room,
				     spate_error *error);

// Input of a sort. `group` (for example a particle's fluid) and `class_of_group` give the class; NULL when there is only one.
typedef struct space_input
{
	uint32_t count;
	const vec4 *positions;
	const int64_t *ids;
	const int32_t *group;
	const uint8_t *class_of_group;
	uint32_t
	    kept; // leading rows that are still in the order of the last sort; with one class, only movers are sorted again
	arena *scratch; // for memory needed only during the sort; NULL to use the index's own
} space_input;

// Finds the order of the rows by (class, key, id) and builds the maps as they will be once the caller has permuted its rows by
// `order`. A particle outside the grid's range gives SPATE_RANGE with its id in the message, and *bad_row (may be NULL).
spate_result space_index_sort(space_index *index, const space_input *input, int threads, uint32_t *order,
			      uint32_t *bad_row, spate_error *error);

size_t space_index_bytes(const space_index *index);

#endif
