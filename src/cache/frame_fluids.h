// The fluids of a scene in its frames: the blob "fluids", one record of 72 bytes per fluid in the order of the scene.
//
//   offset  bytes
//        0      8   spacing, m (double)
//        8     64   name, at most 63 bytes, then zero bytes
#ifndef CACHE_FRAME_FLUIDS_H
#define CACHE_FRAME_FLUIDS_H

#include "mesh/points.h"
#include "spate/frame.h"
#include "spate/world.h"

#define FRAME_FLUIDS "fluids"

enum
{
	FRAME_FLUID_BYTES = 72
};

// Writes the records; `out` has room for all of them.
void frame_fluids_pack(const spate_fluid_def *fluids, uint32_t count, char *out);

// The fluids that a frame names; none in frames without the blob.
spate_result frame_fluids_read(spate_frame *frame, particle_fluid **fluids, uint32_t *count, spate_error *error);

#endif
