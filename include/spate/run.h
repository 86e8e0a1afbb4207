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
	uint32_t first, last; // frames to write; last 0 takes the scene's number of frames, first 0 is 1
	int resume;           // a directory without a run to go on with is an error
	int overwrite; // start over and throw away what the directory holds; with `resume`, only if it is of another scene
	int32_t checkpoint_every;   // frames; -1 takes the scene's
	int threads;                // 0 for all cores
	const char *field_folder;   // keeps the distance fields of meshes between runs; NULL for nowhere
	spate_run_handler *handler; // may be NULL
	void *context;
} spate_run_def;

SPATE_API spate_run_def spate_default_run_def(void);

// What came of a run. Particles are counted since its very beginning, over all calls that went on with it.
typedef struct spate_run_summary
{
	uint32_t start;    // frame that the call went on from; 0 for the beginning
	uint32_t frame;    // finished
	int nothing_to_do; // the frames were finished before, and nothing was touched
	uint64_t hash;     // of the state
	uint64_t particles, added;
	uint64_t removed, clamped;
	spate_removed_by removed_by;
} spate_run_summary;

// Simulates until the last frame. A directory that holds a run of the same scene is gone on with, from its newest checkpoint and with
// the same bits as without a break; its frames stay where they are until they are written anew. Refused are the results of another
// scene (EXISTS) and a run whose checkpoints are all damaged (DAMAGED), which `overwrite` starts over. CANCELLED when the handler asked
// for it: a checkpoint has been written then. Every frame that was finished before a failure stays on disk, whole. *summary may be NULL.
SPATE_API spate_result spate_run(const spate_run_def *def, spate_run_summary *summary, spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
