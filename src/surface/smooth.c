#include "base/error.h"
#include "base/parallel.h"
#include "surface/finish.h"

#include <string.h>

enum
{
	VERTICES_PER_TASK = 4096
};

// Every round pulls vertices towards the mean of their neighbours and then pushes them back slightly further: ripples
// vanish, and shapes longer than about ten edges stay (pass band 1 / PULL + 1 / PUSH = 0.1).
#define PULL 0.55f
#define PUSH -0.582f

// Vertices are held where the mesh is bent so strongly that smoothing would remove drops and threads. Bend is the
// distance to the mean of the neighbours over the mean edge length: 0.7 for the smallest drop, below 0.2 on a noisy
// plane.
#define BEND_FREE 0.25f
#define BEND_HELD 0.5f

spate_result vertex_rings_reserve(vertex_rings *rings, const uint32_t *lengths, uint32_t count, spate_error *error)
{
	uint64_t total = 0;
	rings->first = mem_alloc(((size_t)count + 1) * sizeof *rings->first);
	for (uint32_t v = 0; rings->first && v < count; v++)
	{
		rings->first[v] = (uint32_t)total;
		total += (lengths[v] + RING_STEP - 1) / RING_STEP * RING_STEP;
	}
	if (total > UINT32_MAX)
		return error_set(error, SPATE_RANGE, "a surface of %u vertices is too large to be smoothed", count);
	rings->around = mem_alloc((total + 1) * sizeof *rings->around);
	if (!rings->first || !rings->around)
		return error_memory(error, (count + total) * sizeof *rings->around);
	rings->first[count] = (uint32_t)total;
	return SPATE_OK;
}

typedef struct rings_job
{
	const surface_mesh *mesh;
	vertex_rings *rings;
	uint32_t *lengths;
	size_t range; // vertices per task
} rings_job;

// Every task scans all triangles for its own vertices, so that rings follow the order of triangles for any number of
// threads.
static void count_rings(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	rings_job *job = context;
	size_t corners = 3 * (size_t)job->mesh->triangle_count, count = end - begin;
	for (size_t k = 0; k < corners; k++)
	{
		size_t v = job->mesh->triangles[k] - begin;
		if (v < count)
			job->lengths[begin + v]++;
	}
}

// In a closed mesh every neighbour follows the vertex in exactly one triangle.
static void fill_rings(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	rings_job *job = context;
	size_t count = end - begin;
	uint32_t *at = job->lengths, *around = job->rings->around;
	const uint32_t *first = job->rings->first, *triangle = job->mesh->triangles;
	for (size_t v = begin; v < end; v++)
		at[v] = first[v];
	for (uint32_t t = 0; t < job->mesh->triangle_count; t++, triangle += 3)
	{
		uint32_t a = triangle[0], b = triangle[1], c = triangle[2];
		if (a - begin < count)
			around[at[a]++] = b;
		if (b - begin < count)
			around[at[b]++] = c;
		if (c - begin < count)
			around[at[c]++] = a;
	}
	for (size_t v = begin; v < end; v++)
		while (at[v] < first[v + 1])
			around[at[v]++] = (uint32_t)v;
}

spate_result vertex_rings_init(vertex_rings *rings, const surface_mesh *mesh, int threads, spate_error *error)
{
	uint32_t count = mesh->vertex_count;
	rings_job job = {.mesh = mesh, .rings = rings, .range = count / (size_t)threads + 1};
	job.lengths = mem_calloc((size_t)count + 1, sizeof *job.lengths);
	if (!job.lengths)
		return error_memory(error, count * sizeof *job.lengths);
	parallel_for(threads, count, job.range, count_rings, &job);
	spate_result result = vertex_rings_reserve(rings, job.lengths, count, error);
	if (result == SPATE_OK)
		parallel_for(threads, count, job.range, fill_rings, &job);
	else
		vertex_rings_free(rings);
	mem_free(job.lengths);
	return result;
}

void vertex_rings_free(vertex_rings *rings)
{
	mem_free(rings->first);
	mem_free(rings->around);
	*rings = (vertex_rings){0};
}

// A position with a spare lane, so that a vertex is one vector.
typedef float f4 __attribute__((vector_size(16)));

typedef struct smooth_job
{
	const vertex_rings *rings;
	const f4 *from;
	f4 *to;
	vec3 *positions;
	float *freedom; // from 0 for held vertices to 1, divided by the number of neighbours
	float step;
} smooth_job;

static void widen(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	smooth_job *job = context;
	for (size_t v = begin; v < end; v++)
		job->to[v] = (f4){job->positions[v].x, job->positions[v].y, job->positions[v].z, 0.0f};
}

static void narrow(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	smooth_job *job = context;
	for (size_t v = begin; v < end; v++)
		job->positions[v] = (vec3){job->from[v][0], job->from[v][1], job->from[v][2]};
}

static float length_of(f4 a)
{
	f4 b = a * a;
	return sqrtf(b[0] + b[1] + b[2]);
}

static void find_freedom(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	smooth_job *job = context;
	for (size_t v = begin; v < end; v++)
	{
		uint32_t first = job->rings->first[v], last = job->rings->first[v + 1];
		f4 p = job->from[v], sum = {0};
		float lengths = 0.0f;
		uint32_t count = 0;
		for (uint32_t k = first; k < last; k++)
		{
			f4 edge = job->from[job->rings->around[k]] - p;
			sum += edge;
			lengths += length_of(edge);
			count += job->rings->around[k] != v;
		}
		float bend = lengths > 0.0f ? length_of(sum) / lengths : 1.0f;
		float t = fminf(fmaxf((BEND_HELD - bend) / (BEND_HELD - BEND_FREE), 0.0f), 1.0f);
		job->freedom[v] = count ? t * t * (3.0f - 2.0f * t) / (float)count : 0.0f;
	}
}

static void move_vertices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	smooth_job *job = context;
	const f4 *from = job->from;
	const uint32_t *first = job->rings->first, *around = job->rings->around + first[begin];
	for (size_t v = begin; v < end; v++)
	{
		f4 p = from[v], sum = {0};
		for (const uint32_t *last = job->rings->around + first[v + 1]; around < last; around += RING_STEP)
		{
			f4 a = (from[around[0]] - p) + (from[around[1]] - p),
			   b = (from[around[2]] - p) + (from[around[3]] - p);
			f4 c = (from[around[4]] - p) + (from[around[5]] - p),
			   d = (from[around[6]] - p) + (from[around[7]] - p);
			sum += (a + b) + (c + d);
		}
		job->to[v] = p + sum * (job->step * job->freedom[v]);
	}
}

spate_result surface_smooth_rings(vec3 *positions, uint32_t count, const vertex_rings *rings, int rounds, int threads,
				  spate_error *error)
{
	f4 *places = mem_alloc(count * sizeof *places), *other = mem_alloc(count * sizeof *other);
	float *freedom = mem_alloc(count * sizeof *freedom);
	spate_result result = SPATE_OK;
	if (!places || !other || !freedom)
		result = error_memory(error, 2 * count * sizeof *places);
	smooth_job pull = {rings, places, other, positions, freedom, PULL};
	smooth_job push = {rings, other, places, positions, freedom, PUSH};
	if (result == SPATE_OK)
	{
		parallel_for(threads, count, VERTICES_PER_TASK, widen, &push);
		parallel_for(threads, count, VERTICES_PER_TASK, find_freedom, &pull);
		for (int round = 0; round < rounds; round++)
		{
			parallel_for(threads, count, VERTICES_PER_TASK, move_vertices, &pull);
			parallel_for(threads, count, VERTICES_PER_TASK, move_vertices, &push);
		}
		parallel_for(threads, count, VERTICES_PER_TASK, narrow, &pull);
	}
	mem_free(places);
	mem_free(other);
	mem_free(freedom);
	return result;
}

spate_result surface_smooth(surface_mesh *mesh, int rounds, int threads, spate_error *error)
{
	if (rounds < 1 || mesh->triangle_count == 0)
		return SPATE_OK;
	vertex_rings rings = {0};
	spate_result result = vertex_rings_init(&rings, mesh, threads, error);
	if (result == SPATE_OK)
		result = surface_smooth_rings(mesh->positions, mesh->vertex_count, &rings, rounds, threads, error);
	vertex_rings_free(&rings);
	return result;
}
