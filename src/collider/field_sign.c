// Free space is the space reachable from far away; the rest is enclosed. How it is explored depends on the part of the
// mesh.
//
// Triangles without a border (part 0) stop a walk along the lattice by themselves: the walk takes every lattice edge
// that no triangle crosses.
//
// A piece with a border may have cracks. Space farther than a radius r from the piece falls into regions that a ball of
// that radius cannot leave through a crack narrower than 2 r; regions not reached from far away are cores of enclosed
// space. The layer within r of the triangles is then divided: free space and cores grow into it step by step at the
// same speed, along edges that no triangle crosses, and the first to arrive keeps a voxel. At a wall both stop at the
// triangles, in a crack they meet half-way. The smallest radius that finds a core is used, so a sheet, which has none,
// encloses nothing.
//
//	  free  free  free  free             f f f f f f f
//	  ----- ----|       |---- ----       ----|  f  |----     (layer divided)
//	   layer     crack < 2r              c c   c     c c
//	  core  core  core  core             c c c c c c c
//
// Pieces are examined one by one, so that a gap between two of them is not mistaken for a crack. Those that enclose
// nothing alone are then tried together, since a solid may be made of patches that do not quite meet.
#include "collider/field_sign.h"

#include "base/array.h"
#include "base/error.h"
#include "base/parallel.h"
#include "collider/field_parts.h"

#include <string.h>

enum
{
	LEAST_PIECE = 4, // minimum number of triangles to enclose space
	LEAVES_AT_A_TIME = 64
};

static const float radii[] = {0.9f, 1.5f, 2.5f}; // cells
static const float piece_reach = 3.5f;           // cells
static const float on_surface = 1e-3f;           // cells

static const uint64_t face_y0 = 0xff, face_z0 = 0x0101010101010101u;

typedef struct flood
{
	const voxel_grid *grid;
	const uint64_t *allowed; // masks of leaves: voxels that may be entered
	uint64_t *reached;       // masks of leaves
	uint8_t *blocks;         // 1: a block without a leaf has been reached
	uint8_t *queued;
	ARRAY(uint32_t) queue;
} flood;

static const uint64_t no_masks[3 * BLOCK_WORDS];

static const uint64_t *crossed_of(const voxel_grid *grid, int32_t leaf)
{
	return leaf == NO_LEAF ? no_masks : grid->crossed + (size_t)leaf * 3 * BLOCK_WORDS;
}

// Steps across a face of a block whose mask is `from`: `out` gets the reachable voxels of the other block. Faces 0 to 5
// are -x, +x, -y, +y, -z, +z. A lattice edge between two blocks is stored with the lower one.
static void step_over(int face, const uint64_t *from, const uint64_t *from_crossed, const uint64_t *to_crossed,
		      uint64_t out[BLOCK_WORDS])
{
	memset(out, 0, BLOCK_WORDS * sizeof *out);
	const uint64_t *crossed = (face & 1 ? from_crossed : to_crossed) + face / 2 * BLOCK_WORDS;
	if (face == 0)
		out[7] = from[0] & ~crossed[7];
	else if (face == 1)
		out[0] = from[7] & ~crossed[7];
	else
		for (int x = 0; x < BLOCK_WORDS; x++)
			switch (face)
			{
			case 2:
				out[x] = (from[x] & face_y0) << 56 & ~crossed[x];
				break;
			case 3:
				out[x] = (from[x] & ~crossed[x]) >> 56;
				break;
			case 4:
				out[x] = (from[x] & face_z0) << 7 & ~crossed[x];
				break;
			default:
				out[x] = (from[x] & ~crossed[x]) >> 7 & face_z0;
				break;
			}
}

// One step in all directions within a block.
static void step_within(const uint64_t *from, const uint64_t *crossed, uint64_t out[BLOCK_WORDS])
{
	const uint64_t *cx = crossed, *cy = crossed + BLOCK_WORDS, *cz = crossed + 2 * BLOCK_WORDS;
	for (int x = 0; x < BLOCK_WORDS; x++)
	{
		uint64_t f = from[x];
		out[x] = (f & ~cy[x]) << 8 | (f >> 8 & ~cy[x]);
		out[x] |= (f & ~cz[x] & ~(face_z0 << 7)) << 1 | (f >> 1 & ~cz[x] & ~(face_z0 << 7));
		if (x > 0)
			out[x] |= from[x - 1] & ~cx[x - 1];
		if (x < BLOCK_WORDS - 1)
			out[x] |= from[x + 1] & ~cx[x];
	}
}

// The block across a face. Returns 0 at the border of the grid.
static int block_across(const voxel_grid *grid, size_t block, int face, size_t *other)
{
	int32_t place[3];
	voxel_grid_place(grid, block, place);
	place[face / 2] += face & 1 ? 1 : -1;
	return voxel_grid_find(grid, place, other);
}

static int enqueue(flood *f, size_t block)
{
	if (f->queued[block])
		return 1;
	f->queued[block] = 1;
	return array_push(&f->queue, (uint32_t)block);
}

// Extends the reached voxels to everything reachable within a leaf.
static void fill_leaf(const flood *f, int32_t leaf)
{
	uint64_t *reached = f->reached + (size_t)leaf * BLOCK_WORDS, step[BLOCK_WORDS], news;
	const uint64_t *allowed = f->allowed + (size_t)leaf * BLOCK_WORDS;
	do
	{
		step_within(reached, crossed_of(f->grid, leaf), step);
		news = 0;
		for (int x = 0; x < BLOCK_WORDS; x++)
		{
			step[x] &= allowed[x] & ~reached[x];
			news |= step[x];
			reached[x] |= step[x];
		}
	} while (news);
}

// Passes reached voxels on from a block to its neighbour.
static int pass_on(flood *f, size_t block, int face)
{
	static const uint64_t all[BLOCK_WORDS] = {~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull};
	size_t other;
	if (!block_across(f->grid, block, face, &other))
		return 1;
	int32_t leaf = f->grid->leaf_of[block], to = f->grid->leaf_of[other];
	const uint64_t *from = leaf == NO_LEAF ? all : f->reached + (size_t)leaf * BLOCK_WORDS;
	uint64_t step[BLOCK_WORDS], news = 0;
	step_over(face, from, crossed_of(f->grid, leaf), crossed_of(f->grid, to), step);
	if (to == NO_LEAF)
	{
		for (int x = 0; x < BLOCK_WORDS; x++)
			news |= step[x];
		if (!news || f->blocks[other])
			return 1;
		f->blocks[other] = 1;
		return enqueue(f, other);
	}
	for (int x = 0; x < BLOCK_WORDS; x++)
	{
		size_t at = (size_t)to * BLOCK_WORDS + (size_t)x;
		step[x] &= f->allowed[at] & ~f->reached[at];
		f->reached[at] |= step[x];
		news |= step[x];
	}
	return !news || enqueue(f, other);
}

// Floods from the rim. Returns 0 when out of memory. The result does not depend on the order of the queue.
static int flood_from_rim(flood *f)
{
	memset(f->reached, 0, (size_t)f->grid->leaf_count * BLOCK_WORDS * sizeof *f->reached);
	memset(f->blocks, 0, f->grid->block_count);
	memset(f->queued, 0, f->grid->block_count);
	f->queue.count = 0;
	f->blocks[0] = 1;
	int fine = enqueue(f, 0);
	while (fine && f->queue.count > 0)
	{
		size_t block = f->queue.data[--f->queue.count];
		f->queued[block] = 0;
		if (f->grid->leaf_of[block] != NO_LEAF)
			fill_leaf(f, f->grid->leaf_of[block]);
		for (int face = 0; fine && face < 6; face++)
			fine = pass_on(f, block, face);
	}
	return fine;
}

// Two regions growing into the remaining layer.
typedef struct fronts
{
	const voxel_grid *grid;
	const uint8_t *free_blocks;
	uint64_t *now[2], *next[2]; // free space and cores; masks of leaves
	int changed;
} fronts;

// Whether a block without a leaf is free space (0) or a core (1).
static int region_of(const fronts *f, size_t block)
{
	return !f->free_blocks[block];
}

static void grow_leaves(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	static const uint64_t all[BLOCK_WORDS] = {~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull};
	fronts *f = context;
	int changed = 0;
	for (size_t leaf = begin; leaf < end; leaf++)
	{
		size_t first = leaf * BLOCK_WORDS, block = f->grid->block_of[leaf];
		const uint64_t *mine = crossed_of(f->grid, (int32_t)leaf);
		uint64_t grown[2][BLOCK_WORDS], step[BLOCK_WORDS];
		for (int side = 0; side < 2; side++)
			step_within(f->now[side] + first, mine, grown[side]);
		for (int face = 0; face < 6; face++)
		{
			size_t other;
			if (!block_across(f->grid, block, face, &other))
				continue;
			int32_t from = f->grid->leaf_of[other];
			for (int side = 0; side < 2; side++)
			{
				if (from == NO_LEAF && region_of(f, other) != side)
					continue;
				step_over(face ^ 1, from == NO_LEAF ? all : f->now[side] + (size_t)from * BLOCK_WORDS,
					  crossed_of(f->grid, from), mine, step);
				for (int x = 0; x < BLOCK_WORDS; x++)
					grown[side][x] |= step[x];
			}
		}
		for (int x = 0; x < BLOCK_WORDS; x++)
		{
			size_t at = first + (size_t)x;
			uint64_t left = ~(f->now[0][at] | f->now[1][at]), taken = grown[0][x] & left;
			f->next[0][at] = f->now[0][at] | taken;
			f->next[1][at] = f->now[1][at] | (grown[1][x] & left & ~taken);
			changed |= ((grown[0][x] | grown[1][x]) & left) != 0;
		}
	}
	if (changed)
		__atomic_store_n(&f->changed, 1, __ATOMIC_RELAXED);
}

// Divides the layer between both regions; the enclosed voxels end up in now[1].
static void divide_layer(fronts *f, int threads)
{
	do
	{
		f->changed = 0;
		parallel_for(threads, f->grid->leaf_count, LEAVES_AT_A_TIME, grow_leaves, f);
		for (int side = 0; side < 2; side++)
		{
			uint64_t *swap = f->now[side];
			f->now[side] = f->next[side];
			f->next[side] = swap;
		}
	} while (f->changed);
}

// Voxels farther than r.
static void mask_far(const voxel_grid *grid, float r, uint64_t *mask)
{
	for (size_t word = 0; word < (size_t)grid->leaf_count * BLOCK_WORDS; word++)
	{
		uint64_t bits = 0;
		const float *distance = grid->distance + word * 64;
		for (int k = 0; k < 64; k++)
			bits |= (uint64_t)(distance[k] > r) << k;
		mask[word] = bits;
	}
}

typedef struct work
{
	flood flood;
	uint64_t *masks[5];
} work;

// Finds the space enclosed by one piece: masks of leaves in masks[1]; blocks not marked in flood.blocks. Returns
// whether there is any.
static int enclose_piece(work *w, const voxel_grid *grid, int bordered, int threads, spate_result *result)
{
	flood *f = &w->flood;
	size_t words = (size_t)grid->leaf_count * BLOCK_WORDS;
	int tries = bordered ? (int)(sizeof radii / sizeof radii[0]) : 1;
	for (int i = 0; i < tries; i++)
	{
		if (bordered && radii[i] > grid->reach)
			break;
		f->allowed = w->masks[0];
		f->reached = w->masks[2];
		if (bordered)
			mask_far(grid, radii[i], w->masks[0]);
		else
			memset(w->masks[0], 0xff, words * sizeof(uint64_t));
		if (!flood_from_rim(f))
		{
			*result = SPATE_MEMORY;
			return 0;
		}
		// voxels on the surface itself are not evidence of enclosed space
		if (!bordered)
			mask_far(grid, on_surface, w->masks[0]);
		int any = 0;
		for (size_t k = 0; k < words; k++)
		{
			uint64_t left = ~w->masks[2][k];
			any |= (left & w->masks[0][k]) != 0;
			w->masks[1][k] = bordered ? left & w->masks[0][k] : left;
		}
		for (size_t k = 0; k < grid->block_count && !any; k++)
			any = grid->leaf_of[k] == NO_LEAF && !f->blocks[k];
		if (!any)
			continue;
		if (bordered)
		{
			fronts both = {.grid = grid,
				       .free_blocks = f->blocks,
				       .now = {w->masks[2], w->masks[1]},
				       .next = {w->masks[3], w->masks[4]}};
			divide_layer(&both, threads);
			w->masks[1] = both.now[1];
			w->masks[4] = both.next[1];
			w->masks[2] = both.now[0];
			w->masks[3] = both.next[0];
		}
		return 1;
	}
	return 0;
}

static spate_result work_init(work *w, const voxel_grid *grid, spate_error *error)
{
	*w = (work){.flood.grid = grid};
	size_t bytes = (size_t)grid->leaf_count * BLOCK_WORDS * sizeof(uint64_t);
	int fine = (w->flood.blocks = mem_alloc(grid->block_count)) && (w->flood.queued = mem_alloc(grid->block_count));
	for (int k = 0; fine && k < 5; k++)
		fine = (w->masks[k] = mem_alloc(bytes + 8)) != NULL;
	return fine ? SPATE_OK : error_memory(error, bytes * 5 + grid->block_count * 2);
}

static void work_free(work *w)
{
	for (int k = 0; k < 5; k++)
		mem_free(w->masks[k]);
	mem_free(w->flood.blocks);
	mem_free(w->flood.queued);
	array_free(&w->flood.queue);
}

// Adds the space that a piece encloses on its grid `from` to that of the whole mesh on `to`.
static void add_enclosed(enclosure *e, const voxel_grid *to, const work *w, const voxel_grid *from)
{
	e->any = 1;
	for (size_t block = 0; block < from->block_count; block++)
	{
		int32_t leaf = from->leaf_of[block], place[3];
		if (leaf == NO_LEAF && w->flood.blocks[block])
			continue;
		size_t target;
		voxel_grid_place(from, block, place);
		if (!voxel_grid_find(to, place, &target))
			continue;
		int32_t into = to->leaf_of[target];
		if (into == NO_LEAF)
		{
			// a block beyond the reach of all triangles is enclosed entirely or not at all
			e->blocks[target] |= leaf == NO_LEAF || (w->masks[1][(size_t)leaf * BLOCK_WORDS] & 1);
			continue;
		}
		for (size_t x = 0; x < BLOCK_WORDS; x++)
			e->leaves[(size_t)into * BLOCK_WORDS + x] |=
			    leaf == NO_LEAF ? ~(uint64_t)0 : w->masks[1][(size_t)leaf * BLOCK_WORDS + x];
	}
}

// Examines one set of triangles; *found is set to whether it encloses any space.
static spate_result add_piece(enclosure *e, const voxel_grid *grid, const triangle_set *set, int bordered, int threads,
			      int *found, spate_error *error)
{
	// use the grid of the whole mesh if the piece is all of it
	int whole = set->count == set->mesh->triangle_count;
	voxel_grid own = {0};
	spate_result result = SPATE_OK;
	if (!whole)
		result =
		    voxel_grid_init(&own, set, grid->reach < piece_reach ? grid->reach : piece_reach, threads, error);
	if (result != SPATE_OK)
		return result;
	const voxel_grid *used = whole ? grid : &own;
	work w;
	result = work_init(&w, used, error);
	*found = 0;
	if (result == SPATE_OK)
		*found = enclose_piece(&w, used, bordered, threads, &result);
	if (*found)
		add_enclosed(e, grid, &w, used);
	work_free(&w);
	voxel_grid_free(&own);
	return result == SPATE_MEMORY ? error_memory(error, grid->block_count) : result;
}

static spate_result add_parts(enclosure *e, const voxel_grid *grid, const mesh_parts *parts, triangle_set set,
			      int threads, spate_error *error)
{
	ARRAY(uint32_t) rest = {0};
	spate_result result = SPATE_OK;
	uint32_t loose = 0;
	for (uint32_t p = 0; p < parts->part_count && result == SPATE_OK; p++)
	{
		int found = 0;
		set.some = parts->triangles + parts->starts[p];
		set.count = parts->starts[p + 1] - parts->starts[p];
		if (set.count >= LEAST_PIECE)
			result = add_piece(e, grid, &set, p > 0, threads, &found, error);
		if (p == 0 || found || result != SPATE_OK)
			continue;
		loose++;
		if (!array_reserve(&rest, rest.count + set.count))
			result = error_memory(error, set.count * sizeof *rest.data);
		else
		{
			memcpy(rest.data + rest.count, set.some, set.count * sizeof *rest.data);
			rest.count += set.count;
		}
	}
	if (result == SPATE_OK && loose > 1 && rest.count >= LEAST_PIECE)
	{
		int found;
		set.some = rest.data;
		set.count = (uint32_t)rest.count;
		result = add_piece(e, grid, &set, 1, threads, &found, error);
	}
	array_free(&rest);
	return result;
}

spate_result enclosure_init(enclosure *e, const voxel_grid *grid, const spate_mesh *mesh, double scale, int threads,
			    spate_error *error)
{
	*e = (enclosure){0};
	e->leaves = mem_calloc((size_t)grid->leaf_count * BLOCK_WORDS + 1, sizeof *e->leaves);
	e->blocks = mem_calloc(grid->block_count, 1);
	mesh_parts parts = {0};
	spate_result result = SPATE_OK;
	if (!e->leaves || !e->blocks)
		result = error_memory(error, grid->block_count);
	if (result == SPATE_OK)
		result = mesh_parts_init(&parts, mesh, threads, error);
	if (result == SPATE_OK)
		result = add_parts(e, grid, &parts, (triangle_set){.mesh = mesh, .scale = scale}, threads, error);
	mesh_parts_free(&parts);
	if (result != SPATE_OK)
		enclosure_free(e);
	return result;
}

void enclosure_free(enclosure *e)
{
	mem_free(e->leaves);
	mem_free(e->blocks);
	*e = (enclosure){0};
}
