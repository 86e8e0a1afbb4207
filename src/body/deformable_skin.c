// The surface of a deformable body that others meet.
#include "base/error.h"
#include "base/memory.h"
#include "body/deformable_work.h"
#include "mesh/edges.h"

#include <math.h>
#include <string.h>

enum
{
	RING = 6 // vertices around a point of a rope
};

static uint32_t tube_vertices(uint32_t points)
{
	return RING * points + 2;
}

static void make_tube(spate_mesh *mesh, uint32_t points)
{
	uint32_t *t = mesh->triangles, last = RING * points;
	for (uint32_t k = 0; k + 1 < points; k++)
		for (uint32_t j = 0; j < RING; j++)
		{
			uint32_t a = RING * k + j, b = RING * k + (j + 1) % RING, c = a + RING, d = b + RING;
			const uint32_t both[6] = {a, b, d, a, d, c};
			memcpy(t, both, sizeof both);
			t += 6;
		}
	for (uint32_t j = 0; j < RING; j++)
	{
		uint32_t next = (j + 1) % RING, far = RING * (points - 1);
		const uint32_t caps[6] = {last, next, j, last + 1, far + j, far + next};
		memcpy(t, caps, sizeof caps);
		t += 6;
	}
}

static void unit(double v[3])
{
	double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	for (int i = 0; i < 3 && length > 0.0; i++)
		v[i] /= length;
}

// The vertices of a tube around points, whose first ring begins in a direction.
static void wrap(const deformable *b, const double *places, const double frame[3], float *out)
{
	double across[3] = {frame[0], frame[1], frame[2]};
	for (uint32_t k = 0; k < b->count; k++)
	{
		const double *before = places + 3 * (size_t)(k > 0 ? k - 1 : 0),
			     *after = places + 3 * (size_t)(k + 1 < b->count ? k + 1 : k), *p = places + 3 * (size_t)k;
		double way[3], side[3], along = 0.0;
		for (int i = 0; i < 3; i++)
			way[i] = after[i] - before[i];
		unit(way);
		for (int i = 0; i < 3; i++)
			along += way[i] * across[i];
		for (int i = 0; i < 3; i++)
			across[i] -= along * way[i];
		unit(across);
		side[0] = way[1] * across[2] - way[2] * across[1];
		side[1] = way[2] * across[0] - way[0] * across[2];
		side[2] = way[0] * across[1] - way[1] * across[0];
		for (uint32_t j = 0; j < RING; j++)
		{
			double angle = 2.0 * 3.14159265358979323846 * j / RING;
			for (uint32_t i = 0; i < 3; i++)
				out[3 * (RING * k + j) + i] =
				    (float)(p[i] + b->def.radius * (cos(angle) * across[i] + sin(angle) * side[i]));
		}
	}
	for (uint32_t i = 0; i < 3; i++)
	{
		out[3 * RING * b->count + i] = (float)places[i];
		out[3 * RING * b->count + 3 + i] = (float)places[3 * (size_t)b->count - 3 + i];
	}
}

static spate_result wrap_rope(deformable *b, spate_error *error)
{
	double way[3] = {b->place[3] - b->place[0], b->place[4] - b->place[1], b->place[5] - b->place[2]}, along;
	unit(way);
	int axis = fabs(way[0]) < 0.6 ? 0 : fabs(way[1]) < 0.6 ? 1 : 2;
	along = way[axis];
	for (int i = 0; i < 3; i++)
		b->frame[i] = (i == axis) - along * way[i];
	unit(b->frame);
	memcpy(b->frame_before, b->frame, sizeof b->frame);
	spate_result result = spate_mesh_create(&b->surface, tube_vertices(b->count), 2 * RING * b->count, error);
	if (result != SPATE_OK)
		return result;
	make_tube(b->surface, b->count);
	wrap(b, b->place, b->frame, b->surface->positions);
	b->closed = 1;
	b->anchors = mem_calloc(b->surface->vertex_count, sizeof *b->anchors);
	if (!b->anchors)
		return error_memory(error, b->surface->vertex_count * sizeof *b->anchors);
	for (uint32_t v = 0; v < b->surface->vertex_count; v++)
	{
		uint32_t node = v < RING * b->count ? v / RING : v == RING * b->count ? 0 : b->count - 1;
		b->anchors[v] = (body_anchor){{node, node, node, node}, {1.0, 0.0, 0.0, 0.0}};
	}
	return SPATE_OK;
}

static spate_result copy_sheet(deformable *b, spate_error *error)
{
	const spate_mesh *from = b->def.mesh;
	spate_result result = spate_mesh_create(&b->surface, from->vertex_count, from->triangle_count, error);
	if (result != SPATE_OK)
		return result;
	memcpy(b->surface->positions, from->positions, 3 * sizeof(float) * from->vertex_count);
	memcpy(b->surface->triangles, from->triangles, 3 * sizeof(uint32_t) * from->triangle_count);
	return SPATE_OK;
}

spate_result skin_create(deformable *b, spate_error *error)
{
	spate_result result = b->def.kind == DEFORMABLE_ROPE ? wrap_rope(b, error) : copy_sheet(b, error);
	if (result != SPATE_OK)
		return result;
	size_t size = 3 * (size_t)b->count;
	b->at_rest = mem_alloc(size * sizeof *b->at_rest);
	b->owner = mem_alloc(b->count * sizeof *b->owner);
	if (!b->at_rest || !b->owner)
		return error_memory(error, size * sizeof *b->at_rest);
	memcpy(b->at_rest, b->place, size * sizeof *b->at_rest);
	for (uint32_t n = 0; n < b->count; n++)
		b->owner[n] = UINT32_MAX;
	double area = 0.0;
	for (uint32_t k = b->triangle_count; k-- > 0;)
	{
		area += b->triangles[k].area;
		for (int a = 0; a < 3; a++)
			b->owner[b->triangles[k].node[a]] = k;
	}
	b->mean = b->triangle_count > 0 ? sqrt(2.0 * area / b->triangle_count) : b->fine;
	return SPATE_OK;
}

const spate_mesh *deformable_surface(const deformable *b)
{
	return b->surface;
}

int deformable_is_closed(const deformable *b)
{
	return b->closed;
}

static void show(const deformable *b, const double *places, const double frame[3], float *out)
{
	if (b->def.kind == DEFORMABLE_ROPE)
	{
		wrap(b, places, frame, out);
		return;
	}
	for (uint32_t v = 0; v < b->surface->vertex_count; v++)
		for (size_t i = 0; i < 3; i++)
		{
			double sum = 0.0;
			for (int a = 0; a < 4 && b->anchors; a++)
				sum += b->anchors[v].weight[a] * places[3 * (size_t)b->anchors[v].node[a] + i];
			out[3 * (size_t)v + i] = (float)(b->anchors ? sum : places[3 * (size_t)v + i]);
		}
}

void deformable_show(deformable *b, float *before, float *now)
{
	if (before)
		show(b, b->start, b->frame_before, before);
	if (now)
		show(b, b->place, b->frame, now);
}

void deformable_spread(const deformable *b, const double *at_vertices, double *at_nodes)
{
	for (uint32_t v = 0; v < b->surface->vertex_count; v++)
		for (size_t i = 0; i < 3; i++)
		{
			if (!b->anchors)
				at_nodes[3 * (size_t)v + i] += at_vertices[3 * (size_t)v + i];
			for (int a = 0; a < 4 && b->anchors; a++)
				at_nodes[3 * (size_t)b->anchors[v].node[a] + i] +=
				    b->anchors[v].weight[a] * at_vertices[3 * (size_t)v + i];
		}
}

void deformable_carry(const deformable *b, const double *at_nodes, double *at_vertices)
{
	for (uint32_t v = 0; v < b->surface->vertex_count; v++)
		for (size_t i = 0; i < 3; i++)
		{
			double sum = 0.0;
			for (int a = 0; a < 4 && b->anchors; a++)
				sum += b->anchors[v].weight[a] * at_nodes[3 * (size_t)b->anchors[v].node[a] + i];
			at_vertices[3 * (size_t)v + i] = b->anchors ? sum : at_nodes[3 * (size_t)v + i];
		}
}
