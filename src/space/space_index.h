// Where particles are: classes of equal radius, each sorted by (key, id) and mapped by its own grid.
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
	float radius; // m, within which two particles of this class see each other
	cell_grid grid;
	uint32_t first_row, rows;
	cell_map map;
} space_class;

// All zero is the empty index, to be given classes before use.
typedef struct space_index
{
	simd_level simd;
	uint32_t class_count;
	space_class classes[SPACE_MAX_CLASSES];
	uint32_t count;         // rows sorted
	ARRAY(uint64_t) keys;   // of the rows, sorted within each class
	ARRAY(uint64_t) sorted; // takes the new keys while the old ones are still needed
	cell_sorter sorter;
} space_index;

void space_index_free(space_index *index);

// Radii by class, each within SPACE_MIN_RADIUS and SPACE_MAX_RADIUS, so that squares of distances are numbers.
spate_result space_index_set_classes(space_index *index, uint32_t count, const float *radii, spate_error *error);

// What to sort. `group` (a particle's fluid, say) and `class_of_group` tell the class; NULL when there is only one.
typedef struct space_input
{
	uint32_t count;
	const vec4 *positions;
	const int64_t *ids;
	const int32_t *group;
	const uint8_t *class_of_group;
	uint32_t
	    kept; // leading rows that are still in the order of the last sort: with one class, only movers are sorted anew
	arena *scratch; // for what only the sort needs; NULL for memory of the index's own
} space_input;

// Finds the order of the rows by (class, key, id) and builds the maps as they will be once the caller has permuted its rows by
// `order`. A particle outside the grid's range gives SPATE_RANGE with its id in the message, and *bad_row (may be NULL).
spate_result space_index_sort(space_index *index, const space_input *input, int threads, uint32_t *order,
			      uint32_t *bad_row, spate_error *error);

size_t space_index_bytes(const space_index *index);

#endif
