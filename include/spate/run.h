// A whole run: a scene becomes a directory of frames, checkpoints and statistics. What `spate run` does, for other programs.
#ifndef SPATE_RUN_H
#define SPATE_RUN_H

#include "spate/result.h"
#include "spate/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spate_run_progress
{
	const spate_step_stats *stats; // of the last substep
	uint32_t frame, first, last;   // finished, first of this call (the one resumed from, else 0), last to be done
	uint32_t frame_step;           // substeps of the unfinished frame
	int frame_done;                // 1 when the call comes right after a frame was written
	double seconds, seconds_left;  // since the start of the call, and a guess; -1 while there is none
	double steps_per_second;
} spate_run_progress;

// Called before the first substep and after every one; anything but 0 behind a substep asks the run to stop at the end of the frame.
typedef int spate_run_handler(void *context, const spate_run_progress *progress);

typedef struct spate_run_def
{
	const spate_scene *scene;
	const char *directory;
	uint32_t first, last;       // frames to write; last 0 takes the scene's number of frames, first 0 is 1
	int resume;                 // go on from the newest valid checkpoint
	int overwrite;              // throw away another scene's results
	int32_t checkpoint_every;   // frames; -1 takes the scene's
	int threads;                // 0 for all cores
	const char *field_folder;   // keeps the distance fields of meshes between runs; NULL for nowhere
	spate_run_handler *handler; // may be NULL
	void *context;
} spate_run_def;

SPATE_API spate_run_def spate_default_run_def(void);

// Simulates until the last frame. SPATE_CANCELLED when the handler asked for it: a checkpoint has been written then. *hash (may be
// NULL) gets the state hash at the end. Every frame that was finished before a failure stays on disk, whole.
SPATE_API spate_result spate_run(const spate_run_def *def, uint64_t *hash, spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
