// States of a world in files: checkpoints of a run, and snapshots.
//
// The file is that of a frame (format.h), of kind checkpoint. The saved fields are its channels, and each section of the state is a blob
// named "state/" and the section's name.
#ifndef CACHE_SNAPSHOT_FILE_H
#define CACHE_SNAPSHOT_FILE_H

#include "spate/frame.h"
#include "spate/world.h"

// Writes the complete state needed to resume, at a frame boundary.
spate_result world_write_checkpoint(spate_world *world, const char *directory, spate_error *error);

// Restores the state of a checkpoint to a world made from the same definition. The world then continues with the same bits as the one
// that wrote it, or warns that it cannot because it runs on other kernels. DAMAGED when the checkpoint holds a state that no run of
// that definition can reach; the world is unusable then.
spate_result world_restore(spate_world *world, spate_frame *checkpoint, spate_error *error);

// What a run that ends with a checkpoint reports, read without a world.
typedef struct checkpoint_summary
{
	uint64_t hash; // as spate_world_hash()
	uint64_t particles, added, removed, clamped;
	spate_removed_by removed_by;
} checkpoint_summary;

// Fails as world_restore() does.
spate_result checkpoint_summarize(spate_frame *checkpoint, int threads, checkpoint_summary *out, spate_error *error);

#endif
