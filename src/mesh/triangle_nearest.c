// Finds the point of the mesh nearest to a place. Boxes are measured in float, four at a time, rounded so that none is
// missed; triangles are measured in double.
#include "mesh/tree_nodes.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The nearest point of a triangle: its weights and the square of its distance.
typedef struct nearest_point
{
	double weights[3];
	double square; // m^2
	uint32_t triangle;
} nearest_point;

static int is_before(dvec3 a, dvec3 b)
{
	return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

// The nearest point of edge i j, relative to the place. Both triangles of an edge start from the same end, so they give
// the same bits.
static void try_edge(const dvec3 c[3], int i, int j, nearest_point *best)
{
	if (is_before(c[j], c[i]))
	{
		int swap = i;
		i = j;
		j = swap;
	}
	dvec3 e = dvec3_sub(c[j], c[i]);
	double along = -dvec3_dot(c[i], e), square = dvec3_dot(e, e);
	double t = along <= 0.0 ? 0.0 : along >= square ? 1.0 : along / square;
	dvec3 q = t >= 1.0 ? c[j] : (dvec3){c[i].x + t * e.x, c[i].y + t * e.y, c[i].z + t * e.z};
	double distance = dvec3_dot(q, q);
	if (distance >= best->square)
		return;
	best->square = distance;
	best->weights[i] = 1.0 - t;
	best->weights[j] = t;
	best->weights[3 - i - j] = 0.0;
}

static nearest_point nearest_of_slot(const tree_slot *s, dvec3 p)
{
	dvec3 c[3] = {dvec3_sub(corner_of(s, 0), p), dvec3_sub(corner_of(s, 1), p), dvec3_sub(corner_of(s, 2), p)};
	dvec3 u = dvec3_sub(c[1], c[0]), v = dvec3_sub(c[2], c[0]), n = dvec3_cross(u, v);

	// twice the areas between the place, projected along the normal, and the edges, times that of the triangle:
	// their sum is n . n
	double nn = dvec3_dot(n, n);
	dvec3 x = dvec3_cross(n, c[0]);
	double w2 = dvec3_dot(x, u), w1 = -dvec3_dot(x, v);
	double w[3] = {nn - w1 - w2, w1, w2};
	int flat = !(nn > 1e-30 * dvec3_dot(u, u) * dvec3_dot(v, v));

	// if the place lies outside some edges, the nearest point is on one of them; without an area, all edges count
	nearest_point best = {.square = INFINITY, .triangle = s->triangle};
	int outside = 0;
	for (int k = 0; k < 3; k++)
		if (flat || !(w[k] > 0.0))
		{
			outside = 1;
			try_edge(c, (k + 1) % 3, (k + 2) % 3, &best);
		}
	if (!outside)
	{
		double away = dvec3_dot(n, c[0]), scale = 1.0 / nn;
		best.square = away * away * scale;
		for (int k = 0; k < 3; k++)
			best.weights[k] = w[k] * scale;
	}
	return best;
}

static triangle_point describe(const triangle_tree *tree, const nearest_point *best)
{
	const tree_slot *s = &tree->slots[tree->slot_of[best->triangle]];
	triangle_point out = {.triangle = best->triangle, .distance = (float)sqrt(best->square)};
	double place[3] = {0.0, 0.0, 0.0};
	for (int k = 0; k < 3; k++)
	{
		out.weights[k] = (float)best->weights[k];
		for (int i = 0; i < 3; i++)
			place[i] += best->weights[k] * s->corner[k][i];
	}
	out.place = (vec3){(float)place[0], (float)place[1], (float)place[2]};
	return out;
}

triangle_point triangle_tree_nearest_of(const triangle_tree *tree, uint32_t triangle, vec3 p)
{
	nearest_point best = nearest_of_slot(&tree->slots[tree->slot_of[triangle]], (dvec3){p.x, p.y, p.z});
	return describe(tree, &best);
}

// A child that may contain a nearer point, and the squared distance to its box.
typedef struct candidate
{
	uint32_t child;
	float square; // m^2
} candidate;

// An upper bound in float that no box within `square` exceeds by rounding.
static float limit_of(double square)
{
	return (float)(square * (1.0 + 0x1p-19) + FLT_MIN);
}

// Pushes the children within the limit, the nearest last. Returns the new height of the stack.
static int push_in_order(candidate *stack, int height, const tree_node *n, const f4 p[3], float limit)
{
	f4 square = f4_all(0.0f);
	for (int k = 0; k < 3; k++)
	{
		i4 below = (i4)(n->low[k] - p[k]) & (n->low[k] > p[k]);
		i4 above = (i4)(p[k] - n->high[k]) & (p[k] > n->high[k]);
		f4 away = (f4)(below | above);
		square += away * away;
	}
	float squares[TREE_WIDTH];
	memcpy(squares, &square, sizeof squares);
	int count = 0;
	for (unsigned bits = i4_bits(square <= f4_all(limit)); bits != 0; bits &= bits - 1u)
	{
		int lane = __builtin_ctz(bits);
		if (n->low[0][lane] > n->high[0][lane])
			continue;
		candidate *c = stack + height, new = {n->child[lane], squares[lane]};
		int k = count++;
		for (; k > 0 && c[k - 1].square < new.square; k--)
			c[k] = c[k - 1];
		c[k] = new;
	}
	return height + count;
}

int triangle_tree_nearest(const triangle_tree *tree, vec3 p, float reach, triangle_point *out)
{
	if (tree->triangle_count == 0 || !(reach >= 0.0f) || !vec3_is_finite(p))
		return 0;
	nearest_point best = {.square = (double)reach * reach, .triangle = UINT32_MAX};
	float limit = limit_of(best.square);
	dvec3 place = {p.x, p.y, p.z};
	const f4 lanes[3] = {f4_all(p.x), f4_all(p.y), f4_all(p.z)};

	candidate stack[TREE_STACK];
	int height = 0;
	stack[height++] = (candidate){0, 0.0f};
	while (height > 0)
	{
		candidate c = stack[--height];
		if (c.square > limit)
			continue;
		if (!child_is_leaf(c.child))
		{
			height = push_in_order(stack, height, &tree->nodes[c.child], lanes, limit);
			continue;
		}
		for (uint32_t i = leaf_first(c.child), end = i + leaf_count(c.child); i < end; i++)
		{
			nearest_point found = nearest_of_slot(&tree->slots[i], place);
			if (found.square < best.square ||
			    (found.square == best.square && found.triangle < best.triangle))
			{
				best = found;
				limit = limit_of(best.square);
			}
		}
	}
	if (best.triangle == UINT32_MAX)
		return 0;
	*out = describe(tree, &best);
	return 1;
}
