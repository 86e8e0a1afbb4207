// Analytic shapes as walls: for a place, the distance to each face nearby and the direction away from the solid.
#ifndef COLLIDER_SHAPE_H
#define COLLIDER_SHAPE_H

#include "base/vec.h"
#include "spate/world.h"

enum
{
	SHAPE_MAX_WALLS = 6
};

// A face of the solid as seen from a place: distance (m, negative inside of the solid) and unit normal towards the liquid.
typedef struct wall
{
	float distance;
	vec3 normal;
} wall;

// A shape in single precision, relative to the world's origin.
typedef struct solid_shape
{
	spate_shape_type type;
	vec3 a, b;    // m
	float radius; // m
} solid_shape;

solid_shape shape_make(const spate_shape *def, const double origin[3]);

// Faces of the solid outside (an obstacle) or around the liquid inside (a container) that are closer than `reach`. A container's
// faces count one by one, because liquid in a corner feels all of them. Returns how many were written.
int shape_walls(const solid_shape *s, spate_collider_mode mode, vec3 p, float reach, wall out[SHAPE_MAX_WALLS]);

// The least distance of the walls that shape_walls() gives.
float shape_solid_distance(const solid_shape *s, spate_collider_mode mode, vec3 p);

// Signed distance to the shape's surface, negative inside of it.
float shape_distance(const solid_shape *s, vec3 p);

// The box around a shape (m). A plane's is infinite, and 0 is returned.
int shape_bounds(const spate_shape *def, double low[3], double high[3]);

// m^3; infinite for a plane.
double shape_volume(const spate_shape *def);

#endif
