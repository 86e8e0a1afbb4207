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
	float step;
} smooth_job;

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
		job->to[v] = last > first ? vec3_add_scaled(p, sum, job->step / (float)(last - first)) : p;
	}
}

spate_result surface_smooth(surface_mesh *mesh, int rounds, int threads, spate_error *error)
{
	if (rounds < 1 || mesh->triangle_count == 0)
		return SPATE_OK;
	vertex_rings rings = {0};
	vec3 *other = mem_alloc(mesh->vertex_count * sizeof *other);
	spate_result result = SPATE_OK;
	if (!other)
		result = error_memory(error, mesh->vertex_count * sizeof *other);
	else
		result = vertex_rings_init(&rings, mesh, error);
	for (int round = 0; result == SPATE_OK && round < rounds; round++)
	{
		smooth_job pull = {&rings, mesh->positions, other, PULL}, push = {&rings, other, mesh->positions, PUSH};
		parallel_for(threads, mesh->vertex_count, VERTICES_PER_TASK, move_vertices, &pull);
		parallel_for(threads, mesh->vertex_count, VERTICES_PER_TASK, move_vertices, &push);
	}
	vertex_rings_free(&rings);
	mem_free(other);
	return result;
}
