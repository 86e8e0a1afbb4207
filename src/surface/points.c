#include "surface/points.h"

#include "base/error.h"
#include "base/parallel.h"

#include <string.h>

enum
{
	BLOCK = 16384 // rows per task
};

void surface_points_free(surface_points *points)
{
	mem_free(points->positions);
	mem_free(points->spacings);
	mem_free(points->weights);
	mem_free(points->border);
	mem_free(points->shares);
	mem_free(points->source);
	mem_free(points->centres);
	mem_free(points->shapes);
	space_index_free(&points->index);
	*points = (surface_points){0};
}

typedef struct copy_job
{
	const points_source *source;
	surface_points *points;
	vec4 *unsorted;
	int64_t *ids;
	const uint32_t *order;
} copy_job;

static void read_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	copy_job *job = context;
	const points_source *s = job->source;
	for (size_t i = begin; i < end; i++)
	{
		const float *p = s->positions + (size_t)s->rows[i] * s->stride;
		float spacing = s->radii ? 2.0f * s->radii[s->rows[i]] : s->spacing;
		float h = s->kernel * spacing;
		job->unsorted[i] = (vec4){p[0], p[1], p[2], 1.0f / (h * h)};
		job->ids[i] = (int64_t)i;
	}
}

static void sort_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	copy_job *job = context;
	for (size_t i = begin; i < end; i++)
	{
		uint32_t from = job->order[i], row = job->source->rows[from];
		job->points->positions[i] = job->unsorted[from];
		job->points->source[i] = row;
		if (job->points->spacings)
			job->points->spacings[i] = 2.0f * job->source->radii[row];
	}
}

static spate_result sort_points(surface_points *points, copy_job *job, uint32_t *order, int threads, spate_error *error)
{
	const points_source *source = job->source;
	parallel_for(threads, source->count, BLOCK, read_rows, job);
	float radius = points->kernel * points->largest;
	points->index.simd = simd_level_detect();
	spate_result result = space_index_set_classes(&points->index, 1, &radius, 0.0f, error);
	if (result != SPATE_OK)
		return result;
	space_input input = {.count = source->count, .positions = job->unsorted, .ids = job->ids};
	uint32_t bad = 0;
	result = space_index_sort(&points->index, &input, threads, order, &bad, error);
	if (result == SPATE_RANGE)
		return error_set(error, SPATE_RANGE, "particle %u is too far from the origin for a spacing of %g m",
				 source->rows[bad], (double)source->spacing);
	if (result != SPATE_OK)
		return result;
	parallel_for(threads, source->count, BLOCK, sort_rows, job);
	return SPATE_OK;
}

spate_result surface_points_init(surface_points *points, const points_source *source, int threads, spate_error *error)
{
	*points = (surface_points){.count = source->count,
				   .uniform = !source->radii,
				   .spacing = source->spacing,
				   .largest = source->spacing,
				   .kernel = source->kernel};
	for (uint32_t i = 0; source->radii && i < source->count; i++)
	{
		float spacing = 2.0f * source->radii[source->rows[i]];
		points->largest = i == 0 || spacing > points->largest ? spacing : points->largest;
	}
	size_t room = (size_t)source->count + CANDIDATE_TAIL;
	points->positions = mem_calloc(room, sizeof(vec4));
	points->weights = mem_calloc(room, sizeof(float));
	points->border = mem_calloc(room, 1);
	points->source = mem_alloc(room * sizeof(uint32_t));
	points->spacings = source->radii ? mem_calloc(room, sizeof(float)) : NULL;

	copy_job job = {.source = source, .points = points};
	job.unsorted = mem_calloc(room, sizeof(vec4));
	job.ids = mem_alloc(room * sizeof(int64_t));
	uint32_t *order = mem_alloc(room * sizeof(uint32_t));
	job.order = order;
	spate_result result = SPATE_OK;
	if (!points->positions || !points->weights || !points->border || !points->source || !job.unsorted || !job.ids ||
	    !order || (source->radii && !points->spacings))
		result = error_memory(error, room * sizeof(vec4));
	else if (source->count > 0)
		result = sort_points(points, &job, order, threads, error);
	mem_free(job.unsorted);
	mem_free(job.ids);
	mem_free(order);
	if (result != SPATE_OK)
		surface_points_free(points);
	return result;
}

void point_set_free(point_set *set)
{
	array_free(&set->ranges);
	array_free(&set->x);
	array_free(&set->y);
	array_free(&set->z);
	array_free(&set->rows);
}

point_set *point_sets_create(int threads, spate_error *error)
{
	point_set *sets = mem_calloc((size_t)threads, sizeof *sets);
	if (!sets)
		error_memory(error, (size_t)threads * sizeof *sets);
	return sets;
}

void point_sets_destroy(point_set *sets, int threads)
{
	for (int t = 0; sets && t < threads; t++)
		point_set_free(&sets[t]);
	mem_free(sets);
}

// Cells [low, high] of the grid that touch the span extended by `reach`, with a margin for rounding.
static void cell_span(const cell_grid *grid, float from, float to, float reach, int32_t *low, int32_t *high)
{
	const double last = 2.0 * CELL_OFFSET - 1.0;
	double grown = (double)reach * (1.0 + 4e-6);
	*low = (int32_t)fmin(fmax(floor((from - grown) * grid->inverse) + CELL_OFFSET, 0.0), last);
	*high = (int32_t)fmin(fmax(floor((to + grown) * grid->inverse) + CELL_OFFSET, 0.0), last);
}

static int32_t least(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

static int32_t most(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

// Lists the rows of one leaf in the cells [low, high], one range per row of cells. Returns the number of particles.
static size_t list_leaf(point_set *set, const cell_map *map, int32_t place, const int32_t corner[3],
			const int32_t low[3], const int32_t high[3])
{
	int32_t from[3], to[3];
	for (int axis = 0; axis < 3; axis++)
	{
		from[axis] = most(low[axis] - corner[axis], 0);
		to[axis] = least(high[axis] - corner[axis], LEAF_SIDE - 1);
	}
	size_t found = 0;
	for (int32_t z = from[2]; z <= to[2]; z++)
		for (int32_t y = from[1]; y <= to[1]; y++)
		{
			uint32_t cells = (uint32_t)(z << 6 | y << 3);
			row_range range = cell_map_rows(map, place, cells | (uint32_t)from[0], cells | (uint32_t)to[0]);
			if (range.begin == range.end)
				continue;
			set->ranges.data[set->ranges.count++] = range;
			found += range.end - range.begin;
		}
	return found;
}

int point_set_list(point_set *set, const surface_points *points, vec3 low, vec3 high, float reach, size_t *found)
{
	const space_class *class = &points->index.classes[0];
	int32_t from[3], to[3];
	cell_span(&class->grid, low.x, high.x, reach, &from[0], &to[0]);
	cell_span(&class->grid, low.y, high.y, reach, &from[1], &to[1]);
	cell_span(&class->grid, low.z, high.z, reach, &from[2], &to[2]);
	*found = set->ranges.count = 0;
	int32_t corner[3];
	for (corner[2] = from[2] & ~7; corner[2] <= to[2]; corner[2] += LEAF_SIDE)
		for (corner[1] = from[1] & ~7; corner[1] <= to[1]; corner[1] += LEAF_SIDE)
			for (corner[0] = from[0] & ~7; corner[0] <= to[0]; corner[0] += LEAF_SIDE)
			{
				int32_t place = cell_map_place(&class->map, corner[0] >> LEAF_SHIFT,
							       corner[1] >> LEAF_SHIFT, corner[2] >> LEAF_SHIFT);
				if (place == CELL_MAP_NOWHERE)
					continue;
				if (!array_reserve(&set->ranges, set->ranges.count + LEAF_SIDE * LEAF_SIDE))
					return 0;
				*found += list_leaf(set, &class->map, place, corner, from, to);
			}
	return 1;
}

int point_set_gather(point_set *set, const surface_points *points, vec3 low, vec3 high, float reach)
{
	size_t found;
	set->count = 0;
	if (!point_set_list(set, points, low, high, reach, &found))
		return 0;
	size_t room = found + CANDIDATE_TAIL;
	if (!array_reserve(&set->x, room) || !array_reserve(&set->y, room) || !array_reserve(&set->z, room) ||
	    !array_reserve(&set->rows, room))
		return 0;
	candidate_set out = {set->x.data, set->y.data, set->z.data, set->rows.data, 0};
	search_box box = {{low.x, low.y, low.z, 0}, {high.x, high.y, high.z, 0}, reach};
	const space_kernels *kernels = space_kernels_table(points->index.simd);
	kernels->gather(&out, points->positions, set->ranges.data, set->ranges.count, &box);
	kernels->pad(&out);
	set->count = out.count;
	return 1;
}
