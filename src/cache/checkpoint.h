// Which checkpoint of a run to trust, and which to throw away.
#ifndef CACHE_CHECKPOINT_H
#define CACHE_CHECKPOINT_H

#include "spate/frame.h"

enum
{
	CHECKPOINTS_KEPT = 2
};

// Writes the checkpoint of def->frame into the run's directory, then removes all but the newest CHECKPOINTS_KEPT. One
// that cannot be removed is only worth a warning.
spate_result checkpoint_write(const char *directory, const spate_frame_def *def, spate_error *error);

// Opens the newest checkpoint that is whole, every checksum verified, and warns about damaged ones on the way. MISSING
// when there is none. The caller closes it.
spate_result checkpoint_newest_valid(const char *directory, int threads, spate_frame **frame, spate_error *error);

// Removes frames and checkpoints with a number above `frame`: what a run resumed there will write again.
spate_result checkpoint_remove_later(const char *directory, int64_t frame, spate_error *error);

#endif
