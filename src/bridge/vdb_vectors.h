// Grids of vectors from .vdb files, as NanoVDB grids. A C interface; no exceptions pass through it.
#ifndef BRIDGE_VDB_VECTORS_H
#define BRIDGE_VDB_VECTORS_H

#include "spate/result.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A grid of vectors in single precision.
typedef struct vdb_vectors
{
	void *grid; // NanoVDB, aligned; to be freed with mem_free()
	size_t bytes;
	double to_voxels[3][4];  // coordinates in voxels of a place in the world: the matrix, then the translation
	int32_t low[3], high[3]; // first and last active voxel; high below low without any
	double most;             // largest length of an active vector
} vdb_vectors;

// Reads the grid of a name, or with NULL the only grid of vectors in the file. SPATE_MISSING if there is none, or several; the sentence lists
// the grids.
spate_result vdb_read_vectors(const char *path, const char *name, vdb_vectors *out, spate_error *error);
// Looks for the grid without reading its voxels.
spate_result vdb_find_vectors(const char *path, const char *name, spate_error *error);

// Writes a grid of vectors in a box of voxels from `low` on, x slowest. The centre of voxel (0, 0, 0) is at `origin` (m). Vectors of zero
// length are left out.
spate_result vdb_write_vectors(const char *path, const char *name, const int32_t low[3], const uint32_t size[3],
			       const float *vectors, double cell, const double origin[3], spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
