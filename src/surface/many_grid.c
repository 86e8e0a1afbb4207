// Labels on the sparse grid.
//
// A point is liquid where the function of all particles together says so: the surface towards air is that of a single
// liquid, and there is never a film of air between two fluids that touch. The fluid with the largest function of its
// own owns the point; these functions are computed only in blocks where several fluids have particles near. They are
// sums of kernels with each fluid's own weights, which preserve most of the volume of a drop inside another fluid.
// Distances from means would not: they are small in the middle of a hole too. Each fluid's share of the total sum is
// compared, because sums fade above a free surface and shares do not, so the owner is as well defined in air as in
// liquid.
#include "surface/many.h"

#include "base/error.h"
#include "base/parallel.h"

#include <stdatomic.h>
#include <string.h>

enum
{
	BLOCKS_PER_TASK = 16
};

// Smaller sums of kernels are rounding errors.
#define LEAST_SUM 1e-5f

void many_grid_free(many_grid *grid)
{
	surface_blocks_free(&grid->blocks);
	mem_free(grid->near);
	mem_free(grid->first);
	mem_free(grid->values);
	mem_free(grid->labels);
	*grid = (many_grid){0};
}

// Marks particles near the common surface as near their fluid's surface too, so that each fluid's own blocks reach as
// far.
static spate_result share_borders(const many_build *build, spate_error *error)
{
	uint32_t total = build->first[build->fluids];
	uint8_t *border = mem_calloc((size_t)total + 1, 1);
	if (!border)
		return error_memory(error, total);
	const surface_points *all = &build->all.points;
	for (uint32_t i = 0; i < all->count; i++)
		border[all->source[i]] = all->border[i];
	for (uint32_t k = 0; k < build->fluids; k++)
	{
		surface_points *points = &build->each[k].points;
		for (uint32_t i = 0; i < points->count; i++)
			points->border[i] |= border[build->first[k] + points->source[i]];
	}
	mem_free(border);
	return SPATE_OK;
}

// Finds the fluids near each block.
static spate_result find_near(many_grid *grid, const many_build *build, spate_error *error)
{
	spate_result result = share_borders(build, error);
	for (uint32_t k = 0; result == SPATE_OK && k < build->fluids; k++)
	{
		surface_blocks own = {0};
		result = surface_blocks_init(&own, &build->each[k].field, build->all.threads, error);
		for (uint32_t b = 0; result == SPATE_OK && own.count && b < grid->blocks.count; b++)
			if (surface_blocks_find(&own, surface_blocks_coord(&grid->blocks, b)) != BLOCK_NONE)
				grid->near[b] |= (uint16_t)(1u << k);
		surface_blocks_free(&own);
	}
	// with different spacings, the coarsest makes the common grid reach further than the finer fluids do: allow all
	// fluids
	for (uint32_t b = 0; b < grid->blocks.count; b++)
		if (!grid->near[b])
			grid->near[b] = (uint16_t)((1u << build->fluids) - 1);
	return result;
}

// The values of a block with several fluids near; NULL if there is only one.
static float *values_of(const many_grid *grid, uint32_t block)
{
	return grid->first[block] == BLOCK_NONE ? NULL : grid->values + (size_t)grid->first[block] * GRID_POINTS;
}

// The functions at a point of a block, for labels_classify(): the strongest fluid gets the common function, the others
// less.
static void sample_point(const many_grid *grid, uint32_t block, uint32_t point, float *phi)
{
	uint32_t slot = grid->blocks.slot[block];
	float depth =
	    slot == BLOCK_NONE ? (float)grid->blocks.cell : -grid->blocks.values[(size_t)slot * GRID_POINTS + point];
	const float *values = values_of(grid, block);
	float most = 0.0f;
	for (uint32_t k = 0; k < grid->fluids; k++)
	{
		phi[k] = 0.0f;
		if (grid->near[block] >> k & 1)
		{
			phi[k] = values ? values[point] : 1.0f;
			values = values ? values + GRID_POINTS : NULL;
		}
		most = fmaxf(most, phi[k]);
	}
	for (uint32_t k = 0; k < grid->fluids; k++)
		phi[k] = depth + (phi[k] - most) * (float)grid->blocks.cell;
}

typedef struct grid_job
{
	many_grid *grid;
	const many_build *build;
	_Atomic int failed;
} grid_job;

// Converts functions in metres, negative inside, back to sums of kernels, 1 deep in a fluid.
static void restore_sums(const surface_field *field, float *values)
{
	float scale = field->scale.slope / field->points->spacing;
	for (int i = 0; i < GRID_POINTS; i++)
		values[i] = fmaxf(field->scale.level - values[i] * scale, 0.0f);
}

// Turns the sums of `count` fluids into shares; all 0 where the total is 0.
static void find_shares(float *sums, int count)
{
	for (int i = 0; i < GRID_POINTS; i++)
	{
		float all = 0.0f;
		for (int k = 0; k < count; k++)
			all += sums[k * GRID_POINTS + i];
		for (int k = 0; k < count; k++)
			sums[k * GRID_POINTS + i] = all > LEAST_SUM ? sums[k * GRID_POINTS + i] / all : 0.0f;
	}
}

static void compute_blocks(void *context, size_t begin, size_t end, int thread)
{
	grid_job *job = context;
	many_grid *grid = job->grid;
	for (size_t b = begin; b < end; b++)
	{
		double origin[3];
		surface_blocks_origin(&grid->blocks, surface_blocks_coord(&grid->blocks, (uint32_t)b), origin);
		float *sums = values_of(grid, (uint32_t)b), *out = sums;
		for (uint32_t k = 0; sums && k < grid->fluids; k++)
		{
			if (!(grid->near[b] >> k & 1))
				continue;
			const surface_build *each = &job->build->each[k];
			if (!each->points.count)
				memset(out, 0, GRID_POINTS * sizeof *out);
			else if (!field_block(&each->field, &job->build->all.scratch[thread], origin, out))
			{
				atomic_store(&job->failed, 1);
				return;
			}
			else
				restore_sums(&each->field, out);
			out += GRID_POINTS;
		}
		if (sums)
			find_shares(sums, __builtin_popcount(grid->near[b]));
		float phi[SPATE_SURFACE_MAX_FLUIDS];
		for (uint32_t i = 0; i < GRID_POINTS; i++)
		{
			sample_point(grid, (uint32_t)b, i, phi);
			grid->labels[b * GRID_POINTS + i] = labels_classify(LABELS_STRONGEST, grid->fluids, phi);
		}
	}
}

static spate_result compute_values(many_grid *grid, const many_build *build, spate_error *error)
{
	size_t total = 0;
	for (uint32_t b = 0; b < grid->blocks.count; b++)
	{
		uint32_t count = (uint32_t)__builtin_popcount(grid->near[b]);
		grid->first[b] = count > 1 ? (uint32_t)total : BLOCK_NONE;
		total += count > 1 ? count : 0;
	}
	if (total >= BLOCK_NONE)
		return error_set(error, SPATE_RANGE, "the interfaces need %zu blocks of values, more than there can be",
				 total);
	grid->values = mem_alloc(mem_product(total + 1, GRID_POINTS * sizeof(float)));
	if (!grid->values)
		return error_memory(error, total * GRID_POINTS * sizeof(float));
	grid_job job = {.grid = grid, .build = build};
	parallel_for(build->all.threads, grid->blocks.count, BLOCKS_PER_TASK, compute_blocks, &job);
	return job.failed ? error_memory(error, GRID_POINTS * sizeof(float)) : SPATE_OK;
}

spate_result many_grid_init(many_grid *grid, const many_build *build, spate_error *error)
{
	const surface_build *all = &build->all;
	*grid = (many_grid){.fluids = build->fluids};
	spate_result result = surface_blocks_init(&grid->blocks, &all->field, all->threads, error);
	if (result == SPATE_OK)
		result = surface_blocks_compute(&grid->blocks, &all->field, all->scratch, all->threads, error);
	size_t count = grid->blocks.count;
	if (result == SPATE_OK && count)
	{
		grid->near = mem_calloc(count, sizeof *grid->near);
		grid->first = mem_alloc(count * sizeof *grid->first);
		grid->labels = mem_alloc(mem_product(count, GRID_POINTS));
		if (!grid->near || !grid->first || !grid->labels)
			result = error_memory(error, count * GRID_POINTS);
		if (result == SPATE_OK)
			result = find_near(grid, build, error);
		if (result == SPATE_OK)
			result = compute_values(grid, build, error);
	}
	if (result != SPATE_OK)
		many_grid_free(grid);
	return result;
}

// A labels_sample; its context is a many_grid.
static void sample_grid(void *context, const int32_t point[3], float *phi)
{
	const many_grid *grid = context;
	// blocks have 4 points along an edge; the shift rounds down
	cell_coord c = {(point[0] >> 2) + CELL_OFFSET, (point[1] >> 2) + CELL_OFFSET, (point[2] >> 2) + CELL_OFFSET};
	uint32_t block = surface_blocks_find(&grid->blocks, c);
	if (block != BLOCK_NONE)
		sample_point(grid, block, (uint32_t)((point[2] & 3) << 4 | (point[1] & 3) << 2 | (point[0] & 3)), phi);
	for (uint32_t k = 0; block == BLOCK_NONE && k < grid->fluids; k++)
		phi[k] = -(float)grid->blocks.cell;
}

typedef struct cell_list
{
	const many_grid *grid;
	uint64_t *cut; // per block: cells whose corners have different labels
} cell_list;

// Loads the labels of a block and the next layer of points, 5 along each axis; air where there is no block. Returns
// whether all are equal.
static int load_labels(const many_grid *grid, uint32_t block, uint8_t out[125])
{
	cell_coord c = surface_blocks_coord(&grid->blocks, block);
	const uint8_t *from[8];
	for (int n = 0; n < 8; n++)
	{
		uint32_t b =
		    surface_blocks_find(&grid->blocks, (cell_coord){c.x + (n & 1), c.y + (n >> 1 & 1), c.z + (n >> 2)});
		from[n] = b == BLOCK_NONE ? NULL : grid->labels + (size_t)b * GRID_POINTS;
	}
	int same = 1;
	for (int i = 0; i < 125; i++)
	{
		int x = i % 5, y = i / 5 % 5, z = i / 25;
		const uint8_t *labels = from[x >> 2 | y >> 2 << 1 | z >> 2 << 2];
		out[i] = labels ? labels[(z & 3) << 4 | (y & 3) << 2 | (x & 3)] : 0;
		same &= out[i] == out[0];
	}
	return same;
}

static void find_cut(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	cell_list *list = context;
	for (size_t b = begin; b < end; b++)
	{
		uint8_t labels[125];
		list->cut[b] = 0;
		if (load_labels(list->grid, (uint32_t)b, labels))
			continue;
		for (int i = 0; i < GRID_POINTS; i++)
		{
			const uint8_t *low = labels + (i >> 4) * 25 + (i >> 2 & 3) * 5 + (i & 3);
			uint8_t a = low[0];
			int same = low[1] == a && low[5] == a && low[6] == a && low[25] == a && low[26] == a &&
				   low[30] == a && low[31] == a;
			list->cut[b] |= (uint64_t)!same << i;
		}
	}
}

spate_result many_grid_contour(const many_grid *grid, chromatic_mesh *mesh, int threads, spate_error *error)
{
	size_t count = grid->blocks.count, total = 0, at = 0;
	cell_list list = {grid, mem_alloc((count + 1) * sizeof *list.cut)};
	if (!list.cut)
		return error_memory(error, count * sizeof *list.cut);
	parallel_for(threads, count, BLOCKS_PER_TASK, find_cut, &list);
	for (size_t b = 0; b < count; b++)
		total += (size_t)__builtin_popcountll(list.cut[b]);
	int32_t(*cells)[3] = total < UINT32_MAX / 8 ? mem_alloc((total + 1) * sizeof *cells) : NULL;
	if (!cells)
	{
		mem_free(list.cut);
		return error_memory(error, total * sizeof *cells);
	}
	for (size_t b = 0; b < count; b++)
	{
		cell_coord c = surface_blocks_coord(&grid->blocks, (uint32_t)b);
		for (int i = 0; list.cut[b] && i < GRID_POINTS; i++)
		{
			if (!(list.cut[b] >> i & 1))
				continue;
			cells[at][0] = (c.x - CELL_OFFSET) * GRID_SIDE + (i & 3);
			cells[at][1] = (c.y - CELL_OFFSET) * GRID_SIDE + (i >> 2 & 3);
			cells[at++][2] = (c.z - CELL_OFFSET) * GRID_SIDE + (i >> 4);
		}
	}
	labels_grid labels = {.fluids = grid->fluids,
			      .rule = LABELS_STRONGEST,
			      .cell = count ? grid->blocks.cell : 1.0,
			      .sample = sample_grid,
			      .context = (void *)(uintptr_t)grid,
			      .threads = threads};
	spate_result result = labels_contour(&labels, (uint32_t)total, (const int32_t(*)[3])cells, mesh, error);
	mem_free(cells);
	mem_free(list.cut);
	return result;
}
