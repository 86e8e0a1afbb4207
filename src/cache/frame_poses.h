// Poses of colliders in a frame: the blob "colliders", one record of 128 bytes per collider in the order of the scene.
//
//   offset  bytes
//        0     24   position, m (3 doubles)
//       24     32   rotation, a unit quaternion w, x, y, z (4 doubles)
//       56      8   scale (double)
//       64      8   frame of its mesh sequence, with a fraction between two files (double); -1 for none
//       72     56   name, at most 55 bytes, then zero bytes
#ifndef CACHE_FRAME_POSES_H
#define CACHE_FRAME_POSES_H

#include "collider/collider.h"
#include "spate/frame.h"

#define FRAME_POSES "colliders"

enum
{
	FRAME_POSE_BYTES = 128
};

// Writes the records of a set; `out` has room for all of them.
void frame_poses_pack(const collider_set *set, char *out);

// The poses of a scene's colliders in a frame, which may be NULL; where the frame does not say, those of their motions at `time` (s).
// Fails only if the frame is damaged.
spate_result frame_poses_read(spate_frame *frame, const spate_collider_def *defs, uint32_t count, double time,
			      spate_pose *out, spate_error *error);

#endif
