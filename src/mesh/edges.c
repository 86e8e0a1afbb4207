#include "mesh/edges.h"

#include "base/memory.h"
#include "base/sort.h"

int mesh_edges_init(mesh_edges *edges, const uint32_t *corners, uint32_t count)
{
	size_t bytes = sort_radix_scratch(count);
	void *scratch = bytes ? mem_alloc(bytes) : NULL;
	*edges = (mesh_edges){.count = count};
	edges->keys = mem_alloc(count * sizeof *edges->keys);
	edges->sides = mem_alloc(count * sizeof *edges->sides);
	int good = edges->keys && edges->sides && (scratch || !bytes);
	for (uint32_t i = 0; i < count && good; i++)
	{
		uint32_t a = corners[i], b = corners[mesh_side_end(i)];
		edges->keys[i] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
		edges->sides[i] = i;
	}
	if (good)
		sort_radix(1, count, edges->keys, edges->sides, scratch);
	else
		mesh_edges_free(edges);
	mem_free(scratch);
	return good;
}

void mesh_edges_free(mesh_edges *edges)
{
	mem_free(edges->keys);
	mem_free(edges->sides);
	*edges = (mesh_edges){0};
}
