// Where a collider is. Every collider has a pose provider, which says where it is at the beginning and at the end of a substep, how fast
// it may move, and takes what the liquid gave it; nothing else knows why a collider moves.
//
//   provider    pose                              file
//   fixed       never changes                     pose.c
//   keyframes   keyframes and an oscillation      motion.c
//   callback    the host's answer                 pose_callback.c
//   body        the state of a rigid body         body/body.c
//
// A pose is rigid with a uniform scale. A mesh sequence deforms within its pose: mesh_solid has its vertices at both ends of a substep
// and the drift of the surface between them, which adds to the travel of the pose.
//
// So does a body that bends (body/bend_set.c), which gives mesh_solid its vertices. What the liquid gives to each vertex is summed by the
// load_skin of its collider.
#ifndef COLLIDER_POSE_H
#define COLLIDER_POSE_H

#include "collider/load.h"
#include "spate/pose.h"
#include "spate/world.h"

// ----------------------------------------------------------------------------------------------------------------- poses

// A rigid motion with uniform scale: x = rotation * (scale * p) + translation, relative to the world's origin.
typedef struct rigid
{
	float rotation[9]; // row-major
	float scale;
	vec3 translation; // m
} rigid;

// A linear map: x = matrix * p + offset.
typedef struct affine
{
	float matrix[9];
	vec3 offset; // m
} affine;

// A rigid motion in double precision, for differences of poses.
typedef struct placement
{
	double rotation[9], translation[3], scale;
} placement;

rigid placement_rigid(const placement *at);
// Displacement from `before` of the material at a point in the pose `now`, as a function of that point.
affine placement_travel(const placement *before, const placement *now);

// Between world coordinates and those relative to an origin.
spate_pose placement_to_pose(const placement *at, const double origin[3]);
placement placement_of_pose(const spate_pose *pose, const double origin[3]);
// Whether a pose is finite, with a rotation and a scale.
int pose_is_valid(const spate_pose *pose);

static inline vec3 matrix_apply(const float m[9], vec3 p)
{
	return (vec3){m[0] * p.x + m[1] * p.y + m[2] * p.z, m[3] * p.x + m[4] * p.y + m[5] * p.z,
		      m[6] * p.x + m[7] * p.y + m[8] * p.z};
}

static inline vec3 matrix_apply_transposed(const float m[9], vec3 p)
{
	return (vec3){m[0] * p.x + m[3] * p.y + m[6] * p.z, m[1] * p.x + m[4] * p.y + m[7] * p.z,
		      m[2] * p.x + m[5] * p.y + m[8] * p.z};
}

static inline vec3 rigid_to_local(const rigid *pose, vec3 p)
{
	return vec3_scale(matrix_apply_transposed(pose->rotation, vec3_sub(p, pose->translation)), 1.0f / pose->scale);
}

static inline vec3 rigid_to_world(const rigid *pose, vec3 p)
{
	return vec3_add(matrix_apply(pose->rotation, vec3_scale(p, pose->scale)), pose->translation);
}

static inline vec3 affine_apply(const affine *map, vec3 p)
{
	return vec3_add(matrix_apply(map->matrix, p), map->offset);
}

// ------------------------------------------------------------------------------------------------------------- providers

// The box with corners a and b, grown by a margin, around all points of a collider as defined, relative to the world's origin. A plane's
// has no size.
typedef struct pose_extent
{
	vec3 a, b;  // m
	float grow; // m
} pose_extent;

enum
{
	POSE_MOST_STATE = 32 // numbers
};

typedef struct pose_type
{
	const char *name;
	// Poses at the beginning and at the end (s) of a substep, relative to the origin. With begin == end it shows where the collider is,
	// also right after load().
	spate_result (*place)(void *self, double begin, double end, placement *before, placement *now,
			      spate_error *error);
	// Upper bound on the speed of any point of an extent between two times (m/s).
	double (*speed)(const void *self, const pose_extent *extent, double begin, double end);
	// Takes the impulse of a substep; NULL for a provider that nothing can push.
	void (*receive)(void *self, const collider_load *load);
	// What a checkpoint must keep, as numbers; 0 and NULL for a provider whose pose depends on time alone. load() returns 0 if the
	// numbers cannot be its state.
	uint32_t state_count;
	void (*save)(const void *self, double *state);
	int (*load)(void *self, const double *state);
	void (*destroy)(void *self);
} pose_type;

typedef struct pose_source
{
	const pose_type *type;
	void *self;
	int moves;        // 0 if the pose never changes
	double centre[3]; // m, the point as defined that moments are about, relative to the origin
} pose_source;

// The motion of a definition, copied: fixed or keyframes.
spate_result pose_source_of_motion(pose_source *source, const spate_motion *motion, const double origin[3],
				   spate_error *error);
// A host's callback; `name` is the collider's, for messages.
spate_result pose_source_of_callback(pose_source *source, spate_pose_callback *callback, void *context,
				     const char *name, const double origin[3], spate_error *error);
void pose_source_destroy(pose_source *source);

extern const pose_type pose_fixed, pose_keyframes, pose_callback;

#endif
