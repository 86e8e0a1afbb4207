// The report on a scene file that `spate check` and `spate info` print.
#ifndef CLI_SCENE_REPORT_H
#define CLI_SCENE_REPORT_H

#include "spate/scene.h"

typedef struct scene_report_options
{
	const char *program; // for messages on stderr
	const char *const *overrides;
	uint32_t override_count;
	int json, quiet;
	int read_meshes; // check the files that the scene names, and read the meshes
} scene_report_options;

// Loads the scene, prints its problems, then its content and the estimated cost of a run. Returns the exit code.
int scene_report(const char *path, const scene_report_options *options);

#endif
