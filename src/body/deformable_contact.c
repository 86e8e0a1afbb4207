// Contacts of deformable bodies: with walls, and of their parts with each other. A contact is a stiff spring that pushes only, stiff enough
// to stop its nodes within a substep, with Coulomb friction by its push of the Newton step before.
//
// Parts of a body are told apart by the side that they are on when a substep begins: a node and a triangle, or two edges, that are close are
// kept at the thickness, in the direction between their closest points. What is closer than that at rest keeps that distance instead.
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "body/deformable_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Stiffness of a contact relative to its nodes'.
#define FIRM 50.0

// Slower than this (m/s), friction is proportional to speed.
#define CREEP 1e-3

// ----------------------------------------------------------------------------------------------------------------- walls

typedef struct wall_search
{
	deformable *body;
	const deformable_surroundings *around;
	double h, left;
	uint32_t count; // points that may touch
	deformable_wall *walls;
	uint8_t *found;
} wall_search;

// A point that may touch walls: a node, or a vertex that the nodes of a soft body carry.
static body_anchor point_of(const deformable *b, size_t n)
{
	uint32_t node = (uint32_t)n;
	return b->def.kind == DEFORMABLE_SOFT ? b->anchors[n]
					      : (body_anchor){{node, node, node, node}, {1.0, 0.0, 0.0, 0.0}};
}

static void find_walls(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const wall_search *t = context;
	const deformable *b = t->body;
	double pull = 0.0;
	for (size_t i = 0; i < 3; i++)
		pull += fabs(t->around->gravity[i]);
	for (size_t n = begin; n < end; n++)
	{
		body_anchor at = point_of(b, n);
		double x[3] = {0, 0, 0}, v[3] = {0, 0, 0};
		int held = 1;
		for (int a = 0; a < 4; a++)
			for (size_t i = 0; i < 3; i++)
			{
				x[i] += at.weight[a] * b->place[3 * (size_t)at.node[a] + i];
				v[i] += at.weight[a] * b->velocity[3 * (size_t)at.node[a] + i];
				held &= at.weight[a] == 0.0 || b->pinned[at.node[a]];
			}
		double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
		double reach = b->margin + t->h * (speed + t->h * pull) + b->fine;
		t->found[n] = !held && t->around->feel(t->around->context, x, reach, &t->walls[n]);
	}
}

static double firm_of(const deformable *b, uint32_t node, double h)
{
	return FIRM * (b->mass[node] / (h * h) + b->firm[node]);
}

static body_contact wall_contact(const wall_search *t, uint32_t n)
{
	const deformable *b = t->body;
	const deformable_wall *w = &t->walls[n];
	body_anchor at = point_of(b, n);
	body_contact c = {.coefficient = w->friction};
	double into = 0.0;
	for (int a = 0; a < 4; a++)
	{
		if (at.weight[a] <= 0.0 || b->pinned[at.node[a]])
			continue;
		c.node[c.count] = at.node[a];
		c.of[c.count++] = at.weight[a];
		c.stiffness += at.weight[a] * firm_of(b, at.node[a], t->h);
	}
	memcpy(c.normal, w->normal, sizeof c.normal);
	memcpy(c.speed, w->velocity, sizeof c.speed);
	// the wall is where it will be at the end of the step
	for (int i = 0; i < 3; i++)
		into += w->normal[i] * w->velocity[i];
	c.least = w->offset + b->margin - t->left * into;
	c.walled = 1;
	return c;
}

static spate_result find_all_walls(wall_search *t, spate_error *error)
{
	deformable *b = t->body;
	t->count = b->def.kind == DEFORMABLE_SOFT ? b->surface->vertex_count : b->count;
	t->walls = mem_alloc(t->count * sizeof *t->walls);
	t->found = mem_alloc(t->count);
	int failed = !t->walls || !t->found;
	if (!failed)
		parallel_for(b->threads, t->count, BODY_NODES, find_walls, t);
	for (uint32_t n = 0; n < t->count && !failed; n++)
		failed = t->found[n] && !array_push(&b->contacts, wall_contact(t, n));
	mem_free(t->walls);
	mem_free(t->found);
	return failed ? error_memory(error, t->count * (sizeof *t->walls + sizeof(body_contact))) : SPATE_OK;
}

// ------------------------------------------------------------------------------------------------------- parts of a body

// Boxes around triangles, and a grid of cells with those that reach into each.
typedef struct grid_entry
{
	uint64_t cell;
	uint32_t triangle;
} grid_entry;

static int by_cell(const void *a, const void *b)
{
	const grid_entry *x = a, *y = b;
	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static uint64_t cell_of(int64_t x, int64_t y, int64_t z)
{
	const int64_t half = 1 << 20;
	return ((uint64_t)(x + half) & 0x1fffff) << 42 | ((uint64_t)(y + half) & 0x1fffff) << 21 |
	       ((uint64_t)(z + half) & 0x1fffff);
}

static void triangle_box(const deformable *b, const double *places, uint32_t k, double grow, double low[3],
			 double high[3])
{
	for (size_t i = 0; i < 3; i++)
	{
		low[i] = INFINITY;
		high[i] = -INFINITY;
		for (int a = 0; a < 3; a++)
		{
			double x = places[3 * (size_t)b->triangles[k].node[a] + i];
			low[i] = fmin(low[i], x - grow);
			high[i] = fmax(high[i], x + grow);
		}
	}
}

static void minus(const double *a, const double *b, double out[3])
{
	for (int i = 0; i < 3; i++)
		out[i] = a[i] - b[i];
}

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double clamp(double x)
{
	return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

// Weights of the point of a triangle that is nearest to p (Ericson: Real-time collision detection, 5.1.5).
static void nearest_of_triangle(const double *a, const double *b, const double *c, const double *p, double w[3])
{
	double ab[3], ac[3], ap[3], bp[3], cp[3];
	minus(b, a, ab), minus(c, a, ac), minus(p, a, ap), minus(p, b, bp), minus(p, c, cp);
	double d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp),
	       d6 = dot(ac, cp);
	double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
	w[0] = w[1] = w[2] = 0.0;
	if (d1 <= 0.0 && d2 <= 0.0)
		w[0] = 1.0;
	else if (d3 >= 0.0 && d4 <= d3)
		w[1] = 1.0;
	else if (d6 >= 0.0 && d5 <= d6)
		w[2] = 1.0;
	else if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
		w[1] = d1 / (d1 - d3), w[0] = 1.0 - w[1];
	else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0)
		w[2] = d2 / (d2 - d6), w[0] = 1.0 - w[2];
	else if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0)
		w[2] = (d4 - d3) / ((d4 - d3) + (d5 - d6)), w[1] = 1.0 - w[2];
	else
		w[1] = vb / (va + vb + vc), w[2] = vc / (va + vb + vc), w[0] = 1.0 - w[1] - w[2];
}

// Fractions of the ways along two edges, p to q and r to s, to their closest points (the same book, 5.1.9).
static void nearest_of_edges(const double *p, const double *q, const double *r, const double *s, double *first,
			     double *second)
{
	double d1[3], d2[3], way[3];
	minus(q, p, d1), minus(s, r, d2), minus(p, r, way);
	double a = dot(d1, d1), e = dot(d2, d2), f = dot(d2, way), c = dot(d1, way), b = dot(d1, d2), d = a * e - b * b;
	*first = d > 1e-12 * a * e ? clamp((b * f - c * e) / d) : 0.5;
	*second = (b * *first + f) / e;
	if (*second < 0.0 || *second > 1.0)
	{
		*second = clamp(*second);
		*first = clamp((b * *second - c) / a);
	}
}

// Adds a contact of nodes with coefficients if they are close in the present shape. `rest` are the places at rest.
static int add_pair(deformable *b, const uint32_t node[4], const double of[4], double reach, double h)
{
	double y[3] = {0, 0, 0}, z[3] = {0, 0, 0};
	for (int a = 0; a < 4; a++)
		for (int i = 0; i < 3; i++)
		{
			y[i] += of[a] * b->place[3 * (size_t)node[a] + (size_t)i];
			z[i] += of[a] * b->at_rest[3 * (size_t)node[a] + (size_t)i];
		}
	double distance = sqrt(dot(y, y));
	if (!(distance < reach) || distance < 1e-12)
		return 1;
	body_contact c = {.count = 4, .coefficient = b->def.thickness > 0.0 ? 0.3 : 0.0};
	c.least = fmin(b->def.thickness, 0.9 * sqrt(dot(z, z)));
	memcpy(c.node, node, sizeof c.node);
	memcpy(c.of, of, sizeof c.of);
	c.stiffness = INFINITY;
	for (int a = 0; a < 4; a++)
		if (!b->pinned[node[a]])
			c.stiffness = fmin(c.stiffness, firm_of(b, node[a], h));
	if (isinf(c.stiffness))
		return 1;
	for (int i = 0; i < 3; i++)
		c.normal[i] = y[i] / distance;
	return array_push(&b->contacts, c);
}

static int shares_node(const uint32_t *a, const uint32_t *c)
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			if (a[i] == c[j])
				return 1;
	return 0;
}

// Every node of one triangle against the other, and every edge against every edge, where the boxes touch. A node or an edge belongs to
// several triangles; `owner` says which of them speaks for it.
static int add_triangles(deformable *b, uint32_t k, uint32_t m, double reach, double h)
{
	const uint32_t *first = b->triangles[k].node, *second = b->triangles[m].node;
	int ok = 1;
	if (shares_node(first, second))
		return 1;
	for (int side = 0; side < 2 && ok; side++)
	{
		const uint32_t *own = side ? second : first, *other = side ? first : second;
		for (int a = 0; a < 3 && ok; a++)
		{
			if (b->owner[own[a]] != (side ? m : k))
				continue;
			double w[3];
			nearest_of_triangle(b->place + 3 * (size_t)other[0], b->place + 3 * (size_t)other[1],
					    b->place + 3 * (size_t)other[2], b->place + 3 * (size_t)own[a], w);
			const uint32_t node[4] = {own[a], other[0], other[1], other[2]};
			const double of[4] = {1.0, -w[0], -w[1], -w[2]};
			ok = add_pair(b, node, of, reach, h);
		}
	}
	for (int a = 0; a < 3 && ok; a++)
		for (int c = 0; c < 3 && ok; c++)
		{
			uint32_t p = first[a], q = first[(a + 1) % 3], r = second[c], s = second[(c + 1) % 3];
			// an edge has two triangles at most, which pass it in opposite directions or not: the later node speaks
			double along, across;
			nearest_of_edges(b->place + 3 * (size_t)p, b->place + 3 * (size_t)q, b->place + 3 * (size_t)r,
					 b->place + 3 * (size_t)s, &along, &across);
			if (along <= 0.0 || along >= 1.0 || across <= 0.0 || across >= 1.0)
				continue;
			const uint32_t node[4] = {p, q, r, s};
			const double of[4] = {1.0 - along, along, across - 1.0, -across};
			ok = add_pair(b, node, of, reach, h);
		}
	return ok;
}

static spate_result find_parts(deformable *b, const deformable_surroundings *around, double h, spate_error *error)
{
	double pull = sqrt(dot(around->gravity, around->gravity));
	double reach = b->def.thickness + 2.0 * h * (b->fastest + h * pull), edge = fmax(2.0 * b->mean, reach);
	ARRAY(grid_entry) list = {0};
	int ok = 1;
	for (uint32_t k = 0; k < b->triangle_count && ok; k++)
	{
		double low[3], high[3];
		triangle_box(b, b->place, k, 0.5 * reach, low, high);
		int64_t from[3], to[3];
		for (int i = 0; i < 3; i++)
			from[i] = (int64_t)floor(low[i] / edge), to[i] = (int64_t)floor(high[i] / edge);
		for (int64_t x = from[0]; x <= to[0]; x++)
			for (int64_t y = from[1]; y <= to[1]; y++)
				for (int64_t z = from[2]; z <= to[2] && ok; z++)
					ok = array_push(&list, ((grid_entry){cell_of(x, y, z), k}));
	}
	if (ok && list.count > 0)
		qsort(list.data, list.count, sizeof *list.data, by_cell);
	for (size_t k = 0; k < list.count && ok; k++)
		for (size_t m = k + 1; m < list.count && list.data[m].cell == list.data[k].cell && ok; m++)
		{
			uint32_t a = list.data[k].triangle, c = list.data[m].triangle;
			double al[3], ah[3], cl[3], ch[3];
			int touch = 1, mine = 1;
			triangle_box(b, b->place, a, 0.5 * reach, al, ah);
			triangle_box(b, b->place, c, 0.5 * reach, cl, ch);
			int64_t meet[3];
			for (int i = 0; i < 3; i++)
			{
				touch &= al[i] <= ch[i] && cl[i] <= ah[i];
				meet[i] = (int64_t)floor(fmax(al[i], cl[i]) / edge);
			}
			// of the cells that both reach into, the first one speaks
			mine = cell_of(meet[0], meet[1], meet[2]) == list.data[k].cell;
			if (touch && mine)
				ok = add_triangles(b, a, c, reach, h);
		}
	array_free(&list);
	return ok ? SPATE_OK : error_memory(error, b->triangle_count * sizeof(body_contact));
}

spate_result contacts_of_body_find(deformable *b, const deformable_surroundings *around, double h, double left,
				   spate_error *error)
{
	b->contacts.count = 0;
	spate_result result = SPATE_OK;
	if (around->feel)
	{
		wall_search t = {.body = b, .around = around, .h = h, .left = left};
		result = find_all_walls(&t, error);
	}
	b->fastest = deformable_speed(b);
	if (result == SPATE_OK && b->def.kind == DEFORMABLE_CLOTH && b->def.thickness > 0.0)
		result = find_parts(b, around, h, error);
	return result;
}

void contacts_of_body_push(deformable *b, const double *places, const double *velocities, double *forces)
{
	for (size_t k = 0; k < b->contacts.count; k++)
	{
		body_contact *c = &b->contacts.data[k];
		double y[3] = {0, 0, 0}, v[3] = {-c->speed[0], -c->speed[1], -c->speed[2]};
		for (uint32_t a = 0; a < c->count; a++)
			for (int i = 0; i < 3; i++)
			{
				y[i] += c->of[a] * places[3 * (size_t)c->node[a] + (size_t)i];
				v[i] += c->of[a] * velocities[3 * (size_t)c->node[a] + (size_t)i];
			}
		double depth = c->least - dot(y, c->normal), into = dot(v, c->normal), before = c->push;
		c->push = depth > 0.0 ? c->stiffness * depth : 0.0;
		double slide = sqrt(fmax(dot(v, v) - into * into, 0.0));
		c->friction = c->coefficient * before / fmax(slide, CREEP); // N s/m
		if (!(c->push > 0.0))
			continue;
		for (uint32_t a = 0; a < c->count; a++)
			for (int i = 0; i < 3; i++)
				forces[3 * (size_t)c->node[a] + (size_t)i] +=
				    c->of[a] * (c->push * c->normal[i] - c->friction * (v[i] - into * c->normal[i]));
	}
}
