#include "space/crowding.h"

#include "base/array.h"
#include "base/error.h"
#include "base/parallel.h"
#include "spate/neighbours.h"

#include <math.h>

// Support of the kernel in spacings: 113 neighbours.
#define SUPPORT 3.0

enum
{
	REACH = 3,       // lattice steps within the support
	MOST_NEAR = 4096 // neighbours that are looked at
};

typedef struct crowding_work
{
	ARRAY(float) points; // of particles, then of images
	spate_neighbours *search;
	double spacing, rest; // rest: the sum on the lattice
	float *excess;        // C
} crowding_work;

// Wendland's C4 without its factor; q is the distance in supports.
static double wendland(double q)
{
	double left = fmax(1.0 - q, 0.0), cube = left * left * left;
	return cube * cube * (1.0 + 6.0 * q + 35.0 / 3.0 * q * q);
}

static double lattice_sum(void)
{
	double sum = 0.0;
	for (int x = -REACH; x <= REACH; x++)
		for (int y = -REACH; y <= REACH; y++)
			for (int z = -REACH; z <= REACH; z++)
				sum += wendland(sqrt(x * x + y * y + z * z) / SUPPORT);
	return sum;
}

static int push_point(crowding_work *w, const float p[3])
{
	if (!array_reserve(&w->points, w->points.count + 3))
		return 0;
	for (int k = 0; k < 3; k++)
		w->points.data[w->points.count++] = p[k];
	return 1;
}

// Images behind the two walls of an axis, of all points that there are: those of the axes before make edges and corners.
static int mirror_axis(crowding_work *w, const crowding_box *box, int axis)
{
	const double walls[2] = {box->low[axis], box->high[axis]};
	size_t count = w->points.count / 3;
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < count; i++)
		{
			const float *p = w->points.data + 3 * i;
			if (!(fabs((double)p[axis] - walls[side]) < SUPPORT * w->spacing))
				continue;
			float image[3] = {p[0], p[1], p[2]};
			image[axis] = (float)(2.0 * walls[side] - (double)p[axis]);
			if (!push_point(w, image))
				return 0;
		}
	return 1;
}

static void sum_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	crowding_work *w = context;
	const float *points = w->points.data;
	uint32_t near[MOST_NEAR];
	for (size_t i = begin; i < end; i++)
	{
		uint32_t count = spate_neighbours_of(w->search, (uint32_t)i, near, MOST_NEAR);
		double sum = wendland(0.0);
		for (uint32_t k = 0; k < count && k < MOST_NEAR; k++)
		{
			double square = 0.0;
			for (int axis = 0; axis < 3; axis++)
			{
				double by = (double)points[3 * i + (size_t)axis] -
					    (double)points[3 * (size_t)near[k] + (size_t)axis];
				square += by * by;
			}
			sum += wendland(sqrt(square) / (SUPPORT * w->spacing));
		}
		w->excess[i] = (float)(sum / w->rest - 1.0);
	}
}

static spate_result measure(crowding_work *w, uint32_t count, int threads, crowding *out, spate_error *error)
{
	w->excess = mem_alloc((count + (size_t)1) * sizeof(float));
	if (!w->excess)
		return error_memory(error, count * sizeof(float));
	spate_result result = spate_neighbours_create(&w->search, error);
	if (result == SPATE_OK)
		result = spate_neighbours_find(w->search, (uint32_t)(w->points.count / 3), w->points.data,
					       (float)(SUPPORT * w->spacing), NULL, threads, error);
	if (result != SPATE_OK)
		return result;
	parallel_for(threads, count, PARALLEL_BLOCK, sum_rows, w);
	double sum = 0.0, largest = -1.0;
	for (uint32_t i = 0; i < count; i++)
	{
		sum += fmax((double)w->excess[i], 0.0);
		largest = fmax(largest, (double)w->excess[i]);
	}
	*out = (crowding){count > 0 ? sum / count : 0.0, count > 0 ? largest : 0.0};
	return SPATE_OK;
}

spate_result crowding_measure(const vec4 *places, uint32_t count, double spacing, const crowding_box *box, int threads,
			      crowding *out, spate_error *error)
{
	crowding_work w = {.spacing = spacing, .rest = lattice_sum()};
	int enough = 1;
	for (uint32_t i = 0; i < count && enough; i++)
		enough = push_point(&w, (const float[3]){places[i].x, places[i].y, places[i].z});
	for (int axis = 0; axis < 3 && enough; axis++)
		enough = mirror_axis(&w, box, axis);
	spate_result result =
	    enough ? measure(&w, count, threads, out, error) : error_memory(error, count * 3 * sizeof(float));
	spate_neighbours_destroy(w.search);
	array_free(&w.points);
	mem_free(w.excess);
	return result;
}
