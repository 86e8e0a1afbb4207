// Shared by all jobs: messages, and the frames and scene of a run. For progress see progress.h.
#ifndef JOB_JOB_H
#define JOB_JOB_H

#include "cache/run_dir.h"
#include "spate/job.h"
#include "spate/scene.h"

// Sends a line to the job's log, or to that of the process.
void job_warn(const spate_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
void job_tell(const spate_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

// 1 for a directory, 0 for a file, negative for a path that is neither.
int job_is_folder(const char *path, spate_error *error);
// Whether two paths lead to the same file or folder.
int job_is_same_file(const char *a, const char *b);

// "3, 7-9" for ascending numbers; what does not fit becomes "...".
typedef struct job_text
{
	char text[48];
} job_text;
job_text job_numbers_text(const run_numbers *numbers);

// Keeps the frames that are wanted, and finds those of them that are missing; warns of frames after the last one. SPATE_MISSING when none
// is left, but SPATE_OK without frames for a shard that has none. `path` is used in the messages.
spate_result job_select_frames(const spate_job *job, run_numbers *frames, run_numbers *missing,
			       const spate_job_frames *wanted, const char *path, spate_error *error);
// Whether nothing is to be done because the shard has no frames, which is told.
int job_is_idle(const spate_job *job, const run_numbers *frames, const spate_job_frames *wanted);
// SPATE_INVALID if frames are chosen of a single file.
spate_result job_refuse_frames(const spate_job_frames *wanted, const char *path, spate_error *error);
// Warns of missing frames, if there are any.
void job_warn_missing(const spate_job *job, const run_numbers *missing);

// Loads scene.yaml from the directory of a run or, for a single file, from the directory above its own. *found is 0 when there is none.
spate_result job_load_scene(spate_scene *scene, int *found, const char *path, int single, spate_error *error);

#endif
