// Shapes of bodies that bend in a frame: the blob "shapes", one record after the other for those colliders that bend.
//
//   offset  bytes
//        0      4   number of the collider
//        4      4   number of its vertices, n
//        8    12n   their places relative to the frame's origin, m (3 floats each)
#ifndef CACHE_FRAME_SHAPES_H
#define CACHE_FRAME_SHAPES_H

#include "collider/collider.h"
#include "spate/frame.h"

#define FRAME_SHAPES "shapes"

// Bytes of the records of a set; 0 if nothing bends.
size_t frame_shapes_bytes(const collider_set *set);
void frame_shapes_pack(const collider_set *set, char *out);

// The vertices of a collider in a frame, which stay the frame's, and their number; NULL if it does not bend.
spate_result frame_shapes_read(spate_frame *frame, uint32_t number, const float **places, uint32_t *count,
			       spate_error *error);

#endif
