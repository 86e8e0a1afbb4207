// Removes walls inside enclosed space. A point of a triangle is on the surface if it is next to free space: one of the
// voxels around it is not enclosed. An enclosed voxel whose nearest point is not on the surface searches its neighbours
// for one: each offers its own nearest surface point, and the point of the same triangle nearest to the searching
// voxel. This repeats until nothing changes.
#include "base/array.h"
#include "base/error.h"
#include "base/parallel.h"
#include "collider/field_sign.h"

#include <string.h>

enum
{
	LEAVES_AT_A_TIME = 16
};

// The surface point that a voxel has found; stored only for leaves with searching voxels.
typedef struct found_point
{
	dvec3 point;
	float distance; // `reach` for none
	int32_t triangle;
} found_point;

typedef struct search
{
	const enclosure *e;
	voxel_grid *grid;
	const spate_mesh *mesh;
	double scale;
	uint64_t *searching; // masks of leaves
	int32_t *slot_of;    // per leaf: index among the searching leaves, or NO_LEAF
	uint32_t *leaves;    // leaf of each slot
	uint32_t slot_count;
	found_point *now, *next; // BLOCK_VOXELS per slot
	int changed;
} search;

static dvec3 nearest_point(const search *s, int32_t triangle, dvec3 p)
{
	dvec3 c[3];
	triangle_corners(s->mesh, s->scale, (uint32_t)triangle, c);
	return closest_on_triangle(c[0], c[1], c[2], p);
}

static int on_surface(const search *s, dvec3 p)
{
	const double at[3] = {p.x, p.y, p.z}, margin = 0.02; // cells
	int32_t low[3], high[3], v[3];
	for (int k = 0; k < 3; k++)
	{
		low[k] = (int32_t)floor(at[k] - margin);
		high[k] = (int32_t)floor(at[k] + margin) + 1;
	}
	for (v[0] = low[0]; v[0] <= high[0]; v[0]++)
		for (v[1] = low[1]; v[1] <= high[1]; v[1]++)
			for (v[2] = low[2]; v[2] <= high[2]; v[2]++)
				if (!enclosure_has(s->e, s->grid, v))
					return 1;
	return 0;
}

static void voxel_place(const voxel_grid *grid, size_t leaf, int offset, int32_t at[3])
{
	voxel_grid_place(grid, grid->block_of[leaf], at);
	at[0] = at[0] * 8 + (offset >> 6);
	at[1] = at[1] * 8 + (offset >> 3 & 7);
	at[2] = at[2] * 8 + (offset & 7);
}

static void mark_searching(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	search *s = context;
	for (size_t leaf = begin; leaf < end; leaf++)
		for (int x = 0; x < BLOCK_WORDS; x++)
		{
			uint64_t inside = s->e->leaves[leaf * BLOCK_WORDS + (size_t)x], bits = 0;
			for (; inside; inside &= inside - 1)
			{
				int bit = __builtin_ctzll(inside), offset = 64 * x + bit;
				int32_t triangle = s->grid->nearest[leaf * BLOCK_VOXELS + (size_t)offset], at[3];
				if (triangle == NO_TRIANGLE)
					continue;
				voxel_place(s->grid, leaf, offset, at);
				if (!on_surface(s, nearest_point(s, triangle, (dvec3){at[0], at[1], at[2]})))
					bits |= (uint64_t)1 << bit;
			}
			s->searching[leaf * BLOCK_WORDS + (size_t)x] = bits;
		}
}

// The triangle and surface point known to the voxel at `at`. Returns 0 if there is none.
static int ask(const search *s, const int32_t at[3], int32_t *triangle, dvec3 *point)
{
	const int32_t place[3] = {at[0] >> 3, at[1] >> 3, at[2] >> 3};
	size_t block;
	int32_t leaf = voxel_grid_find(s->grid, place, &block) ? s->grid->leaf_of[block] : NO_LEAF;
	if (leaf == NO_LEAF)
		return 0;
	int bit = 8 * (at[1] & 7) + (at[2] & 7), offset = 64 * (at[0] & 7) + bit;
	size_t word = (size_t)leaf * BLOCK_WORDS + (size_t)(at[0] & 7);
	if (!(s->e->leaves[word] >> bit & 1))
		return 0;
	if (s->searching[word] >> bit & 1)
	{
		const found_point *f = &s->now[(size_t)s->slot_of[leaf] * BLOCK_VOXELS + (size_t)offset];
		*triangle = f->triangle;
		*point = f->point;
		return f->triangle != NO_TRIANGLE;
	}
	*triangle = s->grid->nearest[(size_t)leaf * BLOCK_VOXELS + (size_t)offset];
	if (*triangle == NO_TRIANGLE)
		return 0;
	*point = nearest_point(s, *triangle, (dvec3){at[0], at[1], at[2]});
	return 1;
}

static void offer(const search *s, const int32_t at[3], int32_t triangle, dvec3 point, found_point *best)
{
	const dvec3 p = {at[0], at[1], at[2]};
	dvec3 own = nearest_point(s, triangle, p);
	if (dvec3_length(dvec3_sub(p, own)) >= (double)best->distance)
		return;
	if (on_surface(s, own))
		point = own;
	float distance = (float)dvec3_length(dvec3_sub(p, point));
	if (distance < best->distance)
		*best = (found_point){point, distance, triangle};
}

static void search_leaves(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	search *s = context;
	int changed = 0;
	for (size_t slot = begin; slot < end; slot++)
		for (int offset = 0; offset < BLOCK_VOXELS; offset++)
		{
			size_t leaf = s->leaves[slot], index = slot * BLOCK_VOXELS + (size_t)offset;
			if (!(s->searching[leaf * BLOCK_WORDS + (size_t)(offset >> 6)] >> (offset & 63) & 1))
				continue;
			found_point best = s->now[index];
			int32_t at[3];
			voxel_place(s->grid, leaf, offset, at);
			for (int n = 0; n < 27; n++)
			{
				const int32_t other[3] = {at[0] + n / 9 - 1, at[1] + n / 3 % 3 - 1, at[2] + n % 3 - 1};
				int32_t triangle;
				dvec3 point;
				if (n != 13 && ask(s, other, &triangle, &point))
					offer(s, at, triangle, point, &best);
			}
			changed |= best.distance < s->now[index].distance;
			s->next[index] = best;
		}
	if (changed)
		__atomic_store_n(&s->changed, 1, __ATOMIC_RELAXED);
}

static void begin_search(search *s)
{
	for (size_t i = 0; i < (size_t)s->slot_count * BLOCK_VOXELS; i++)
		s->now[i] = (found_point){.distance = s->grid->reach, .triangle = NO_TRIANGLE};
}

static void end_search(search *s)
{
	for (size_t slot = 0; slot < s->slot_count; slot++)
		for (int offset = 0; offset < BLOCK_VOXELS; offset++)
		{
			size_t leaf = s->leaves[slot], voxel = leaf * BLOCK_VOXELS + (size_t)offset;
			if (!(s->searching[leaf * BLOCK_WORDS + (size_t)(offset >> 6)] >> (offset & 63) & 1))
				continue;
			const found_point *f = &s->now[slot * BLOCK_VOXELS + (size_t)offset];
			s->grid->distance[voxel] = f->distance;
			s->grid->nearest[voxel] = f->triangle;
		}
}

static spate_result search_all(search *s, int threads, spate_error *error)
{
	for (uint32_t leaf = 0; leaf < s->grid->leaf_count; leaf++)
	{
		uint64_t any = 0;
		for (int x = 0; x < BLOCK_WORDS; x++)
			any |= s->searching[(size_t)leaf * BLOCK_WORDS + (size_t)x];
		s->slot_of[leaf] = any ? (int32_t)s->slot_count : NO_LEAF;
		if (any)
			s->leaves[s->slot_count++] = leaf;
	}
	if (s->slot_count == 0)
		return SPATE_OK;
	size_t bytes = (size_t)s->slot_count * BLOCK_VOXELS * sizeof *s->now;
	s->now = mem_alloc(bytes);
	s->next = mem_alloc(bytes);
	if (!s->now || !s->next)
		return error_memory(error, bytes);
	begin_search(s);
	// information travels one voxel per round
	int rounds = 4 * (int)ceilf(s->grid->reach) + 8;
	do
	{
		s->changed = 0;
		parallel_for(threads, s->slot_count, LEAVES_AT_A_TIME, search_leaves, s);
		found_point *swap = s->now;
		s->now = s->next;
		s->next = swap;
	} while (s->changed && --rounds > 0);
	end_search(s);
	return SPATE_OK;
}

spate_result enclosure_remove_walls(const enclosure *e, voxel_grid *grid, const spate_mesh *mesh, double scale,
				    int threads, spate_error *error)
{
	search s = {.e = e, .grid = grid, .mesh = mesh, .scale = scale};
	size_t words = (size_t)grid->leaf_count * BLOCK_WORDS + 1;
	s.searching = mem_alloc(words * sizeof *s.searching);
	s.slot_of = mem_alloc(words * sizeof *s.slot_of);
	s.leaves = mem_alloc(words * sizeof *s.leaves);
	spate_result result = SPATE_OK;
	if (!s.searching || !s.slot_of || !s.leaves)
		result = error_memory(error, words * 16);
	else
	{
		parallel_for(threads, grid->leaf_count, LEAVES_AT_A_TIME, mark_searching, &s);
		result = search_all(&s, threads, error);
	}
	mem_free(s.searching);
	mem_free(s.slot_of);
	mem_free(s.leaves);
	mem_free(s.now);
	mem_free(s.next);
	return result;
}
