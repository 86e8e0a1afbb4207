#include "base/error.h"
#include "base/parallel.h"
#include "surface/finish.h"

#include <stdatomic.h>
#include <string.h>

enum
{
	VERTICES_PER_TASK = 4096
};

typedef struct carry_job
{
	const spate_mesh *mesh;
	const surface_field *field;
	const spate_surface_input *input;
	spate_mesh_channel *normal;  // by the field, or NULL
	spate_mesh_channel *carried; // first of the input's channels in the mesh
	field_scratch *scratch;
	_Atomic int failed;
} carry_job;

static vec3 vertex_at(const spate_mesh *mesh, size_t v)
{
	return (vec3){mesh->positions[3 * v], mesh->positions[3 * v + 1], mesh->positions[3 * v + 2]};
}

static void mean_channels(carry_job *job, const field_points *near, const uint32_t *rows, const float *share,
			  float total, size_t v)
{
	// those that are seen at all, a few of the many around
	uint32_t *seen = (uint32_t *)(void *)near->scratch[1];
	size_t count = 0;
	for (size_t j = 0; j < near->count; j++)
	{
		seen[count] = (uint32_t)j;
		count += share[j] > 0.0f;
	}
	for (uint32_t c = 0; count && c < job->input->channel_count; c++)
	{
		const spate_surface_channel *in = &job->input->channels[c];
		uint32_t stride = in->stride ? in->stride : in->components;
		float sums[4] = {0};
		for (size_t s = 0; s < count; s++)
		{
			const float *value = in->values + (size_t)job->field->points->source[rows[seen[s]]] * stride;
			for (uint32_t k = 0; k < in->components; k++)
				sums[k] += share[seen[s]] * value[k];
		}
		for (uint32_t k = 0; k < in->components; k++)
			job->carried[c].values[v * in->components + k] = sums[k] / total;
	}
}

// The gradient of what the method measures; the indicator falls outwards.
static void write_normal(carry_job *job, const place_sums *sums, size_t v)
{
	int distance = job->field->method == SPATE_SURFACE_DENSITY || job->field->method == SPATE_SURFACE_ZHU_BRIDSON;
	vec3 n = vec3_normalize(distance ? sums->slope : vec3_scale(sums->gradient, -1.0f));
	memcpy(job->normal->values + 3 * v, &n, sizeof n);
}

// Vertices that follow each other and lie in one block of space share their gathering.
static size_t group_end(const carry_job *job, size_t begin, size_t end, double side, vec3 *low, vec3 *high)
{
	vec3 p = vertex_at(job->mesh, begin);
	double x = floor(p.x / side), y = floor(p.y / side), z = floor(p.z / side);
	*low = *high = p;
	size_t v = begin + 1;
	for (; v < end; v++)
	{
		p = vertex_at(job->mesh, v);
		if (floor(p.x / side) != x || floor(p.y / side) != y || floor(p.z / side) != z)
			break;
		*low = (vec3){fminf(low->x, p.x), fminf(low->y, p.y), fminf(low->z, p.z)};
		*high = (vec3){fmaxf(high->x, p.x), fmaxf(high->y, p.y), fmaxf(high->z, p.z)};
	}
	return v;
}

static void carry_vertices(void *context, size_t begin, size_t end, int thread)
{
	carry_job *job = context;
	field_scratch *scratch = &job->scratch[thread];
	double side = (double)job->field->cell * GRID_SIDE;
	for (size_t v = begin; v < end;)
	{
		vec3 low, high;
		size_t last = group_end(job, v, end, side, &low, &high);
		field_points near;
		if (!field_load(job->field, scratch, low, low, high, &near))
		{
			atomic_store(&job->failed, 1);
			return;
		}
		for (; v < last; v++)
		{
			place_sums sums;
			float *share = near.scratch[0];
			job->field->kernels->place(&near, vec3_sub(vertex_at(job->mesh, v), low), share, &sums);
			if (job->normal)
				write_normal(job, &sums, v);
			if (job->input->channel_count)
				mean_channels(job, &near, scratch->set.rows.data, share, sums.sum, v);
		}
	}
}

void surface_mesh_normals(const spate_mesh *mesh, float *out)
{
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		const uint32_t *v = mesh->triangles + 3 * (size_t)t;
		vec3 a = vertex_at(mesh, v[0]), b = vertex_at(mesh, v[1]), c = vertex_at(mesh, v[2]);
		vec3 n = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
		for (int k = 0; k < 3; k++)
		{
			out[3 * (size_t)v[k]] += n.x;
			out[3 * (size_t)v[k] + 1] += n.y;
			out[3 * (size_t)v[k] + 2] += n.z;
		}
	}
	for (size_t v = 0; v < mesh->vertex_count; v++)
	{
		vec3 n = vec3_normalize((vec3){out[3 * v], out[3 * v + 1], out[3 * v + 2]});
		memcpy(out + 3 * v, &n, sizeof n);
	}
}

spate_result surface_carry(spate_mesh *mesh, const surface_field *field, const spate_surface_input *input,
			   spate_surface_normals normals, field_scratch *scratch, int threads, spate_error *error)
{
	// all channels first: adding one may move the others
	spate_mesh_channel *channel = NULL;
	uint32_t first = mesh->channel_count;
	spate_result result = SPATE_OK;
	if (normals != SPATE_SURFACE_NORMALS_NONE)
		result = spate_mesh_add_channel(mesh, "normal", 3, &channel, error);
	for (uint32_t c = 0; result == SPATE_OK && c < input->channel_count; c++)
		result = spate_mesh_add_channel(mesh, input->channels[c].name, input->channels[c].components, &channel,
						error);
	if (result != SPATE_OK)
		return result;
	int by_field = normals == SPATE_SURFACE_NORMALS_FIELD;
	carry_job job = {.mesh = mesh,
			 .field = field,
			 .input = input,
			 .normal = by_field ? &mesh->channels[first] : NULL,
			 .carried = mesh->channels + first + (normals != SPATE_SURFACE_NORMALS_NONE),
			 .scratch = scratch};
	if (normals == SPATE_SURFACE_NORMALS_MESH)
		surface_mesh_normals(mesh, mesh->channels[first].values);
	if (by_field || input->channel_count)
		parallel_for(threads, mesh->vertex_count, VERTICES_PER_TASK, carry_vertices, &job);
	return job.failed ? error_memory(error, sizeof(float)) : SPATE_OK;
}
