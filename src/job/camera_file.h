// Cameras from a file beside the run.
#ifndef JOB_CAMERA_FILE_H
#define JOB_CAMERA_FILE_H

#include "spate/scene.h"

// Reads a scene, or a file that contains nothing but cameras (and `up`, by default y, or z with `z_up`). Of the scene only the cameras are of
// use. Free it with spate_scene_free(). SPATE_SCENE for a mistake in the file, with its line and column; SPATE_MISSING for no camera.
spate_result camera_file_load(spate_scene *scene, const char *path, int z_up, spate_error *error);

#endif
