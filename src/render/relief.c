// On a plane n.P = d the inverse depth along a ray (px, py, 1) is (n.x px + n.y py + n.z) / d: linear in px and py. So
// 1/depth is averaged and smoothed (a plane stays a plane), and its slopes give the normal directly:
//
//	n ~ (w_x, w_y, w - px w_x - py w_y),    w = 1/depth
#include "render/relief.h"

#include "base/error.h"
#include "base/parallel.h"

enum
{
	ROUNDS = 3 // of smoothing with weights 1 2 1 along both axes
};

typedef struct relief_job
{
	const camera_view *view;
	const float *depth;
	const uint32_t *id;
	const relief *out;
	float *from, *to; // inverse depths while they are smoothed
	int dx, dy;       // the axis of this round
} relief_job;

// A cell shows the nearest surface in it.
static void average_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	relief_job *job = context;
	const relief *out = job->out;
	for (int row = (int)begin; row < (int)end; row++)
		for (int column = 0; column < out->width; column++)
		{
			float nearest = 0.0f, sum = 0.0f, count = 0.0f, pixels = 0.0f;
			for (int pass = 0; pass < 2; pass++)
				for (int y = row * out->step; y < (row + 1) * out->step && y < job->view->height; y++)
					for (int x = column * out->step;
					     x < (column + 1) * out->step && x < job->view->width; x++)
					{
						size_t at = (size_t)y * (size_t)job->view->width + (size_t)x;
						pixels += (float)pass;
						if (job->id[at] >> 31)
							continue;
						float inverse = 1.0f / job->depth[at];
						if (!pass)
							nearest = inverse > nearest ? inverse : nearest;
						else if (nearest - inverse <= nearest * nearest * out->reach)
						{
							sum += inverse;
							count += 1.0f;
						}
					}
			size_t cell = (size_t)row * (size_t)out->width + (size_t)column;
			job->from[cell] = count > 0.0f ? sum / count : 0.0f;
			out->cells[cell].filled = count / pixels;
		}
}

// The neighbour's value if it is on the same surface, otherwise -1.
static float neighbour(const relief_job *job, const float *values, int x, int y, float inverse)
{
	const relief *out = job->out;
	if (x < 0 || y < 0 || x >= out->width || y >= out->height)
		return -1.0f;
	float other = values[(size_t)y * (size_t)out->width + (size_t)x];
	return other > 0.0f && fabsf(other - inverse) <= inverse * inverse * out->reach ? other : -1.0f;
}

static void smooth_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	relief_job *job = context;
	const relief *out = job->out;
	for (int y = (int)begin; y < (int)end; y++)
		for (int x = 0; x < out->width; x++)
		{
			size_t cell = (size_t)y * (size_t)out->width + (size_t)x;
			float inverse = job->from[cell];
			float before = neighbour(job, job->from, x - job->dx, y - job->dy, inverse);
			float after = neighbour(job, job->from, x + job->dx, y + job->dy, inverse);
			// at an edge, skip both sides: one alone would tilt the surface
			int whole = before > 0.0f && after > 0.0f;
			job->to[cell] = whole ? 0.25f * (before + after) + 0.5f * inverse : inverse;
		}
}

// Slope per cell, from both sides or from the only one available.
static float slope(const relief_job *job, int x, int y, int dx, int dy, float inverse)
{
	float before = neighbour(job, job->from, x - dx, y - dy, inverse),
	      after = neighbour(job, job->from, x + dx, y + dy, inverse);
	if (before > 0.0f && after > 0.0f)
		return 0.5f * (after - before);
	return after > 0.0f ? after - inverse : before > 0.0f ? inverse - before : 0.0f;
}

static void normal_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	relief_job *job = context;
	const relief *out = job->out;
	float per_unit = job->view->focal / (float)out->step; // cells
	for (int y = (int)begin; y < (int)end; y++)
		for (int x = 0; x < out->width; x++)
		{
			size_t at = (size_t)y * (size_t)out->width + (size_t)x;
			relief_cell *cell = out->cells + at;
			cell->inverse = job->from[at];
			cell->normal = vec3_make(0, 0, 0);
			if (cell->inverse <= 0.0f)
				continue;
			vec3 ray = camera_ray(job->view, ((float)x + 0.5f) * (float)out->step,
					      ((float)y + 0.5f) * (float)out->step);
			float sx = slope(job, x, y, 1, 0, cell->inverse) * per_unit,
			      sy = slope(job, x, y, 0, 1, cell->inverse) * per_unit;
			vec3 n = vec3_make(-sx, -sy, ray.x * sx + ray.y * sy - cell->inverse);
			cell->normal = vec3_normalize(n);
		}
}

spate_result relief_make(relief *out, const camera_view *view, const float *depth, const uint32_t *id, int step,
			 float reach, int threads, arena *scratch, spate_error *error)
{
	*out = (relief){.step = step,
			.width = (view->width + step - 1) / step,
			.height = (view->height + step - 1) / step,
			.reach = reach};
	size_t count = (size_t)out->width * (size_t)out->height, rows = (size_t)out->height;
	relief_job job = {.view = view, .depth = depth, .id = id, .out = out};
	out->cells = arena_alloc(scratch, count * sizeof *out->cells);
	job.from = arena_alloc(scratch, count * sizeof *job.from);
	job.to = arena_alloc(scratch, count * sizeof *job.to);
	if (!out->cells || !job.from || !job.to)
		return error_memory(error, count * (sizeof *out->cells + 2 * sizeof *job.from));
	parallel_for(threads, rows, 4, average_rows, &job);
	for (int round = 0; round < 2 * ROUNDS; round++)
	{
		job.dx = round & 1;
		job.dy = !job.dx;
		parallel_for(threads, rows, 16, smooth_rows, &job);
		float *swap = job.from;
		job.from = job.to;
		job.to = swap;
	}
	parallel_for(threads, rows, 16, normal_rows, &job);
	return SPATE_OK;
}

vec3 relief_normal(const relief *from, int x, int y, float depth)
{
	// bilinear between the centres of four cells, using those on the pixel's own surface
	float u = ((float)x + 0.5f) / (float)from->step - 0.5f, v = ((float)y + 0.5f) / (float)from->step - 0.5f;
	int column = u > 0.0f ? (int)u : 0, row = v > 0.0f ? (int)v : 0;
	float fu = u - (float)column, fv = v - (float)row, inverse = 1.0f / depth,
	      limit = inverse * inverse * from->reach;
	fu = fu > 0.0f ? fu : 0.0f;
	fv = fv > 0.0f ? fv : 0.0f;
	vec3 sum = {0, 0, 0};
	for (int k = 0; k < 4; k++)
	{
		int cx = column + (k & 1), cy = row + (k >> 1);
		if (cx >= from->width || cy >= from->height)
			continue;
		const relief_cell *cell = from->cells + (size_t)cy * (size_t)from->width + (size_t)cx;
		float weight = (k & 1 ? fu : 1.0f - fu) * (k >> 1 ? fv : 1.0f - fv) * cell->filled;
		if (fabsf(cell->inverse - inverse) <= limit)
			sum = vec3_add_scaled(sum, cell->normal, weight);
	}
	return sum;
}
