#include "surface/chromatic_mesh.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

void chromatic_mesh_free(chromatic_mesh *mesh)
{
	spate_mesh_destroy(mesh->mesh);
	mem_free(mesh->sides);
	*mesh = (chromatic_mesh){0};
}

spate_result chromatic_mesh_extract(const chromatic_mesh *mesh, uint8_t fluid, spate_mesh **out, spate_error *error)
{
	*out = NULL;
	const spate_mesh *all = mesh->mesh;
	uint32_t vertices = 0, triangles = 0;
	uint32_t *place = mem_calloc(all->vertex_count + 1, sizeof *place); // new number + 1
	if (!place)
		return error_memory(error, all->vertex_count * sizeof *place);

	// which vertices are used
	for (uint32_t t = 0; t < all->triangle_count; t++)
	{
		if (mesh->sides[t][0] != fluid && mesh->sides[t][1] != fluid)
			continue;
		triangles++;
		for (uint32_t k = 0; k < 3; k++)
			place[all->triangles[3 * t + k]] = 1;
	}
	for (uint32_t v = 0; v < all->vertex_count; v++)
		place[v] = place[v] ? ++vertices : 0;

	spate_mesh *one = NULL;
	spate_result result = spate_mesh_create(&one, vertices, triangles, error);
	if (result != SPATE_OK)
	{
		mem_free(place);
		return result;
	}
	for (uint32_t v = 0; v < all->vertex_count; v++)
		if (place[v])
			memcpy(one->positions + 3 * (place[v] - 1), all->positions + 3 * v, 3 * sizeof(float));

	// flip the triangles that have the fluid on their second side
	uint32_t *corner = one->triangles;
	for (uint32_t t = 0; t < all->triangle_count; t++)
	{
		const uint32_t *of = all->triangles + 3 * t;
		int outward = mesh->sides[t][0] == fluid;
		if (!outward && mesh->sides[t][1] != fluid)
			continue;
		*corner++ = place[of[0]] - 1;
		*corner++ = place[of[outward ? 1 : 2]] - 1;
		*corner++ = place[of[outward ? 2 : 1]] - 1;
	}
	mem_free(place);
	*out = one;
	return SPATE_OK;
}
