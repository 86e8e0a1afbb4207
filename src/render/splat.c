#include "render/splat.h"

#include "base/error.h"
#include "base/parallel.h"
#include "render/splat_kernel.h"

#include <math.h>
#include <string.h>

enum
{
	MAX_BLOCKS = 64,    // upper bound on the number of blocks of particles, whatever the number of threads
	BLOCK_LEAST = 4096, // particles
	DEPTH_BUCKETS = 1024
};

static const float largest_size = 0.999f; // radius / depth of a sphere that just clears the plane of the eye

// Tiles that a sphere may touch, [x0, x1) x [y0, y1).
typedef struct tile_range
{
	uint16_t x0, y0, x1, y1;
} tile_range;

typedef struct splat_job
{
	const camera_view *view;
	const splat_spheres *spheres;
	const splat_kernel *kernel;
	const splat_target *target;
	float least_radius; // pixels
	int tiles_x, tiles_y;
	size_t tiles, block, blocks;
	uint32_t *counts;       // [tile][block] counts, later the offsets of each block's part in a tile's list
	splat_entry *projected; // per sphere
	tile_range *ranges;     // per sphere; empty if it is not drawn
	splat_entry *entries;
	uint32_t *order;         // per entry, the drawing order inside its tile
	splat_tile *thread_tile; // one per thread
} splat_job;

static uint16_t tile_of(float pixel, int tiles)
{
	float place = pixel * (1.0f / SPLAT_TILE);
	return (uint16_t)(place <= 0.0f ? 0 : place >= (float)tiles ? tiles : (int)place);
}

// Returns 0 if the sphere is not drawn. Comparisons are written so that NaN fails them.
static int project(const splat_job *job, size_t index, splat_entry *entry, tile_range *range)
{
	const splat_spheres *spheres = job->spheres;
	const camera_view *view = job->view;
	int32_t kind = spheres->kind ? spheres->kind[index] : 0;
	if (kind < 0 || kind >= spheres->kinds)
		return 0;
	const float *p = spheres->positions + index * spheres->stride;
	vec3 at = camera_to_view(view, vec3_make(p[0], p[1], p[2]));
	float inverse = 1.0f / at.z, radius = spheres->radii[kind];
	float size = radius * inverse, least = job->least_radius * view->inverse_focal;
	if (!(at.z > 0.0f && radius > 0.0f && size < largest_size))
		return 0;
	if (size < least)
		size = least;
	*entry = (splat_entry){at.x * inverse, at.y * inverse, at.z, size, (uint32_t)index};

	// plus half a pixel and a bit for rounding, as in the kernel
	float low_x, high_x, low_y, high_y;
	splat_extent(entry->x, size, &low_x, &high_x);
	splat_extent(entry->y, size, &low_y, &high_y);
	float left = view->centre_x + view->focal * low_x - 0.6f, right = view->centre_x + view->focal * high_x + 0.6f;
	float top = view->centre_y + view->focal * low_y - 0.6f, bottom = view->centre_y + view->focal * high_y + 0.6f;
	if (!(right > 0.0f && bottom > 0.0f && left < (float)view->width && top < (float)view->height))
		return 0;
	*range = (tile_range){tile_of(left, job->tiles_x), tile_of(top, job->tiles_y),
			      tile_of(right + SPLAT_TILE, job->tiles_x), tile_of(bottom + SPLAT_TILE, job->tiles_y)};
	return 1;
}

static void count_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const splat_job *job = context;
	uint32_t *counts = job->counts + begin / job->block;
	for (size_t i = begin; i < end; i++)
	{
		tile_range r;
		if (!project(job, i, &job->projected[i], &r))
			r = (tile_range){0};
		job->ranges[i] = r;
		for (int y = r.y0; y < r.y1; y++)
			for (int x = r.x0; x < r.x1; x++)
				counts[(size_t)(y * job->tiles_x + x) * job->blocks]++;
	}
}

static void fill_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const splat_job *job = context;
	uint32_t *next = job->counts + begin / job->block;
	for (size_t i = begin; i < end; i++)
	{
		tile_range r = job->ranges[i];
		for (int y = r.y0; y < r.y1; y++)
			for (int x = r.x0; x < r.x1; x++)
				job->entries[next[(size_t)(y * job->tiles_x + x) * job->blocks]++] = job->projected[i];
	}
}

static uint32_t depth_bits(float z)
{
	uint32_t bits;
	memcpy(&bits, &z, sizeof bits); // positive floats sort like their bits
	return bits;
}

// Sorts a tile's entries roughly from front to back by a counting sort over their depth range.
static void sort_tile(const splat_entry *entries, uint32_t *order, uint32_t count)
{
	uint32_t lowest = UINT32_MAX, highest = 0, start[DEPTH_BUCKETS] = {0};
	for (uint32_t k = 0; k < count; k++)
	{
		uint32_t bits = depth_bits(entries[k].z);
		lowest = bits < lowest ? bits : lowest;
		highest = bits > highest ? bits : highest;
	}
	int shift = 0;
	while ((highest - lowest) >> shift >= DEPTH_BUCKETS)
		shift++;
	for (uint32_t k = 0; k < count; k++)
		start[(depth_bits(entries[k].z) - lowest) >> shift]++;
	prefix_sum_u32(start, DEPTH_BUCKETS);
	for (uint32_t k = 0; k < count; k++)
		order[start[(depth_bits(entries[k].z) - lowest) >> shift]++] = k;
}

static void draw_tile(const splat_job *job, size_t index, splat_tile *tile)
{
	// after filling, a tile's list ends where its last block ended, and starts where the previous tile ends
	const uint32_t *ends = job->counts + job->blocks - 1;
	uint32_t begin = index ? ends[(index - 1) * job->blocks] : 0, end = ends[index * job->blocks];
	const camera_view *view = job->view;
	int x = (int)(index % (size_t)job->tiles_x) * SPLAT_TILE, y = (int)(index / (size_t)job->tiles_x) * SPLAT_TILE;
	tile->width = view->width - x < SPLAT_TILE ? view->width - x : SPLAT_TILE;
	tile->height = view->height - y < SPLAT_TILE ? view->height - y : SPLAT_TILE;
	tile->left = (float)x - view->centre_x;
	tile->top = (float)y - view->centre_y;
	tile->focal = view->focal;
	tile->inverse_focal = view->inverse_focal;
	for (size_t k = 0; k < SPLAT_TILE * SPLAT_ROW; k++)
		tile->depth[k] = SPLAT_FAR;
	memset(tile->id, 0xff, sizeof tile->id);
	for (size_t k = 0; k < SPLAT_BLOCKS * SPLAT_BLOCKS; k++)
		tile->farthest[k] = SPLAT_FAR;
	tile->stale = 0;

	if (end > begin)
	{
		sort_tile(job->entries + begin, job->order + begin, end - begin);
		job->kernel->draw(tile, job->entries + begin, job->order + begin, end - begin);
	}
	for (int row = 0; row < tile->height; row++)
	{
		size_t pixel = (size_t)(y + row) * (size_t)view->width + (size_t)x;
		memcpy(job->target->depth + pixel, tile->depth + row * SPLAT_ROW, (size_t)tile->width * sizeof(float));
		if (job->target->id)
			memcpy(job->target->id + pixel, tile->id + row * SPLAT_ROW,
			       (size_t)tile->width * sizeof(uint32_t));
	}
}

static void draw_tiles(void *context, size_t begin, size_t end, int thread)
{
	const splat_job *job = context;
	for (size_t k = begin; k < end; k++)
		draw_tile(job, k, job->thread_tile + thread);
}

spate_result splat_render(const camera_view *view, const splat_spheres *spheres, float least_radius, int threads,
			  arena *scratch, const splat_target *target, spate_error *error)
{
	if (view->width < 1 || view->height < 1)
		return error_set(error, SPATE_INVALID, "a depth image of %d x %d pixels", view->width, view->height);
	if (spheres->count > INT32_MAX)
		return error_set(error, SPATE_INVALID, "%zu spheres are more than one picture can hold",
				 spheres->count);
	threads = threads < 1 ? 1 : threads > PARALLEL_MAX_THREADS ? PARALLEL_MAX_THREADS : threads;
	splat_job job = {
	    .view = view,
	    .spheres = spheres,
	    .kernel = splat_kernel_table(simd_level_detect()),
	    .target = target,
	    .least_radius = least_radius,
	    .tiles_x = (view->width + SPLAT_TILE - 1) / SPLAT_TILE,
	    .tiles_y = (view->height + SPLAT_TILE - 1) / SPLAT_TILE,
	};
	job.tiles = (size_t)job.tiles_x * (size_t)job.tiles_y;
	job.block = (spheres->count + MAX_BLOCKS - 1) / MAX_BLOCKS;
	job.block = job.block < BLOCK_LEAST ? BLOCK_LEAST : job.block;
	job.blocks = spheres->count ? (spheres->count + job.block - 1) / job.block : 1;

	size_t count_bytes = job.tiles * job.blocks * sizeof *job.counts,
	       tile_bytes = (size_t)threads * sizeof(splat_tile);
	job.counts = arena_alloc(scratch, count_bytes);
	job.thread_tile = arena_alloc(scratch, tile_bytes);
	size_t sphere_bytes = spheres->count * (sizeof *job.projected + sizeof *job.ranges);
	job.projected = arena_alloc(scratch, (spheres->count + 1) * sizeof *job.projected);
	job.ranges = arena_alloc(scratch, (spheres->count + 1) * sizeof *job.ranges);
	if (!job.counts || !job.thread_tile || !job.projected || !job.ranges)
		return error_memory(error, count_bytes + tile_bytes + sphere_bytes);
	memset(job.counts, 0, count_bytes);

	// count, allocate, fill: the lists are in index order whichever block comes first
	parallel_for(threads, spheres->count, job.block, count_block, &job);
	uint64_t total = prefix_sum_u32(job.counts, job.tiles * job.blocks);
	if (total > INT32_MAX)
		return error_set(error, SPATE_MEMORY,
				 "the spheres cover the picture too often: %llu overlaps with its tiles",
				 (unsigned long long)total);
	if (total)
	{
		size_t bytes = total * (sizeof *job.entries + sizeof *job.order);
		job.entries = arena_alloc(scratch, total * sizeof *job.entries);
		job.order = arena_alloc(scratch, total * sizeof *job.order);
		if (!job.entries || !job.order)
			return error_memory(error, bytes);
		parallel_for(threads, spheres->count, job.block, fill_block, &job);
	}
	parallel_for(threads, job.tiles, 1, draw_tiles, &job);
	return SPATE_OK;
}

spate_result splat_depth(const camera *from, int width, int height, const float *positions, size_t stride, size_t count,
			 float radius, int threads, float *depth, spate_error *error)
{
	camera_view view = camera_look(from, width, height);
	splat_spheres spheres = {
	    .positions = positions, .stride = stride, .count = count, .radii = &radius, .kinds = 1};
	splat_target target = {.depth = depth};
	arena scratch;
	arena_init(&scratch);
	spate_result result = splat_render(&view, &spheres, 0.0f, threads, &scratch, &target, error);
	arena_free(&scratch);
	return result;
}
