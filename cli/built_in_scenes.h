// The files of scenes/, as the build put them into the program.
#ifndef CLI_BUILT_IN_SCENES_H
#define CLI_BUILT_IN_SCENES_H

#include <stddef.h>

typedef struct built_in_file
{
	const char *name; // "dam_break" of a scene, "meshes/cup.obj" of what scenes refer to
	const char *text; // its content; the first line of a scene is a comment that sums it up
	size_t bytes;
} built_in_file;

// In order of name; the last ones have no name.
extern const built_in_file built_in_scenes[], built_in_meshes[];

#endif
