// A soft body: cubes that its surface reaches into, each of six tetrahedra, and the surface carried along by them. Cubes that are partly
// filled have their share of mass and stiffness.
#include "base/error.h"
#include "base/memory.h"
#include "body/deformable_work.h"
#include "mesh/measure.h"
#include "mesh/triangle_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
	SAMPLES = 4, // per cube and axis
	ACROSS = 10, // cubes across the longest side, unless the scene says
	MOST_CUBES = 4000000
};

// Least filling of a cube that is in use.
#define LEAST_SHARE 0.05

typedef struct lattice
{
	double low[3], cell; // m
	uint32_t size[3];    // cubes
	uint16_t *filled;    // samples of each that are inside
	uint8_t *used;
	uint32_t *node; // number of each corner, from 1; 0 for none
} lattice;

static size_t cube_of(const lattice *l, uint32_t x, uint32_t y, uint32_t z)
{
	return x + (size_t)l->size[0] * (y + (size_t)l->size[1] * z);
}

static size_t corner_of(const lattice *l, uint32_t x, uint32_t y, uint32_t z)
{
	return x + (size_t)(l->size[0] + 1) * (y + (size_t)(l->size[1] + 1) * z);
}

static void free_lattice(lattice *l)
{
	mem_free(l->filled);
	mem_free(l->used);
	mem_free(l->node);
}

static spate_result open_lattice(lattice *l, const deformable *b, spate_error *error)
{
	const spate_mesh *mesh = b->def.mesh;
	spate_mesh_measure m = {0};
	spate_result result = mesh_measure_all(&m, mesh, error);
	if (result != SPATE_OK)
		return result;
	if (!m.closed || !(fabs(m.volume) > 0.0))
		return error_set(error, SPATE_INVALID,
				 "a soft body needs a closed mesh; this one has %llu open and %llu crowded edges",
				 (unsigned long long)m.open_edges, (unsigned long long)m.crowded_edges);
	double longest = 0.0, cubes = 1.0;
	for (int i = 0; i < 3; i++)
		longest = fmax(longest, m.high[i] - m.low[i]);
	l->cell = b->def.cell > 0.0 ? b->def.cell : longest / ACROSS;
	for (int i = 0; i < 3; i++)
	{
		double count = ceil((m.high[i] - m.low[i]) / l->cell + 1e-3);
		cubes *= count;
		if (cubes > MOST_CUBES)
			return error_set(error, SPATE_INVALID, "the cells of a soft body are too small for it: %g m",
					 l->cell);
		l->size[i] = (uint32_t)count;
		l->low[i] = 0.5 * (m.low[i] + m.high[i] - count * l->cell);
	}
	size_t corners = (size_t)(l->size[0] + 1) * (l->size[1] + 1) * (l->size[2] + 1);
	l->filled = mem_calloc((size_t)cubes, sizeof *l->filled);
	l->used = mem_calloc((size_t)cubes, 1);
	l->node = mem_calloc(corners, sizeof *l->node);
	return l->filled && l->used && l->node ? SPATE_OK : error_memory(error, corners * sizeof *l->node);
}

// Counts the samples inside along one line, between pairs of crossings.
static void fill_line(lattice *l, const triangle_tree *tree, uint32_t j, uint32_t k)
{
	double fine = l->cell / SAMPLES;
	float y = (float)(l->low[1] + (j + 0.4987) * fine), z = (float)(l->low[2] + (k + 0.5013) * fine);
	float from = (float)(l->low[0] - l->cell), to = (float)(l->low[0] + (l->size[0] + 1) * l->cell);
	vec3 start = {from, y, z}, end = {to, y, z};
	triangle_hit hit;
	int inside = 0;
	float before = from;
	while (triangle_tree_first_hit(tree, start, end, &hit))
	{
		float at = start.x + (float)hit.t * (end.x - start.x);
		for (uint32_t i = 0; i < SAMPLES * l->size[0] && inside; i++)
		{
			double x = l->low[0] + (i + 0.5) * fine;
			if (x > (double)before && x <= (double)at)
				l->filled[cube_of(l, i / SAMPLES, j / SAMPLES, k / SAMPLES)]++;
		}
		inside = !inside;
		before = at;
		start.x = at + (float)(1e-4 * l->cell);
		if (start.x >= to)
			break;
	}
}

// The cube that a point is in.
static void cube_at(const lattice *l, const float *p, uint32_t at[3])
{
	for (int i = 0; i < 3; i++)
	{
		double k = floor(((double)p[i] - l->low[i]) / l->cell);
		at[i] = k < 0.0 ? 0 : k >= l->size[i] ? l->size[i] - 1 : (uint32_t)k;
	}
}

static spate_result fill_lattice(lattice *l, const spate_mesh *mesh, spate_error *error)
{
	triangle_tree *tree;
	spate_result result = triangle_tree_create(&tree, mesh->positions, mesh->vertex_count, mesh->triangles,
						   mesh->triangle_count, error);
	if (result != SPATE_OK)
		return result;
	for (uint32_t k = 0; k < SAMPLES * l->size[2]; k++)
		for (uint32_t j = 0; j < SAMPLES * l->size[1]; j++)
			fill_line(l, tree, j, k);
	triangle_tree_destroy(tree);
	size_t cubes = (size_t)l->size[0] * l->size[1] * l->size[2];
	for (size_t c = 0; c < cubes; c++)
		l->used[c] = l->filled[c] > 0;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		uint32_t at[3];
		cube_at(l, mesh->positions + 3 * (size_t)v, at);
		l->used[cube_of(l, at[0], at[1], at[2])] = 1;
	}
	return SPATE_OK;
}

// Six tetrahedra around the diagonal of a cube, by the order of the axes that lead along its edges.
static const uint8_t orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

static void corners_of(const uint32_t at[3], int order, uint32_t corners[4][3])
{
	for (int a = 0; a < 4; a++)
		for (int i = 0; i < 3; i++)
			corners[a][i] = at[i];
	for (int a = 1; a < 4; a++)
		for (int c = a; c < 4; c++)
			corners[c][orders[order][a - 1]]++;
}

// Slopes of the shape functions, the same in every cube but for its edge.
static void slopes_of(int order, double cell, double slope[4][3])
{
	memset(slope, 0, 12 * sizeof(double));
	// along the way of the axes o0, o1, o2 the weights are 1 - u0, u0 - u1, u1 - u2, u2
	for (int a = 0; a < 3; a++)
	{
		slope[a][orders[order][a]] -= 1.0 / cell;
		slope[a + 1][orders[order][a]] += 1.0 / cell;
	}
}

static uint32_t node_at(lattice *l, uint32_t x, uint32_t y, uint32_t z, uint32_t *count)
{
	uint32_t *n = &l->node[corner_of(l, x, y, z)];
	if (*n == 0)
		*n = ++*count;
	return *n - 1;
}

static void add_cube(deformable *b, lattice *l, const uint32_t at[3], uint32_t *count)
{
	double share = l->filled[cube_of(l, at[0], at[1], at[2])] / (double)(SAMPLES * SAMPLES * SAMPLES);
	for (int order = 0; order < 6; order++)
	{
		uint32_t corners[4][3];
		body_tetrahedron t = {.volume = l->cell * l->cell * l->cell / 6.0, .share = fmax(share, LEAST_SHARE)};
		corners_of(at, order, corners);
		slopes_of(order, l->cell, t.slope);
		for (int a = 0; a < 4; a++)
			t.node[a] = node_at(l, corners[a][0], corners[a][1], corners[a][2], count);
		b->tetrahedra[b->tetrahedron_count++] = t;
	}
}

static spate_result add_cubes(deformable *b, lattice *l, spate_error *error)
{
	size_t used = 0, cubes = (size_t)l->size[0] * l->size[1] * l->size[2];
	uint32_t count = 0, at[3];
	for (size_t c = 0; c < cubes; c++)
		used += l->used[c];
	b->tetrahedra = mem_alloc(6 * used * sizeof *b->tetrahedra);
	if (!b->tetrahedra)
		return error_memory(error, 6 * used * sizeof *b->tetrahedra);
	for (at[2] = 0; at[2] < l->size[2]; at[2]++)
		for (at[1] = 0; at[1] < l->size[1]; at[1]++)
			for (at[0] = 0; at[0] < l->size[0]; at[0]++)
				if (l->used[cube_of(l, at[0], at[1], at[2])])
					add_cube(b, l, at, &count);
	b->count = count;
	b->place = mem_calloc(3 * (size_t)count, sizeof *b->place);
	b->mass = mem_calloc(count, sizeof *b->mass);
	if (!b->place || !b->mass)
		return error_memory(error, 4 * (size_t)count * sizeof *b->place);
	for (at[2] = 0; at[2] <= l->size[2]; at[2]++)
		for (at[1] = 0; at[1] <= l->size[1]; at[1]++)
			for (at[0] = 0; at[0] <= l->size[0]; at[0]++)
			{
				uint32_t n = l->node[corner_of(l, at[0], at[1], at[2])];
				for (size_t i = 0; i < 3 && n > 0; i++)
					b->place[3 * (size_t)(n - 1) + i] = l->low[i] + at[i] * l->cell;
			}
	return SPATE_OK;
}

// The mass is that of the mesh.
static void weigh(deformable *b)
{
	spate_mesh_measure m = {0};
	double sum = 0.0;
	mesh_measure_all(&m, b->def.mesh, NULL);
	for (uint32_t k = 0; k < b->tetrahedron_count; k++)
		sum += b->tetrahedra[k].volume * b->tetrahedra[k].share;
	double density = b->def.density * fabs(m.volume) / sum;
	for (uint32_t k = 0; k < b->tetrahedron_count; k++)
		for (int a = 0; a < 4; a++)
			b->mass[b->tetrahedra[k].node[a]] +=
			    0.25 * density * b->tetrahedra[k].volume * b->tetrahedra[k].share;
}

// Where a vertex is in the tetrahedra of its cube.
static body_anchor anchor_of(const lattice *l, const float *p)
{
	uint32_t at[3], corners[4][3];
	double u[3];
	cube_at(l, p, at);
	for (int i = 0; i < 3; i++)
		u[i] = ((double)p[i] - l->low[i]) / l->cell - at[i];
	int order = 0;
	while (order < 5 && !(u[orders[order][0]] >= u[orders[order][1]] && u[orders[order][1]] >= u[orders[order][2]]))
		order++;
	const uint8_t *o = orders[order];
	body_anchor anchor = {.weight = {1.0 - u[o[0]], u[o[0]] - u[o[1]], u[o[1]] - u[o[2]], u[o[2]]}};
	corners_of(at, order, corners);
	for (int a = 0; a < 4; a++)
		anchor.node[a] = l->node[corner_of(l, corners[a][0], corners[a][1], corners[a][2])] - 1;
	return anchor;
}

spate_result soft_make(deformable *b, spate_error *error)
{
	const spate_mesh *mesh = b->def.mesh;
	lattice l = {0};
	spate_result result = open_lattice(&l, b, error);
	if (result == SPATE_OK)
		result = fill_lattice(&l, mesh, error);
	if (result == SPATE_OK)
		result = add_cubes(b, &l, error);
	b->anchors = result == SPATE_OK ? mem_alloc(mesh->vertex_count * sizeof *b->anchors) : NULL;
	if (result == SPATE_OK && !b->anchors)
		result = error_memory(error, mesh->vertex_count * sizeof *b->anchors);
	for (uint32_t v = 0; v < mesh->vertex_count && result == SPATE_OK; v++)
		b->anchors[v] = anchor_of(&l, mesh->positions + 3 * (size_t)v);
	b->fine = l.cell;
	b->closed = 1;
	free_lattice(&l);
	if (result != SPATE_OK)
		return result;
	weigh(b);
	return skin_create(b, error);
}

double deformable_volume(const deformable *b)
{
	double sum = 0.0;
	for (uint32_t k = 0; k < b->tetrahedron_count; k++)
	{
		const body_tetrahedron *t = &b->tetrahedra[k];
		double e[3][3];
		for (int a = 0; a < 3; a++)
			for (size_t i = 0; i < 3; i++)
				e[a][i] =
				    b->place[3 * (size_t)t->node[a + 1] + i] - b->place[3 * (size_t)t->node[0] + i];
		double six = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
			     e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
			     e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
		sum += t->share * fabs(six) / 6.0;
	}
	return sum;
}
