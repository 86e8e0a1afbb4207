#include "mesh/measure.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/vec.h"
#include "mesh/triangle_tree.h"
#include "mesh/weld.h"

#include <math.h>

double mesh_rounding(const float *positions, const uint32_t triangle[3])
{
	double size = 0.0;
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 3; k++)
			size = fmax(size, fabs((double)positions[3 * (size_t)triangle[i] + k]));
	return size * 0x1p-24;
}

int mesh_has_area(const float *positions, const uint32_t t[3])
{
	if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0])
		return 0;
	dvec3 corner[3];
	for (size_t k = 0; k < 3; k++)
	{
		const float *p = positions + 3 * (size_t)t[k];
		corner[k] = (dvec3){(double)p[0], (double)p[1], (double)p[2]};
	}
	dvec3 a = dvec3_sub(corner[1], corner[0]), b = dvec3_sub(corner[2], corner[0]), c = dvec3_sub(b, a);
	double twice_area = dvec3_length(dvec3_cross(a, b));
	double longest = fmax(fmax(dvec3_length(a), dvec3_length(b)), dvec3_length(c));
	return twice_area > longest * mesh_rounding(positions, t);
}

static void measure_box(mesh_measure *out, const spate_mesh *mesh)
{
	for (int k = 0; k < 3; k++)
	{
		out->low[k] = INFINITY;
		out->high[k] = -INFINITY;
	}
	for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
		for (size_t k = 0; k < 3; k++)
		{
			double x = (double)mesh->positions[3 * (size_t)mesh->triangles[i] + k];
			out->low[k] = fmin(out->low[k], x);
			out->high[k] = fmax(out->high[k], x);
		}
}

// Volume: the tetrahedra between every triangle and the middle of the box.
static void measure_size(mesh_measure *out, const spate_mesh *mesh)
{
	double middle[3];
	for (int k = 0; k < 3; k++)
		middle[k] = 0.5 * (out->low[k] + out->high[k]);
	for (size_t t = 0; t < mesh->triangle_count; t++)
	{
		double p[3][3];
		for (size_t i = 0; i < 3; i++)
			for (size_t k = 0; k < 3; k++)
				p[i][k] =
				    (double)mesh->positions[3 * (size_t)mesh->triangles[3 * t + i] + k] - middle[k];
		double u[3], v[3];
		for (int k = 0; k < 3; k++)
		{
			u[k] = p[1][k] - p[0][k];
			v[k] = p[2][k] - p[0][k];
		}
		double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
		out->area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
		out->volume += (p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2]) / 6.0;
	}
}

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

// Trees of vertices that triangles join; every join makes one piece less.
static void count_components(mesh_measure *out, const uint32_t *corners, size_t count, uint32_t *parent,
			     uint32_t points)
{
	for (uint32_t i = 0; i < points; i++)
		parent[i] = i;
	out->components = points;
	for (size_t i = 0; i < count; i++)
	{
		uint32_t a = root_of(parent, corners[i]), b = root_of(parent, corners[i / 3 * 3]);
		if (a == b)
			continue;
		parent[a > b ? a : b] = a < b ? a : b;
		out->components--;
	}
}

// Equal edges lie side by side once they are sorted; the payload tells the direction of each.
static void count_edges(mesh_measure *out, const uint64_t *keys, const uint32_t *directions, size_t count)
{
	for (size_t i = 0, end; i < count; i = end)
	{
		for (end = i + 1; end < count && keys[end] == keys[i];)
			end++;
		out->open_edges += end - i == 1;
		out->crowded_edges += end - i > 2;
		out->flipped_edges += end - i == 2 && directions[i] == directions[i + 1];
	}
	out->closed = count > 0 && out->open_edges == 0 && out->crowded_edges == 0;
}

typedef struct measure_work
{
	weld points;
	uint32_t *corners, *directions, *parent;
	uint64_t *keys;
	void *scratch;
} measure_work;

static int measure_joints(mesh_measure *out, const spate_mesh *mesh, measure_work *w)
{
	uint32_t count = 3 * mesh->triangle_count;
	w->corners = mem_alloc(count * sizeof *w->corners);
	w->directions = mem_alloc(count * sizeof *w->directions);
	w->keys = mem_alloc(count * sizeof *w->keys);
	size_t scratch = sort_radix_scratch(count);
	w->scratch = scratch ? mem_alloc(scratch) : NULL;
	if (!w->corners || !w->directions || !w->keys || (scratch && !w->scratch))
		return 0;
	for (uint32_t i = 0; i < count; i++)
		if (!weld_add(&w->points, mesh->positions + 3 * (size_t)mesh->triangles[i], &w->corners[i]))
			return 0;
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t a = w->corners[i], b = w->corners[i % 3 == 2 ? i - 2 : i + 1];
		w->directions[i] = a < b;
		w->keys[i] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
	}
	sort_radix(1, count, w->keys, w->directions, w->scratch);
	count_edges(out, w->keys, w->directions, count);

	uint32_t points = (uint32_t)(w->points.points.count / 3);
	w->parent = mem_alloc(points * sizeof *w->parent);
	if (!w->parent)
		return 0;
	count_components(out, w->corners, count, w->parent, points);
	return 1;
}

spate_result mesh_measure_all(mesh_measure *out, const spate_mesh *mesh, spate_error *error)
{
	*out = (mesh_measure){.closed = 0};
	if (mesh->triangle_count > UINT32_MAX / 3)
		return error_set(error, SPATE_RANGE, "a mesh of %u triangles is too large to look at its edges",
				 mesh->triangle_count);
	if (mesh->triangle_count == 0)
		return SPATE_OK;
	measure_box(out, mesh);
	measure_size(out, mesh);
	measure_work w = {.scratch = NULL};
	int good = measure_joints(out, mesh, &w);
	weld_free(&w.points);
	mem_free(w.corners);
	mem_free(w.directions);
	mem_free(w.parent);
	mem_free(w.keys);
	mem_free(w.scratch);
	return good ? SPATE_OK : error_memory(error, (size_t)mesh->triangle_count * 72);
}

spate_result mesh_count_crossings(uint64_t *pairs, const spate_mesh *mesh, spate_error *error)
{
	*pairs = 0;
	triangle_tree *tree;
	spate_result result = triangle_tree_create(&tree, mesh->positions, mesh->vertex_count, mesh->triangles,
						   mesh->triangle_count, error);
	if (result == SPATE_OK)
		*pairs = triangle_tree_crossings(tree, NULL, NULL, parallel_default_threads());
	triangle_tree_destroy(tree);
	return result;
}
