// Intersections between triangles.
//
// The line in which two triangles intersect ends where an edge of one passes through the other, so testing edges
// against triangles is sufficient. Corners at the same place are one corner: there, two triangles touch but do not
// cross.
#include "base/parallel.h"
#include "mesh/tree_nodes.h"

#include <math.h>
#include <stdatomic.h>

enum
{
	TRIANGLES_PER_TASK = 1024
};

typedef struct cross_job
{
	const triangle_tree *tree;
	const uint8_t *asked;
	_Atomic uint8_t *crossed;
	_Atomic uint64_t pairs;
} cross_job;

// Six times the volume of a tetrahedron.
static double volume_of(dvec3 a, dvec3 b, dvec3 c, dvec3 d)
{
	return dvec3_dot(dvec3_cross(dvec3_sub(b, a), dvec3_sub(c, a)), dvec3_sub(d, a));
}

// Whether the edge from p to q passes through the inside of a triangle.
static int edge_through(dvec3 p, dvec3 q, const dvec3 t[3])
{
	double above = volume_of(t[0], t[1], t[2], p), below = volume_of(t[0], t[1], t[2], q);
	if (!((above > 0.0 && below < 0.0) || (above < 0.0 && below > 0.0)))
		return 0;
	double u = volume_of(p, q, t[0], t[1]), v = volume_of(p, q, t[1], t[2]), w = volume_of(p, q, t[2], t[0]);
	return (u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0);
}

static int same_corner(const float *a, const float *b)
{
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// The triangle to be tested, with everything that does not depend on the other triangle.
typedef struct asker
{
	const tree_slot *slot;
	dvec3 corners[3], normal;
	float low[3], high[3];
} asker;

static asker asker_make(const tree_slot *slot)
{
	asker a = {.slot = slot};
	for (int k = 0; k < 3; k++)
	{
		a.corners[k] = corner_of(slot, k);
		a.low[k] = fminf(fminf(slot->corner[0][k], slot->corner[1][k]), slot->corner[2][k]);
		a.high[k] = fmaxf(fmaxf(slot->corner[0][k], slot->corner[1][k]), slot->corner[2][k]);
	}
	a.normal = dvec3_cross(dvec3_sub(a.corners[1], a.corners[0]), dvec3_sub(a.corners[2], a.corners[0]));
	return a;
}

static int slots_cross(const asker *a, const tree_slot *b)
{
	dvec3 q[3];
	int above = 0, below = 0;
	for (int k = 0; k < 3; k++)
	{
		q[k] = corner_of(b, k);
		double side = dvec3_dot(a->normal, dvec3_sub(q[k], a->corners[0]));
		above += side > 0.0;
		below += side < 0.0;
	}
	if (above == 3 || below == 3)
		return 0;
	unsigned shared_a = 0, shared_b = 0;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 3; k++)
			if (same_corner(a->slot->corner[i], b->corner[k]))
			{
				shared_a |= 1u << i;
				shared_b |= 1u << k;
			}
	// triangles that share an edge either overlap or do not cross
	if ((shared_a & (shared_a - 1u)) != 0)
		return 0;
	// edge k is opposite corner k; if a corner is shared, only the edge opposite it can pass through the other
	// triangle
	const dvec3 *p = a->corners;
	for (unsigned k = 0; k < 3; k++)
	{
		if ((!shared_a || shared_a >> k & 1u) && edge_through(p[(k + 1) % 3], p[(k + 2) % 3], q))
			return 1;
		if ((!shared_b || shared_b >> k & 1u) && edge_through(q[(k + 1) % 3], q[(k + 2) % 3], p))
			return 1;
	}
	return 0;
}

static uint64_t cross_slot(cross_job *job, const asker *asks)
{
	const float *low = asks->low, *high = asks->high;
	uint32_t own = asks->slot->triangle;
	const triangle_tree *tree = job->tree;
	uint32_t stack[TREE_STACK];
	int height = 0;
	uint64_t pairs = 0;
	stack[height++] = 0;
	while (height > 0)
	{
		uint32_t child = stack[--height];
		if (!child_is_leaf(child))
		{
			const tree_node *n = &tree->nodes[child];
			i4 on = n->low[0] <= f4_all(high[0]);
			on &= n->high[0] >= f4_all(low[0]);
			on &= (n->low[1] <= f4_all(high[1])) & (n->high[1] >= f4_all(low[1]));
			on &= (n->low[2] <= f4_all(high[2])) & (n->high[2] >= f4_all(low[2]));
			for (unsigned bits = i4_bits(on); bits != 0; bits &= bits - 1u)
				stack[height++] = n->child[__builtin_ctz(bits)];
			continue;
		}
		for (uint32_t i = leaf_first(child), end = i + leaf_count(child); i < end; i++)
		{
			const tree_slot *other = &tree->slots[i];
			// if both triangles are to be tested, test the pair only once
			if (other->triangle == own ||
			    (other->triangle < own && (!job->asked || job->asked[other->triangle])) ||
			    !slots_cross(asks, other))
				continue;
			pairs++;
			if (!job->crossed)
				continue;
			atomic_store_explicit(&job->crossed[own], 1, memory_order_relaxed);
			atomic_store_explicit(&job->crossed[other->triangle], 1, memory_order_relaxed);
		}
	}
	return pairs;
}

static void cross_slots(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	cross_job *job = context;
	uint64_t pairs = 0;
	for (size_t i = begin; i < end; i++)
	{
		const tree_slot *s = &job->tree->slots[i];
		if (job->asked && !job->asked[s->triangle])
			continue;
		asker asks = asker_make(s);
		pairs += cross_slot(job, &asks);
	}
	atomic_fetch_add(&job->pairs, pairs);
}

uint64_t triangle_tree_crossings(const triangle_tree *tree, const uint8_t *asked, _Atomic uint8_t *crossed, int threads)
{
	cross_job job = {.tree = tree, .asked = asked, .crossed = crossed};
	// in the order of the leaves, so that neighbours are tested one after the other
	parallel_for(threads, tree->triangle_count, TRIANGLES_PER_TASK, cross_slots, &job);
	return job.pairs;
}
