// Which checkpoint of a run to trust, and which to throw away.
#ifndef CACHE_CHECKPOINT_H
#define CACHE_CHECKPOINT_H

#include "spate/frame.h"

enum
{
	CHECKPOINTS_KEPT = 2
};

// Writes the checkpoint of def->frame into the run's directory, then removes all before it but the newest CHECKPOINTS_KEPT - 1. One
// that cannot be removed is only worth a warning. Later ones, which are damaged, stay until they are written anew.
spate_result checkpoint_write(const char *directory, const spate_frame_def *def, spate_error *error);

// Opens the newest checkpoint that is whole, every checksum verified, and warns about damaged ones on the way. MISSING when there is
// none at all, DAMAGED with the reasons when none is whole. The caller closes it.
spate_result checkpoint_newest_valid(const char *directory, int threads, spate_frame **frame, spate_error *error);

#endif
