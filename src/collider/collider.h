// Colliders: static or moving shapes and meshes, and their contact with particles.
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
	int thin; // a shape so thin that particles on its two sides would be neighbours
	surface_map friction, bounce, stickiness;
	float cling; // cosine of the contact angle
	float slip;  // m, slip length; negative if liquid slips freely
	float *uvs;  // 6 per triangle, of the mesh's first frame; kept only if a texture or a wet map needs them
	char *name;  // NULL for none
	pose_source defined, pose; // the motion of the definition, and the provider in use: that one or a callback
	placement left, placed;    // poses at the start and at the end of the step
	int turned;                // 1 if its poses are more than a translation
	rigid before, now;         // poses at the start and at the end of the step
	affine travel;             // maps a point to the displacement of the material there in the step
} collider;

typedef struct collider_set
{
	collider *colliders;
	uint32_t count;
	uint32_t meshes;   // number of mesh colliders
	int thin;          // 1 if some walls are so thin that particles on both sides would be neighbours
	double origin[3];  // m
	vec3 *centres;     // m, by collider: the points that moments are about, at the end of the step
	double time;       // s, at which the poses are those of now
	load_skin **skins; // by collider, of bodies that bend, borrowed; NULL for none
} collider_set;

// Reads meshes and builds their distance fields.
spate_result collider_set_create(collider_set *set, const spate_collider_def *defs, uint32_t count,
				 const collider_world *world, spate_error *error);
void collider_set_destroy(collider_set *set);
size_t collider_set_bytes(const collider_set *set);

// Takes over friction, bounce, stickiness, contact angle and slip of a collider's changed definition.
void collider_set_change(collider_set *set, uint32_t collider, const spate_collider_def *def);

// Moves every collider to its poses for a step from `begin` to `end` (s). Fails only if the next frame
// of a sequence cannot be read or a callback gives no pose.
spate_result collider_set_move(collider_set *set, double begin, double end, spate_error *error);

// Lets a callback give the poses of a collider from `time` (s) on, or with NULL its definition again. On failure nothing changes.
spate_result collider_set_drive(collider_set *set, uint32_t collider, spate_pose_callback *callback, void *context,
				double time, spate_error *error);

// Gives a collider a pose provider besides that of its definition, which stays the set's. The set destroys it.
void collider_set_attach(collider_set *set, uint32_t collider, pose_source pose);
// Moves a collider from one pose to another.
void collider_set_put(collider_set *set, uint32_t collider, const placement *before, const placement *now);

// Puts a set at rest where it was at a time: sequences show that time, poses are given.
spate_result collider_set_place(collider_set *set, double time, const spate_pose *poses, spate_error *error);

// Hands the loads of a substep, by collider, to those that can be pushed.
void collider_set_receive(collider_set *set, const collider_load *loads);

// Whether the pose of some collider depends on more than the time, so that it cannot be moved twice to the same place.
int collider_set_remembers(const collider_set *set);

// Upper bound on the speed of any point of a moving collider between two times (m/s); for a plane, of its point `a`.
double collider_set_speed(const collider_set *set, double begin, double end);

// The same for the material of one collider within `grow` (m) of a point as defined (m).
double collider_set_speed_of(const collider_set *set, uint32_t collider, const double place[3], double grow,
			     double begin, double end);

// Whether one collider is certainly further from p than `reach`.
int collider_set_is_far(const collider_set *set, uint32_t collider, vec3 p, float reach);

// Displacement in the step of a collider's material at p (m).
vec3 collider_set_travel(const collider_set *set, uint32_t collider, vec3 p);

// Walls of one collider near p, in the world's frame: those of shape_walls(), or the nearest one of a mesh. Returns their number.
int collider_set_walls_of(const collider_set *set, uint32_t collider, vec3 p, float reach, wall out[SHAPE_MAX_WALLS]);

// Smallest distance from p to any solid (m), at the poses at the end of the step; a large number without colliders.
float collider_set_distance(const collider_set *set, vec3 p);

// A wall near a particle during a step, as a plane: the distance is 0 where normal . x = offset.
typedef struct felt_wall
{
	vec3 normal;
	float offset; // m
	vec3 travel;  // m, displacement of the wall's material at that point in this step
	float friction;
} felt_wall;

// Whether the solid behind a wall, down to `depth` below the point `foot` on it, is this wall's own: no other wall with liquid in front of it
// is nearer. The opposite face of a thin solid does not count, since whatever is beyond it cannot be seen; the answer is then
// COLLIDER_BACKS_THROUGH.
enum
{
	COLLIDER_BACKS_THROUGH = 2
};
int collider_set_backs(const collider_set *set, vec3 foot, vec3 normal, float depth, float spacing);

// What a wall gives to a particle in a substep.
typedef struct wall_push
{
	vec3 given;    // m, all displacements so far
	vec3 friction; // m, those of them that are friction
} wall_push;

enum
{
	COLLIDER_MOST_WALLS = 6 // per particle: the nearest ones
};

// A set of colliders: one bit each; the last bit stands for all further colliders.
typedef uint32_t collider_mask;
#define COLLIDER_ALL UINT32_MAX

// The colliders of `among` that may be closer to p than `reach`. Fast and conservative: may include some that are not.
collider_mask collider_set_near(const collider_set *set, collider_mask among, vec3 p, float reach);

// Upper bound on the number of walls of `among` closer to p than `reach`; cheaper than finding them.
int collider_set_most_walls(const collider_set *set, collider_mask among, vec3 p, float reach);

// Finds the walls of `among` closer to p than `reach`, at the poses at the end of the step, for a particle that started the step at
// `from`, and the free space around p. `owners`, which gets the colliders of the walls, and `gap` may be NULL. Returns the number of walls.
int collider_set_feel(const collider_set *set, collider_mask among, vec3 from, vec3 p, float reach,
		      felt_wall out[COLLIDER_MOST_WALLS], uint32_t *owners, solid_gap *gap);

// Pushes p to a distance of `contact` from every wall, with Coulomb friction on the displacement since the start of the step, `moved`,
// which is updated along with p. `pushes` of the walls, unless NULL, record who pushed.
void felt_walls_push(const felt_wall *walls, wall_push *pushes, int count, vec3 *p, vec3 *moved, float contact);

// Value B (in w) and gradient (1/m) at p of the part of a kernel of radius h that lies behind walls. Walls count as half spaces, combined as
// 1 - product(1 - B_k).
vec4 collider_set_wall(const collider_set *set, vec3 p, float h);

// Velocity after a step of a particle at p that may touch walls: a particle that hits a wall with `incoming` bounces, and one that
// touches a sticky wall is dragged to its velocity. `charge` may be NULL.
vec3 collider_set_respond(const collider_set *set, vec3 p, vec3 incoming, vec3 velocity, float contact, float dt,
			  const load_row *charge);

// Keeps a particle that started the step at `from` on its side of every mesh: no path crosses a triangle. Returns the number, from 1, of
// the last mesh that changed *p; 0 if none did. `charge` may be NULL.
uint32_t collider_set_hold(const collider_set *set, vec3 from, vec3 *p, float contact, const load_row *charge);

// Whether p is well inside a solid mesh at the end of the step. Particles never get there on their own, and could not get out.
int collider_set_contains(const collider_set *set, vec3 p);

// The thin colliders around a point at the start of the step.
typedef struct thin_side
{
	uint32_t number; // of the nearest one, from 1; 0 for none within reach
	vec3 normal;     // away from it
	int corner;      // 1 if there are more walls within reach, of this one or of others
} thin_side;

thin_side collider_set_beside(const collider_set *set, vec3 p, float reach);
// Whether the thin collider of that number (0 for any) lies between two points.
int collider_set_separates(const collider_set *set, uint32_t number, vec3 a, vec3 b);

// Where p touches the mesh of a collider, at the pose at the end of the step, in the mesh's frame; 0 if it is not closer to the solid
// than `reach`.
int collider_set_touched(const collider_set *set, uint32_t collider, vec3 p, float reach, triangle_point *out);

#endif
