#include "spate/scene.h"

#include "scene/solids.h"

#include <string.h>

void solids_free(solids *s)
{
	collider_set_destroy(&s->set);
	array_free(&s->defs);
	array_free(&s->numbers);
}

collider_world solids_world(const spate_world_def *world, const world_span *span)
{
	collider_world out = {.fps = world->fps, .spacing = 1.0f, .radius = 1.0f, .threads = 1};
	memcpy(out.origin, span->origin, sizeof out.origin);
	return out;
}

// Replaces a container mesh by the box around it; returns 0 if that is not possible. The box of an obstacle would be far more solid than
// the obstacle: a cup holds liquid.
static int make_box(spate_collider_def *def, const spate_mesh_report *report)
{
	if (!report || def->mode != SPATE_COLLIDER_INSIDE)
		return 0;
	spate_collider_def box = spate_default_collider_def();
	box.shape.type = SPATE_SHAPE_BOX;
	memcpy(box.shape.a, report->low, sizeof box.shape.a);
	memcpy(box.shape.b, report->high, sizeof box.shape.b);
	box.mode = def->mode;
	box.motion = def->motion;
	*def = box;
	return 1;
}

int solids_make(solids *s, const spate_scene *scene, const world_span *span, int boxes)
{
	const spate_world_def *world = &scene->world;
	*s = (solids){.moving = 0};
	for (uint32_t c = 0; c < world->collider_count; c++)
	{
		spate_collider_def def = world->colliders[c];
		int mesh = def.mesh.path || def.mesh.mesh;
		if (mesh && (!boxes || !make_box(&def, spate_scene_mesh_report(scene, c))))
			continue;
		if (!array_push(&s->defs, def) || !array_push(&s->numbers, c))
			return 0;
		s->moving |= motion_moves(&def.motion);
	}
	collider_world here = solids_world(world, span);
	return collider_set_create(&s->set, s->defs.data, (uint32_t)s->defs.count, &here, NULL) == SPATE_OK;
}
