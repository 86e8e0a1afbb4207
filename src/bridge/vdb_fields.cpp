#include "bridge/vdb_fields.h"

#ifdef SPATE_OPENVDB

#include "bridge/vdb_tools.hpp"

#pragma GCC visibility push(default)
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/Morphology.h>
#pragma GCC visibility pop

#include <cmath>
#include <vector>

namespace
{

const float half_width = 3.0f; // voxels

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

// ---------------------------------------------------------------------------------------------------- particles to voxels

const double kernel_reach = 1.5; // widths of the quadratic B-spline, to either side
const int most_nodes = 128;      // along an axis

// Weights of a particle at the voxels along one axis: a quadratic B-spline, whose sum is one.
struct axis_weights
{
	int first, count;
	float weight[most_nodes];

	// Both in voxels.
	void set(double place, double width)
	{
		double sum = 0.0, values[most_nodes];
		first = int(std::ceil(place - kernel_reach * width));
		count = 0;
		for (; count < most_nodes; count++)
		{
			double x = std::abs(first + count - place) / width;
			if (first + count - place > 0.0 && x >= kernel_reach)
				break;
			values[count] = x < 0.5            ? 0.75 - x * x
					: x < kernel_reach ? 0.5 * (kernel_reach - x) * (kernel_reach - x)
							   : 0.0;
			sum += values[count];
		}
		for (int i = 0; i < count; i++)
			weight[i] = float(values[i] / sum);
	}
};

// Shares of liquid and the momentum that belongs to them, per voxel.
struct voxels
{
	openvdb::FloatGrid::Ptr shares = openvdb::FloatGrid::create(0.0f);
	openvdb::Vec3SGrid::Ptr velocity = openvdb::Vec3SGrid::create(openvdb::Vec3f(0.0f));
};

// One after the other, so that the sums have the same bits on any number of threads.
voxels spread(const vdb_liquid &liquid, double cell)
{
	voxels out;
	auto shares = out.shares->getAccessor();
	auto momenta = out.velocity->getAccessor();
	axis_weights axes[3];
	for (size_t p = 0; p < liquid.count; p++)
	{
		const double spacing = 2.0 * double(liquid.radii[p]), width = std::max(spacing / cell, 1.0);
		const float volume = float(std::pow(spacing / cell, 3.0));
		const float *place = liquid.positions + 3 * p;
		if (!(volume > 0.0f) || !std::isfinite(place[0] + place[1] + place[2]))
			continue;
		const openvdb::Vec3f velocity =
		    liquid.velocities ? openvdb::Vec3f(liquid.velocities + 3 * p) : openvdb::Vec3f(0.0f);
		for (int k = 0; k < 3; k++)
			axes[k].set(double(place[k]) / cell, width);
		for (int i = 0; i < axes[0].count; i++)
			for (int j = 0; j < axes[1].count; j++)
				for (int k = 0; k < axes[2].count; k++)
				{
					const float share =
					    volume * axes[0].weight[i] * axes[1].weight[j] * axes[2].weight[k];
					const openvdb::Coord at(axes[0].first + i, axes[1].first + j,
								axes[2].first + k);
					const auto offset = openvdb::FloatTree::LeafNodeType::coordToOffset(at);
					if (!(share > 0.0f))
						continue;
					auto *leaf = shares.touchLeaf(at);
					leaf->setValueOn(offset, leaf->getValue(offset) + share);
					if (!liquid.velocities)
						continue;
					auto *own = momenta.touchLeaf(at);
					own->setValueOn(offset, own->getValue(offset) + velocity * share);
				}
	}
	// momentum becomes velocity
	for (auto leaf = out.velocity->tree().beginLeaf(); leaf; ++leaf)
	{
		const auto *own = out.shares->tree().probeConstLeaf(leaf->origin());
		for (auto value = leaf->beginValueOn(); value; ++value)
			value.setValue(*value / own->getValue(value.pos()));
	}
	return out;
}

template <typename Grid> void finish(Grid &grid, const char *name, double cell, const double origin[3])
{
	grid.setTransform(openvdb::math::Transform::createLinearTransform(cell));
	grid.transform().postTranslate(openvdb::Vec3d(origin[0], origin[1], origin[2]));
	grid.setName(name);
}

void finish_velocity(openvdb::Vec3SGrid &grid, double cell, const double origin[3])
{
	finish(grid, "velocity", cell, origin);
	// it is turned and scaled with the liquid, but not moved
	grid.setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
}

// Gives the voxels of the level set that no particle reaches the mean velocity of those around them, from the liquid outwards.
void extend(openvdb::Vec3SGrid &velocity, const openvdb::FloatGrid &surface)
{
	std::vector<openvdb::Coord> missing;
	auto known = velocity.getAccessor();
	for (auto value = surface.cbeginValueOn(); value; ++value)
		if (!known.isValueOn(value.getCoord()))
			missing.push_back(value.getCoord());
	std::vector<std::pair<openvdb::Coord, openvdb::Vec3f>> found;
	do
	{
		std::vector<openvdb::Coord> left;
		found.clear();
		for (const auto &at : missing)
		{
			openvdb::Vec3f sum(0.0f);
			float count = 0.0f;
			for (int n = 0; n < 27; n++)
			{
				openvdb::Vec3f near;
				if (known.probeValue(at.offsetBy(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1), near))
				{
					sum += near;
					count += 1.0f;
				}
			}
			if (count > 0.0f)
				found.emplace_back(at, sum / count);
			else
				left.push_back(at);
		}
		for (const auto &one : found)
			known.setValueOn(one.first, one.second);
		missing.swap(left);
	} while (!found.empty() && !missing.empty());
}

} // namespace

spate_result vdb_write_fog(const vdb_liquid *liquid, double cell, int threads, const vdb_facts *facts, const char *path,
			   spate_error *error)
{
	return guarded(threads, path, error, [&] {
		know_types();
		auto fog = spread(*liquid, cell);
		finish(*fog.shares, "density", cell, liquid->origin);
		fog.shares->setGridClass(openvdb::GRID_FOG_VOLUME);
		openvdb::GridCPtrVec grids{fog.shares};
		finish_velocity(*fog.velocity, cell, liquid->origin);
		if (liquid->velocities)
			grids.push_back(fog.velocity);
		return write_grids(grids, *facts, path, error);
	});
}

spate_result vdb_write_level_set(const spate_mesh *mesh, const double origin[3], const vdb_liquid *liquid, double cell,
				 int threads, const vdb_facts *facts, const char *path, spate_error *error)
{
	return guarded(threads, path, error, [&] {
		know_types();
		auto surface = level_set_of(*mesh, origin, cell);
		openvdb::GridCPtrVec grids{surface};
		if (liquid && liquid->velocities)
		{
			auto velocity = spread(*liquid, cell).velocity;
			extend(*velocity, *surface);
			finish_velocity(*velocity, cell, origin);
			grids.push_back(velocity);
		}
		return write_grids(grids, *facts, path, error);
	});
}

#else

#include "bridge/vdb_absent.hpp"

spate_result vdb_write_fog(const vdb_liquid *, double, int, const vdb_facts *, const char *, spate_error *error)
{
	return vdb_absent(error);
}

spate_result vdb_write_level_set(const spate_mesh *, const double[3], const vdb_liquid *, double, int,
				 const vdb_facts *, const char *, spate_error *error)
{
	return vdb_absent(error);
}

#endif
