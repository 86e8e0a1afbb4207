#include "surface/walls.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

enum
{
	ROUNDS = 8 // in a corner, a vertex leaves one wall after the other
};

typedef struct keep_task
{
	spate_mesh *mesh;
	const collider_set *walls;
	float reach, step; // m
	unsigned char *moved;
} keep_task;

// The direction in which the distance grows fastest, from central differences over `step`; zero if there is none.
static vec3 slope(const collider_set *walls, vec3 p, float step)
{
	float d[3];
	for (int k = 0; k < 3; k++)
	{
		vec3 shift = {k == 0 ? step : 0.0f, k == 1 ? step : 0.0f, k == 2 ? step : 0.0f};
		d[k] =
		    collider_set_distance(walls, vec3_add(p, shift)) - collider_set_distance(walls, vec3_sub(p, shift));
	}
	vec3 g = {d[0], d[1], d[2]};
	float length = vec3_length(g);
	return length > 0.0f ? vec3_scale(g, 1.0f / length) : (vec3){0.0f, 0.0f, 0.0f};
}

static int push_out(const keep_task *t, vec3 *p)
{
	vec3 start = *p, at = *p;
	float close = 1e-3f * t->step, distance = collider_set_distance(t->walls, at);
	if (!(distance < 0.0f))
		return 0;
	for (int round = 0; round < ROUNDS && distance < -close; round++)
	{
		at = vec3_add(at, vec3_scale(slope(t->walls, at, t->step), -distance));
		distance = collider_set_distance(t->walls, at);
	}
	if (vec3_length(vec3_sub(at, start)) > t->reach)
		return 0;
	*p = at;
	return 1;
}

static void push_vertices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	keep_task *t = context;
	for (size_t v = begin; v < end; v++)
	{
		float *x = t->mesh->positions + 3 * v;
		vec3 p = {x[0], x[1], x[2]};
		t->moved[v] = (unsigned char)push_out(t, &p);
		if (!t->moved[v])
			continue;
		x[0] = p.x;
		x[1] = p.y;
		x[2] = p.z;
	}
}

static vec3 vertex(const spate_mesh *mesh, uint32_t v)
{
	const float *x = mesh->positions + 3 * (size_t)v;
	return (vec3){x[0], x[1], x[2]};
}

// Recomputes the normals of moved vertices as area-weighted means over their triangles.
static void renew_normals(const spate_mesh *mesh, const unsigned char *moved, float *normals)
{
	for (size_t v = 0; v < mesh->vertex_count; v++)
		if (moved[v])
			memset(normals + 3 * v, 0, 3 * sizeof *normals);
	for (size_t t = 0; t < mesh->triangle_count; t++)
	{
		const uint32_t *c = mesh->triangles + 3 * t;
		vec3 a = vertex(mesh, c[0]);
		vec3 n = vec3_cross(vec3_sub(vertex(mesh, c[1]), a), vec3_sub(vertex(mesh, c[2]), a));
		for (int k = 0; k < 3; k++)
			if (moved[c[k]])
			{
				float *own = normals + 3 * (size_t)c[k];
				own[0] += n.x;
				own[1] += n.y;
				own[2] += n.z;
			}
	}
	for (size_t v = 0; v < mesh->vertex_count; v++)
	{
		float *n = normals + 3 * v, length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
		for (int k = 0; k < 3 && moved[v] && length > 0.0f; k++)
			n[k] /= length;
	}
}

spate_result surface_keep_out(spate_mesh *mesh, const collider_set *walls, float reach, int threads, uint32_t *moved,
			      spate_error *error)
{
	keep_task t = {.mesh = mesh, .walls = walls, .reach = reach, .step = 0.02f * reach};
	uint32_t count = 0;
	if (mesh->vertex_count > 0 && walls->count > 0)
	{
		t.moved = mem_alloc(mesh->vertex_count);
		if (!t.moved)
			return error_memory(error, mesh->vertex_count);
		parallel_for(threads, mesh->vertex_count, PARALLEL_BLOCK, push_vertices, &t);
		for (size_t v = 0; v < mesh->vertex_count; v++)
			count += t.moved[v];
		const spate_mesh_channel *normal = spate_mesh_find_channel(mesh, "normal");
		if (count > 0 && normal && normal->components == 3)
			renew_normals(mesh, t.moved, normal->values);
		mem_free(t.moved);
	}
	if (moved)
		*moved = count;
	return SPATE_OK;
}
