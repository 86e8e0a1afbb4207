// Repairs needles: triangles whose height is within the rounding of their coordinates.
//
// They come from flat tetrahedra: for four particles in a rectangle all four edge points lie on one line, two of them
// at the same place. Needles close the surface, so they cannot just be dropped, but the triangles around them can be
// connected differently:
//
//	flip      the longest edge, a-b, if both its triangles separate the same two fluids
//
//	              c                c
//	            a---b    ->      a | b       the needle a b c and its neighbour become two halves of the neighbour
//	             \ /              \|/
//	              d                d
//
//	collapse  two vertices closer than rounding, along an edge of a needle or from c to d: one replaces
//	          the other, and the two triangles between them are removed
//
// No vertex moves. An edge where three labels meet is neither flipped nor collapsed, and its vertices stay. Flips never
// create more needles, and those that keep their number make them shorter; collapses reduce it; so the process ends.
// Finally the new triangles are tested for crossings. If one crosses, everything starts over with its corners locked.
#include "surface/many.h"

#include "base/error.h"
#include "base/parallel.h"
#include "mesh/measure.h"
#include "mesh/triangle_tree.h"

#include <stdatomic.h>
#include <string.h>

enum
{
	TRIANGLES_PER_TASK = 4096,
	MOST_ATTEMPTS = 8
};

// Vertices closer than this, in roundings of their coordinates, are merged. It covers the distance that perturbing the
// points before the triangulation leaves between two that were at the same place.
#define SHORT_EDGE 32.0

typedef struct mending
{
	spate_mesh *mesh;
	uint8_t (*sides)[2];
	uint32_t *before;       // original triangles
	uint32_t *first, *list; // triangles at v as the round starts: list[first[v]] to list[first[v + 1] - 1]
	uint8_t *needle;        // per triangle
	uint8_t *changed;       // per triangle
	uint8_t *locked;        // per vertex: a triangle at it has changed in this round
	uint8_t *banned;        // per vertex: no triangle at it may change
	uint8_t *gone;          // per vertex: removed by a collapse
	_Atomic uint8_t *crossed;
	many_mended counts;
	int threads;
} mending;

static const uint32_t *corners_of(const mending *m, uint32_t triangle)
{
	return m->mesh->triangles + 3 * (size_t)triangle;
}

// A collapsed triangle has the same corner three times.
static int is_gone(const uint32_t *v)
{
	return v[0] == v[1];
}

static int is_needle(const mending *m, const uint32_t *v)
{
	return !is_gone(v) && !mesh_has_area(m->mesh->positions, v);
}

static dvec3 place_of(const mending *m, uint32_t vertex)
{
	const float *p = m->mesh->positions + 3 * (size_t)vertex;
	return (dvec3){(double)p[0], (double)p[1], (double)p[2]};
}

static double length_of(const mending *m, uint32_t a, uint32_t b)
{
	return dvec3_length(dvec3_sub(place_of(m, b), place_of(m, a)));
}

static dvec3 normal_of(const mending *m, const uint32_t *v)
{
	dvec3 a = place_of(m, v[0]);
	return dvec3_cross(dvec3_sub(place_of(m, v[1]), a), dvec3_sub(place_of(m, v[2]), a));
}

static int same_way(const mending *m, const uint32_t *v, const uint32_t *w)
{
	return dvec3_dot(normal_of(m, v), normal_of(m, w)) > 0.0;
}

// Corner of a triangle at this vertex; 3 if there is none.
static uint32_t corner_at(const uint32_t *v, uint32_t vertex)
{
	return v[0] == vertex ? 0 : v[1] == vertex ? 1 : v[2] == vertex ? 2 : 3;
}

static int may_change(const mending *m, uint32_t vertex)
{
	return !m->locked[vertex] && !m->banned[vertex];
}

// Counts the triangles that contain both vertices; *other is one of them other than `than`.
static uint32_t count_at_edge(const mending *m, uint32_t a, uint32_t b, uint32_t than, uint32_t *other)
{
	uint32_t count = 0;
	for (uint32_t i = m->first[a]; i < m->first[a + 1]; i++)
	{
		if (corner_at(corners_of(m, m->list[i]), b) == 3)
			continue;
		count++;
		if (m->list[i] != than)
			*other = m->list[i];
	}
	return count;
}

static int are_joined(const mending *m, uint32_t a, uint32_t b)
{
	uint32_t other;
	return count_at_edge(m, a, b, UINT32_MAX, &other) > 0;
}

static void set_triangle(mending *m, uint32_t triangle, const uint32_t corners[3])
{
	uint32_t *v = m->mesh->triangles + 3 * (size_t)triangle;
	for (size_t k = 0; k < 3; k++)
		m->locked[v[k]] = m->locked[corners[k]] = 1;
	memcpy(v, corners, 3 * sizeof *v);
	m->changed[triangle] = 1;
	m->needle[triangle] = (uint8_t)is_needle(m, v);
}

// A needle a, b, c and the triangle on the other side of its longest edge, b, a, d.
typedef struct quad
{
	uint32_t needle, other;
	uint32_t a, b, c, d;
	double longest; // m, from a to b
} quad;

// Returns 0 if the edge is a seam, if a vertex must not be changed, or if the tips are connected already.
static int find_quad(const mending *m, uint32_t needle, quad *q)
{
	const uint32_t *v = corners_of(m, needle);
	uint32_t k = 0;
	*q = (quad){.needle = needle, .other = needle};
	for (uint32_t i = 0; i < 3; i++)
	{
		double length = length_of(m, v[i], v[(i + 1) % 3]);
		if (length > q->longest)
		{
			q->longest = length;
			k = i;
		}
	}
	q->a = v[k];
	q->b = v[(k + 1) % 3];
	q->c = v[(k + 2) % 3];
	if (count_at_edge(m, q->a, q->b, needle, &q->other) != 2 ||
	    memcmp(m->sides[needle], m->sides[q->other], 2) != 0)
		return 0;
	const uint32_t *w = corners_of(m, q->other);
	uint32_t at = corner_at(w, q->b);
	q->d = w[(at + 2) % 3];
	return w[(at + 1) % 3] == q->a && q->d != q->c && may_change(m, q->a) && may_change(m, q->b) &&
	       may_change(m, q->c) && may_change(m, q->d) && !are_joined(m, q->c, q->d);
}

// Flips the longest edge of a needle. Returns whether it did.
static int flip(mending *m, const quad *q)
{
	uint32_t one[3] = {q->c, q->a, q->d}, two[3] = {q->d, q->b, q->c};
	int before = 1 + m->needle[q->other], after = is_needle(m, one) + is_needle(m, two);
	if (after >= before)
	{
		double longest = 0.0;
		for (int k = 0; k < 3; k++)
			longest = fmax(longest, fmax(length_of(m, one[k], one[(k + 1) % 3]),
						     length_of(m, two[k], two[(k + 1) % 3])));
		if (before == 1 || longest >= q->longest)
			return 0;
	}
	const uint32_t *w = corners_of(m, q->other);
	if (before == 1 && (!same_way(m, one, w) || !same_way(m, two, w)))
		return 0;
	set_triangle(m, q->needle, one);
	set_triangle(m, q->other, two);
	m->counts.flips++;
	return 1;
}

// Whether the triangles at a vertex form one closed fan between the same two fluids, and all its corners may change.
static int is_plain(const mending *m, uint32_t vertex)
{
	uint32_t start = m->list[m->first[vertex]], count = m->first[vertex + 1] - m->first[vertex], at = start;
	for (uint32_t step = 1; step <= count; step++)
	{
		const uint32_t *v = corners_of(m, at);
		uint32_t edge = v[(corner_at(v, vertex) + 2) % 3], found = 0, next = at;
		if (memcmp(m->sides[at], m->sides[start], 2) != 0 || !may_change(m, edge))
			return 0;
		for (uint32_t i = m->first[vertex]; i < m->first[vertex + 1]; i++)
		{
			const uint32_t *w = corners_of(m, m->list[i]);
			if (w[(corner_at(w, vertex) + 1) % 3] != edge)
				continue;
			found++;
			next = m->list[i];
		}
		if (found != 1)
			return 0;
		at = next;
		// back early: the vertex has several fans
		if (at == start)
			return step == count;
	}
	return 0;
}

// Whether a triangle at `from` remains valid when `from` becomes `to`, and does not coincide with an existing one.
static int may_follow(const mending *m, uint32_t triangle, uint32_t from, uint32_t to)
{
	const uint32_t *v = corners_of(m, triangle);
	uint32_t w[3] = {v[0], v[1], v[2]}, at = corner_at(v, from);
	w[at] = to;
	for (uint32_t i = m->first[to]; i < m->first[to + 1]; i++)
	{
		const uint32_t *u = corners_of(m, m->list[i]);
		if (corner_at(u, w[(at + 1) % 3]) < 3 && corner_at(u, w[(at + 2) % 3]) < 3)
			return 0;
	}
	return m->needle[triangle] || (!is_needle(m, w) && same_way(m, v, w));
}

// Merges vertex `from` into `to` and removes the two triangles between them. Their only common neighbours must be the
// tips of these triangles, otherwise the surface would be pinched. Returns whether it did.
static int collapse(mending *m, uint32_t from, uint32_t to, const uint32_t between[2])
{
	if (!may_change(m, from) || !may_change(m, to) || !is_plain(m, from))
		return 0;
	uint32_t common = 0;
	for (uint32_t i = m->first[from]; i < m->first[from + 1]; i++)
	{
		uint32_t t = m->list[i];
		const uint32_t *v = corners_of(m, t);
		uint32_t next = v[(corner_at(v, from) + 1) % 3];
		common += next != to && are_joined(m, next, to);
		if (t != between[0] && t != between[1] && !may_follow(m, t, from, to))
			return 0;
	}
	if (common != 2)
		return 0;
	for (uint32_t i = m->first[from]; i < m->first[from + 1]; i++)
	{
		uint32_t w[3];
		memcpy(w, corners_of(m, m->list[i]), sizeof w);
		w[corner_at(w, from)] = to;
		set_triangle(m, m->list[i], w);
	}
	for (int k = 0; k < 2; k++)
		set_triangle(m, between[k], (const uint32_t[3]){to, to, to});
	m->gone[from] = 1;
	m->counts.collapses++;
	return 1;
}

// Removes the later vertex if possible, otherwise the earlier.
static int collapse_either(mending *m, uint32_t a, uint32_t b, const uint32_t between[2])
{
	return collapse(m, a < b ? b : a, a < b ? a : b, between) || collapse(m, a < b ? a : b, a < b ? b : a, between);
}

// Collapses the shortest edge of a needle if it is within rounding.
static int collapse_shortest(mending *m, uint32_t needle)
{
	const uint32_t *v = corners_of(m, needle);
	double least = SHORT_EDGE * mesh_rounding(m->mesh->positions, v);
	uint32_t k = 3, between[2] = {needle, needle};
	for (uint32_t i = 0; i < 3; i++)
	{
		double length = length_of(m, v[i], v[(i + 1) % 3]);
		if (length > least || (k < 3 && length == least))
			continue;
		least = length;
		k = i;
	}
	return k < 3 && count_at_edge(m, v[k], v[(k + 1) % 3], needle, &between[1]) == 2 &&
	       collapse_either(m, v[k], v[(k + 1) % 3], between);
}

// Merges the tips of a needle and its neighbour if they are within rounding: a flip followed by a collapse of the new
// edge.
static int collapse_tips(mending *m, const quad *q)
{
	uint32_t between[2] = {q->needle, q->other}, tips[3] = {q->c, q->d, q->d};
	return length_of(m, q->c, q->d) <= SHORT_EDGE * mesh_rounding(m->mesh->positions, tips) &&
	       collapse_either(m, q->c, q->d, between);
}

static int mend_needle(mending *m, uint32_t needle)
{
	quad q;
	return collapse_shortest(m, needle) || (find_quad(m, needle, &q) && (collapse_tips(m, &q) || flip(m, &q)));
}

static void list_triangles(mending *m)
{
	const spate_mesh *mesh = m->mesh;
	memset(m->first, 0, ((size_t)mesh->vertex_count + 2) * sizeof *m->first);
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
		for (size_t k = 0; k < 3 && !is_gone(corners_of(m, t)); k++)
			m->first[corners_of(m, t)[k] + 2]++;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
		m->first[v + 2] += m->first[v + 1];
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
		for (size_t k = 0; k < 3 && !is_gone(corners_of(m, t)); k++)
			m->list[m->first[corners_of(m, t)[k] + 1]++] = t;
}

// Makes independent changes in the order of the triangles, round by round, until there are none left.
static void mend_all(mending *m)
{
	for (uint32_t done = 1; done;)
	{
		done = 0;
		list_triangles(m);
		memset(m->locked, 0, m->mesh->vertex_count);
		for (uint32_t t = 0; t < m->mesh->triangle_count; t++)
			if (m->needle[t])
				done += (uint32_t)mend_needle(m, t);
	}
}

// Bans the corners of new triangles that cross others; *crossings is set to whether there are any.
static spate_result ban_crossings(mending *m, int *crossings, spate_error *error)
{
	const spate_mesh *mesh = m->mesh;
	triangle_tree *tree;
	spate_result result = triangle_tree_create(&tree, mesh->positions, mesh->vertex_count, mesh->triangles,
						   mesh->triangle_count, error);
	if (result != SPATE_OK)
		return result;
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
		atomic_store_explicit(&m->crossed[t], 0, memory_order_relaxed);
	*crossings = triangle_tree_crossings(tree, m->changed, m->crossed, m->threads) > 0;
	triangle_tree_destroy(tree);
	for (size_t i = 0; *crossings && i < 3 * (size_t)mesh->triangle_count; i++)
		if (m->crossed[i / 3] && m->changed[i / 3])
			m->banned[mesh->triangles[i]] = 1;
	return SPATE_OK;
}

static void find_needles(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	mending *m = context;
	for (size_t t = begin; t < end; t++)
		m->needle[t] = (uint8_t)is_needle(m, corners_of(m, (uint32_t)t));
}

static uint32_t count_needles(const mending *m)
{
	uint32_t count = 0;
	for (uint32_t t = 0; t < m->mesh->triangle_count; t++)
		count += m->needle[t];
	return count;
}

// Restores the original triangles.
static void restore(mending *m)
{
	spate_mesh *mesh = m->mesh;
	memcpy(mesh->triangles, m->before, 3 * (size_t)mesh->triangle_count * sizeof *m->before);
	memset(m->changed, 0, mesh->triangle_count);
	memset(m->gone, 0, mesh->vertex_count);
	m->counts.flips = m->counts.collapses = 0;
	parallel_for(m->threads, mesh->triangle_count, TRIANGLES_PER_TASK, find_needles, m);
}

static spate_result mend(mending *m, spate_error *error)
{
	int crossings = 1;
	spate_result result = SPATE_OK;
	for (int attempt = 0; result == SPATE_OK && crossings && attempt < MOST_ATTEMPTS; attempt++)
	{
		if (attempt)
			restore(m);
		mend_all(m);
		crossings = 0;
		if (m->counts.flips + m->counts.collapses)
			result = ban_crossings(m, &crossings, error);
	}
	if (crossings)
		restore(m);
	return result;
}

// Removes collapsed triangles and vertices, keeping the order.
static void compact(mending *m)
{
	spate_mesh *mesh = m->mesh;
	uint32_t *number = m->first, vertices = 0, triangles = 0;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		number[v] = vertices;
		if (m->gone[v])
			continue;
		memmove(mesh->positions + 3 * (size_t)vertices++, mesh->positions + 3 * (size_t)v, 3 * sizeof(float));
	}
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		const uint32_t *v = corners_of(m, t);
		if (is_gone(v))
			continue;
		for (size_t k = 0; k < 3; k++)
			mesh->triangles[3 * (size_t)triangles + k] = number[v[k]];
		memmove(m->sides[triangles++], m->sides[t], 2);
	}
	mesh->vertex_count = vertices;
	mesh->triangle_count = triangles;
}

static int mending_init(mending *m)
{
	size_t vertices = m->mesh->vertex_count, corners = 3 * (size_t)m->mesh->triangle_count;
	m->before = mem_alloc(corners * sizeof *m->before);
	m->first = mem_alloc((vertices + 2) * sizeof *m->first);
	m->list = mem_alloc(corners * sizeof *m->list);
	m->changed = mem_calloc(corners / 3, 1);
	m->locked = mem_alloc(vertices);
	m->banned = mem_calloc(vertices, 1);
	m->gone = mem_calloc(vertices, 1);
	m->crossed = mem_alloc(corners / 3 * sizeof *m->crossed);
	if (!m->before || !m->first || !m->list || !m->changed || !m->locked || !m->banned || !m->gone || !m->crossed)
		return 0;
	memcpy(m->before, m->mesh->triangles, corners * sizeof *m->before);
	return 1;
}

static void mending_free(mending *m)
{
	mem_free(m->before);
	mem_free(m->first);
	mem_free(m->list);
	mem_free(m->needle);
	mem_free(m->changed);
	mem_free(m->locked);
	mem_free(m->banned);
	mem_free(m->gone);
	mem_free((void *)m->crossed);
}

spate_result many_mend(chromatic_mesh *mesh, int threads, many_mended *out, spate_error *error)
{
	many_mended counts = {0};
	size_t triangles = mesh->mesh->triangle_count;
	mending m = {.mesh = mesh->mesh, .sides = mesh->sides, .threads = threads};
	m.needle = mem_alloc(triangles + 1);
	spate_result result = m.needle ? SPATE_OK : error_memory(error, triangles);
	if (result == SPATE_OK)
	{
		parallel_for(threads, triangles, TRIANGLES_PER_TASK, find_needles, &m);
		m.counts.needles = m.counts.left = count_needles(&m);
	}
	if (result == SPATE_OK && m.counts.needles)
	{
		result = mending_init(&m) ? mend(&m, error) : error_memory(error, 8 * triangles * sizeof(uint32_t));
		if (result == SPATE_OK)
		{
			m.counts.left = count_needles(&m);
			compact(&m);
		}
	}
	counts = m.counts;
	mending_free(&m);
	if (out)
		*out = counts;
	return result;
}
