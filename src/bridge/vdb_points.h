// Particles as points of OpenVDB. A C interface; no exceptions pass through it.
#ifndef BRIDGE_VDB_POINTS_H
#define BRIDGE_VDB_POINTS_H

#include "bridge/vdb_facts.h"
#include "spate/store.h"

#ifdef __cplusplus
extern "C" {
#endif

// Packed rows. Names are of letters, digits and underscores, and none is "P".
typedef struct vdb_channel
{
	const char *name;
	spate_type type;
	const void *data;
} vdb_channel;

// Writes a points grid named "points", whose voxels have an edge of `cell` (m). Positions are 3 floats each, relative to `origin` (m). Pairs and quadruples of
// floats become attributes of floats with that stride. The file is created under the given name without syncing: use a temporary one.
spate_result vdb_write_points(const float *positions, uint32_t count, const double origin[3],
			      const vdb_channel *channels, uint32_t channel_count, double cell, int threads,
			      const vdb_facts *facts, const char *path, spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
