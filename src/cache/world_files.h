// Frames of a world: what other programs read.
#ifndef CACHE_WORLD_FILES_H
#define CACHE_WORLD_FILES_H

#include "spate/frame.h"
#include "spate/world.h"

// Writes the world's last finished frame into the run's directory: id, position and the published fields named.
spate_result world_write_frame(spate_world *world, const char *directory, const char *const *channels,
			       uint32_t channel_count, spate_error *error);

// Whether world_write_frame() knows the name.
int world_has_channel(const spate_world *world, const char *name);

#endif
