// NanoVDB grids as blocks of our own. Only for C++, and only with SPATE_OPENVDB.
#ifndef BRIDGE_VDB_NANO_HPP
#define BRIDGE_VDB_NANO_HPP

#include "bridge/vdb_tools.hpp"

extern "C" {
#include "base/memory.h"
}

#pragma GCC visibility push(default)
#define NANOVDB_USE_TBB
#include <nanovdb/util/OpenToNanoVDB.h>
#pragma GCC visibility pop

#include <cstring>

namespace
{

// The caller frees the block with mem_free(); throws when out of memory.
template <typename Grid> void flatten(const Grid &grid, void **block, size_t *bytes)
{
	auto handle = nanovdb::openToNanoVDB(grid, nanovdb::StatsMode::BBox, nanovdb::ChecksumMode::Disable);
	*bytes = handle.size();
	*block = mem_alloc(*bytes);
	if (!*block)
		throw std::bad_alloc();
	std::memcpy(*block, handle.data(), *bytes);
}

} // namespace

#endif
