// Where bodies touch solids. Points of a body's surface are looked up in the distance fields of the others, which works for any mesh that
// liquid can meet. Of shapes there are also the points furthest towards each wall, so that balls roll smoothly.
//
// Two shapes are convex, so that one plane parts them. It is that of the direction in which they overlap the least, and all contacts of the two
// have it for their normal: normals of the faces nearest to single points could contradict each other in a thin solid.
#include "base/error.h"
#include "base/memory.h"
#include "body/body.h"

#include <stdlib.h>
#include <string.h>

enum
{
	MOST_TOUCHING = 600, // points of two bodies in each other
	MOST_KEPT = 6        // of them that become contacts
};

// Contacts begin this far from a surface, in kernel radii: bodies at rest then touch in every substep.
#define SKIN 0.002

// A point of a body that touches another solid.
typedef struct touch
{
	vec3 place, normal;
	float distance;
} touch;

typedef struct touching
{
	const body_set *set;
	const rigid_body *own;
	uint32_t solid;
	float skin;
	rigid pose;
	touch found[MOST_TOUCHING];
	uint32_t count;
} touching;

static void try_point(touching *t, vec3 place)
{
	wall walls[SHAPE_MAX_WALLS];
	int count = collider_set_walls_of(t->set->colliders, t->solid, place, t->skin, walls);
	for (int w = 0; w < count && t->count < MOST_TOUCHING; w++)
		t->found[t->count++] = (touch){place, walls[w].normal, walls[w].distance};
}

// The point of a shape furthest in a direction, both in the axes as defined.
static vec3 furthest(const solid_shape *s, vec3 way)
{
	vec3 b = s->type == SPATE_SHAPE_SPHERE ? s->a : s->b;
	if (s->type == SPATE_SHAPE_BOX)
		return vec3_make(way.x > 0 ? s->b.x : s->a.x, way.y > 0 ? s->b.y : s->a.y, way.z > 0 ? s->b.z : s->a.z);
	vec3 end = vec3_dot(way, vec3_sub(b, s->a)) > 0.0f ? b : s->a;
	if (s->type == SPATE_SHAPE_CYLINDER)
	{
		vec3 axis = vec3_normalize(vec3_sub(s->b, s->a));
		way = vec3_add_scaled(way, axis, -vec3_dot(way, axis));
	}
	float length = vec3_length(way);
	return length > 0.0f ? vec3_add_scaled(end, way, s->radius / length) : end;
}

static void try_furthest(touching *t, const collider *mine)
{
	wall walls[SHAPE_MAX_WALLS];
	vec3 centre = t->set->colliders->centres[t->own->collider];
	int count =
	    mine->mesh ? 0 : collider_set_walls_of(t->set->colliders, t->solid, centre, t->own->reach + t->skin, walls);
	for (int w = 0; w < count; w++)
	{
		vec3 way = matrix_apply_transposed(t->pose.rotation, vec3_scale(walls[w].normal, -1.0f));
		try_point(t, rigid_to_world(&t->pose, furthest(&mine->shape, way)));
	}
}

// Finds where points of a body are in a solid.
static void touch_solid(touching *t)
{
	const collider *mine = &t->set->colliders->colliders[t->own->collider];
	t->count = 0;
	vec3 centre = t->set->colliders->centres[t->own->collider];
	if (collider_set_is_far(t->set->colliders, t->solid, centre, t->own->reach + t->skin))
		return;
	t->pose = mine->now;
	try_furthest(t, mine);
	for (uint32_t k = 0; k < t->own->sample_count; k++)
		try_point(t, rigid_to_world(&t->pose, t->own->samples[k]));
}

static int is_near(const touching *t)
{
	vec3 centre = t->set->colliders->centres[t->own->collider];
	return !collider_set_is_far(t->set->colliders, t->solid, centre, t->own->reach + t->skin);
}

// Square of the distance of a touch from those that are kept, walls of another direction counting as far.
static float apart(const touching *t, const touch *from, const uint32_t *kept, uint32_t count)
{
	float least = INFINITY;
	for (uint32_t k = 0; k < count; k++)
	{
		const touch *other = &t->found[kept[k]];
		vec3 way = vec3_sub(from->place, other->place);
		float turned = 1.0f - vec3_dot(from->normal, other->normal), r = t->own->reach;
		least = fminf(least, vec3_dot(way, way) + turned * r * r);
	}
	return least;
}

// Keeps the deepest, then those furthest from the others.
static uint32_t choose(const touching *t, uint32_t kept[MOST_KEPT])
{
	uint32_t count = 0;
	while (count < MOST_KEPT && count < t->count)
	{
		uint32_t best = 0;
		float most = -INFINITY;
		for (uint32_t k = 0; k < t->count; k++)
		{
			float worth = count == 0 ? -t->found[k].distance : apart(t, &t->found[k], kept, count);
			best = worth > most ? k : best;
			most = worth > most ? worth : most;
		}
		if (count > 0 && !(most > 1e-4f * t->own->reach * t->own->reach))
			break;
		kept[count++] = best;
	}
	return count;
}

// ------------------------------------------------------------------------------------------------------------ two shapes

static int is_convex(const collider *solid)
{
	return !solid->mesh && solid->mode == SPATE_COLLIDER_OUTSIDE && solid->shape.type != SPATE_SHAPE_PLANE;
}

// The point of a solid furthest in a direction.
static vec3 furthest_of(const collider *solid, vec3 way)
{
	return rigid_to_world(&solid->now, furthest(&solid->shape, matrix_apply_transposed(solid->now.rotation, way)));
}

// How far two solids overlap along a direction towards the first.
static float overlap_along(const collider *a, const collider *b, vec3 n)
{
	return vec3_dot(furthest_of(b, n), n) - vec3_dot(furthest_of(a, vec3_scale(n, -1.0f)), n);
}

// The direction towards the first of two solids in which they overlap the least.
typedef struct parting
{
	const collider *a, *b;
	vec3 way;
	float overlap;
} parting;

static void try_way(parting *p, vec3 way)
{
	float length = vec3_length(way);
	for (int k = 0; k < 2 && length > 1e-3f; k++)
	{
		vec3 n = vec3_scale(way, (k ? -1.0f : 1.0f) / length);
		float overlap = overlap_along(p->a, p->b, n);
		if (overlap < p->overlap)
		{
			p->overlap = overlap;
			p->way = n;
		}
	}
}

static void axes_of(const collider *solid, vec3 out[3])
{
	const float *r = solid->now.rotation;
	for (int k = 0; k < 3; k++)
		out[k] = vec3_make(r[k], r[3 + k], r[6 + k]);
	if (solid->shape.type == SPATE_SHAPE_CYLINDER || solid->shape.type == SPATE_SHAPE_CAPSULE)
		out[0] = matrix_apply(r, vec3_normalize(vec3_sub(solid->shape.b, solid->shape.a)));
}

// Faces and edges of boxes, axes of what is round, and the normals at the points that touch.
static parting part_solids(const collider *a, const collider *b, const touching *t)
{
	parting p = {a, b, {0, 1, 0}, INFINITY};
	vec3 mine[3], its[3];
	axes_of(a, mine);
	axes_of(b, its);
	int boxes = (a->shape.type == SPATE_SHAPE_BOX) + (b->shape.type == SPATE_SHAPE_BOX);
	for (int k = 0; k < 3; k++)
	{
		try_way(&p, mine[k]);
		try_way(&p, its[k]);
		for (int j = 0; j < 3 && boxes == 2; j++)
			try_way(&p, vec3_cross(mine[k], its[j]));
	}
	for (uint32_t k = 0; k < t->count; k++)
		try_way(&p, t->found[k].normal);
	return p;
}

// Replaces what was found by points of either solid in the other, with the normal that parts them.
static void agree(touching *t, const collider *a, const collider *b, uint32_t mine)
{
	parting p = part_solids(a, b, t);
	float top = vec3_dot(furthest_of(b, p.way), p.way);
	float bottom = vec3_dot(furthest_of(a, vec3_scale(p.way, -1.0f)), p.way);
	uint32_t kept = 0;
	for (uint32_t k = 0; k < t->count; k++)
	{
		touch at = t->found[k];
		float height = vec3_dot(at.place, p.way), distance = k < mine ? height - top : bottom - height;
		if (!(distance < t->skin))
			continue;
		// from a point of the second solid to the surface of the first, as from its own
		float shift = k < mine ? 0.0f : distance;
		t->found[kept++] = (touch){vec3_add_scaled(at.place, p.way, shift), p.way, distance};
	}
	t->count = kept;
}

static void touch_convex(touching *t, uint32_t other)
{
	const collider_set *colliders = t->set->colliders;
	const rigid_body *own = t->own;
	uint32_t solid = t->solid, mine = t->count;
	if (other != SPATE_BODY_WORLD)
	{
		touching *back = t;
		uint32_t before = t->count;
		back->own = &t->set->bodies[other];
		back->solid = own->collider;
		back->pose = colliders->colliders[solid].now;
		try_furthest(back, &colliders->colliders[solid]);
		for (uint32_t k = 0; k < back->own->sample_count; k++)
			try_point(back, rigid_to_world(&back->pose, back->own->samples[k]));
		for (uint32_t k = before; k < t->count; k++)
			t->found[k].normal = vec3_scale(t->found[k].normal, -1.0f);
		t->own = own;
		t->solid = solid;
	}
	if (t->count > 0)
		agree(t, &colliders->colliders[own->collider], &colliders->colliders[solid], mine);
}

static int add_contacts(body_set *set, touching *t, uint32_t other)
{
	uint32_t kept[MOST_KEPT], count = choose(t, kept);
	if (set->contact_count + count > set->contact_room)
	{
		uint32_t room = 2 * set->contact_room + 64;
		body_contact *more = mem_realloc(set->contacts, mem_product(room, sizeof *more));
		if (!more)
			return 0;
		set->contacts = more;
		set->contact_room = room;
	}
	const spate_body_def *own = &t->own->def, *its = other == SPATE_BODY_WORLD ? own : &set->bodies[other].def;
	for (uint32_t k = 0; k < count; k++)
	{
		const touch *at = &t->found[kept[k]];
		vec3 half = vec3_add_scaled(at->place, at->normal, -0.5f * at->distance);
		set->contacts[set->contact_count++] =
		    (body_contact){.a = t->own->number,
				   .b = other,
				   .place = {(double)half.x, (double)half.y, (double)half.z},
				   .normal = {(double)at->normal.x, (double)at->normal.y, (double)at->normal.z},
				   .depth = fmax(-(double)at->distance, 0.0),
				   .friction = sqrt(own->friction * its->friction),
				   .bounce = fmax(own->bounce, its->bounce)};
	}
	return 1;
}

// Whether a joint says where the two are, so that they may overlap. What turns or slides in the world does not touch its walls.
static int are_joined(const body_set *set, uint32_t a, uint32_t b)
{
	for (uint32_t j = 0; j < set->joint_count; j++)
	{
		const uint32_t *of = set->joints[j].bodies;
		if (((of[0] == a && of[1] == b) || (of[0] == b && of[1] == a)) &&
		    (b != SPATE_BODY_WORLD || set->joints[j].type != SPATE_JOINT_BALL))
			return 1;
	}
	return 0;
}

// In the order of bodies and colliders: the same contacts in the same order on any machine.
spate_result body_contacts_find(body_set *set, spate_error *error)
{
	set->contact_count = 0;
	touching *t = mem_alloc(sizeof *t);
	if (!t)
		return error_memory(error, sizeof *t);
	int room = 1;
	for (uint32_t a = 0; a < set->count && room; a++)
		for (uint32_t c = 0; c < set->colliders->count && room; c++)
		{
			uint32_t other = set->bodies_of[c] ? set->bodies_of[c] - 1 : SPATE_BODY_WORLD;
			int both_held = set->bodies[a].held && (other == SPATE_BODY_WORLD || set->bodies[other].held);
			if (other == a || both_held || are_joined(set, a, other))
				continue;
			t->set = set;
			t->own = &set->bodies[a];
			t->solid = c;
			t->skin = (float)(SKIN * set->radius);
			int convex = is_convex(&set->colliders->colliders[set->bodies[a].collider]) &&
				     is_convex(&set->colliders->colliders[c]);
			if (convex && other != SPATE_BODY_WORLD && other < a)
				continue; // with the other one
			touch_solid(t);
			if (convex && is_near(t))
				touch_convex(t, other);
			room = add_contacts(set, t, other);
		}
	mem_free(t);
	return room ? SPATE_OK : error_memory(error, set->contact_room * sizeof *set->contacts);
}

double body_overlap(const body_set *set, uint32_t a, uint32_t b)
{
	if (are_joined(set, a, b))
		return 0.0;
	double deepest = 0.0;
	touching *t = mem_alloc(sizeof *t);
	for (int k = 0; k < 2 && t; k++)
	{
		*t = (touching){.set = set, .own = &set->bodies[k ? b : a], .solid = set->bodies[k ? a : b].collider};
		touch_solid(t);
		for (uint32_t n = 0; n < t->count; n++)
			deepest = fmax(deepest, -(double)t->found[n].distance);
	}
	mem_free(t);
	return deepest;
}
