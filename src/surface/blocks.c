#include "surface/blocks.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <stdatomic.h>
#include <string.h>

enum
{
	MARK_LIQUID = 1, // a particle is near
	MARK_BORDER = 2, // a particle near the surface is near
	BLOCKS_PER_TASK = 16
};

#define CELLS_BEYOND 1.75f // cells between an inside point and the farthest block that its cells touch
#define DEPTH_REACH 0.9f   // spacings: deep inside, every place has a particle within this distance

void surface_blocks_free(surface_blocks *blocks)
{
	mem_free(blocks->keys);
	mem_free(blocks->slot);
	mem_free(blocks->inside);
	mem_free(blocks->block);
	mem_free(blocks->values);
	cell_map_free(&blocks->map);
	*blocks = (surface_blocks){0};
}

uint32_t surface_blocks_find(const surface_blocks *blocks, cell_coord c)
{
	int32_t place = cell_map_place(&blocks->map, c.x >> LEAF_SHIFT, c.y >> LEAF_SHIFT, c.z >> LEAF_SHIFT);
	if (place == CELL_MAP_NOWHERE)
		return BLOCK_NONE;
	row_range rows = cell_map_rows(&blocks->map, place, cell_in_leaf(c), cell_in_leaf(c));
	return rows.begin < rows.end ? rows.begin : BLOCK_NONE;
}

cell_coord surface_blocks_coord(const surface_blocks *blocks, uint32_t block)
{
	uint64_t key = blocks->keys[block];
	cell_coord c = leaf_coord(key >> LEAF_KEY_SHIFT);
	return (cell_coord){c.x << LEAF_SHIFT | (int32_t)(key & 7), c.y << LEAF_SHIFT | (int32_t)(key >> 3 & 7),
			    c.z << LEAF_SHIFT | (int32_t)(key >> 6 & 7)};
}

void surface_blocks_origin(const surface_blocks *blocks, cell_coord c, double origin[3])
{
	double side = blocks->cell * GRID_SIDE;
	origin[0] = (c.x - CELL_OFFSET) * side;
	origin[1] = (c.y - CELL_OFFSET) * side;
	origin[2] = (c.z - CELL_OFFSET) * side;
}

// Blocks found by the tasks, each with its marks.
typedef struct block_list
{
	ARRAY(uint64_t) keys; // key << 1 | border
	ARRAY(uint8_t) marks; // of the blocks around one leaf
} block_list;

typedef struct mark_job
{
	const surface_field *field;
	double side;       // m, of a block
	block_list *lists; // one per leaf of particles
	_Atomic int failed, too_far;
} mark_job;

// Block coordinate of a place. CELL_OFFSET makes the sum positive, so that the cast rounds down.
static int32_t block_at(double place, double inverse)
{
	return (int32_t)(place * inverse + CELL_OFFSET);
}

// Marks the blocks around the particles of one leaf in a small dense box, then lists them.
static int mark_leaf(mark_job *job, size_t leaf, block_list *list)
{
	const surface_points *points = job->field->points;
	const space_class *class = &points->index.classes[0];
	uint32_t begin = class->map.leaf_rows.data[leaf], end = class->map.leaf_rows.data[leaf + 1];
	double largest = points->largest, cell = job->field->cell, offset = fmax(job->field->offset, 0.0);
	double border = field_reach_of(job->field->method, points->kernel) * largest + offset + CELLS_BEYOND * cell;
	double depth = DEPTH_REACH * largest, inverse = 1.0 / job->side;

	// the box around the particles, in blocks
	double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300};
	for (uint32_t i = begin; i < end; i++)
	{
		const float *p = &points->positions[i].x;
		for (int a = 0; a < 3; a++)
		{
			low[a] = p[a] < low[a] ? p[a] : low[a];
			high[a] = p[a] > high[a] ? p[a] : high[a];
		}
	}
	int32_t first[3], size[3];
	for (int a = 0; a < 3; a++)
	{
		// block coordinates cannot represent places beyond this
		double limit = job->side * (CELL_OFFSET - 2);
		if (low[a] - border - depth < -limit || high[a] + border + depth > limit)
		{
			atomic_store(&job->too_far, 1);
			return 1;
		}
		first[a] = block_at(low[a] - fmax(border, depth), inverse);
		size[a] = block_at(high[a] + fmax(border, depth), inverse) - first[a] + 1;
	}
	size_t total = (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
	if (!array_reserve(&list->marks, total))
		return 0;
	uint8_t *marks = list->marks.data;
	memset(marks, 0, total);
	for (uint32_t i = begin; i < end; i++)
	{
		const float *p = &points->positions[i].x;
		double reach = points->border[i] ? border : depth;
		uint8_t mark = points->border[i] ? MARK_LIQUID | MARK_BORDER : MARK_LIQUID;
		int32_t from[3], to[3];
		for (int a = 0; a < 3; a++)
		{
			from[a] = block_at(p[a] - reach, inverse) - first[a];
			to[a] = block_at(p[a] + reach, inverse) - first[a];
		}
		for (int32_t z = from[2]; z <= to[2]; z++)
			for (int32_t y = from[1]; y <= to[1]; y++)
				for (int32_t x = from[0]; x <= to[0]; x++)
					marks[((size_t)z * (size_t)size[1] + (size_t)y) * (size_t)size[0] +
					      (size_t)x] |= mark;
	}
	for (size_t k = 0; k < total; k++)
	{
		if (!marks[k])
			continue;
		cell_coord c = {first[0] + (int32_t)(k % (size_t)size[0]),
				first[1] + (int32_t)(k / (size_t)size[0] % (size_t)size[1]),
				first[2] + (int32_t)(k / ((size_t)size[0] * (size_t)size[1]))};
		if (!array_push(&list->keys, cell_key(c) << 1 | (marks[k] & MARK_BORDER ? 1u : 0u)))
			return 0;
	}
	array_free(&list->marks);
	return 1;
}

static void mark_leaves(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	mark_job *job = context;
	for (size_t leaf = begin; leaf < end; leaf++)
		if (!mark_leaf(job, leaf, &job->lists[leaf]))
			atomic_store(&job->failed, 1);
}

// Whether a block, with the cells that reach beyond it, is outside the clipping box (*out) or cut by it (*cut).
static void meet_clip(const surface_blocks *blocks, const surface_field *field, uint64_t key, int *out, int *cut)
{
	cell_coord c = leaf_coord(key >> LEAF_KEY_SHIFT);
	c = (cell_coord){c.x << LEAF_SHIFT | (int32_t)(key & 7), c.y << LEAF_SHIFT | (int32_t)(key >> 3 & 7),
			 c.z << LEAF_SHIFT | (int32_t)(key >> 6 & 7)};
	double origin[3], margin = 2.0 * blocks->cell;
	surface_blocks_origin(blocks, c, origin);
	*out = *cut = 0;
	for (int a = 0; a < 3; a++)
	{
		double low = origin[a] - margin, high = origin[a] + GRID_SIDE * blocks->cell + margin;
		*out |= high < field->clip_min[a] || low > field->clip_max[a];
		*cut |= low < field->clip_min[a] || high > field->clip_max[a];
	}
}

// Merges the lists so that each block appears once. It is computed if any of its marks is a border mark.
static spate_result join_lists(surface_blocks *blocks, const surface_field *field, block_list *lists, size_t count,
			       int threads, spate_error *error)
{
	size_t total = 0;
	for (size_t k = 0; k < count; k++)
		total += lists[k].keys.count;
	if (total > UINT32_MAX / 2)
		return error_set(error, SPATE_RANGE, "the surface needs %zu blocks of its grid, more than there can be",
				 total);
	uint64_t *keys = mem_alloc(total * sizeof *keys);
	uint32_t *payload = mem_alloc(total * sizeof *payload);
	size_t scratch_bytes = sort_radix_scratch((uint32_t)total);
	void *scratch = scratch_bytes ? mem_alloc(scratch_bytes) : NULL;
	spate_result result = SPATE_OK;
	if (!keys || !payload || (scratch_bytes && !scratch))
		result = error_memory(error, total * 12 + scratch_bytes);
	else
	{
		size_t at = 0;
		for (size_t k = 0; k < count; k++)
			for (size_t j = 0; j < lists[k].keys.count; j++, at++)
			{
				keys[at] = lists[k].keys.data[j];
				payload[at] = 0;
			}
		sort_radix(threads, (uint32_t)total, keys, payload, scratch);
	}
	mem_free(payload);
	mem_free(scratch);
	if (result != SPATE_OK)
	{
		mem_free(keys);
		return result;
	}

	// in place: the border mark is the lowest bit, so the last of equal keys carries it
	uint32_t *slot = mem_alloc(total * sizeof *slot);
	if (!slot)
	{
		mem_free(keys);
		return error_memory(error, total * sizeof *slot);
	}
	uint32_t kept = 0;
	for (size_t k = 0; k < total; k++)
	{
		if (k + 1 < total && keys[k] >> 1 == keys[k + 1] >> 1)
			continue;
		uint64_t key = keys[k] >> 1;
		int compute = (int)(keys[k] & 1), out = 0, cut = 0;
		if (field->clip)
			meet_clip(blocks, field, key, &out, &cut);
		if (out)
			continue;
		keys[kept] = key;
		slot[kept++] = compute || cut ? 0 : BLOCK_NONE;
	}
	blocks->keys = keys;
	blocks->slot = slot;
	blocks->count = kept;
	return SPATE_OK;
}

spate_result surface_blocks_init(surface_blocks *blocks, const surface_field *field, int threads, spate_error *error)
{
	*blocks = (surface_blocks){.cell = field->cell};
	const cell_map *leaves = &field->points->index.classes[0].map;
	if (leaves->leaf_count == 0)
		return SPATE_OK;
	mark_job job = {.field = field, .side = blocks->cell * GRID_SIDE};
	job.lists = mem_calloc(leaves->leaf_count, sizeof *job.lists);
	if (!job.lists)
		return error_memory(error, leaves->leaf_count * sizeof *job.lists);
	parallel_for(threads, leaves->leaf_count, 1, mark_leaves, &job);
	spate_result result = SPATE_OK;
	if (job.failed)
		result = error_memory(error, sizeof(uint64_t));
	else if (job.too_far)
		result =
		    error_set(error, SPATE_RANGE, "the particles are too far apart for cells of %g m", blocks->cell);
	else
		result = join_lists(blocks, field, job.lists, leaves->leaf_count, threads, error);
	for (uint32_t k = 0; k < leaves->leaf_count; k++)
	{
		array_free(&job.lists[k].keys);
		array_free(&job.lists[k].marks);
	}
	mem_free(job.lists);
	if (result == SPATE_OK)
		result = cell_map_build(&blocks->map, 0, blocks->count, blocks->keys, threads, error);
	if (result == SPATE_OK)
	{
		blocks->inside = mem_alloc(blocks->count * sizeof(uint64_t) + 8);
		if (!blocks->inside)
			result = error_memory(error, blocks->count * sizeof(uint64_t));
	}
	if (result != SPATE_OK)
		surface_blocks_free(blocks);
	return result;
}

// The points of a block on the side towards (dx, dy, dz).
static uint64_t layer_towards(int dx, int dy, int dz)
{
	uint64_t mask = ~0ull;
	mask &= dx < 0 ? 0x1111111111111111u : dx > 0 ? 0x8888888888888888u : mask;
	mask &= dy < 0 ? 0x000f000f000f000fu : dy > 0 ? 0xf000f000f000f000u : mask;
	mask &= dz < 0 ? 0x000000000000ffffu : dz > 0 ? 0xffff000000000000u : mask;
	return mask;
}

typedef struct compute_job
{
	surface_blocks *blocks;
	const surface_field *field;
	field_scratch *scratch;
	uint32_t first;     // slot of the first block of this round
	uint8_t *disagrees; // per block, for this round
	_Atomic int failed;
} compute_job;

static void compute_slots(void *context, size_t begin, size_t end, int thread)
{
	compute_job *job = context;
	surface_blocks *blocks = job->blocks;
	const float least = 0.02f * (float)blocks->cell;
	for (size_t k = begin; k < end; k++)
	{
		uint32_t block = blocks->block[job->first + k];
		float *values = blocks->values + (size_t)GRID_POINTS * (job->first + k);
		cell_coord c = surface_blocks_coord(blocks, block);
		double origin[3];
		surface_blocks_origin(blocks, c, origin);
		if (!field_block(job->field, &job->scratch[thread], origin, values))
		{
			atomic_store(&job->failed, 1);
			return;
		}
		uint64_t inside = 0, shut = 0;
		for (int i = 0; i < GRID_POINTS; i++)
			inside |= (uint64_t)(values[i] < 0.0f) << i;
		for (int n = 0; n < 27 && inside; n++)
		{
			int dx = n % 3 - 1, dy = n / 3 % 3 - 1, dz = n / 9 - 1;
			uint64_t layer = layer_towards(dx, dy, dz);
			if (n != 13 && (layer & inside & ~shut) &&
			    surface_blocks_find(blocks, (cell_coord){c.x + dx, c.y + dy, c.z + dz}) == BLOCK_NONE)
				shut |= layer;
		}
		for (int i = 0; shut && i < GRID_POINTS; i++)
			if (shut >> i & 1)
				values[i] = fmaxf(values[i], least);
		blocks->inside[block] = inside & ~shut;
	}
}

// Finds blocks assumed to be inside that have a neighbour with points outside.
static void find_doubts(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	compute_job *job = context;
	surface_blocks *blocks = job->blocks;
	for (size_t block = begin; block < end; block++)
	{
		job->disagrees[block] = 0;
		if (blocks->slot[block] != BLOCK_NONE)
			continue;
		cell_coord c = surface_blocks_coord(blocks, (uint32_t)block);
		for (int n = 0; n < 27; n++)
		{
			int dx = n % 3 - 1, dy = n / 3 % 3 - 1, dz = n / 9 - 1;
			uint32_t other = surface_blocks_find(blocks, (cell_coord){c.x + dx, c.y + dy, c.z + dz});
			uint64_t facing = layer_towards(-dx, -dy, -dz);
			if (other == BLOCK_NONE || (blocks->inside[other] & facing) != facing)
			{
				job->disagrees[block] = 1;
				break;
			}
		}
	}
}

// Assigns slots to the blocks to be computed next, in ascending order.
static spate_result add_slots(surface_blocks *blocks, const uint8_t *wanted, spate_error *error)
{
	uint32_t more = 0;
	for (uint32_t b = 0; b < blocks->count; b++)
		more += wanted[b];
	size_t total = (size_t)blocks->computed + more;
	uint32_t *block = mem_realloc(blocks->block, (total + 1) * sizeof *block);
	if (!block)
		return error_memory(error, total * sizeof *block);
	blocks->block = block;
	float *values = mem_realloc(blocks->values, (total * GRID_POINTS + 16) * sizeof *values);
	if (!values)
		return error_memory(error, total * GRID_POINTS * sizeof *values);
	blocks->values = values;
	uint32_t slot = blocks->computed;
	for (uint32_t b = 0; b < blocks->count; b++)
		if (wanted[b])
		{
			blocks->slot[b] = slot;
			blocks->block[slot++] = b;
		}
	return SPATE_OK;
}

spate_result surface_blocks_compute(surface_blocks *blocks, const surface_field *field, field_scratch *scratch,
				    int threads, spate_error *error)
{
	compute_job job = {.blocks = blocks, .field = field, .scratch = scratch};
	if (blocks->count == 0)
		return SPATE_OK;
	job.disagrees = mem_alloc(blocks->count);
	if (!job.disagrees)
		return error_memory(error, blocks->count);
	for (uint32_t b = 0; b < blocks->count; b++)
	{
		job.disagrees[b] = blocks->slot[b] != BLOCK_NONE;
		blocks->inside[b] = ~0ull;
	}
	spate_result result = SPATE_OK;
	for (;;)
	{
		result = add_slots(blocks, job.disagrees, error);
		uint32_t more = 0;
		for (uint32_t b = 0; b < blocks->count; b++)
			more += job.disagrees[b];
		if (result != SPATE_OK || more == 0)
			break;
		job.first = blocks->computed;
		parallel_for(threads, more, BLOCKS_PER_TASK, compute_slots, &job);
		blocks->computed += more;
		if (job.failed)
		{
			result = error_memory(error, GRID_POINTS * sizeof(float));
			break;
		}
		parallel_for(threads, blocks->count, 256, find_doubts, &job);
	}
	mem_free(job.disagrees);
	return result;
}
