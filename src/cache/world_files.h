// A world on disk: frames for other programs to read, checkpoints to resume from.
#ifndef CACHE_WORLD_FILES_H
#define CACHE_WORLD_FILES_H

#include "spate/frame.h"
#include "spate/world.h"

// Writes the world's last finished frame into the run's directory: id, position and the published fields named.
spate_result world_write_frame(spate_world *world, const char *directory, const char *const *channels,
			       uint32_t channel_count, spate_error *error);

// Whether world_write_frame() knows the name.
int world_has_channel(const spate_world *world, const char *name);

// Writes the complete state needed to resume, at a frame boundary.
spate_result world_write_checkpoint(spate_world *world, const char *directory, spate_error *error);

// Restores the state of a checkpoint to a world made from the same definition. The world then continues with the same bits as the one
// that wrote it, or warns that it cannot because it runs on other kernels. DAMAGED when the checkpoint holds a state that no run of
// that definition can reach; the world is unusable then.
spate_result world_restore(spate_world *world, spate_frame *checkpoint, spate_error *error);

#endif
