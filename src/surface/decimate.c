// Merging triangles where the surface is nearly flat, by collapsing edges in the order of their cost: M. Garland, P. Heckbert, Surface
// simplification using quadric error metrics, 1997. A collapse keeps the mesh closed and manifold (the only common
// neighbours of the edge's ends are the tips of its two triangles) and flips no triangle.
#include "base/error.h"
#include "surface/finish.h"

#include <string.h>

#define NOBODY UINT32_MAX

// Sum of squared distances to planes with unit normals n: n n^T, d n, d^2.
typedef struct quadric
{
	double m[10]; // xx xy xz yy yz zz x y z 1
} quadric;

// A candidate in the heap: an edge between two vertices, valid while their stamps are unchanged.
typedef struct collapse
{
	float cost; // m^2
	uint32_t a, b;
	uint32_t stamp; // sum of both stamps, which only increase
} collapse;

typedef struct decimation
{
	surface_mesh *mesh;
	double limit; // m^2
	vec3 origin;  // quadrics are measured from here
	quadric *quadrics;
	uint32_t *corner; // first corner of each vertex, a list through `next`
	uint32_t *next;   // per corner: the next corner of the same vertex
	uint32_t *last;   // per vertex: last corner of its list
	uint32_t *stamp;
	uint32_t *seen; // per vertex: the last round that visited it
	uint32_t round;
	ARRAY(collapse) heap;
} decimation;

static int gone(const decimation *d, uint32_t corner)
{
	return d->mesh->triangles[corner - corner % 3] == NOBODY;
}

static double quadric_at(const quadric *q, vec3 p)
{
	double x = p.x, y = p.y, z = p.z;
	return x * (q->m[0] * x + 2.0 * (q->m[1] * y + q->m[2] * z + q->m[6])) +
	       y * (q->m[3] * y + 2.0 * (q->m[4] * z + q->m[7])) + z * (q->m[5] * z + 2.0 * q->m[8]) + q->m[9];
}

static void add_planes(decimation *d)
{
	surface_mesh *mesh = d->mesh;
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		const uint32_t *v = mesh->triangles + 3 * (size_t)t;
		vec3 a = mesh->positions[v[0]];
		vec3 n =
		    vec3_normalize(vec3_cross(vec3_sub(mesh->positions[v[1]], a), vec3_sub(mesh->positions[v[2]], a)));
		vec3 from = vec3_sub(a, d->origin);
		double x = n.x, y = n.y, z = n.z, w = -(x * from.x + y * from.y + z * from.z);
		double plane[10] = {x * x, x * y, x * z, y * y, y * z, z * z, x * w, y * w, z * w, w * w};
		for (int k = 0; k < 3; k++)
		{
			quadric *q = &d->quadrics[v[k]];
			for (int m = 0; m < 10; m++)
				q->m[m] += plane[m];
		}
	}
}

// Binary heap, cheapest first; ties by the vertices, so that the order is the same everywhere.
static int before(const collapse *x, const collapse *y)
{
	if (x->cost != y->cost)
		return x->cost < y->cost;
	return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static int heap_push(decimation *d, collapse item)
{
	if (!array_push(&d->heap, item))
		return 0;
	collapse *h = d->heap.data;
	size_t at = d->heap.count - 1;
	for (; at && before(&item, &h[(at - 1) / 2]); at = (at - 1) / 2)
		h[at] = h[(at - 1) / 2];
	h[at] = item;
	return 1;
}

static collapse heap_pop(decimation *d)
{
	collapse *h = d->heap.data, top = h[0], item = h[--d->heap.count];
	size_t count = d->heap.count, at = 0;
	for (size_t child = 1; child < count; child = 2 * at + 1)
	{
		child += child + 1 < count && before(&h[child + 1], &h[child]);
		if (!before(&h[child], &item))
			break;
		h[at] = h[child];
		at = child;
	}
	if (count)
		h[at] = item;
	return top;
}

// The best of the two ends and their midpoint, and its cost.
static vec3 best_place(const decimation *d, uint32_t a, uint32_t b, double *cost)
{
	vec3 pa = d->mesh->positions[a], pb = d->mesh->positions[b];
	vec3 places[3] = {vec3_scale(vec3_add(pa, pb), 0.5f), pa, pb};
	int best = 0;
	*cost = 1e300;
	for (int k = 0; k < 3; k++)
	{
		vec3 p = vec3_sub(places[k], d->origin);
		double c = quadric_at(&d->quadrics[a], p) + quadric_at(&d->quadrics[b], p);
		c = c > 0.0 ? c : 0.0;
		if (c < *cost)
		{
			*cost = c;
			best = k;
		}
	}
	return places[best];
}

static int offer(decimation *d, uint32_t a, uint32_t b)
{
	double cost;
	best_place(d, a, b, &cost);
	if (cost > d->limit)
		return 1;
	uint32_t low = a < b ? a : b, high = a < b ? b : a;
	return heap_push(d, (collapse){(float)cost, low, high, d->stamp[a] + d->stamp[b]});
}

// Counts the triangles at a vertex and removes dead corners from its list.
static uint32_t valence(decimation *d, uint32_t v)
{
	uint32_t count = 0, before_it = NOBODY;
	for (uint32_t c = d->corner[v]; c != NOBODY; c = d->next[c])
	{
		if (!gone(d, c))
		{
			count++;
			before_it = c;
		}
		else if (before_it == NOBODY)
			d->corner[v] = d->next[c];
		else
			d->next[before_it] = d->next[c];
	}
	d->last[v] = before_it;
	return count;
}

// Whether moving vertex v to p keeps the orientation of its triangles, apart from those that contain `other`.
static int keeps_facing(const decimation *d, uint32_t v, uint32_t other, vec3 p)
{
	const uint32_t *t = d->mesh->triangles;
	const vec3 *at = d->mesh->positions;
	for (uint32_t c = d->corner[v]; c != NOBODY; c = d->next[c])
	{
		uint32_t base = c - c % 3, b = t[base + (c + 1) % 3], e = t[base + (c + 2) % 3];
		if (b == other || e == other)
			continue;
		vec3 was = vec3_cross(vec3_sub(at[b], at[v]), vec3_sub(at[e], at[v]));
		vec3 is = vec3_cross(vec3_sub(at[b], p), vec3_sub(at[e], p));
		vec3 side = vec3_sub(at[e], at[b]);
		// reject flipped triangles and needles
		float area = vec3_length(is), reach = vec3_dot(side, side);
		if (!(vec3_dot(was, is) > 0.7f * area * vec3_length(was)) || !(area > 0.1f * reach))
			return 0;
	}
	return 1;
}

// Whether the only common neighbours are the two tips, and both tips keep three triangles.
static int keeps_manifold(decimation *d, uint32_t a, uint32_t b)
{
	const uint32_t *t = d->mesh->triangles;
	uint32_t mark = ++d->round, common = 0, tips[2];
	for (uint32_t c = d->corner[a]; c != NOBODY; c = d->next[c])
		d->seen[t[c - c % 3 + (c + 1) % 3]] = mark;
	for (uint32_t c = d->corner[b]; c != NOBODY; c = d->next[c])
	{
		uint32_t v = t[c - c % 3 + (c + 1) % 3];
		if (d->seen[v] != mark || v == a)
			continue;
		if (common == 2)
			return 0;
		tips[common++] = v;
	}
	return common == 2 && valence(d, tips[0]) > 3 && valence(d, tips[1]) > 3;
}

static int try_collapse(decimation *d, uint32_t a, uint32_t b)
{
	uint32_t *t = d->mesh->triangles;
	double cost;
	vec3 p = best_place(d, a, b, &cost);
	if (!valence(d, a) || !valence(d, b) || !keeps_manifold(d, a, b) || !keeps_facing(d, a, b, p) ||
	    !keeps_facing(d, b, a, p))
		return 1;
	for (uint32_t c = d->corner[b]; c != NOBODY; c = d->next[c])
	{
		uint32_t *corners = t + (c - c % 3);
		if (corners[0] == a || corners[1] == a || corners[2] == a)
			corners[0] = corners[1] = corners[2] = NOBODY;
		else
			t[c] = a;
	}
	d->next[d->last[a]] = d->corner[b];
	d->corner[b] = NOBODY;
	for (int m = 0; m < 10; m++)
		d->quadrics[a].m[m] += d->quadrics[b].m[m];
	d->mesh->positions[a] = p;
	d->stamp[a]++;
	d->stamp[b]++;
	valence(d, a);
	for (uint32_t c = d->corner[a]; c != NOBODY; c = d->next[c])
		if (!offer(d, a, t[c - c % 3 + (c + 1) % 3]))
			return 0;
	return 1;
}

// Renumbers the remaining vertices and triangles, keeping their order.
static void compact(decimation *d)
{
	surface_mesh *mesh = d->mesh;
	uint32_t vertices = 0, triangles = 0;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
		if (valence(d, v))
		{
			mesh->positions[vertices] = mesh->positions[v];
			d->seen[v] = vertices++;
		}
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
		if (!gone(d, 3 * t))
		{
			for (uint32_t k = 0; k < 3; k++)
				mesh->triangles[3 * triangles + k] = d->seen[mesh->triangles[3 * t + k]];
			triangles++;
		}
	mesh->vertex_count = vertices;
	mesh->triangle_count = triangles;
}

static int run(decimation *d)
{
	surface_mesh *mesh = d->mesh;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
		d->corner[v] = NOBODY;
	for (uint32_t c = 3 * mesh->triangle_count; c-- > 0;)
	{
		d->next[c] = d->corner[mesh->triangles[c]];
		d->corner[mesh->triangles[c]] = c;
	}
	add_planes(d);
	for (uint32_t c = 0; c < 3 * mesh->triangle_count; c++)
	{
		uint32_t a = mesh->triangles[c], b = mesh->triangles[c - c % 3 + (c + 1) % 3];
		if (a < b && !offer(d, a, b))
			return 0;
	}
	while (d->heap.count)
	{
		collapse item = heap_pop(d);
		if (d->corner[item.a] != NOBODY && d->corner[item.b] != NOBODY &&
		    d->stamp[item.a] + d->stamp[item.b] == item.stamp && !try_collapse(d, item.a, item.b))
			return 0;
	}
	compact(d);
	return 1;
}

spate_result surface_decimate(surface_mesh *mesh, double tolerance, spate_error *error)
{
	if (!(tolerance > 0.0) || mesh->triangle_count == 0)
		return SPATE_OK;
	size_t vertices = mesh->vertex_count, corners = 3 * (size_t)mesh->triangle_count;
	decimation d = {.mesh = mesh, .limit = tolerance * tolerance, .origin = mesh->positions[0]};
	d.quadrics = mem_calloc(vertices, sizeof *d.quadrics);
	d.corner = mem_alloc(vertices * sizeof *d.corner);
	d.last = mem_calloc(vertices, sizeof *d.last);
	d.stamp = mem_calloc(vertices, sizeof *d.stamp);
	d.seen = mem_calloc(vertices, sizeof *d.seen);
	d.next = mem_alloc(corners * sizeof *d.next);
	spate_result result = SPATE_OK;
	if (!d.quadrics || !d.corner || !d.last || !d.stamp || !d.seen || !d.next || !run(&d))
		result = error_memory(error, vertices * sizeof *d.quadrics + corners * sizeof *d.next);
	mem_free(d.quadrics);
	mem_free(d.corner);
	mem_free(d.last);
	mem_free(d.stamp);
	mem_free(d.seen);
	mem_free(d.next);
	array_free(&d.heap);
	return result;
}
