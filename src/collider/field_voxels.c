#include "collider/field_voxels.h"

#include "base/array.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "collider/field_data.h"
#include "collider/field_kernel.h"

#include <string.h>

enum
{
	BLOCK = 8, // voxels per side
	TRIANGLES_AT_A_TIME = 2048,
	LEAVES_AT_A_TIME = 8
};

static const double most_blocks = 0x1p30;

// A block and a triangle that may be within reach of it.
typedef ARRAY(uint64_t) pair_list; // block << 32 | position in the set

typedef struct build
{
	voxel_grid *grid;
	const triangle_set *set;
	pair_list *lists;        // one per TRIANGLES_AT_A_TIME
	uint32_t *starts;        // start of each leaf's range in `members`
	const uint32_t *members; // positions in the set
	uint32_t longest;        // longest range
	void *scratch[PARALLEL_MAX_THREADS];
	const field_kernel *kernel;
	int out_of_memory;
} build;

// Finds the smallest box of blocks that covers everything within reach, plus a rim.
static spate_result find_extent(voxel_grid *grid, const triangle_set *set, spate_error *error)
{
	double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
	for (uint32_t i = 0; i < set->count; i++)
	{
		dvec3 corners[3];
		triangle_corners(set->mesh, set->scale, triangle_set_at(set, i), corners);
		for (int c = 0; c < 3; c++)
		{
			const double at[3] = {corners[c].x, corners[c].y, corners[c].z};
			for (int k = 0; k < 3; k++)
			{
				low[k] = fmin(low[k], at[k]);
				high[k] = fmax(high[k], at[k]);
			}
		}
	}
	double blocks = 1.0;
	for (int k = 0; k < 3; k++)
	{
		double margin = (double)grid->reach + 1.0;
		if (!(low[k] - margin > -FIELD_MOST_CELLS) || !(high[k] + margin < FIELD_MOST_CELLS))
			return error_set(error, SPATE_INVALID,
					 "a mesh that reaches to %.3g m is too large for cells of %.3g m",
					 fmax(fabs(low[k]), fabs(high[k])) / set->scale, 1.0 / set->scale);
		grid->low[k] = (int32_t)floor((low[k] - margin) / BLOCK) - 1;
		grid->size[k] = (int32_t)floor((high[k] + margin) / BLOCK) + 2 - grid->low[k];
		blocks *= grid->size[k];
	}
	if (blocks > most_blocks)
		return error_set(error, SPATE_INVALID,
				 "a mesh of %.0f x %.0f x %.0f cells is too large; make the cells larger",
				 high[0] - low[0], high[1] - low[1], high[2] - low[2]);
	grid->block_count = (size_t)blocks;
	return SPATE_OK;
}

static double distance_from(const dvec3 corners[3], dvec3 p)
{
	return dvec3_length(dvec3_sub(p, closest_on_triangle(corners[0], corners[1], corners[2], p)));
}

// Adds the blocks of [low, high) within reach of a triangle, by recursive halving.
static int add_blocks(const build *b, pair_list *list, uint32_t position, const dvec3 corners[3], const int32_t low[3],
		      const int32_t high[3])
{
	const voxel_grid *grid = b->grid;
	double middle[3], half[3];
	int longest = 0;
	for (int k = 0; k < 3; k++)
	{
		middle[k] = 0.5 * BLOCK * (low[k] + high[k]) - 0.5;
		half[k] = 0.5 * BLOCK * (high[k] - low[k]) - 0.5;
		longest = high[k] - low[k] > high[longest] - low[longest] ? k : longest;
	}
	double radius = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
	if (distance_from(corners, (dvec3){middle[0], middle[1], middle[2]}) > radius + (double)grid->reach + 0.01)
		return 1;
	if (high[longest] - low[longest] == 1)
	{
		size_t block = 0;
		voxel_grid_find(grid, low, &block);
		return array_push(list, (uint64_t)block << 32 | position);
	}
	int32_t cut[3] = {high[0], high[1], high[2]}, from[3] = {low[0], low[1], low[2]};
	cut[longest] = from[longest] = low[longest] + (high[longest] - low[longest]) / 2;
	return add_blocks(b, list, position, corners, low, cut) && add_blocks(b, list, position, corners, from, high);
}

static void pair_triangles(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	build *b = context;
	pair_list *list = &b->lists[begin / TRIANGLES_AT_A_TIME];
	for (size_t i = begin; i < end; i++)
	{
		dvec3 corners[3];
		triangle_corners(b->set->mesh, b->set->scale, triangle_set_at(b->set, (uint32_t)i), corners);
		// blocks whose voxels are within reach of the triangle's box
		int32_t low[3], high[3];
		const double *at = &corners[0].x;
		for (int k = 0; k < 3; k++)
		{
			double least = fmin(at[k], fmin(at[3 + k], at[6 + k])),
			       most = fmax(at[k], fmax(at[3 + k], at[6 + k]));
			low[k] = (int32_t)floor((ceil(least - (double)b->grid->reach)) / BLOCK);
			high[k] = (int32_t)floor((floor(most + (double)b->grid->reach)) / BLOCK) + 1;
		}
		if (!add_blocks(b, list, (uint32_t)i, corners, low, high))
			__atomic_store_n(&b->out_of_memory, 1, __ATOMIC_RELAXED);
	}
}

// Prepares side a-b of a triangle with unit normal n; the inside is towards n x (b - a).
static void prepare_side(near_triangle *t, int side, dvec3 a, dvec3 b, dvec3 n, int flat)
{
	dvec3 along = dvec3_sub(b, a);
	double length = dvec3_length(along);
	along = length > 0.0 ? (dvec3){along.x / length, along.y / length, along.z / length} : (dvec3){0.0, 0.0, 0.0};
	dvec3 wall = dvec3_cross(n, along);
	// the point of the side nearest to the middle of the block
	const dvec3 middle = {3.5, 3.5, 3.5};
	double from_a = fmin(fmax(dvec3_dot(dvec3_sub(middle, a), along), 0.0), length);
	dvec3 point = dvec3_add_scaled(a, along, from_a);
	float values[] = {(float)wall.x,  (float)wall.y,  (float)wall.z,  flat ? -1.0f : (float)-dvec3_dot(wall, point),
			  (float)point.x, (float)point.y, (float)point.z, (float)along.x,
			  (float)along.y, (float)along.z, (float)-from_a, (float)(length - from_a)};
	memcpy(&t->sides[side], values, sizeof values);
}

// Corners are relative to the first voxel of the block.
static void prepare(near_triangle *t, const dvec3 corners[3])
{
	dvec3 n = dvec3_cross(dvec3_sub(corners[1], corners[0]), dvec3_sub(corners[2], corners[0]));
	double length = dvec3_length(n);
	int flat = !(length > 1e-12);
	n = flat ? (dvec3){0.0, 0.0, 0.0} : (dvec3){n.x / length, n.y / length, n.z / length};
	float plane[] = {(float)n.x, (float)n.y, (float)n.z, (float)-dvec3_dot(n, corners[0])};
	memcpy(t->plane, plane, sizeof plane);
	for (int k = 0; k < 3; k++)
		prepare_side(t, k, corners[k], corners[(k + 1) % 3], n, flat);
}

// Twice the area of (a, b, p), exactly the negative of that of (b, a, p), so that a line through a shared side hits at
// least one of the two triangles.
static double side_of(const double a[2], const double b[2], const double p[2])
{
	int swapped = a[0] > b[0] || (a[0] == b[0] && a[1] > b[1]);
	const double *from = swapped ? b : a, *to = swapped ? a : b;
	double area = (to[0] - from[0]) * (p[1] - from[1]) - (to[1] - from[1]) * (p[0] - from[0]);
	return swapped ? -area : area;
}

// Marks the lattice edges of a block along one axis that a triangle crosses. A crossing within rounding of a voxel
// counts for the edges on both sides of it, so that no walk slips past it through the voxel.
static void mark_axis(const double corners[3][3], int axis, const int32_t low[3], const int32_t high[3],
		      uint64_t mask[BLOCK_WORDS])
{
	const double rounding = 1e-6;
	int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
	double flat[3][2];
	for (int c = 0; c < 3; c++)
	{
		flat[c][0] = corners[c][u];
		flat[c][1] = corners[c][v];
	}
	for (int32_t i = low[u]; i <= high[u]; i++)
		for (int32_t j = low[v]; j <= high[v]; j++)
		{
			const double p[2] = {i, j};
			double w[3] = {side_of(flat[1], flat[2], p), side_of(flat[2], flat[0], p),
				       side_of(flat[0], flat[1], p)};
			double sum = w[0] + w[1] + w[2];
			int hit =
			    (w[0] >= 0.0 && w[1] >= 0.0 && w[2] >= 0.0) || (w[0] <= 0.0 && w[1] <= 0.0 && w[2] <= 0.0);
			if (!hit || sum == 0.0)
				continue;
			double t = (w[0] * corners[0][axis] + w[1] * corners[1][axis] + w[2] * corners[2][axis]) / sum;
			int32_t at[3];
			at[u] = i;
			at[v] = j;
			int32_t first = (int32_t)floor(t - rounding), last = (int32_t)floor(t + rounding);
			for (int32_t k = first; k <= last; k++)
				if (k >= 0 && k < BLOCK)
				{
					at[axis] = k;
					mask[at[0]] |= (uint64_t)1 << (8 * at[1] + at[2]);
				}
		}
}

static void mark_crossings(const dvec3 local[3], uint64_t masks[3 * BLOCK_WORDS])
{
	double corners[3][3];
	int32_t low[3], high[3];
	for (int c = 0; c < 3; c++)
		memcpy(corners[c], &local[c], sizeof corners[c]);
	for (int k = 0; k < 3; k++)
	{
		double least = fmin(corners[0][k], fmin(corners[1][k], corners[2][k]));
		double most = fmax(corners[0][k], fmax(corners[1][k], corners[2][k]));
		// edges extend one voxel beyond the block
		if (least > BLOCK + 0.01 || most < -0.01)
			return;
		low[k] = least > 0.0 ? (int32_t)ceil(least) : 0;
		high[k] = most < BLOCK - 1 ? (int32_t)floor(most) : BLOCK - 1;
	}
	for (int axis = 0; axis < 3; axis++)
		mark_axis((const double(*)[3])corners, axis, low, high, masks + axis * BLOCK_WORDS);
}

static void measure_leaves(void *context, size_t begin, size_t end, int thread)
{
	build *b = context;
	voxel_grid *grid = b->grid;
	near_triangle *triangles = b->scratch[thread];
	float *words = (float *)(void *)(triangles + b->longest);
	for (size_t leaf = begin; leaf < end; leaf++)
	{
		int32_t place[3];
		voxel_grid_place(grid, grid->block_of[leaf], place);
		const dvec3 origin = {place[0] * BLOCK, place[1] * BLOCK, place[2] * BLOCK};
		const uint32_t *members = b->members + b->starts[leaf];
		uint32_t count = b->starts[leaf + 1] - b->starts[leaf];
		uint64_t *crossed = grid->crossed + leaf * 3 * BLOCK_WORDS;
		memset(crossed, 0, 3 * BLOCK_WORDS * sizeof *crossed);
		for (uint32_t i = 0; i < count; i++)
		{
			dvec3 corners[3];
			triangle_corners(b->set->mesh, b->set->scale, triangle_set_at(b->set, members[i]), corners);
			for (int k = 0; k < 3; k++)
				corners[k] = dvec3_sub(corners[k], origin);
			prepare(&triangles[i], corners);
			mark_crossings(corners, crossed);
		}
		float *distance = grid->distance + leaf * BLOCK_VOXELS;
		int32_t *nearest = grid->nearest + leaf * BLOCK_VOXELS;
		b->kernel->measure(triangles, count, grid->reach, words, distance, nearest);
		for (int k = 0; k < BLOCK_VOXELS; k++)
			if (nearest[k] >= 0)
				nearest[k] = (int32_t)triangle_set_at(b->set, members[nearest[k]]);
	}
}

// Sorts the pairs by block and triangle, and creates a leaf for each block that has any.
static spate_result sort_pairs(build *b, size_t list_count, uint32_t **members, int threads, spate_error *error)
{
	size_t total = 0;
	for (size_t i = 0; i < list_count; i++)
		total += b->lists[i].count;
	if (total > UINT32_MAX / 2)
		return error_set(error, SPATE_INVALID,
				 "the mesh has too many triangles within %.3g cells of each other",
				 (double)b->grid->reach);
	uint32_t count = (uint32_t)total;
	uint64_t *keys = mem_alloc(total * sizeof *keys + 8);
	uint32_t *payload = *members = mem_alloc(total * sizeof *payload + 8);
	void *scratch = mem_alloc(sort_radix_scratch(count) + 8);
	voxel_grid *grid = b->grid;
	spate_result result = keys && payload && scratch ? SPATE_OK : error_memory(error, total * 24);
	if (result == SPATE_OK)
	{
		size_t at = 0;
		for (size_t i = 0; i < list_count; i++)
			for (size_t k = 0; k < b->lists[i].count; k++, at++)
			{
				keys[at] = b->lists[i].data[k] >> 32;
				payload[at] = (uint32_t)b->lists[i].data[k];
			}
		sort_radix(threads, count, keys, payload, scratch);
		for (uint32_t i = 0; i < count; i++)
			grid->leaf_count += i == 0 || keys[i] != keys[i - 1];
		grid->block_of = mem_alloc((grid->leaf_count + 1) * sizeof *grid->block_of);
		b->starts = mem_alloc((grid->leaf_count + 1) * sizeof *b->starts);
		if (!grid->block_of || !b->starts)
			result = error_memory(error, grid->leaf_count * 8u);
	}
	if (result == SPATE_OK)
	{
		uint32_t leaf = 0;
		for (uint32_t i = 0; i < count; i++)
			if (i == 0 || keys[i] != keys[i - 1])
			{
				grid->leaf_of[keys[i]] = (int32_t)leaf;
				grid->block_of[leaf] = (uint32_t)keys[i];
				b->starts[leaf++] = i;
			}
		b->starts[leaf] = count;
		for (uint32_t i = 0; i < leaf; i++)
			b->longest =
			    b->starts[i + 1] - b->starts[i] > b->longest ? b->starts[i + 1] - b->starts[i] : b->longest;
	}
	mem_free(keys);
	mem_free(scratch);
	return result;
}

static spate_result measure_all(build *b, int threads, spate_error *error)
{
	voxel_grid *grid = b->grid;
	size_t voxels = (size_t)grid->leaf_count * BLOCK_VOXELS;
	grid->distance = mem_alloc(voxels * sizeof *grid->distance + 4);
	grid->nearest = mem_alloc(voxels * sizeof *grid->nearest + 4);
	grid->crossed = mem_alloc((size_t)grid->leaf_count * 3 * BLOCK_WORDS * sizeof *grid->crossed + 8);
	if (!grid->distance || !grid->nearest || !grid->crossed)
		return error_memory(error, voxels * 9);
	size_t bytes = b->longest * (sizeof(near_triangle) + KERNEL_SCRATCH * sizeof(float));
	for (int t = 0; t < threads; t++)
		if (!(b->scratch[t] = mem_alloc(bytes + 4)))
			return error_memory(error, bytes);
	parallel_for(threads, grid->leaf_count, LEAVES_AT_A_TIME, measure_leaves, b);
	return SPATE_OK;
}

spate_result voxel_grid_init(voxel_grid *grid, const triangle_set *set, float reach, int threads, spate_error *error)
{
	*grid = (voxel_grid){.reach = reach};
	threads = threads < 1 ? 1 : threads > PARALLEL_MAX_THREADS ? PARALLEL_MAX_THREADS : threads;
	spate_result result = find_extent(grid, set, error);
	if (result != SPATE_OK)
		return result;
	size_t list_count = (set->count + TRIANGLES_AT_A_TIME - 1) / TRIANGLES_AT_A_TIME;
	build b = {.grid = grid, .set = set, .kernel = field_kernel_table(simd_level_detect())};
	uint32_t *members = NULL;
	grid->leaf_of = mem_alloc(mem_product(grid->block_count, sizeof *grid->leaf_of));
	b.lists = mem_calloc(list_count + 1, sizeof *b.lists);
	if (!grid->leaf_of || !b.lists)
		result = error_memory(error, grid->block_count * sizeof *grid->leaf_of);
	else
	{
		memset(grid->leaf_of, 0xff, grid->block_count * sizeof *grid->leaf_of);
		parallel_for(threads, set->count, TRIANGLES_AT_A_TIME, pair_triangles, &b);
		result = b.out_of_memory ? error_memory(error, set->count * 64ull)
					 : sort_pairs(&b, list_count, &members, threads, error);
	}
	if (result == SPATE_OK)
	{
		b.members = members;
		result = measure_all(&b, threads, error);
	}
	for (size_t i = 0; b.lists && i < list_count; i++)
		array_free(&b.lists[i]);
	for (int t = 0; t < threads; t++)
		mem_free(b.scratch[t]);
	mem_free(b.lists);
	mem_free(b.starts);
	mem_free(members);
	if (result != SPATE_OK)
		voxel_grid_free(grid);
	return result;
}

void voxel_grid_free(voxel_grid *grid)
{
	mem_free(grid->leaf_of);
	mem_free(grid->block_of);
	mem_free(grid->distance);
	mem_free(grid->nearest);
	mem_free(grid->crossed);
	*grid = (voxel_grid){0};
}
