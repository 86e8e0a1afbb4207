// "fluids.water.spacing=0.02": changes to the tree before it is read.
#ifndef SCENE_OVERRIDE_H
#define SCENE_OVERRIDE_H

#include "scene/node.h"

// `root` is a map; the value is YAML. Nodes that come from the override carry its text as their origin.
void override_apply(node_pool *pool, node *root, const char *text, problem_list *problems);

#endif
