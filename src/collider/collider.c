#include "collider/collider.h"

#include "base/error.h"
#include "base/memory.h"

#include <float.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static int motion_moves(const spate_motion *m)
{
	int moves = m->amplitude != 0.0 && m->frequency != 0.0;
	for (uint32_t k = 1; k < m->keyframe_count; k++)
		for (int axis = 0; axis < 3; axis++)
			moves |= m->keyframes[k].position[axis] != m->keyframes[0].position[axis] ||
				 m->keyframes[k].rotation[axis] != m->keyframes[0].rotation[axis];
	return moves;
}

spate_result collider_set_create(collider_set *set, const spate_collider_def *defs, uint32_t count,
				 const double origin[3], spate_error *error)
{
	*set = (collider_set){.origin = {origin[0], origin[1], origin[2]}};
	if (count == 0)
		return SPATE_OK;
	set->colliders = mem_calloc(count, sizeof *set->colliders);
	if (!set->colliders)
		return error_memory(error, count * sizeof *set->colliders);
	for (uint32_t c = 0; c < count; c++)
	{
		collider *own = &set->colliders[set->count++];
		own->shape = shape_make(&defs[c].shape, origin);
		own->mode = defs[c].mode;
		own->friction = (float)defs[c].friction;
		own->bounce = (float)defs[c].bounce;
		own->motion = defs[c].motion;
		size_t bytes = defs[c].motion.keyframe_count * sizeof *own->keyframes;
		if (bytes > 0)
		{
			own->keyframes = mem_alloc(bytes);
			if (!own->keyframes)
			{
				collider_set_destroy(set);
				return error_memory(error, bytes);
			}
			memcpy(own->keyframes, defs[c].motion.keyframes, bytes);
		}
		own->motion.keyframes = own->keyframes;
		own->moves = motion_moves(&own->motion);
	}
	collider_set_move(set, 0.0, 0.0);
	return SPATE_OK;
}

void collider_set_destroy(collider_set *set)
{
	for (uint32_t c = 0; c < set->count; c++)
		mem_free(set->colliders[c].keyframes);
	mem_free(set->colliders);
	*set = (collider_set){0};
}

// Position (m) and rotation (degrees) of the keyframes at a time.
static void interpolate(const spate_motion *m, double time, double position[3], double rotation[3])
{
	for (int k = 0; k < 3; k++)
		position[k] = rotation[k] = 0.0;
	if (m->keyframe_count == 0)
		return;
	uint32_t next = 0;
	while (next < m->keyframe_count && m->keyframes[next].time <= time)
		next++;
	const spate_keyframe *a = &m->keyframes[next > 0 ? next - 1 : 0];
	const spate_keyframe *b = &m->keyframes[next < m->keyframe_count ? next : m->keyframe_count - 1];
	double t = b->time > a->time ? (time - a->time) / (b->time - a->time) : 0.0;
	t = t < 0.0 ? 0.0 : t;
	for (int k = 0; k < 3; k++)
	{
		position[k] = a->position[k] + t * (b->position[k] - a->position[k]);
		rotation[k] = a->rotation[k] + t * (b->rotation[k] - a->rotation[k]);
	}
}

// A rigid motion in double precision, from which differences of poses are taken.
typedef struct exact_pose
{
	double r[9], t[3];
} exact_pose;

static exact_pose pose_at(const spate_motion *m, const double origin[3], double time)
{
	double position[3], rotation[3];
	interpolate(m, time, position, rotation);
	if (m->amplitude != 0.0 && time >= m->start)
	{
		double length = sqrt(m->direction[0] * m->direction[0] + m->direction[1] * m->direction[1] +
				     m->direction[2] * m->direction[2]);
		// the swing starts from rest at its place: the phase's own offset is taken out
		double offset =
		    m->amplitude * (sin(2.0 * pi * m->frequency * (time - m->start) + m->phase * pi / 180.0) -
				    sin(m->phase * pi / 180.0));
		for (int k = 0; k < 3 && length > 0.0; k++)
			position[k] += offset * m->direction[k] / length;
	}
	double c[3], s[3];
	for (int k = 0; k < 3; k++)
	{
		c[k] = cos(rotation[k] * pi / 180.0);
		s[k] = sin(rotation[k] * pi / 180.0);
	}
	// about x, then y, then z
	exact_pose pose = {{c[1] * c[2], s[0] * s[1] * c[2] - c[0] * s[2], c[0] * s[1] * c[2] + s[0] * s[2],
			    c[1] * s[2], s[0] * s[1] * s[2] + c[0] * c[2], c[0] * s[1] * s[2] - s[0] * c[2], -s[1],
			    s[0] * c[1], c[0] * c[1]},
			   {0, 0, 0}};
	const double *r = pose.r,
		     pivot[3] = {m->pivot[0] - origin[0], m->pivot[1] - origin[1], m->pivot[2] - origin[2]};
	for (int k = 0; k < 3; k++)
		pose.t[k] =
		    pivot[k] + position[k] - (r[3 * k] * pivot[0] + r[3 * k + 1] * pivot[1] + r[3 * k + 2] * pivot[2]);
	return pose;
}

static rigid rounded(const exact_pose *pose)
{
	rigid out = {.translation = {(float)pose->t[0], (float)pose->t[1], (float)pose->t[2]}};
	for (int k = 0; k < 9; k++)
		out.rotation[k] = (float)pose->r[k];
	return out;
}

rigid motion_pose(const spate_motion *m, const double origin[3], double time)
{
	exact_pose pose = pose_at(m, origin, time);
	return rounded(&pose);
}

// What the material at p has travelled between two poses, as a map: p - before(now^-1(p)). Taken in double, because a step's
// travel is a small difference of large coordinates.
static rigid travel_between(const exact_pose *before, const exact_pose *now)
{
	exact_pose travel;
	for (int k = 0; k < 3; k++)
	{
		travel.t[k] = -before->t[k];
		for (int j = 0; j < 3; j++)
		{
			double back = 0.0;
			for (int i = 0; i < 3; i++)
				back += before->r[3 * k + i] * now->r[3 * j + i];
			travel.r[3 * k + j] = (k == j) - back;
			travel.t[k] += back * now->t[j];
		}
	}
	return rounded(&travel);
}

void collider_set_move(collider_set *set, double begin, double end)
{
	for (uint32_t c = 0; c < set->count; c++)
	{
		collider *own = &set->colliders[c];
		exact_pose before = pose_at(&own->motion, set->origin, begin);
		exact_pose now = own->moves ? pose_at(&own->motion, set->origin, end) : before;
		own->now = rounded(&now);
		own->travel = travel_between(&before, &now);
		own->turned = 0;
		for (int k = 0; k < 9; k++)
			own->turned |= own->now.rotation[k] != (k % 4 == 0 ? 1.0f : 0.0f);
	}
}

static vec3 turn(const float r[9], vec3 p)
{
	return (vec3){r[0] * p.x + r[1] * p.y + r[2] * p.z, r[3] * p.x + r[4] * p.y + r[5] * p.z,
		      r[6] * p.x + r[7] * p.y + r[8] * p.z};
}

static vec3 turn_back(const float r[9], vec3 p)
{
	return (vec3){r[0] * p.x + r[3] * p.y + r[6] * p.z, r[1] * p.x + r[4] * p.y + r[7] * p.z,
		      r[2] * p.x + r[5] * p.y + r[8] * p.z};
}

static vec3 to_local(const rigid *pose, vec3 p)
{
	return turn_back(pose->rotation, vec3_sub(p, pose->translation));
}

static vec3 to_world(const rigid *pose, vec3 p)
{
	return vec3_add(turn(pose->rotation, p), pose->translation);
}

// Fastest that a motion moves its shape's furthest point from the pivot, `arm` metres away, at any time of an interval.
static double motion_speed(const spate_motion *m, double arm, double begin, double end)
{
	double fastest = 0.0;
	for (uint32_t k = 1; k < m->keyframe_count; k++)
	{
		const spate_keyframe *a = &m->keyframes[k - 1], *b = &m->keyframes[k];
		double line = 0.0, turned = 0.0;
		if (b->time <= begin || a->time >= end || b->time <= a->time)
			continue;
		for (int c = 0; c < 3; c++)
		{
			line += (b->position[c] - a->position[c]) * (b->position[c] - a->position[c]);
			turned += fabs(b->rotation[c] - a->rotation[c]) * pi / 180.0;
		}
		fastest = fmax(fastest, (sqrt(line) + turned * arm) / (b->time - a->time));
	}
	double first = fmax(begin, m->start);
	if (m->amplitude != 0.0 && first < end)
	{
		// the swing is fastest where its phase is a multiple of pi
		double from = 2.0 * m->frequency * (first - m->start) + m->phase / 180.0;
		double to = 2.0 * m->frequency * (end - m->start) + m->phase / 180.0;
		double most = floor(from) != floor(to) ? 1.0 : fmax(fabs(cos(pi * from)), fabs(cos(pi * to)));
		fastest += fabs(2.0 * pi * m->frequency * m->amplitude) * most;
	}
	return fastest;
}

double collider_set_speed(const collider_set *set, double begin, double end)
{
	double fastest = 0.0;
	for (uint32_t c = 0; c < set->count; c++)
	{
		const collider *own = &set->colliders[c];
		const solid_shape *s = &own->shape;
		if (!own->moves)
			continue;
		// the corners of the box around a and b, grown by the radius, bound the shape; of a plane only `a` counts
		int stretched = s->type != SPATE_SHAPE_PLANE && s->type != SPATE_SHAPE_SPHERE;
		float grow = s->type == SPATE_SHAPE_BOX || s->type == SPATE_SHAPE_PLANE ? 0.0f : s->radius;
		vec3 b = stretched ? s->b : s->a;
		vec3 pivot = {(float)(own->motion.pivot[0] - set->origin[0]),
			      (float)(own->motion.pivot[1] - set->origin[1]),
			      (float)(own->motion.pivot[2] - set->origin[2])};
		vec3 p = vec3_sub(s->a, pivot), q = vec3_sub(b, pivot);
		vec3 furthest = {fmaxf(fabsf(p.x), fabsf(q.x)) + grow, fmaxf(fabsf(p.y), fabsf(q.y)) + grow,
				 fmaxf(fabsf(p.z), fabsf(q.z)) + grow};
		fastest = fmax(fastest, motion_speed(&own->motion, (double)vec3_length(furthest), begin, end));
	}
	return fastest;
}

// Walls of one collider around p, in the world's frame.
static int walls_at(const collider *own, vec3 p, float reach, wall out[SHAPE_MAX_WALLS])
{
	if (!own->turned)
		return shape_walls(&own->shape, own->mode, vec3_sub(p, own->now.translation), reach, out);
	int count = shape_walls(&own->shape, own->mode, to_local(&own->now, p), reach, out);
	for (int w = 0; w < count; w++)
		out[w].normal = turn(own->now.rotation, out[w].normal);
	return count;
}

float collider_set_distance(const collider_set *set, vec3 p)
{
	float nearest = FLT_MAX;
	for (uint32_t c = 0; c < set->count; c++)
	{
		const collider *own = &set->colliders[c];
		vec3 local = own->turned ? to_local(&own->now, p) : vec3_sub(p, own->now.translation);
		float distance = shape_solid_distance(&own->shape, own->mode, local);
		nearest = distance < nearest ? distance : nearest;
	}
	return nearest;
}

// Integral of poly6 over the half space behind a plane at distance q h, and its derivative by q: the cross-section of poly6 is
// 315/256 (1 - s^2)^4.
static float half_space(float q, float *slope)
{
	q = q < -1.0f ? -1.0f : q;
	float q2 = q * q, t = 1.0f - q2;
	*slope = -315.0f / 256.0f * t * t * t * t;
	float integral = q * (1.0f + q2 * (-4.0f / 3.0f + q2 * (6.0f / 5.0f + q2 * (-4.0f / 7.0f + q2 / 9.0f))));
	return 0.5f - 315.0f / 256.0f * integral;
}

// How far the collider's material at p has travelled in the step.
static vec3 travel_at(const collider *own, vec3 p)
{
	return own->moves ? to_world(&own->travel, p) : vec3_make(0, 0, 0);
}

int collider_set_feel(const collider_set *set, vec3 p, float reach, felt_wall out[COLLIDER_MOST_WALLS])
{
	int total = 0;
	for (uint32_t c = 0; c < set->count; c++)
	{
		const collider *own = &set->colliders[c];
		wall walls[SHAPE_MAX_WALLS];
		int count = walls_at(own, p, reach, walls);
		for (int w = 0; w < count; w++)
		{
			vec3 n = walls[w].normal, foot = vec3_add_scaled(p, n, -walls[w].distance);
			felt_wall felt = {n, vec3_dot(n, p) - walls[w].distance, travel_at(own, foot), own->friction};
			if (total < COLLIDER_MOST_WALLS)
			{
				out[total++] = felt;
				continue;
			}
			// the furthest gives way
			int furthest = 0;
			for (int k = 1; k < total; k++)
				if (out[k].offset - vec3_dot(out[k].normal, p) <
				    out[furthest].offset - vec3_dot(out[furthest].normal, p))
					furthest = k;
			if (felt.offset - vec3_dot(n, p) > out[furthest].offset - vec3_dot(out[furthest].normal, p))
				out[furthest] = felt;
		}
	}
	return total;
}

vec4 felt_walls_touch(const felt_wall *walls, int count, vec3 *p, vec3 *moved, float contact, float h)
{
	for (int w = 0; w < count; w++)
	{
		vec3 n = walls[w].normal;
		float depth = contact - (vec3_dot(n, *p) - walls[w].offset);
		if (depth <= 0.0f)
			continue;
		*p = vec3_add_scaled(*p, n, depth);
		*moved = vec3_add_scaled(*moved, n, depth);
		if (walls[w].friction <= 0.0f)
			continue;
		// Coulomb: sliding along the wall shrinks by at most friction times the push
		vec3 slide = vec3_sub(*moved, walls[w].travel);
		slide = vec3_add_scaled(slide, n, -vec3_dot(slide, n));
		float length = vec3_length(slide), most = walls[w].friction * depth;
		float stop = length > most ? most / length : 1.0f;
		*p = vec3_add_scaled(*p, slide, -stop);
		*moved = vec3_add_scaled(*moved, slide, -stop);
	}
	// 1 - product(1 - B_k), and its gradient by the product rule, wall after wall
	float open = 1.0f, inverse_h = 1.0f / h;
	vec3 gradient = {0, 0, 0};
	for (int w = 0; w < count; w++)
	{
		float q = (vec3_dot(walls[w].normal, *p) - walls[w].offset) * inverse_h, slope;
		if (q >= 1.0f)
			continue;
		float b = half_space(q, &slope);
		gradient =
		    vec3_add(vec3_scale(gradient, 1.0f - b), vec3_scale(walls[w].normal, slope * inverse_h * open));
		open *= 1.0f - b;
	}
	return (vec4){gradient.x, gradient.y, gradient.z, 1.0f - open};
}

vec4 collider_set_wall(const collider_set *set, vec3 p, float h)
{
	felt_wall walls[COLLIDER_MOST_WALLS];
	vec3 moved = {0, 0, 0};
	int count = collider_set_feel(set, p, h, walls);
	return felt_walls_touch(walls, count, &p, &moved, -FLT_MAX, h);
}

vec3 collider_set_bounce(const collider_set *set, vec3 p, vec3 incoming, vec3 velocity, float contact, float dt)
{
	for (uint32_t c = 0; c < set->count; c++)
	{
		const collider *own = &set->colliders[c];
		if (own->bounce <= 0.0f)
			continue;
		wall walls[SHAPE_MAX_WALLS];
		int count = walls_at(own, p, contact * 1.01f, walls);
		for (int w = 0; w < count; w++)
		{
			vec3 n = walls[w].normal, wall_velocity = vec3_scale(travel_at(own, p), 1.0f / dt);
			float into = vec3_dot(vec3_sub(incoming, wall_velocity), n);
			float out = vec3_dot(vec3_sub(velocity, wall_velocity), n);
			if (into < 0.0f && out < -own->bounce * into)
				velocity = vec3_add_scaled(velocity, n, -own->bounce * into - out);
		}
	}
	return velocity;
}
