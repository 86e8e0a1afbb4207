#include "bridge/vdb_vectors.h"

#ifdef SPATE_OPENVDB

#include "bridge/vdb_nano.hpp"

#include <cmath>
#include <string>

namespace
{

// Whatever goes wrong with a file, it is not one that can be read.
template <typename Work> spate_result tried(const char *path, spate_error *error, const Work &work)
{
	return guarded(1, path, error, work, SPATE_FORMAT);
}

// The type of a grid, empty for one that this program does not know.
std::string type_of(openvdb::io::File &file, const std::string &name)
{
	try
	{
		return file.readGridMetadata(name)->type();
	}
	catch (const openvdb::LookupError &)
	{
		return "";
	}
}

// The name to read, empty with an error.
std::string choose(openvdb::io::File &file, const char *path, const char *name, spate_error *error)
{
	std::string all, chosen;
	int vectors = 0;
	bool found = false;
	for (auto at = file.beginName(); at != file.endName(); ++at)
	{
		bool fits = type_of(file, at.gridName()) == openvdb::Vec3SGrid::gridType();
		all += (all.empty() ? "" : ", ") + at.gridName() + (fits ? " (vectors)" : "");
		found |= name && at.gridName() == name;
		if (fits && (!name || at.gridName() == name))
		{
			chosen = at.gridName();
			vectors++;
		}
	}
	if (vectors == 1)
		return chosen;
	const char *known = all.empty() ? "none" : all.c_str();
	if (name && found)
		error_set(error, SPATE_MISSING,
			  "the grid '%.60s' of %s has no vectors in single precision; its grids: %.200s", name, path,
			  known);
	else if (name)
		error_set(error, SPATE_MISSING, "%s has no grid '%.60s'; its grids: %.200s", path, name, known);
	else if (vectors == 0)
		error_set(error, SPATE_MISSING, "%s has no grid of vectors in single precision; its grids: %.200s",
			  path, known);
	else
		error_set(error, SPATE_MISSING,
			  "%s has several grids of vectors, so name one of them by 'grid': %.200s", path, known);
	return "";
}

spate_result take(const openvdb::Vec3SGrid &grid, const char *path, vdb_vectors *out, spate_error *error)
{
	if (!grid.transform().isLinear())
		return error_set(error, SPATE_FORMAT,
				 "the grid of %s has a frustum as its transform; only linear ones are read", path);
	auto inverse = grid.transform().baseMap()->getAffineMap()->getMat4().inverse();
	// rows of OpenVDB's matrices are columns of ours
	for (int k = 0; k < 3; k++)
		for (int j = 0; j < 4; j++)
			out->to_voxels[k][j] = inverse(j, k);
	auto box = grid.evalActiveVoxelBoundingBox();
	for (int k = 0; k < 3; k++)
	{
		out->low[k] = box.min()[(size_t)k];
		out->high[k] = box.max()[(size_t)k];
	}
	double square = 0.0;
	for (auto value = grid.cbeginValueOn(); value; ++value)
	{
		double own = double(value->lengthSqr());
		if (!std::isfinite(own))
			return error_set(error, SPATE_FORMAT, "the grid of %s has a vector that is not finite", path);
		square = std::max(square, own);
	}
	out->most = std::sqrt(square);
	flatten(grid, &out->grid, &out->bytes);
	return SPATE_OK;
}

} // namespace

spate_result vdb_read_vectors(const char *path, const char *name, vdb_vectors *out, spate_error *error)
{
	*out = vdb_vectors{};
	return tried(path, error, [&] {
		know_types();
		openvdb::io::File file(path);
		open_whole(file);
		std::string chosen = choose(file, path, name, error);
		if (chosen.empty())
			return SPATE_MISSING;
		return take(*openvdb::gridPtrCast<openvdb::Vec3SGrid>(file.readGrid(chosen)), path, out, error);
	});
}

spate_result vdb_find_vectors(const char *path, const char *name, spate_error *error)
{
	return tried(path, error, [&] {
		know_types();
		openvdb::io::File file(path);
		open_whole(file);
		return choose(file, path, name, error).empty() ? SPATE_MISSING : SPATE_OK;
	});
}

spate_result vdb_write_vectors(const char *path, const char *name, const int32_t low[3], const uint32_t size[3],
			       const float *vectors, double cell, const double origin[3], spate_error *error)
{
	return tried(path, error, [&] {
		know_types();
		auto grid = openvdb::Vec3SGrid::create();
		grid->setName(name);
		auto transform = openvdb::math::Transform::createLinearTransform(cell);
		transform->postTranslate(openvdb::Vec3d(origin[0], origin[1], origin[2]));
		grid->setTransform(transform);
		auto access = grid->getAccessor();
		for (uint32_t x = 0; x < size[0]; x++)
			for (uint32_t y = 0; y < size[1]; y++)
				for (uint32_t z = 0; z < size[2]; z++)
				{
					const float *v = vectors + 3 * ((size_t(x) * size[1] + y) * size[2] + z);
					if (v[0] != 0.0f || v[1] != 0.0f || v[2] != 0.0f)
						access.setValue(
						    openvdb::Coord(low[0] + int(x), low[1] + int(y), low[2] + int(z)),
						    openvdb::Vec3s(v[0], v[1], v[2]));
				}
		openvdb::io::File file(path);
		file.write(openvdb::GridPtrVec{grid});
		file.close();
		return SPATE_OK;
	});
}

#else

#include "bridge/vdb_absent.hpp"

spate_result vdb_read_vectors(const char *, const char *, vdb_vectors *out, spate_error *error)
{
	*out = vdb_vectors{};
	return vdb_absent(error);
}

spate_result vdb_find_vectors(const char *, const char *, spate_error *error)
{
	return vdb_absent(error);
}

spate_result vdb_write_vectors(const char *, const char *, const int32_t[3], const uint32_t[3], const float *, double,
			       const double[3], spate_error *error)
{
	return vdb_absent(error);
}

#endif
