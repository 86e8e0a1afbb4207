#include "collider/load.h"

#include "collider/mesh_solid.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// Bits of a displacement by one length: far finer than the rounding of positions, with room for 2^30 lengths.
enum
{
	FINENESS = 32
};

int load_book_open(load_book *book, const vec3 *centres, load_skin *const *skins, uint32_t colliders, int threads,
		   double length, arena *scratch)
{
	size_t count = (size_t)threads * colliders;
	*book = (load_book){.sums = arena_alloc(scratch, count * sizeof *book->sums),
			    .centres = centres,
			    .skins = skins,
			    .colliders = colliders,
			    .threads = threads,
			    .linear = ldexp(1.0, FINENESS - ilogb(length)),
			    .angular = ldexp(1.0, FINENESS - 2 * ilogb(length))};
	if (!book->sums)
		return 0;
	memset(book->sums, 0, count * sizeof *book->sums);
	for (uint32_t c = 0; c < colliders && skins; c++)
		for (size_t k = 0; skins[c] && k < 3 * (size_t)skins[c]->vertices; k++)
			atomic_store_explicit(&skins[c]->sums[k], 0, memory_order_relaxed);
	return 1;
}

// To the nearest integer; what no sound particle has is clamped.
static inline int64_t quanta(double value)
{
	const double most = 0x1p62;
	return llrint(value < most ? value > -most ? value : -most : most);
}

static void add(const load_row *row, uint32_t number, vec3 place, vec3 dx, load_part *part)
{
	vec3 centre = row->book->centres[number];
	double d[3] = {row->mass * (double)dx.x, row->mass * (double)dx.y, row->mass * (double)dx.z};
	double r[3] = {(double)place.x - (double)centre.x, (double)place.y - (double)centre.y,
		       (double)place.z - (double)centre.z};
	for (int k = 0; k < 3; k++)
	{
		int a = k < 2 ? k + 1 : 0, b = k > 0 ? k - 1 : 2;
		part->linear[k] += quanta(d[k] * row->book->linear);
		part->angular[k] += quanta((r[a] * d[b] - r[b] * d[a]) * row->book->angular);
	}
}

// Splits a displacement over a triangle; the last corner gets what rounding leaves.
static void add_to_skin(const load_row *row, const load_skin *skin, vec3 place, vec3 dx)
{
	triangle_point at;
	if (!mesh_solid_touched(skin->mesh, place, &at))
		return;
	const uint32_t *corner = skin->triangles + 3 * (size_t)at.triangle;
	const float d[3] = {dx.x, dx.y, dx.z};
	for (size_t i = 0; i < 3; i++)
	{
		int64_t all = quanta(row->mass * (double)d[i] * row->book->linear), left = all;
		for (int k = 0; k < 3; k++)
		{
			int64_t part = k < 2 ? llrint((double)at.weights[k] * (double)all) : left;
			left -= part;
			atomic_fetch_add_explicit(&skin->sums[3 * (size_t)corner[k] + i], part, memory_order_relaxed);
		}
	}
}

void load_charge(const load_row *row, uint32_t number, vec3 place, vec3 dx)
{
	if (row->book->skins && row->book->skins[number])
		add_to_skin(row, row->book->skins[number], place, dx);
	add(row, number, place, dx, &row->sums[number].all);
}

void load_charge_friction(const load_row *row, uint32_t number, vec3 place, vec3 dx)
{
	add(row, number, place, dx, &row->sums[number].friction);
}

static void join(load_part *to, const load_part *from)
{
	for (int k = 0; k < 3; k++)
	{
		to->linear[k] += from->linear[k];
		to->angular[k] += from->angular[k];
	}
}

static void give(const load_book *book, const load_part *part, double scale, double linear[3], double angular[3])
{
	for (int k = 0; k < 3; k++)
	{
		linear[k] = scale * ((double)part->linear[k] / book->linear);
		angular[k] = scale * ((double)part->angular[k] / book->angular);
	}
}

void load_book_close(const load_book *book, double mass, double dt, collider_load *out)
{
	for (uint32_t c = 0; c < book->colliders && book->skins; c++)
		for (size_t k = 0; book->skins[c] && k < 3 * (size_t)book->skins[c]->vertices; k++)
			book->skins[c]->impulses[k] =
			    -mass / dt *
			    ((double)atomic_load_explicit(&book->skins[c]->sums[k], memory_order_relaxed) /
			     book->linear);
	for (uint32_t c = 0; c < book->colliders; c++)
	{
		load_sum sum = {0};
		for (int thread = 0; thread < book->threads; thread++)
		{
			const load_sum *own = &book->sums[(size_t)thread * book->colliders + c];
			join(&sum.all, &own->all);
			join(&sum.friction, &own->friction);
		}
		out[c] = (collider_load){.dt = dt};
		give(book, &sum.all, -mass / dt, out[c].linear, out[c].angular);
		give(book, &sum.friction, -mass / dt, out[c].friction_linear, out[c].friction_angular);
	}
}
