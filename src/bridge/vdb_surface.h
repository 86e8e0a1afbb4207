// Surfaces of liquids and OpenVDB: level sets as .vdb files, and OpenVDB's own way from particles to a mesh, for comparison. Plain C; no
// exception gets through.
#ifndef BRIDGE_VDB_SURFACE_H
#define BRIDGE_VDB_SURFACE_H

#include "spate/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes the signed distance to a closed mesh, negative inside, as a grid of floats called "surface" of class level set: `cell` is
// the edge of a voxel (m), distances are known up to three voxels on either side. The mesh is relative to `origin` (m). The
// file is made under the name given and not synced: it is for a temporary. `note` goes into its metadata as "made". A mesh without triangles
// gives a grid without voxels.
spate_result vdb_write_level_set(const spate_mesh *mesh, const double origin[3], double cell, int threads,
				 const char *note, const char *path, spate_error *error);

// The first grid of floats in a file.
typedef struct vdb_file_info
{
	char name[64];
	int level_set;
	double cell;            // m
	uint64_t voxels;        // active ones
	float background;       // m
	double low[3], high[3]; // m, around the active voxels; zero without any
} vdb_file_info;

// Reads it, and its values at `count` places (3 doubles each, m), linear between voxels.
spate_result vdb_read_level_set(const char *path, vdb_file_info *info, const double *places, uint32_t count,
				float *values, spate_error *error);

// Seconds that OpenVDB takes from particles to triangles, and what comes out.
typedef struct vdb_surface_times
{
	double level_set; // rasterising balls into a level set, and its inner part
	double mesh;      // contouring it
	uint64_t voxels, vertices, triangles;
} vdb_surface_times;

// A ball of `radius` (m) around every particle, joined to a level set with voxels of `cell` (m), contoured. Positions are `stride` floats
// apart. The mesh itself is thrown away.
spate_result vdb_time_surface(const float *positions, uint32_t count, uint32_t stride, double radius, double cell,
			      int threads, vdb_surface_times *times, spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
