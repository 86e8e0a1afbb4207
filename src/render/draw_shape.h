// Simple solids in a picture: hit by rays, drawn into a depth image, or outlined when they are containers.
#ifndef RENDER_DRAW_SHAPE_H
#define RENDER_DRAW_SHAPE_H

#include "render/camera.h"

#include <stdint.h>

typedef enum draw_shape_type
{
	DRAW_PLANE,   // through a, normal b towards the free side; infinite, with a soft grid; unseen from behind
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
	int container;     // the liquid is inside: drawn as an outline and a hint of glass
	float rotation[9]; // own frame to world, row by row; all zero means none
	vec3 translation;  // m
	vec3 colour;       // linear
} draw_shape;

// A shape with its rays prepared for one eye: view-space rays (x, y, 1) are turned into its own frame.
typedef struct draw_caster
{
	const draw_shape *shape;
	vec3 origin;                  // the eye in the shape's frame
	vec3 from_x, from_y, from_z;  // what x, y and z of a view-space direction are there
	int left, top, right, bottom; // pixels it may touch, right and bottom excluded
	int visible;
} draw_caster;

// The part of a ray inside the shape: depths (may be negative) and the unit normals, outwards, in the shape's frame.
typedef struct draw_hit
{
	float enter, leave;
	vec3 enter_normal, leave_normal;
} draw_hit;

draw_caster draw_caster_make(const draw_shape *shape, const camera_view *view);
// Returns 0 for a miss. Planes have no inside: both depths are the same.
int draw_caster_hit(const draw_caster *caster, float x, float y, draw_hit *hit);
// A direction of the shape's frame in the world, and a point of the world in its frame.
vec3 draw_shape_to_world(const draw_shape *shape, vec3 direction);
vec3 draw_shape_to_own(const draw_shape *shape, vec3 point);
// A point of the shape's frame in the world.
vec3 draw_shape_point(const draw_shape *shape, vec3 own);

// Bit 31 of an id marks a shape; the rest is its index.
#define DRAW_SHAPE_ID 0x80000000u

// Draws the solid ones (and planes, where asked) over a depth image with ids that exists already.
void draw_shapes_depth(const camera_view *view, const draw_caster *casters, int count, int planes, int threads,
		       float *depth, uint32_t *id);

// A container over a picture of linear light: the glass first, then the edges, anti-aliased, strong where nothing is in
// front of them and faint elsewhere. `coverage` is scratch, a float per pixel, all zero before and after. `width` of
// edges in pixels.
void draw_container(const draw_caster *caster, const camera_view *view, const float *depth, float width, int threads,
		    float *coverage, vec3 *light);

#endif
