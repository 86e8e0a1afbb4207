#include "scene/check.h"

#include "collider/shape.h"
#include "mesh/sequence.h"
#include "scene/bodies.h"
#include "scene/buffer.h"
#include "scene/measure.h"
#include "scene/read.h"
#include "scene/walls.h"
#include "source/opening.h"
#include "world/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static double distance(const double a[3], const double b[3])
{
	return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

// ---------------------------------------------------------------------------------------------------------- one object

void check_box(scene_reader *reader, const node *at, const void *object)
{
	const spate_shape *def = object;
	for (int i = 0; i < 3; i++)
		if (!(def->a[i] < def->b[i]))
		{
			char low[NUMBER_CHARS], high[NUMBER_CHARS];
			read_error(reader, node_place(at, "max"),
				   "max must be greater than min on every axis; on %c it is %s, and min is %s", 'x' + i,
				   number_text(high, def->b[i]), number_text(low, def->a[i]));
		}
}

void check_axis(scene_reader *reader, const node *at, const void *object)
{
	const spate_shape *def = object;
	if (!(distance(def->a, def->b) > 1e-9))
		read_error(reader, node_place(at, "to"), "from and to must not be the same point");
}

void check_ellipsoid(scene_reader *reader, const node *at, const void *object)
{
	const spate_shape *def = object;
	for (int k = 0; k < 3; k++)
		if (!(def->b[k] > 0.0))
		{
			char text[NUMBER_CHARS];
			read_error(reader, node_place(at, "radii"), "radii must be above 0; along %c it is %s", 'x' + k,
				   number_text(text, def->b[k]));
		}
}

void check_enclosed(scene_reader *reader, const node *at, const void *object)
{
	const spate_shape *def = object;
	if (def->mesh.path && sequence_is_pattern(def->mesh.path))
		read_error(reader, node_place(at, "path"),
			   "a sequence cannot be used here; name one of its files, like cloth_0001.obj");
}

void check_motion(scene_reader *reader, const node *at, const void *object)
{
	const spate_motion *motion = object;
	const node *keyframes = node_get(at, "keyframes");
	const node *item = keyframes ? keyframes->first : NULL;
	for (uint32_t i = 1; i < motion->keyframe_count && item; i++)
	{
		item = item->next;
		double before = motion->keyframes[i - 1].time, now = motion->keyframes[i].time;
		char a[NUMBER_CHARS], b[NUMBER_CHARS];
		if (!(now > before) && item)
			read_error(reader, node_place(item, "time"),
				   "the times of keyframes must increase; keyframe %u is at %s s, after one at %s s", i,
				   number_text(b, now), number_text(a, before));
	}
}

void check_probe(scene_reader *reader, const node *at, const void *object)
{
	const spate_probe_def *probe = object;
	if (probe->type == SPATE_PROBE_HEIGHT && !(distance(probe->a, probe->b) > 1e-9))
		read_error(reader, node_place(at, "to"), "from and to must not be the same point");
}

void check_camera(scene_reader *reader, const node *at, const void *object)
{
	const spate_camera_def *c = object;
	double far = distance(c->position, c->target);
	if (!(far > 1e-9))
	{
		read_error(reader, node_place(at, "position"), "position and target must not be the same point");
		return;
	}
	const double view[3] = {(c->target[0] - c->position[0]) / far, (c->target[1] - c->position[1]) / far,
				(c->target[2] - c->position[2]) / far};
	const double cross[3] = {view[1] * c->up[2] - view[2] * c->up[1], view[2] * c->up[0] - view[0] * c->up[2],
				 view[0] * c->up[1] - view[1] * c->up[0]};
	const double zero[3] = {0};
	if (!(distance(cross, zero) > 1e-6 * distance(c->up, zero)))
		read_error(reader, node_place(at, "up"),
			   "the camera looks along its own up direction; set up to another axis");
}

// Whether a plane is filled, and not taken away.
static int has_plane(const spate_shape *shape, int taken)
{
	int found = shape->type == SPATE_SHAPE_PLANE && !taken;
	for (uint32_t n = 0; n < shape->part_count && !found; n++)
		found = has_plane(&shape->parts[n], shape->type == SPATE_SHAPE_DIFFERENCE && n > 0);
	return found;
}

// Finds a level that leaves nothing of a shape.
static void check_level(scene_reader *reader, const node *at, const spate_source_def *source)
{
	double low[3], high[3], lowest = 0.0, length = distance(source->level_up, (const double[3]){0, 0, 0});
	if (!(source->level < INFINITY) || shape_is_unread(&source->shape) || !shape_bounds(&source->shape, low, high))
		return;
	for (int k = 0; k < 3; k++)
		lowest += fmin(low[k] * source->level_up[k], high[k] * source->level_up[k]) / length;
	char level[NUMBER_CHARS], bottom[NUMBER_CHARS];
	if (!(source->level > lowest))
		read_error(reader, node_place(at, "level"),
			   "the level of %s m is below the shape, which begins at %s m, so there is nothing to fill",
			   number_text(level, source->level), number_text(bottom, lowest));
}

static void check_fill(scene_reader *reader, const node *at, const spate_source_def *source, double spacing)
{
	char size[NUMBER_CHARS], least[NUMBER_CHARS];
	double width = shape_width(&source->shape);
	if (has_plane(&source->shape, 0))
		read_error(
		    reader, node_place(at, "shape"),
		    "a plane has no interior to fill; it can only be taken away, as a later shape of a difference");
	else if (!(width >= spacing * (1.0 - 1e-9)))
		read_error(reader, node_place(at, "shape"),
			   "the shape is %s m wide, less than the fluid's spacing of %s m", number_text(size, width),
			   number_text(least, spacing));
	else if (node_get(at, "position"))
		read_error(reader, node_get(at, "position")->named_at,
			   "'position' is for fills that start from a file; a shape says itself where it is");
	else
	{
		check_level(reader, at, source);
		walls_check(reader, at, source);
	}
}

// Times, of what pours.
static void check_stop(scene_reader *reader, const node *at, const spate_source_def *source)
{
	char start[NUMBER_CHARS], stop[NUMBER_CHARS];
	if (source->stop >= 0.0 && !(source->stop > source->start))
		read_error(reader, node_place(at, "stop"), "stop must be after start; it is %s s, and start is %s s",
			   number_text(stop, source->stop), number_text(start, source->start));
}

// How much is poured has to be said once.
static int check_amount(scene_reader *reader, const node *at, const spate_source_def *source)
{
	int flow = node_get(at, "flow") != NULL, count = node_get(at, "count") != NULL;
	if (!flow && !count && source->type == SPATE_SOURCE_VOLUME)
		read_error(reader, at->named_at, "a volume needs a flow, like flow: 2.0e-4, or a count");
	else if (!flow && !count && !node_get(at, "speed"))
		read_error(reader, at->named_at,
			   "%s needs a speed, like speed: 1.5, or a flow, like flow: 2.0e-4, or a count",
			   source->type == SPATE_SOURCE_SURFACE ? "a surface" : "an emitter");
	else if (flow && count)
		read_error(reader, node_place(at, "count"), "flow and count exclude each other");
	else if (count && source->stop < 0.0)
		read_error(reader, node_place(at, "count"), "count needs a time at which the %s stops, like stop: 2.5",
			   source->type == SPATE_SOURCE_EMITTER ? "emitter" : "source");
	else
		return 1;
	return 0;
}

// Warns of a flow that cannot pass the opening at the given speed, and of a jet too thin for its particles.
static void check_jet(scene_reader *reader, const node *at, const spate_source_def *source, double spacing)
{
	const char *key = source->count > 0 ? "count" : "flow";
	if (!(source->flow > 0.0 || source->count > 0) || !(source->speed > 0.0) || !(spacing > 0.0))
		return;
	spate_source_def free = *source;
	free.speed = -1.0;
	double half[2], wanted = emitter_flow(&free, spacing), area = emitter_area(source, spacing);
	emitter_size(source, spacing, half);
	if (wanted > source->speed * area * (1.0 + 1e-6))
		read_warning(
		    reader, node_place(at, key),
		    "at this speed only %.3g m^3/s of %.3g pass the opening; widen it, raise the speed, or leave "
		    "out one of flow and speed",
		    source->speed * area, wanted);
	else if (fmin(half[0], half[1]) < 0.499 * spacing)
		read_warning(
		    reader, node_place(at, key),
		    "at this speed the jet is %.3g m thick, less than the fluid's spacing of %.3g m, so it is a row "
		    "of drops; lower the speed or raise the flow",
		    2.0 * fmin(half[0], half[1]), spacing);
}

static void check_emitter(scene_reader *reader, const node *at, const spate_source_def *source, double spacing)
{
	int round = source->radius > 0.0, flat = source->width > 0.0 || source->height > 0.0;
	int open = round + flat == 1 && (round || source->width > 0.0);
	if (round + flat != 1)
		read_error(reader, at->named_at, "an emitter has either a radius or a width");
	else if (!open)
		read_error(reader, node_place(at, "height"), "an emitter with a height needs a width, too");
	else
	{
		char size[NUMBER_CHARS], least[NUMBER_CHARS];
		double width = round                  ? 2.0 * source->radius
			       : source->height > 0.0 ? fmin(source->width, source->height)
						      : source->width;
		if (!(width >= spacing * (1.0 - 1e-9)))
			read_error(reader, node_place(at, round ? "radius" : "width"),
				   "the opening is %s m wide, less than the fluid's spacing of %s m",
				   number_text(size, width), number_text(least, spacing));
	}
	if (check_amount(reader, at, source) && open)
		check_jet(reader, at, source, spacing);
	check_stop(reader, at, source);
}

// What can be told without the mesh; meshes.c tells the rest.
static void check_surface(scene_reader *reader, const node *at, const spate_source_def *source)
{
	if (source->shape.type != SPATE_SHAPE_MESH)
		read_error(reader, node_place(at, "shape"),
			   "only a mesh has a surface to pour from, like shape: { mesh: { path: idol.obj } }; other "
			   "shapes can be of type volume");
	check_amount(reader, at, source);
	check_stop(reader, at, source);
}

void check_outflow(problem_list *problems, place where, const char *path, const spate_world_def *world,
		   const spate_source_def *source)
{
	double low[3], high[3], size[3], spacing = world->fluids[source->fluid].spacing;
	double height = 0.0, g = 0.0, flow = emitter_flow(source, spacing);
	if (shape_is_unread(&source->shape) || !shape_bounds(&source->shape, low, high))
		return;
	for (int k = 0; k < 3; k++)
	{
		size[k] = high[k] - low[k];
		height += fabs(world->gravity[k]) * size[k];
		g = fmax(g, fabs(world->gravity[k]));
	}
	// through three sides of the box around it, as fast as what falls from its top
	double speed = emitter_speed(source, spacing) + sqrt(2.0 * height),
	       area = size[0] * size[1] + size[1] * size[2] + size[2] * size[0], most = area * speed;
	if (g > 0.0 && flow > most)
		problem_add(
		    problems, 1, where, path,
		    "no more than about %.3g m^3/s of %.3g find room, because what appears leaves the shape at %.3g "
		    "m/s at most; enlarge the shape, or give the particles a velocity",
		    most, flow, speed);
}

static void check_volume(scene_reader *reader, const node *at, const spate_source_def *source, double spacing)
{
	check_fill(reader, at, source, spacing);
	check_stop(reader, at, source);
	if (check_amount(reader, at, source) && source->fluid < reader->scene->world.fluid_count)
		check_outflow(reader->problems, node_place(at, source->count > 0 ? "count" : "flow"), reader->path,
			      &reader->scene->world, source);
}

// Damping replaces viscosity, whether the source or the fluid sets it.
static void check_material(scene_reader *reader, const node *at, const spate_source_def *source)
{
	const spate_world_def *world = &reader->scene->world;
	int by_fluid = source->fluid < world->fluid_count && world->fluids[source->fluid].damping >= 0.0;
	if (source->material.viscosity >= 0.0 && (source->material.damping >= 0.0 || by_fluid))
		read_warning(reader, node_place(at, "viscosity"),
			     "viscosity has no effect: the damping of %s replaces it",
			     source->material.damping >= 0.0 ? "the source" : "its fluid");
}

// A fill that starts from a file takes its particles as they are.
static void check_from(scene_reader *reader, const node *at, const spate_source_def *source)
{
	const struct
	{
		const char *key;
		int given;
	} rows[] = {{"shape", node_get(at, "shape") != NULL},
		    {"collide", source->collide != SPATE_COLLIDE_NOT},
		    {"wall", node_get(at, "wall") != NULL},
		    {"level", source->level < INFINITY},
		    {"spin", distance(source->spin, (const double[3]){0, 0, 0}) > 0.0},
		    {"layout", source->layout != SPATE_LAYOUT_LATTICE},
		    {"jitter", source->jitter > 0.0},
		    {"limit", source->limit > 0}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].given)
			read_error(reader, node_get(at, rows[i].key)->named_at,
				   "'%s' and 'from' exclude each other: the particles begin as the file has them",
				   rows[i].key);
}

void check_source(scene_reader *reader, const node *at, const void *object)
{
	const spate_source_def *source = object;
	const spate_world_def *world = &reader->scene->world;
	double spacing = source->fluid < world->fluid_count ? world->fluids[source->fluid].spacing : 0.0;
	if (source->type == SPATE_SOURCE_FILL && source->from)
		check_from(reader, at, source);
	else if (source->type == SPATE_SOURCE_FILL)
		check_fill(reader, at, source, spacing);
	else if (source->type == SPATE_SOURCE_SURFACE)
		check_surface(reader, at, source);
	else if (source->type == SPATE_SOURCE_VOLUME)
		check_volume(reader, at, source, spacing);
	else
		check_emitter(reader, at, source, spacing);
	check_material(reader, at, source);
	double length = reader->scene->frames / world->fps;
	char start[NUMBER_CHARS];
	if (source->start >= length)
		read_warning(reader, node_place(at, "start"), "it starts at %s s, but the scene ends after %.4g s",
			     number_text(start, source->start), length);
}

void check_sink(scene_reader *reader, const node *at, const void *object)
{
	const spate_sink_def *sink = object;
	int shape = node_get(at, "shape") != NULL, everywhere = sink->outside == SPATE_SINK_EVERYWHERE;
	if (!shape && !everywhere)
		read_error(reader, at->named_at, "a sink needs a shape, or remove: everywhere");
	else if (shape && everywhere)
		read_error(reader, node_place(at, "shape"), "a sink that is everywhere has no shape; leave it out");
	else if (everywhere && !(sink->age > 0.0) && !(sink->speed > 0.0) && !(sink->flow > 0.0) &&
		 sink->isolation == 0)
		read_warning(reader, at->named_at,
			     "it removes all liquid at once; add an age, a speed, a flow or an isolation");
	if (sink->isolated_for > 0.0 && sink->isolation == 0)
		read_error(
		    reader, node_place(at, "isolated_for"),
		    "isolated_for needs the number of neighbours below which a particle is isolated, like isolation: 3");
}

void check_sequence(scene_reader *reader, const node *at, const void *object)
{
	const spate_mesh_def *mesh = object;
	if (mesh->last < mesh->first)
		read_error(reader, node_place(at, "last"), "last must not be below first; it is %u, and first is %u",
			   mesh->last, mesh->first);
}

void check_field(scene_reader *reader, const node *at, const void *object)
{
	const spate_mesh_def *mesh = object;
	char cell[NUMBER_CHARS], band[NUMBER_CHARS];
	if (mesh->cell > 0.0 && mesh->band > 0.0 && mesh->band < 2.0 * mesh->cell)
		read_error(reader, node_place(at, "band"),
			   "band must be at least two cells wide; it is %s m, and cell is %s m",
			   number_text(band, mesh->band), number_text(cell, mesh->cell));
}

static void check_mesh(scene_reader *reader, const node *at, const spate_collider_def *collider)
{
	int pattern = sequence_is_pattern(collider->mesh.path), sequence = node_get(at, "sequence") != NULL;
	if (pattern && !sequence)
		read_error(
		    reader, node_place(at, "mesh"),
		    "the name has a placeholder for the frame number, but 'sequence' is missing, like sequence: { first: 1, last: "
		    "40 }");
	else if (!pattern && sequence)
		read_error(
		    reader, node_place(at, "sequence"),
		    "a sequence needs exactly one placeholder for the frame number in the name of the mesh, like mesh: cloth_%%04d.obj");
}

// A map scales a number, which must be set.
static void check_map(scene_reader *reader, const node *at, const char *map, const char *number, double value)
{
	if (node_get(at, map) && value == 0.0)
		read_warning(reader, node_place(at, map), "%s has no effect: %s, which it multiplies, is 0", map,
			     number);
}

void check_collider(scene_reader *reader, const node *at, const void *object)
{
	const spate_collider_def *collider = object;
	if (collider->mesh.path)
		check_mesh(reader, at, collider);
	else if (collider->mode == SPATE_COLLIDER_SHELL)
		read_error(reader, node_place(at, "mode"),
			   "mode shell is for meshes; a shape can be outside or inside");
	check_map(reader, at, "friction_map", "friction", collider->friction);
	check_map(reader, at, "bounce_map", "bounce", collider->bounce);
	check_map(reader, at, "stickiness_map", "stickiness", collider->stickiness);
	check_contact_angle(reader, at);
	check_slip(reader, at);
}

// ----------------------------------------------------------------------------------------------------- several objects

// Finds elements of a list with the same name.
static void check_names(scene_reader *reader, const char *list)
{
	const node *items = node_get(reader->root, list);
	uint32_t i = 0;
	for (const node *item = items ? items->first : NULL; item; item = item->next, i++)
	{
		const node *name = node_get(item, "name");
		uint32_t j = 0;
		for (const node *other = items->first; name && name->type == NODE_SCALAR && other != item && i < 1000;
		     other = other->next, j++)
		{
			const node *twin = node_get(other, "name");
			if (twin && twin->type == NODE_SCALAR && strcmp(twin->text, name->text) == 0)
			{
				snprintf(reader->path, PATH_CHARS, "%s.%u", list, i);
				read_error(reader, name->at, "the name '%.60s' is already used by %s.%u", name->text,
					   list, j);
				reader->path[0] = '\0';
				break;
			}
		}
	}
}

// Particles have one time of isolation, which is that of one number of neighbours.
static void check_isolation(scene_reader *reader)
{
	const spate_world_def *world = &reader->scene->world;
	const node *sinks = node_get(reader->root, "sinks");
	uint32_t first = 0;
	while (first < world->sink_count && !(world->sinks[first].isolated_for > 0.0))
		first++;
	for (uint32_t s = first + 1; s < world->sink_count; s++)
		if (world->sinks[s].isolated_for > 0.0 && world->sinks[s].isolation != world->sinks[first].isolation)
		{
			snprintf(reader->path, PATH_CHARS, "sinks.%u", s);
			read_error(
			    reader, node_place(node_item(sinks, s), "isolation"),
			    "all sinks with isolated_for must have the same isolation; it is %u, and that of sinks.%u is %u",
			    world->sinks[s].isolation, first, world->sinks[first].isolation);
			reader->path[0] = '\0';
		}
}

// Finds pairs of fluids that have two interfaces.
static void check_interfaces(scene_reader *reader)
{
	const spate_world_def *world = &reader->scene->world;
	const node *items = node_get(reader->root, "interfaces");
	for (uint32_t i = 1; i < world->interface_count; i++)
		for (uint32_t j = 0; j < i; j++)
		{
			const uint32_t *a = world->interfaces[i].fluids, *b = world->interfaces[j].fluids;
			if (!(a[0] == b[0] && a[1] == b[1]) && !(a[0] == b[1] && a[1] == b[0]))
				continue;
			snprintf(reader->path, PATH_CHARS, "interfaces.%u", i);
			read_error(reader, node_item(items, i)->at,
				   "'%.60s' and '%.60s' have a tension already, by interfaces.%u",
				   world->fluids[a[0]].name, world->fluids[a[1]].name, j);
			reader->path[0] = '\0';
			break;
		}
}

static void check_fluids(scene_reader *reader)
{
	const spate_world_def *world = &reader->scene->world;
	const node *fluids = node_get(reader->root, "fluids");
	uint32_t finest = 0;
	for (uint32_t i = 1; i < world->fluid_count; i++)
		if (world->fluids[i].spacing < world->fluids[finest].spacing)
			finest = i;
	for (uint32_t i = 0; i < world->fluid_count; i++)
	{
		const spate_fluid_def *fluid = &world->fluids[i];
		const node *at = node_item(fluids, i);
		snprintf(reader->path, PATH_CHARS, "fluids.%s", fluid->name);
		check_spacing(reader, at, fluid);
		// 2.16^3 = 10: at most ten fine particles in the volume of a coarse one
		if (fluid->spacing > 2.16 * world->fluids[finest].spacing)
			read_warning(
			    reader, node_place(at, "spacing"),
			    "its spacing is %.3g times that of '%s'; where they meet, the interface will be rough",
			    fluid->spacing / world->fluids[finest].spacing, world->fluids[finest].name);
		int used = 0;
		for (uint32_t s = 0; s < world->source_count; s++)
			used |= source_gives(&world->sources[s], i);
		if (!used && world->source_count > 0)
			read_warning(reader, at->named_at, "no source emits this fluid");
	}
	reader->path[0] = '\0';
	if (world->source_count == 0 && reader->problems->errors == 0)
		read_warning(reader, reader->root->at, "there are no sources: the scene has no liquid");
}

// Whether the scene's world will have a field.
static int has_field(const spate_world_def *world, const world_field *field)
{
	int has = field->origin == FIELD_OF_CORE || field->origin == FIELD_AUTOMATIC ||
		  (field->origin == FIELD_OF_SOLVER && field->which == (uint32_t)world->solver.type);
	for (uint32_t s = 0; s < world->source_count && field->origin == FIELD_OF_MATERIAL; s++)
		has |= material_of_source(&world->sources[s], (material_id)field->which) >= 0.0;
	return has;
}

static void check_written(scene_reader *reader, const char *name, place at)
{
	world_field field;
	for (uint32_t n = 0; world_field_at(n, &field); n++)
		if (strcmp(field.def->name, name) == 0 && has_field(&reader->scene->world, &field))
			return;
	if (!world_field_find(name, &field))
		return;
	if (field.origin == FIELD_OF_MATERIAL)
		read_error(reader, at, "cannot write channel '%s': no source sets %s", name, field.by);
	else
		read_error(reader, at, "cannot write channel '%s': only the solver %s has it", name, field.by);
}

static void check_channels(scene_reader *reader)
{
	const spate_output_def *output = &reader->scene->output;
	const node *at = node_get(reader->root, "output");
	const node *channels = at ? node_get(at, "channels") : NULL;
	snprintf(reader->path, PATH_CHARS, "output");
	for (uint32_t c = 0; channels && c < output->channel_count; c++)
		check_written(reader, output->channels[c], node_item(channels, c)->at);
	reader->path[0] = '\0';
}

void say_count(char out[NUMBER_CHARS], double count)
{
	static const struct
	{
		double size;
		const char *name;
	} scales[] = {{1e15, "quadrillion"}, {1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}, {1e3, "thousand"}};
	size_t i = 0;
	while (i < 5 && count < scales[i].size)
		i++;
	if (i == 5)
		snprintf(out, NUMBER_CHARS, "%.0f", count);
	else
		snprintf(out, NUMBER_CHARS, "%.*f %s", count < 10.0 * scales[i].size, count / scales[i].size,
			 scales[i].name);
}

// Finds particle counts beyond the range of row numbers, and memory beyond that of the machine.
static void check_size(scene_reader *reader)
{
	const node *sources = node_get(reader->root, "sources");
	double particles = 0.0;
	for (uint32_t f = 0; f < reader->scene->world.fluid_count; f++)
		particles += scene_particles(reader->scene, f);
	double bytes = particles * SPATE_ESTIMATE_BYTES;
	double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
	char count[NUMBER_CHARS];
	say_count(count, particles);
	if (!sources)
		return;
	if (!(particles < 2147483648.0))
		read_error(reader, sources->named_at,
			   "the sources make about %s particles, "
			   "more than the 2.1 billion that can be numbered; a larger spacing makes fewer",
			   count);
	else if (machine > 0.0 && bytes > machine)
		read_error(reader, sources->named_at,
			   "about %s particles need about %.0f GB of memory, "
			   "and this machine has %.0f GB; spacings %.2g times as large would fit",
			   count, bytes / 1e9, machine / 1e9, cbrt(bytes / machine) * 1.05);
}

// Whether a top-level key was read without an error.
static int is_sound(const scene_reader *reader, const char *key)
{
	size_t length = strlen(key);
	const node *n = node_get(reader->root, key);
	for (size_t i = 0; i < reader->problems->items.count; i++)
	{
		const spate_problem *problem = &reader->problems->items.data[i];
		int inside = strncmp(problem->path, key, length) == 0;
		int itself = n && problem->path[0] == '\0' && problem->line == n->at.line &&
			     problem->column == n->at.column &&
			     strcmp(problem->file, n->at.file ? n->at.file : "") == 0;
		if (!problem->warning && (inside || itself))
			return 0;
	}
	return reader->problems->hidden == 0;
}

void check_scene(scene_reader *reader)
{
	check_names(reader, "sources");
	check_names(reader, "colliders");
	check_names(reader, "bodies");
	check_names(reader, "joints");
	check_names(reader, "sinks");
	check_names(reader, "forces");
	if (is_sound(reader, "sinks"))
		check_isolation(reader);
	if (reader->scene->world.force_count > SPATE_MOST_FORCES)
		read_error(reader, node_get(reader->root, "forces")->named_at,
			   "a scene has at most %d forces; here are %u", SPATE_MOST_FORCES,
			   reader->scene->world.force_count);
	if (is_sound(reader, "bodies"))
		bodies_check(reader);
	if (is_sound(reader, "solver") && is_sound(reader, "cameras"))
		check_cameras(reader);
	if (!is_sound(reader, "fluids") || !is_sound(reader, "sources") || reader->scene->world.fluid_count == 0)
		return;
	if (is_sound(reader, "interfaces"))
		check_interfaces(reader);
	check_fluids(reader);
	check_size(reader);
	if (is_sound(reader, "output"))
		check_channels(reader);
	if (is_sound(reader, "colliders") && is_sound(reader, "forces"))
		check_forces(reader);
	if (is_sound(reader, "colliders") && reader->problems->errors == 0)
		check_liquid(reader);
}
