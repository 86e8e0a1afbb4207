// Poses of colliders: where the world placed them, and where a host wants them.
#ifndef SPATE_POSE_H
#define SPATE_POSE_H

#include "spate/result.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A rigid motion with uniform scale, in world coordinates: a point p of the collider as it was defined is at
//
//	x = position + rotation * (scale * p)
//
// A collider that nothing moves has the default pose.
typedef struct spate_pose
{
	double position[3]; // m
	double rotation[4]; // quaternion w, x, y, z; any length but 0
	double scale;       // greater than 0
} spate_pose;

// At (0, 0, 0), not rotated, scale 1.
SPATE_API spate_pose spate_default_pose(void);

// Gives the pose of a collider at a time (s). *pose holds the pose that the collider had last. Returns 0 if there is none, which makes
// the step fail. It is called by the thread that steps the world, and must not call the world.
typedef int spate_pose_callback(void *context, double time, spate_pose *pose);

#ifdef __cplusplus
}
#endif
#endif
