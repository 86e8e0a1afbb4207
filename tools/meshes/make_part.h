// Builds example meshes: appends vertices and triangles to a mesh with room for them.
#ifndef TOOLS_MESHES_MAKE_PART_H
#define TOOLS_MESHES_MAKE_PART_H

#include "spate/mesh.h"

typedef struct make_part
{
	spate_mesh *mesh;
	uint32_t vertices, triangles; // number so far
} make_part;

// Returns INVALID unless `good`.
spate_result make_check(int good, const char *what, spate_error *error);
spate_result make_begin(spate_mesh **mesh, uint64_t vertices, uint64_t triangles, int with_uvs, spate_error *error);

uint32_t make_vertex(make_part *p, double x, double y, double z);
void make_triangle(make_part *p, uint32_t a, uint32_t b, uint32_t c);
void make_quad(make_part *p, uint32_t a, uint32_t b, uint32_t c, uint32_t d);

// Moves a point in place.
typedef void make_place(const void *context, double point[3]);
// A box centred on the origin, transformed by `place` unless NULL; sides given by the bits of `flipped` face inwards. 8
// vertices, 12 triangles.
void make_part_box(make_part *p, const double size[3], make_place *place, const void *context, uint32_t flipped);
// A sphere centred on (x, 0, 0). segments (rings - 1) + 2 vertices, 2 segments (rings - 1) triangles.
void make_part_sphere(make_part *p, double radius, double x, uint32_t segments, uint32_t rings);

// An ellipsoid, tilted by so many degrees about the z axis.
typedef struct make_ball
{
	double center[3], radii[3];
	double tilt;
} make_ball;

// As many vertices and triangles as a sphere, all scaled by `scale`.
void make_part_ball(make_part *p, const make_ball *b, double scale, uint32_t segments, uint32_t rings);

#endif
