// Reads a scene from a tree of nodes, by the table of keys.
#ifndef SCENE_READ_H
#define SCENE_READ_H

#include "scene/keys.h"
#include "scene/node.h"
#include "scene/problem.h"

enum
{
	PATH_CHARS = 128,
	SCENE_VERSION = 2 // the newest one
};

typedef struct scene_reader
{
	spate_scene *scene;
	node_pool *memory; // of the scene
	problem_list *problems;
	struct scene_files *files; // files that the scene names
	const char *folder;        // of the scene file; NULL for the current one
	const node *root;
	int version;                             // of the format
	char path[PATH_CHARS];                   // of the object being read
	struct scene_track *tracks, *last_track; // values over time, in the scene's memory
} scene_reader;

// Fills the scene (which holds the defaults) from the tree; mistakes are added to the problems.
void read_scene(scene_reader *reader);
// Reads the value of a key into an object, whatever its kind.
void read_key(scene_reader *reader, const scene_key *key, const node *n, void *object);

// A problem in the object being read; `at` is the place.
#define read_error(reader, at, ...) problem_add((reader)->problems, 0, (at), (reader)->path, __VA_ARGS__)
#define read_warning(reader, at, ...) problem_add((reader)->problems, 1, (at), (reader)->path, __VA_ARGS__)

// Reads a value that is neither an object, a list of objects nor a map; in value.c. A wrong value leaves the field unchanged.
void read_value(scene_reader *reader, const scene_key *key, const node *n, void *object);
// "here it is a list"
void read_wrong_type(scene_reader *reader, const scene_key *key, const node *n);
// ", did you mean 'x'?" or nothing; `out` holds KEY_TEXT_CHARS.
struct suggestion;
void read_suggestion(const struct suggestion *s, char *out);
// Letters, digits, _ and -, at most 63 of them.
int name_is_valid(const char *name);

#endif
