// What a distance field is made of, for the files that build, sample and keep it.
#ifndef COLLIDER_FIELD_DATA_H
#define COLLIDER_FIELD_DATA_H

#include "collider/field.h"

struct distance_field
{
	field_info info;
	double scale;         // cells per m
	const void *distance; // NanoVDB grids, 32-byte aligned
	const void *nearest;
	size_t distance_bytes, nearest_bytes;
	void *blocks[2]; // what to free: both grids,
	void *mapping;   // or what to unmap: the file with both
	size_t mapping_bytes;
	uint32_t triangle_count;
	float *positions;    // copies of the mesh's, 3 per vertex, m
	uint32_t *triangles; // 3 vertices each
};

// Checks what a field can be made of.
spate_result field_check(const spate_mesh *mesh, const field_settings *settings, spate_error *error);

// A field without grids that knows its mesh.
spate_result field_begin(distance_field **field, const spate_mesh *mesh, const field_settings *settings,
			 spate_error *error);

// A leaf of a NanoVDB grid by the coordinates of one of its voxels: its 512 values, or NULL and the one value of the region.
const void *field_find_leaf(const void *grid, const int32_t at[3], int is_float, uint32_t *value);

#endif
