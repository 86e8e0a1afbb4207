// Colliders: shapes that may move, and what they do to a particle.
#ifndef COLLIDER_COLLIDER_H
#define COLLIDER_COLLIDER_H

#include "collider/mesh_solid.h"
#include "collider/motion.h"
#include "collider/surface_map.h"

typedef struct collider
{
	solid_shape shape;
	mesh_solid *mesh; // instead of the shape; NULL for none
	spate_collider_mode mode;
	surface_map friction, bounce, stickiness;
	float *uvs; // 6 per triangle, of the mesh's first frame; kept only where a texture or a picture needs them
	spate_motion motion; // keyframes owned
	spate_keyframe *keyframes;
	int moves;
	int turned;        // its poses are more than a shift
	rigid before, now; // poses at the beginning and at the end of the step
	affine travel;     // of a place: what the material there has travelled in the step
} collider;

typedef struct collider_set
{
	collider *colliders;
	uint32_t count;
	uint32_t meshes;  // how many of them are
	int thin;         // whether liquid could feel liquid through one of them
	double origin[3]; // m
} collider_set;

// Meshes are read and their fields made.
spate_result collider_set_create(collider_set *set, const spate_collider_def *defs, uint32_t count,
				 const collider_world *world, spate_error *error);
void collider_set_destroy(collider_set *set);
size_t collider_set_bytes(const collider_set *set);

// Puts every collider at its pose for a step from `begin` to `end` (s). Only the next frame of a sequence can fail.
spate_result collider_set_move(collider_set *set, double begin, double end, spate_error *error);

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

// Some of the colliders: a bit for each, the last for all that there are no more bits for.
typedef uint32_t collider_some;
#define COLLIDER_ALL UINT32_MAX

// Those of some that could be closer to p than `reach`; quick, and names one too many in case of doubt.
collider_some collider_set_near(const collider_set *set, collider_some among, vec3 p, float reach);

// No more walls of these than this are closer to p than `reach`; quicker to say than which they are.
int collider_set_most_walls(const collider_set *set, collider_some among, vec3 p, float reach);

// Walls of these closer to p than `reach`, at the poses of the end of the step, for a particle that was at `from` at its beginning, and
// the room that they leave; `gap` may be NULL.
int collider_set_feel(const collider_set *set, collider_some among, vec3 from, vec3 p, float reach,
		      felt_wall out[COLLIDER_MOST_WALLS], solid_gap *gap);

// Pushes p out to `contact` from every wall felt, with Coulomb friction against the displacement since the start of the step, and
// returns the wall term where it ends up: value B in w, gradient in xyz (1/m), for kernel radius h. Walls count as half spaces,
// several of them as 1 - product(1 - B_k). `moved` is the displacement and is changed along with p.
vec4 felt_walls_touch(const felt_wall *walls, int count, vec3 *p, vec3 *moved, float contact, float h);

// The wall term at p alone, without a push.
vec4 collider_set_wall(const collider_set *set, vec3 p, float h);

// Velocity after a step for a particle at p that may touch walls: what flew into a wall at `incoming` leaves it by the wall's
// bounce, and what touches one that is sticky takes on its velocity.
vec3 collider_set_respond(const collider_set *set, vec3 p, vec3 incoming, vec3 velocity, float contact, float dt);

// Keeps a particle that was at `from` when the step began on its side of every mesh: no path leads through a triangle. Returns whether
// *p had to change.
int collider_set_hold(const collider_set *set, vec3 from, vec3 *p, float contact);

// Whether p is well inside of a mesh that is solid, at the end of the step. Nothing gets there by itself, and nothing gets out again.
int collider_set_contains(const collider_set *set, vec3 p);

// What meshes are around a place at the beginning of the step.
typedef struct mesh_side
{
	uint32_t number; // of the nearest, counted from 1; 0 for none within reach
	vec3 normal;     // away from it
	int corner;      // there are more walls within reach, of this mesh or of others
} mesh_side;

mesh_side collider_set_beside(const collider_set *set, vec3 p, float reach);
// Whether the mesh of that number, or any for 0, stands between two places.
int collider_set_separates(const collider_set *set, uint32_t number, vec3 a, vec3 b);

// Where p touches the mesh of a collider, at the pose of the end of the step, in the mesh's own frame; 0 when it is not closer to the solid
// than `reach`.
int collider_set_touched(const collider_set *set, uint32_t collider, vec3 p, float reach, triangle_point *out);

#endif
