#include "scene/walls.h"

#include "collider/shape.h"
#include "scene/check.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------------------ checking

void walls_check(scene_reader *reader, const node *at, const spate_source_def *source)
{
	const node *keys = node_get(at, "wall");
	spate_shape_type type = source->shape.type;
	int plain = type == SPATE_SHAPE_BOX || type == SPATE_SHAPE_SPHERE || type == SPATE_SHAPE_CAPSULE ||
		    type == SPATE_SHAPE_CYLINDER;
	if (keys)
	{
		check_contact_angle(reader, keys);
		check_slip(reader, keys);
	}
	if (source->collide == SPATE_COLLIDE_NOT && keys)
		read_warning(reader, keys->named_at, "wall has no effect without collide: true");
	else if (source->collide == SPATE_COLLIDE_SHELL && type != SPATE_SHAPE_MESH)
		read_error(reader, node_place(at, "collide"),
			   "collide: shell is for meshes; another shape can be a container, with collide: true");
	else if (source->collide != SPATE_COLLIDE_NOT && type != SPATE_SHAPE_MESH &&
		 !(plain && !shape_is_turned(&source->shape)))
		read_error(
		    reader, node_place(at, "collide"),
		    "this shape cannot be a wall; boxes without rotation, spheres, capsules, cylinders and meshes can, and "
		    "other walls are put together from several colliders");
}

// -------------------------------------------------------------------------------------------------------------- adding

static int wants_wall(const node *source)
{
	const node *collide = source->type == NODE_MAP ? node_get(source, "collide") : NULL;
	return collide && collide->type == NODE_SCALAR && strcmp(collide->text, "false") != 0;
}

const char *walls_name(const scene_reader *reader, uint32_t n)
{
	const node *sources = node_get(reader->root, "sources");
	for (const node *source = sources ? sources->first : NULL; source; source = source->next)
	{
		if (!wants_wall(source) || n-- > 0)
			continue;
		const node *name = node_get(source, "name");
		return name && name->type == NODE_SCALAR ? name->text : "";
	}
	return NULL;
}

static spate_collider_def wall_of(const spate_source_def *source)
{
	spate_collider_def c = spate_default_collider_def();
	const spate_wall_def *response = &source->wall;
	c.name = source->name;
	if (source->shape.type == SPATE_SHAPE_MESH)
	{
		uint32_t first = c.mesh.first;
		c.mesh = source->shape.mesh;
		c.mesh.first = first;
	}
	else
		c.shape = source->shape;
	c.mode = source->collide == SPATE_COLLIDE_SHELL ? SPATE_COLLIDER_SHELL : SPATE_COLLIDER_INSIDE;
	c.friction = response->friction;
	c.bounce = response->bounce;
	c.stickiness = response->stickiness;
	c.contact_angle = response->contact_angle;
	c.slip = response->slip;
	return c;
}

// Refuses a wall with the name of a collider: references could mean both.
static void check_name(scene_reader *reader, uint32_t s)
{
	const spate_world_def *world = &reader->scene->world;
	const node *source = node_item(node_get(reader->root, "sources"), s);
	const char *name = world->sources[s].name;
	for (uint32_t c = 0; name && c < world->collider_count; c++)
	{
		if (!world->colliders[c].name || strcmp(world->colliders[c].name, name) != 0)
			continue;
		snprintf(reader->path, PATH_CHARS, "sources.%u", s);
		read_error(
		    reader, node_place(source, "name"),
		    "the wall of the fill is called '%.60s' as well, and colliders.%u has that name; choose another",
		    name, c);
		reader->path[0] = '\0';
		return;
	}
}

void walls_add(scene_reader *reader)
{
	spate_world_def *world = &reader->scene->world;
	uint32_t count = 0;
	for (uint32_t s = 0; s < world->source_count; s++)
		count += world->sources[s].collide != SPATE_COLLIDE_NOT;
	if (count == 0)
		return;
	spate_collider_def *all =
	    node_pool_alloc(reader->memory, mem_product(world->collider_count + count, sizeof *all));
	if (!all)
		return;
	if (world->collider_count > 0)
		memcpy(all, world->colliders, world->collider_count * sizeof *all);
	uint32_t next = world->collider_count;
	for (uint32_t s = 0; s < world->source_count; s++)
		if (world->sources[s].collide != SPATE_COLLIDE_NOT)
		{
			check_name(reader, s);
			all[next++] = wall_of(&world->sources[s]);
		}
	world->colliders = all;
	world->collider_count = next;
	reader->scene->wall_count = count;
}
