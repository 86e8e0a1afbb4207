// The edges of triangles, sorted so that equal ones are adjacent.
#ifndef MESH_EDGES_H
#define MESH_EDGES_H

#include <stdint.h>

typedef struct mesh_edges
{
	uint64_t *keys;  // both vertices, the smaller one in the high bits
	uint32_t *sides; // 3 t + k: from corner k of triangle t to the next corner
	uint32_t count;
} mesh_edges;

// Takes `count` corners, 3 per triangle. Returns 0 when out of memory.
int mesh_edges_init(mesh_edges *edges, const uint32_t *corners, uint32_t count);
void mesh_edges_free(mesh_edges *edges);

// One past the last side with the same edge as the i-th.
static inline uint32_t mesh_edges_end(const mesh_edges *edges, uint32_t i)
{
	uint32_t end = i + 1;
	while (end < edges->count && edges->keys[end] == edges->keys[i])
		end++;
	return end;
}

// The corner where a side ends.
static inline uint32_t mesh_side_end(uint32_t side)
{
	return side % 3 == 2 ? side - 2 : side + 1;
}

#endif
