// Relaxed fills: points that repel each other until they are spread evenly but in no rows.
#include "base/parallel.h"
#include "source/crowd.h"
#include "source/source_work.h"

#include <string.h>

// Reach of the repulsion, length of a step against it, longest step and first random displacement, in spacings.
#define REACH 1.6f
#define STEP 0.35f
#define LONGEST 0.2f
#define SCATTER 0.7f

enum
{
	ROUNDS = 30,
	BLOCK = 512
};

typedef struct relaxation
{
	const float *from;
	float *to;
	const crowd *cells;
	float spacing;
	void (*keep_in)(const void *context, vec3 *p);
	const void *context;
} relaxation;

static vec3 repulsion(const relaxation *r, size_t i, vec3 p)
{
	vec3 sum = {0, 0, 0};
	float reach = REACH * r->spacing;
	for (int n = 0; n < 27; n++)
	{
		vec3 beside = {p.x + r->cells->cell * (float)(n % 3 - 1), p.y + r->cells->cell * (float)(n / 3 % 3 - 1),
			       p.z + r->cells->cell * (float)(n / 9 - 1)};
		int64_t cell = crowd_cell(r->cells, beside);
		for (int32_t k = cell < 0 ? -1 : r->cells->first.data[cell]; k >= 0; k = r->cells->next.data[k])
		{
			const float *q = r->from + 3 * (size_t)k;
			vec3 way = {p.x - q[0], p.y - q[1], p.z - q[2]};
			float length = vec3_length(way), share = 1.0f - length / reach;
			if ((size_t)k != i && share > 0.0f && length > 0.0f)
				sum = vec3_add_scaled(sum, way, share * share / length);
		}
	}
	return sum;
}

static void move_points(void *context, size_t begin, size_t end, int thread)
{
	const relaxation *r = context;
	(void)thread;
	for (size_t i = begin; i < end; i++)
	{
		const float *from = r->from + 3 * i;
		vec3 p = {from[0], from[1], from[2]}, way = vec3_scale(repulsion(r, i, p), STEP * r->spacing);
		float length = vec3_length(way), most = LONGEST * r->spacing;
		p = vec3_add_scaled(p, way, length > most ? most / length : 1.0f);
		r->keep_in(r->context, &p);
		memcpy(r->to + 3 * i, &p, sizeof p);
	}
}

int fill_relax(float *points, size_t count, vec3 low, vec3 high, float spacing, random_key key,
	       void (*keep_in)(const void *context, vec3 *p), const void *context)
{
	crowd cells = {0};
	float *spare = mem_alloc(mem_product(count, 3 * sizeof *spare));
	int made = crowd_start(&cells, low, high, REACH * spacing, count) && spare;
	for (size_t i = 0; i < count && made; i++)
	{
		key.id = (int64_t)i;
		vec3 u = random_unit(key), p = {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
		p = vec3_add_scaled(p, u, SCATTER * spacing);
		keep_in(context, &p);
		memcpy(points + 3 * i, &p, sizeof p);
	}
	float *from = points, *to = spare;
	for (int round = 0; round < ROUNDS && made; round++)
	{
		crowd_fill(&cells, from, 3, count, NULL);
		relaxation r = {from, to, &cells, spacing, keep_in, context};
		parallel_for(parallel_default_threads(), count, BLOCK, move_points, &r);
		float *now = to;
		to = from;
		from = now;
	}
	// an even number of rounds ends where it began
	_Static_assert(ROUNDS % 2 == 0, "the last round must write to the points");
	crowd_free(&cells);
	mem_free(spare);
	return made;
}
