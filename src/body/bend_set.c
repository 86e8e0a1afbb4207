#include "body/bend_set.h"

#include "base/error.h"
#include "base/memory.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

// How fast the force that is expected of the liquid follows what it gave. Impulses of single substeps are noise that would throw a light
// body about before the liquid can answer.
#define LEARN 0.2

// -------------------------------------------------------------------------------------------------------------- making

static const char *name_of(const spate_world_def *def, uint32_t body, char out[80])
{
	if (def->bodies[body].name)
		snprintf(out, 80, "body '%.60s'", def->bodies[body].name);
	else
		snprintf(out, 80, "body %u", body);
	return out;
}

static double area_of(const spate_mesh *mesh, uint32_t t)
{
	const float *p[3];
	for (size_t k = 0; k < 3; k++)
		p[k] = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)t + k];
	vec3 u = {p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]},
	     v = {p[2][0] - p[0][0], p[2][1] - p[0][1], p[2][2] - p[0][2]};
	return 0.5 * (double)vec3_length(vec3_cross(u, v));
}

// Edge of a square of the mean area of a triangle (m).
static double area_share(const spate_mesh *mesh)
{
	double area = 0.0;
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
		area += area_of(mesh, t);
	return mesh->triangle_count > 0 ? sqrt(area / mesh->triangle_count) : 0.0;
}

static deformable_def definition_of(const spate_body_def *def, const spate_mesh *mesh)
{
	int cloth = def->type == SPATE_BODY_CLOTH;
	deformable_def own = {.kind = cloth ? DEFORMABLE_CLOTH : DEFORMABLE_SOFT,
			      .mesh = mesh,
			      .density = cloth ? def->area_density : def->density,
			      .stiffness = def->stiffness > 0.0 ? def->stiffness
					   : cloth              ? 2000.0
								: 2e4,
			      .bending = def->bending,
			      .poisson = def->poisson >= 0.0 ? def->poisson
					 : cloth             ? 0.3
							     : 0.45,
			      .damping = def->damping,
			      .thickness = def->thickness >= 0.0 ? def->thickness : 0.3 * area_share(mesh),
			      .cell = def->cell,
			      .flat = def->flat};
	return own;
}

static int is_inside(const spate_shape *region, const double p[3])
{
	const double origin[3] = {0, 0, 0};
	solid_shape s = shape_make(region, origin);
	return shape_distance(&s, vec3_make((float)p[0], (float)p[1], (float)p[2])) <= 1e-6f;
}

static int add_pin(bend_body *b, const collider_set *set, uint32_t node, uint32_t to)
{
	bend_pin *pins = mem_realloc(b->pins, (b->pin_count + (size_t)1) * sizeof *pins);
	if (!pins)
		return 0;
	b->pins = pins;
	bend_pin *own = &pins[b->pin_count++];
	const double *x = deformable_places(b->own) + 3 * (size_t)node;
	*own = (bend_pin){.node = node, .collider = to};
	memcpy(own->place, x, sizeof own->place);
	if (to != UINT32_MAX)
	{
		const placement *at = &set->colliders[to].placed;
		for (int k = 0; k < 3; k++)
		{
			double sum = 0.0;
			for (int i = 0; i < 3; i++)
				sum += at->rotation[3 * i + k] * (x[i] - at->translation[i]);
			own->place[k] = sum / at->scale;
		}
	}
	deformable_pin(b->own, node);
	return 1;
}

static double height_of(const double up[3], const double p[3])
{
	return up[0] * p[0] + up[1] * p[1] + up[2] * p[2];
}

static spate_result make_pins(bend_set *set, bend_body *b, const spate_world_def *world, spate_error *error)
{
	const spate_body_def *def = &world->bodies[b->body];
	uint32_t count = deformable_count(b->own);
	const double *x = deformable_places(b->own);
	double top = -DBL_MAX, up[3] = {0, 1, 0}, pull = 0.0;
	char name[80];
	for (int i = 0; i < 3; i++)
		pull += world->gravity[i] * world->gravity[i];
	for (int i = 0; i < 3 && pull > 0.0; i++)
		up[i] = -world->gravity[i] / sqrt(pull);
	for (uint32_t n = 0; n < count; n++)
		top = fmax(top, height_of(up, x + 3 * (size_t)n));
	for (uint32_t p = 0; p < def->pin_count; p++)
	{
		const spate_pin_def *pin = &def->pins[p];
		uint32_t found = 0;
		if (pin->vertex != SPATE_NO_VERTEX && pin->vertex >= count)
			return error_set(error, SPATE_INVALID, "%s has no vertex %u to pin; its last one is %u",
					 name_of(world, b->body, name), pin->vertex, count - 1);
		for (uint32_t n = 0; n < count; n++)
		{
			const double *q = x + 3 * (size_t)n;
			double place[3] = {q[0] + set->colliders->origin[0], q[1] + set->colliders->origin[1],
					   q[2] + set->colliders->origin[2]};
			double below = top - height_of(up, q);
			int own = pin->vertex != SPATE_NO_VERTEX ? n == pin->vertex
				  : pin->top >= 0.0              ? below <= pin->top
								 : is_inside(&pin->shape, place);
			if (!own || deformable_is_pinned(b->own, n))
				continue;
			found++;
			if (!add_pin(b, set->colliders, n, pin->to))
				return error_memory(error, count * sizeof *b->pins);
		}
		if (found == 0)
			return error_set(error, SPATE_INVALID, "pins.%u of %s holds no vertex", p,
					 name_of(world, b->body, name));
	}
	return SPATE_OK;
}

static spate_result take_arrays(bend_body *b, spate_error *error)
{
	size_t vertices = 3 * (size_t)b->skin.vertices, nodes = 3 * (size_t)deformable_count(b->own);
	b->skin.sums = mem_calloc(vertices, sizeof *b->skin.sums);
	b->before = mem_calloc(vertices, sizeof *b->before);
	b->now = mem_calloc(vertices, sizeof *b->now);
	b->saved = mem_calloc(3 * nodes, sizeof *b->saved);
	double **by_vertex[] = {&b->skin.impulses, &b->predicted, &b->pushed, &b->changes, &b->answer},
	       **by_node[] = {&b->guess, &b->rest, &b->nodes[0], &b->nodes[1]};
	int failed = !b->skin.sums || !b->before || !b->now || !b->saved;
	for (size_t k = 0; k < sizeof by_vertex / sizeof *by_vertex; k++)
		failed |= !(*by_vertex[k] = mem_calloc(vertices, sizeof(double)));
	for (size_t k = 0; k < sizeof by_node / sizeof *by_node; k++)
		failed |= !(*by_node[k] = mem_calloc(nodes, sizeof(double)));
	return failed ? error_memory(error, (vertices + nodes) * 6 * sizeof(double)) : SPATE_OK;
}

// Impulses of contacts come from particles as they are, which may be much heavier than a vertex: one that got them at once would be
// thrown away faster than any particle moves. So it gets them as fast as if a layer of particles moved with it.
static spate_result find_shares(bend_body *b, const spate_world_def *world, spate_error *error)
{
	const spate_mesh *mesh = deformable_surface(b->own);
	uint32_t nodes = deformable_count(b->own);
	double *areas = mem_calloc(3 * (size_t)mesh->vertex_count, sizeof *areas), layer = 0.0;
	b->share = mem_alloc(3 * sizeof *b->share * nodes);
	if (!areas || !b->share)
	{
		mem_free(areas);
		return error_memory(error, nodes * sizeof *b->share);
	}
	for (uint32_t f = 0; f < world->fluid_count; f++)
		layer = fmax(layer, world->fluids[f].density * world->fluids[f].spacing);
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		const uint32_t *c = mesh->triangles + 3 * (size_t)t;
		for (int k = 0; k < 3; k++)
			areas[3 * (size_t)c[k]] += layer * area_of(mesh, t) / 3.0;
	}
	double *own = b->nodes[0];
	memset(own, 0, 3 * sizeof *own * nodes);
	deformable_spread(b->own, areas, own);
	for (uint32_t n = 0; n < nodes; n++)
	{
		double mass = deformable_masses(b->own)[n];
		b->share[n] = mass > 0.0 ? mass / (mass + own[3 * (size_t)n]) : 1.0;
	}
	mem_free(areas);
	return SPATE_OK;
}

static spate_result make(bend_set *set, uint32_t body, const spate_world_def *world, spate_error *error)
{
	const spate_body_def *def = &world->bodies[body];
	bend_body *b = &set->bodies[set->count++];
	*b = (bend_body){.body = body, .collider = def->collider, .friction = def->friction};
	const collider *solid = &set->colliders->colliders[b->collider];
	char name[80];
	spate_error own;
	if (!solid->mesh)
		return error_set(error, SPATE_INVALID, "%s needs a mesh to bend", name_of(world, body, name));
	deformable_def bending = definition_of(def, mesh_solid_mesh(solid->mesh));
	spate_result result = deformable_create(&b->own, &bending, &own);
	if (result != SPATE_OK)
		return error_set(error, result, "%s: %.300s", name_of(world, body, name), own.text);
	double *v = deformable_velocities(b->own);
	for (uint32_t n = 0; n < 3 * deformable_count(b->own); n++)
		v[n] = def->velocity[n % 3];
	const spate_mesh *surface = deformable_surface(b->own);
	b->skin = (load_skin){.mesh = solid->mesh, .triangles = surface->triangles, .vertices = surface->vertex_count};
	result = take_arrays(b, error);
	if (result == SPATE_OK)
		result = find_shares(b, world, error);
	return result == SPATE_OK ? make_pins(set, b, world, error) : result;
}

spate_result bend_set_create(bend_set *set, const spate_world_def *def, collider_set *colliders, int threads,
			     spate_error *error)
{
	uint32_t count = 0;
	*set = (bend_set){.colliders = colliders, .threads = threads};
	for (uint32_t b = 0; b < def->body_count; b++)
		count += def->bodies[b].type != SPATE_BODY_RIGID;
	if (count == 0)
		return SPATE_OK;
	set->bodies = mem_calloc(count, sizeof *set->bodies);
	set->bodies_of = mem_calloc(colliders->count, sizeof *set->bodies_of);
	set->skins = mem_calloc(colliders->count, sizeof *set->skins);
	if (!set->bodies || !set->bodies_of || !set->skins)
		return error_memory(error, count * sizeof *set->bodies);
	spate_result result = SPATE_OK;
	for (uint32_t b = 0; b < def->body_count && result == SPATE_OK; b++)
	{
		if (def->bodies[b].type == SPATE_BODY_RIGID)
			continue;
		result = make(set, b, def, error);
		set->bodies_of[def->bodies[b].collider] = set->count;
		set->skins[def->bodies[b].collider] = &set->bodies[set->count - 1].skin;
	}
	colliders->skins = set->skins;
	colliders->thin = 1;
	return result == SPATE_OK ? bend_set_place(set, error) : result;
}

void bend_set_destroy(bend_set *set)
{
	for (uint32_t k = 0; k < set->count; k++)
	{
		bend_body *b = &set->bodies[k];
		void *const blocks[] = {b->pins,      b->skin.sums, b->skin.impulses, b->before,   b->now,
					b->predicted, b->pushed,    b->changes,       b->guess,    b->rest,
					b->answer,    b->share,     b->nodes[0],      b->nodes[1], b->saved};
		deformable_destroy(b->own);
		for (size_t n = 0; n < sizeof blocks / sizeof *blocks; n++)
			mem_free(blocks[n]);
	}
	mem_free(set->bodies);
	mem_free(set->bodies_of);
	mem_free(set->skins);
	*set = (bend_set){0};
}

// --------------------------------------------------------------------------------------------------------------- walls

typedef struct surroundings
{
	const bend_set *set;
	const bend_body *own;
} surroundings;

// The nearest wall of other colliders.
static int feel(const void *context, const double p[3], double reach, deformable_wall *out)
{
	const surroundings *t = context;
	const collider_set *set = t->set->colliders;
	vec3 x = {(float)p[0], (float)p[1], (float)p[2]};
	float nearest = (float)reach;
	int found = 0;
	for (uint32_t c = 0; c < set->count; c++)
	{
		wall walls[SHAPE_MAX_WALLS];
		if (c == t->own->collider || collider_set_is_far(set, c, x, nearest))
			continue;
		int count = collider_set_walls_of(set, c, x, nearest, walls);
		for (int w = 0; w < count; w++)
		{
			if (!(walls[w].distance < nearest))
				continue;
			nearest = walls[w].distance;
			found = 1;
			vec3 n = walls[w].normal, foot = vec3_add_scaled(x, n, -nearest),
			     way = collider_set_travel(set, c, foot);
			*out = (deformable_wall){.normal = {(double)n.x, (double)n.y, (double)n.z},
						 .offset = (double)vec3_dot(n, foot),
						 .velocity = {(double)way.x / t->set->dt, (double)way.y / t->set->dt,
							      (double)way.z / t->set->dt},
						 .friction = t->own->friction};
		}
	}
	return found;
}

// ----------------------------------------------------------------------------------------------------------- a substep

static void save_nodes(const bend_body *b, int restore)
{
	size_t size = 3 * (size_t)deformable_count(b->own);
	double *own[2] = {deformable_places(b->own), deformable_velocities(b->own)};
	for (size_t k = 0; k < 2; k++)
		memcpy(restore ? own[k] : b->saved + k * size, restore ? b->saved + k * size : own[k],
		       size * sizeof *b->saved);
}

static void guide_pins(const bend_set *set, bend_body *b)
{
	for (uint32_t k = 0; k < b->pin_count; k++)
	{
		const bend_pin *pin = &b->pins[k];
		double to[3];
		memcpy(to, pin->place, sizeof to);
		if (pin->collider != UINT32_MAX)
		{
			const placement *at = &set->colliders->colliders[pin->collider].placed;
			for (size_t i = 0; i < 3; i++)
				to[i] = at->translation[i] + at->scale * (at->rotation[3 * i] * pin->place[0] +
									  at->rotation[3 * i + 1] * pin->place[1] +
									  at->rotation[3 * i + 2] * pin->place[2]);
		}
		deformable_guide(b->own, pin->node, to);
	}
}

static double speed_of(const bend_set *set, const bend_body *b)
{
	(void)set;
	return deformable_speed(b->own);
}

static spate_result bend(bend_set *set, bend_body *b, int moved, spate_error *error)
{
	deformable_show(b->own, moved ? b->before : NULL, b->now);
	if (!moved)
		memcpy(b->before, b->now, 3 * sizeof *b->now * b->skin.vertices);
	return mesh_solid_bend(set->colliders->colliders[b->collider].mesh, b->before, b->now, speed_of(set, b), error);
}

static spate_result predict(bend_set *set, bend_body *b, spate_error *error)
{
	surroundings t = {set, b};
	deformable_surroundings around = {.feel = feel, .context = &t, .threads = set->threads};
	memcpy(around.gravity, set->gravity, sizeof around.gravity);
	size_t nodes = 3 * (size_t)deformable_count(b->own);
	double *force = deformable_forces(b->own);
	for (size_t k = 0; k < nodes; k++)
		force[k] = b->guess[k];
	guide_pins(set, b);
	spate_result result = deformable_advance(b->own, &around, set->dt, error);
	if (result != SPATE_OK)
		return result;
	deformable_show(b->own, b->before, b->now);
	for (size_t k = 0; k < 3 * (size_t)b->skin.vertices; k++)
	{
		b->predicted[k] = ((double)b->now[k] - (double)b->before[k]) / set->dt;
		b->pushed[k] = 0.0;
	}
	for (size_t k = 0; k < nodes; k++)
		b->nodes[0][k] = b->share[k / 3] * b->rest[k] - b->guess[k] * set->dt;
	deformable_yield(b->own, b->nodes[0], b->nodes[1]);
	deformable_carry(b->own, b->nodes[1], b->answer);
	b->carried = 0;
	return mesh_solid_bend(set->colliders->colliders[b->collider].mesh, b->before, b->before, speed_of(set, b),
			       error);
}

spate_result bend_set_predict(bend_set *set, double begin, double end, const double gravity[3], spate_error *error)
{
	spate_result result = SPATE_OK;
	set->dt = end - begin;
	memcpy(set->gravity, gravity, sizeof set->gravity);
	// a substep that failed is predicted from where it began
	for (uint32_t k = 0; k < set->count; k++)
		save_nodes(&set->bodies[k], set->predicted);
	set->predicted = 1;
	for (uint32_t k = 0; k < set->count && result == SPATE_OK; k++)
		result = predict(set, &set->bodies[k], error);
	return result;
}

void bend_set_respond(bend_body *b)
{
	memset(b->nodes[0], 0, 3 * sizeof *b->nodes[0] * deformable_count(b->own));
	deformable_spread(b->own, b->pushed, b->nodes[0]);
	deformable_yield(b->own, b->nodes[0], b->nodes[1]);
	deformable_carry(b->own, b->nodes[1], b->changes);
}

spate_result bend_set_carry(bend_set *set, spate_error *error)
{
	spate_result result = SPATE_OK;
	for (uint32_t k = 0; k < set->count && result == SPATE_OK; k++)
	{
		bend_body *b = &set->bodies[k];
		size_t nodes = 3 * (size_t)deformable_count(b->own);
		memset(b->nodes[0], 0, nodes * sizeof *b->nodes[0]);
		deformable_spread(b->own, b->pushed, b->nodes[0]);
		for (size_t n = 0; n < nodes; n++)
		{
			double given = b->nodes[0][n];
			double own = b->share[n / 3] * b->rest[n];
			b->nodes[0][n] += own - b->guess[n] * set->dt;
			b->guess[n] += LEARN * ((given + own) / set->dt - b->guess[n]);
			b->rest[n] -= own;
		}
		deformable_yield(b->own, b->nodes[0], b->nodes[1]);
		deformable_take(b->own, b->nodes[1]);
		b->carried = 1;
		result = bend(set, b, 1, error);
	}
	return result;
}

spate_result bend_set_finish(bend_set *set, spate_error *error)
{
	spate_result result = SPATE_OK;
	// without liquid nobody has carried them
	int carried = set->count == 0 || set->bodies[0].carried;
	if (!carried)
		result = bend_set_carry(set, error);
	for (uint32_t k = 0; k < set->count && result == SPATE_OK; k++)
	{
		bend_body *b = &set->bodies[k];
		if (carried)
			deformable_spread(b->own, b->skin.impulses, b->rest);
		double speed = deformable_speed(b->own);
		if (!(speed <= set->speed_limit))
			return error_set(error, SPATE_DIVERGED, "body %u, which bends, became too fast (%g m/s)",
					 b->body, speed);
	}
	set->predicted = 0;
	return result;
}

spate_result bend_set_place(bend_set *set, spate_error *error)
{
	spate_result result = SPATE_OK;
	set->predicted = 0;
	for (uint32_t k = 0; k < set->count && result == SPATE_OK; k++)
		result = bend(set, &set->bodies[k], 0, error);
	return result;
}

// ---------------------------------------------------------------------------------------------------------------- state

void bend_set_save(const bend_set *set, byte_writer *to)
{
	bytes_put_u32(to, set->count);
	for (uint32_t k = 0; k < set->count; k++)
	{
		const bend_body *b = &set->bodies[k];
		size_t bytes = 3 * sizeof(double) * deformable_count(b->own);
		deformable_save(b->own, to);
		bytes_put(to, b->guess, bytes);
		bytes_put(to, b->rest, bytes);
	}
}

int bend_set_load(bend_set *set, byte_reader *from)
{
	if (bytes_get_u32(from) != set->count)
		return 0;
	for (uint32_t k = 0; k < set->count; k++)
	{
		bend_body *b = &set->bodies[k];
		size_t nodes = 3 * (size_t)deformable_count(b->own);
		if (!deformable_load(b->own, from))
			return 0;
		bytes_get(from, b->guess, nodes * sizeof *b->guess);
		bytes_get(from, b->rest, nodes * sizeof *b->rest);
		for (size_t n = 0; n < nodes; n++)
			if (!isfinite(b->guess[n]) || !isfinite(b->rest[n]))
				return 0;
	}
	return !from->ran_out;
}
