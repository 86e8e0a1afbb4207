#include "base/error.h"
#include "surface/finish.h"
#include "surface/many.h"

#include <stdlib.h>
#include <string.h>

static int compare_vertices(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

// From the corners beside a vertex, each as often as an edge has triangles, to the vertices that it follows: on a sheet all, on a
// seam those along it. Returns how many.
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
	// where seams meet or end nothing moves
	return seam == 0 || seam == 2 ? all : 0;
}

static spate_result rings_init(vertex_rings *rings, const spate_mesh *mesh, spate_error *error)
{
	size_t corners = 3 * (size_t)mesh->triangle_count;
	uint32_t *first = rings->first = mem_calloc((size_t)mesh->vertex_count + 2, sizeof *first);
	rings->around = mem_alloc((2 * corners + 1) * sizeof *rings->around);
	if (!first || !rings->around || 2 * corners > UINT32_MAX)
	{
		vertex_rings_free(rings);
		return error_memory(error, 2 * corners * sizeof(uint32_t));
	}
	for (size_t k = 0; k < corners; k++)
		first[mesh->triangles[k] + 2] += 2;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
		first[v + 2] += first[v + 1];
	for (size_t t = 0; t < corners; t += 3)
		for (size_t k = 0; k < 3; k++)
		{
			uint32_t *at = &first[mesh->triangles[t + k] + 1];
			rings->around[(*at)++] = mesh->triangles[t + (k + 1) % 3];
			rings->around[(*at)++] = mesh->triangles[t + (k + 2) % 3];
		}
	uint32_t used = 0, begin = 0;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		uint32_t end = first[v + 1], kept = choose_followed(rings->around + begin, end - begin);
		memmove(rings->around + used, rings->around + begin, kept * sizeof *rings->around);
		begin = end;
		used += kept;
		first[v + 1] = used;
	}
	return SPATE_OK;
}

spate_result many_smooth(spate_mesh *mesh, int rounds, int threads, spate_error *error)
{
	if (rounds < 1 || mesh->triangle_count == 0)
		return SPATE_OK;
	vertex_rings rings = {0};
	spate_result result = rings_init(&rings, mesh, error);
	if (result == SPATE_OK)
		result = surface_smooth_rings((vec3 *)(void *)mesh->positions, mesh->vertex_count, &rings, rounds,
					      threads, error);
	vertex_rings_free(&rings);
	return result;
}
