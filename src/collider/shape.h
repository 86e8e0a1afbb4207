// Analytic shapes as walls: for a point, the distance to each nearby face and the direction away from the solid.
#ifndef COLLIDER_SHAPE_H
#define COLLIDER_SHAPE_H

#include "base/vec.h"
#include "spate/world.h"

enum
{
	SHAPE_MAX_WALLS = 6
};

// A face of the solid as seen from a point: distance (m, negative inside the solid) and unit normal towards the liquid.
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
// faces count individually, because all of them act on liquid in a corner. Returns the number written.
int shape_walls(const solid_shape *s, spate_collider_mode mode, vec3 p, float reach, wall out[SHAPE_MAX_WALLS]);

// The nearest of them, at any distance.
wall shape_nearest_wall(const solid_shape *s, spate_collider_mode mode, vec3 p);

// The smallest distance of the walls that shape_walls() returns.
float shape_solid_distance(const solid_shape *s, spate_collider_mode mode, vec3 p);

// Signed distance to the shape's surface, negative inside.
float shape_distance(const solid_shape *s, vec3 p);

// Size (m) across its thinnest part; infinite for a plane.
float shape_thickness(const solid_shape *s);
// Whether the straight way between two points leads through the shape.
int shape_separates(const solid_shape *s, vec3 a, vec3 b);

// Bounding box of a shape (m), also of those for fills. Returns 0 for a plane, whose box is infinite. A mesh that has not been read counts
// as a point.
int shape_bounds(const spate_shape *def, double low[3], double high[3]);

// Whether there is a mesh in it that has not been read.
int shape_is_unread(const spate_shape *def);
// Whether a box or ellipsoid is rotated; its rotation, row-major, and the centre of that (m).
int shape_is_turned(const spate_shape *def);
void shape_turn(const spate_shape *def, double rotation[9], double centre[3]);

// m^3; infinite for a plane, a mesh, a union and a difference: see region_volume().
double shape_volume(const spate_shape *def);

#endif
