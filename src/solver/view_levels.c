#include "solver/view_levels.h"

#include "base/camera.h"
#include "base/error.h"
#include "base/parallel.h"

#include <stdatomic.h>
#include <string.h>

enum
{
	SLICE = 8,         // rows
	MOST_HEIGHT = 144, // pixels of the depth image
	LEAST_HEIGHT = 18,
	MOST_PIXELS = 16, // that a slice covers to each side of its middle
	OUTSIDE = -1      // pixel of a slice that is not in the picture
};

// Width of the depth image by its height.
#define ASPECT (16.0f / 9.0f)
// Radius in spacings of the discs that slices are drawn as: those of a lattice, two spacings apart, leave no holes. Levels are shared by
// eight slices, so spheres of single particles would show more than is asked for, at twice the time.
#define DISC 1.5f
// The same in pixels, at the camera's target: what pixels are made for.
#define FINE 0.6f
// A camera, and how far away rows are.
typedef struct view_job
{
	const step_view *view;
	camera_view eye;
	view_measure measure;
	view_range range;
	const float *radii;      // m, of the discs of each fluid
	float *distances;        // m, by row; negative for rows that are not in the picture
	float *middles;          // m, by slice: how far away the mean place of its rows is
	int32_t *pixels;         // by slice: where its middle is
	_Atomic uint32_t *depth; // m, as the bits of a float: how far away the nearest slice is
	float *levels;
} view_job;

static float radius_of(const view_job *j, size_t row)
{
	return j->radii[j->view->store->fluid[row]];
}

// The functions of the C library are calls, as they care for NaN.
static float larger(float a, float b)
{
	return a > b ? a : b;
}

static float smaller(float a, float b)
{
	return a < b ? a : b;
}

// Positive floats sort like their bits.
static void lower(_Atomic uint32_t *pixel, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	uint32_t old = atomic_load_explicit(pixel, memory_order_relaxed);
	while (bits < old &&
	       !atomic_compare_exchange_weak_explicit(pixel, &old, bits, memory_order_relaxed, memory_order_relaxed))
		;
}

static float value_at(const _Atomic uint32_t *pixel)
{
	uint32_t bits = atomic_load_explicit(pixel, memory_order_relaxed);
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static void measure_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const view_job *j = context;
	for (size_t row = begin; row < end; row++)
	{
		vec4 p = j->view->places[row];
		j->distances[row] = vec3_length(vec3_sub(vec3_make(p.x, p.y, p.z), j->eye.eye));
	}
}

// Where a place is in the picture; OUTSIDE if it is not.
static int32_t pixel_of(const camera_view *eye, vec3 v, float distance)
{
	float scale = eye->focal / larger(v.z, 1e-6f * distance);
	float x = eye->centre_x + scale * v.x, y = eye->centre_y + scale * v.y;
	int inside = v.z > 0.0f && x >= 0.0f && x < (float)eye->width && y >= 0.0f && y < (float)eye->height;
	return inside ? (int32_t)y * eye->width + (int32_t)x : OUTSIDE;
}

static vec3 place_of(const view_job *j, size_t row)
{
	vec4 p = j->view->places[row];
	return vec3_make(p.x, p.y, p.z);
}

static size_t slice_end(const view_job *j, size_t slice)
{
	size_t rows = j->view->list->count, end = SLICE * (slice + 1);
	return end < rows ? end : rows;
}

// The pixels whose middles are within the square around a disc at a place in the picture, which is in front of the eye.
typedef struct pixel_box
{
	int left, top, right, bottom; // inclusive
} pixel_box;

static pixel_box box_of(const camera_view *eye, vec3 v, float radius)
{
	float scale = eye->focal / v.z, around = smaller(scale * radius, (float)MOST_PIXELS);
	float x = eye->centre_x + scale * v.x, y = eye->centre_y + scale * v.y;
	return (pixel_box){(int)larger(x - around + 0.5f, 0.0f), (int)larger(y - around + 0.5f, 0.0f),
			   (int)smaller(x + around - 0.5f, (float)(eye->width - 1)),
			   (int)smaller(y + around - 0.5f, (float)(eye->height - 1))};
}

// Finds how far away slices are and their pixels, and draws them.
static void draw_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const view_job *j = context;
	for (size_t slice = begin; slice < end; slice++)
	{
		size_t first = SLICE * slice, last = slice_end(j, slice);
		vec3 sum = {0, 0, 0};
		for (size_t row = first; row < last; row++)
			sum = vec3_add(sum, place_of(j, row));
		vec3 middle = vec3_scale(sum, 1.0f / (float)(last - first));
		vec3 v = camera_to_view(&j->eye, middle);
		float distance = vec3_length(v), radius = radius_of(j, first);
		j->middles[slice] = distance;
		j->pixels[slice] = pixel_of(&j->eye, v, distance);
		if (j->pixels[slice] == OUTSIDE)
			continue;
		pixel_box box = box_of(&j->eye, v, radius);
		lower(&j->depth[j->pixels[slice]], distance);
		for (int row = box.top; row <= box.bottom; row++)
			for (int column = box.left; column <= box.right; column++)
				lower(&j->depth[row * j->eye.width + column], distance);
	}
}

// How far the middles of slices are behind the surface.
static void subtract_surface(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const view_job *j = context;
	for (size_t slice = begin; slice < end; slice++)
	{
		int32_t pixel = j->pixels[slice];
		float behind = pixel == OUTSIDE ? -1.0f : j->middles[slice] - value_at(&j->depth[pixel]);
		for (size_t row = SLICE * slice; row < slice_end(j, slice); row++)
			j->distances[row] = behind;
	}
}

static spate_result measure_depth(view_job *j, spate_error *error)
{
	const step_view *s = j->view;
	const size_t pixels = (size_t)j->eye.width * (size_t)j->eye.height;
	const float empty = INFINITY;
	uint32_t bits;
	const size_t slices = s->list->slice_count;
	j->middles = arena_alloc(s->scratch, (slices + 1) * sizeof *j->middles);
	j->pixels = arena_alloc(s->scratch, (slices + 1) * sizeof *j->pixels);
	j->depth = arena_alloc(s->scratch, pixels * sizeof *j->depth);
	if (!j->middles || !j->pixels || !j->depth)
		return error_memory(error, slices * sizeof *j->middles);
	memcpy(&bits, &empty, sizeof bits);
	for (size_t k = 0; k < pixels; k++)
		atomic_init(&j->depth[k], bits);
	parallel_for(s->threads, slices, STEP_SLICES, draw_slices, j);
	parallel_for(s->threads, slices, STEP_SLICES, subtract_surface, j);
	return SPATE_OK;
}

// -------------------------------------------------------------------------------------------------------------- levels

static double nearest_of(void *context, size_t begin, size_t end)
{
	const view_job *j = context;
	float nearest = INFINITY;
	for (size_t row = begin; row < end; row++)
		nearest = j->distances[row] >= 0.0f && j->distances[row] < nearest ? j->distances[row] : nearest;
	return -(double)nearest;
}

// Distances, and how many there are.
static void sum_rows(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const view_job *j = context;
	for (size_t row = begin; row < end; row++)
	{
		int seen = j->distances[row] >= 0.0f;
		terms[0][row - begin] = seen ? (double)j->distances[row] : 0.0;
		terms[1][row - begin] = seen;
	}
}

// What is not given: from the nearest row to the mean distance, beyond which half of the liquid is or more.
static void find_range(view_job *j)
{
	const step_view *s = j->view;
	if (j->range.near < 0.0)
		j->range.near = fmax(-parallel_max(s->threads, s->list->count, nearest_of, j), 0.0);
	if (j->range.far >= 0.0)
		return;
	double totals[2];
	parallel_sums(s->threads, s->list->count, 2, sum_rows, j, totals);
	j->range.far = totals[1] > 0.0 ? totals[0] / totals[1] : 0.0;
}

// Linear between near and far.
static void raise_levels(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const view_job *j = context;
	float least = (float)j->range.least, more = (float)(j->range.most - j->range.least);
	float near = (float)j->range.near, far = (float)j->range.far, length = far - near;
	for (size_t row = begin; row < end; row++)
	{
		float distance = j->distances[row];
		float share = distance <= near ? 1.0f : distance >= far ? 0.0f : (far - distance) / length;
		float level = least + more * (distance < 0.0f ? 0.0f : share);
		j->levels[row] = larger(j->levels[row], level);
	}
}

// Pixels as fine as the finest discs need, where the camera looks.
static int height_of(const step_view *s, const camera *from)
{
	double finest = INFINITY;
	for (uint32_t f = 0; f < s->fluid_count; f++)
		finest = fmin(finest, s->fluids[f].spacing);
	float away = vec3_length(vec3_sub(from->target, from->position)) / (DISC * (float)finest);
	float height = 2.0f * tanf(fminf(from->fov, 120.0f) * 0.0087266f) * FINE * away;
	return (int)fminf(fmaxf(height, (float)LEAST_HEIGHT), (float)MOST_HEIGHT);
}

static spate_result look(view_job *j, const spate_camera_def *from, spate_error *error)
{
	const step_view *s = j->view;
	camera place = camera_make((dvec3){from->position[0], from->position[1], from->position[2]},
				   (dvec3){from->target[0], from->target[1], from->target[2]},
				   vec3_make((float)from->up[0], (float)from->up[1], (float)from->up[2]),
				   (float)from->fov, (dvec3){s->origin[0], s->origin[1], s->origin[2]});
	int height = height_of(s, &place);
	j->eye = camera_look(&place, (int)(ASPECT * (float)height), height);
	spate_result result = SPATE_OK;
	if (j->measure == VIEW_TO_SURFACE)
		result = measure_depth(j, error);
	else
		parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, measure_rows, j);
	if (result != SPATE_OK)
		return result;
	find_range(j);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, raise_levels, j);
	return SPATE_OK;
}

spate_result view_levels_choose(const step_view *s, view_measure measure, const view_range *range, float *levels,
				spate_error *error)
{
	float *distances = arena_alloc(s->scratch, (s->list->count + (size_t)1) * sizeof *distances);
	float *radii = arena_alloc(s->scratch, s->fluid_count * sizeof *radii);
	if (!distances || !radii)
		return error_memory(error, s->list->count * sizeof *distances);
	for (uint32_t f = 0; f < s->fluid_count; f++)
		radii[f] = DISC * (float)s->fluids[f].spacing;
	for (uint32_t row = 0; row < s->list->count; row++)
		levels[row] = 0.0f;
	spate_result result = SPATE_OK;
	for (uint32_t c = 0; c < s->camera_count && result == SPATE_OK; c++)
	{
		view_job j = {.view = s,
			      .measure = measure,
			      .range = *range,
			      .radii = radii,
			      .distances = distances,
			      .levels = levels};
		result = look(&j, &s->cameras[c], error);
	}
	return result;
}
