// Particles as fields of OpenVDB. A C interface; no exceptions pass through it.
#ifndef BRIDGE_VDB_FIELDS_H
#define BRIDGE_VDB_FIELDS_H

#include "bridge/vdb_facts.h"
#include "spate/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// 3 floats per particle.
typedef struct vdb_liquid
{
	uint32_t count;
	const float *positions;  // m, relative to the origin
	const float *velocities; // m/s; NULL for none
	const float *radii;      // m: half the spacing, so that a particle has the volume of a cube around it
	double origin[3];        // m
} vdb_liquid;

// Writes the share of liquid in each voxel as a fog volume named "density", and the mean velocity as a grid of vectors named "velocity"
// if there are velocities. Each particle is spread over about three spacings; the sum of all shares is the volume of all particles. `cell`
// is the edge of a voxel (m). The file is created under the given name without syncing: use a temporary one.
spate_result vdb_write_fog(const vdb_liquid *liquid, double cell, int threads, const vdb_facts *facts, const char *path,
			   spate_error *error);

// Writes the signed distance to a closed mesh, negative inside, as a float grid named "surface" of class level set; distances extend three
// voxels to either side. With `liquid`, whose origin is that of the mesh, its velocity is written as well, in the liquid and everywhere the
// distance is known. A mesh without triangles gives a grid without voxels.
spate_result vdb_write_level_set(const spate_mesh *mesh, const double origin[3], const vdb_liquid *liquid, double cell,
				 int threads, const vdb_facts *facts, const char *path, spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
