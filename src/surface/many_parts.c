#include "base/error.h"
#include "surface/finish.h"
#include "surface/many.h"

#include <string.h>

#define NO_SIDE UINT32_MAX

uint32_t many_parts_find(const many_parts *parts, uint32_t side)
{
	while (parts->parent[side] != side)
		side = parts->parent[side] = parts->parent[parts->parent[side]];
	return side;
}

void many_parts_free(many_parts *parts)
{
	mem_free(parts->parent);
	mem_free(parts->volumes);
	*parts = (many_parts){0};
}

static void join_sides(many_parts *parts, uint32_t a, uint32_t b)
{
	a = many_parts_find(parts, a);
	b = many_parts_find(parts, b);
	parts->parent[a > b ? a : b] = a < b ? a : b;
}

// Joins the sides with the same label at a common vertex into one part.
static void join_label(many_parts *parts, const chromatic_mesh *mesh, uint8_t label, uint32_t *at_vertex)
{
	memset(at_vertex, 0xff, (size_t)mesh->mesh->vertex_count * sizeof *at_vertex);
	for (uint32_t side = 0; side < parts->sides; side++)
	{
		if (mesh->sides[side / 2][side % 2] != label)
			continue;
		for (size_t k = 0; k < 3; k++)
		{
			uint32_t *at = &at_vertex[mesh->mesh->triangles[3 * (size_t)(side / 2) + k]];
			if (*at == NO_SIDE)
				*at = side;
			else
				join_sides(parts, *at, side);
		}
	}
}

spate_result many_parts_init(many_parts *parts, const chromatic_mesh *mesh, uint32_t fluids, spate_error *error)
{
	*parts = (many_parts){0};
	size_t sides = 2 * (size_t)mesh->mesh->triangle_count;
	uint32_t *at_vertex = mem_alloc(((size_t)mesh->mesh->vertex_count + 1) * sizeof *at_vertex);
	parts->parent = mem_alloc((sides + 1) * sizeof *parts->parent);
	parts->volumes = mem_alloc((sides + 1) * sizeof *parts->volumes);
	if (!at_vertex || !parts->parent || !parts->volumes || sides >= NO_SIDE)
	{
		mem_free(at_vertex);
		many_parts_free(parts);
		return error_memory(error, sides * sizeof *parts->volumes);
	}
	parts->sides = (uint32_t)sides;
	for (uint32_t side = 0; side < parts->sides; side++)
		parts->parent[side] = side;
	for (uint32_t label = 0; label <= fluids; label++)
		join_label(parts, mesh, (uint8_t)label, at_vertex);
	mem_free(at_vertex);
	return SPATE_OK;
}

void many_parts_measure(many_parts *parts, const spate_mesh *mesh)
{
	surface_mesh view = {mesh->vertex_count, mesh->triangle_count, (vec3 *)(void *)mesh->positions,
			     mesh->triangles};
	memset(parts->volumes, 0, parts->sides * sizeof *parts->volumes);
	for (uint32_t side = 0; side < parts->sides; side++)
	{
		uint32_t root = many_parts_find(parts, side);
		vec3 from = view.positions[view.triangles[3 * (size_t)(root / 2)]];
		double volume = surface_triangle_volume(&view, view.triangles + 3 * (size_t)(side / 2), from);
		// normals point out of the first side
		parts->volumes[root] += side % 2 ? -volume : volume;
	}
}
