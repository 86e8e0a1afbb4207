// The colliders of a scene before a world exists: shapes as they are; meshes left out, or containers replaced by boxes.
#ifndef SCENE_SOLIDS_H
#define SCENE_SOLIDS_H

#include "base/array.h"
#include "world/world.h"

typedef struct solids
{
	ARRAY(spate_collider_def) defs;
	ARRAY(uint32_t) numbers; // indices of the scene's colliders that they stand for
	collider_set set;
	int moving;
} solids;

// With `boxes`, container meshes that were read (spate_scene_read_meshes) are replaced by the boxes around them. All other meshes are left
// out. Returns 0 when out of memory; free `s` even then.
int solids_make(solids *s, const spate_scene *scene, const world_span *span, int boxes);
void solids_free(solids *s);
// The collider_world for colliders without meshes.
collider_world solids_world(const spate_world_def *world, const world_span *span);

#endif
