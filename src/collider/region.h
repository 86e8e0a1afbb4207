// The space that a shape of any type takes up, meshes, unions and differences included: what fills are made of.
#ifndef COLLIDER_REGION_H
#define COLLIDER_REGION_H

#include "collider/mesh_solid.h"

typedef struct region region;

// Reads meshes and builds their distance fields, for points to be told apart that are `spacing` (m) apart. SPATE_FORMAT for a mesh that
// encloses nothing.
spate_result region_create(region **made, const spate_shape *def, const collider_world *world, double spacing,
			   spate_error *error);
void region_destroy(region *r);

// Bounding box (m).
void region_bounds(const region *r, double low[3], double high[3]);

// Negative inside. At most the distance to the surface, and equal to it but near edges that a union or difference makes.
float region_distance(const region *r, vec3 p);

// Volume (m^3) of the part below a level; see fill_level. Exact for whole shapes but unions and differences, whose volumes are sums over a
// grid. A mesh that has neither been read nor can be counts 0.
double region_volume(const spate_shape *def, const double level_up[3], double level);

#endif
