#include "bridge/vdb_points.h"

#ifdef SPATE_OPENVDB

#include "bridge/vdb_tools.hpp"

#pragma GCC visibility push(default)
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointDataGrid.h>
#include <openvdb/tools/PointIndexGrid.h>
#pragma GCC visibility pop

namespace
{

template <typename Type> void know_array()
{
	using array = openvdb::points::TypedAttributeArray<Type>;
	if (!array::isRegistered())
		array::registerType();
}

void know_points()
{
	static std::once_flag once;
	know_types();
	std::call_once(once, [] {
		if (!openvdb::points::PointDataGrid::isRegistered())
			openvdb::points::PointDataGrid::registerGrid();
		know_array<float>();
		know_array<int32_t>();
		know_array<int64_t>();
		know_array<openvdb::Vec3f>();
	});
}

// Positions as OpenVDB asks for them.
struct places
{
	using PosType = openvdb::Vec3f;
	using value_type = openvdb::Vec3f;
	const float *values;
	size_t count;

	size_t size() const
	{
		return count;
	}
	template <typename Vector> void getPos(size_t n, Vector &out) const
	{
		out = Vector(values[3 * n], values[3 * n + 1], values[3 * n + 2]);
	}
};

// Values of a channel: `part` of `stride` values per particle.
template <typename Type> struct channel_view
{
	using PosType = Type;
	using value_type = Type;
	const Type *values;
	size_t count;
	openvdb::Index stride;

	size_t size() const
	{
		return count;
	}
	void get(Type &out, size_t n, openvdb::Index part) const
	{
		out = values[n * stride + part];
	}
};

// Three floats and OpenVDB's vector of them lie in memory alike.
static_assert(sizeof(openvdb::Vec3f) == 3 * sizeof(float), "Vec3f is packed");

template <typename Type>
void add_channel(openvdb::points::PointDataTree &tree, const openvdb::tools::PointIndexTree &index,
		 const vdb_channel &channel, size_t count, openvdb::Index stride)
{
	const channel_view<Type> view{static_cast<const Type *>(channel.data), count, stride};
	openvdb::points::appendAttribute<Type>(tree, channel.name, openvdb::zeroVal<Type>(), stride);
	openvdb::points::populateAttribute(tree, index, channel.name, view, stride);
}

void add_any_channel(openvdb::points::PointDataTree &tree, const openvdb::tools::PointIndexTree &index,
		     const vdb_channel &channel, size_t count)
{
	switch (channel.type)
	{
	case SPATE_INT32:
		return add_channel<int32_t>(tree, index, channel, count, 1);
	case SPATE_INT64:
		return add_channel<int64_t>(tree, index, channel, count, 1);
	case SPATE_VEC3:
		return add_channel<openvdb::Vec3f>(tree, index, channel, count, 1);
	default:
		return add_channel<float>(tree, index, channel, count, spate_type_components(channel.type));
	}
}

} // namespace

spate_result vdb_write_points(const float *positions, uint32_t count, const double origin[3],
			      const vdb_channel *channels, uint32_t channel_count, double cell, int threads,
			      const vdb_facts *facts, const char *path, spate_error *error)
{
	return guarded(threads, path, error, [&] {
		know_points();
		auto transform = openvdb::math::Transform::createLinearTransform(cell);
		const places points{positions, count};
		auto index = openvdb::tools::createPointIndexGrid<openvdb::tools::PointIndexGrid>(points, *transform);
		auto grid =
		    openvdb::points::createPointDataGrid<openvdb::points::NullCodec, openvdb::points::PointDataGrid>(
			*index, points, *transform);
		// a grid without leaves has no attributes to add to
		for (uint32_t i = 0; i < channel_count && count > 0; i++)
			add_any_channel(grid->tree(), index->tree(), channels[i], count);
		grid->transform().postTranslate(openvdb::Vec3d(origin[0], origin[1], origin[2]));
		grid->setName("points");
		return write_grids(openvdb::GridCPtrVec{grid}, *facts, path, error);
	});
}

#else

#include "bridge/vdb_absent.hpp"

spate_result vdb_write_points(const float *, uint32_t, const double[3], const vdb_channel *, uint32_t, double, int,
			      const vdb_facts *, const char *, spate_error *error)
{
	return vdb_absent(error);
}

#endif
