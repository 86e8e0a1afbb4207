#include "collider/collider.h"

#include "base/error.h"
#include "base/memory.h"

#include <assert.h>
#include <float.h>
#include <string.h>

// Stickiness s slows particles down at this rate (1/s) times s / (1 - s), up to this far from a wall (in contact
// distances).
#define STICK_RATE 50.0f
#define STICK_REACH 1.5f

// A particle that starts a step too close to a wall is moved away by at most this fraction of the contact distance per
// step.
#define EASE 0.25f

// Creates the maps of coefficients. Textures use the UVs of a sequence's first frame.
static spate_result make_maps(collider *own, const spate_collider_def *def, spate_error *error)
{
	const spate_mesh *mesh = own->mesh ? mesh_solid_mesh(own->mesh) : NULL;
	const char *owner = def->mesh.path ? def->mesh.path : def->name ? def->name : "a collider's mesh";
	int wanted =
	    def->friction_map.texture || def->bounce_map.texture || def->stickiness_map.texture || def->wet.size > 0;
	if (mesh && mesh->uvs && wanted)
	{
		size_t bytes = 6 * sizeof *own->uvs * mesh->triangle_count;
		own->uvs = mem_alloc(bytes);
		if (!own->uvs)
			return error_memory(error, bytes);
		memcpy(own->uvs, mesh->uvs, bytes);
	}
	if (def->wet.size > 0 && !own->uvs)
		return error_set(error, SPATE_INVALID, "%s has no UVs, which wet_map needs", owner);
	const struct
	{
		surface_map *map;
		const spate_map_def *def;
		double value, most;
		const char *what;
	} maps[] = {{&own->friction, &def->friction_map, def->friction, (double)FLT_MAX, "friction_map"},
		    {&own->bounce, &def->bounce_map, def->bounce, 1.0, "bounce_map"},
		    {&own->stickiness, &def->stickiness_map, def->stickiness, 1.0, "stickiness_map"}};
	spate_result result = SPATE_OK;
	for (size_t k = 0; k < sizeof maps / sizeof *maps && result == SPATE_OK; k++)
		result = surface_map_create(maps[k].map, maps[k].def, maps[k].value, maps[k].most, mesh, own->uvs,
					    maps[k].what, owner, error);
	return result;
}

// Exactly 0 at a right angle.
static float cling_of(const spate_collider_def *def)
{
	return def->contact_angle == 90.0 ? 0.0f : (float)cos(def->contact_angle * (3.14159265358979323846 / 180.0));
}

void collider_set_change(collider_set *set, uint32_t number, const spate_collider_def *def)
{
	collider *own = &set->colliders[number];
	own->cling = cling_of(def);
	own->slip = (float)def->slip;
	own->friction.value = (float)def->friction;
	own->bounce.value = (float)def->bounce;
	own->stickiness.value = (float)def->stickiness;
}

spate_result collider_set_create(collider_set *set, const spate_collider_def *defs, uint32_t count,
				 const collider_world *world, spate_error *error)
{
	*set = (collider_set){.origin = {world->origin[0], world->origin[1], world->origin[2]}};
	if (count == 0)
		return SPATE_OK;
	set->colliders = mem_calloc(count, sizeof *set->colliders);
	set->centres = mem_calloc(count, sizeof *set->centres);
	if (!set->colliders || !set->centres)
	{
		collider_set_destroy(set);
		return error_memory(error, count * (sizeof *set->colliders + sizeof *set->centres));
	}
	spate_result result = SPATE_OK;
	for (uint32_t c = 0; c < count && result == SPATE_OK; c++)
	{
		collider *own = &set->colliders[set->count++];
		own->mode = defs[c].mode;
		own->cling = cling_of(&defs[c]);
		own->slip = (float)defs[c].slip;
		if (defs[c].name && !(own->name = mem_strdup(defs[c].name)))
			result = error_memory(error, strlen(defs[c].name));
		if (result == SPATE_OK)
			result = pose_source_of_motion(&own->defined, &defs[c].motion, world->origin, error);
		own->pose = own->defined;
		if (result == SPATE_OK && (defs[c].mesh.path || defs[c].mesh.mesh))
		{
			result = mesh_solid_create(&own->mesh, &defs[c].mesh, own->mode, world, error);
			set->meshes++;
			set->thin |= result == SPATE_OK && mesh_solid_is_thin(own->mesh);
		}
		else
		{
			own->shape = shape_make(&defs[c].shape, world->origin);
			own->thin = own->mode == SPATE_COLLIDER_OUTSIDE && shape_thickness(&own->shape) < world->radius;
			set->thin |= own->thin;
		}
		if (result == SPATE_OK)
			result = make_maps(own, &defs[c], error);
	}
	if (result == SPATE_OK)
		result = collider_set_move(set, 0.0, 0.0, error);
	if (result != SPATE_OK)
		collider_set_destroy(set);
	return result;
}

// Goes back to the motion of the definition.
static void drop_callback(collider *own)
{
	if (own->pose.self != own->defined.self)
		pose_source_destroy(&own->pose);
	own->pose = own->defined;
}

void collider_set_destroy(collider_set *set)
{
	assert(set->colliders || set->count == 0);
	for (uint32_t c = 0; c < set->count; c++)
	{
		collider *own = &set->colliders[c];
		drop_callback(own);
		pose_source_destroy(&own->defined);
		mem_free(own->name);
		mem_free(own->uvs);
		mesh_solid_destroy(own->mesh);
		surface_map_destroy(&own->friction);
		surface_map_destroy(&own->bounce);
		surface_map_destroy(&own->stickiness);
	}
	mem_free(set->colliders);
	mem_free(set->centres);
	*set = (collider_set){0};
}

static int is_turned(const rigid *pose)
{
	int turned = pose->scale != 1.0f;
	for (int k = 0; k < 9; k++)
		turned |= pose->rotation[k] != (k % 4 == 0 ? 1.0f : 0.0f);
	return turned;
}

static void put(collider_set *set, uint32_t number, const placement *before, const placement *now)
{
	collider *own = &set->colliders[number];
	own->left = *before;
	own->placed = *now;
	own->before = placement_rigid(before);
	own->now = placement_rigid(now);
	own->travel = placement_travel(before, now);
	own->turned = is_turned(&own->before) || is_turned(&own->now);
	const double *c = own->pose.centre;
	set->centres[number] = rigid_to_world(&own->now, vec3_make((float)c[0], (float)c[1], (float)c[2]));
}

void collider_set_put(collider_set *set, uint32_t number, const placement *before, const placement *now)
{
	put(set, number, before, now);
}

void collider_set_attach(collider_set *set, uint32_t number, pose_source pose)
{
	drop_callback(&set->colliders[number]);
	set->colliders[number].pose = pose;
}

static spate_result move(collider_set *set, uint32_t number, double begin, double end, spate_error *error)
{
	collider *own = &set->colliders[number];
	spate_result result = own->mesh ? mesh_solid_move(own->mesh, begin, end, error) : SPATE_OK;
	placement before, now;
	if (result == SPATE_OK)
		result = own->pose.type->place(own->pose.self, begin, end, &before, &now, error);
	if (result == SPATE_OK)
		put(set, number, &before, &now);
	return result;
}

spate_result collider_set_move(collider_set *set, double begin, double end, spate_error *error)
{
	spate_result result = SPATE_OK;
	for (uint32_t c = 0; c < set->count && result == SPATE_OK; c++)
		result = move(set, c, begin, end, error);
	if (result == SPATE_OK)
		set->time = end;
	return result;
}

spate_result collider_set_place(collider_set *set, double time, const spate_pose *poses, spate_error *error)
{
	spate_result result = SPATE_OK;
	for (uint32_t c = 0; c < set->count && result == SPATE_OK; c++)
	{
		placement at = placement_of_pose(&poses[c], set->origin);
		if (set->colliders[c].mesh)
			result = mesh_solid_move(set->colliders[c].mesh, time, time, error);
		put(set, c, &at, &at);
	}
	return result;
}

spate_result collider_set_drive(collider_set *set, uint32_t number, spate_pose_callback *callback, void *context,
				double time, spate_error *error)
{
	collider *own = &set->colliders[number];
	pose_source given = own->defined;
	if (callback)
	{
		spate_result result = pose_source_of_callback(&given, callback, context, own->name, set->origin, error);
		if (result != SPATE_OK)
			return result;
	}
	pose_source former = own->pose;
	own->pose = given;
	spate_result result = move(set, number, time, time, error);
	if (result != SPATE_OK)
	{
		own->pose = former;
		former = given;
	}
	if (former.self != own->defined.self)
		pose_source_destroy(&former);
	return result;
}

void collider_set_receive(collider_set *set, const collider_load *loads)
{
	for (uint32_t c = 0; c < set->count; c++)
	{
		const pose_source *pose = &set->colliders[c].pose;
		if (pose->type->receive)
			pose->type->receive(pose->self, &loads[c]);
	}
}

// The box around all points of a collider as defined; for a plane, its point `a`.
static pose_extent extent_of(const collider *own)
{
	const solid_shape *s = &own->shape;
	int stretched = s->type != SPATE_SHAPE_PLANE && s->type != SPATE_SHAPE_SPHERE;
	int rounded = s->type != SPATE_SHAPE_BOX && s->type != SPATE_SHAPE_PLANE;
	pose_extent extent = {s->a, stretched ? s->b : s->a, rounded ? s->radius : 0.0f};
	if (own->mesh)
	{
		mesh_solid_bounds(own->mesh, &extent.a, &extent.b);
		extent.grow = 0.0f;
	}
	return extent;
}

int collider_set_remembers(const collider_set *set)
{
	uint32_t c = 0;
	while (c < set->count && set->colliders[c].pose.type->state_count == 0)
		c++;
	return c < set->count;
}

double collider_set_speed(const collider_set *set, double begin, double end)
{
	double fastest = 0.0;
	for (uint32_t c = 0; c < set->count; c++)
	{
		const collider *own = &set->colliders[c];
		pose_extent extent = extent_of(own);
		double speed = own->pose.moves ? own->pose.type->speed(own->pose.self, &extent, begin, end) : 0.0;
		if (own->mesh && mesh_solid_deforms(own->mesh))
			speed += (double)own->now.scale * mesh_solid_speed(own->mesh);
		fastest = fmax(fastest, speed);
	}
	return fastest;
}

double collider_set_speed_of(const collider_set *set, uint32_t number, const double place[3], double grow, double begin,
			     double end)
{
	const pose_source *pose = &set->colliders[number].pose;
	vec3 p = vec3_make((float)(place[0] - set->origin[0]), (float)(place[1] - set->origin[1]),
			   (float)(place[2] - set->origin[2]));
	pose_extent extent = {p, p, (float)grow};
	return pose->moves ? pose->type->speed(pose->self, &extent, begin, end) : 0.0;
}

static vec3 to_local(const collider *own, const rigid *pose, vec3 p)
{
	return own->turned ? rigid_to_local(pose, p) : vec3_sub(p, pose->translation);
}

// Walls of one collider around p, in the world's frame, for a particle that started the step at `from`.
static int walls_at(const collider *own, vec3 from, vec3 p, float reach, wall out[SHAPE_MAX_WALLS], solid_gap *gap)
{
	float scale = own->now.scale;
	vec3 local = to_local(own, &own->now, p);
	int count;
	if (own->mesh)
		count = mesh_solid_walls(own->mesh, to_local(own, &own->before, from), local, reach / scale, out, gap);
	else
	{
		count = shape_walls(&own->shape, own->mode, local, reach / scale, out);
		*gap = (solid_gap){shape_solid_distance(&own->shape, own->mode, local), FLT_MAX};
	}
	*gap = (solid_gap){gap->distance * scale, gap->free * scale};
	for (int w = 0; w < count && own->turned; w++)
	{
		out[w].normal = matrix_apply(own->now.rotation, out[w].normal);
		out[w].distance *= scale;
	}
	return count;
}

int collider_set_walls_of(const collider_set *set, uint32_t number, vec3 p, float reach, wall out[SHAPE_MAX_WALLS])
{
	const collider *own = &set->colliders[number];
	vec3 local = to_local(own, &own->now, p);
	int count = 1;
	if (own->mesh)
		out[0].distance = mesh_solid_slope(own->mesh, local, &out[0].normal);
	else
		count = shape_walls(&own->shape, own->mode, local, reach / own->now.scale, out);
	if (own->mesh &&
	    (!(out[0].distance * own->now.scale < reach) || vec3_dot(out[0].normal, out[0].normal) < 0.25f))
		return 0;
	for (int w = 0; w < count && own->turned; w++)
	{
		out[w].normal = matrix_apply(own->now.rotation, out[w].normal);
		out[w].distance *= own->now.scale;
	}
	return count;
}

float collider_set_distance(const collider_set *set, vec3 p)
{
	float nearest = FLT_MAX;
	for (uint32_t c = 0; c < set->count; c++)
	{
		const collider *own = &set->colliders[c];
		vec3 local = to_local(own, &own->now, p);
		float distance = own->mesh ? mesh_solid_distance(own->mesh, local)
					   : shape_solid_distance(&own->shape, own->mode, local);
		nearest = fminf(nearest, distance * own->now.scale);
	}
	return nearest;
}

// Integral of poly6 over the half space behind a plane at distance q h, and its derivative with respect to q. The
// integral of poly6 over a plane is 315/256 (1 - s^2)^4.
static float half_space(float q, float *slope)
{
	q = q < -1.0f ? -1.0f : q;
	float q2 = q * q, t = 1.0f - q2;
	*slope = -315.0f / 256.0f * t * t * t * t;
	float integral = q * (1.0f + q2 * (-4.0f / 3.0f + q2 * (6.0f / 5.0f + q2 * (-4.0f / 7.0f + q2 / 9.0f))));
	return 0.5f - 315.0f / 256.0f * integral;
}

// Displacement of the collider's material at p in the step.
static vec3 travel_at(const collider *own, vec3 p)
{
	vec3 travel = own->pose.moves ? affine_apply(&own->travel, p) : vec3_make(0, 0, 0);
	if (own->mesh && mesh_solid_deforms(own->mesh))
	{
		vec3 drift = mesh_solid_drift(own->mesh, to_local(own, &own->now, p));
		travel = vec3_add_scaled(travel, matrix_apply(own->now.rotation, drift), own->now.scale);
	}
	return travel;
}

vec3 collider_set_travel(const collider_set *set, uint32_t number, vec3 p)
{
	return travel_at(&set->colliders[number], p);
}

static collider_mask bit_of(uint32_t number)
{
	return 1u << (number < 31 ? number : 31);
}

// Converts a distance to the collider's frame.
static float local_reach(const collider *own, float reach)
{
	return own->now.scale == 1.0f ? reach : reach / own->now.scale;
}

static int is_far(const collider *own, vec3 p, float reach)
{
	vec3 local = to_local(own, &own->now, p);
	return own->mesh ? mesh_solid_is_far(own->mesh, local, local_reach(own, reach))
			 : shape_solid_distance(&own->shape, own->mode, local) > local_reach(own, reach);
}

int collider_set_is_far(const collider_set *set, uint32_t number, vec3 p, float reach)
{
	return is_far(&set->colliders[number], p, reach);
}

collider_mask collider_set_near(const collider_set *set, collider_mask among, vec3 p, float reach)
{
	collider_mask near = 0;
	for (uint32_t c = 0; c < set->count; c++)
		if (among & bit_of(c) && !is_far(&set->colliders[c], p, reach))
			near |= bit_of(c);
	return near;
}

static int most_walls_at(const collider *own, vec3 p, float reach)
{
	wall walls[SHAPE_MAX_WALLS];
	vec3 local = to_local(own, &own->now, p);
	if (own->mesh)
		return mesh_solid_is_far(own->mesh, local, local_reach(own, reach)) ? 0 : MESH_MOST_WALLS;
	return shape_walls(&own->shape, own->mode, local, local_reach(own, reach), walls);
}

int collider_set_most_walls(const collider_set *set, collider_mask among, vec3 p, float reach)
{
	int most = 0;
	for (uint32_t c = 0; c < set->count; c++)
		if (among & bit_of(c))
			most += most_walls_at(&set->colliders[c], p, reach);
	return most < COLLIDER_MOST_WALLS ? most : COLLIDER_MOST_WALLS;
}

// Value of a map at the surface point nearest to p.
static float map_at(const collider *own, const surface_map *map, vec3 p)
{
	triangle_point at;
	if (surface_map_is_even(map) || !mesh_solid_touched(own->mesh, to_local(own, &own->now, p), &at))
		return map->value;
	return surface_map_at(map, &at);
}

// The nearest wall of all colliders, at the poses at the end of the step; a zero normal where there is none.
static wall nearest_wall(const collider_set *set, vec3 p)
{
	wall nearest = {FLT_MAX, {0, 0, 0}};
	for (uint32_t c = 0; c < set->count; c++)
	{
		const collider *own = &set->colliders[c];
		vec3 local = to_local(own, &own->now, p);
		wall w;
		if (own->mesh)
			w.distance = mesh_solid_slope(own->mesh, local, &w.normal);
		else
			w = shape_nearest_wall(&own->shape, own->mode, local);
		w.distance *= own->now.scale;
		if (w.distance >= nearest.distance)
			continue;
		nearest = w;
		if (own->turned)
			nearest.normal = matrix_apply(own->now.rotation, w.normal);
	}
	return nearest;
}

// Distances are trusted to this part of a spacing. A wall faces the opposite way if the cosine between the normals is below OPPOSITE, and is
// the same bent wall if it is above SAME_BEND: the solid behind a facet may be nearer to the next one. It is buried in another solid if its
// liquid would have less than the part LEAST_ROOM of a spacing. Normals of meshes are rounded beside edges, where free walls have a third
// of a spacing at least.
#define TRUSTED 0.05f
#define OPPOSITE -0.8f
#define SAME_BEND 0.8f
#define LEAST_ROOM 0.25f

int collider_set_backs(const collider_set *set, vec3 foot, vec3 normal, float depth, float spacing)
{
	enum
	{
		STEPS = 4
	};
	if (collider_set_distance(set, vec3_add_scaled(foot, normal, -depth)) <= TRUSTED * spacing - depth)
		return 1;
	for (int k = 1; k <= STEPS; k++)
	{
		float below = depth * (float)k / STEPS;
		vec3 p = vec3_add_scaled(foot, normal, -below);
		wall other = nearest_wall(set, p);
		float facing = vec3_dot(other.normal, normal);
		if (other.distance <= TRUSTED * spacing - below || facing > SAME_BEND)
			continue;
		if (facing < OPPOSITE)
			return COLLIDER_BACKS_THROUGH;
		vec3 before = vec3_add_scaled(p, other.normal, 0.5f * spacing - other.distance);
		return collider_set_distance(set, before) < LEAST_ROOM * spacing;
	}
	return 1;
}

// How deep p is in a wall; negative in front of it.
static float depth_in(const felt_wall *w, vec3 p)
{
	return w->offset - vec3_dot(w->normal, p);
}

static int furthest_wall(const felt_wall walls[COLLIDER_MOST_WALLS], vec3 p)
{
	int furthest = 0;
	for (int k = 1; k < COLLIDER_MOST_WALLS; k++)
		furthest = depth_in(&walls[k], p) < depth_in(&walls[furthest], p) ? k : furthest;
	return furthest;
}

int collider_set_feel(const collider_set *set, collider_mask among, vec3 from, vec3 p, float reach,
		      felt_wall out[COLLIDER_MOST_WALLS], uint32_t *owners, solid_gap *gap)
{
	int total = 0;
	solid_gap room = {FLT_MAX, FLT_MAX};
	for (uint32_t c = 0; c < set->count; c++)
	{
		const collider *own = &set->colliders[c];
		wall walls[SHAPE_MAX_WALLS];
		solid_gap around;
		if (!(among & bit_of(c)))
			continue;
		int count = walls_at(own, from, p, reach, walls, &around);
		room.distance = around.distance < room.distance ? around.distance : room.distance;
		room.free = around.free < room.free ? around.free : room.free;
		for (int w = 0; w < count; w++)
		{
			vec3 n = walls[w].normal, foot = vec3_add_scaled(p, n, -walls[w].distance);
			felt_wall felt = {n, vec3_dot(n, p) - walls[w].distance, travel_at(own, foot),
					  map_at(own, &own->friction, foot)};
			int full = total == COLLIDER_MOST_WALLS, place = full ? furthest_wall(out, p) : total++;
			if (full && depth_in(&felt, p) <= depth_in(&out[place], p))
				continue;
			out[place] = felt;
			if (owners)
				owners[place] = c;
		}
	}
	if (gap)
		*gap = room;
	return total;
}

void felt_walls_push(const felt_wall *walls, wall_push *pushes, int count, vec3 *p, vec3 *moved, float contact)
{
	for (int w = 0; w < count; w++)
	{
		vec3 n = walls[w].normal;
		float distance = vec3_dot(n, *p) - walls[w].offset, depth = contact - distance;
		if (depth <= 0.0f)
			continue;
		// a wall stops particles that approach it, but must not eject particles already caught between walls
		vec3 start = vec3_add(vec3_sub(*p, *moved), walls[w].travel);
		float before = fmaxf(vec3_dot(n, start) - walls[w].offset, 0.0f) + EASE * contact;
		depth = before < contact ? before - distance : depth;
		if (depth <= 0.0f)
			continue;
		vec3 from = *moved;
		*p = vec3_add_scaled(*p, n, depth);
		*moved = vec3_add_scaled(*moved, n, depth);
		vec3 pushed = *moved;
		if (walls[w].friction > 0.0f)
		{
			// Coulomb: sliding is reduced by at most friction times the push
			vec3 slide = vec3_sub(*moved, walls[w].travel);
			slide = vec3_add_scaled(slide, n, -vec3_dot(slide, n));
			float length = vec3_length(slide), most = walls[w].friction * depth;
			float stop = length > most ? most / length : 1.0f;
			*p = vec3_add_scaled(*p, slide, -stop);
			*moved = vec3_add_scaled(*moved, slide, -stop);
		}
		if (pushes)
		{
			pushes[w].given = vec3_add(pushes[w].given, vec3_sub(*moved, from));
			pushes[w].friction = vec3_add(pushes[w].friction, vec3_sub(*moved, pushed));
		}
	}
}

vec4 collider_set_wall(const collider_set *set, vec3 p, float h)
{
	felt_wall walls[COLLIDER_MOST_WALLS];
	int count = collider_set_feel(set, COLLIDER_ALL, p, p, h, walls, NULL, NULL);
	// the gradient by the product rule, one wall at a time
	float open = 1.0f, inverse_h = 1.0f / h;
	vec3 gradient = {0, 0, 0};
	for (int w = 0; w < count; w++)
	{
		float q = (vec3_dot(walls[w].normal, p) - walls[w].offset) * inverse_h, slope;
		if (!(q < 1.0f))
			continue;
		float b = half_space(q, &slope);
		gradient =
		    vec3_add(vec3_scale(gradient, 1.0f - b), vec3_scale(walls[w].normal, slope * inverse_h * open));
		open *= 1.0f - b;
	}
	return (vec4){gradient.x, gradient.y, gradient.z, 1.0f - open};
}

// Fraction of the relative velocity left after dt. At stickiness 0.5, less than 1 % is left after a tenth of a second.
static float released(float stickiness, float dt)
{
	return stickiness < 1.0f ? expf(-STICK_RATE * stickiness / (1.0f - stickiness) * dt) : 0.0f;
}

vec3 collider_set_respond(const collider_set *set, vec3 p, vec3 incoming, vec3 velocity, float contact, float dt,
			  const load_row *charge)
{
	for (uint32_t c = 0; c < set->count; c++)
	{
		const collider *own = &set->colliders[c];
		if (own->bounce.value <= 0.0f && own->stickiness.value <= 0.0f)
			continue;
		wall walls[SHAPE_MAX_WALLS];
		solid_gap unused;
		int count =
		    walls_at(own, p, p, contact * (own->stickiness.value > 0.0f ? STICK_REACH : 1.01f), walls, &unused);
		if (count == 0)
			continue;
		vec3 before = velocity;
		float bounce = map_at(own, &own->bounce, p), stickiness = map_at(own, &own->stickiness, p);
		for (int w = 0; w < count; w++)
		{
			vec3 n = walls[w].normal, wall_velocity = vec3_scale(travel_at(own, p), 1.0f / dt);
			float into = vec3_dot(vec3_sub(incoming, wall_velocity), n);
			float out = vec3_dot(vec3_sub(velocity, wall_velocity), n);
			if (into < 0.0f && out < -bounce * into && walls[w].distance <= 1.01f * contact)
				velocity = vec3_add_scaled(velocity, n, -bounce * into - out);
		}
		vec3 bounced = velocity;
		if (stickiness > 0.0f)
		{
			vec3 wall_velocity = vec3_scale(travel_at(own, p), 1.0f / dt);
			velocity =
			    vec3_add_scaled(wall_velocity, vec3_sub(velocity, wall_velocity), released(stickiness, dt));
		}
		if (charge)
		{
			load_charge(charge, c, p, vec3_scale(vec3_sub(velocity, before), dt));
			load_charge_friction(charge, c, p, vec3_scale(vec3_sub(velocity, bounced), dt));
		}
	}
	return velocity;
}

// ---------------------------------------------------------------------------------------------------------------- meshes

uint32_t collider_set_hold(const collider_set *set, vec3 from, vec3 *p, float contact, const load_row *charge)
{
	uint32_t held = 0;
	// one mesh may push a particle through another: repeat a few times, then the last mesh wins
	for (int round = 0; round < 4; round++)
	{
		int again = 0;
		for (uint32_t c = 0; c < set->count; c++)
		{
			const collider *own = &set->colliders[c];
			vec3 local = own->mesh ? to_local(own, &own->now, *p) : *p;
			if (!own->mesh || !mesh_solid_hold(own->mesh, to_local(own, &own->before, from), &local,
							   contact / own->now.scale))
				continue;
			vec3 before = *p;
			*p = rigid_to_world(&own->now, local);
			if (charge)
				load_charge(charge, c, *p, vec3_sub(*p, before));
			again = 1;
			held = c + 1;
		}
		if (!again || set->meshes == 1)
			break;
	}
	return held;
}

int collider_set_contains(const collider_set *set, vec3 p)
{
	for (uint32_t c = 0; c < set->count; c++)
	{
		const collider *own = &set->colliders[c];
		if (own->mesh && mesh_solid_contains(own->mesh, to_local(own, &own->now, p)))
			return 1;
	}
	return 0;
}

// Distance (m) to a thin collider at the start of the step, in its own frame, and the direction away from it.
static float beside(const collider *own, vec3 p, float reach, vec3 *normal, int *corner)
{
	if (own->mesh)
		return mesh_solid_beside(own->mesh, p, reach, normal, corner);
	wall w = shape_nearest_wall(&own->shape, own->mode, p);
	*normal = w.normal;
	return own->thin ? fabsf(w.distance) : INFINITY;
}

thin_side collider_set_beside(const collider_set *set, vec3 p, float reach)
{
	thin_side side = {0};
	float nearest = INFINITY;
	for (uint32_t c = 0; c < set->count; c++)
	{
		const collider *own = &set->colliders[c];
		vec3 n;
		float scale = own->now.scale,
		      distance = beside(own, to_local(own, &own->before, p), reach / scale, &n, &side.corner);
		if (!(distance * scale < reach))
			continue;
		side.corner |= side.number > 0;
		if (distance * scale >= nearest)
			continue;
		nearest = distance * scale;
		side.number = c + 1;
		side.normal = own->turned ? matrix_apply(own->before.rotation, n) : n;
	}
	return side;
}

int collider_set_separates(const collider_set *set, uint32_t number, vec3 a, vec3 b)
{
	uint32_t begin = number > 0 ? number - 1 : 0, end = number > 0 ? number : set->count;
	for (uint32_t c = begin; c < end; c++)
	{
		const collider *own = &set->colliders[c];
		vec3 from = to_local(own, &own->before, a), to = to_local(own, &own->before, b);
		if (own->mesh ? mesh_solid_separates(own->mesh, from, to)
			      : own->thin && shape_separates(&own->shape, from, to))
			return 1;
	}
	return 0;
}

int collider_set_touched(const collider_set *set, uint32_t number, vec3 p, float reach, triangle_point *out)
{
	const collider *own = &set->colliders[number];
	vec3 local = to_local(own, &own->now, p);
	return mesh_solid_distance(own->mesh, local) * own->now.scale < reach &&
	       mesh_solid_touched(own->mesh, local, out);
}

size_t collider_set_bytes(const collider_set *set)
{
	size_t bytes = set->count * sizeof *set->colliders;
	for (uint32_t c = 0; c < set->count; c++)
	{
		const collider *own = &set->colliders[c];
		bytes += surface_map_bytes(&own->friction) + surface_map_bytes(&own->bounce) +
			 surface_map_bytes(&own->stickiness);
		if (own->mesh)
			bytes += mesh_solid_bytes(own->mesh);
		if (own->uvs)
			bytes += 6 * sizeof *own->uvs * mesh_solid_mesh(own->mesh)->triangle_count;
	}
	return bytes;
}
