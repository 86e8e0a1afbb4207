#include "base/error.h"
#include "base/parallel.h"
#include "surface/finish.h"

#include <string.h>

enum
{
	VERTICES_PER_TASK = 4096
};

// Every round pulls vertices to the mean of their neighbours and pushes them back a little further: ripples vanish, shapes that are
// longer than ten edges or so stay (pass band 1 / PULL + 1 / PUSH = 0.1).
#define PULL 0.55f
#define PUSH -0.582f

// Where the mesh is bent so much that drops and threads would be smoothed away, vertices are held: bend is the way to the mean of the
// neighbours over the mean length of the edges, 0.7 for the smallest drop and below 0.2 on a noisy plane.
#define BEND_FREE 0.25f
#define BEND_HELD 0.5f

spate_result vertex_rings_init(vertex_rings *rings, const surface_mesh *mesh, spate_error *error)
{
	size_t corners = 3 * (size_t)mesh->triangle_count;
	rings->first = mem_calloc((size_t)mesh->vertex_count + 2, sizeof(uint32_t));
	rings->around = mem_alloc((corners + 1) * sizeof(uint32_t));
	if (!rings->first || !rings->around)
	{
		vertex_rings_free(rings);
		return error_memory(error, corners * sizeof(uint32_t));
	}
	// in a closed mesh every neighbour follows the vertex in exactly one triangle
	uint32_t *first = rings->first;
	for (size_t k = 0; k < corners; k++)
		first[mesh->triangles[k] + 2]++;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
		first[v + 2] += first[v + 1];
	for (size_t t = 0; t < corners; t += 3)
		for (size_t k = 0; k < 3; k++)
			rings->around[first[mesh->triangles[t + k] + 1]++] = mesh->triangles[t + (k + 1) % 3];
	return SPATE_OK;
}

void vertex_rings_free(vertex_rings *rings)
{
	mem_free(rings->first);
	mem_free(rings->around);
	*rings = (vertex_rings){0};
}

typedef struct smooth_job
{
	const vertex_rings *rings;
	const vec3 *from;
	vec3 *to;
	float *freedom; // 0 for held vertices to 1
	float step;
} smooth_job;

static void find_freedom(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	smooth_job *job = context;
	for (size_t v = begin; v < end; v++)
	{
		uint32_t first = job->rings->first[v], last = job->rings->first[v + 1];
		vec3 p = job->from[v], sum = {0, 0, 0};
		float lengths = 0.0f;
		for (uint32_t k = first; k < last; k++)
		{
			vec3 edge = vec3_sub(job->from[job->rings->around[k]], p);
			sum = vec3_add(sum, edge);
			lengths += vec3_length(edge);
		}
		float bend = lengths > 0.0f ? vec3_length(sum) / lengths : 1.0f;
		float t = fminf(fmaxf((BEND_HELD - bend) / (BEND_HELD - BEND_FREE), 0.0f), 1.0f);
		job->freedom[v] = t * t * (3.0f - 2.0f * t);
	}
}

static void move_vertices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	smooth_job *job = context;
	for (size_t v = begin; v < end; v++)
	{
		uint32_t first = job->rings->first[v], last = job->rings->first[v + 1];
		vec3 p = job->from[v], sum = {0, 0, 0};
		for (uint32_t k = first; k < last; k++)
			sum = vec3_add(sum, vec3_sub(job->from[job->rings->around[k]], p));
		float step = job->step * job->freedom[v];
		job->to[v] = last > first ? vec3_add_scaled(p, sum, step / (float)(last - first)) : p;
	}
}

spate_result surface_smooth_rings(vec3 *positions, uint32_t count, const vertex_rings *rings, int rounds, int threads,
				  spate_error *error)
{
	vec3 *other = mem_alloc(count * sizeof *other);
	float *freedom = mem_alloc(count * sizeof *freedom);
	spate_result result = SPATE_OK;
	if (!other || !freedom)
		result = error_memory(error, count * sizeof *other);
	smooth_job pull = {rings, positions, other, freedom, PULL};
	smooth_job push = {rings, other, positions, freedom, PUSH};
	if (result == SPATE_OK)
		parallel_for(threads, count, VERTICES_PER_TASK, find_freedom, &pull);
	for (int round = 0; result == SPATE_OK && round < rounds; round++)
	{
		parallel_for(threads, count, VERTICES_PER_TASK, move_vertices, &pull);
		parallel_for(threads, count, VERTICES_PER_TASK, move_vertices, &push);
	}
	mem_free(other);
	mem_free(freedom);
	return result;
}

spate_result surface_smooth(surface_mesh *mesh, int rounds, int threads, spate_error *error)
{
	if (rounds < 1 || mesh->triangle_count == 0)
		return SPATE_OK;
	vertex_rings rings = {0};
	spate_result result = vertex_rings_init(&rings, mesh, error);
	if (result == SPATE_OK)
		result = surface_smooth_rings(mesh->positions, mesh->vertex_count, &rings, rounds, threads, error);
	vertex_rings_free(&rings);
	return result;
}
