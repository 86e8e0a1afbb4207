// read_points FILE: prints the points of a .vdb file as OpenVDB itself reads them, without anything of Spate: the metadata of the file, the
// names of the attributes with their types, then a line per point: its place in the world, then its attributes by name.
#define IMATH_HALF_NO_LOOKUP_TABLE
#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointCount.h>
#include <openvdb/points/PointDataGrid.h>

#include <cstdio>

using namespace openvdb;
using namespace openvdb::points;

template <typename Type> static bool print_as(const PointDataTree::LeafNodeType &leaf, const Name &name, Index point)
{
	const AttributeArray &array = leaf.constAttributeArray(name);
	if (array.valueType() != typeNameAsString<Type>())
		return false;
	AttributeHandle<Type> handle(array);
	for (Index k = 0; k < handle.stride(); k++)
	{
		Type value = handle.get(point, k);
		if constexpr (VecTraits<Type>::IsVec)
			std::printf(" %.9g %.9g %.9g", double(value[0]), double(value[1]), double(value[2]));
		else if constexpr (std::is_integral<Type>::value)
			std::printf(" %lld", (long long)value);
		else
			std::printf(" %.9g", double(value));
	}
	return true;
}

int main(int, char **arguments)
{
	initialize();
	io::File file(arguments[1]);
	file.open();
	auto about = file.getMetadata();
	for (auto it = about->beginMeta(); it != about->endMeta(); ++it)
		std::printf("%s=%s ", it->first.c_str(), it->second->str().c_str());
	auto grid = gridPtrCast<PointDataGrid>(file.readGrid("points"));
	std::printf("\n");
	if (auto leaf = grid->tree().cbeginLeaf())
		for (const auto &entry : leaf->attributeSet().descriptor().map())
			std::printf("%s:%s ", entry.first.c_str(),
				    leaf->attributeSet().get(entry.second)->valueType().c_str());
	std::printf("\n");
	for (auto leaf = grid->tree().cbeginLeaf(); leaf; ++leaf)
	{
		AttributeHandle<Vec3f> places(leaf->constAttributeArray("P"));
		for (auto point = leaf->beginIndexOn(); point; ++point)
		{
			Vec3d place = grid->indexToWorld(Vec3d(places.get(*point)) + point.getCoord().asVec3d());
			std::printf("%.12g %.12g %.12g", place[0], place[1], place[2]);
			for (const auto &entry : leaf->attributeSet().descriptor().map())
				if (entry.first != "P" && !print_as<float>(*leaf, entry.first, *point) &&
				    !print_as<int32_t>(*leaf, entry.first, *point) &&
				    !print_as<int64_t>(*leaf, entry.first, *point) &&
				    !print_as<Vec3f>(*leaf, entry.first, *point))
					return 1;
			std::printf("\n");
		}
	}
	return 0;
}
