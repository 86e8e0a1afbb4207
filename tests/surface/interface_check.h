// What must hold for every interface mesh: closed fluids, seams only where three labels meet, space parted without gap or overlap.
#ifndef TESTS_INTERFACE_CHECK_H
#define TESTS_INTERFACE_CHECK_H

#include "check.h"
#include "dice.h"

#include "base/memory.h"
#include "surface/chromatic_mesh.h"
#include "surface/key_map.h"

// Triangles that use an edge, by its ends; the caller frees it.
static inline key_map count_edges(const spate_mesh *m)
{
	key_map edges = {0};
	for (uint32_t i = 0; i < 3 * m->triangle_count; i++)
	{
		uint32_t a = m->triangles[i], b = m->triangles[i % 3 == 2 ? i - 2 : i + 1];
		uint32_t *n = key_map_put(&edges, a < b ? a : b, a < b ? b : a, 0, 0);
		assert_non_null(n);
		++*n;
	}
	return edges;
}

static inline double mesh_volume(const spate_mesh *m)
{
	double sum = 0.0;
	for (uint32_t t = 0; t < m->triangle_count; t++)
	{
		const float *a = m->positions + 3 * m->triangles[3 * t],
			    *b = m->positions + 3 * m->triangles[3 * t + 1],
			    *c = m->positions + 3 * m->triangles[3 * t + 2];
		sum += (double)a[0] * ((double)b[1] * c[2] - (double)b[2] * c[1]) +
		       (double)a[1] * ((double)b[2] * c[0] - (double)b[0] * c[2]) +
		       (double)a[2] * ((double)b[0] * c[1] - (double)b[1] * c[0]);
	}
	return sum / 6.0;
}

static inline int64_t mesh_euler(const spate_mesh *m)
{
	key_map edges = count_edges(m);
	int64_t euler = (int64_t)m->vertex_count - (int64_t)edges.count + (int64_t)m->triangle_count;
	key_map_free(&edges);
	return euler;
}

// Pieces that do not share a vertex.
static inline uint32_t mesh_components(const spate_mesh *m)
{
	uint32_t *root = mem_alloc((m->vertex_count + 1) * sizeof *root), count = m->vertex_count;
	for (uint32_t v = 0; v < m->vertex_count; v++)
		root[v] = v;
	for (uint32_t i = 0; i < 3 * m->triangle_count; i++)
	{
		uint32_t a = m->triangles[i], b = m->triangles[i - i % 3];
		while (root[a] != a)
			a = root[a] = root[root[a]];
		while (root[b] != b)
			b = root[b] = root[root[b]];
		if (a == b)
			continue;
		root[a > b ? a : b] = a > b ? b : a;
		count--;
	}
	mem_free(root);
	return count;
}

// Volume and Euler number of one fluid, whose every edge must have two triangles that run along it in opposite directions.
static inline double check_fluid(const chromatic_mesh *mesh, uint8_t fluid, int64_t *euler)
{
	spate_mesh *one;
	check_ok(chromatic_mesh_extract(mesh, fluid, &one, NULL));
	key_map edges = count_edges(one), directed = {0};
	for (size_t i = 0; i < edges.capacity; i++)
		if (edges.slots[i].value != KEY_MAP_FREE && edges.slots[i].value != 2)
			fail_msg("an edge of fluid %u has %u triangles", fluid, edges.slots[i].value);
	for (uint32_t i = 0; i < 3 * one->triangle_count; i++)
		key_map_put(&directed, one->triangles[i], one->triangles[i % 3 == 2 ? i - 2 : i + 1], 0, 0);
	assert_int_equal(directed.count, 3 * one->triangle_count);
	double volume = mesh_volume(one);
	if (euler)
		*euler = mesh_euler(one);
	key_map_free(&edges);
	key_map_free(&directed);
	spate_mesh_destroy(one);
	return volume;
}

// In the mesh of all, an edge has two triangles with the same two sides, or three with three labels. Returns the latter.
static inline uint32_t check_seams(const chromatic_mesh *mesh)
{
	const spate_mesh *m = mesh->mesh;
	key_map edges = count_edges(m), labels = {0};
	for (uint32_t i = 0; i < 3 * m->triangle_count; i++)
	{
		uint32_t a = m->triangles[i], b = m->triangles[i % 3 == 2 ? i - 2 : i + 1];
		uint32_t *set = key_map_put(&labels, a < b ? a : b, a < b ? b : a, 0, 0);
		*set |= 1u << mesh->sides[i / 3][0] | 1u << mesh->sides[i / 3][1];
	}
	uint32_t seams = 0;
	for (size_t i = 0; i < edges.capacity; i++)
	{
		key_slot e = edges.slots[i];
		if (e.value == KEY_MAP_FREE)
			continue;
		uint32_t meet = (uint32_t)__builtin_popcount(*key_map_put(&labels, e.key[0], e.key[1], 0, 0));
		if (e.value != meet)
			fail_msg("an edge with %u labels around has %u triangles", meet, e.value);
		seams += meet == 3;
	}
	key_map_free(&edges);
	key_map_free(&labels);
	for (uint32_t t = 0; t < m->triangle_count; t++)
		assert_true(mesh->sides[t][0] > mesh->sides[t][1]);
	return seams;
}

// Triangles by the squares of a grid across y and z that their boxes touch.
typedef struct ray_bins
{
	const chromatic_mesh *mesh;
	float low[3], high[3];
	uint32_t side;
	uint32_t *starts, *list;
} ray_bins;

static inline uint32_t ray_bin(const ray_bins *b, float x, int axis)
{
	float t = (x - b->low[axis]) / (b->high[axis] - b->low[axis]) * (float)b->side;
	return t < 0.0f ? 0 : t >= (float)b->side ? b->side - 1 : (uint32_t)t;
}

static inline ray_bins ray_bins_make(const chromatic_mesh *mesh)
{
	const spate_mesh *m = mesh->mesh;
	ray_bins b = {.mesh = mesh, .low = {1e30f, 1e30f, 1e30f}, .high = {-1e30f, -1e30f, -1e30f}, .side = 64};
	for (uint32_t i = 0; i < 3 * m->vertex_count; i++)
	{
		b.low[i % 3] = fminf(b.low[i % 3], m->positions[i]);
		b.high[i % 3] = fmaxf(b.high[i % 3], m->positions[i]);
	}
	uint32_t cells = b.side * b.side;
	b.starts = mem_calloc(cells + 2, sizeof *b.starts);
	for (int pass = 0; pass < 2; pass++)
	{
		for (uint32_t t = 0; t < m->triangle_count; t++)
		{
			uint32_t from[2], to[2];
			for (int k = 0; k < 2; k++)
			{
				float p[3];
				for (int c = 0; c < 3; c++)
					p[c] = m->positions[3 * m->triangles[3 * t + (uint32_t)c] + 1 + (uint32_t)k];
				from[k] = ray_bin(&b, fminf(p[0], fminf(p[1], p[2])), k + 1);
				to[k] = ray_bin(&b, fmaxf(p[0], fmaxf(p[1], p[2])), k + 1);
			}
			for (uint32_t z = from[1]; z <= to[1]; z++)
				for (uint32_t y = from[0]; y <= to[0]; y++)
				{
					uint32_t cell = z * b.side + y;
					if (pass == 0)
						b.starts[cell + 2]++;
					else
						b.list[b.starts[cell + 1]++] = t;
				}
		}
		if (pass == 0)
		{
			for (uint32_t c = 0; c < cells; c++)
				b.starts[c + 2] += b.starts[c + 1];
			b.list = mem_alloc((b.starts[cells + 1] + 1) * sizeof *b.list);
		}
	}
	return b;
}

static inline void ray_bins_free(ray_bins *b)
{
	mem_free(b->starts);
	mem_free(b->list);
}

// Twice the signed area of a, b and p across x. Its sign does not depend on which triangle asks. Points have more digits than vertices, so
// that none is in line with an edge.
static inline double across(const float *a, const float *b, const double *p)
{
	if (memcmp(a, b, 3 * sizeof *a) > 0)
		return -across(b, a, p);
	return ((double)b[1] - a[1]) * (p[2] - a[2]) - ((double)b[2] - a[2]) * (p[1] - a[1]);
}

// The label at p by the winding numbers of all fluids along x; fails when it is not in exactly one of them or in none.
static inline uint8_t ray_label(const ray_bins *b, const double p[3])
{
	const spate_mesh *m = b->mesh->mesh;
	int winding[16] = {0};
	uint32_t cell = ray_bin(b, (float)p[2], 2) * b->side + ray_bin(b, (float)p[1], 1);
	for (uint32_t i = b->starts[cell]; i < b->starts[cell + 1]; i++)
	{
		const uint32_t *t = m->triangles + 3 * b->list[i];
		const float *q[3] = {m->positions + 3 * t[0], m->positions + 3 * t[1], m->positions + 3 * t[2]};
		double w[3] = {across(q[1], q[2], p), across(q[2], q[0], p), across(q[0], q[1], p)};
		int positive = w[0] > 0.0 && w[1] > 0.0 && w[2] > 0.0;
		if (!positive && !(w[0] < 0.0 && w[1] < 0.0 && w[2] < 0.0))
			continue;
		double x = (w[0] * q[0][0] + w[1] * q[1][0] + w[2] * q[2][0]) / (w[0] + w[1] + w[2]);
		if (x < p[0])
			continue;
		const uint8_t *sides = b->mesh->sides[b->list[i]];
		winding[sides[0]] += positive ? 1 : -1;
		winding[sides[1]] -= positive ? 1 : -1;
	}
	int label = 0, owners = 0;
	for (int k = 1; k < 16; k++)
	{
		if (winding[k] == 0)
			continue;
		label = k;
		owners += winding[k] == 1 ? 1 : 100;
	}
	if (owners > 1)
		fail_msg("%g %g %g is in several fluids, or a fluid winds around it wrongly", p[0], p[1], p[2]);
	return (uint8_t)label;
}

typedef uint8_t exact_label(const void *context, const float p[3]);

// Random points are in one fluid or in air. Returns the share of them for which that is also what `exact` says.
static inline double check_parted(const chromatic_mesh *mesh, uint32_t count, exact_label *exact, const void *context)
{
	ray_bins b = ray_bins_make(mesh);
	dice d = {7};
	uint32_t right = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		double p[3];
		for (int k = 0; k < 3; k++)
		{
			double size = (double)b.high[k] - b.low[k], t = (double)(dice_bits(&d) >> 11) * 0x1p-53;
			p[k] = b.low[k] + size * (1.1 * t - 0.05);
		}
		uint8_t label = ray_label(&b, p);
		right += exact && label == exact(context, (const float[3]){(float)p[0], (float)p[1], (float)p[2]});
	}
	ray_bins_free(&b);
	return (double)right / count;
}

static inline int same_mesh(const chromatic_mesh *a, const chromatic_mesh *b)
{
	const spate_mesh *p = a->mesh, *q = b->mesh;
	return p->vertex_count == q->vertex_count && p->triangle_count == q->triangle_count &&
	       !memcmp(p->positions, q->positions, 3 * p->vertex_count * sizeof(float)) &&
	       !memcmp(p->triangles, q->triangles, 3 * p->triangle_count * sizeof(uint32_t)) &&
	       !memcmp(a->sides, b->sides, 2 * p->triangle_count);
}

#endif
