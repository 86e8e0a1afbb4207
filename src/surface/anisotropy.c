// Kernels that take the shape of the liquid around them: J. Yu, G. Turk, Reconstructing surfaces of particle-based fluids using
// anisotropic kernels, 2013. The covariance of a particle's neighbours (eq. 9) says along which directions the liquid extends; the
// kernel is stretched by its eigenvalues (eq. 15, 16), which flattens it along surfaces and sheets.
#include "base/error.h"
#include "base/parallel.h"
#include "surface/eigen.h"
#include "surface/field.h"

#include <stdatomic.h>

enum
{
	ROWS_PER_TASK = 2048,
	FEW = 10 // fewer neighbours within the radius define no shape
};

#define RADIUS 2.6f     // spacings: neighbours within it shape a kernel; r_i in the paper
#define SMOOTHING 0.35f // lambda of eq. 6: how far centres move to the mean of their neighbours
#define MOST_SHIFT 0.8f // spacings: upper bound on how far a centre moves
#define RATIO 4.0       // k_r of eq. 15: longest to shortest axis
#define ALONE 0.36      // k_n: size of the kernel of a particle that is nearly alone

typedef struct shape_job
{
	surface_points *points;
	const field_kernels *kernels;
	field_scratch *scratch;
	_Atomic int failed;
} shape_job;

// Centre, weight and squared metric of one particle from the moments of its neighbours.
static void shape_point(surface_points *points, size_t row, const float m[10], float found)
{
	vec4 p = points->positions[row];
	double spacing = points->uniform ? points->spacing : points->spacings[row], h = points->kernel * spacing;
	double sizes[3] = {ALONE, ALONE, ALONE}, axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	double mean[3] = {(double)m[1] / m[0], (double)m[2] / m[0], (double)m[3] / m[0]};
	if (found > FEW)
	{
		double c[6] = {m[4] / m[0] - mean[0] * mean[0], m[5] / m[0] - mean[0] * mean[1],
			       m[6] / m[0] - mean[0] * mean[2], m[7] / m[0] - mean[1] * mean[1],
			       m[8] / m[0] - mean[1] * mean[2], m[9] / m[0] - mean[2] * mean[2]};
		// in the bulk the variance is 0.15 r^2 along every axis
		double bulk = 0.15 * (RADIUS * spacing) * (RADIUS * spacing), values[3];
		eigen_symmetric(c, values, axes);
		for (int k = 0; k < 3; k++)
			sizes[k] = fmin(fmax(values[k], fmax(values[0], 0.3 * bulk) / RATIO) / bulk, 1.0);
	}
	double g[6] = {0};
	for (int k = 0; k < 3; k++)
	{
		double s = 1.0 / (sizes[k] * h * sizes[k] * h);
		const double *a = axes[k];
		g[0] += s * a[0] * a[0];
		g[1] += s * a[0] * a[1];
		g[2] += s * a[0] * a[2];
		g[3] += s * a[1] * a[1];
		g[4] += s * a[1] * a[2];
		g[5] += s * a[2] * a[2];
	}
	for (int k = 0; k < 6; k++)
		points->shapes[6 * row + (size_t)k] = (float)g[k];

	// a volume of spacing^3 in a kernel whose integral is 64 pi / 315 times the product of its half axes
	double volume = spacing * spacing * spacing / (0.6382854 * h * h * h * sizes[0] * sizes[1] * sizes[2]);
	volume *= points->shares ? points->shares[row] : 1.0f;
	float shift = found > FEW ? SMOOTHING : 0.0f;
	points->centres[row] = (vec4){p.x + shift * (float)mean[0], p.y + shift * (float)mean[1],
				      p.z + shift * (float)mean[2], (float)volume};
}

static void shape_rows(void *context, size_t begin, size_t end, int thread)
{
	shape_job *job = context;
	surface_points *points = job->points;
	const uint64_t *keys = points->index.keys.data;
	field_scratch *scratch = &job->scratch[thread];
	for (size_t i = begin; i < end;)
	{
		// the particles of one cell, and the box around them
		vec4 p = points->positions[i];
		vec3 low = {p.x, p.y, p.z}, high = low;
		size_t last = i + 1;
		for (; last < end && keys[last] == keys[i]; last++)
		{
			p = points->positions[last];
			low = (vec3){fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z)};
			high = (vec3){fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z)};
		}
		if (!point_set_gather(&scratch->set, points, low, high, RADIUS * points->largest))
		{
			atomic_store(&job->failed, 1);
			return;
		}
		field_points near = {.x = scratch->set.x.data,
				     .y = scratch->set.y.data,
				     .z = scratch->set.z.data,
				     .count = scratch->set.count};
		for (; i < last; i++)
		{
			float sums[10], spacing = points->uniform ? points->spacing : points->spacings[i];
			p = points->positions[i];
			float found = job->kernels->moments(&near, (vec3){p.x, p.y, p.z}, RADIUS * spacing, sums);
			shape_point(points, i, sums, found);
		}
	}
}

spate_result field_shape(surface_points *points, field_scratch *scratch, int threads, spate_error *error)
{
	size_t count = points->count;
	points->centres = mem_alloc(mem_product(count, sizeof(vec4)));
	points->shapes = mem_alloc(mem_product(count, 6 * sizeof(float)));
	points->shift = MOST_SHIFT * points->largest;
	if (!points->centres || !points->shapes)
		return error_memory(error, count * 10 * sizeof(float));
	shape_job job = {.points = points, .kernels = field_kernels_table(points->index.simd), .scratch = scratch};
	parallel_for(threads, count, ROWS_PER_TASK, shape_rows, &job);
	return job.failed ? error_memory(error, count * sizeof(float)) : SPATE_OK;
}
