// Voxels around triangles: exact distances, nearest triangles and crossed lattice edges, in blocks of 8^3 voxels
// wherever a triangle is within reach. Lengths are in cells; voxel (i, j, k) lies at (i, j, k).
//
// A block's 512 voxels are in VDB order, z fastest. A mask over a block is eight words, one per x, with bit 8 y + z.
#ifndef COLLIDER_FIELD_VOXELS_H
#define COLLIDER_FIELD_VOXELS_H

#include "collider/closest.h"
#include "spate/mesh.h"

#include <stddef.h>

enum
{
	BLOCK_VOXELS = 512,
	BLOCK_WORDS = 8, // of a mask
	NO_LEAF = -1,
	NO_TRIANGLE = -1
};

// Triangles of a mesh, all or a subset, in cells.
typedef struct triangle_set
{
	const spate_mesh *mesh;
	double scale;         // cells per m
	const uint32_t *some; // ascending; NULL for all
	uint32_t count;
} triangle_set;

static inline uint32_t triangle_set_at(const triangle_set *set, uint32_t i)
{
	return set->some ? set->some[i] : i;
}

static inline void triangle_corners(const spate_mesh *mesh, double scale, uint32_t triangle, dvec3 corners[3])
{
	for (int k = 0; k < 3; k++)
	{
		const float *p = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)triangle + (size_t)k];
		corners[k] = (dvec3){(double)p[0] * scale, (double)p[1] * scale, (double)p[2] * scale};
	}
}

typedef struct voxel_grid
{
	int32_t low[3];  // first block; the outermost blocks are an empty rim
	int32_t size[3]; // blocks
	size_t block_count;
	float reach; // cells

	int32_t *leaf_of; // per block, z fastest; NO_LEAF if entirely beyond reach
	uint32_t leaf_count;
	uint32_t *block_of; // per leaf, ascending
	float *distance;    // BLOCK_VOXELS per leaf; at most `reach`
	int32_t *nearest;   // likewise; NO_TRIANGLE beyond reach
	uint64_t
	    *crossed; // 3 masks per leaf: whether a triangle crosses the edge from a voxel to the next along x, y, z
} voxel_grid;

spate_result voxel_grid_init(voxel_grid *grid, const triangle_set *set, float reach, int threads, spate_error *error);
void voxel_grid_free(voxel_grid *grid);

// Coordinates of a block, in blocks.
static inline void voxel_grid_place(const voxel_grid *grid, size_t block, int32_t place[3])
{
	size_t row = (size_t)grid->size[2], slab = row * (size_t)grid->size[1];
	place[0] = grid->low[0] + (int32_t)(block / slab);
	place[1] = grid->low[1] + (int32_t)(block % slab / row);
	place[2] = grid->low[2] + (int32_t)(block % row);
}

// Returns 0 if there is no such block; coordinates are in blocks.
static inline int voxel_grid_find(const voxel_grid *grid, const int32_t place[3], size_t *block)
{
	size_t index = 0;
	for (int k = 0; k < 3; k++)
	{
		int64_t local = (int64_t)place[k] - grid->low[k];
		if (local < 0 || local >= grid->size[k])
			return 0;
		index = index * (size_t)grid->size[k] + (size_t)local;
	}
	*block = index;
	return 1;
}

#endif
