// Bodies of a scene: each is a collider as well, which the reader adds.
#ifndef SCENE_BODIES_H
#define SCENE_BODIES_H

#include "scene/read.h"

// What a joint calls that which never moves.
#define BODIES_WORLD "world"

// Adds the collider of each body, behind those of the scene and the walls of fills.
void bodies_add(scene_reader *reader);

// The name of the n-th body, "" for none; NULL beyond the last. From the tree, since references come before the bodies.
const char *bodies_name(const scene_reader *reader, uint32_t n);

// Checks that involve several bodies: whether they overlap at the start.
void bodies_check(scene_reader *reader);

#endif
