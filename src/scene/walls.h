// Walls of fills: `collide` makes the shape of a fill a collider, too.
#ifndef SCENE_WALLS_H
#define SCENE_WALLS_H

#include "scene/read.h"

// Adds a collider for each fill that asks for one, behind those of the scene.
void walls_add(scene_reader *reader);

// The name of the n-th such collider, which is that of its fill, "" for none; NULL beyond the last. From the tree, since references come
// before the colliders.
const char *walls_name(const scene_reader *reader, uint32_t n);

// Checks `collide` and `wall` of a source.
void walls_check(scene_reader *reader, const node *at, const spate_source_def *source);

#endif
