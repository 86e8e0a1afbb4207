// Removes small parts from a mesh of interfaces: a part is merged into the neighbour with the largest contact area.
//
// A part is one closed surface. The smallest is removed first, so that parts inside it are gone before it. Holes in a
// part, whose contents stay, change label with it. Triangles between equal labels are dropped, which leaves every other
// edge with the triangles that its labels need.
#include "base/array.h"
#include "base/error.h"
#include "surface/finish.h"
#include "surface/many.h"

#include <stdlib.h>

typedef struct small_part
{
	uint32_t root;
	double volume;        // m^3
	uint32_t first, last; // range of its sides in `sides`
	uint32_t next;        // next small part merged into this one, + 1; 0 at the end
	float low[3], high[3];
} small_part;

typedef struct contact
{
	uint32_t root;
	double area;
} contact;

typedef struct cleaning
{
	chromatic_mesh *mesh;
	many_parts parts;
	double least[2];  // m^3, minimum for air and for fluids
	uint8_t *labels;  // per part, stored at its root
	uint32_t *number; // index + 1 of small parts, stored at their root
	ARRAY(small_part) small;
	ARRAY(uint32_t) sides;
	ARRAY(uint32_t) holes; // roots
	ARRAY(contact) contacts;
} cleaning;

static void cleaning_free(cleaning *c)
{
	many_parts_free(&c->parts);
	mem_free(c->labels);
	mem_free(c->number);
	array_free(&c->small);
	array_free(&c->sides);
	array_free(&c->holes);
	array_free(&c->contacts);
}

static const float *corner_at(const cleaning *c, uint32_t side, size_t k)
{
	const spate_mesh *mesh = c->mesh->mesh;
	return mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)(side / 2) + k];
}

static int compare_small(const void *a, const void *b)
{
	const small_part *x = a, *y = b;
	if (x->volume != y->volume)
		return x->volume < y->volume ? -1 : 1;
	return x->root < y->root ? -1 : x->root > y->root;
}

// Lists small parts with their sides, and the holes that may be in them. Returns 0 when out of memory.
static int list_parts(cleaning *c)
{
	for (uint32_t side = 0; side < c->parts.sides; side++)
	{
		c->labels[side] = c->mesh->sides[side / 2][side % 2];
		if (many_parts_find(&c->parts, side) != side)
			continue;
		double volume = c->parts.volumes[side], least = c->least[c->labels[side] != 0];
		if (volume >= 0.0 && volume < least &&
		    !array_push(&c->small, (small_part){.root = side, .volume = volume}))
			return 0;
		if (volume < 0.0 && -volume < least && !array_push(&c->holes, side))
			return 0;
	}
	if (c->small.count == 0)
		return 1;
	qsort(c->small.data, c->small.count, sizeof *c->small.data, compare_small);
	for (uint32_t s = 0; s < c->small.count; s++)
		c->number[c->small.data[s].root] = s + 1;
	// first lengths, then offsets
	for (uint32_t side = 0; side < c->parts.sides; side++)
	{
		uint32_t s = c->number[many_parts_find(&c->parts, side)];
		if (s)
			c->small.data[s - 1].last++;
	}
	uint32_t total = 0;
	for (size_t s = 0; s < c->small.count; s++)
	{
		uint32_t length = c->small.data[s].last;
		c->small.data[s].first = c->small.data[s].last = total;
		total += length;
	}
	if (!array_reserve(&c->sides, total))
		return 0;
	for (uint32_t side = 0; side < c->parts.sides; side++)
	{
		uint32_t s = c->number[many_parts_find(&c->parts, side)];
		if (s)
			c->sides.data[c->small.data[s - 1].last++] = side;
	}
	return 1;
}

static void find_boxes(cleaning *c)
{
	for (size_t s = 0; s < c->small.count; s++)
	{
		small_part *p = &c->small.data[s];
		for (int a = 0; a < 3; a++)
		{
			p->low[a] = INFINITY;
			p->high[a] = -INFINITY;
		}
		for (uint32_t i = p->first; i < p->last; i++)
			for (size_t k = 0; k < 3; k++)
				for (int a = 0; a < 3; a++)
				{
					float x = corner_at(c, c->sides.data[i], k)[a];
					p->low[a] = fminf(p->low[a], x);
					p->high[a] = fmaxf(p->high[a], x);
				}
	}
}

// Whether a place is inside a part: the solid angle of the part is then 4 pi, otherwise 0.
static int part_contains(const cleaning *c, const small_part *p, const float *at)
{
	for (int a = 0; a < 3; a++)
		if (at[a] < p->low[a] || at[a] > p->high[a])
			return 0;
	double angle = 0.0;
	for (uint32_t i = p->first; i < p->last; i++)
	{
		double v[3][3], length[3];
		for (size_t k = 0; k < 3; k++)
		{
			const float *q = corner_at(c, c->sides.data[i], k);
			for (int a = 0; a < 3; a++)
				v[k][a] = (double)q[a] - at[a];
			length[k] = sqrt(v[k][0] * v[k][0] + v[k][1] * v[k][1] + v[k][2] * v[k][2]);
		}
		double dots[3], volume = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
					 v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
					 v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
		for (int k = 0; k < 3; k++)
		{
			const double *a = v[k], *b = v[(k + 1) % 3];
			dots[k] = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) * length[(k + 2) % 3];
		}
		angle += 2.0 * atan2(volume, length[0] * length[1] * length[2] + dots[0] + dots[1] + dots[2]);
	}
	return fabs(angle) > 6.28;
}

// Joins each hole to the smallest part of its label that contains it.
static void join_holes(cleaning *c)
{
	find_boxes(c);
	for (size_t h = 0; h < c->holes.count; h++)
	{
		uint32_t hole = c->holes.data[h];
		for (size_t s = 0; s < c->small.count; s++)
		{
			const small_part *p = &c->small.data[s];
			if (c->labels[p->root] != c->labels[hole] || !part_contains(c, p, corner_at(c, hole, 0)))
				continue;
			c->parts.parent[hole] = p->root;
			break;
		}
	}
}

static double side_area(const cleaning *c, uint32_t side)
{
	const float *a = corner_at(c, side, 0), *b = corner_at(c, side, 1), *d = corner_at(c, side, 2);
	vec3 u = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v = {d[0] - a[0], d[1] - a[1], d[2] - a[2]};
	return 0.5 * (double)vec3_length(vec3_cross(u, v));
}

// The part with the largest contact area; the part itself if there is none. Returns 0 when out of memory.
static int find_taker(cleaning *c, uint32_t number, uint32_t *taker)
{
	uint32_t own = many_parts_find(&c->parts, c->small.data[number - 1].root);
	*taker = own;
	c->contacts.count = 0;
	for (uint32_t n = number; n; n = c->small.data[n - 1].next)
		for (uint32_t i = c->small.data[n - 1].first; i < c->small.data[n - 1].last; i++)
		{
			uint32_t side = c->sides.data[i], other = many_parts_find(&c->parts, side ^ 1u);
			if (other == own || c->labels[other] == c->labels[own])
				continue;
			size_t k = 0;
			while (k < c->contacts.count && c->contacts.data[k].root != other)
				k++;
			if (k == c->contacts.count && !array_push(&c->contacts, (contact){other, 0.0}))
				return 0;
			c->contacts.data[k].area += side_area(c, side);
		}
	double most = -1.0;
	for (size_t k = 0; k < c->contacts.count; k++)
		if (c->contacts.data[k].area > most)
		{
			most = c->contacts.data[k].area;
			*taker = c->contacts.data[k].root;
		}
	return 1;
}

// Merges small parts into their neighbours, the smallest first. Returns 0 when out of memory.
static int give_away(cleaning *c, uint32_t *blobs, uint32_t *cavities)
{
	for (uint32_t s = 1; s <= c->small.count; s++)
	{
		uint32_t root = c->small.data[s - 1].root, taker;
		// the part may have grown by merging others
		if (many_parts_find(&c->parts, root) != root ||
		    c->parts.volumes[root] >= c->least[c->labels[root] != 0])
			continue;
		if (!find_taker(c, s, &taker))
			return 0;
		if (taker == root)
			continue;
		*(c->labels[root] ? blobs : cavities) += 1;
		c->parts.parent[root] = taker;
		c->parts.volumes[taker] += c->parts.volumes[root];
		uint32_t into = c->number[taker];
		if (!into)
			continue;
		while (c->small.data[into - 1].next)
			into = c->small.data[into - 1].next;
		c->small.data[into - 1].next = s;
	}
	return 1;
}

// Keeps the triangles that still separate two labels, and their vertices, in order.
static spate_result rewrite(cleaning *c, spate_error *error)
{
	spate_mesh *mesh = c->mesh->mesh;
	uint32_t *moved = mem_calloc((size_t)mesh->vertex_count + 1, sizeof *moved), triangles = 0, vertices = 0;
	if (!moved)
		return error_memory(error, mesh->vertex_count * sizeof *moved);
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		uint8_t a = c->labels[many_parts_find(&c->parts, 2 * t)];
		uint8_t b = c->labels[many_parts_find(&c->parts, 2 * t + 1)];
		if (a == b)
			continue;
		const uint32_t *from = mesh->triangles + 3 * (size_t)t;
		uint32_t corners[3] = {from[0], from[a > b ? 1 : 2], from[a > b ? 2 : 1]};
		for (size_t k = 0; k < 3; k++)
		{
			mesh->triangles[3 * (size_t)triangles + k] = corners[k];
			moved[corners[k]] = 1;
		}
		c->mesh->sides[triangles][0] = a > b ? a : b;
		c->mesh->sides[triangles++][1] = a > b ? b : a;
	}
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		if (!moved[v])
			continue;
		for (size_t k = 0; k < 3; k++)
			mesh->positions[3 * (size_t)vertices + k] = mesh->positions[3 * (size_t)v + k];
		moved[v] = vertices++;
	}
	for (size_t k = 0; k < 3 * (size_t)triangles; k++)
		mesh->triangles[k] = moved[mesh->triangles[k]];
	mesh->triangle_count = triangles;
	mesh->vertex_count = vertices;
	mem_free(moved);
	return SPATE_OK;
}

spate_result many_remove_parts(chromatic_mesh *mesh, uint32_t fluids, double blob, double cavity, uint32_t *blobs,
			       uint32_t *cavities, spate_error *error)
{
	*blobs = *cavities = 0;
	if (mesh->mesh->triangle_count == 0 || (blob <= 0.0 && cavity <= 0.0))
		return SPATE_OK;
	cleaning c = {.mesh = mesh, .least = {cavity, blob}};
	size_t sides = 2 * (size_t)mesh->mesh->triangle_count;
	spate_result result = many_parts_init(&c.parts, mesh, fluids, error);
	if (result == SPATE_OK)
	{
		c.labels = mem_alloc(sides);
		c.number = mem_calloc(sides, sizeof *c.number);
		many_parts_measure(&c.parts, mesh->mesh);
		if (!c.labels || !c.number || !list_parts(&c))
			result = error_memory(error, sides * sizeof *c.number);
	}
	if (result == SPATE_OK && c.small.count)
	{
		join_holes(&c);
		result = give_away(&c, blobs, cavities) ? rewrite(&c, error) : error_memory(error, sizeof(contact));
	}
	cleaning_free(&c);
	return result;
}
