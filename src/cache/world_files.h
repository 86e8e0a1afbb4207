// A world on disk: frames for others to read, checkpoints to go on from.
#ifndef CACHE_WORLD_FILES_H
#define CACHE_WORLD_FILES_H

#include "spate/frame.h"
#include "spate/world.h"

// Writes the world's last finished frame into the run's directory: id, position and the channels named ("velocity", "density",
// "pressure", "fluid" or a user channel).
spate_result world_write_frame(spate_world *world, const char *directory, const char *const *channels,
			       uint32_t channel_count, spate_error *error);

// Whether world_write_frame() knows the name.
int world_has_channel(spate_world *world, const char *name);

// All that the future depends on, at a frame boundary.
spate_result world_write_checkpoint(spate_world *world, const char *directory, spate_error *error);

// Puts a world made from the same definition into the state of a checkpoint; it then goes on bit by bit as the one that wrote it, or says in
// a warning that it cannot since it runs on other kernels. DAMAGED when the checkpoint holds what no run of that definition can have
// come to; the world is of no use then.
spate_result world_restore(spate_world *world, spate_frame *checkpoint, spate_error *error);

#endif
