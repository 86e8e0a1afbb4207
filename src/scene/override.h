// "fluids.water.spacing=0.02": changes to the tree before it is read.
#ifndef SCENE_OVERRIDE_H
#define SCENE_OVERRIDE_H

#include "scene/node.h"

// `root` is a map; the value is YAML. Nodes that come from the override carry its text as their origin. `aliases` has the second names of
// what was included; NULL for none.
void override_apply(node_pool *pool, node *root, const char *text, const node *aliases, problem_list *problems);

// The same for a value of a file, whose key is the path.
void override_set(node_pool *pool, node *root, const node *value, const node *aliases, problem_list *problems);
// Whether an override is for `include`. Those apply before the files are read, all others afterwards.
int override_is_include(const char *text);

#endif
