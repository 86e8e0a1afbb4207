// Nodes and elements of cloth and ropes.
#include "base/error.h"
#include "base/memory.h"
#include "body/deformable_work.h"
#include "mesh/edges.h"

#include <math.h>
#include <string.h>

static void corner(const spate_mesh *mesh, uint32_t v, double p[3])
{
	for (int i = 0; i < 3; i++)
		p[i] = (double)mesh->positions[3 * (size_t)v + (size_t)i];
}

static double distance(const double a[3], const double b[3])
{
	double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
	return sqrt(x * x + y * y + z * z);
}

static spate_result take_nodes(deformable *b, uint32_t count, spate_error *error)
{
	b->count = count;
	b->place = mem_calloc(3 * (size_t)count, sizeof *b->place);
	b->mass = mem_calloc(count, sizeof *b->mass);
	return b->place && b->mass ? SPATE_OK : error_memory(error, 4 * (size_t)count * sizeof *b->place);
}

// ----------------------------------------------------------------------------------------------------------------- cloth

// Shape functions of a triangle in its plane; 0 for one without area.
static int make_triangle(const spate_mesh *mesh, const uint32_t *node, body_triangle *out)
{
	double p[3][3], u[3], v[3], first = 0.0, along = 0.0, across = 0.0;
	for (int a = 0; a < 3; a++)
	{
		corner(mesh, node[a], p[a]);
		out->node[a] = node[a];
	}
	for (int i = 0; i < 3; i++)
	{
		u[i] = p[1][i] - p[0][i];
		v[i] = p[2][i] - p[0][i];
		first += u[i] * u[i];
	}
	first = sqrt(first);
	for (int i = 0; i < 3; i++)
		along += first > 0.0 ? u[i] * v[i] / first : 0.0;
	for (int i = 0; i < 3; i++)
		across += v[i] * v[i];
	across = sqrt(fmax(across - along * along, 0.0));
	out->area = 0.5 * first * across;
	if (!(out->area > 1e-12 * (first * first + along * along)))
		return 0;
	// corners at (0, 0), (first, 0), (along, across)
	out->slope[1][0] = 1.0 / first;
	out->slope[1][1] = -along / (first * across);
	out->slope[2][0] = 0.0;
	out->slope[2][1] = 1.0 / across;
	for (int j = 0; j < 2; j++)
		out->slope[0][j] = -out->slope[1][j] - out->slope[2][j];
	return 1;
}

static double cotangent(const double at[3], const double a[3], const double c[3])
{
	double u[3], v[3], w[3], along = 0.0;
	for (int i = 0; i < 3; i++)
	{
		u[i] = a[i] - at[i];
		v[i] = c[i] - at[i];
		along += u[i] * v[i];
	}
	w[0] = u[1] * v[2] - u[2] * v[1];
	w[1] = u[2] * v[0] - u[0] * v[2];
	w[2] = u[0] * v[1] - u[1] * v[0];
	double area = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
	return area > 0.0 ? along / area : 0.0;
}

static double area_of(const double a[3], const double b[3], const double c[3])
{
	double x = distance(a, b), y = distance(b, c), z = distance(c, a), s = 0.5 * (x + y + z);
	return sqrt(fmax(s * (s - x) * (s - y) * (s - z), 0.0));
}

// The bend of two triangles about their common edge, of which `side` and `other` are the sides.
static body_line make_bend(const deformable *b, const spate_mesh *mesh, uint32_t side, uint32_t other)
{
	uint32_t end = mesh_side_end(side), third = mesh_side_end(end), opposite = mesh_side_end(mesh_side_end(other));
	body_line l = {
	    .count = 4,
	    .node = {mesh->triangles[side], mesh->triangles[end], mesh->triangles[third], mesh->triangles[opposite]}};
	double x[4][3], y[3] = {0, 0, 0};
	for (int a = 0; a < 4; a++)
		corner(mesh, l.node[a], x[a]);
	double c01 = cotangent(x[0], x[1], x[2]), c02 = cotangent(x[0], x[1], x[3]), c03 = cotangent(x[1], x[0], x[2]),
	       c04 = cotangent(x[1], x[0], x[3]);
	const double of[4] = {c03 + c04, c01 + c02, -c01 - c03, -c02 - c04};
	memcpy(l.of, of, sizeof of);
	l.stiffness = b->def.bending / (area_of(x[0], x[1], x[2]) + area_of(x[0], x[1], x[3]));
	for (int i = 0; i < 3 && !b->def.flat; i++)
		for (int a = 0; a < 4; a++)
			y[i] += of[a] * x[a][i];
	l.rest = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
	// of a flat one, rounding
	double size = distance(x[0], x[1]) * (fabs(of[0]) + fabs(of[1]) + fabs(of[2]) + fabs(of[3]));
	l.rest = l.rest < 1e-5 * size ? 0.0 : l.rest;
	return l;
}

static spate_result make_bends(deformable *b, const spate_mesh *mesh, spate_error *error)
{
	mesh_edges edges;
	if (!mesh_edges_init(&edges, mesh->triangles, 3 * mesh->triangle_count))
		return error_memory(error, 3 * (size_t)mesh->triangle_count * sizeof *edges.keys);
	b->lines = mem_alloc((edges.count + (size_t)1) * sizeof *b->lines);
	uint32_t next;
	for (uint32_t k = 0; k < edges.count && b->lines; k = next)
	{
		next = mesh_edges_end(&edges, k);
		if (next != k + 2)
			continue;
		body_line l = make_bend(b, mesh, edges.sides[k], edges.sides[k + 1]);
		if (isfinite(l.stiffness) && l.stiffness > 0.0)
			b->lines[b->line_count++] = l;
	}
	mesh_edges_free(&edges);
	return b->lines ? SPATE_OK : error_memory(error, 3 * (size_t)mesh->triangle_count * sizeof *b->lines);
}

spate_result cloth_make(deformable *b, spate_error *error)
{
	const spate_mesh *mesh = b->def.mesh;
	spate_result result = take_nodes(b, mesh->vertex_count, error);
	if (result != SPATE_OK)
		return result;
	b->triangles = mem_alloc((mesh->triangle_count + (size_t)1) * sizeof *b->triangles);
	if (!b->triangles)
		return error_memory(error, mesh->triangle_count * sizeof *b->triangles);
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
		corner(mesh, v, b->place + 3 * (size_t)v);
	b->fine = INFINITY;
	for (uint32_t k = 0; k < mesh->triangle_count; k++)
	{
		body_triangle *t = &b->triangles[b->triangle_count];
		const uint32_t *node = mesh->triangles + 3 * (size_t)k;
		if (!make_triangle(mesh, node, t))
			continue;
		b->triangle_count++;
		for (int a = 0; a < 3; a++)
		{
			b->mass[node[a]] += b->def.density * t->area / 3.0;
			b->fine = fmin(b->fine, distance(b->place + 3 * (size_t)node[a],
							 b->place + 3 * (size_t)node[(a + 1) % 3]));
		}
	}
	if (b->triangle_count == 0)
		return error_set(error, SPATE_INVALID, "cloth needs a mesh with area");
	result = b->def.bending > 0.0 ? make_bends(b, mesh, error) : SPATE_OK;
	return result == SPATE_OK ? skin_create(b, error) : result;
}

// ------------------------------------------------------------------------------------------------------------------ rope

spate_result rope_make(deformable *b, spate_error *error)
{
	const spate_mesh *mesh = b->def.mesh;
	if (mesh->vertex_count < 2)
		return error_set(error, SPATE_INVALID, "a rope needs two points at least");
	uint32_t count = mesh->vertex_count;
	spate_result result = take_nodes(b, count, error);
	if (result != SPATE_OK)
		return result;
	b->lines = mem_calloc(2 * (size_t)count, sizeof *b->lines);
	if (!b->lines)
		return error_memory(error, 2 * (size_t)count * sizeof *b->lines);
	for (uint32_t v = 0; v < count; v++)
		corner(mesh, v, b->place + 3 * (size_t)v);
	b->fine = INFINITY;
	for (uint32_t k = 0; k + 1 < count; k++)
	{
		double length = distance(b->place + 3 * (size_t)k, b->place + 3 * (size_t)k + 3);
		if (!(length > 0.0))
			return error_set(error, SPATE_INVALID, "points %u and %u of a rope are the same", k, k + 1);
		b->lines[b->line_count++] = (body_line){.count = 2,
							.node = {k, k + 1},
							.of = {-1, 1},
							.stiffness = b->def.stiffness / length,
							.rest = length};
		b->mass[k] += 0.5 * b->def.density * length;
		b->mass[k + 1] += 0.5 * b->def.density * length;
		b->fine = fmin(b->fine, length);
	}
	for (uint32_t k = 1; k + 1 < count && b->def.bending > 0.0; k++)
	{
		double before = b->lines[k - 1].rest, after = b->lines[k].rest, y = 0.0;
		body_line l = {.count = 3,
			       .node = {k - 1, k, k + 1},
			       .of = {1.0 / before, -1.0 / before - 1.0 / after, 1.0 / after},
			       .stiffness = 2.0 * b->def.bending / (before + after)};
		for (size_t i = 0; i < 3 && !b->def.flat; i++)
		{
			double way = 0.0;
			for (size_t a = 0; a < 3; a++)
				way += l.of[a] * b->place[3 * (size_t)l.node[a] + i];
			y += way * way;
		}
		l.rest = y > 1e-10 ? sqrt(y) : 0.0;
		b->lines[b->line_count++] = l;
	}
	return skin_create(b, error);
}
