#include "scene/bodies.h"

#include "collider/motion.h"
#include "collider/shape.h"
#include "mesh/measure.h"
#include "scene/check.h"
#include "solver/solver.h"

#include <math.h>

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------------------ one body

static void check_rigid(scene_reader *reader, const node *at, const spate_body_def *body)
{
	const node *shape = node_get(at, "shape"), *density = node_get(at, "density"), *mass = node_get(at, "mass");
	static const char *const meshed[] = {"scale", "rotation", "position", "field"};
	if (shape && body->mesh.path)
		read_error(reader, node_get(at, "mesh")->named_at, "'mesh' and 'shape' exclude each other");
	else if (!shape && !body->mesh.path)
		read_error(reader, at->named_at, "a body needs a shape or a mesh, like mesh: duck.obj");
	else if (shape && body->shape.type == SPATE_SHAPE_PLANE)
		read_error(reader, shape->named_at, "a plane has no volume, so it cannot be a body");
	for (size_t k = 0; k < sizeof meshed / sizeof *meshed; k++)
		if (shape && node_get(at, meshed[k]))
			read_error(reader, node_get(at, meshed[k])->named_at,
				   "'%s' is for meshes; a shape says itself where it is, and tilt turns it", meshed[k]);
	if (density && body->density > 0.0 && mass && body->mass > 0.0)
		read_error(reader, mass->named_at, "'mass' and 'density' exclude each other");
	else if (density && body->density < 0.0 && !(body->mass > 0.0))
		read_error(reader, density->at, "density: auto needs a mass, like mass: 0.2");
}

void check_pin(scene_reader *reader, const node *at, const void *object)
{
	(void)object;
	int given = (node_get(at, "vertex") != NULL) + (node_get(at, "top") != NULL) + (node_get(at, "shape") != NULL);
	if (given != 1)
		read_error(reader, at->at, "a pin has one of vertex, top and shape, like { top: 0.01 }");
}

static void check_bending(scene_reader *reader, const node *at, const spate_body_def *body)
{
	if (!body->mesh.path)
		read_error(reader, at->named_at, "a body that bends needs a mesh, like mesh: bag.obj");
	if (body->type == SPATE_BODY_SOFT && body->density < 0.0)
		read_error(reader, node_place(at, "density"), "a soft body needs a density; auto is for rigid bodies");
}

void check_body(scene_reader *reader, const node *at, const void *object)
{
	const spate_body_def *body = object;
	if (body->type == SPATE_BODY_RIGID)
		check_rigid(reader, at, body);
	else
		check_bending(reader, at, body);
	const node *response = node_get(at, "wall");
	if (response)
	{
		check_contact_angle(reader, response);
		check_slip(reader, response);
	}
	if (body->name && strcmp(body->name, BODIES_WORLD) == 0)
		read_error(reader, node_place(at, "name"),
			   "'" BODIES_WORLD "' is what joints call that which never moves; choose another name");
	if (node_get(at, "motion") && body->release == 0.0)
		read_warning(reader, node_get(at, "motion")->named_at,
			     "motion has no effect without a time at which the body is released, like release: 2");
}

void check_joint(scene_reader *reader, const node *at, const void *object)
{
	const spate_joint_def *joint = object;
	if (joint->speed != 0.0 && !(joint->power > 0.0))
		read_warning(reader, node_place(at, "speed"), "speed has no effect without the power of a motor");
}

// -------------------------------------------------------------------------------------------------------------- adding

const char *bodies_name(const scene_reader *reader, uint32_t n)
{
	const node *list = node_get(reader->root, "bodies"),
		   *item = list && list->type == NODE_LIST ? list->first : NULL;
	for (; item && n > 0; n--)
		item = item->next;
	const node *name = item && item->type == NODE_MAP ? node_get(item, "name") : NULL;
	return !item ? NULL : name && name->type == NODE_SCALAR ? name->text : "";
}

static spate_collider_def collider_of(const spate_body_def *body)
{
	spate_collider_def c = spate_default_collider_def();
	c.name = body->name;
	c.shape = body->shape;
	c.mesh = body->mesh;
	c.friction = body->wall.friction;
	c.bounce = body->wall.bounce;
	c.stickiness = body->wall.stickiness;
	c.contact_angle = body->wall.contact_angle;
	c.slip = body->wall.slip;
	c.motion = body->motion;
	c.mode = body->type == SPATE_BODY_CLOTH ? SPATE_COLLIDER_SHELL : SPATE_COLLIDER_OUTSIDE;
	return c;
}

// Refuses a body with the name of a collider: references could mean both.
static void check_name(scene_reader *reader, uint32_t b, uint32_t colliders)
{
	const spate_world_def *world = &reader->scene->world;
	const char *name = world->bodies[b].name;
	for (uint32_t c = 0; name && c < colliders; c++)
	{
		if (!world->colliders[c].name || strcmp(world->colliders[c].name, name) != 0)
			continue;
		snprintf(reader->path, PATH_CHARS, "bodies.%u", b);
		read_error(reader, node_place(node_item(node_get(reader->root, "bodies"), b), "name"),
			   "a collider is called '%.60s' as well; choose another name", name);
		reader->path[0] = '\0';
		return;
	}
}

void bodies_add(scene_reader *reader)
{
	spate_world_def *world = &reader->scene->world;
	uint32_t first = world->collider_count, count = world->body_count;
	if (count == 0)
		return;
	spate_collider_def *all = node_pool_alloc(reader->memory, mem_product(first + count, sizeof *all));
	spate_body_def *bodies = node_pool_alloc(reader->memory, mem_product(count, sizeof *bodies));
	if (!all || !bodies)
		return;
	if (first > 0)
		memcpy(all, world->colliders, first * sizeof *all);
	memcpy(bodies, world->bodies, count * sizeof *bodies);
	const node *list = node_get(reader->root, "bodies");
	for (uint32_t b = 0; b < count; b++)
	{
		check_name(reader, b, first);
		const node *at = node_item(list, b);
		bodies[b].collider = first + b;
		if (bodies[b].mass > 0.0 && !(at->type == NODE_MAP && node_get(at, "density")))
			bodies[b].density = -1.0;
		all[first + b] = collider_of(&bodies[b]);
	}
	world->bodies = bodies;
	world->colliders = all;
	world->collider_count = first + count;
	reader->scene->wall_count += count;
}

// ------------------------------------------------------------------------------------------------------- several bodies

// Points on the surface of a shape: of the cube around it, moved onto it.
enum
{
	SIDE = 9
};

static void check_pair(scene_reader *reader, uint32_t first, uint32_t second)
{
	const spate_world_def *world = &reader->scene->world;
	const spate_body_def *a = &world->bodies[first], *b = &world->bodies[second];
	const double origin[3] = {0, 0, 0}, *no_tilt = origin;
	if (a->type != SPATE_BODY_RIGID || b->type != SPATE_BODY_RIGID || a->mesh.path || b->mesh.path ||
	    memcmp(a->tilt, no_tilt, sizeof a->tilt) != 0 || memcmp(b->tilt, no_tilt, sizeof b->tilt) != 0)
		return; // the world finds out
	solid_shape mine = shape_make(&a->shape, origin), other = shape_make(&b->shape, origin);
	double low[3], high[3], least = 0.0;
	shape_bounds(&a->shape, low, high);
	for (int k = 0; k < SIDE * SIDE * SIDE; k++)
	{
		int index[3] = {k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)};
		double p[3];
		for (int i = 0; i < 3; i++)
			p[i] = low[i] + (high[i] - low[i]) * index[i] / (SIDE - 1);
		vec3 q = {(float)p[0], (float)p[1], (float)p[2]};
		double deep = fmax((double)shape_distance(&mine, q), (double)shape_distance(&other, q));
		least = fmin(least, deep);
	}
	double size = fmin((double)shape_thickness(&mine), (double)shape_thickness(&other));
	if (!(least < -0.01 * size))
		return;
	snprintf(reader->path, PATH_CHARS, "bodies.%u", second);
	read_error(reader, node_item(node_get(reader->root, "bodies"), second)->at,
		   "it overlaps bodies.%u%s%.60s at the start by %.2g m; move one of them away", first,
		   a->name ? ", " : "", a->name ? a->name : "", -2.0 * least);
	reader->path[0] = '\0';
}

// What only the mesh of a body that bends can tell.
static void check_mesh(scene_reader *reader, uint32_t b)
{
	const spate_world_def *world = &reader->scene->world;
	const spate_body_def *body = &world->bodies[b];
	const node *at = node_item(node_get(reader->root, "bodies"), b), *pins = node_get(at, "pins");
	spate_mesh *mesh;
	spate_mesh_measure measure;
	if (body->type == SPATE_BODY_RIGID || !body->mesh.path ||
	    spate_mesh_read(&mesh, body->mesh.path, NULL) != SPATE_OK)
		return; // a file that cannot be read is somebody else's to report
	snprintf(reader->path, PATH_CHARS, "bodies.%u", b);
	if (world->solver.type != SOLVER_projection)
		read_error(reader, at->at, "bodies that bend need the solver projection; the scene asks for %s",
			   solver_name(world->solver.type));
	if (body->type == SPATE_BODY_SOFT && mesh_measure_all(&measure, mesh, NULL) == SPATE_OK && !measure.closed)
		read_error(reader, node_place(at, "mesh"),
			   "a soft body needs a closed mesh; this one has %llu open and %llu crowded edges",
			   (unsigned long long)measure.open_edges, (unsigned long long)measure.crowded_edges);
	for (uint32_t p = 0; p < body->pin_count && body->type == SPATE_BODY_CLOTH; p++)
		if (body->pins[p].vertex != SPATE_NO_VERTEX && body->pins[p].vertex >= mesh->vertex_count)
			read_error(reader, node_place(node_item(pins, p), "vertex"),
				   "the mesh has no vertex %u; its last one is %u", body->pins[p].vertex,
				   mesh->vertex_count - 1);
	reader->path[0] = '\0';
	spate_mesh_destroy(mesh);
}

// Bodies lighter than this part of the lightest liquid leap out of it with solvers that correct positions without them.
#define LIGHTEST 0.35

static void check_light(scene_reader *reader)
{
	const spate_world_def *world = &reader->scene->world;
	const char *solver = solver_name(world->solver.type);
	double lightest = INFINITY;
	for (uint32_t f = 0; f < world->fluid_count; f++)
		lightest = fmin(lightest, world->fluids[f].density);
	for (uint32_t b = 0; b < world->body_count; b++)
	{
		const spate_body_def *body = &world->bodies[b];
		double volume = body->mesh.path ? INFINITY : shape_volume(&body->shape);
		double density = body->mass > 0.0 ? body->mass / volume : body->density;
		if (body->type != SPATE_BODY_RIGID ||
		    (world->solver.type != SOLVER_pbf && world->solver.type != SOLVER_adaptive))
			continue;
		if (!(density > 0.0 && density < LIGHTEST * lightest && lightest < INFINITY))
			continue;
		snprintf(reader->path, PATH_CHARS, "bodies.%u", b);
		read_warning(
		    reader, node_item(node_get(reader->root, "bodies"), b)->at,
		    "its density of %.3g kg/m^3 is so much less than the liquid's that the solver %s may throw "
		    "it out; use the solver projection",
		    density, solver);
		reader->path[0] = '\0';
	}
}

void bodies_check(scene_reader *reader)
{
	const spate_world_def *world = &reader->scene->world;
	for (uint32_t b = 0; b < world->body_count; b++)
		check_mesh(reader, b);
	check_light(reader);
	for (uint32_t b = 1; b < world->body_count; b++)
		for (uint32_t a = 0; a < b; a++)
			check_pair(reader, a, b);
}
