// Closes cracks. Programs that write triangle by triangle compute a vertex once per triangle, and the copies differ in
// their last digits:
//
//	a-----b b'----d     b and b' are copies of one vertex, c is shared exactly: the edges b c and b' c are at one triangle
//	 \    | |    /      each. Vertices away from such open edges are never touched, so a mesh that is closed already
//	  \   | |   /       stays as it is, however fine.
//	   `--- c ---
//
// Vertices at open edges are joined when they are closer than the reach of both. The reach of a vertex is a quarter of
// the shortest edge of its triangles, so that details keep their shape, and at most two units in the sixth digit of the
// mesh's size (many programs write six digits), or the rounding to floats for coordinates far from the origin. Joining
// is transitive; a group that has become longer than two of its reaches is not one vertex, and is left alone.
//
// Reaches differ, so the grid for the neighbour search has levels: cells of level k are 2 `widest` / 2^k wide and hold
// the vertices whose reach is between a quarter and half of that. A vertex searches its own level and coarser ones.
#include "mesh/weld.h"

#include "base/forest.h"
#include "base/hash.h"
#include "mesh/edges.h"

#include <math.h>
#include <string.h>

static const double six_digits = 2e-5;      // of the longest side of the bounding box
static const double float_digits = 0x1p-20; // of the largest coordinate: copies off by two units each, along all axes
static const double reach_of_edge = 0.25;   // of the shortest edge longer than rounding
static const double longest_group = 2.0;    // reaches
static const double last_cell = 0x1p62;     // of the grid, along each axis

enum
{
	LEVELS = 32,
	BUDGET = 50000000 // comparisons, plus 100 per vertex: for soups of coincident triangles
};

// A vertex at an open edge.
typedef struct rim_vertex
{
	uint32_t vertex;
	uint32_t next; // in the same slot of the grid, number + 1
	double reach;  // m
	int level;
} rim_vertex;

typedef struct rim_group
{
	double low[3], high[3]; // m
	double reach;           // m, the shortest of its vertices'
} rim_group;

typedef struct rims
{
	const float *positions;
	double low[3]; // m, of the box of all vertices
	double size;   // m, the longest side of the box
	double widest; // m, the longest reach
	rim_vertex *list;
	uint32_t count;
	uint32_t *parent; // of numbers in the list
	uint32_t *slots;  // number + 1 of the first vertex of a cell
	size_t slot_count;
	uint32_t levels_used; // bit k: there are vertices of level k
	uint64_t budget;
} rims;

static void measure(rims *r, uint32_t vertices)
{
	for (size_t k = 0; k < 3; k++)
	{
		double low = INFINITY, high = -INFINITY;
		for (size_t v = 0; v < vertices; v++)
		{
			low = fmin(low, (double)r->positions[3 * v + k]);
			high = fmax(high, (double)r->positions[3 * v + k]);
		}
		r->low[k] = low;
		r->size = fmax(r->size, high - low);
	}
}

// Lists the vertices at open edges, in order; `number` is set to their index + 1, and to 0 for the others.
static int find_rims(rims *r, uint32_t *number, uint32_t vertices, const uint32_t *corners, uint32_t count)
{
	mesh_edges edges;
	if (!mesh_edges_init(&edges, corners, count))
		return 0;
	for (uint32_t i = 0, end; i < count; i = end)
	{
		end = mesh_edges_end(&edges, i);
		if (end - i == 1)
			number[corners[edges.sides[i]]] = number[corners[mesh_side_end(edges.sides[i])]] = 1;
	}
	mesh_edges_free(&edges);
	for (uint32_t v = 0; v < vertices; v++)
		if (number[v])
			number[v] = ++r->count;
	if (r->count == 0)
		return 1;
	r->list = mem_alloc(r->count * sizeof *r->list);
	for (uint32_t v = 0; v < vertices && r->list; v++)
		if (number[v])
			r->list[number[v] - 1] = (rim_vertex){.vertex = v, .reach = INFINITY};
	return r->list != NULL;
}

static double distance(const rims *r, uint32_t v, uint32_t w)
{
	const float *p = r->positions + 3 * (size_t)v, *q = r->positions + 3 * (size_t)w;
	double x = (double)p[0] - (double)q[0], y = (double)p[1] - (double)q[1], z = (double)p[2] - (double)q[2];
	return sqrt(x * x + y * y + z * z);
}

// How far rounding alone may separate copies of a vertex, m. Shorter edges are meaningless.
static double rounding_at(const rims *r, uint32_t v)
{
	const float *p = r->positions + 3 * (size_t)v;
	return float_digits * (double)fmaxf(fmaxf(fabsf(p[0]), fabsf(p[1])), fabsf(p[2]));
}

// The shortest edge of a triangle that is longer than rounding, m.
static double shortest_edge(const rims *r, const uint32_t t[3])
{
	double shortest = INFINITY;
	for (int k = 0; k < 3; k++)
	{
		uint32_t a = t[k], b = t[(k + 1) % 3];
		double length = distance(r, a, b);
		if (length > fmax(rounding_at(r, a), rounding_at(r, b)))
			shortest = fmin(shortest, length);
	}
	return shortest;
}

static void find_reaches(rims *r, const uint32_t *number, const uint32_t *corners, uint32_t count)
{
	for (uint32_t i = 0; i < count; i += 3)
	{
		double reach = reach_of_edge * shortest_edge(r, corners + i);
		for (uint32_t k = i; k < i + 3; k++)
			if (number[corners[k]])
			{
				rim_vertex *v = &r->list[number[corners[k]] - 1];
				v->reach = fmin(v->reach, reach);
			}
	}
	for (uint32_t i = 0; i < r->count; i++)
	{
		rim_vertex *v = &r->list[i];
		double rounding = rounding_at(r, v->vertex);
		v->reach = isinf(v->reach) ? rounding : fmin(v->reach, fmax(six_digits * r->size, rounding));
		r->widest = fmax(r->widest, v->reach);
	}
	for (uint32_t i = 0; i < r->count; i++)
	{
		rim_vertex *v = &r->list[i];
		v->level = v->reach > 0.0 ? ilogb(r->widest / v->reach) : LEVELS;
		v->level = v->level < LEVELS ? v->level : LEVELS - 1;
		r->levels_used |= 1u << v->level;
	}
}

// The cell at `away` metres from a vertex along all axes. If reaches are far smaller than the mesh, all cells beyond
// the last number coincide.
static void find_cell(const rims *r, uint32_t vertex, double away, int level, int64_t cell[3])
{
	double per_metre = ldexp(0.5 / r->widest, level);
	for (size_t k = 0; k < 3; k++)
	{
		double at = ((double)r->positions[3 * (size_t)vertex + k] - r->low[k] + away) * per_metre;
		cell[k] = (int64_t)floor(fmin(fmax(at, -last_cell), last_cell));
	}
}

static uint32_t *slot_of(const rims *r, int level, const int64_t cell[3])
{
	uint64_t hash = (uint64_t)level;
	for (int k = 0; k < 3; k++)
		hash = hash_mix(hash + (uint64_t)cell[k] + 0x9e3779b97f4a7c15u);
	return &r->slots[hash & (r->slot_count - 1)];
}

static int fill_grid(rims *r)
{
	for (r->slot_count = 64; r->slot_count < 2 * (size_t)r->count;)
		r->slot_count *= 2;
	r->slots = mem_calloc(r->slot_count, sizeof *r->slots);
	r->parent = mem_alloc(r->count * sizeof *r->parent);
	if (!r->slots || !r->parent)
		return 0;
	forest_init(r->parent, r->count);
	for (uint32_t i = 0; i < r->count; i++)
	{
		int64_t cell[3];
		find_cell(r, r->list[i].vertex, 0.0, r->list[i].level, cell);
		uint32_t *slot = slot_of(r, r->list[i].level, cell);
		r->list[i].next = *slot;
		*slot = i + 1;
	}
	return 1;
}

// Joins a vertex with all vertices of one slot that are near it.
static void join_slot(rims *r, uint32_t i, uint32_t slot)
{
	for (uint32_t n = slot; n != 0 && r->budget > 0; n = r->list[n - 1].next, r->budget--)
	{
		const rim_vertex *a = &r->list[i], *b = &r->list[n - 1];
		if (distance(r, a->vertex, b->vertex) <= fmin(a->reach, b->reach))
			forest_join(r->parent, i, n - 1);
	}
}

static void join_near(rims *r, uint32_t i)
{
	const rim_vertex *v = &r->list[i];
	for (int level = 0; level <= v->level; level++)
	{
		int64_t low[3], high[3], cell[3];
		if (!(r->levels_used & 1u << level))
			continue;
		find_cell(r, v->vertex, -v->reach, level, low);
		find_cell(r, v->vertex, v->reach, level, high);
		for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++)
			for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
				for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
					join_slot(r, i, *slot_of(r, level, cell));
	}
}

static int is_one_vertex(const rim_group *g)
{
	double longest = 0.0;
	for (int k = 0; k < 3; k++)
		longest = fmax(longest, g->high[k] - g->low[k]);
	return longest <= longest_group * g->reach;
}

// Applies the groups that are small enough to be one vertex.
static int take_groups(rims *r, uint32_t *first)
{
	rim_group *groups = mem_alloc(r->count * sizeof *groups);
	if (!groups)
		return 0;
	for (uint32_t i = 0; i < r->count; i++)
	{
		// the root is the first vertex of its group
		uint32_t root = forest_root(r->parent, i);
		rim_group *g = &groups[root];
		if (root == i)
			*g = (rim_group){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, INFINITY};
		for (size_t k = 0; k < 3; k++)
		{
			double x = (double)r->positions[3 * (size_t)r->list[i].vertex + k];
			g->low[k] = fmin(g->low[k], x);
			g->high[k] = fmax(g->high[k], x);
		}
		g->reach = fmin(g->reach, r->list[i].reach);
	}
	for (uint32_t i = 0; i < r->count; i++)
	{
		uint32_t root = forest_root(r->parent, i);
		if (root != i && is_one_vertex(&groups[root]))
			first[r->list[i].vertex] = r->list[root].vertex;
	}
	mem_free(groups);
	return 1;
}

static int weld_rims(rims *r, uint32_t *first, uint32_t *number, uint32_t vertices, const uint32_t *corners,
		     uint32_t count)
{
	if (!find_rims(r, number, vertices, corners, count))
		return 0;
	if (r->count == 0)
		return 1;
	measure(r, vertices);
	find_reaches(r, number, corners, count);
	if (!fill_grid(r))
		return 0;
	r->budget = BUDGET + 100 * (uint64_t)r->count;
	for (uint32_t i = 0; i < r->count; i++)
		join_near(r, i);
	return take_groups(r, first);
}

int weld_cracks(uint32_t *first, const float *positions, uint32_t vertices, const uint32_t *corners, uint32_t count)
{
	rims r = {.positions = positions};
	uint32_t *number = mem_calloc(vertices ? vertices : 1, sizeof *number);
	forest_init(first, vertices);
	int good = number && weld_rims(&r, first, number, vertices, corners, count);
	mem_free(number);
	mem_free(r.list);
	mem_free(r.parent);
	mem_free(r.slots);
	return good;
}
