#include "base/error.h"
#include "base/parallel.h"
#include "surface/finish.h"

#include <stdatomic.h>
#include <string.h>

enum
{
	VERTICES_PER_TASK = 4096
};

#define CUT_REACH 1.0                 // cells from the clipping box: its edges are rounded off
#define GROUP_SIDE (GRID_SIDE + 1.0f) // cells: smoothing moves vertices slightly out of their block

typedef struct carry_job
{
	const spate_mesh *mesh;
	const surface_field *field;
	const spate_surface_input *input;
	spate_mesh_channel *normal;  // taken from the field; NULL for none
	spate_mesh_channel *carried; // first of the input's channels in the mesh
	uint32_t components;         // total of all carried channels
	field_scratch *scratch;
	_Atomic int failed;
} carry_job;

static vec3 vertex_at(const spate_mesh *mesh, size_t v)
{
	return (vec3){mesh->positions[3 * v], mesh->positions[3 * v + 1], mesh->positions[3 * v + 2]};
}

// Loads the channel values of the particles in `near`, one column of `stride` floats per component.
static int load_channels(const carry_job *job, field_scratch *scratch, const field_points *near, size_t *stride)
{
	*stride = near->count + CANDIDATE_TAIL;
	if (!array_reserve(&scratch->carried, *stride * job->components))
		return 0;
	float *column = scratch->carried.data;
	for (uint32_t c = 0; c < job->input->channel_count; c++)
	{
		const spate_surface_channel *in = &job->input->channels[c];
		uint32_t step = in->stride ? in->stride : in->components;
		for (size_t j = 0; j < near->count; j++)
		{
			const float *value = in->values + (size_t)job->field->points->source[near->rows[j]] * step;
			for (uint32_t k = 0; k < in->components; k++)
				column[k * *stride + j] = value[k];
		}
		for (uint32_t k = 0; k < in->components; k++, column += *stride)
			memset(column + near->count, 0, CANDIDATE_TAIL * sizeof *column);
	}
	return 1;
}

static void mean_channels(const carry_job *job, const field_points *near, const place_sums *sums, const float *column,
			  size_t stride, size_t v)
{
	const uint32_t *active = (const uint32_t *)(const void *)near->scratch[1];
	for (uint32_t c = 0; sums->sum > 0.0f && c < job->input->channel_count; c++)
	{
		uint32_t components = job->input->channels[c].components;
		float mixed[4];
		job->field->kernels->mix(near->scratch[0], active, sums->active, column, stride, components, mixed);
		for (uint32_t k = 0; k < components; k++)
			job->carried[c].values[v * components + k] = mixed[k] / sums->sum;
		column += components * stride;
	}
}

// The normal is the gradient of the method's function. An indicator function falls outwards, so its sign is reversed.
static void write_normal(carry_job *job, const place_sums *sums, size_t v)
{
	int distance = job->field->method == SPATE_SURFACE_DENSITY || job->field->method == SPATE_SURFACE_ZHU_BRIDSON;
	vec3 n = vec3_normalize(distance ? sums->slope : vec3_scale(sums->gradient, -1.0f));
	memcpy(job->normal->values + 3 * v, &n, sizeof n);
}

// Finds a run of vertices that fits into a box of edge length `side`, so that its particles are loaded only once.
static size_t group_end(const carry_job *job, size_t begin, size_t end, float side, vec3 *low, vec3 *high)
{
	*low = *high = vertex_at(job->mesh, begin);
	size_t v = begin + 1;
	for (; v < end; v++)
	{
		vec3 p = vertex_at(job->mesh, v);
		vec3 from = {p.x < low->x ? p.x : low->x, p.y < low->y ? p.y : low->y, p.z < low->z ? p.z : low->z};
		vec3 to = {p.x > high->x ? p.x : high->x, p.y > high->y ? p.y : high->y, p.z > high->z ? p.z : high->z};
		if (!(to.x - from.x <= side && to.y - from.y <= side && to.z - from.z <= side))
			break;
		*low = from;
		*high = to;
	}
	return v;
}

static void carry_vertices(void *context, size_t begin, size_t end, int thread)
{
	carry_job *job = context;
	field_scratch *scratch = &job->scratch[thread];
	float side = job->field->cell * GROUP_SIDE;
	for (size_t v = begin; v < end;)
	{
		vec3 low, high;
		size_t last = group_end(job, v, end, side, &low, &high), stride;
		field_points near;
		if (!field_load(job->field, scratch, low, low, high, &near) ||
		    !load_channels(job, scratch, &near, &stride))
		{
			atomic_store(&job->failed, 1);
			return;
		}
		for (; v < last; v++)
		{
			place_sums sums;
			job->field->kernels->place(&near, vec3_sub(vertex_at(job->mesh, v), low), near.scratch[0],
						   &sums);
			if (job->normal)
				write_normal(job, &sums, v);
			mean_channels(job, &near, &sums, scratch->carried.data, stride, v);
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

// On the faces of the clipping box the field does not end, so its gradient is no normal there. Uses the triangles'
// normals.
static spate_result write_cut_normals(const spate_mesh *mesh, const surface_field *field, float *normals,
				      spate_error *error)
{
	float *mean = mem_calloc((size_t)mesh->vertex_count + 1, 3 * sizeof *mean);
	if (!mean)
		return error_memory(error, mesh->vertex_count * 3 * sizeof *mean);
	surface_mesh_normals(mesh, mean);
	for (size_t v = 0; v < mesh->vertex_count; v++)
	{
		const float *p = mesh->positions + 3 * v;
		double inside = HUGE_VAL;
		for (int k = 0; k < 3; k++)
			inside = fmin(inside, fmin(p[k] - field->clip_min[k], field->clip_max[k] - p[k]));
		if (inside < CUT_REACH * (double)field->cell)
			memcpy(normals + 3 * v, mean + 3 * v, 3 * sizeof *mean);
	}
	mem_free(mean);
	return SPATE_OK;
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
	for (uint32_t c = 0; c < input->channel_count; c++)
		job.components += input->channels[c].components;
	if (normals == SPATE_SURFACE_NORMALS_MESH)
		surface_mesh_normals(mesh, mesh->channels[first].values);
	if (by_field || input->channel_count)
		parallel_for(threads, mesh->vertex_count, VERTICES_PER_TASK, carry_vertices, &job);
	if (job.failed)
		return error_memory(error, sizeof(float));
	return by_field && field->clip ? write_cut_normals(mesh, field, mesh->channels[first].values, error) : SPATE_OK;
}
