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
	int turned;   // its pose has a rotation
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

// A wall that a particle feels during a step, as a plane: distance 0 where normal . x = offset.
typedef struct felt_wall
{
	vec3 normal;
	float offset; // m
	vec3 travel;  // m, of the wall's material there in this step
	float friction;
} felt_wall;

enum
{
	COLLIDER_MOST_WALLS = 6 // that one particle feels at a time: the nearest
};

// Walls closer to p than `reach`, at the poses of the end of the step.
int collider_set_feel(const collider_set *set, vec3 p, float reach, felt_wall out[COLLIDER_MOST_WALLS]);

// Pushes p out to `contact` from every wall felt, with Coulomb friction against the displacement since the start of the step, and
// returns the wall term where it ends up: value B in w, gradient in xyz (1/m), for kernel radius h. Walls count as half spaces,
// several of them as 1 - product(1 - B_k). `moved` is the displacement and is changed along with p.
vec4 felt_walls_touch(const felt_wall *walls, int count, vec3 *p, vec3 *moved, float contact, float h);

// The wall term at p alone, without a push.
vec4 collider_set_wall(const collider_set *set, vec3 p, float h);

// Velocity after a step for a particle at p that may touch walls: what flew into a wall at `incoming` leaves it by the wall's
// bounce.
vec3 collider_set_bounce(const collider_set *set, vec3 p, vec3 incoming, vec3 velocity, float contact, float dt);

#endif
