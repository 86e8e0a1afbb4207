// The files of scenes/, embedded by the build.
#ifndef CLI_BUILT_IN_SCENES_H
#define CLI_BUILT_IN_SCENES_H

#include <stddef.h>

typedef struct built_in_file
{
	const char *name; // "dam_break" for a scene, "meshes/cup.obj" for a file that scenes refer to
	const char *text; // its content; the first line of a scene is a comment that sums it up
	size_t bytes;
} built_in_file;

// Sorted by name; each list ends with an entry whose name is NULL.
extern const built_in_file built_in_scenes[], built_in_meshes[];

#endif
