// Joins the tree of an included file with that of the scene that includes it: names get a prefix, and references follow.
#ifndef SCENE_JOIN_H
#define SCENE_JOIN_H

#include "scene/include.h"

// What is joined: the tree of the including file, that of the included one, and the aliases within it.
typedef struct join_def
{
	node *root, *included;
	const node *aliases;
	const char *prefix; // "jet_"
	const node *at;     // the element of `include`
} join_def;

// Moves what the included file holds to the end of what the scene holds. `aliases` gets the names that became another.
void join_trees(scene_reader *reader, node_pool *tree, const join_def *join, node *aliases);
// Replaces aliases by the names they stand for in all references of a tree.
void join_follow(node *root, const node *aliases);
// Whether two values mean the same: maps in any order, numbers by their value. `except` is a key that does not count, or NULL.
int join_same(const node *a, const node *b, const char *except);
// The name that an alias of a root key stands for; NULL if it is none.
const char *join_alias(const node *aliases, const char *root_key, const char *name);

#endif
