#include "collider/load.h"

#include <math.h>
#include <string.h>

// Bits of a displacement by one length: far finer than the rounding of positions, with room for 2^30 lengths.
enum
{
	FINENESS = 32
};

int load_book_open(load_book *book, const vec3 *centres, uint32_t colliders, int threads, double length, arena *scratch)
{
	size_t count = (size_t)threads * colliders;
	*book = (load_book){.sums = arena_alloc(scratch, count * sizeof *book->sums),
			    .centres = centres,
			    .colliders = colliders,
			    .threads = threads,
			    .linear = ldexp(1.0, FINENESS - ilogb(length)),
			    .angular = ldexp(1.0, FINENESS - 2 * ilogb(length))};
	if (!book->sums)
		return 0;
	memset(book->sums, 0, count * sizeof *book->sums);
	return 1;
}

// To the nearest integer; what no sound particle has is clamped.
static inline int64_t quanta(double value)
{
	const double most = 0x1p62;
	return llrint(value < most ? value > -most ? value : -most : most);
}

void load_charge(const load_row *row, uint32_t number, vec3 place, vec3 dx)
{
	load_sum *own = &row->sums[number];
	vec3 centre = row->book->centres[number];
	double d[3] = {row->mass * (double)dx.x, row->mass * (double)dx.y, row->mass * (double)dx.z};
	double r[3] = {(double)place.x - (double)centre.x, (double)place.y - (double)centre.y,
		       (double)place.z - (double)centre.z};
	for (int k = 0; k < 3; k++)
	{
		int a = k < 2 ? k + 1 : 0, b = k > 0 ? k - 1 : 2;
		own->linear[k] += quanta(d[k] * row->book->linear);
		own->angular[k] += quanta((r[a] * d[b] - r[b] * d[a]) * row->book->angular);
	}
}

void load_book_close(const load_book *book, double mass, double dt, collider_load *out)
{
	for (uint32_t c = 0; c < book->colliders; c++)
	{
		load_sum all = {0};
		for (int thread = 0; thread < book->threads; thread++)
			for (int k = 0; k < 3; k++)
			{
				const load_sum *own = &book->sums[(size_t)thread * book->colliders + c];
				all.linear[k] += own->linear[k];
				all.angular[k] += own->angular[k];
			}
		out[c] = (collider_load){.dt = dt};
		for (int k = 0; k < 3; k++)
		{
			out[c].linear[k] = -mass / dt * ((double)all.linear[k] / book->linear);
			out[c].angular[k] = -mass / dt * ((double)all.angular[k] / book->angular);
		}
	}
}
