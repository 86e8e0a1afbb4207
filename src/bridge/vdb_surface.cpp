#include "bridge/vdb_surface.h"

#include <cstdio>
#include <cstring>

extern "C" {
#include "base/error.h"
}

#ifdef SPATE_OPENVDB

// OpenVDB's templates have statics that this program and its library must share; hidden ones are two, and writing a file reads the one that
// nobody has set
#pragma GCC visibility push(default)
// half floats come with OpenVDB's headers; without their table nothing of libImath is needed
#define IMATH_HALF_NO_LOOKUP_TABLE
#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/ParticlesToLevelSet.h>
#include <openvdb/tools/VolumeToMesh.h>
#pragma GCC visibility pop

#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <mutex>
#include <new>
#include <vector>

namespace
{

const float half_width = 3.0f; // voxels

// Runs `work` on so many threads; what it throws becomes a sentence.
template <typename Work> spate_result guarded(int threads, const char *path, spate_error *error, const Work &work)
{
	try
	{
		// more than there are would be told on stderr
		tbb::task_arena workers(std::max(1, std::min(threads, tbb::info::default_concurrency())));
		return workers.execute(work);
	}
	catch (const std::bad_alloc &)
	{
		return error_set(error, SPATE_MEMORY, "out of memory in OpenVDB at %s", path);
	}
	catch (const std::exception &problem)
	{
		return error_set(error, SPATE_IO, "%s: OpenVDB reports: %s", path, problem.what());
	}
	catch (...)
	{
		return error_set(error, SPATE_IO, "%s: OpenVDB failed", path);
	}
}

template <typename Type> void know_metadata(const char *name)
{
	if (!openvdb::Metadata::isRegisteredType(name))
		Type::registerType();
}

template <typename Map> void know_map()
{
	if (!openvdb::math::MapRegistry::isRegistered(Map::mapType()))
		Map::registerMap();
}

// What our files hold, and no more: openvdb::initialize() also starts a logger that complains on stderr.
void know_types()
{
	static std::once_flag once;
	std::call_once(once, [] {
		if (!openvdb::FloatGrid::isRegistered())
			openvdb::FloatGrid::registerGrid();
		know_map<openvdb::math::ScaleMap>();
		know_map<openvdb::math::UniformScaleMap>();
		know_map<openvdb::math::ScaleTranslateMap>();
		know_map<openvdb::math::UniformScaleTranslateMap>();
		know_map<openvdb::math::TranslationMap>();
		know_map<openvdb::math::AffineMap>();
		know_metadata<openvdb::StringMetadata>("string");
		know_metadata<openvdb::BoolMetadata>("bool");
		know_metadata<openvdb::Int32Metadata>("int32");
		know_metadata<openvdb::Int64Metadata>("int64");
		know_metadata<openvdb::FloatMetadata>("float");
		know_metadata<openvdb::DoubleMetadata>("double");
		know_metadata<openvdb::Vec3IMetadata>("vec3i");
		know_metadata<openvdb::Vec3SMetadata>("vec3s");
		know_metadata<openvdb::Vec3DMetadata>("vec3d");
	});
}

// A mesh as OpenVDB asks for it: corners in voxels.
struct mesh_view
{
	const spate_mesh &mesh;
	double scale; // voxels per metre

	size_t polygonCount() const
	{
		return mesh.triangle_count;
	}
	size_t pointCount() const
	{
		return mesh.vertex_count;
	}
	size_t vertexCount(size_t) const
	{
		return 3;
	}
	void getIndexSpacePoint(size_t triangle, size_t corner, openvdb::Vec3d &out) const
	{
		const float *p = mesh.positions + 3 * size_t(mesh.triangles[3 * triangle + corner]);
		out = openvdb::Vec3d(p[0], p[1], p[2]) * scale;
	}
};

openvdb::FloatGrid::Ptr level_set_of(const spate_mesh &mesh, const double origin[3], double cell)
{
	auto transform = openvdb::math::Transform::createLinearTransform(cell);
	openvdb::FloatGrid::Ptr grid;
	if (mesh.triangle_count > 0)
		grid = openvdb::tools::meshToVolume<openvdb::FloatGrid>(mesh_view{mesh, 1.0 / cell}, *transform,
									half_width, half_width);
	else
	{
		grid = openvdb::FloatGrid::create(half_width * float(cell));
		grid->setTransform(transform);
	}
	grid->transform().postTranslate(openvdb::Vec3d(origin[0], origin[1], origin[2]));
	grid->setGridClass(openvdb::GRID_LEVEL_SET);
	grid->setName("surface");
	return grid;
}

// OpenVDB's own file does not look whether what it writes gets to the disk.
struct level_set_file : openvdb::io::Archive
{
	using openvdb::io::Archive::write;

	bool write_to(const char *path, const openvdb::GridCPtrVec &grids, const openvdb::MetaMap &about) const
	{
		std::ofstream out(path, std::ios::binary | std::ios::trunc);
		write(out, grids, true, about);
		out.close();
		return bool(out);
	}
};

openvdb::FloatGrid::Ptr first_floats(openvdb::io::File &file)
{
	// all at once, without a copy of the file to load from later
	file.setCopyMaxBytes(0);
	file.open(false);
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

spate_result vdb_write_level_set(const spate_mesh *mesh, const double origin[3], double cell, int threads,
				 const char *note, const char *path, spate_error *error)
{
	return guarded(threads, path, error, [&] {
		know_types();
		openvdb::GridCPtrVec grids{level_set_of(*mesh, origin, cell)};
		openvdb::MetaMap about;
		about.insertMeta("made", openvdb::StringMetadata(note));
		if (!level_set_file().write_to(path, grids, about))
			return error_set(error, SPATE_IO, "cannot write %s; is the disk full?", path);
		return SPATE_OK;
	});
}

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

static spate_result absent(spate_error *error)
{
	return error_set(error, SPATE_MISSING,
			 "this build has no OpenVDB, which .vdb files need; install libopenvdb-dev libnanovdb-dev "
			 "libboost-dev libboost-iostreams-dev libtbb-dev (tools/install.sh run) and rebuild");
}

spate_result vdb_write_level_set(const spate_mesh *, const double[3], double, int, const char *, const char *,
				 spate_error *error)
{
	return absent(error);
}

spate_result vdb_read_level_set(const char *, vdb_file_info *info, const double *, uint32_t, float *,
				spate_error *error)
{
	*info = vdb_file_info{};
	return absent(error);
}

spate_result vdb_time_surface(const float *, uint32_t, uint32_t, double, double, int, vdb_surface_times *times,
			      spate_error *error)
{
	*times = vdb_surface_times{};
	return absent(error);
}

#endif
