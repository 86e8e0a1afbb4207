// Which voxels a mesh encloses. The winding of triangles is ignored.
#ifndef COLLIDER_FIELD_SIGN_H
#define COLLIDER_FIELD_SIGN_H

#include "collider/field_voxels.h"

// Enclosed space of a voxel_grid.
typedef struct enclosure
{
	uint64_t *leaves; // a mask per leaf
	uint8_t *blocks;  // 1 if a block without a leaf is enclosed
	int any;
} enclosure;

// `grid` holds all triangles of the mesh.
spate_result enclosure_init(enclosure *e, const voxel_grid *grid, const spate_mesh *mesh, double scale, int threads,
			    spate_error *error);
void enclosure_free(enclosure *e);

// Whether a voxel is enclosed, by its coordinates.
static inline int enclosure_has(const enclosure *e, const voxel_grid *grid, const int32_t at[3])
{
	const int32_t place[3] = {at[0] >> 3, at[1] >> 3, at[2] >> 3};
	size_t block;
	if (!voxel_grid_find(grid, place, &block))
		return 0;
	int32_t leaf = grid->leaf_of[block];
	if (leaf == NO_LEAF)
		return e->blocks[block];
	return (int)(e->leaves[(size_t)leaf * BLOCK_WORDS + (size_t)(at[0] & 7)] >> (8 * (at[1] & 7) + (at[2] & 7)) &
		     1);
}

// Walls inside enclosed space (where pieces overlap, or a sheet enters a solid) are not surfaces: enclosed voxels that store the
// distance to such a wall get the distance to the nearest surface between enclosed and free space instead, or `reach`.
spate_result enclosure_remove_walls(const enclosure *e, voxel_grid *grid, const spate_mesh *mesh, double scale,
				    int threads, spate_error *error);

#endif
