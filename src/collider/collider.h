// Colliders: shapes that may move, and what they do to a particle.
#ifndef COLLIDER_COLLIDER_H
#define COLLIDER_COLLIDER_H

#include "collider/shape.h"

// A rigid motion: x = rotation * p + translation, relative to the world's origin.
typedef struct rigid
{
	float rotation[9]; // row-major
	vec3 translation;  // m
} rigid;

typedef struct collider
{
	solid_shape shape;
	spate_collider_mode mode;
	float friction, bounce;
	spate_motion motion; // keyframes owned
	spate_keyframe *keyframes;
	int moves;
	rigid now;    // pose at the end of the step
	rigid travel; // applied to a place: what the material there has travelled in the step
} collider;

typedef struct collider_set
{
	collider *colliders;
	uint32_t count;
	double origin[3]; // m
} collider_set;

spate_result collider_set_create(collider_set *set, const spate_collider_def *defs, uint32_t count,
				 const double origin[3], spate_error *error);
void collider_set_destroy(collider_set *set);

// Pose of a moving shape at a time, for the world and for pictures; origin as in `rigid`.
rigid motion_pose(const spate_motion *motion, const double origin[3], double time);

// Puts every collider at its pose for a step from `begin` to `end` (s).
void collider_set_move(collider_set *set, double begin, double end);

// No point of a moving collider is faster than this between two times (m/s); of a plane, its point `a`.
double collider_set_speed(const collider_set *set, double begin, double end);

// Smallest distance from p to any solid (m), at the poses of the end of the step; a large number without colliders.
float collider_set_distance(const collider_set *set, vec3 p);

// The wall term at p for kernel radius h: value B in w, gradient in xyz (1/m). Walls count as half spaces, several of them as
// 1 - product(1 - B_k).
vec4 collider_set_wall(const collider_set *set, vec3 p, float h);

// Pushes p out to `contact` from every solid, with Coulomb friction against the displacement since the start of the step.
// `moved` is that displacement and is changed along with p. Returns 1 when something was touched.
int collider_set_push(const collider_set *set, vec3 *p, vec3 *moved, float contact);

// Velocity after a step for a particle at p that may touch walls: what flew into a wall at `incoming` leaves it by the wall's
// bounce.
vec3 collider_set_bounce(const collider_set *set, vec3 p, vec3 incoming, vec3 velocity, float contact, float dt);

#endif
