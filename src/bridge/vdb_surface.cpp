#include "bridge/vdb_surface.h"

#include <cstdio>

#ifdef SPATE_OPENVDB

#include "bridge/vdb_tools.hpp"

#pragma GCC visibility push(default)
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/ParticlesToLevelSet.h>
#include <openvdb/tools/VolumeToMesh.h>
#pragma GCC visibility pop

#include <chrono>
#include <vector>

namespace
{

const float half_width = 3.0f; // voxels

openvdb::FloatGrid::Ptr first_floats(openvdb::io::File &file)
{
	open_whole(file);
	for (auto name = file.beginName(); name != file.endName(); ++name)
		if (file.readGridMetadata(name.gridName())->isType<openvdb::FloatGrid>())
			return openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid(name.gridName()));
	return nullptr;
}

void describe(const openvdb::FloatGrid &grid, vdb_file_info *info)
{
	*info = vdb_file_info{};
	std::snprintf(info->name, sizeof info->name, "%s", grid.getName().c_str());
	info->level_set = grid.getGridClass() == openvdb::GRID_LEVEL_SET;
	info->cell = grid.voxelSize()[0];
	info->voxels = grid.activeVoxelCount();
	info->background = grid.background();
	if (info->voxels == 0)
		return;
	auto box = grid.evalActiveVoxelBoundingBox();
	auto low = grid.indexToWorld(box.min()), high = grid.indexToWorld(box.max());
	for (int k = 0; k < 3; k++)
	{
		info->low[k] = low[k];
		info->high[k] = high[k];
	}
}

// Particles as OpenVDB asks for them.
struct particle_view
{
	using PosType = openvdb::Vec3R;
	const float *positions;
	uint32_t count, stride;

	size_t size() const
	{
		return count;
	}
	void getPos(size_t n, openvdb::Vec3R &out) const
	{
		const float *p = positions + n * stride;
		out = openvdb::Vec3R(p[0], p[1], p[2]);
	}
};

double now()
{
	return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void time_surface(const particle_view &particles, double radius, double cell, vdb_surface_times *times)
{
	double begin = now();
	auto grid = openvdb::createLevelSet<openvdb::FloatGrid>(float(cell), half_width);
	{
		openvdb::tools::ParticlesToLevelSet<openvdb::FloatGrid> raster(*grid);
		raster.setGrainSize(1000);
		// balls of less than 1.5 voxels would be left out
		raster.setRmin(0.0);
		raster.rasterizeSpheres(particles, radius);
		raster.finalize(true);
	}
	double middle = now();
	std::vector<openvdb::Vec3s> points;
	std::vector<openvdb::Vec3I> triangles;
	std::vector<openvdb::Vec4I> quads;
	openvdb::tools::volumeToMesh(*grid, points, triangles, quads);
	times->level_set = middle - begin;
	times->mesh = now() - middle;
	times->voxels = grid->activeVoxelCount();
	times->vertices = points.size();
	times->triangles = triangles.size() + 2 * quads.size();
}

} // namespace

spate_result vdb_read_level_set(const char *path, vdb_file_info *info, const double *places, uint32_t count,
				float *values, spate_error *error)
{
	return guarded(1, path, error, [&] {
		know_types();
		openvdb::io::File file(path);
		auto grid = first_floats(file);
		if (!grid)
			return error_set(error, SPATE_FORMAT, "%s has no float grid", path);
		describe(*grid, info);
		openvdb::tools::GridSampler<openvdb::FloatGrid, openvdb::tools::BoxSampler> sampler(*grid);
		for (uint32_t i = 0; i < count; i++)
			values[i] =
			    sampler.wsSample(openvdb::Vec3d(places[3 * i], places[3 * i + 1], places[3 * i + 2]));
		return SPATE_OK;
	});
}

spate_result vdb_time_surface(const float *positions, uint32_t count, uint32_t stride, double radius, double cell,
			      int threads, vdb_surface_times *times, spate_error *error)
{
	*times = vdb_surface_times{};
	return guarded(threads, "particles", error, [&] {
		time_surface(particle_view{positions, count, stride}, radius, cell, times);
		return SPATE_OK;
	});
}

#else

#include "bridge/vdb_absent.hpp"

spate_result vdb_read_level_set(const char *, vdb_file_info *info, const double *, uint32_t, float *,
				spate_error *error)
{
	*info = vdb_file_info{};
	return vdb_absent(error);
}

spate_result vdb_time_surface(const float *, uint32_t, uint32_t, double, double, int, vdb_surface_times *times,
			      spate_error *error)
{
	*times = vdb_surface_times{};
	return vdb_absent(error);
}

#endif
