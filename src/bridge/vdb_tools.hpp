// What the files of the bridge that use OpenVDB share. Only for C++, and only with SPATE_OPENVDB.
#ifndef BRIDGE_VDB_TOOLS_HPP
#define BRIDGE_VDB_TOOLS_HPP

#include "bridge/vdb_facts.h"

extern "C" {
#include "base/error.h"
}

// OpenVDB's templates have statics that this program and its library must share; hidden ones are two, and writing a file reads the one that
// nobody has set
#pragma GCC visibility push(default)
// half floats come with OpenVDB's headers; without their table nothing of libImath is needed
#define IMATH_HALF_NO_LOOKUP_TABLE
#include <openvdb/io/Archive.h>
#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>
#pragma GCC visibility pop

#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <mutex>
#include <new>

namespace
{

// Runs `work` on so many threads; what it throws becomes a sentence, and `problem` unless memory is short.
template <typename Work>
spate_result guarded(int threads, const char *path, spate_error *error, const Work &work,
		     spate_result problem = SPATE_IO)
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
	catch (const std::exception &thrown)
	{
		return error_set(error, problem, "%s: OpenVDB reports: %s", path, thrown.what());
	}
	catch (...)
	{
		return error_set(error, problem, "%s: OpenVDB failed", path);
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

// What our files and those with vectors hold, and no more: openvdb::initialize() also starts a logger that complains on stderr.
inline void know_types()
{
	static std::once_flag once;
	std::call_once(once, [] {
		if (!openvdb::FloatGrid::isRegistered())
			openvdb::FloatGrid::registerGrid();
		if (!openvdb::Vec3SGrid::isRegistered())
			openvdb::Vec3SGrid::registerGrid();
		know_map<openvdb::math::ScaleMap>();
		know_map<openvdb::math::UniformScaleMap>();
		know_map<openvdb::math::ScaleTranslateMap>();
		know_map<openvdb::math::UniformScaleTranslateMap>();
		know_map<openvdb::math::TranslationMap>();
		know_map<openvdb::math::AffineMap>();
		know_map<openvdb::math::UnitaryMap>();
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

// Reads a file all at once, without a copy of it to load from later.
inline void open_whole(openvdb::io::File &file)
{
	file.setCopyMaxBytes(0);
	file.open(false);
}

// OpenVDB's own file does not look whether what it writes gets to the disk.
struct checked_file : openvdb::io::Archive
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

// Writes grids and what is known about them. The caller renames the file.
inline spate_result write_grids(const openvdb::GridCPtrVec &grids, const vdb_facts &facts, const char *path,
				spate_error *error)
{
	openvdb::MetaMap about;
	about.insertMeta("made", openvdb::StringMetadata(facts.note));
	if (facts.frame >= 0)
	{
		about.insertMeta("frame", openvdb::Int64Metadata(facts.frame));
		about.insertMeta("time", openvdb::DoubleMetadata(facts.time));
	}
	if (facts.fps > 0.0)
		about.insertMeta("fps", openvdb::DoubleMetadata(facts.fps));
	if (!checked_file().write_to(path, grids, about))
		return error_set(error, SPATE_IO, "cannot write %s; is the disk full?", path);
	return SPATE_OK;
}

} // namespace

#endif
