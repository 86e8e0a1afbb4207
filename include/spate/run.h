// A whole run, as `spate run` does it: from a scene to a directory of frames, checkpoints and statistics.
// Several runs into different directories may go on at once, each on a thread of its own.
#ifndef SPATE_RUN_H
#define SPATE_RUN_H

#include "spate/result.h"
#include "spate/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spate_run_progress
{
	spate_world *world; // between substeps: may be read and its live keys changed (spate/live.h), but not stepped
	const spate_step_stats *stats; // of the last substep
	uint32_t frame, first, last;   // last completed frame, frame resumed from (else 0), frame to stop after
	uint32_t frame_step;           // substeps done in the current frame
	int frame_done;                // 1 if a frame has just been written
	double seconds, seconds_left;  // elapsed, and an estimate of the rest; -1 if unknown
	double steps_per_second;
} spate_run_progress;

// Called before the first substep and after every substep; a non-zero result after a substep stops the run at the end of the frame.
typedef int spate_run_handler(void *context, const spate_run_progress *progress);

typedef struct spate_run_def
{
	const spate_scene *scene;
	const char *directory;
	uint32_t first, last; // frames to write; last 0 takes the scene's number of frames, first 0 is 1
	int resume;           // fail if the directory has no run to continue
	int overwrite; // start over and discard the directory's contents; with `resume`, only those of another scene
	int32_t checkpoint_every;   // frames; -1 for the scene's value
	int threads;                // 0 for all cores
	const char *field_folder;   // cache of mesh distance fields; NULL for none
	spate_run_handler *handler; // may be NULL
	void *context;
} spate_run_def;

SPATE_API spate_run_def spate_default_run_def(void);

// Summary of a run. Particles are counted from its very beginning, over all calls that continued it.
typedef struct spate_run_summary
{
	uint32_t start;    // frame that the call continued from; 0 for the beginning
	uint32_t frame;    // last completed frame
	int nothing_to_do; // all frames were already complete; nothing was changed
	uint64_t hash;     // state hash
	uint64_t particles, added;
	uint64_t removed, clamped;
	spate_removed_by removed_by;
} spate_run_summary;

// Simulates until the last frame. If the directory has a run of the same scene, it is continued from its newest checkpoint, with the
// same bits as an uninterrupted run; existing frames stay until they are rewritten. Results of another scene (SPATE_EXISTS) and a run
// whose checkpoints are all damaged (SPATE_DAMAGED) are refused unless `overwrite` is set. SPATE_CANCELLED if the handler stopped the
// run, after writing a checkpoint. After a failure, all completed frames remain on disk. *summary may be NULL.
SPATE_API spate_result spate_run(const spate_run_def *def, spate_run_summary *summary, spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
