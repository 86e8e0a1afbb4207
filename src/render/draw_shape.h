// Simple solids in a picture: intersected by rays, drawn into a depth image, or outlined when they are containers.
#ifndef RENDER_DRAW_SHAPE_H
#define RENDER_DRAW_SHAPE_H

#include "base/camera.h"

#include <stdint.h>

typedef enum draw_shape_type
{
	DRAW_PLANE,   // through a, normal b towards the free side; infinite, with a soft grid; invisible from behind
	DRAW_BOX,     // from corner a to corner b
	DRAW_SPHERE,  // around a
	DRAW_CAPSULE, // from a to b, round ends
	DRAW_CYLINDER // from a to b, flat ends
} draw_shape_type;

typedef struct draw_shape
{
	draw_shape_type type;
	vec3 a, b;         // m, in the shape's own frame
	float radius;      // m, of sphere, capsule and cylinder
	int container;     // the liquid is inside: drawn as an outline and faint glass
	float rotation[9]; // own frame to world, row-major; all zero means none
	vec3 translation;  // m
	vec3 colour;       // linear
} draw_shape;

// A shape prepared for rays from one eye: view-space rays (x, y, 1) are transformed into its own frame.
typedef struct draw_caster
{
	const draw_shape *shape;
	vec3 origin;                  // the eye in the shape's frame
	vec3 from_x, from_y, from_z;  // the shape's frame directions of view-space x, y and z
	int left, top, right, bottom; // pixels it may touch, right and bottom excluded
	int visible;
} draw_caster;

// The part of a ray inside the shape: depths (may be negative) and outward unit normals, in the shape's frame.
typedef struct draw_hit
{
	float enter, leave;
	vec3 enter_normal, leave_normal;
} draw_hit;

draw_caster draw_caster_make(const draw_shape *shape, const camera_view *view);
// Returns 0 for a miss. A plane has no inside: both depths are equal.
int draw_caster_hit(const draw_caster *caster, float x, float y, draw_hit *hit);
// Converts a direction from the shape's frame to the world, and a point from the world to the shape's frame.
vec3 draw_shape_to_world(const draw_shape *shape, vec3 direction);
vec3 draw_shape_to_own(const draw_shape *shape, vec3 point);
// Converts a point from the shape's frame to the world.
vec3 draw_shape_point(const draw_shape *shape, vec3 own);

// Bit 31 of an id marks a shape; the rest is its index.
#define DRAW_SHAPE_ID 0x80000000u

// Draws the solids (and planes, if requested) over an existing depth image with ids.
void draw_shapes_depth(const camera_view *view, const draw_caster *casters, int count, int planes, int threads,
		       float *depth, uint32_t *id);

// Draws a container over a picture of linear light: the glass first, then the anti-aliased edges, strong where nothing
// is in front of them and faint elsewhere. `coverage` is scratch, a float per pixel, all zero before and after. `width`
// is the width of edges in pixels.
void draw_container(const draw_caster *caster, const camera_view *view, const float *depth, float width, int threads,
		    float *coverage, vec3 *light);

#endif
