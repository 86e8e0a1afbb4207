// Liquid surfaces with OpenVDB: level sets in .vdb files, and OpenVDB's own conversion of particles to a mesh, for
// comparison. A C interface; no exceptions pass through it.
#ifndef BRIDGE_VDB_SURFACE_H
#define BRIDGE_VDB_SURFACE_H

#include "spate/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// The first float grid of a file.
typedef struct vdb_file_info
{
	char name[64];
	int level_set;
	double cell;            // m
	uint64_t voxels;        // active
	float background;       // m
	double low[3], high[3]; // m, bounding box of the active voxels; zero without any
} vdb_file_info;

// Reads the grid, and its values at `count` places (3 doubles each, m), interpolated linearly.
spate_result vdb_read_level_set(const char *path, vdb_file_info *info, const double *places, uint32_t count,
				float *values, spate_error *error);

// Seconds that OpenVDB takes from particles to triangles, and the size of the result.
typedef struct vdb_surface_times
{
	double level_set; // rasterising spheres into a level set, and its interior
	double mesh;      // contouring it
	uint64_t voxels, vertices, triangles;
} vdb_surface_times;

// Rasterises a sphere of `radius` (m) around every particle into a level set with voxels of `cell` (m), and contours
// it. Positions are `stride` floats apart. The mesh itself is discarded.
spate_result vdb_time_surface(const float *positions, uint32_t count, uint32_t stride, double radius, double cell,
			      int threads, vdb_surface_times *times, spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
