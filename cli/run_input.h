// What commands that work on the frames of a run share: which frames, and the scene that made them.
#ifndef CLI_RUN_INPUT_H
#define CLI_RUN_INPUT_H

#include "cache/run_dir.h"
#include "cli/arguments.h"
#include "spate/scene.h"

// 1 for a directory, 0 for a file, -1 after a sentence on stderr when there is neither.
int run_path_is_folder(const common_arguments *a);
// Whether two paths lead to the same file or folder.
int run_is_same_file(const char *a, const char *b);
// Names the frames that are missing on stderr; 0 when there are none.
int run_missing_tell(const common_arguments *a, const run_numbers *missing);

// Keeps the frames in the range and finds out which are missing in it. Returns the exit code, after a sentence on stderr unless it is
// EXIT_DONE; `path` is for that sentence.
int frame_range_apply(const frame_range *range, run_numbers *frames, run_numbers *missing, const char *program,
		      const char *path);

// scene.yaml in the directory of a run; for a single file, in the directory above its own. *found is 0 when there is none. Returns the exit
// code, after a sentence on stderr unless it is EXIT_DONE.
int run_scene_load(spate_scene *scene, int *found, const char *path, int single, const char *program);

// Where distance fields are kept: $SPATE_FIELDS, or in the user's cache, written into `out`; NULL for nowhere.
const char *run_field_folder(char *out, size_t size);

#endif
