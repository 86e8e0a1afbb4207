// A bounding volume tree over triangles with exact queries: the nearest point, and whether a path crosses. A distance
// field is faster but approximate. Gives the same bits on every instruction set.
#ifndef MESH_TRIANGLE_TREE_H
#define MESH_TRIANGLE_TREE_H

#include "base/vec.h"
#include "spate/result.h"

#include <stddef.h>
#include <stdint.h>

typedef struct triangle_tree triangle_tree;

// Positions (3 floats per vertex) and triangles (3 indices each) are copied. Triangles without area are allowed.
spate_result triangle_tree_create(triangle_tree **tree, const float *positions, uint32_t vertex_count,
				  const uint32_t *triangles, uint32_t triangle_count, spate_error *error);
void triangle_tree_destroy(triangle_tree *tree);
size_t triangle_tree_bytes(const triangle_tree *tree);

// Updates the tree for the same triangles with moved vertices.
void triangle_tree_move(triangle_tree *tree, const float *positions);

typedef struct triangle_point
{
	uint32_t triangle;
	float weights[3]; // of its corners
	vec3 place;       // m
	float distance;   // m, from the query point
} triangle_point;

// The nearest point of the mesh within `reach` of p; if several are equally near, that of the lowest triangle. Returns
// 0 if there is none.
int triangle_tree_nearest(const triangle_tree *tree, vec3 p, float reach, triangle_point *out);

// The same for one triangle.
triangle_point triangle_tree_nearest_of(const triangle_tree *tree, uint32_t triangle, vec3 p);

typedef struct triangle_hit
{
	uint32_t triangle;
	double t; // fraction of the path
	float weights[3];
	vec3 normal; // unit, against the path
} triangle_hit;

// The first triangle on the path from a to b, ends included. Returns 0 if there is none. Watertight: a path through an
// edge or a corner, within rounding, hits. A path in the plane of a triangle does not.
int triangle_tree_first_hit(const triangle_tree *tree, vec3 a, vec3 b, triangle_hit *out);

// Counts pairs of triangles that intersect anywhere but at shared corners. With `asked`, one byte per triangle, only
// pairs with a triangle whose byte is not 0 are tested. In `crossed`, unless NULL, the bytes of both triangles are set
// to 1.
uint64_t triangle_tree_crossings(const triangle_tree *tree, const uint8_t *asked, _Atomic uint8_t *crossed,
				 int threads);

// Unit normal of a triangle by the order of its corners; zero if it has no area.
vec3 triangle_tree_normal(const triangle_tree *tree, uint32_t triangle);

#endif
