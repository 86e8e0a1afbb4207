// A tree of boxes over triangles that answers exactly: what is nearest, and whether a path crosses. Where a distance field is fast and
// nearly right, this is right. Same bits on every instruction set.
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

// The same triangles with their vertices at other places.
void triangle_tree_move(triangle_tree *tree, const float *positions);

typedef struct triangle_point
{
	uint32_t triangle;
	float weights[3]; // of its corners
	vec3 place;       // m
	float distance;   // m, from the question's place
} triangle_point;

// The nearest point of the mesh within `reach` of p; of equally near ones that of the lowest triangle. 0 when there is none.
int triangle_tree_nearest(const triangle_tree *tree, vec3 p, float reach, triangle_point *out);

// The same for one triangle.
triangle_point triangle_tree_nearest_of(const triangle_tree *tree, uint32_t triangle, vec3 p);

typedef struct triangle_hit
{
	uint32_t triangle;
	double t; // of the way
	float weights[3];
	vec3 normal; // unit, against the way
} triangle_hit;

// The first triangle on the way from a to b, ends included; 0 when there is none. Watertight: a path through an edge or a corner, within
// rounding, hits. A path that lies in a triangle's plane does not.
int triangle_tree_first_hit(const triangle_tree *tree, vec3 a, vec3 b, triangle_hit *out);

// Pairs of triangles that cross each other anywhere but at corners that they share. With `asked`, one byte per triangle, only pairs with
// a triangle whose byte is not 0; in `crossed`, unless NULL, the bytes of both are set to 1.
uint64_t triangle_tree_crossings(const triangle_tree *tree, const uint8_t *asked, _Atomic uint8_t *crossed,
				 int threads);

// Unit normal of a triangle by the order of its corners; zero without area.
vec3 triangle_tree_normal(const triangle_tree *tree, uint32_t triangle);

#endif
