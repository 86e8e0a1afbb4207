// Builds a field from a mesh: voxels, enclosed space, grids.
#include "base/array.h"
#include "base/build.h"
#include "base/error.h"
#include "bridge/vdb.h"
#include "collider/field_data.h"
#include "collider/field_sign.h"

#include <string.h>

int distance_field_available(void)
{
	return vdb_available();
}

spate_result field_check(const spate_mesh *mesh, const field_settings *settings, spate_error *error)
{
	if (!(settings->cell > 0.0f) || !isfinite(settings->cell))
		return error_set(error, SPATE_INVALID, "a distance field's cell must be larger than 0 m, not %g",
				 (double)settings->cell);
	if (!(settings->band >= settings->cell) || !(settings->band <= 1000.0f * settings->cell))
		return error_set(error, SPATE_INVALID, "a distance field's band must be 1 to 1000 cells wide, not %g",
				 (double)(settings->band / settings->cell));
	if (mesh->triangle_count == 0)
		return error_set(error, SPATE_INVALID, "a mesh without triangles has no distance field");
	if (mesh->triangle_count > INT32_MAX)
		return error_set(error, SPATE_INVALID, "a mesh of %u triangles is too large for a distance field",
				 mesh->triangle_count);
	for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
		if (!isfinite(mesh->positions[i]))
			return error_set(error, SPATE_INVALID, "vertex %zu of the mesh has a non-finite position",
					 i / 3);
	for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
		if (mesh->triangles[i] >= mesh->vertex_count)
			return error_set(error, SPATE_INVALID, "triangle %zu of the mesh refers to vertex %u of %u",
					 i / 3, mesh->triangles[i], mesh->vertex_count);
	return SPATE_OK;
}

// Bounding box of the triangles, extended by the band.
static void find_box(field_info *info, const spate_mesh *mesh)
{
	float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
	for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
		for (int k = 0; k < 3; k++)
		{
			float at = mesh->positions[3 * (size_t)mesh->triangles[i] + (size_t)k];
			low[k] = at < low[k] ? at : low[k];
			high[k] = at > high[k] ? at : high[k];
		}
	float band = info->settings.band;
	info->low = (vec3){low[0] - band, low[1] - band, low[2] - band};
	info->high = (vec3){high[0] + band, high[1] + band, high[2] + band};
}

spate_result field_begin(distance_field **field, const spate_mesh *mesh, const field_settings *settings,
			 spate_error *error)
{
	distance_field *f = mem_calloc(1, sizeof *f);
	if (!f)
		return error_memory(error, sizeof *f);
	f->info.settings = *settings;
	f->scale = 1.0 / (double)settings->cell;
	f->triangle_count = mesh->triangle_count;
	size_t positions = 3 * (size_t)mesh->vertex_count * sizeof *f->positions;
	size_t triangles = 3 * (size_t)mesh->triangle_count * sizeof *f->triangles;
	f->positions = mem_alloc(positions);
	f->triangles = mem_alloc(triangles);
	if (!f->positions || !f->triangles)
	{
		distance_field_destroy(f);
		return error_memory(error, positions + triangles);
	}
	memcpy(f->positions, mesh->positions, positions);
	memcpy(f->triangles, mesh->triangles, triangles);
	find_box(&f->info, mesh);
	*field = f;
	return SPATE_OK;
}

// Converts distances to signed metres and finds the voxels in the band. Leaves without any are left out of `origins`.
static uint32_t pack_leaves(voxel_grid *grid, const enclosure *e, const field_settings *settings, int32_t *origins,
			    uint64_t *active, uint64_t *voxels)
{
	uint32_t kept = 0;
	for (size_t leaf = 0; leaf < grid->leaf_count; leaf++)
	{
		uint64_t any = 0;
		for (size_t x = 0; x < BLOCK_WORDS; x++)
		{
			uint64_t bits = 0, inside = e->leaves ? e->leaves[leaf * BLOCK_WORDS + x] : 0;
			const float *from = grid->distance + leaf * BLOCK_VOXELS + x * 64;
			const int32_t *nearest = grid->nearest + leaf * BLOCK_VOXELS + x * 64;
			float *to = grid->distance + (size_t)kept * BLOCK_VOXELS + x * 64;
			for (int k = 0; k < 64; k++)
			{
				int within = nearest[k] != NO_TRIANGLE;
				bits |= (uint64_t)within << k;
				float size = within ? fminf(from[k] * settings->cell, settings->band) : settings->band;
				to[k] = inside >> k & 1 ? -size : size;
			}
			active[(size_t)kept * BLOCK_WORDS + x] = bits;
			*voxels += (uint64_t)__builtin_popcountll(bits);
			any |= bits;
		}
		if (!any)
			continue;
		memmove(grid->nearest + (size_t)kept * BLOCK_VOXELS, grid->nearest + leaf * BLOCK_VOXELS,
			BLOCK_VOXELS * sizeof *grid->nearest);
		int32_t *origin = origins + 3 * (size_t)kept++;
		voxel_grid_place(grid, grid->block_of[leaf], origin);
		for (int k = 0; k < 3; k++)
			origin[k] *= 8;
	}
	return kept;
}

typedef ARRAY(int32_t) place_list;

// Lists blocks that are enclosed and far from the surface. Returns 0 when out of memory.
static int list_tiles(const voxel_grid *grid, const enclosure *e, place_list *tiles)
{
	for (size_t block = 0; e->blocks && block < grid->block_count; block++)
	{
		int32_t leaf = grid->leaf_of[block], place[3];
		int inside = e->blocks[block];
		// a leaf without voxels in the band is entirely on one side
		if (leaf != NO_LEAF)
		{
			uint64_t seen = 0;
			for (size_t k = 0; k < BLOCK_VOXELS; k++)
				seen |= grid->nearest[(size_t)leaf * BLOCK_VOXELS + k] != NO_TRIANGLE;
			inside = !seen && (e->leaves[(size_t)leaf * BLOCK_WORDS] & 1);
		}
		if (!inside)
			continue;
		voxel_grid_place(grid, block, place);
		for (int k = 0; k < 3; k++)
			if (!array_push(tiles, place[k] * 8))
				return 0;
	}
	return 1;
}

static spate_result make_grids(distance_field *f, voxel_grid *grid, const enclosure *e, int threads, spate_error *error)
{
	const field_settings *settings = &f->info.settings;
	int32_t *origins = mem_alloc((size_t)grid->leaf_count * 3 * sizeof *origins + 4);
	uint64_t *active = mem_alloc((size_t)grid->leaf_count * BLOCK_WORDS * sizeof *active + 8);
	place_list tiles = {0};
	spate_result result = SPATE_OK;
	if (!origins || !active || !list_tiles(grid, e, &tiles))
		result = error_memory(error, (size_t)grid->leaf_count * 80);
	if (result == SPATE_OK)
	{
		uint32_t leaves = pack_leaves(grid, e, settings, origins, active, &f->info.voxels);
		vdb_voxels voxels = {.cell = (double)settings->cell,
				     .leaf_count = leaves,
				     .origins = origins,
				     .distance = grid->distance,
				     .nearest = grid->nearest,
				     .active = active,
				     .tile_count = (uint32_t)(tiles.count / 3),
				     .tiles = tiles.data,
				     .tile_value = -settings->band,
				     .background = settings->band,
				     .no_triangle = FIELD_NO_TRIANGLE};
		vdb_grids grids;
		result = vdb_convert(&grids, &voxels, threads, error);
		f->distance = f->blocks[0] = grids.distance;
		f->nearest = f->blocks[1] = grids.nearest;
		f->distance_bytes = grids.distance_bytes;
		f->nearest_bytes = grids.nearest_bytes;
		f->info.bytes = grids.distance_bytes + grids.nearest_bytes;
		f->info.encloses = e->any;
	}
	array_free(&tiles);
	mem_free(origins);
	mem_free(active);
	return result;
}

spate_result distance_field_create(distance_field **field, const spate_mesh *mesh, const field_settings *settings,
				   int threads, spate_error *error)
{
	*field = NULL;
	// report a build without OpenVDB before doing any work
	if (!vdb_available())
		return build_lack(SPATE_LIBRARY_OPENVDB, "distance fields of meshes need", error);
	spate_result result = field_check(mesh, settings, error);
	if (result != SPATE_OK)
		return result;
	distance_field *f = NULL;
	voxel_grid grid = {0};
	enclosure inside = {0};
	result = field_begin(&f, mesh, settings, error);
	if (result != SPATE_OK)
		return result;
	triangle_set all = {.mesh = mesh, .scale = f->scale, .count = mesh->triangle_count};
	result = voxel_grid_init(&grid, &all, settings->band / settings->cell, threads, error);
	if (result == SPATE_OK && settings->signed_too)
		result = enclosure_init(&inside, &grid, mesh, f->scale, threads, error);
	if (result == SPATE_OK && inside.any)
		result = enclosure_remove_walls(&inside, &grid, mesh, f->scale, threads, error);
	if (result == SPATE_OK)
		result = make_grids(f, &grid, &inside, threads, error);
	if (result == SPATE_OK)
		result = field_index(f, threads, error);
	enclosure_free(&inside);
	voxel_grid_free(&grid);
	if (result != SPATE_OK)
	{
		distance_field_destroy(f);
		return result;
	}
	*field = f;
	return SPATE_OK;
}
