// Internals of a triangle_tree: nodes with four children whose boxes are stored side by side, and the corners of the
// triangles in the order of the leaves. Corners and boxes are both floats, so boxes need no rounding.
#ifndef MESH_TREE_NODES_H
#define MESH_TREE_NODES_H

#include "mesh/triangle_tree.h"

typedef float f4 __attribute__((vector_size(16)));
typedef int32_t i4 __attribute__((vector_size(16)));
typedef uint64_t u2 __attribute__((vector_size(16)));

enum
{
	TREE_WIDTH = 4,        // children of a node
	TREE_LEAF = 4,         // maximum triangles per leaf
	TREE_SPLIT_DEPTH = 40, // below this, ranges are cut in halves, which bounds the depth
	TREE_MAX_DEPTH = TREE_SPLIT_DEPTH + 32,
	TREE_STACK = (TREE_WIDTH - 1) * TREE_MAX_DEPTH + TREE_WIDTH
};

// A child is the index of a node, or a leaf: bit 31 set, number of triangles less one in two bits, first slot.
#define TREE_LEAF_BIT 0x80000000u
#define TREE_COUNT_SHIFT 29
#define TREE_MAX_TRIANGLES (1u << TREE_COUNT_SHIFT)

static inline int child_is_leaf(uint32_t child)
{
	return child >= TREE_LEAF_BIT;
}

static inline uint32_t leaf_count(uint32_t child)
{
	return (child >> TREE_COUNT_SHIFT & 3u) + 1u;
}

static inline uint32_t leaf_first(uint32_t child)
{
	return child & (TREE_MAX_TRIANGLES - 1u);
}

// A lane without a child has an inverted box, which nothing intersects.
typedef struct tree_node
{
	f4 low[3], high[3]; // m
	uint32_t child[TREE_WIDTH];
	uint32_t pad[4];
} tree_node;

// A triangle as stored for the leaves.
typedef struct tree_slot
{
	float corner[3][3]; // m
	uint32_t triangle;
} tree_slot;

struct triangle_tree
{
	tree_node *nodes; // parents before their children
	uint32_t node_count, node_capacity;
	uint32_t triangle_count, vertex_count;
	tree_slot *slots;    // in the order of the leaves
	uint32_t *slot_of;   // of each triangle
	uint32_t *triangles; // 3 vertices each
	float size;          // m, the largest coordinate
	float rounding;      // m, rounding error of the coordinates
	float mean_extent;   // m, mean extent of the triangles' boxes
};

static inline f4 f4_all(float a)
{
	return (f4){a, a, a, a};
}

// By masks: a ternary per lane may be compiled to branches.
static inline f4 f4_choose(i4 mask, f4 a, f4 b)
{
	return (f4)((mask & (i4)a) | (~mask & (i4)b));
}

static inline f4 f4_min(f4 a, f4 b)
{
	return f4_choose(a < b, a, b);
}

static inline f4 f4_max(f4 a, f4 b)
{
	return f4_choose(a > b, a, b);
}

static inline f4 f4_abs(f4 a)
{
	return (f4)((i4)a & (i4){INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX});
}

// One bit per lane that is set.
static inline unsigned i4_bits(i4 mask)
{
	u2 v = (u2)(mask & (i4){1, 2, 4, 8});
	uint64_t both = v[0] | v[1];
	return (unsigned)(both | both >> 32) & 15u;
}

static inline dvec3 corner_of(const tree_slot *s, int k)
{
	return (dvec3){s->corner[k][0], s->corner[k][1], s->corner[k][2]};
}

#endif
