// A scene file as `spate check` and `spate info` tell about it.
#ifndef CLI_SCENE_REPORT_H
#define CLI_SCENE_REPORT_H

#include "spate/scene.h"

typedef struct scene_report_options
{
	const char *program; // for sentences on stderr
	const char *const *overrides;
	uint32_t override_count;
	int json, quiet;
	int read_meshes; // looks for the files that the scene names, and into the meshes
} scene_report_options;

// Loads the scene, prints its problems and then what it holds and will take. Returns the exit code.
int scene_report(const char *path, const scene_report_options *options);

#endif
