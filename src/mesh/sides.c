#include "mesh/sides.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

uint32_t mesh_sides_last(const spate_mesh *mesh)
{
	uint32_t last = 0;
	for (size_t i = 0; mesh->sides && i < 2 * (size_t)mesh->triangle_count; i++)
		last = mesh->sides[i] > last ? mesh->sides[i] : last;
	return last;
}

// 1 if the triangle faces away from the fluid, -1 if it faces into it, 0 if it does not touch it.
static int direction_of(const spate_mesh *mesh, size_t triangle, uint32_t fluid)
{
	const uint8_t *side = mesh->sides + 2 * triangle;
	return side[0] == side[1] ? 0 : side[0] == fluid ? 1 : side[1] == fluid ? -1 : 0;
}

spate_result mesh_sides_extract(spate_mesh **out, const spate_mesh *mesh, uint32_t fluid, spate_error *error)
{
	uint32_t vertices = 0, triangles = 0;
	size_t room = (size_t)mesh->vertex_count + 1;
	uint32_t *number = mem_calloc(room, sizeof *number); // index + 1 of a vertex in the new mesh
	if (!number)
		return error_memory(error, room * sizeof *number);
	for (size_t t = 0; mesh->sides && t < mesh->triangle_count; t++)
	{
		if (!direction_of(mesh, t, fluid))
			continue;
		triangles++;
		for (size_t k = 0; k < 3; k++)
		{
			uint32_t *v = &number[mesh->triangles[3 * t + k]];
			if (*v == 0)
				*v = ++vertices;
		}
	}
	spate_result result = spate_mesh_create(out, vertices, triangles, error);
	for (size_t v = 0; result == SPATE_OK && v < mesh->vertex_count; v++)
		if (number[v])
			memcpy((*out)->positions + 3 * (size_t)(number[v] - 1), mesh->positions + 3 * v,
			       3 * sizeof(float));
	uint32_t *to = result == SPATE_OK ? (*out)->triangles : NULL;
	for (size_t t = 0; to && mesh->sides && t < mesh->triangle_count; t++)
	{
		int direction = direction_of(mesh, t, fluid);
		for (size_t k = 0; k < 3 && direction; k++)
			*to++ = number[mesh->triangles[3 * t + (direction > 0 ? k : 2 - k)]] - 1;
	}
	mem_free(number);
	return result;
}
