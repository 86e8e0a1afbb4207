#include "surface/refine.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "surface/near.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum
{
	ROWS_PER_TASK = 2048
};

#define SHARE_REACH 1.5 // spacings: an added point belongs to particles within this distance

void refine_points_free(refine_points *points)
{
	array_free(&points->places);
	array_free(&points->values);
}

void refinement_free(refinement *r)
{
	refine_points_free(&r->added);
	mem_free(r->shares);
	r->shares = NULL;
}

int refine_points_add(refine_points *points, vec3 place, const float *values)
{
	size_t count = points->values.count;
	if (!array_reserve(&points->values, count + points->width) || !array_push(&points->places, place))
		return 0;
	memcpy(points->values.data + count, values, points->width * sizeof *values);
	points->values.count = count + points->width;
	return 1;
}

// S4's eq. 11 to 13: the tangents lie in the plane of a and the mean normal, perpendicular to the normals, and point
// inwards along the curve.
int refine_midpoint(vec3 p, vec3 normal_p, vec3 q, vec3 normal_q, vec3 *middle)
{
	if (!(vec3_dot(normal_p, normal_q) > 0.0f))
		return 0;
	vec3 a = vec3_sub(q, p), across = vec3_cross(a, vec3_scale(vec3_add(normal_p, normal_q), 0.5f));
	vec3 tp = vec3_normalize(vec3_cross(normal_p, across)), tq = vec3_normalize(vec3_cross(across, normal_q));
	float handle = REFINE_BEND * vec3_length(a);
	// no curve if p and q lie above each other along the normal
	if (!(vec3_dot(tp, a) > 0.5f * vec3_length(a)) || !(vec3_dot(tq, a) < -0.5f * vec3_length(a)))
		return 0;
	vec3 p1 = vec3_add_scaled(p, tp, handle), p2 = vec3_add_scaled(q, tq, handle);
	*middle = vec3_add(vec3_scale(vec3_add(p, q), 0.125f), vec3_scale(vec3_add(p1, p2), 0.375f));
	return 1;
}

// One round: all points so far, sorted by cell, and the points found between them.
typedef struct round_job
{
	const refine_points *base;
	const surface_points *points;
	const vec3 *normals; // by row of points; zero for points that are not on the surface
	float reach, weld;   // spacings
	uint32_t blocks;
	refine_points *found; // per block
	uint8_t *dropped;     // per point of `check`
	const refine_points *check;
	point_set *sets;
	_Atomic int failed;
} round_job;

static int compare_rows(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

// Rows above `row` within its reach, in ascending order; they replace the set's rows.
static size_t partners_of(const round_job *job, point_set *set, uint32_t row)
{
	const surface_points *points = job->points;
	vec3 p = {points->positions[row].x, points->positions[row].y, points->positions[row].z};
	if (!point_set_gather(set, points, p, p, job->reach * points->largest))
		return SIZE_MAX;
	size_t count = 0;
	for (size_t k = 0; k < set->count; k++)
	{
		uint32_t other = set->rows.data[k];
		vec3 q = {set->x.data[k], set->y.data[k], set->z.data[k]};
		float reach = job->reach * (points->uniform ? points->spacing
							    : 0.5f * (points->spacings[row] + points->spacings[other]));
		if (other > row && vec3_dot(job->normals[other], job->normals[other]) > 0.0f &&
		    vec3_length(vec3_sub(p, q)) < reach)
			set->rows.data[count++] = other;
	}
	qsort(set->rows.data, count, sizeof *set->rows.data, compare_rows);
	return count;
}

// Whether a particle or an earlier point is at this place. -1 when out of memory.
static int is_taken(const round_job *job, point_set *set, vec3 place, float spacing)
{
	const surface_points *points = job->points;
	if (!point_set_gather(set, points, place, place, job->weld * fmaxf(points->largest, spacing)))
		return -1;
	for (size_t k = 0; k < set->count; k++)
	{
		float other = points->uniform ? points->spacing : points->spacings[set->rows.data[k]];
		vec3 q = {set->x.data[k], set->y.data[k], set->z.data[k]};
		if (vec3_length(vec3_sub(place, q)) < job->weld * 0.5f * (spacing + other))
			return 1;
	}
	return 0;
}

static int add_between(round_job *job, refine_points *found, uint32_t row, uint32_t other, float *mean)
{
	const surface_points *points = job->points;
	vec4 p = points->positions[row], q = points->positions[other];
	vec3 middle;
	if (!refine_midpoint((vec3){p.x, p.y, p.z}, job->normals[row], (vec3){q.x, q.y, q.z}, job->normals[other],
			     &middle))
		return 1;
	uint32_t width = job->base->width;
	const float *a = job->base->values.data + (size_t)points->source[row] * width;
	const float *b = job->base->values.data + (size_t)points->source[other] * width;
	for (uint32_t k = 0; k < width; k++)
		mean[k] = 0.5f * (a[k] + b[k]);
	return refine_points_add(found, middle, mean);
}

static void find_between(void *context, size_t begin, size_t end, int thread)
{
	round_job *job = context;
	refine_points *found = &job->found[begin / ROWS_PER_TASK];
	float *mean = mem_alloc(job->base->width * sizeof *mean);
	int room = mean != NULL;
	for (size_t i = begin; room && i < end; i++)
	{
		if (!(vec3_dot(job->normals[i], job->normals[i]) > 0.0f))
			continue;
		point_set *set = &job->sets[thread];
		size_t count = partners_of(job, set, (uint32_t)i);
		room = count != SIZE_MAX;
		for (size_t k = 0; room && k < count; k++)
			room = add_between(job, found, (uint32_t)i, set->rows.data[k], mean);
	}
	if (!room)
		atomic_store(&job->failed, 1);
	mem_free(mean);
}

static void find_taken(void *context, size_t begin, size_t end, int thread)
{
	round_job *job = context;
	for (size_t i = begin; i < end; i++)
	{
		float spacing = job->check->values.data[i * job->check->width];
		int taken = is_taken(job, &job->sets[thread], job->check->places.data[i], spacing);
		if (taken < 0)
			atomic_store(&job->failed, 1);
		job->dropped[i] = taken != 0;
	}
}

// Drops the points at occupied places.
static spate_result drop_taken(round_job *job, refine_points *points, int threads, spate_error *error)
{
	size_t count = points->places.count, kept = 0;
	if (count == 0)
		return SPATE_OK;
	job->check = points;
	job->dropped = mem_alloc(count);
	if (!job->dropped)
		return error_memory(error, count);
	parallel_for(threads, count, ROWS_PER_TASK, find_taken, job);
	for (size_t i = 0; i < count; i++)
	{
		if (job->dropped[i])
			continue;
		points->places.data[kept] = points->places.data[i];
		memmove(points->values.data + kept * points->width, points->values.data + i * points->width,
			points->width * sizeof(float));
		kept++;
	}
	points->places.count = kept;
	points->values.count = kept * points->width;
	mem_free(job->dropped);
	job->dropped = NULL;
	return job->failed ? error_memory(error, count) : SPATE_OK;
}

// Collects all points between surface points, in the order of rows.
static spate_result collect_between(round_job *job, refine_points *out, int threads, spate_error *error)
{
	job->blocks = (job->points->count + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
	job->found = mem_calloc(job->blocks, sizeof *job->found);
	if (!job->found)
		return error_memory(error, job->blocks * sizeof *job->found);
	for (uint32_t b = 0; b < job->blocks; b++)
		job->found[b].width = out->width;
	parallel_for(threads, job->points->count, ROWS_PER_TASK, find_between, job);
	size_t total = 0;
	for (uint32_t b = 0; b < job->blocks; b++)
		total += job->found[b].places.count;
	spate_result result = SPATE_OK;
	if (job->failed || !array_reserve(&out->places, total) || !array_reserve(&out->values, total * out->width))
		result = error_memory(error, total * (sizeof(vec3) + out->width * sizeof(float)));
	for (uint32_t b = 0; b < job->blocks; b++)
	{
		refine_points *found = &job->found[b];
		if (result == SPATE_OK && found->places.count)
		{
			memcpy(out->places.data + out->places.count, found->places.data,
			       found->places.count * sizeof(vec3));
			memcpy(out->values.data + out->values.count, found->values.data,
			       found->values.count * sizeof(float));
			out->places.count += found->places.count;
			out->values.count += found->values.count;
		}
		refine_points_free(found);
	}
	mem_free(job->found);
	job->found = NULL;
	return result;
}

// All points so far, and which of them are on the surface.
typedef struct refine_state
{
	refine_points base;
	uint8_t *surface;   // per point of the base
	uint32_t originals; // number of original particles, which come first
	int uniform;
	float spacing; // m
} refine_state;

static spate_result sort_state(const refine_state *state, surface_points *points, int threads, spate_error *error)
{
	size_t count = state->base.places.count;
	uint32_t *rows = mem_alloc(count * sizeof *rows);
	float *radii = state->uniform ? NULL : mem_alloc(count * sizeof *radii);
	spate_result result = SPATE_OK;
	if (!rows || (!state->uniform && !radii))
		result = error_memory(error, count * sizeof *rows);
	for (size_t i = 0; result == SPATE_OK && i < count; i++)
	{
		rows[i] = (uint32_t)i;
		if (radii)
			radii[i] = 0.5f * state->base.values.data[i * state->base.width];
	}
	points_source source = {.count = (uint32_t)count,
				.rows = rows,
				.positions = &state->base.places.data->x,
				.stride = 3,
				.radii = radii,
				.spacing = state->spacing,
				.kernel = NEAR_KERNEL};
	if (result == SPATE_OK)
		result = surface_points_init(points, &source, threads, error);
	mem_free(rows);
	mem_free(radii);
	return result;
}

// Marks the surface points by the mean of the marker's thresholds. Done in the first round only; later rounds keep the
// marks.
static void find_surface(refine_state *state, const surface_points *points, near_values *near)
{
	spate_surface_marker_def def = spate_default_surface_marker_def();
	float middle = (float)(0.5 * (def.low + def.high));
	for (uint32_t i = 0; i < points->count; i++)
		state->surface[points->source[i]] = near_score(&def, near->displacement[i], near->density[i]) > middle;
}

static spate_result run_round(refine_state *state, int round, int threads, spate_error *error)
{
	surface_points points = {0};
	near_values near = {0};
	refine_points between = {.width = state->base.width};
	spate_result result = sort_state(state, &points, threads, error);
	if (result == SPATE_OK)
		result = near_measure(&near, &points, SPATE_SURFACE_ITERATED, threads, error);
	point_set *sets = result == SPATE_OK ? point_sets_create(threads, error) : NULL;
	if (result == SPATE_OK && !sets)
		result = SPATE_MEMORY;
	if (result == SPATE_OK && round == 0)
		find_surface(state, &points, &near);
	for (uint32_t i = 0; result == SPATE_OK && i < points.count; i++)
		near.displacement[i] =
		    state->surface[points.source[i]] ? vec3_normalize(near.displacement[i]) : (vec3){0};

	float scale = ldexpf(NEAR_H, -round);
	round_job job = {.base = &state->base,
			 .points = &points,
			 .normals = near.displacement,
			 .reach = REFINE_REACH * scale,
			 .weld = REFINE_WELD * scale,
			 .sets = sets};
	if (result == SPATE_OK)
		result = collect_between(&job, &between, threads, error);
	if (result == SPATE_OK)
		result = drop_taken(&job, &between, threads, error);
	if (result == SPATE_OK)
		result = refine_weld(&between, job.weld, error);
	// welding may have moved points close to a particle
	if (result == SPATE_OK)
		result = drop_taken(&job, &between, threads, error);

	size_t count = state->base.places.count, more = between.places.count;
	if (result == SPATE_OK && count + more >= UINT32_MAX)
		result = error_set(error, SPATE_RANGE, "refining a surface makes more than 2^32 points");
	uint8_t *surface = result == SPATE_OK ? mem_realloc(state->surface, count + more) : NULL;
	if (surface)
	{
		state->surface = surface;
		memset(surface + count, 1, more);
	}
	int room = surface != NULL;
	for (size_t i = 0; room && i < more; i++)
		room = refine_points_add(&state->base, between.places.data[i], between.values.data + i * between.width);
	if (result == SPATE_OK && !room)
		result = error_memory(error, (count + more) * sizeof(vec3));
	refine_points_free(&between);
	near_values_free(&near);
	surface_points_free(&points);
	point_sets_destroy(sets, threads);
	return result;
}

// Distributes the liquid of surface particles: an added point belongs to the surface particles p around it in parts a_p
// with sum 1, and every particle is divided evenly between itself and the points that belong to it. The sum of all
// shares is the number of particles.
typedef struct share_job
{
	const refine_state *state;
	const surface_points *points;
	point_set *sets;
	int pass;      // sums of kernels at added points; shares of particles; shares of added points
	double *sums;  // per point of the base
	float *shares; // per point of the base
	_Atomic int failed;
} share_job;

// Weight between a particle and an added point, by their distance.
static double closeness(const surface_points *points, uint32_t row, uint32_t other)
{
	vec4 p = points->positions[row], q = points->positions[other];
	float spacing = points->uniform ? points->spacing : 0.5f * (points->spacings[row] + points->spacings[other]);
	vec3 d = {p.x - q.x, p.y - q.y, p.z - q.z};
	double reach = SHARE_REACH * (double)spacing, t = 1.0 - (double)vec3_dot(d, d) / (reach * reach);
	return t > 0.0 ? t * t * t : 0.0;
}

// Runs the current pass for one row.
static int share_row(share_job *job, point_set *set, uint32_t row)
{
	const surface_points *points = job->points;
	const refine_state *state = job->state;
	uint32_t at = points->source[row];
	int old = at < state->originals;
	if (!state->surface[at] || old != (job->pass == 1))
		return 1;
	vec4 p = points->positions[row];
	vec3 place = {p.x, p.y, p.z};
	if (!point_set_gather(set, points, place, place, (float)SHARE_REACH * points->largest))
		return 0;
	double sum = 0.0;
	for (size_t k = 0; k < set->count; k++)
	{
		uint32_t other = set->rows.data[k], from = points->source[other];
		if (!state->surface[from] || (from < state->originals) == old)
			continue;
		double a = closeness(points, row, other);
		if (job->pass == 1)
			a = job->sums[from] > 0.0 ? a / job->sums[from] : 0.0;
		sum += job->pass == 2 ? a * (double)job->shares[from] : a;
	}
	if (job->pass == 0)
		job->sums[at] = sum;
	else if (job->pass == 1)
		job->shares[at] = (float)(1.0 / (1.0 + sum));
	else
		job->shares[at] = job->sums[at] > 0.0 ? (float)(sum / job->sums[at]) : 0.0f;
	return 1;
}

static void share_rows(void *context, size_t begin, size_t end, int thread)
{
	share_job *job = context;
	for (size_t i = begin; i < end; i++)
		if (!share_row(job, &job->sets[thread], (uint32_t)i))
			atomic_store(&job->failed, 1);
}

static spate_result share_out(const refine_state *state, float *shares, int threads, spate_error *error)
{
	size_t count = state->base.places.count;
	surface_points points = {0};
	spate_result result = sort_state(state, &points, threads, error);
	share_job job = {.state = state, .points = &points, .shares = shares};
	job.sets = result == SPATE_OK ? point_sets_create(threads, error) : NULL;
	if (result == SPATE_OK && !job.sets)
		result = SPATE_MEMORY;
	job.sums = mem_calloc(count, sizeof *job.sums);
	if (result == SPATE_OK && !job.sums)
		result = error_memory(error, count * sizeof *job.sums);
	for (size_t i = 0; i < count; i++)
		shares[i] = 1.0f;
	for (; result == SPATE_OK && job.pass < 3; job.pass++)
		parallel_for(threads, count, ROWS_PER_TASK, share_rows, &job);
	if (result == SPATE_OK && job.failed)
		result = error_memory(error, count * sizeof(float));
	point_sets_destroy(job.sets, threads);
	mem_free(job.sums);
	surface_points_free(&points);
	return result;
}

// Sorts the rows of the source by position, so that their order in the input does not matter.
static spate_result order_by_place(const points_source *source, uint32_t *order, int threads, spate_error *error)
{
	size_t bytes = sort_radix_scratch(source->count);
	uint64_t *keys = mem_alloc(source->count * sizeof *keys);
	void *scratch = bytes ? mem_alloc(bytes) : NULL;
	spate_result result = SPATE_OK;
	if (!keys || (bytes && !scratch))
		result = error_memory(error, source->count * sizeof *keys + bytes);
	memcpy(order, source->rows, source->count * sizeof *order);
	for (int pass = 0; result == SPATE_OK && pass < 2; pass++)
	{
		for (uint32_t i = 0; i < source->count; i++)
		{
			uint32_t bits[3];
			memcpy(bits, source->positions + (size_t)order[i] * source->stride, sizeof bits);
			keys[i] = pass == 0 ? bits[0] : (uint64_t)bits[1] << 32 | bits[2];
		}
		sort_radix(threads, source->count, keys, order, scratch);
	}
	mem_free(keys);
	mem_free(scratch);
	return result;
}

static spate_result load_base(refine_state *state, const points_source *source, const uint32_t *order, uint32_t width,
			      const float *values, spate_error *error)
{
	*state = (refine_state){.base = {.width = width},
				.originals = source->count,
				.uniform = !source->radii,
				.spacing = source->spacing};
	state->surface = mem_calloc(source->count, 1);
	int room = state->surface && array_reserve(&state->base.places, source->count) &&
		   array_reserve(&state->base.values, (size_t)source->count * width);
	for (uint32_t i = 0; room && i < source->count; i++)
	{
		const float *p = source->positions + (size_t)order[i] * source->stride;
		room = refine_points_add(&state->base, (vec3){p[0], p[1], p[2]}, values + (size_t)order[i] * width);
	}
	return room ? SPATE_OK : error_memory(error, source->count * (sizeof(vec3) + width * sizeof(float)));
}

spate_result refine_surface(refinement *out, const points_source *source, uint32_t rows, uint32_t width,
			    const float *values, int rounds, int threads, spate_error *error)
{
	*out = (refinement){.added = {.width = width}};
	if (source->count == 0 || rounds < 1)
		return SPATE_OK;
	refine_state state = {0};
	float *shares = NULL;
	uint32_t *order = mem_alloc(source->count * sizeof *order);
	spate_result result = SPATE_OK;
	if (!order)
		result = error_memory(error, source->count * sizeof *order);
	if (result == SPATE_OK)
		result = order_by_place(source, order, threads, error);
	if (result == SPATE_OK)
		result = load_base(&state, source, order, width, values, error);
	for (int round = 0; result == SPATE_OK && round < rounds; round++)
		result = run_round(&state, round, threads, error);

	size_t total = state.base.places.count, added = total - state.originals;
	if (result == SPATE_OK)
	{
		shares = mem_alloc(total * sizeof *shares);
		out->shares = mem_calloc(rows + added, sizeof *shares);
		if (!shares || !out->shares)
			result = error_memory(error, (rows + added + total) * sizeof *shares);
	}
	if (result == SPATE_OK)
		result = share_out(&state, shares, threads, error);
	int room = 1;
	for (size_t i = 0; result == SPATE_OK && room && i < total; i++)
	{
		int old = i < state.originals;
		out->shares[old ? order[i] : rows + i - state.originals] = shares[i];
		room = old ||
		       refine_points_add(&out->added, state.base.places.data[i], state.base.values.data + i * width);
	}
	if (!room)
		result = error_memory(error, added * sizeof(vec3));
	if (result != SPATE_OK)
		refinement_free(out);
	refine_points_free(&state.base);
	mem_free(state.surface);
	mem_free(shares);
	mem_free(order);
	return result;
}
