#include "scene/nozzles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Half a spacing in front of its end, as a solid nozzle needs.
static void open_at_end(const spate_scene *scene, const spate_shape *nozzle, spate_source_def *source, int opening,
			int direction)
{
	double axis[3], length = 0.0;
	for (int k = 0; k < 3; k++)
	{
		axis[k] = nozzle->b[k] - nozzle->a[k];
		length += axis[k] * axis[k];
	}
	length = sqrt(length);
	double ahead = 0.5 * scene->world.fluids[source->fluid].spacing +
		       (nozzle->type == SPATE_SHAPE_CAPSULE ? nozzle->radius : 0.0);
	for (int k = 0; k < 3; k++)
	{
		if (direction)
			source->direction[k] = axis[k];
		if (opening)
			source->position[k] = nozzle->b[k] + ahead * axis[k] / length;
	}
}

static int is_nozzle(const spate_collider_def *c)
{
	int long_shape = c->shape.type == SPATE_SHAPE_CAPSULE || c->shape.type == SPATE_SHAPE_CYLINDER;
	return long_shape && c->mode == SPATE_COLLIDER_OUTSIDE && !c->mesh.path && !c->mesh.mesh &&
	       memcmp(c->shape.a, c->shape.b, sizeof c->shape.a) != 0;
}

static void complete(scene_reader *reader, const node *at, uint32_t index)
{
	const spate_world_def *world = &reader->scene->world;
	spate_source_def *source = &((spate_source_def *)(uintptr_t)world->sources)[index];
	if (source->type != SPATE_SOURCE_EMITTER || source->follow >= world->collider_count ||
	    source->fluid >= world->fluid_count)
		return;
	int opening = !node_get(at, "position"), direction = !node_get(at, "direction");
	if (!opening && !direction)
		return;
	const spate_collider_def *nozzle = &world->colliders[source->follow];
	if (is_nozzle(nozzle))
	{
		open_at_end(reader->scene, &nozzle->shape, source, opening, direction);
		return;
	}
	snprintf(reader->path, sizeof reader->path, "sources.%u", index);
	read_error(
	    reader, at->named_at,
	    "'%s' is missing; only an obstacle that is a capsule or cylinder, from one end to the other, tells it to "
	    "emitters that follow it",
	    opening ? "position" : "direction");
	reader->path[0] = '\0';
}

void nozzles_complete(scene_reader *reader)
{
	const node *sources = node_get(reader->root, "sources");
	uint32_t index = 0;
	if (reader->problems->errors > 0 || !sources)
		return;
	for (const node *at = sources->first; at; at = at->next, index++)
		complete(reader, at, index);
}
