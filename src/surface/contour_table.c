#include "surface/contour_table.h"

#include <string.h>

static int edge_between(int a, int b)
{
	int axis = (a ^ b) == 1 ? 0 : (a ^ b) == 2 ? 1 : 2, from = a & b;
	for (int k = 0; k < 4; k++)
		if (contour_edge_corner(4 * axis + k) == from)
			return 4 * axis + k;
	return -1;
}

// The corners of a face, anticlockwise as seen from outside the cell.
static void face_corners(int face, int corners[4])
{
	int axis = face >> 1, side = face & 1, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side << axis;
	int rising[4] = {base, base | u, base | u | v, base | v};
	for (int k = 0; k < 4; k++)
		corners[k] = rising[side ? k : 3 - k];
}

// next[e]: the cut edge that follows e in its loop, or -1 if e is not cut. Around a face, a segment runs from an edge
// that leaves the liquid to the next edge that enters it.
static void follow_edges(int inside, int next[CUBE_EDGES])
{
	for (int e = 0; e < CUBE_EDGES; e++)
		next[e] = -1;
	for (int face = 0; face < 6; face++)
	{
		int c[4];
		face_corners(face, c);
		for (int k = 0; k < 4; k++)
		{
			if (!(inside >> c[k] & 1) || inside >> c[(k + 1) % 4] & 1)
				continue;
			int m = (k + 1) % 4;
			while (!(inside >> c[(m + 1) % 4] & 1))
				m = (m + 1) % 4;
			next[edge_between(c[k], c[(k + 1) % 4])] = edge_between(c[m], c[(m + 1) % 4]);
		}
	}
}

// Whether two edges lie in one face of the cell.
static int share_face(int a, int b)
{
	int ca = contour_edge_corner(a), cb = contour_edge_corner(b);
	for (int axis = 0; axis < 3; axis++)
		if (a >> 2 != axis && b >> 2 != axis && (ca >> axis & 1) == (cb >> axis & 1))
			return 1;
	return 0;
}

typedef struct loop
{
	int count;
	uint8_t edges[CUBE_EDGES];
} loop;

// Fills the part [i, j] of a loop with triangles; the side (i, j) exists already. Returns 0 if that needs a side in a
// face.
static int fill(const loop *l, int i, int j, contour_case *out)
{
	if (j - i < 2)
		return 1;
	// try the middle first, which gives rounder triangles
	for (int step = 0; step < 2 * (j - i); step++)
	{
		int k = (i + j) / 2 + (step & 1 ? -(step + 1) / 2 : step / 2);
		if (k <= i || k >= j)
			continue;
		if ((k - i > 1 && share_face(l->edges[i], l->edges[k])) ||
		    (j - k > 1 && share_face(l->edges[k], l->edges[j])))
			continue;
		int before = out->triangle_count;
		if (fill(l, i, k, out) && fill(l, k, j, out))
		{
			uint8_t *corner = out->corners + 3 * out->triangle_count++;
			corner[0] = l->edges[j];
			corner[1] = l->edges[k];
			corner[2] = l->edges[i];
			return 1;
		}
		out->triangle_count = (uint8_t)before;
	}
	return 0;
}

// Adds a vertex in the middle of the loop and joins it to all its sides.
static void fill_around(const loop *l, contour_case *out)
{
	int centre = out->centre_count++;
	out->loop_count[centre] = (uint8_t)l->count;
	memcpy(out->loops[centre], l->edges, (size_t)l->count);
	for (int k = 0; k < l->count; k++)
	{
		uint8_t *corner = out->corners + 3 * out->triangle_count++;
		corner[0] = l->edges[(k + 1) % l->count];
		corner[1] = l->edges[k];
		corner[2] = (uint8_t)(CUBE_EDGES + centre);
	}
}

void contour_table_init(contour_table *table)
{
	memset(table, 0, sizeof *table);
	for (int inside = 0; inside < 256; inside++)
	{
		int next[CUBE_EDGES];
		follow_edges(inside, next);
		contour_case *out = &table->cases[inside];
		for (int e = 0; e < CUBE_EDGES; e++)
		{
			if (next[e] < 0)
				continue;
			loop l = {0};
			for (int at = e; next[at] >= 0;)
			{
				int after = next[at];
				l.edges[l.count++] = (uint8_t)at;
				next[at] = -1;
				at = after;
			}
			if (!fill(&l, 0, l.count - 1, out))
				fill_around(&l, out);
		}
	}
}
