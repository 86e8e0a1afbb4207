#include "base/error.h"
#include "mesh/triangle_tree.h"
#include "surface/finish.h"
#include "surface/many.h"

#include <stdlib.h>
#include <string.h>

static int compare_vertices(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

// Reduces the corners next to a vertex, each repeated once per triangle at the edge, to the vertices that it follows:
// on a sheet all of them, on a seam those along it. Returns their number.
static uint32_t choose_followed(uint32_t *around, uint32_t count)
{
	qsort(around, count, sizeof *around, compare_vertices);
	uint32_t all = 0, seam = 0;
	for (uint32_t k = 0, last; k < count; k = last)
	{
		for (last = k + 1; last < count && around[last] == around[k];)
			last++;
		seam += last - k > 2;
	}
	for (uint32_t k = 0, last; k < count; k = last)
	{
		for (last = k + 1; last < count && around[last] == around[k];)
			last++;
		if (seam == 0 || last - k > 2)
			around[all++] = around[k];
	}
	// vertices where seams meet or end do not move
	return seam == 0 || seam == 2 ? all : 0;
}

static spate_result rings_init(vertex_rings *rings, const spate_mesh *mesh, spate_error *error)
{
	size_t corners = 3 * (size_t)mesh->triangle_count;
	uint32_t *first = mem_calloc((size_t)mesh->vertex_count + 2, sizeof *first);
	uint32_t *lengths = mem_alloc(((size_t)mesh->vertex_count + 1) * sizeof *lengths);
	uint32_t *all = mem_alloc((2 * corners + 1) * sizeof *all);
	spate_result result = SPATE_OK;
	if (!first || !lengths || !all || 2 * corners > UINT32_MAX)
		result = error_memory(error, 2 * corners * sizeof(uint32_t));
	else
	{
		for (size_t k = 0; k < corners; k++)
			first[mesh->triangles[k] + 2] += 2;
		for (uint32_t v = 0; v < mesh->vertex_count; v++)
			first[v + 2] += first[v + 1];
		for (size_t t = 0; t < corners; t += 3)
			for (size_t k = 0; k < 3; k++)
			{
				uint32_t *at = &first[mesh->triangles[t + k] + 1];
				all[(*at)++] = mesh->triangles[t + (k + 1) % 3];
				all[(*at)++] = mesh->triangles[t + (k + 2) % 3];
			}
		for (uint32_t v = 0; v < mesh->vertex_count; v++)
			lengths[v] = choose_followed(all + first[v], first[v + 1] - first[v]);
		result = vertex_rings_reserve(rings, lengths, mesh->vertex_count, error);
	}
	for (uint32_t v = 0; result == SPATE_OK && v < mesh->vertex_count; v++)
	{
		uint32_t at = rings->first[v];
		memcpy(rings->around + at, all + first[v], lengths[v] * sizeof *all);
		for (at += lengths[v]; at < rings->first[v + 1]; at++)
			rings->around[at] = v;
	}
	mem_free(first);
	mem_free(lengths);
	mem_free(all);
	return result;
}

// Vertices move by 1, 1/2, 1/4 or 1/8 of the displacement that smoothing wants, or not at all.
enum
{
	FEWEST_HALVES = 4
};

typedef struct untangling
{
	chromatic_mesh *mesh;
	const float *before;      // 3 per vertex
	float *wanted;            // 3 per vertex, the smoothed position
	uint8_t *halves;          // per vertex: number of halvings; FEWEST_HALVES means not moved
	uint8_t *changed;         // per vertex, in this round
	uint8_t *asked;           // per triangle: to be tested, because a vertex changed
	_Atomic uint8_t *crossed; // per triangle
	triangle_tree *tree;
	int threads;
} untangling;

static void halve(untangling *u, uint32_t vertex, uint8_t to)
{
	if (u->changed[vertex] || u->halves[vertex] == FEWEST_HALVES)
		return;
	u->changed[vertex] = 1;
	u->halves[vertex] = to ? to : u->halves[vertex] + 1;
	float part = u->halves[vertex] == FEWEST_HALVES ? 0.0f : 1.0f / (float)(1u << u->halves[vertex]);
	for (size_t k = 3 * (size_t)vertex; k < 3 * (size_t)vertex + 3; k++)
		u->mesh->mesh->positions[k] = u->before[k] + part * (u->wanted[k] - u->before[k]);
}

// Halves the displacement of vertices wherever triangles cross, until none do. Retests only what has changed.
static void uncross(untangling *u)
{
	spate_mesh *mesh = u->mesh->mesh;
	for (;;)
	{
		for (size_t t = 0; t < mesh->triangle_count; t++)
			u->crossed[t] = 0;
		if (!triangle_tree_crossings(u->tree, u->asked, u->crossed, u->threads))
			return;
		int any = 0;
		memset(u->changed, 0, mesh->vertex_count);
		for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++)
			if (u->crossed[k / 3])
				halve(u, mesh->triangles[k], 0);
		for (size_t t = 0; t < mesh->triangle_count; t++)
		{
			const uint32_t *v = mesh->triangles + 3 * t;
			u->asked[t] = u->changed[v[0]] | u->changed[v[1]] | u->changed[v[2]];
			any |= u->asked[t];
		}
		if (!any)
			return;
		triangle_tree_move(u->tree, mesh->positions);
	}
}

// Without crossings, a part can only be inverted as a whole. Restores such parts; returns whether there were any.
static int unturn(untangling *u, many_parts *now, const double *volumes)
{
	spate_mesh *mesh = u->mesh->mesh;
	int any = 0;
	many_parts_measure(now, mesh);
	memset(u->changed, 0, mesh->vertex_count);
	for (uint32_t side = 0; side < now->sides; side++)
	{
		uint32_t root = many_parts_find(now, side);
		if ((now->volumes[root] > 0.0) != (volumes[root] > 0.0))
			for (size_t k = 0; k < 3; k++)
				halve(u, mesh->triangles[3 * (size_t)(side / 2) + k], FEWEST_HALVES);
	}
	for (size_t t = 0; t < mesh->triangle_count; t++)
	{
		const uint32_t *v = mesh->triangles + 3 * t;
		u->asked[t] = u->changed[v[0]] | u->changed[v[1]] | u->changed[v[2]];
		any |= u->asked[t];
	}
	return any;
}

static spate_result untangle(chromatic_mesh *mesh, uint32_t fluids, const float *before, int threads,
			     spate_error *error)
{
	spate_mesh *m = mesh->mesh;
	size_t coordinates = 3 * (size_t)m->vertex_count, sides = 2 * (size_t)m->triangle_count;
	untangling u = {.mesh = mesh,
			.before = before,
			.wanted = mem_alloc(coordinates * sizeof *u.wanted),
			.halves = mem_calloc(m->vertex_count, 1),
			.changed = mem_calloc(m->vertex_count, 1),
			.asked = mem_alloc(m->triangle_count),
			.crossed = mem_calloc(m->triangle_count, sizeof *u.crossed),
			.threads = threads};
	double *volumes = mem_alloc(sides * sizeof *volumes);
	many_parts parts = {0};
	spate_result result = SPATE_OK;
	if (!u.wanted || !u.halves || !u.changed || !u.asked || !u.crossed || !volumes)
		result = error_memory(error, coordinates * sizeof *u.wanted + sides * sizeof *volumes);
	if (result == SPATE_OK)
		result = many_parts_init(&parts, mesh, fluids, error);
	if (result == SPATE_OK)
		result = triangle_tree_create(&u.tree, m->positions, m->vertex_count, m->triangles, m->triangle_count,
					      error);
	if (result == SPATE_OK)
	{
		memcpy(u.wanted, m->positions, coordinates * sizeof *u.wanted);
		memcpy(m->positions, before, coordinates * sizeof *u.wanted);
		many_parts_measure(&parts, m);
		memcpy(volumes, parts.volumes, sides * sizeof *volumes);
		memcpy(m->positions, u.wanted, coordinates * sizeof *u.wanted);
		memset(u.asked, 1, m->triangle_count);
		uncross(&u);
		while (unturn(&u, &parts, volumes))
		{
			triangle_tree_move(u.tree, m->positions);
			uncross(&u);
		}
	}
	triangle_tree_destroy(u.tree);
	many_parts_free(&parts);
	mem_free(volumes);
	mem_free(u.wanted);
	mem_free(u.halves);
	mem_free(u.changed);
	mem_free(u.asked);
	mem_free((void *)u.crossed);
	return result;
}

spate_result many_smooth(chromatic_mesh *mesh, uint32_t fluids, int rounds, int threads, spate_error *error)
{
	spate_mesh *m = mesh->mesh;
	if (rounds < 1 || m->triangle_count == 0)
		return SPATE_OK;
	size_t bytes = 3 * (size_t)m->vertex_count * sizeof(float);
	float *before = mem_alloc(bytes);
	if (!before)
		return error_memory(error, bytes);
	memcpy(before, m->positions, bytes);
	vertex_rings rings = {0};
	spate_result result = rings_init(&rings, m, error);
	if (result == SPATE_OK)
		result =
		    surface_smooth_rings((vec3 *)(void *)m->positions, m->vertex_count, &rings, rounds, threads, error);
	vertex_rings_free(&rings);
	if (result == SPATE_OK)
		result = untangle(mesh, fluids, before, threads, error);
	mem_free(before);
	return result;
}
