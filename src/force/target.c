// Target: drag towards the velocities of a grid of vectors in a .vdb file, interpolated linearly. Only active voxels count: at the edge of what
// the grid covers the rate of drag fades, and the velocity is that of the covered part.
#include "bridge/vdb_vectors.h"

#include "base/error.h"
#include "base/memory.h"
#include "force/relax.h"

enum
{
	RATE // of `values`
};

static void unmake(void *asset)
{
	vdb_vectors *v = asset;
	if (v)
		mem_free(v->grid);
	mem_free(v);
}

static spate_result make(const spate_force_def *own, void **asset, spate_error *error)
{
	vdb_vectors *v = mem_calloc(1, sizeof *v);
	*asset = v;
	if (!v)
		return error_memory(error, sizeof *v);
	return vdb_read_vectors(own->field, own->grid, v, error);
}

static int setup(const spate_world_def *def, const spate_force_def *own, double *values)
{
	(void)def;
	values[RATE] = own->drag;
	return own->drag > 0.0;
}

static force_bound bound(const force_entry *force, double speed)
{
	(void)speed;
	const vdb_vectors *v = force->asset;
	return (force_bound){.rate = force->values[RATE], .flow = v ? v->most : 0.0};
}

#ifdef SPATE_OPENVDB

#define PNANOVDB_C
#include <nanovdb/PNanoVDB.h>

// One grid, and the nodes that were visited last.
typedef struct sampler
{
	pnanovdb_buf_t buffer;
	pnanovdb_readaccessor_t accessor;
} sampler;

static sampler sampler_make(const void *grid, size_t bytes)
{
	// the PNanoVDB header takes non-const pointers, even for reading
	union
	{
		const void *constant;
		uint32_t *words;
	} memory = {.constant = grid};
	sampler s = {.buffer = pnanovdb_make_buf(memory.words, bytes / 4)};
	pnanovdb_grid_handle_t handle = {pnanovdb_address_null()};
	pnanovdb_root_handle_t root = pnanovdb_tree_get_root(s.buffer, pnanovdb_grid_get_tree(s.buffer, handle));
	pnanovdb_readaccessor_init(&s.accessor, root);
	return s;
}

// Adds the vector of an active voxel.
static void add_voxel(sampler *s, const int32_t at[3], float weight, vec4 *sum)
{
	pnanovdb_coord_t ijk = {at[0], at[1], at[2]};
	if (!(weight > 0.0f) ||
	    !pnanovdb_readaccessor_is_active(PNANOVDB_GRID_TYPE_VEC3F, s->buffer, &s->accessor, &ijk))
		return;
	pnanovdb_address_t address =
	    pnanovdb_readaccessor_get_value_address(PNANOVDB_GRID_TYPE_VEC3F, s->buffer, &s->accessor, &ijk);
	float v[3];
	for (uint32_t k = 0; k < 3; k++)
		v[k] = pnanovdb_read_float(s->buffer, pnanovdb_address_offset(address, 4 * k));
	*sum = (vec4){sum->x + weight * v[0], sum->y + weight * v[1], sum->z + weight * v[2], sum->w + weight};
}

// The sum of the eight voxels around a place, and in w how much of it is covered.
static vec4 sample(const vdb_vectors *grid, sampler *s, const double place[3])
{
	vec4 sum = {0, 0, 0, 0};
	int32_t base[3];
	float part[3];
	for (int k = 0; k < 3; k++)
	{
		const double *m = grid->to_voxels[k];
		double at = m[0] * place[0] + m[1] * place[1] + m[2] * place[2] + m[3], first = floor(at);
		if (!(at > grid->low[k] - 1.0 && at < grid->high[k] + 1.0))
			return sum;
		base[k] = (int32_t)first;
		part[k] = (float)(at - first);
	}
	for (int corner = 0; corner < 8; corner++)
	{
		const int step[3] = {corner >> 2, corner >> 1 & 1, corner & 1};
		float weight = 1.0f;
		int32_t at[3];
		for (int k = 0; k < 3; k++)
		{
			weight *= step[k] ? part[k] : 1.0f - part[k];
			at[k] = base[k] + step[k];
		}
		add_voxel(s, at, weight, &sum);
	}
	return sum;
}

static void accelerate(const force_entry *force, const force_rows *rows, const float *weights, const force_sum *sum)
{
	const vdb_vectors *grid = force->asset;
	sampler s = sampler_make(grid->grid, grid->bytes);
	for (size_t row = 0; row < rows->count; row++)
	{
		vec4 x = rows->positions[row];
		const double place[3] = {(double)x.x + rows->origin[0], (double)x.y + rows->origin[1],
					 (double)x.z + rows->origin[2]};
		if (!(weights[row] > 0.0f))
			continue;
		vec4 v = sample(grid, &s, place);
		if (v.w > 0.0f)
			relax_row(rows, sum, row, weights[row] * v.w, vec3_scale(vec3_make(v.x, v.y, v.z), 1.0f / v.w),
				  force->values[RATE], 0.0);
	}
}

#else

// Without OpenVDB no grid is read, and make() has failed.
static void accelerate(const force_entry *force, const force_rows *rows, const float *weights, const force_sum *sum)
{
	(void)force, (void)rows, (void)weights, (void)sum;
}

#endif

static const char *problem(const spate_force_def *own)
{
	return own->field && own->field[0] ? NULL : "it has no field";
}

const force_type force_target = {
    .setup = setup, .bound = bound, .accelerate = accelerate, .problem = problem, .make = make, .unmake = unmake};
