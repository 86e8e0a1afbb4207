// Prepares meshes for drawing: smooth normals that stop at creases, and linear colours.
#include "base/error.h"
#include "base/parallel.h"
#include "render/draw_mesh.h"
#include "render/image.h"

#include <float.h>
#include <string.h>

enum
{
	BLOCK = 2048,
	MOST_AROUND = 256 // triangles at a vertex that may smooth each other; larger hubs stay flat
};

typedef struct normal_job
{
	const spate_mesh *mesh;
	uint32_t *start;  // per vertex, start of its part of `around`
	uint32_t *around; // corners (3 * triangle + k) at each vertex, ascending
	vec3 *faces;      // unit normals of triangles, zero if degenerate
	float *angles;    // rad, per corner
	float cosine;     // of the crease angle
	float *normals;
} normal_job;

static vec3 vertex_of(const spate_mesh *mesh, uint32_t index)
{
	const float *p = mesh->positions + 3 * (size_t)index;
	return vec3_make(p[0], p[1], p[2]);
}

static void store(float *to, vec3 v)
{
	to[0] = v.x;
	to[1] = v.y;
	to[2] = v.z;
}

static void measure_triangles(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	normal_job *job = context;
	for (size_t t = begin; t < end; t++)
	{
		vec3 p[3];
		for (size_t k = 0; k < 3; k++)
			p[k] = vertex_of(job->mesh, job->mesh->triangles[3 * t + k]);
		vec3 normal = vec3_normalize(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])));
		job->faces[t] = vec3_is_finite(normal) ? normal : vec3_make(0, 0, 0);
		for (size_t k = 0; k < 3; k++)
		{
			vec3 a = vec3_normalize(vec3_sub(p[(k + 1) % 3], p[k])),
			     b = vec3_normalize(vec3_sub(p[(k + 2) % 3], p[k]));
			float angle = atan2f(vec3_length(vec3_cross(a, b)), vec3_dot(a, b));
			job->angles[3 * t + k] = isfinite(angle) ? angle : 0.0f;
		}
	}
}

// The mean normal of the triangles around a vertex, excluding those that differ from `like` by more than the crease.
static vec3 mean_normal(const normal_job *job, uint32_t vertex, const vec3 *like)
{
	vec3 sum = {0, 0, 0};
	for (uint32_t i = job->start[vertex]; i < job->start[vertex + 1]; i++)
	{
		uint32_t corner = job->around[i];
		vec3 face = job->faces[corner / 3];
		if (!like || vec3_dot(face, *like) >= job->cosine)
			sum = vec3_add_scaled(sum, face, job->angles[corner]);
	}
	return vec3_normalize(sum);
}

static void smooth_vertices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	normal_job *job = context;
	for (size_t v = begin; v < end; v++)
		store(job->normals + 3 * v, mean_normal(job, (uint32_t)v, NULL));
}

static void smooth_corners(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	normal_job *job = context;
	for (size_t t = begin; t < end; t++)
		for (size_t k = 0; k < 3; k++)
		{
			uint32_t vertex = job->mesh->triangles[3 * t + k];
			int hub = job->start[vertex + 1] - job->start[vertex] > MOST_AROUND;
			vec3 face = job->faces[t];
			store(job->normals + 9 * t + 3 * k, hub ? face : mean_normal(job, vertex, &face));
		}
}

static void list_corners(normal_job *job)
{
	const spate_mesh *mesh = job->mesh;
	size_t corners = 3 * (size_t)mesh->triangle_count;
	memset(job->start, 0, ((size_t)mesh->vertex_count + 2) * sizeof *job->start);

	// counted two entries ahead, so that filling leaves every start in its place
	for (size_t c = 0; c < corners; c++)
		job->start[mesh->triangles[c] + 2]++;
	for (size_t v = 2; v <= mesh->vertex_count; v++)
		job->start[v] += job->start[v - 1];
	for (size_t c = 0; c < corners; c++)
		job->around[job->start[mesh->triangles[c] + 1]++] = (uint32_t)c;
}

static spate_result make_normals(draw_model *model, float crease, int threads, spate_error *error)
{
	const spate_mesh *mesh = model->mesh;
	size_t triangles = mesh->triangle_count, vertices = mesh->vertex_count;
	model->per_corner = crease < 180.0f;
	size_t count = model->per_corner ? 9 * triangles : 3 * vertices;
	arena scratch;
	arena_init(&scratch);
	normal_job job = {.mesh = mesh, .cosine = cosf(crease * 0.01745329f)};
	job.start = arena_alloc(&scratch, (vertices + 2) * sizeof *job.start);
	job.around = arena_alloc(&scratch, 3 * triangles * sizeof *job.around);
	job.faces = arena_alloc(&scratch, triangles * sizeof *job.faces);
	job.angles = arena_alloc(&scratch, 3 * triangles * sizeof *job.angles);
	job.normals = model->own_normals = mem_alloc(count * sizeof *job.normals);
	spate_result result = SPATE_OK;
	if (!job.start || !job.around || !job.faces || !job.angles || !job.normals)
		result = error_memory(error, count * sizeof *job.normals + triangles * 36);
	else
	{
		list_corners(&job);
		parallel_for(threads, triangles, BLOCK, measure_triangles, &job);
		if (model->per_corner)
			parallel_for(threads, triangles, BLOCK, smooth_corners, &job);
		else
			parallel_for(threads, vertices, BLOCK, smooth_vertices, &job);
		model->normals = model->own_normals;
	}
	arena_free(&scratch);
	return result;
}

static spate_result make_colours(draw_model *model, const spate_mesh_channel *channel, spate_error *error)
{
	size_t count = model->mesh->vertex_count;
	model->colours = mem_alloc(count * sizeof *model->colours);
	if (!model->colours)
		return error_memory(error, count * sizeof *model->colours);
	for (size_t v = 0; v < count; v++)
	{
		const float *c = channel->values + v * channel->components;
		model->colours[v] = vec3_make(srgb_decode(c[0]), srgb_decode(c[1]), srgb_decode(c[2]));
	}
	return SPATE_OK;
}

static void find_box(draw_model *model)
{
	model->low = vec3_make(FLT_MAX, FLT_MAX, FLT_MAX);
	model->high = vec3_make(-FLT_MAX, -FLT_MAX, -FLT_MAX);
	for (uint32_t v = 0; v < model->mesh->vertex_count; v++)
	{
		vec3 p = vertex_of(model->mesh, v);
		if (!vec3_is_finite(p))
			continue;
		model->low = vec3_make(fminf(model->low.x, p.x), fminf(model->low.y, p.y), fminf(model->low.z, p.z));
		model->high =
		    vec3_make(fmaxf(model->high.x, p.x), fmaxf(model->high.y, p.y), fmaxf(model->high.z, p.z));
	}
}

// Six times the enclosed volume, relative to the middle of the box so that holes matter little.
static double signed_volume(const draw_model *model)
{
	const spate_mesh *mesh = model->mesh;
	vec3 middle = vec3_scale(vec3_add(model->low, model->high), 0.5f);
	double sum = 0.0;
	for (size_t t = 0; t < mesh->triangle_count; t++)
	{
		vec3 p[3];
		for (size_t k = 0; k < 3; k++)
			p[k] = vec3_sub(vertex_of(mesh, mesh->triangles[3 * t + k]), middle);
		double part = (double)vec3_dot(p[0], vec3_cross(p[1], p[2]));
		sum += isfinite(part) ? part : 0.0;
	}
	return sum;
}

spate_result draw_model_init(draw_model *model, const spate_mesh *mesh, float crease, int threads, spate_error *error)
{
	*model = (draw_model){.mesh = mesh};
	find_box(model);
	model->inverted = signed_volume(model) < 0.0;
	const spate_mesh_channel *normal = spate_mesh_find_channel(mesh, "normal");
	const spate_mesh_channel *colour = spate_mesh_find_channel(mesh, "color");
	spate_result result = SPATE_OK;
	if (normal && normal->components == 3)
		model->normals = normal->values;
	else if (mesh->triangle_count > 0)
		result = make_normals(model, crease, threads, error);
	if (result == SPATE_OK && colour && colour->components >= 3 && mesh->vertex_count > 0)
		result = make_colours(model, colour, error);
	if (result != SPATE_OK)
		draw_model_free(model);
	return result;
}

void draw_model_free(draw_model *model)
{
	mem_free(model->own_normals);
	mem_free(model->colours);
	*model = (draw_model){0};
}
