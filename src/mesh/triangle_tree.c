// Builds and updates the tree.
//
// A range of triangles is cut where the surface area heuristic over bins is cheapest; the largest parts are cut again
// until a node has four children. Every choice depends only on the positions, so that the same mesh gives the same
// tree.
#include "mesh/triangle_tree.h"

#include "base/error.h"
#include "base/memory.h"
#include "mesh/tree_nodes.h"

#include <float.h>
#include <string.h>

enum
{
	BINS = 16
};

// The fourth lane of a box is unused.
typedef struct box
{
	f4 low, high;
} box;

// A triangle while the tree is built.
typedef struct item
{
	box bounds;
	f4 centre; // twice the centre
	uint32_t triangle;
} item;

// Items [begin, end).
typedef struct range
{
	uint32_t begin, end;
	int depth;
	box bounds, centres;
} range;

static box box_empty(void)
{
	return (box){f4_all(FLT_MAX), f4_all(-FLT_MAX)};
}

static void box_add(box *b, const box *other)
{
	b->low = f4_min(b->low, other->low);
	b->high = f4_max(b->high, other->high);
}

static void box_add_point(box *b, f4 p)
{
	b->low = f4_min(b->low, p);
	b->high = f4_max(b->high, p);
}

// Half the surface area of a non-empty box.
static float box_area(const box *b)
{
	f4 e = b->high - b->low;
	return e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
}

static f4 point_at(const float *positions, uint32_t vertex)
{
	const float *p = positions + (size_t)vertex * 3;
	return (f4){p[0], p[1], p[2], 0.0f};
}

static void measure(range *r, const item *items)
{
	r->bounds = r->centres = box_empty();
	for (uint32_t i = r->begin; i < r->end; i++)
	{
		box_add(&r->bounds, &items[i].bounds);
		box_add_point(&r->centres, items[i].centre);
	}
}

// A cut along an axis: the bin of a centre is (centre - origin) scale.
typedef struct cut
{
	int axis, bin; // the first bin of the right part
	float origin, scale;
} cut;

static int bin_of(const cut *c, const item *t)
{
	int bin = (int)((t->centre[c->axis] - c->origin) * c->scale);
	return bin < BINS - 1 ? bin : BINS - 1;
}

// Finds the cheapest border between the bins of one axis, if it is cheaper than *best_cost.
static void try_axis(const range *r, const item *items, int axis, cut *best, float *best_cost)
{
	float extent = r->centres.high[axis] - r->centres.low[axis];
	cut c = {.axis = axis, .origin = r->centres.low[axis], .scale = (float)BINS / extent};
	if (!(extent > 0.0f) || !(c.scale <= FLT_MAX) || !(extent <= FLT_MAX))
		return;
	box boxes[BINS];
	uint32_t counts[BINS] = {0};
	for (int k = 0; k < BINS; k++)
		boxes[k] = box_empty();
	for (uint32_t i = r->begin; i < r->end; i++)
	{
		int k = bin_of(&c, &items[i]);
		counts[k]++;
		box_add(&boxes[k], &items[i].bounds);
	}

	// cost of everything from bin k on, then of everything before it
	float right[BINS];
	box sum = box_empty();
	uint32_t count = 0;
	for (int k = BINS - 1; k > 0; k--)
	{
		box_add(&sum, &boxes[k]);
		count += counts[k];
		right[k] = count > 0 ? box_area(&sum) * (float)count : 0.0f;
	}
	sum = box_empty();
	count = 0;
	for (c.bin = 1; c.bin < BINS; c.bin++)
	{
		box_add(&sum, &boxes[c.bin - 1]);
		count += counts[c.bin - 1];
		if (count == 0 || count == r->end - r->begin)
			continue;
		float cost = box_area(&sum) * (float)count + right[c.bin];
		if (cost < *best_cost)
		{
			*best_cost = cost;
			*best = c;
		}
	}
}

// The cheapest border over all axes. Returns 0 if there is none, for example when all centres coincide.
static int choose_cut(const range *r, const item *items, cut *c)
{
	float cost = FLT_MAX;
	for (int axis = 0; axis < 3; axis++)
		try_axis(r, items, axis, c, &cost);
	return cost < FLT_MAX;
}

static void split(const range *r, item *items, range *left, range *right)
{
	cut c = {0};
	uint32_t middle = r->begin + (r->end - r->begin) / 2;
	if (r->depth < TREE_SPLIT_DEPTH && choose_cut(r, items, &c))
	{
		uint32_t a = r->begin, b = r->end;
		for (;;)
		{
			while (a < b && bin_of(&c, &items[a]) < c.bin)
				a++;
			while (a < b && bin_of(&c, &items[b - 1]) >= c.bin)
				b--;
			if (a == b)
				break;
			item swap = items[a];
			items[a++] = items[--b];
			items[b] = swap;
		}
		middle = a;
	}
	*left = (range){.begin = r->begin, .end = middle, .depth = r->depth + 1};
	*right = (range){.begin = middle, .end = r->end, .depth = r->depth + 1};
	measure(left, items);
	measure(right, items);
}

// Cuts the largest part until there are four parts or none can be cut.
static int split_in_four(const range *r, item *items, range parts[TREE_WIDTH])
{
	int count = 1;
	parts[0] = *r;
	while (count < TREE_WIDTH)
	{
		int largest = -1;
		float area = -1.0f;
		for (int k = 0; k < count; k++)
			if (parts[k].end - parts[k].begin > TREE_LEAF && box_area(&parts[k].bounds) > area)
			{
				area = box_area(&parts[k].bounds);
				largest = k;
			}
		if (largest < 0)
			break;
		range whole = parts[largest];
		split(&whole, items, &parts[largest], &parts[count]);
		count++;
	}
	return count;
}

static void node_set(tree_node *n, int lane, const box *b)
{
	for (int k = 0; k < 3; k++)
	{
		n->low[k][lane] = b->low[k];
		n->high[k][lane] = b->high[k];
	}
}

// Builds a node over the range and everything below it. Returns 0 when out of memory. TREE_MAX_DEPTH bounds the
// recursion.
static int build(triangle_tree *tree, const range *r, item *items)
{
	if (tree->node_count == tree->node_capacity)
	{
		uint32_t capacity = tree->node_capacity + tree->node_capacity / 2 + 1;
		tree_node *nodes = mem_realloc(tree->nodes, mem_product(capacity, sizeof *nodes));
		if (!nodes)
			return 0;
		tree->nodes = nodes;
		tree->node_capacity = capacity;
	}
	uint32_t self = tree->node_count++;
	tree_node *n = &tree->nodes[self];
	memset(n, 0, sizeof *n);

	range parts[TREE_WIDTH];
	int count = split_in_four(r, items, parts);
	box none = {f4_all(INFINITY), f4_all(-INFINITY)};
	for (int k = 0; k < TREE_WIDTH; k++)
		node_set(n, k, k < count ? &parts[k].bounds : &none);
	for (int k = 0; k < count; k++)
	{
		uint32_t triangles = parts[k].end - parts[k].begin;
		uint32_t child = tree->node_count;
		if (triangles <= TREE_LEAF)
			child = TREE_LEAF_BIT | (triangles - 1u) << TREE_COUNT_SHIFT | parts[k].begin;
		else if (!build(tree, &parts[k], items))
			return 0;
		tree->nodes[self].child[k] = child;
	}
	return 1;
}

static void set_slot(triangle_tree *tree, uint32_t slot, const float *positions)
{
	tree_slot *s = &tree->slots[slot];
	const uint32_t *v = tree->triangles + (size_t)s->triangle * 3;
	for (int k = 0; k < 3; k++)
		memcpy(s->corner[k], positions + (size_t)v[k] * 3, sizeof s->corner[k]);
}

static void measure_sizes(triangle_tree *tree, const float *positions)
{
	float size = 0.0f;
	double extent = 0.0;
	for (size_t k = 0; k < (size_t)tree->vertex_count * 3; k++)
		size = fabsf(positions[k]) > size ? fabsf(positions[k]) : size;
	for (uint32_t i = 0; i < tree->triangle_count; i++)
	{
		box b = box_empty();
		for (int k = 0; k < 3; k++)
			box_add_point(&b, point_at(positions, tree->triangles[(size_t)i * 3 + (size_t)k]));
		f4 e = b.high - b.low;
		extent += fmaxf(fmaxf(e[0], e[1]), e[2]);
	}
	tree->size = size;
	tree->rounding = size * 0x1p-23f;
	tree->mean_extent = tree->triangle_count > 0 ? (float)(extent / tree->triangle_count) : 0.0f;
}

static spate_result check_input(const float *positions, uint32_t vertex_count, const uint32_t *triangles,
				uint32_t triangle_count, spate_error *error)
{
	if (triangle_count >= TREE_MAX_TRIANGLES)
		return error_set(error, SPATE_INVALID, "%u triangles are more than a tree can hold (%u)",
				 triangle_count, TREE_MAX_TRIANGLES - 1u);
	for (size_t k = 0; k < (size_t)vertex_count * 3; k++)
		if (!isfinite(positions[k]))
			return error_set(error, SPATE_INVALID, "vertex %zu of the mesh has a non-finite position",
					 k / 3);
	for (size_t k = 0; k < (size_t)triangle_count * 3; k++)
		if (triangles[k] >= vertex_count)
			return error_set(error, SPATE_INVALID, "triangle %zu of the mesh refers to vertex %u of %u",
					 k / 3, triangles[k], vertex_count);
	return SPATE_OK;
}

static void fill_items(const triangle_tree *tree, const float *positions, item *items)
{
	for (uint32_t i = 0; i < tree->triangle_count; i++)
	{
		item *t = &items[i];
		t->triangle = i;
		t->bounds = box_empty();
		for (int k = 0; k < 3; k++)
			box_add_point(&t->bounds, point_at(positions, tree->triangles[(size_t)i * 3 + (size_t)k]));
		t->centre = t->bounds.low + t->bounds.high;
	}
}

// Builds nodes and slots; `items` is scratch, one per triangle.
static int fill(triangle_tree *tree, const float *positions, item *items)
{
	fill_items(tree, positions, items);
	range all = {.begin = 0, .end = tree->triangle_count, .depth = 0};
	measure(&all, items);
	if (!build(tree, &all, items))
		return 0;
	for (uint32_t i = 0; i < tree->triangle_count; i++)
	{
		tree->slots[i].triangle = items[i].triangle;
		tree->slot_of[items[i].triangle] = i;
		set_slot(tree, i, positions);
	}
	return 1;
}

spate_result triangle_tree_create(triangle_tree **out, const float *positions, uint32_t vertex_count,
				  const uint32_t *triangles, uint32_t triangle_count, spate_error *error)
{
	*out = NULL;
	spate_result result = check_input(positions, vertex_count, triangles, triangle_count, error);
	if (result != SPATE_OK)
		return result;
	triangle_tree *tree = mem_calloc(1, sizeof *tree);
	if (!tree)
		return error_memory(error, sizeof *tree);
	tree->triangle_count = triangle_count;
	tree->vertex_count = vertex_count;
	if (triangle_count == 0)
	{
		*out = tree;
		return SPATE_OK;
	}

	// most leaves hold two or three triangles, most nodes four children
	tree->node_capacity = triangle_count / 6 + 4;
	tree->nodes = mem_alloc(mem_product(tree->node_capacity, sizeof *tree->nodes));
	tree->slots = mem_alloc(mem_product(triangle_count, sizeof *tree->slots));
	tree->slot_of = mem_alloc(mem_product(triangle_count, sizeof *tree->slot_of));
	tree->triangles = mem_alloc(mem_product(triangle_count, 3 * sizeof *tree->triangles));
	item *items = mem_alloc(mem_product(triangle_count, sizeof *items));
	int done = tree->nodes && tree->slots && tree->slot_of && tree->triangles && items;
	if (done)
	{
		memcpy(tree->triangles, triangles, (size_t)triangle_count * 3 * sizeof *triangles);
		measure_sizes(tree, positions);
		done = fill(tree, positions, items);
	}
	mem_free(items);
	if (!done)
	{
		triangle_tree_destroy(tree);
		return error_memory(error, mem_product(triangle_count, sizeof *items));
	}
	*out = tree;
	return SPATE_OK;
}

void triangle_tree_destroy(triangle_tree *tree)
{
	if (!tree)
		return;
	mem_free(tree->nodes);
	mem_free(tree->slots);
	mem_free(tree->slot_of);
	mem_free(tree->triangles);
	mem_free(tree);
}

size_t triangle_tree_bytes(const triangle_tree *tree)
{
	return sizeof *tree + tree->node_capacity * sizeof *tree->nodes +
	       tree->triangle_count * (sizeof *tree->slots + sizeof *tree->slot_of + 3 * sizeof *tree->triangles);
}

static box leaf_box(const triangle_tree *tree, uint32_t child)
{
	box b = box_empty();
	for (uint32_t i = leaf_first(child), end = i + leaf_count(child); i < end; i++)
		for (int k = 0; k < 3; k++)
			box_add_point(&b, point_at(tree->slots[i].corner[k], 0));
	return b;
}

static box node_box(const tree_node *n)
{
	box b = box_empty();
	for (int lane = 0; lane < TREE_WIDTH; lane++)
	{
		box part = {{n->low[0][lane], n->low[1][lane], n->low[2][lane], 0.0f},
			    {n->high[0][lane], n->high[1][lane], n->high[2][lane], 0.0f}};
		box_add(&b, &part);
	}
	return b;
}

void triangle_tree_move(triangle_tree *tree, const float *positions)
{
	measure_sizes(tree, positions);
	for (uint32_t i = 0; i < tree->triangle_count; i++)
		set_slot(tree, i, positions);
	// children come after their parents
	for (uint32_t i = tree->node_count; i-- > 0;)
	{
		tree_node *n = &tree->nodes[i];
		for (int k = 0; k < TREE_WIDTH; k++)
		{
			if (n->low[0][k] > n->high[0][k])
				continue;
			uint32_t child = n->child[k];
			box b = child_is_leaf(child) ? leaf_box(tree, child) : node_box(&tree->nodes[child]);
			node_set(n, k, &b);
		}
	}
}
