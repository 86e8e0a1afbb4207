#include "surface/contour.h"

#include "base/error.h"
#include "base/parallel.h"
#include "surface/contour_table.h"

enum
{
	BLOCKS_PER_TASK = 64
};

// Vertices keep this fraction of the edge from its ends, so that triangles around a point that the surface just touches
// have an area.
#define END_GAP 0.02f

void surface_mesh_free(surface_mesh *mesh)
{
	mem_free(mesh->positions);
	mem_free(mesh->triangles);
	*mesh = (surface_mesh){0};
}

// What a block owns: the vertices on cut edges that start at its points, by axis and point, then those in the middle of
// its cells.
typedef struct block_cuts
{
	uint64_t cut[3];   // edges along each axis
	uint32_t vertex;   // index of its first vertex
	uint32_t triangle; // index of its first triangle
	uint32_t middles;  // vertices in the middle of cells
} block_cuts;

typedef struct contour_job
{
	const surface_blocks *blocks;
	contour_table table;
	block_cuts *cuts; // per computed block
	surface_mesh *mesh;
} contour_job;

// The eight blocks at and beyond one: bit 0 of the index for x, 1 for y, 2 for z.
typedef struct block_group
{
	uint32_t slot[8];
	uint64_t inside[8];
} block_group;

static void open_group(const surface_blocks *blocks, uint32_t block, block_group *group)
{
	cell_coord c = surface_blocks_coord(blocks, block);
	for (int k = 0; k < 8; k++)
	{
		uint32_t other = block;
		if (k)
			other = surface_blocks_find(blocks,
						    (cell_coord){c.x + (k & 1), c.y + (k >> 1 & 1), c.z + (k >> 2)});
		group->slot[k] = other == BLOCK_NONE ? BLOCK_NONE : blocks->slot[other];
		group->inside[k] = other == BLOCK_NONE ? 0 : blocks->inside[other];
	}
}

// The inside bits of the points one step further along an axis; `beyond` is the word of the next block.
static uint64_t shift_word(uint64_t word, uint64_t beyond, int axis)
{
	if (axis == 0)
		return (word >> 1 & 0x7777777777777777u) | (beyond & 0x1111111111111111u) << 3;
	if (axis == 1)
		return (word >> 4 & 0x0fff0fff0fff0fffu) | (beyond & 0x000f000f000f000fu) << 12;
	return word >> 16 | beyond << 48;
}

// corners[c]: bit i is set if corner c of the cell at point i is inside.
static void corner_words(const block_group *group, uint64_t corners[8])
{
	uint64_t words[8];
	for (int k = 0; k < 8; k++)
		words[k] = group->inside[k];
	// axis by axis: after x, words[k] with odd k are shifted, and so on
	uint64_t x[8], y[8];
	for (int k = 0; k < 8; k += 2)
	{
		x[k] = words[k];
		x[k + 1] = shift_word(words[k], words[k + 1], 0);
	}
	for (int k = 0; k < 8; k++)
		y[k] = k & 2 ? shift_word(x[k ^ 2], x[k], 1) : x[k];
	for (int k = 0; k < 8; k++)
		corners[k] = k & 4 ? shift_word(y[k ^ 4], y[k], 2) : y[k];
}

// Cells that the surface passes through.
static uint64_t mixed_cells(const uint64_t corners[8])
{
	uint64_t any = 0, all = ~0ull;
	for (int c = 0; c < 8; c++)
	{
		any |= corners[c];
		all &= corners[c];
	}
	return any & ~all;
}

static int case_of(const uint64_t corners[8], int cell)
{
	int index = 0;
	for (int c = 0; c < 8; c++)
		index |= (int)(corners[c] >> cell & 1) << c;
	return index;
}

static uint32_t bits(uint64_t word)
{
	// by hand: without a popcount instruction the compiler calls a function
	word -= word >> 1 & 0x5555555555555555u;
	word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (uint32_t)(word * 0x0101010101010101u >> 56);
}

static void count_cuts(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	contour_job *job = context;
	for (size_t slot = begin; slot < end; slot++)
	{
		block_group group;
		uint64_t corners[8];
		open_group(job->blocks, job->blocks->block[slot], &group);
		corner_words(&group, corners);
		block_cuts *cuts = &job->cuts[slot];
		*cuts =
		    (block_cuts){.cut = {corners[0] ^ corners[1], corners[0] ^ corners[2], corners[0] ^ corners[4]}};
		for (uint64_t left = mixed_cells(corners); left; left &= left - 1)
		{
			const contour_case *c = &job->table.cases[case_of(corners, __builtin_ctzll(left))];
			cuts->triangle += c->triangle_count;
			cuts->middles += c->centre_count;
		}
		cuts->vertex = bits(cuts->cut[0]) + bits(cuts->cut[1]) + bits(cuts->cut[2]) + cuts->middles;
	}
}

// Vertex on the edge along `axis` from a point, given in points from the first block of the group: 0 to 4 along each
// axis.
static uint32_t edge_vertex(const contour_job *job, const block_group *group, int x, int y, int z, int axis)
{
	int block = x >> 2 | (y >> 2) << 1 | (z >> 2) << 2, point = (x & 3) | (y & 3) << 2 | (z & 3) << 4;
	const block_cuts *cuts = &job->cuts[group->slot[block]];
	uint32_t vertex = cuts->vertex;
	for (int a = 0; a < axis; a++)
		vertex += bits(cuts->cut[a]);
	return vertex + bits(cuts->cut[axis] & (((uint64_t)1 << point) - 1));
}

static void place_vertices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	contour_job *job = context;
	const surface_blocks *blocks = job->blocks;
	for (size_t slot = begin; slot < end; slot++)
	{
		const block_cuts *cuts = &job->cuts[slot];
		if (!(cuts->cut[0] | cuts->cut[1] | cuts->cut[2]))
			continue;
		block_group group;
		open_group(blocks, blocks->block[slot], &group);
		double origin[3];
		surface_blocks_origin(blocks, surface_blocks_coord(blocks, blocks->block[slot]), origin);
		const float *values = blocks->values + slot * GRID_POINTS;
		vec3 *out = job->mesh->positions + cuts->vertex;
		for (int axis = 0; axis < 3; axis++)
			for (uint64_t left = cuts->cut[axis]; left; left &= left - 1)
			{
				int point = __builtin_ctzll(left), at = point >> 2 * axis & 3, step = 1 << 2 * axis;
				float near = values[point];
				float far = at < GRID_SIDE - 1
						? values[point + step]
						: blocks->values[(size_t)group.slot[1 << axis] * GRID_POINTS +
								 (size_t)(point - 3 * step)];
				float t = fminf(fmaxf(near / (near - far), END_GAP), 1.0f - END_GAP);
				double p[3] = {point & 3, point >> 2 & 3, point >> 4};
				p[axis] += (double)t;
				*out++ = (vec3){(float)(origin[0] + p[0] * blocks->cell),
						(float)(origin[1] + p[1] * blocks->cell),
						(float)(origin[2] + p[2] * blocks->cell)};
			}
	}
}

static vec3 middle_of(const vec3 *positions, const contour_case *c, int which, const uint32_t *vertices)
{
	double sum[3] = {0};
	int count = c->loop_count[which];
	for (int k = 0; k < count; k++)
	{
		vec3 p = positions[vertices[c->loops[which][k]]];
		sum[0] += p.x;
		sum[1] += p.y;
		sum[2] += p.z;
	}
	return (vec3){(float)(sum[0] / count), (float)(sum[1] / count), (float)(sum[2] / count)};
}

static void draw_cells(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	contour_job *job = context;
	for (size_t slot = begin; slot < end; slot++)
	{
		const block_cuts *cuts = &job->cuts[slot];
		block_group group;
		uint64_t corners[8];
		open_group(job->blocks, job->blocks->block[slot], &group);
		corner_words(&group, corners);
		uint32_t *out = job->mesh->triangles + 3 * (size_t)cuts->triangle;
		uint32_t middle = cuts->vertex + bits(cuts->cut[0]) + bits(cuts->cut[1]) + bits(cuts->cut[2]);
		for (uint64_t left = mixed_cells(corners); left; left &= left - 1)
		{
			int cell = __builtin_ctzll(left), index = case_of(corners, cell);
			const contour_case *c = &job->table.cases[index];
			uint32_t vertices[CUBE_EDGES + CASE_CENTRES] = {0};
			for (int e = 0; e < CUBE_EDGES; e++)
			{
				int from = contour_edge_corner(e), axis = e >> 2;
				if ((index >> from & 1) == (index >> (from | 1 << axis) & 1))
					continue;
				vertices[e] =
				    edge_vertex(job, &group, (cell & 3) + (from & 1), (cell >> 2 & 3) + (from >> 1 & 1),
						(cell >> 4) + (from >> 2), axis);
			}
			for (int k = 0; k < c->centre_count; k++)
			{
				vertices[CUBE_EDGES + k] = middle;
				job->mesh->positions[middle++] = middle_of(job->mesh->positions, c, k, vertices);
			}
			for (int k = 0; k < 3 * c->triangle_count; k++)
				*out++ = vertices[c->corners[k]];
		}
	}
}

// Turns counts into first indices. Returns 0 if the mesh is too large.
static int number_cuts(contour_job *job, size_t count, surface_mesh *mesh)
{
	uint64_t vertices = 0, triangles = 0;
	for (size_t k = 0; k < count; k++)
	{
		uint64_t v = job->cuts[k].vertex, t = job->cuts[k].triangle;
		job->cuts[k].vertex = (uint32_t)vertices;
		job->cuts[k].triangle = (uint32_t)triangles;
		vertices += v;
		triangles += t;
	}
	if (vertices > UINT32_MAX / 4 || triangles > UINT32_MAX / 4)
		return 0;
	mesh->vertex_count = (uint32_t)vertices;
	mesh->triangle_count = (uint32_t)triangles;
	return 1;
}

spate_result surface_contour(surface_mesh *mesh, const surface_blocks *blocks, int threads, spate_error *error)
{
	*mesh = (surface_mesh){0};
	size_t count = blocks->computed;
	if (count == 0)
		return SPATE_OK;
	contour_job *job = mem_calloc(1, sizeof *job);
	block_cuts *cuts = mem_alloc(count * sizeof *cuts);
	spate_result result = SPATE_OK;
	if (!job || !cuts)
		result = error_memory(error, count * sizeof *cuts);
	else
	{
		job->blocks = blocks;
		job->cuts = cuts;
		job->mesh = mesh;
		contour_table_init(&job->table);
		parallel_for(threads, count, BLOCKS_PER_TASK, count_cuts, job);
		if (!number_cuts(job, count, mesh))
			result = error_set(error, SPATE_RANGE, "the surface has more triangles than a mesh can hold");
	}
	if (result == SPATE_OK && mesh->triangle_count)
	{
		mesh->positions = mem_alloc(mem_product(mesh->vertex_count, sizeof(vec3)));
		mesh->triangles = mem_alloc(mem_product(mesh->triangle_count, 3 * sizeof(uint32_t)));
		if (!mesh->positions || !mesh->triangles)
			result = error_memory(error, (size_t)mesh->triangle_count * 3 * sizeof(uint32_t));
	}
	if (result == SPATE_OK && mesh->triangle_count)
	{
		parallel_for(threads, count, BLOCKS_PER_TASK, place_vertices, job);
		parallel_for(threads, count, BLOCKS_PER_TASK, draw_cells, job);
	}
	mem_free(cuts);
	mem_free(job);
	if (result != SPATE_OK)
		surface_mesh_free(mesh);
	return result;
}
