#include "surface/field.h"

#include "base/error.h"
#include "base/parallel.h"

#include <stdatomic.h>
#include <string.h>

enum
{
	ARRAYS = 18, // of a field_points
	ROWS_PER_TASK = 2048,
	LATTICE = 19 // particles along a side of the calibration lattice
};

#define FAR 1e3f // kernel radii: distance of the padding

// wmin and wmax of the transfer function g (S4's eq. 5). S4 has wmin = 0, which leaves a film where the mean of two
// bodies of liquid falls between them; inside the liquid the value never comes near 0.3.
#define THIN 0.3f
#define DENSE 1.1f

field_scratch *field_scratches_create(int threads, spate_error *error)
{
	field_scratch *scratches = mem_calloc((size_t)threads, sizeof *scratches);
	if (!scratches)
		error_memory(error, (size_t)threads * sizeof *scratches);
	return scratches;
}

void field_scratches_destroy(field_scratch *scratches, int threads)
{
	for (int t = 0; scratches && t < threads; t++)
	{
		point_set_free(&scratches[t].set);
		array_free(&scratches[t].values);
		array_free(&scratches[t].carried);
	}
	mem_free(scratches);
}

float field_kernel_of(spate_surface_method method)
{
	// S4's H = 1.8 h with h = 4/3 spacings: the particles' own sphere then has the volume of a particle
	return method == SPATE_SURFACE_COLOR ? 2.0f : 2.4f;
}

float field_reach_of(spate_surface_method method, float kernel)
{
	if (method == SPATE_SURFACE_ZHU_BRIDSON)
		return kernel;
	return method == SPATE_SURFACE_ANISOTROPIC ? 1.5f : 1.0f;
}

static float *column(field_scratch *scratch, int which)
{
	return scratch->values.data + (size_t)which * scratch->room;
}

static int reserve_columns(field_scratch *scratch, size_t count)
{
	size_t room = (count + 2 * CANDIDATE_TAIL) & ~(size_t)7;
	if (room > scratch->room)
	{
		room += room / 2 & ~(size_t)7;
		if (!array_reserve(&scratch->values, ARRAYS * room))
			return 0;
		scratch->room = room;
	}
	return 1;
}

static uint32_t *row_column(field_scratch *scratch, int which)
{
	return (uint32_t *)(void *)column(scratch, which);
}

// Loads what the position kernel does not: the weights of the Zhu-Bridson method, and particle sizes.
static void load_sizes(const surface_field *field, field_scratch *scratch, size_t count)
{
	const surface_points *points = field->points;
	const uint32_t *rows = row_column(scratch, 17);
	float *weight = column(scratch, 3), *falloff = column(scratch, 4), *radius = column(scratch, 5);
	for (size_t k = 0; field->method == SPATE_SURFACE_ZHU_BRIDSON && k < count; k++)
		weight[k] = points->shares ? points->shares[rows[k]] : 1.0f;
	for (size_t k = 0; !points->uniform && k < count; k++)
	{
		falloff[k] = points->positions[rows[k]].w;
		radius[k] = points->spacings[rows[k]] * field->scale.radius;
	}
}

// Loads smoothed centres and metrics instead of positions.
static void load_shapes(const surface_field *field, field_scratch *scratch, size_t count, vec3 origin)
{
	const surface_points *points = field->points;
	float *x = column(scratch, 0), *y = column(scratch, 1), *z = column(scratch, 2), *weight = column(scratch, 3);
	for (size_t k = 0; k < count; k++)
	{
		uint32_t row = row_column(scratch, 17)[k];
		vec4 c = points->centres[row];
		const float *shape = points->shapes + 6 * (size_t)row;
		x[k] = c.x - origin.x;
		y[k] = c.y - origin.y;
		z[k] = c.z - origin.z;
		weight[k] = c.w;
		for (int m = 0; m < 6; m++)
			column(scratch, 6 + m)[k] = shape[m] * (m == 1 || m == 2 || m == 4 ? 2.0f : 1.0f);
	}
}

static field_points columns_of(const surface_field *field, field_scratch *scratch, size_t near, size_t count)
{
	const surface_points *points = field->points;
	float h = points->kernel * points->spacing, away = FAR * points->kernel * points->largest;
	for (size_t k = count; k < count + CANDIDATE_TAIL; k++)
	{
		column(scratch, 0)[k] = column(scratch, 1)[k] = column(scratch, 2)[k] = away;
		column(scratch, 3)[k] = 0.0f;
		column(scratch, 4)[k] = 1.0f / (h * h);
	}
	field_points p = {.x = column(scratch, 0),
			  .y = column(scratch, 1),
			  .z = column(scratch, 2),
			  .weight = column(scratch, 3),
			  .falloff = points->uniform ? NULL : column(scratch, 4),
			  .radius = points->uniform ? NULL : column(scratch, 5),
			  .falloff_all = 1.0f / (h * h),
			  .radius_all = field->scale.radius * points->spacing,
			  .rows = row_column(scratch, 17),
			  .near = near,
			  .count = count};
	for (int k = 0; k < 6; k++)
		p.shape[k] = column(scratch, 6 + k);
	for (int k = 0; k < 5; k++)
		p.scratch[k] = column(scratch, 12 + k);
	return p;
}

// Loads the particles within box->reach, with those within box->near first.
static int load_box(const surface_field *field, field_scratch *scratch, const field_box *box, field_points *out)
{
	const surface_points *points = field->points;
	size_t found;
	if (!point_set_list(&scratch->set, points, box->low, box->high, box->reach, &found) ||
	    !reserve_columns(scratch, found))
		return 0;
	field_columns near = {column(scratch, 0), column(scratch, 1),      column(scratch, 2),
			      column(scratch, 3), row_column(scratch, 17), 0};
	// kept in the columns of shapes and scratch until the number of near particles is known
	field_columns others = {column(scratch, 6), column(scratch, 7),      column(scratch, 8),
				column(scratch, 9), row_column(scratch, 12), 0};
	field->kernels->load(&near, &others, points->positions, points->weights, scratch->set.ranges.data,
			     scratch->set.ranges.count, box);
	memcpy(near.x + near.count, others.x, others.count * sizeof(float));
	memcpy(near.y + near.count, others.y, others.count * sizeof(float));
	memcpy(near.z + near.count, others.z, others.count * sizeof(float));
	memcpy(near.weight + near.count, others.weight, others.count * sizeof(float));
	memcpy(near.row + near.count, others.row, others.count * sizeof(uint32_t));
	size_t count = near.count + others.count;
	load_sizes(field, scratch, count);
	if (points->centres)
		load_shapes(field, scratch, count, box->origin);
	*out = columns_of(field, scratch, near.count, count);
	return 1;
}

int field_load(const surface_field *field, field_scratch *scratch, vec3 origin, vec3 low, vec3 high, field_points *out)
{
	float reach = field->points->kernel * field->points->largest + field->points->shift;
	return load_box(field, scratch, &(field_box){origin, low, high, reach, reach}, out);
}

// Distance to the clipping box, negative inside.
static double box_distance(const surface_field *field, const double p[3])
{
	double distance = -1e300;
	for (int a = 0; a < 3; a++)
		distance = fmax(distance, fmax(field->clip_min[a] - p[a], p[a] - field->clip_max[a]));
	return distance;
}

static void clip_block(const surface_field *field, const double origin[3], float *out)
{
	for (int i = 0; i < GRID_POINTS; i++)
	{
		double p[3] = {origin[0] + (i & 3) * (double)field->cell,
			       origin[1] + (i >> 2 & 3) * (double)field->cell,
			       origin[2] + (i >> 4) * (double)field->cell};
		out[i] = fmaxf(out[i], (float)box_distance(field, p));
	}
}

int field_block(const surface_field *field, field_scratch *scratch, const double origin[3], float *out)
{
	const surface_points *points = field->points;
	float near = points->kernel * points->largest, reach = near;
	int shaped = field->method == SPATE_SURFACE_ANISOTROPIC, color = field->method == SPATE_SURFACE_COLOR;
	if (field->method == SPATE_SURFACE_DENSITY)
		reach += field->scale.radius * points->largest + field->cell;
	if (shaped)
		reach = near = near + points->shift;
	vec3 low = {(float)origin[0], (float)origin[1], (float)origin[2]};
	float side = (GRID_SIDE - 1) * field->cell;
	vec3 high = {low.x + side, low.y + side, low.z + side};
	field_points p;
	if (!load_box(field, scratch, &(field_box){low, low, high, near, reach}, &p))
		return 0;

	if (color || shaped)
	{
		(shaped ? field->kernels->shaped_block : field->kernels->color_block)(&p, field->cell, out);
		float scale = points->spacing / field->scale.slope;
		for (int i = 0; i < GRID_POINTS; i++)
			out[i] = (field->scale.level - out[i]) * scale - field->offset;
	}
	else
	{
		distance_rule rule = {.decay = field->method == SPATE_SURFACE_DENSITY,
				      .thin = THIN,
				      .dense = DENSE,
				      .cell = field->cell,
				      .empty = points->kernel * points->largest};
		field->kernels->distance_block(&p, &rule, out);
		for (int i = 0; i < GRID_POINTS && field->offset != 0.0f; i++)
			out[i] -= field->offset;
	}
	if (field->clip)
		clip_block(field, origin, out);
	return 1;
}

typedef struct weigh_job
{
	surface_points *points;
	const field_scale *scale;
	const field_kernels *kernels;
	field_scratch *scratch;
	_Atomic int failed;
} weigh_job;

static void weigh_run(weigh_job *job, field_scratch *scratch, size_t begin, size_t end)
{
	surface_points *points = job->points;
	vec4 first = points->positions[begin];
	vec3 low = {first.x, first.y, first.z}, high = low;
	for (size_t i = begin + 1; i < end; i++)
	{
		vec4 p = points->positions[i];
		low = (vec3){fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z)};
		high = (vec3){fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z)};
	}
	float h = points->kernel * points->spacing;
	if (!point_set_gather(&scratch->set, points, low, high, points->kernel * points->largest) ||
	    !reserve_columns(scratch, scratch->set.count))
	{
		atomic_store(&job->failed, 1);
		return;
	}
	point_set *set = &scratch->set;
	field_points near = {
	    .x = set->x.data, .y = set->y.data, .z = set->z.data, .falloff_all = 1.0f / (h * h), .count = set->count};
	if (!points->uniform)
	{
		float *falloff = column(scratch, 4);
		for (size_t k = 0; k < set->count + CANDIDATE_TAIL; k++)
			falloff[k] = k < set->count ? points->positions[set->rows.data[k]].w : 1.0f / (h * h);
		near.falloff = falloff;
	}
	for (size_t i = begin; i < end; i++)
	{
		vec4 p = points->positions[i];
		float sums[4];
		job->kernels->weigh(&near, (vec3){p.x, p.y, p.z}, sums);
		float spacing = points->uniform ? points->spacing : points->spacings[i];
		float limit = job->scale->border_shift * spacing * sums[0];
		points->weights[i] = 1.0f / sums[0];
		points->border[i] = sums[0] < job->scale->border_weight ||
				    sums[1] * sums[1] + sums[2] * sums[2] + sums[3] * sums[3] > limit * limit;
	}
}

// Processes the particles of one cell at a time.
static void weigh_rows(void *context, size_t begin, size_t end, int thread)
{
	weigh_job *job = context;
	const uint64_t *keys = job->points->index.keys.data;
	for (size_t i = begin; i < end;)
	{
		size_t last = i + 1;
		while (last < end && keys[last] == keys[i])
			last++;
		weigh_run(job, &job->scratch[thread], i, last);
		i = last;
	}
}

spate_result field_weigh(surface_points *points, const field_scale *scale, field_scratch *scratch, int threads,
			 spate_error *error)
{
	weigh_job job = {
	    .points = points, .scale = scale, .kernels = field_kernels_table(points->index.simd), .scratch = scratch};
	parallel_for(threads, points->count, ROWS_PER_TASK, weigh_rows, &job);
	return job.failed ? error_memory(error, ARRAYS * sizeof(float)) : SPATE_OK;
}

// Half a cube of particles on a lattice, cut by a plane through its middle, in units of spacings.
static spate_result cut_lattice(surface_points *points, const double normal[3], float kernel, spate_error *error)
{
	float *places = mem_alloc((size_t)LATTICE * LATTICE * LATTICE * 3 * sizeof(float));
	uint32_t *rows = mem_alloc((size_t)LATTICE * LATTICE * LATTICE * sizeof(uint32_t)), count = 0;
	spate_result result = SPATE_OK;
	if (!places || !rows)
		result = error_memory(error, (size_t)LATTICE * LATTICE * LATTICE * 3 * sizeof(float));
	for (int i = 0; result == SPATE_OK && i < LATTICE * LATTICE * LATTICE; i++)
	{
		const int x = i % LATTICE - LATTICE / 2, y = i / LATTICE % LATTICE - LATTICE / 2,
			  z = i / (LATTICE * LATTICE) - LATTICE / 2;
		double p[3] = {x, y, z + 0.5};
		if (p[0] * normal[0] + p[1] * normal[1] + p[2] * normal[2] > 0.0)
			continue;
		for (int a = 0; a < 3; a++)
			places[3 * count + (uint32_t)a] = (float)p[a];
		rows[count] = count;
		count++;
	}
	points_source source = {count, rows, places, 3, NULL, 1.0f, kernel};
	if (result == SPATE_OK)
		result = surface_points_init(points, &source, 1, error);
	mem_free(places);
	mem_free(rows);
	return result;
}

// Linear fit of values over height.
typedef struct line_fit
{
	double n, x, y, xx, xy;
} line_fit;

static void line_add(line_fit *f, double x, double y)
{
	f->n += 1.0;
	f->x += x;
	f->y += y;
	f->xx += x * x;
	f->xy += x * y;
}

static double line_slope(const line_fit *f)
{
	return (f->n * f->xy - f->x * f->y) / (f->n * f->xx - f->x * f->x);
}

static double line_at_zero(const line_fit *f)
{
	return (f->y - line_slope(f) * f->x) / f->n;
}

// Samples the function near the plane by height: `value` with radius and level 0, and `fade`, the decrease when both
// are 1.
static int sample_plane(const surface_field *field, field_scratch *scratch, const double normal[3], line_fit *value,
			line_fit *fade)
{
	surface_field with = *field;
	with.scale.radius = with.scale.level = 1.0f;
	for (int b = 0; b < 8; b++)
	{
		double side = GRID_SIDE * (double)field->cell, origin[3];
		for (int a = 0; a < 3; a++)
			origin[a] = (b >> a & 1 ? 0.0 : -side) + 0.5 * (double)field->cell;
		float zero[GRID_POINTS], one[GRID_POINTS];
		if (!field_block(field, scratch, origin, zero) || !field_block(&with, scratch, origin, one))
			return 0;
		for (int i = 0; i < GRID_POINTS; i++)
		{
			int at[3] = {i & 3, i >> 2 & 3, i >> 4};
			double height = 0.0;
			for (int a = 0; a < 3; a++)
				height += normal[a] * (origin[a] + at[a] * (double)field->cell);
			if (fabs(height) > 0.4)
				continue;
			line_add(value, height, (double)zero[i]);
			line_add(fade, height, (double)zero[i] - (double)one[i]);
		}
	}
	return 1;
}

static spate_result measure_plane(field_scale *scale, const double normal[3], spate_surface_method method, float kernel,
				  spate_error *error)
{
	*scale = (field_scale){.slope = 1.0f};
	surface_points points = {0};
	field_scratch *scratch = field_scratches_create(1, error);
	spate_result result = scratch ? cut_lattice(&points, normal, kernel, error) : SPATE_MEMORY;
	if (result == SPATE_OK)
		result = field_weigh(&points, scale, scratch, 1, error);
	if (result == SPATE_OK && method == SPATE_SURFACE_ANISOTROPIC)
		result = field_shape(&points, scratch, 1, error);
	surface_field field = {.method = method,
			       .points = &points,
			       .kernels = field_kernels_table(points.index.simd),
			       .scale = *scale,
			       .cell = 0.35f};
	line_fit value = {0}, fade = {0};
	if (result == SPATE_OK && !sample_plane(&field, scratch, normal, &value, &fade))
		result = error_memory(error, ARRAYS * sizeof(float));
	if (result == SPATE_OK)
	{
		scale->radius = (float)(line_at_zero(&value) / line_at_zero(&fade));
		scale->level = (float)-line_at_zero(&value);
		scale->slope = (float)line_slope(&value);
	}
	surface_points_free(&points);
	field_scratches_destroy(scratch, 1);
	return result;
}

// For a particle in the outermost layer of a lattice: its sum of kernels, and its distance from the mean of its
// neighbours.
static void measure_border(field_scale *scale, float kernel)
{
	int reach = (int)kernel;
	double sum = 0.0, shift = 0.0;
	for (int z = -reach; z <= 0; z++)
		for (int y = -reach; y <= reach; y++)
			for (int x = -reach; x <= reach; x++)
			{
				double t = 1.0 - (x * x + y * y + z * z) / ((double)kernel * (double)kernel);
				double w = t > 0.0 ? t * t * t : 0.0;
				sum += w;
				shift -= w * z;
			}
	// half of that separates the outermost layer from the next, even with disorder
	scale->border_shift = (float)(0.5 * shift / sum);
	scale->border_weight = (float)(1.08 * sum);
}

spate_result field_calibrate(field_scale *scale, spate_surface_method method, float kernel, spate_error *error)
{
	// liquid at rest is flat like a lattice layer, moving liquid is rough like a cut across layers: take the mean
	// of both
	const double flat[3] = {0.0, 0.0, 1.0}, across[3] = {0.3139, 0.5013, 0.8063};
	field_scale a, b;
	spate_result result = measure_plane(&a, flat, method, kernel, error);
	if (result == SPATE_OK)
		result = measure_plane(&b, across, method, kernel, error);
	if (result != SPATE_OK)
		return result;
	*scale = (field_scale){.radius = 0.5f * (a.radius + b.radius),
			       .level = 0.5f * (a.level + b.level),
			       .slope = 0.5f * (a.slope + b.slope)};
	measure_border(scale, kernel);
	return SPATE_OK;
}
