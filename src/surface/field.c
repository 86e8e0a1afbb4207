#include "surface/field.h"

#include "base/error.h"
#include "base/parallel.h"

#include <stdatomic.h>
#include <string.h>

enum
{
	ARRAYS = 17,      // of a field_points, and one for shares
	ROWS_PER_TASK = 2048,
	SLAB_SIDE = 19,   // particles along the side of the lattice that calibrates
	SLAB_DEPTH = 9
};

#define FAR 1e3f // kernel radii, where padding lies

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

// Copies one gathered particle into the columns.
static void load_point(const surface_field *field, field_scratch *scratch, size_t from, size_t to, vec3 origin)
{
	const surface_points *points = field->points;
	uint32_t row = scratch->set.rows.data[from];
	float *x = column(scratch, 0), *y = column(scratch, 1), *z = column(scratch, 2), *w = column(scratch, 3);
	if (points->centres)
	{
		vec4 c = points->centres[row];
		x[to] = c.x - origin.x;
		y[to] = c.y - origin.y;
		z[to] = c.z - origin.z;
		w[to] = c.w;
		const float *shape = points->shapes + 6 * (size_t)row;
		for (int k = 0; k < 6; k++)
			column(scratch, 6 + k)[to] = shape[k] * (k == 1 || k == 2 || k == 4 ? 2.0f : 1.0f);
	}
	else
	{
		x[to] = scratch->set.x.data[from] - origin.x;
		y[to] = scratch->set.y.data[from] - origin.y;
		z[to] = scratch->set.z.data[from] - origin.z;
		w[to] = field->method == SPATE_SURFACE_ZHU_BRIDSON ? 1.0f : points->weights[row];
	}
	if (!points->uniform)
	{
		column(scratch, 4)[to] = points->positions[row].w;
		column(scratch, 5)[to] = points->spacings[row] * field->scale.radius;
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
			  .near = near,
			  .count = count};
	for (int k = 0; k < 6; k++)
		p.shape[k] = column(scratch, 6 + k);
	for (int k = 0; k < 5; k++)
		p.scratch[k] = column(scratch, 12 + k);
	return p;
}

// Loads what was gathered, those within `near` of the box first.
static int load_set(const surface_field *field, field_scratch *scratch, vec3 origin, vec3 low, vec3 high, float near,
		    field_points *out)
{
	point_set *set = &scratch->set;
	if (!reserve_columns(scratch, set->count))
		return 0;
	uint8_t *is_near = (uint8_t *)column(scratch, 12);
	size_t near_count = 0;
	for (size_t k = 0; k < set->count; k++)
	{
		float dx = fmaxf(fmaxf(low.x - set->x.data[k], set->x.data[k] - high.x), 0.0f);
		float dy = fmaxf(fmaxf(low.y - set->y.data[k], set->y.data[k] - high.y), 0.0f);
		float dz = fmaxf(fmaxf(low.z - set->z.data[k], set->z.data[k] - high.z), 0.0f);
		is_near[k] = dx * dx + dy * dy + dz * dz <= near * near;
		near_count += is_near[k];
	}
	size_t first = 0, second = near_count;
	for (size_t k = 0; k < set->count; k++)
	{
		load_point(field, scratch, k, is_near[k] ? first : second, origin);
		first += is_near[k];
		second += !is_near[k];
	}
	*out = columns_of(field, scratch, near_count, set->count);
	return 1;
}

int field_load(const surface_field *field, field_scratch *scratch, vec3 origin, vec3 low, vec3 high, field_points *out)
{
	float reach = field->points->kernel * field->points->largest + field->points->shift;
	return point_set_gather(&scratch->set, field->points, low, high, reach) &&
	       load_set(field, scratch, origin, low, high, reach, out);
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
		double p[3] = {origin[0] + (i & 3) * (double)field->cell, origin[1] + (i >> 2 & 3) * (double)field->cell,
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
		reach += field->scale.radius * points->largest + 1.5f * field->cell;
	if (shaped)
		reach = near = near + points->shift;
	vec3 low = {(float)origin[0], (float)origin[1], (float)origin[2]};
	float side = (GRID_SIDE - 1) * field->cell;
	vec3 high = {low.x + side, low.y + side, low.z + side};
	field_points p;
	if (!point_set_gather(&scratch->set, points, low, high, reach) ||
	    !load_set(field, scratch, low, low, high, near, &p))
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
				      .thin = 0.0f,
				      .dense = 1.1f,
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
	field_points near = {.x = set->x.data,
			     .y = set->y.data,
			     .z = set->z.data,
			     .falloff_all = 1.0f / (h * h),
			     .count = set->count};
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

// Particles of one cell at a time.
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
	weigh_job job = {.points = points,
			 .scale = scale,
			 .kernels = field_kernels_table(points->index.simd),
			 .scratch = scratch};
	parallel_for(threads, points->count, ROWS_PER_TASK, weigh_rows, &job);
	return job.failed ? error_memory(error, ARRAYS * sizeof(float)) : SPATE_OK;
}

// The functions on a half space of particles on a lattice, whose surface is the plane z = 0, in units of spacings: a block of points
// a quarter apart covers one cell of the lattice, two layers of it below the plane and two above.
static spate_result measure_slab(field_scale *scale, surface_points *points, spate_surface_method method,
				 field_scratch *scratch, spate_error *error)
{
	*scale = (field_scale){.radius = 0.0f, .level = 0.0f, .slope = 1.0f};
	spate_result result = field_weigh(points, scale, scratch, 1, error);
	if (result == SPATE_OK && method == SPATE_SURFACE_ANISOTROPIC)
		result = field_shape(points, scratch, 1, error);
	if (result != SPATE_OK)
		return result;
	surface_field field = {.method = method,
			       .points = points,
			       .kernels = field_kernels_table(points->index.simd),
			       .cell = 0.25f};
	double origin[3] = {0.125, 0.125, -0.375};
	float zero[GRID_POINTS], one[GRID_POINTS];
	field.scale = *scale;
	int done = field_block(&field, scratch, origin, zero);
	field.scale.radius = field.scale.level = 1.0f;
	done = done && field_block(&field, scratch, origin, one);
	if (!done)
		return error_memory(error, ARRAYS * sizeof(float));

	// zero holds |p - C| or -colour, one holds |p - C| - f or 1 - colour
	double below = 0.0, above = 0.0, fade = 0.0;
	for (int i = 16; i < 32; i++)
	{
		below += zero[i] / 16.0;
		above += zero[i + 16] / 16.0;
		fade += (zero[i] - one[i] + zero[i + 16] - one[i + 16]) / 32.0;
	}
	scale->radius = (float)(0.5 * (below + above) / fade);
	scale->level = (float)(-0.5 * (below + above));
	scale->slope = (float)((above - below) / 0.25);

	// half of what the outermost layer shows tells it from the next
	for (uint32_t i = 0; i < points->count; i++)
	{
		vec4 p = points->positions[i];
		if (fabsf(p.x - 0.5f) > 0.1f || fabsf(p.y - 0.5f) > 0.1f || p.z < -0.9f)
			continue;
		field_points all = {.x = NULL, .falloff_all = 1.0f / (points->kernel * points->kernel)};
		vec3 place = {p.x, p.y, p.z};
		float sums[4];
		if (!point_set_gather(&scratch->set, points, place, place, points->kernel))
			return error_memory(error, ARRAYS * sizeof(float));
		all.x = scratch->set.x.data;
		all.y = scratch->set.y.data;
		all.z = scratch->set.z.data;
		all.count = scratch->set.count;
		field.kernels->weigh(&all, place, sums);
		scale->border_shift = 0.5f * fabsf(sums[3]) / sums[0];
		scale->border_weight = 1.08f * sums[0];
	}
	return SPATE_OK;
}

spate_result field_calibrate(field_scale *scale, spate_surface_method method, float kernel, spate_error *error)
{
	enum
	{
		COUNT = SLAB_SIDE * SLAB_SIDE * SLAB_DEPTH
	};
	float *places = mem_alloc(COUNT * 3 * sizeof(float));
	uint32_t *rows = mem_alloc(COUNT * sizeof(uint32_t));
	field_scratch *scratch = field_scratches_create(1, error);
	surface_points points = {0};
	spate_result result = SPATE_MEMORY;
	if (!places || !rows)
		error_memory(error, COUNT * 3 * sizeof(float));
	else if (scratch)
	{
		for (uint32_t i = 0; i < COUNT; i++)
		{
			rows[i] = i;
			places[3 * i] = (float)(i % SLAB_SIDE) - SLAB_SIDE / 2 + 0.5f;
			places[3 * i + 1] = (float)(i / SLAB_SIDE % SLAB_SIDE) - SLAB_SIDE / 2 + 0.5f;
			places[3 * i + 2] = -0.5f - (float)(i / (SLAB_SIDE * SLAB_SIDE));
		}
		points_source source = {COUNT, rows, places, 3, NULL, 1.0f, kernel};
		result = surface_points_init(&points, &source, 1, error);
		if (result == SPATE_OK)
			result = measure_slab(scale, &points, method, scratch, error);
	}
	surface_points_free(&points);
	field_scratches_destroy(scratch, 1);
	mem_free(places);
	mem_free(rows);
	return result;
}
