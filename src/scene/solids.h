// The colliders of a scene before there is a world: shapes as they are; meshes left out, or boxes in their place.
#ifndef SCENE_SOLIDS_H
#define SCENE_SOLIDS_H

#include "base/array.h"
#include "world/world.h"

typedef struct solids
{
	ARRAY(spate_collider_def) defs;
	ARRAY(uint32_t) numbers; // of the colliders that they are
	collider_set set;
	int moving;
} solids;

// With `boxes`, meshes that were read (spate_scene_read_meshes) are the boxes around them; else, and shells in any case, they are left out. 0
// when out of memory; free it all the same.
int solids_make(solids *s, const spate_scene *scene, const world_span *span, int boxes);
void solids_free(solids *s);
// The world around colliders without meshes.
collider_world solids_world(const spate_world_def *world, const world_span *span);

#endif
