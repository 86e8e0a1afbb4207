// Finds the fluid at a place: counts how often the surface of each fluid winds around it, along a ray in the direction
// of x.
//
// Triangles are binned by their projection onto the y-z plane. On which side of an edge a ray passes depends only on
// the edge, with its ends in a fixed order, so a ray between two triangles passes through exactly one of them.
#include "base/error.h"
#include "base/parallel.h"
#include "surface/many.h"

enum
{
	MOST_BINS = 2048, // along an axis
	POINTS_PER_TASK = 1024
};

typedef struct shadow_bins
{
	const spate_surface_many *many;
	double low[2], size[2]; // m, of a bin along y and z
	uint32_t side;
	uint32_t *first; // of bin b; one more at the end
	uint32_t *list;
} shadow_bins;

static uint32_t bin_at(const shadow_bins *bins, double place, int axis)
{
	double at = (place - bins->low[axis]) / bins->size[axis];
	return (uint32_t)fmin(fmax(at, 0.0), bins->side - 1.0);
}

static void bins_free(shadow_bins *bins)
{
	mem_free(bins->first);
	mem_free(bins->list);
}

// Bounding box of a triangle's projection, in bins.
static void shadow_of(const shadow_bins *bins, uint32_t triangle, uint32_t from[2], uint32_t to[2])
{
	const spate_mesh *mesh = bins->many->combined;
	for (int axis = 0; axis < 2; axis++)
	{
		double low = HUGE_VAL, high = -HUGE_VAL;
		for (int k = 0; k < 3; k++)
		{
			size_t v = mesh->triangles[3 * (size_t)triangle + (size_t)k];
			low = fmin(low, mesh->positions[3 * v + 1 + (size_t)axis]);
			high = fmax(high, mesh->positions[3 * v + 1 + (size_t)axis]);
		}
		from[axis] = bin_at(bins, low, axis);
		to[axis] = bin_at(bins, high, axis);
	}
}

static spate_result bins_init(shadow_bins *bins, const spate_surface_many *many, spate_error *error)
{
	const spate_mesh *mesh = many->combined;
	double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
	for (size_t v = 0; v < mesh->vertex_count; v++)
		for (int axis = 0; axis < 2; axis++)
		{
			low[axis] = fmin(low[axis], mesh->positions[3 * v + 1 + (size_t)axis]);
			high[axis] = fmax(high[axis], mesh->positions[3 * v + 1 + (size_t)axis]);
		}
	double side = ceil(sqrt(0.5 * mesh->triangle_count));
	*bins = (shadow_bins){.many = many, .side = (uint32_t)fmin(fmax(side, 1.0), MOST_BINS)};
	for (int axis = 0; axis < 2; axis++)
	{
		bins->low[axis] = mesh->vertex_count ? low[axis] : 0.0;
		bins->size[axis] = mesh->vertex_count ? fmax((high[axis] - low[axis]) / bins->side, 1e-30) : 1.0;
	}
	size_t count = (size_t)bins->side * bins->side;
	bins->first = mem_calloc(count + 2, sizeof *bins->first);
	if (!bins->first)
		return error_memory(error, count * sizeof *bins->first);
	for (int pass = 0; pass < 2; pass++)
	{
		for (uint32_t t = 0; t < mesh->triangle_count; t++)
		{
			uint32_t from[2], to[2];
			shadow_of(bins, t, from, to);
			for (uint32_t z = from[1]; z <= to[1]; z++)
				for (uint32_t y = from[0]; y <= to[0]; y++)
				{
					uint32_t *at = &bins->first[(size_t)z * bins->side + y + (pass == 0 ? 2 : 1)];
					if (pass == 1)
						bins->list[*at] = t;
					++*at;
				}
		}
		if (pass == 1)
			break;
		for (size_t b = 0; b < count; b++)
			bins->first[b + 2] += bins->first[b + 1];
		size_t bytes = ((size_t)bins->first[count + 1] + 1) * sizeof *bins->list;
		bins->list = mem_alloc(bytes);
		if (!bins->list)
		{
			bins_free(bins);
			return error_memory(error, bytes);
		}
	}
	return SPATE_OK;
}

// Defines a fixed order for the ends of an edge.
static int comes_after(const float *a, const float *b)
{
	int k = 0;
	while (k < 2 && a[k] == b[k])
		k++;
	return a[k] > b[k];
}

// Twice the signed area of a, b and p seen along x. Never 0: a point on the line of the edge counts as moved slightly
// up, then slightly to the left.
static double across(const float *a, const float *b, const double *p)
{
	if (comes_after(a, b))
		return -across(b, a, p);
	double y = (double)b[1] - a[1], z = (double)b[2] - a[2];
	double area = y * (p[2] - a[2]) - z * (p[1] - a[1]);
	return area != 0.0 ? area : y != 0.0 ? copysign(1e-300, y) : copysign(1e-300, z);
}

// Whether the ray from p passes through a triangle: 1 out of its front, -1 out of its back, 0 if not.
static int passes(const float *a, const float *b, const float *c, const double *p)
{
	double u = across(b, c, p), v = across(c, a, p), w = across(a, b, p);
	int front = u > 0.0 && v > 0.0 && w > 0.0;
	if (!front && !(u < 0.0 && v < 0.0 && w < 0.0))
		return 0;
	double x = (u * a[0] + v * b[0] + w * c[0]) / (u + v + w);
	return x < p[0] ? 0 : front ? 1 : -1;
}

static uint8_t label_of(const shadow_bins *bins, const double *p)
{
	const spate_surface_many *many = bins->many;
	const spate_mesh *mesh = many->combined;
	int winding[SPATE_SURFACE_MAX_FLUIDS + 1] = {0};
	if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
		return 0;
	size_t bin = (size_t)bin_at(bins, p[2], 1) * bins->side + bin_at(bins, p[1], 0);
	for (uint32_t i = bins->first[bin]; i < bins->first[bin + 1]; i++)
	{
		uint32_t t = bins->list[i];
		const uint32_t *v = mesh->triangles + 3 * (size_t)t;
		int through = passes(mesh->positions + 3 * (size_t)v[0], mesh->positions + 3 * (size_t)v[1],
				     mesh->positions + 3 * (size_t)v[2], p);
		winding[many->sides[2 * (size_t)t]] += through;
		winding[many->sides[2 * (size_t)t + 1]] -= through;
	}
	uint8_t label = 0;
	for (int k = 1; k <= SPATE_SURFACE_MAX_FLUIDS; k++)
		if (winding[k] != 0)
			label = label || winding[k] != 1 ? SPATE_SURFACE_TANGLED : (uint8_t)k;
	return label;
}

typedef struct classify_job
{
	const shadow_bins *bins;
	const float *points;
	uint8_t *labels;
} classify_job;

static void classify_points(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	classify_job *job = context;
	for (size_t i = begin; i < end; i++)
	{
		const float *p = job->points + 3 * i;
		job->labels[i] = label_of(job->bins, (const double[3]){p[0], p[1], p[2]});
	}
}

spate_result spate_surface_classify(const spate_surface_many *many, uint32_t count, const float *points,
				    uint8_t *labels, int threads, spate_error *error)
{
	if (count && (!points || !labels))
		return error_set(error, SPATE_INVALID, "classifying %u places needs them and room for their labels",
				 count);
	shadow_bins bins;
	spate_result result = bins_init(&bins, many, error);
	if (result != SPATE_OK)
		return result;
	classify_job job = {&bins, points, labels};
	parallel_for(surface_threads(threads), count, POINTS_PER_TASK, classify_points, &job);
	bins_free(&bins);
	return SPATE_OK;
}
