#include "bridge/vdb.h"

#ifdef SPATE_OPENVDB

#include "bridge/vdb_nano.hpp"

#pragma GCC visibility push(default)
#include <openvdb/tools/Prune.h>
#pragma GCC visibility pop

namespace
{

// Every leaf with its values and mask, moved into a tree.
template <typename Grid, typename Value> void add_leaves(Grid &grid, const vdb_voxels &voxels, const Value *values)
{
	using Leaf = typename Grid::TreeType::LeafNodeType;
	for (uint32_t i = 0; i < voxels.leaf_count; i++)
	{
		const int32_t *at = voxels.origins + 3 * size_t(i);
		Leaf *leaf = new Leaf(openvdb::Coord(at[0], at[1], at[2]), grid.background(), false);
		std::memcpy(leaf->buffer().data(), values + size_t(i) * Leaf::SIZE, Leaf::SIZE * sizeof(Value));
		typename Leaf::NodeMaskType mask;
		for (openvdb::Index k = 0; k < Leaf::NodeMaskType::WORD_COUNT; k++)
			mask.template getWord<uint64_t>(k) =
			    voxels.active[size_t(i) * Leaf::NodeMaskType::WORD_COUNT + k];
		leaf->setValueMask(mask);
		grid.tree().addLeaf(leaf);
	}
}

void convert(vdb_grids &grids, const vdb_voxels &voxels)
{
	auto transform = openvdb::math::Transform::createLinearTransform(voxels.cell);
	openvdb::FloatGrid distance(voxels.background);
	distance.setTransform(transform);
	distance.setName("distance");
	add_leaves(distance, voxels, voxels.distance);
	for (uint32_t i = 0; i < voxels.tile_count; i++)
	{
		const int32_t *at = voxels.tiles + 3 * size_t(i);
		distance.tree().addTile(1, openvdb::Coord(at[0], at[1], at[2]), voxels.tile_value, false);
	}
	openvdb::tools::pruneTiles(distance.tree());
	openvdb::Int32Grid nearest(voxels.no_triangle);
	nearest.setTransform(transform);
	nearest.setName("nearest");
	add_leaves(nearest, voxels, voxels.nearest);
	flatten(distance, &grids.distance, &grids.distance_bytes);
	flatten(nearest, &grids.nearest, &grids.nearest_bytes);
}

} // namespace

int vdb_available(void)
{
	return 1;
}

spate_result vdb_convert(vdb_grids *grids, const vdb_voxels *voxels, int threads, spate_error *error)
{
	*grids = vdb_grids{};
	spate_result result = SPATE_OK;
	try
	{
		// more than there are would be told on stderr
		tbb::task_arena workers(std::max(1, std::min(threads, tbb::info::default_concurrency())));
		workers.execute([&] { convert(*grids, *voxels); });
	}
	catch (const std::bad_alloc &)
	{
		result = error_memory(error, size_t(voxels->leaf_count) * 4096);
	}
	catch (const std::exception &problem)
	{
		result = error_set(error, SPATE_INVALID, "OpenVDB cannot build the distance field: %s", problem.what());
	}
	catch (...)
	{
		result = error_set(error, SPATE_INVALID, "OpenVDB cannot build the distance field");
	}
	if (result != SPATE_OK)
	{
		mem_free(grids->distance);
		mem_free(grids->nearest);
		*grids = vdb_grids{};
	}
	return result;
}

#else

extern "C" {
#include "base/error.h"
}

int vdb_available(void)
{
	return 0;
}

spate_result vdb_convert(vdb_grids *grids, const vdb_voxels *, int, spate_error *error)
{
	*grids = vdb_grids{};
	return error_set(
	    error, SPATE_MISSING,
	    "this build has no OpenVDB, which distance fields of meshes need; install libopenvdb-dev libnanovdb-dev "
	    "libboost-dev libboost-iostreams-dev libtbb-dev (tools/install.sh run) and rebuild");
}

#endif
