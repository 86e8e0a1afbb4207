// Splits polygons into triangles. Three and four corners are handled directly; larger polygons are projected along the
// main axis of their normal (Newell's), and ears are cut off: corners that turn left and whose triangle contains no
// other corner.
//
//	    3-----2          an outline that follows a bridge into a hole and back (with coincident corners) is like
//	    | x-x |          any other polygon: a corner that coincides with a corner of the ear does not prevent
//	    | x-x/|          cutting it
//	    0-----1
#include "mesh/build.h"

#include <math.h>
#include <string.h>

static void normal_of(const mesh_builder *b, uint32_t i, uint32_t j, uint32_t k, double n[3])
{
	const float *p = b->positions.data + 3 * (size_t)b->corners.data[i];
	const float *q = b->positions.data + 3 * (size_t)b->corners.data[j];
	const float *r = b->positions.data + 3 * (size_t)b->corners.data[k];
	double u[3], v[3];
	for (int d = 0; d < 3; d++)
	{
		u[d] = (double)q[d] - (double)p[d];
		v[d] = (double)r[d] - (double)p[d];
	}
	n[0] = u[1] * v[2] - u[2] * v[1];
	n[1] = u[2] * v[0] - u[0] * v[2];
	n[2] = u[0] * v[1] - u[1] * v[0];
}

// Uses the diagonal whose halves face the same way: in a concave quad the other one lies outside.
static void cut_quad(mesh_builder *b)
{
	static const uint32_t halves[2][6] = {{0, 1, 2, 0, 2, 3}, {1, 2, 3, 1, 3, 0}};
	double m[3], n[3];
	normal_of(b, 0, 1, 2, m);
	normal_of(b, 0, 2, 3, n);
	int other = !(m[0] * n[0] + m[1] * n[1] + m[2] * n[2] > 0.0);
	memcpy(b->cut.data, halves[other], sizeof halves[other]);
	b->cut.count = 6;
}

// Projects to the plane, so that the outline is anticlockwise.
static void lay_flat(mesh_builder *b)
{
	uint32_t n = (uint32_t)b->corners.count;
	double normal[3] = {0.0, 0.0, 0.0};
	for (uint32_t i = 1; i + 1 < n; i++)
	{
		double part[3];
		normal_of(b, 0, i, i + 1, part);
		for (int k = 0; k < 3; k++)
			normal[k] += part[k];
	}
	int axis = 0;
	for (int k = 1; k < 3; k++)
		if (fabs(normal[k]) > fabs(normal[axis]))
			axis = k;
	int x = (axis + 1) % 3, y = (axis + 2) % 3;
	double turn = normal[axis] < 0.0 ? -1.0 : 1.0;
	for (uint32_t i = 0; i < n; i++)
	{
		const float *p = b->positions.data + 3 * (size_t)b->corners.data[i];
		b->plane.data[2 * i] = turn * (double)p[x];
		b->plane.data[2 * i + 1] = (double)p[y];
	}
}

// Twice the area of a triangle of corners; positive if anticlockwise.
static double area_of(const double *plane, uint32_t i, uint32_t j, uint32_t k)
{
	const double *p = plane + 2 * (size_t)i, *q = plane + 2 * (size_t)j, *r = plane + 2 * (size_t)k;
	return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

static int same_place(const double *plane, uint32_t i, uint32_t j)
{
	return plane[2 * (size_t)i] == plane[2 * (size_t)j] && plane[2 * (size_t)i + 1] == plane[2 * (size_t)j + 1];
}

// The remaining polygon: the neighbours of every corner, and the number of tests left.
typedef struct ring
{
	const double *plane;
	uint32_t *next, *previous, count;
	uint64_t budget;
} ring;

static double turn_at(const ring *r, uint32_t at)
{
	return area_of(r->plane, r->previous[at], at, r->next[at]);
}

static int is_ear(ring *r, uint32_t j)
{
	uint32_t i = r->previous[j], k = r->next[j];
	if (!(turn_at(r, j) > 0.0))
		return 0;
	for (uint32_t c = r->next[k]; c != i && r->budget > 0; c = r->next[c])
	{
		r->budget--;
		if (area_of(r->plane, i, j, c) < 0.0 || area_of(r->plane, j, k, c) < 0.0 ||
		    area_of(r->plane, k, i, c) < 0.0)
			continue;
		if (same_place(r->plane, c, i) || same_place(r->plane, c, j) || same_place(r->plane, c, k))
			continue;
		return 0;
	}
	return 1;
}

// The next ear. If a self-intersecting polygon has none, a corner that turns left, or any.
static uint32_t find_ear(ring *r, uint32_t from)
{
	uint32_t left = from, at = from;
	int found = 0;
	for (uint32_t s = 0; s < r->count && r->budget > 0; s++, at = r->next[at])
	{
		r->budget--;
		if (is_ear(r, at))
			return at;
		if (!found && turn_at(r, at) > 0.0)
		{
			left = at;
			found = 1;
		}
	}
	return left;
}

static void cut_ears(mesh_builder *b)
{
	uint32_t n = (uint32_t)b->corners.count, at = 1;
	ring r = {b->plane.data, b->ring.data, b->ring.data + n, n, 64 * (uint64_t)n * n};
	// limits the time per polygon to a second or two, whatever the number of corners
	if (r.budget > 200000000)
		r.budget = 200000000;
	for (uint32_t i = 0; i < n; i++)
	{
		r.next[i] = i + 1 < n ? i + 1 : 0;
		r.previous[i] = i > 0 ? i - 1 : n - 1;
	}
	for (; r.count >= 3; r.count--)
	{
		uint32_t ear = find_ear(&r, at), *cut = b->cut.data + b->cut.count;
		uint32_t before = r.previous[ear], after = r.next[ear];
		cut[0] = before;
		cut[1] = ear;
		cut[2] = after;
		b->cut.count += 3;
		r.next[before] = after;
		r.previous[after] = before;
		// skip the neighbour: cutting every second corner gives fatter triangles than a fan
		at = r.next[after];
	}
}

int mesh_cut_polygon(mesh_builder *b)
{
	size_t n = b->corners.count;
	b->cut.count = 0;
	if (!array_reserve(&b->cut, 3 * n) || !array_reserve(&b->plane, 2 * n) || !array_reserve(&b->ring, 2 * n))
		return 0;
	if (n == 4)
		cut_quad(b);
	else
	{
		lay_flat(b);
		cut_ears(b);
	}
	return 1;
}
