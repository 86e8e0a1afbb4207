// Shared by commands that work on the frames of a run: selecting frames, and loading the scene that made them.
#ifndef CLI_RUN_INPUT_H
#define CLI_RUN_INPUT_H

#include "cache/run_dir.h"
#include "cli/arguments.h"
#include "spate/scene.h"

// 1 for a directory, 0 for a file, -1 after a message on stderr if it is neither.
int run_path_is_folder(const common_arguments *a);
// Whether two paths lead to the same file or folder.
int run_is_same_file(const char *a, const char *b);
// Names missing frames on stderr; returns 0 when there are none.
int run_missing_tell(const common_arguments *a, const run_numbers *missing);

// Keeps the frames in the range and finds those missing in it. Returns the exit code, after a message on stderr unless it is
// EXIT_DONE; `path` is used in that message.
int frame_range_apply(const frame_range *range, run_numbers *frames, run_numbers *missing, const char *program,
		      const char *path);

// Loads scene.yaml from the directory of a run or, for a single file, from the directory above its own. *found is 0 when there is none.
// Returns the exit code, after a message on stderr unless it is EXIT_DONE.
int run_scene_load(spate_scene *scene, int *found, const char *path, int single, const char *program);

// Folder of cached distance fields: $SPATE_FIELDS, or a folder in the user's cache, written into `out`; NULL if there is none.
const char *run_field_folder(char *out, size_t size);

#endif
