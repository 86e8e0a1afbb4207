// Pairs of samples on opposite sides of a pixel. On any plane 1/depth is linear across the picture, so the two
// differences cancel and a flat surface stays bright at every angle; where both sides are nearer than the middle, light
// is occluded. Sixteen rotations of the pattern, one per pixel of a 4 x 4 square, are smoothed by a 4 x 4 mean
// restricted to one surface.
#include "render/occlusion.h"

#include "base/error.h"
#include "base/parallel.h"
#include "render/splat.h"

enum
{
	PAIRS = 6,
	ROTATIONS = 16,
	LARGEST_REACH = 90 // pixels
};

typedef struct occlusion_job
{
	const camera_view *view;
	const float *depth;
	const occlusion *out;
	float reach;
	float *inverse; // 1 / depth, one per value
	float *raw, *smooth;
	float offset[ROTATIONS][PAIRS][2]; // of one sample of each pair, in units of the reach
} occlusion_job;

static void make_offsets(occlusion_job *job)
{
	for (int r = 0; r < ROTATIONS; r++)
		for (int k = 0; k < PAIRS; k++)
		{
			// neighbouring pixels get very different angles
			float turn = (float)(r * 7 % ROTATIONS) / (float)ROTATIONS;
			float angle = 3.14159265f * ((float)k + turn) / (float)PAIRS;
			float radius = ((float)(k * 5 % PAIRS) + 0.3f + 0.7f * turn) / (float)PAIRS;
			job->offset[r][k][0] = radius * cosf(angle);
			job->offset[r][k][1] = radius * sinf(angle);
		}
}

static void invert_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	occlusion_job *job = context;
	const occlusion *out = job->out;
	for (size_t y = begin; y < end; y++)
		for (size_t x = 0; x < (size_t)out->width; x++)
		{
			float depth = job->depth[(y * (size_t)job->view->width + x) * (size_t)out->step];
			// exactly 0 for the backdrop: the inverse of its depth would be a slow denormal
			job->inverse[y * (size_t)out->width + x] = depth < SPLAT_FAR ? 1.0f / depth : 0.0f;
		}
}

// How far the sample is in front of the middle, in units of the reach: at most 1; beyond 2 it is ignored.
static float rise(const occlusion_job *job, int x, int y, float inverse, float scale)
{
	const occlusion *out = job->out;
	x = x < 0 ? 0 : x >= out->width ? out->width - 1 : x;
	y = y < 0 ? 0 : y >= out->height ? out->height - 1 : y;
	float d = (job->inverse[(size_t)y * (size_t)out->width + (size_t)x] - inverse) * scale;
	return d > 1.0f ? (d < 2.0f ? 2.0f - d : 0.0f) : d > -1.0f ? d : -1.0f;
}

static void sample_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	occlusion_job *job = context;
	const occlusion *out = job->out;
	float focal = job->view->focal / (float)out->step;
	for (int y = (int)begin; y < (int)end; y++)
		for (int x = 0; x < out->width; x++)
		{
			size_t at = (size_t)y * (size_t)out->width + (size_t)x;
			float inverse = job->inverse[at], pixels = focal * job->reach * inverse;
			job->raw[at] = 1.0f;
			if (!(pixels > 0.5f))
				continue;
			pixels = pixels < LARGEST_REACH ? pixels : LARGEST_REACH;
			float scale = 1.0f / (inverse * inverse * job->reach), closed = 0.0f;
			for (int k = 0; k < PAIRS; k++)
			{
				const float *offset = job->offset[(y & 3) * 4 + (x & 3)][k];
				int ox = (int)lrintf(offset[0] * pixels), oy = (int)lrintf(offset[1] * pixels);
				float both = rise(job, x + ox, y + oy, inverse, scale) +
					     rise(job, x - ox, y - oy, inverse, scale);
				closed += both > 0.0f ? both : 0.0f;
			}
			closed *= 2.2f / (float)PAIRS;
			job->raw[at] = 1.0f / (1.0f + closed * (1.0f + closed));
		}
}

// Mean of four values along a row or column, using those near enough in depth to be the same surface.
static float mean_of_four(const occlusion_job *job, const float *values, int x, int y, int dx, int dy)
{
	const occlusion *out = job->out;
	size_t at = (size_t)y * (size_t)out->width + (size_t)x;
	float inverse = job->inverse[at], limit = inverse * inverse * job->reach, sum = 0.0f, weight = 0.0f;
	for (int k = -1; k <= 2; k++)
	{
		int px = x + k * dx, py = y + k * dy;
		if (px < 0 || py < 0 || px >= out->width || py >= out->height)
			continue;
		size_t other = (size_t)py * (size_t)out->width + (size_t)px;
		if (fabsf(job->inverse[other] - inverse) <= limit)
		{
			sum += values[other];
			weight += 1.0f;
		}
	}
	return sum / weight; // never 0: the value itself is included
}

static void smooth_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	occlusion_job *job = context;
	for (int y = (int)begin; y < (int)end; y++)
		for (int x = 0; x < job->out->width; x++)
			job->smooth[(size_t)y * (size_t)job->out->width + (size_t)x] =
			    mean_of_four(job, job->raw, x, y, 1, 0);
}

static void smooth_columns(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	occlusion_job *job = context;
	for (int y = (int)begin; y < (int)end; y++)
		for (int x = 0; x < job->out->width; x++)
			job->out->open[(size_t)y * (size_t)job->out->width + (size_t)x] =
			    mean_of_four(job, job->smooth, x, y, 0, 1);
}

spate_result occlusion_make(occlusion *out, const camera_view *view, const float *depth, int step, float reach,
			    int threads, arena *scratch, spate_error *error)
{
	*out = (occlusion){.step = step, .width = view->width / step, .height = view->height / step};
	size_t bytes = (size_t)out->width * (size_t)out->height * sizeof(float);
	occlusion_job job = {.view = view, .depth = depth, .out = out, .reach = reach};
	job.inverse = arena_alloc(scratch, bytes);
	job.raw = arena_alloc(scratch, bytes);
	job.smooth = arena_alloc(scratch, bytes);
	if (!job.inverse || !job.raw || !job.smooth)
		return error_memory(error, 3 * bytes);
	out->open = job.raw; // raw is not read any more when this is written
	make_offsets(&job);
	size_t rows = (size_t)out->height;
	parallel_for(threads, rows, 16, invert_rows, &job);
	parallel_for(threads, rows, 8, sample_rows, &job);
	parallel_for(threads, rows, 16, smooth_rows, &job);
	parallel_for(threads, rows, 16, smooth_columns, &job);
	return SPATE_OK;
}
