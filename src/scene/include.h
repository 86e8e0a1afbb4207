// Scenes that chain: what the files under `include` hold becomes part of the tree of the scene that includes them.
#ifndef SCENE_INCLUDE_H
#define SCENE_INCLUDE_H

#include "scene/read.h"

enum
{
	INCLUDE_DEPTH = 8,  // files that include each other
	INCLUDE_FILES = 100 // in all
};

// The fluid of the including scene that replaces one of the included file.
typedef struct include_fluid
{
	const char *from, *to;
} include_fluid;

// An element of `include`, once its keys are known to be right.
typedef struct include_def
{
	const char *file, *as;
	const include_fluid *fluids;
	uint32_t fluid_count;
} include_def;

// A key for the whole scene that an included file gives, though that of the including scene counts.
typedef struct include_global
{
	const node *value;
	struct include_global *next;
} include_global;

typedef struct includes
{
	node *aliases; // by root key: names that stand for another name, because two things became one; NULL for none
	include_global *globals; // those that change what happens
} includes;

// Replaces `include` in the tree of the scene file `path` (NULL for a text in memory) by what the files hold.
void include_expand(scene_reader *reader, node_pool *tree, node *root, const char *path, includes *out);
// Warns of included files that were made for another gravity, up axis or solver than the scene has, once the scene was read.
void include_check(scene_reader *reader, const includes *all);

// Reads a file, at most one byte more than a scene may have; in scene.c.
spate_result scene_read_file(const char *path, char **text, size_t *bytes, spate_error *error);

#endif
