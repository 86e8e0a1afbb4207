// Poses of moving colliders.
#ifndef COLLIDER_MOTION_H
#define COLLIDER_MOTION_H

#include "base/vec.h"
#include "spate/world.h"

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

// Whether the pose ever changes.
int motion_moves(const spate_motion *motion);

// Pose at a given time, for simulation and rendering; origin as in `rigid`.
rigid motion_pose(const spate_motion *motion, const double origin[3], double time);

// Displacement since `begin` of the material at a point in the pose at `end`, as a function of that point.
affine motion_travel(const spate_motion *motion, const double origin[3], double begin, double end);

// The matrix of a rotation about x, then y, then z, by degrees; row-major.
void motion_rotation(const double degrees[3], double matrix[9]);

// Upper bound on the speed of a point `arm` metres from the pivot during an interval (m/s).
double motion_speed(const spate_motion *motion, double arm, double begin, double end);

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

#endif
