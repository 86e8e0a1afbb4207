// C interface to OpenVDB: converts voxels to NanoVDB grids. No exceptions pass through it.
#ifndef BRIDGE_VDB_H
#define BRIDGE_VDB_H

#include "spate/result.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Voxels in leaves of 8^3, in VDB order, and tiles of 8^3 voxels with a single value.
typedef struct vdb_voxels
{
	double cell; // m
	uint32_t leaf_count;
	const int32_t *origins; // 3 per leaf: its first voxel
	const float *distance;  // 512 per leaf
	const int32_t *nearest; // 512 per leaf
	const uint64_t *active; // 8 words per leaf, in VDB order
	uint32_t tile_count;
	const int32_t *tiles; // 3 per tile: its first voxel
	float tile_value;     // distance in all tiles
	float background;     // of the distance
	int32_t no_triangle;  // background of the nearest triangles
} vdb_voxels;

// Two NanoVDB grids, to be freed with mem_free().
typedef struct vdb_grids
{
	void *distance, *nearest;
	size_t distance_bytes, nearest_bytes;
} vdb_grids;

// Whether this build includes OpenVDB.
int vdb_available(void);

spate_result vdb_convert(vdb_grids *grids, const vdb_voxels *voxels, int threads, spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
