// The inside of a distance field, for the files that build, sample and cache it.
#ifndef COLLIDER_FIELD_DATA_H
#define COLLIDER_FIELD_DATA_H

#include "collider/field.h"

// Maximum distance from the origin, in cells.
#define FIELD_MOST_CELLS 0x1p23

// Four floats for vector arithmetic.
typedef float lanes4 __attribute__((vector_size(16)));

// 4^3 voxels. The surface is farther than `room` half cells from every point in them; negative values mean that they are inside the
// mesh.
typedef struct field_octant
{
	int8_t room;
	uint8_t folds; // non-zero if walls meet in this octant or in a neighbouring one
} field_octant;

// Table of the leaves in the bounding box of the band: walking the tree would take longer than reading a cell.
typedef struct leaf_table
{
	int32_t low[3];   // leaf of the first entry
	uint32_t size[3]; // leaves; 0 if the box is too large for a table
	int32_t *leaf;    // index of a leaf, or below 0 where all voxels have one value: -1 - index into `values`
	const float **distances;
	const int32_t **nearest;
	float values[2];
	uint32_t count;
	field_octant *octants; // NULL if the box is too large
	float first[3];        // cells from the origin to the first voxel of the table
} leaf_table;

struct distance_field
{
	field_info info;
	double scale;         // cells per m
	const void *distance; // NanoVDB grids, 32-byte aligned
	const void *nearest;
	size_t distance_bytes, nearest_bytes;
	void *blocks[2]; // to be freed: both grids,
	void *mapping;   // or to be unmapped: the file with both
	size_t mapping_bytes;
	leaf_table table;
	uint32_t triangle_count;
	float *positions;    // copies of the mesh's, 3 per vertex, m
	uint32_t *triangles; // 3 vertices each
};

// Creates a field with its mesh and bounding box, without grids.
spate_result field_begin(distance_field **field, const spate_mesh *mesh, const field_settings *settings,
			 spate_error *error);

// Creates the table of leaves from the grids.
spate_result field_index(distance_field *field, int threads, spate_error *error);
void leaf_table_free(leaf_table *table);

// Creates the table's octants, unless there are too many.
spate_result field_find_octants(leaf_table *table, const field_settings *settings, int threads, spate_error *error);

// A leaf of a NanoVDB grid by the coordinates of one of its voxels: its 512 values, or NULL and the one value of the region.
const void *field_find_leaf(const void *grid, const int32_t at[3], int is_float, uint32_t *value);

// Whether the values of a grid, given as bits, are valid.
typedef int field_value_test(const uint32_t *values, size_t count, const void *context);

// Whether a grid from a file can be walked safely: every node lies within its bytes, the nodes together are no larger
// than the grid, and all values pass the test.
int field_grid_is_sound(const void *grid, size_t bytes, int is_float, field_value_test *test, const void *context);

#endif
