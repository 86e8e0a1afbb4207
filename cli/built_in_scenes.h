// The files of scenes/, as the build put them into the program.
#ifndef CLI_BUILT_IN_SCENES_H
#define CLI_BUILT_IN_SCENES_H

#include <stddef.h>

typedef struct built_in_scene
{
	const char *name; // "dam_break"
	const char *text; // the file; its first line is a comment that sums it up
	size_t bytes;
} built_in_scene;

// In order of name; the last one has no name.
extern const built_in_scene built_in_scenes[];

#endif
