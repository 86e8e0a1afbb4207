#include "surface/near.h"

#include "base/error.h"
#include "base/parallel.h"

#include <stdatomic.h>

enum
{
	ROWS_PER_TASK = 2048
};

void near_values_free(near_values *values)
{
	mem_free(values->displacement);
	mem_free(values->density);
	*values = (near_values){0};
}

float near_score(const spate_surface_marker_def *def, vec3 displacement, float density)
{
	return (float)(def->gamma / (double)NEAR_H * (double)vec3_length(displacement) +
		       def->beta * (def->alpha - (double)density));
}

typedef struct measure_job
{
	const surface_field *field;
	spate_surface_criterion criterion;
	float full; // sum of kernels deep inside a lattice
	near_values *values;
	field_scratch *scratch;
	_Atomic int failed;
} measure_job;

static vec3 place_of(const surface_points *points, size_t row)
{
	return (vec3){points->positions[row].x, points->positions[row].y, points->positions[row].z};
}

static float spacing_of(const surface_points *points, size_t row)
{
	return points->uniform ? points->spacing : points->spacings[row];
}

static void grow_box(vec3 *low, vec3 *high, vec3 p)
{
	*low = (vec3){fminf(low->x, p.x), fminf(low->y, p.y), fminf(low->z, p.z)};
	*high = (vec3){fmaxf(high->x, p.x), fmaxf(high->y, p.y), fmaxf(high->z, p.z)};
}

// Sum of kernels at a particle deep inside a lattice.
static float lattice_sum(float kernel)
{
	int reach = (int)kernel;
	double sum = 0.0;
	for (int z = -reach; z <= reach; z++)
		for (int y = -reach; y <= reach; y++)
			for (int x = -reach; x <= reach; x++)
			{
				double t = 1.0 - (x * x + y * y + z * z) / ((double)kernel * (double)kernel);
				sum += t > 0.0 ? t * t * t : 0.0;
			}
	return (float)sum;
}

// Replaces places by their offsets from the mean of the particles around them, for the rows [begin, end) of one cell.
static int sample_offsets(measure_job *job, field_scratch *scratch, size_t begin, size_t end, vec3 *io)
{
	vec3 low = io[begin], high = low;
	for (size_t i = begin; i < end; i++)
		grow_box(&low, &high, io[i]);
	field_points near;
	if (!field_load(job->field, scratch, low, low, high, &near))
		return 0;
	for (size_t i = begin; i < end; i++)
	{
		place_sums sums;
		job->field->kernels->place(&near, vec3_sub(io[i], low), near.scratch[0], &sums);
		io[i] = sums.sum > 0.0f ? sums.offset : (vec3){0};
	}
	return 1;
}

// S4's eq. 8: reflects the mean of the neighbours through the particle, and takes the offset from the mean at that
// place.
static int measure_iterated(measure_job *job, field_scratch *scratch, size_t begin, size_t end)
{
	const surface_points *points = job->field->points;
	vec3 *d = job->values->displacement;
	for (size_t i = begin; i < end; i++)
		d[i] = place_of(points, i);
	if (!sample_offsets(job, scratch, begin, end, d))
		return 0;
	for (size_t i = begin; i < end; i++)
		d[i] = vec3_add(place_of(points, i), d[i]);
	return sample_offsets(job, scratch, begin, end, d);
}

// S4's eq. 6 and 7. The weight is 1 up to rmin.
static int measure_step(measure_job *job, field_scratch *scratch, size_t begin, size_t end)
{
	const surface_points *points = job->field->points;
	vec3 low = place_of(points, begin), high = low;
	for (size_t i = begin; i < end; i++)
		grow_box(&low, &high, place_of(points, i));
	point_set *set = &scratch->set;
	if (!point_set_gather(set, points, low, high, NEAR_STEP_MAX * points->largest))
		return 0;
	for (size_t i = begin; i < end; i++)
	{
		vec3 p = place_of(points, i), sum = {0};
		float total = 0.0f;
		for (size_t k = 0; k < set->count; k++)
		{
			vec3 d = vec3_sub(p, (vec3){set->x.data[k], set->y.data[k], set->z.data[k]});
			float r = vec3_length(d) / spacing_of(points, set->rows.data[k]);
			float t = fmaxf(r - NEAR_STEP_MIN, 0.0f) / (NEAR_STEP_MAX - NEAR_STEP_MIN);
			float u = fmaxf(1.0f - t * t, 0.0f);
			float w = u * u * points->weights[set->rows.data[k]];
			sum = vec3_add_scaled(sum, d, w);
			total += w;
		}
		job->values->displacement[i] = total > 0.0f ? vec3_scale(sum, 1.0f / total) : (vec3){0};
	}
	return 1;
}

// Processes the particles of one cell at a time.
static void measure_rows(void *context, size_t begin, size_t end, int thread)
{
	measure_job *job = context;
	const surface_points *points = job->field->points;
	const uint64_t *keys = points->index.keys.data;
	for (size_t i = begin, last; i < end; i = last)
	{
		for (last = i + 1; last < end && keys[last] == keys[i];)
			last++;
		field_scratch *scratch = &job->scratch[thread];
		int one = job->criterion == SPATE_SURFACE_ONE_STEP;
		if (!(one ? measure_step : measure_iterated)(job, scratch, i, last))
		{
			atomic_store(&job->failed, 1);
			return;
		}
		for (size_t k = i; k < last; k++)
		{
			vec3 *d = &job->values->displacement[k];
			*d = vec3_scale(*d, 1.0f / spacing_of(points, k));
			job->values->density[k] = 1.0f / (points->weights[k] * job->full);
		}
	}
}

spate_result near_measure(near_values *values, surface_points *points, spate_surface_criterion criterion, int threads,
			  spate_error *error)
{
	*values = (near_values){0};
	field_scale scale;
	spate_result result = field_calibrate(&scale, SPATE_SURFACE_DENSITY, points->kernel, error);
	if (result != SPATE_OK)
		return result;
	field_scratch *scratch = field_scratches_create(threads, error);
	if (!scratch)
		return SPATE_MEMORY;
	result = field_weigh(points, &scale, scratch, threads, error);
	values->displacement = mem_alloc(((size_t)points->count + 1) * sizeof *values->displacement);
	values->density = mem_alloc(((size_t)points->count + 1) * sizeof *values->density);
	surface_field field = {.method = SPATE_SURFACE_DENSITY,
			       .points = points,
			       .kernels = field_kernels_table(points->index.simd),
			       .scale = scale};
	measure_job job = {.field = &field,
			   .criterion = criterion,
			   .full = lattice_sum(points->kernel),
			   .values = values,
			   .scratch = scratch};
	if (result == SPATE_OK && (!values->displacement || !values->density))
		result = error_memory(error, points->count * sizeof(vec4));
	if (result == SPATE_OK)
		parallel_for(threads, points->count, ROWS_PER_TASK, measure_rows, &job);
	if (result == SPATE_OK && job.failed)
		result = error_memory(error, sizeof(vec4));
	field_scratches_destroy(scratch, threads);
	if (result != SPATE_OK)
		near_values_free(values);
	return result;
}
