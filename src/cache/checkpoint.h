// Writes checkpoints of a run, removes old ones, and finds the newest valid one.
#ifndef CACHE_CHECKPOINT_H
#define CACHE_CHECKPOINT_H

#include "spate/frame.h"

enum
{
	CHECKPOINTS_KEPT = 2
};

// Writes the checkpoint of def->frame into the run's directory, then removes all earlier ones but the newest CHECKPOINTS_KEPT - 1.
// Failing to remove one is only a warning. Later ones, which are damaged, stay until they are overwritten.
spate_result checkpoint_write(const char *directory, const spate_frame_def *def, spate_error *error);

// Opens the newest intact checkpoint, with every checksum verified, and warns about newer ones that are damaged. MISSING when there
// are no checkpoints, DAMAGED with the reasons when all are damaged. The caller closes it.
spate_result checkpoint_newest_valid(const char *directory, int threads, spate_frame **frame, spate_error *error);

#endif
