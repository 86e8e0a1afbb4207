#include "mesh/measure.h"

#include "base/error.h"
#include "base/forest.h"
#include "base/parallel.h"
#include "base/vec.h"
#include "mesh/edges.h"
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

static void measure_box(spate_mesh_measure *out, const spate_mesh *mesh)
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

// Volume: the sum of tetrahedra between each triangle and the middle of the box.
static void measure_size(spate_mesh_measure *out, const spate_mesh *mesh)
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

// Counts components with a union-find forest of vertices: every union makes one component less.
static void count_components(spate_mesh_measure *out, const uint32_t *corners, size_t count, uint32_t *parent,
			     uint32_t points)
{
	forest_init(parent, points);
	out->components = points;
	for (size_t i = 0; i < count; i++)
		out->components -= (uint64_t)forest_join(parent, corners[i], corners[i / 3 * 3]);
}

// Two sides of an edge that start at the same vertex belong to triangles that face different ways.
static void count_edges(spate_mesh_measure *out, const mesh_edges *edges, const uint32_t *corners)
{
	for (uint32_t i = 0, end; i < edges->count; i = end)
	{
		end = mesh_edges_end(edges, i);
		const uint32_t *side = &edges->sides[i];
		out->open_edges += end - i == 1;
		out->crowded_edges += end - i > 2;
		out->flipped_edges += end - i == 2 && corners[side[0]] == corners[side[1]];
	}
	out->closed = edges->count > 0 && out->open_edges == 0 && out->crowded_edges == 0;
}

typedef struct measure_work
{
	weld points;
	mesh_edges edges;
	uint32_t *corners, *parent;
} measure_work;

static int measure_joints(spate_mesh_measure *out, const spate_mesh *mesh, measure_work *w)
{
	uint32_t count = 3 * mesh->triangle_count;
	w->corners = mem_alloc(count * sizeof *w->corners);
	if (!w->corners)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		if (!weld_add(&w->points, mesh->positions + 3 * (size_t)mesh->triangles[i], &w->corners[i]))
			return 0;
	if (!mesh_edges_init(&w->edges, w->corners, count))
		return 0;
	count_edges(out, &w->edges, w->corners);

	uint32_t points = (uint32_t)(w->points.points.count / 3);
	w->parent = mem_alloc(points * sizeof *w->parent);
	if (!w->parent)
		return 0;
	count_components(out, w->corners, count, w->parent, points);
	return 1;
}

spate_result mesh_measure_all(spate_mesh_measure *out, const spate_mesh *mesh, spate_error *error)
{
	*out = (spate_mesh_measure){.closed = 0};
	if (mesh->triangle_count > UINT32_MAX / 3)
		return error_set(error, SPATE_RANGE, "a mesh of %u triangles is too large to analyse",
				 mesh->triangle_count);
	if (mesh->triangle_count == 0)
		return SPATE_OK;
	measure_box(out, mesh);
	measure_size(out, mesh);
	measure_work w = {.corners = NULL};
	int good = measure_joints(out, mesh, &w);
	weld_free(&w.points);
	mesh_edges_free(&w.edges);
	mem_free(w.corners);
	mem_free(w.parent);
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
