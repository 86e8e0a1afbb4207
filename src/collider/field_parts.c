#include "collider/field_parts.h"

#include "base/error.h"
#include "base/forest.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"
#include "mesh/weld.h"

#include <string.h>

static const uint32_t no_part = UINT32_MAX;

typedef struct topology
{
	const spate_mesh *mesh;
	uint32_t *corners; // 3 per triangle, welded
	uint8_t *alive;    // 1: not excluded and not peeled
	uint8_t *counts;   // 1: neither degenerate nor a duplicate
	uint64_t *keys;    // of sides or triangles, sorted
	uint32_t *payload;
	void *scratch;
	uint32_t *run_of;  // per side 3 t + k: index of the first equal side in sorted order
	uint32_t *sharing; // by that index: number of alive triangles at the side
	uint32_t *stack;
	uint32_t *parent; // of vertices, for connected pieces
} topology;

// Gives vertices at the same place the same number.
static int weld_corners(topology *t)
{
	const spate_mesh *mesh = t->mesh;
	uint32_t *number = t->parent; // not in use yet
	weld points = {.slots = NULL};
	int good = 1;
	for (uint32_t v = 0; v < mesh->vertex_count && good; v++)
		good = weld_add(&points, mesh->positions + 3 * (size_t)v, &number[v]);
	for (size_t s = 0; s < 3 * (size_t)mesh->triangle_count && good; s++)
		t->corners[s] = number[mesh->triangles[s]];
	weld_free(&points);
	return good;
}

static void swap_if(uint32_t *a, uint32_t *b)
{
	uint32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
	*a = low;
	*b = high;
}

static void sorted_corners(const topology *t, uint32_t triangle, uint32_t out[3])
{
	memcpy(out, t->corners + 3 * (size_t)triangle, 3 * sizeof *out);
	swap_if(&out[0], &out[1]);
	swap_if(&out[1], &out[2]);
	swap_if(&out[0], &out[1]);
}

// Keeps only the first of triangles with the same three corners.
static void drop_copies(topology *t, int threads)
{
	uint32_t count = t->mesh->triangle_count;
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t c[3];
		sorted_corners(t, i, c);
		t->counts[i] = c[0] != c[1] && c[1] != c[2];
		t->keys[i] = hash_mix(hash_mix((uint64_t)c[0] << 32 | c[1]) + c[2]);
		t->payload[i] = i;
	}
	sort_radix(threads, count, t->keys, t->payload, t->scratch);
	for (uint32_t i = 1; i < count; i++)
		for (uint32_t k = i; k-- > 0 && t->keys[k] == t->keys[i];)
		{
			uint32_t a[3], b[3];
			sorted_corners(t, t->payload[i], a);
			sorted_corners(t, t->payload[k], b);
			if (memcmp(a, b, sizeof a) == 0)
			{
				t->counts[t->payload[i]] = 0;
				break;
			}
		}
}

// Numbers the sides so that shared ones have the same number, and counts the triangles at each.
static void join_sides(topology *t, int threads)
{
	uint32_t count = 3 * t->mesh->triangle_count;
	for (uint32_t s = 0; s < count; s++)
	{
		uint32_t first = s - s % 3, a = t->corners[s], b = t->corners[first + (s + 1) % 3];
		swap_if(&a, &b);
		t->keys[s] = (uint64_t)a << 32 | b;
		t->payload[s] = s;
	}
	sort_radix(threads, count, t->keys, t->payload, t->scratch);
	memset(t->sharing, 0, count * sizeof *t->sharing);
	for (uint32_t i = 0, run = 0; i < count; i++)
	{
		run = i && t->keys[i] == t->keys[i - 1] ? run : i;
		t->run_of[t->payload[i]] = run;
		t->sharing[run] += t->counts[t->payload[i] / 3];
	}
}

// Removes triangles with a free side until there are none left.
static void peel(topology *t)
{
	uint32_t count = t->mesh->triangle_count, waiting = 0;
	memcpy(t->alive, t->counts, count);
	for (uint32_t i = 0; i < count; i++)
	{
		const uint32_t *run = t->run_of + 3 * (size_t)i;
		if (t->alive[i] && (t->sharing[run[0]] < 2 || t->sharing[run[1]] < 2 || t->sharing[run[2]] < 2))
		{
			t->alive[i] = 0;
			t->stack[waiting++] = i;
		}
	}
	while (waiting > 0)
	{
		uint32_t gone = t->stack[--waiting];
		for (int k = 0; k < 3; k++)
		{
			uint32_t run = t->run_of[3 * (size_t)gone + (size_t)k];
			if (--t->sharing[run] != 1)
				continue;
			for (uint32_t i = run; i < 3 * count && t->keys[i] == t->keys[run]; i++)
				if (t->alive[t->payload[i] / 3])
				{
					t->alive[t->payload[i] / 3] = 0;
					t->stack[waiting++] = t->payload[i] / 3;
				}
		}
	}
}

// Numbers the pieces of the peeled triangles from 1 by their first triangle, and sorts all triangles by part.
static spate_result number_parts(topology *t, mesh_parts *parts, spate_error *error)
{
	uint32_t count = t->mesh->triangle_count, vertices = t->mesh->vertex_count;
	uint32_t *part_of = t->run_of; // no longer needed
	forest_init(t->parent, vertices);
	for (uint32_t i = 0; i < count; i++)
		for (int k = 1; k < 3 && t->counts[i] && !t->alive[i]; k++)
		{
			const uint32_t *c = t->corners + 3 * (size_t)i;
			forest_join(t->parent, c[0], c[k]);
		}
	uint32_t *number = t->stack; // of a piece, stored at its first triangle
	parts->part_count = 1;
	uint32_t *first_of = mem_alloc(vertices * sizeof *first_of + 4);
	parts->triangles = mem_alloc(count * sizeof *parts->triangles + 4);
	if (!first_of || !parts->triangles)
	{
		mem_free(first_of);
		return error_memory(error, vertices * sizeof *first_of);
	}
	memset(first_of, 0xff, vertices * sizeof *first_of);
	for (uint32_t i = 0; i < count; i++)
	{
		part_of[i] = no_part;
		if (!t->counts[i])
			continue;
		if (t->alive[i])
		{
			part_of[i] = 0;
			continue;
		}
		uint32_t root = forest_root(t->parent, t->corners[3 * (size_t)i]);
		if (first_of[root] == UINT32_MAX)
		{
			first_of[root] = i;
			number[i] = parts->part_count++;
		}
		part_of[i] = number[first_of[root]];
	}
	mem_free(first_of);
	parts->starts = mem_calloc((size_t)parts->part_count + 2, sizeof *parts->starts);
	if (!parts->starts)
		return error_memory(error, parts->part_count * sizeof *parts->starts);
	// counting sort; starts[p + 1] moves from the beginning of part p to its end
	for (uint32_t i = 0; i < count; i++)
		if (part_of[i] != no_part)
			parts->starts[part_of[i] + 2]++;
	for (uint32_t p = 1; p <= parts->part_count; p++)
		parts->starts[p + 1] += parts->starts[p];
	for (uint32_t i = 0; i < count; i++)
		if (part_of[i] != no_part)
			parts->triangles[parts->starts[part_of[i] + 1]++] = i;
	return SPATE_OK;
}

spate_result mesh_parts_init(mesh_parts *parts, const spate_mesh *mesh, int threads, spate_error *error)
{
	*parts = (mesh_parts){0};
	size_t triangles = mesh->triangle_count, sides = 3 * triangles;
	if (sides > UINT32_MAX / 2 || mesh->vertex_count > INT32_MAX)
		return error_set(error, SPATE_INVALID, "a mesh of %zu triangles is too large for a distance field",
				 triangles);
	topology t = {.mesh = mesh};
	t.corners = mem_alloc(sides * sizeof *t.corners);
	t.alive = mem_alloc(triangles);
	t.counts = mem_alloc(triangles);
	t.keys = mem_alloc(sides * sizeof *t.keys);
	t.payload = mem_alloc(sides * sizeof *t.payload);
	t.scratch = mem_alloc(sort_radix_scratch((uint32_t)sides) + 8);
	t.run_of = mem_alloc(sides * sizeof *t.run_of);
	t.sharing = mem_alloc(sides * sizeof *t.sharing);
	t.stack = mem_alloc(sides * sizeof *t.stack);
	t.parent = mem_alloc(mesh->vertex_count * sizeof *t.parent);
	spate_result result = SPATE_OK;
	if (!t.corners || !t.alive || !t.counts || !t.keys || !t.payload || !t.scratch || !t.run_of || !t.sharing ||
	    !t.stack || !t.parent)
		result = error_memory(error, sides * 40);
	if (result == SPATE_OK && !weld_corners(&t))
		result = error_memory(error, (size_t)mesh->vertex_count * 20);
	if (result == SPATE_OK)
	{
		drop_copies(&t, threads);
		join_sides(&t, threads);
		peel(&t);
		result = number_parts(&t, parts, error);
	}
	void *blocks[] = {t.corners, t.alive,  t.counts,  t.keys,  t.payload,
			  t.scratch, t.run_of, t.sharing, t.stack, t.parent};
	for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
		mem_free(blocks[i]);
	if (result != SPATE_OK)
		mesh_parts_free(parts);
	return result;
}

void mesh_parts_free(mesh_parts *parts)
{
	mem_free(parts->triangles);
	mem_free(parts->starts);
	*parts = (mesh_parts){0};
}
