// Motions of definitions: keyframes and an oscillation.
#ifndef COLLIDER_MOTION_H
#define COLLIDER_MOTION_H

#include "collider/pose.h"

// How far it is from one keyframe to the next at part s of the time between them.
double motion_ease(spate_between between, double s);

// Whether the pose ever changes.
int motion_moves(const spate_motion *motion);

// Pose at a given time, for simulation and rendering; origin as in `rigid`.
rigid motion_pose(const spate_motion *motion, const double origin[3], double time);

placement motion_placement(const spate_motion *motion, const double origin[3], double time);

// The matrix of a rotation about x, then y, then z, by degrees; row-major.
void motion_rotation(const double degrees[3], double matrix[9]);

// Upper bound on the speed of a point `arm` metres from the pivot during an interval (m/s).
double motion_speed(const spate_motion *motion, double arm, double begin, double end);

#endif
