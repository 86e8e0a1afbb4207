// Example meshes of places: land, and what is below a street.
#include "tools/meshes/make.h"
#include "tools/meshes/make_part.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

// From 0 to 1 over a length, starting at a place.
static double rise_from(double x, double start, double length)
{
	double t = fmin(1.0, fmax(0.0, (x - start) / length));
	return t * t * (3.0 - 2.0 * t);
}

static double bump(double x, double middle, double width)
{
	double t = (x - middle) / width;
	return exp(-t * t);
}

// ------------------------------------------------------------------------------------------------------------- cascade

enum
{
	LAND_CELLS = 60
};

static const double land_bottom = -0.5, land_length = 2.8, land_width = 1.2;

// The height of the land besides its roughness. x starts at 0 where the river does.
static double land(double x, double z)
{
	double steps = 0.0;
	for (int k = 0; k < 3; k++)
		steps += 0.16 * rise_from(x, 0.88 + 0.22 * k, 0.07);
	double wide = 0.19 + 0.2 * (rise_from(x, 1.4, 0.25) - rise_from(x, 2.25, 0.25));
	double middle = 0.12 * sin(3.5 * x) * (1.0 - rise_from(x, 1.2, 0.3));
	double banks = 0.32 * rise_from(fabs(z - middle), wide, 0.25), spring = 0.35 * (1.0 - rise_from(x, 0.03, 0.1));
	double lake = 0.14 * bump(x, 1.95, 0.32) * bump(z, 0.0, 0.38);
	double shore = 0.1 * bump(x, 2.43, 0.1) * (1.0 - 0.7 * bump(z, 0.05, 0.18));
	double below = 0.45 * rise_from(x, 2.5, 0.3);
	return 0.6 - 0.05 * x - steps + banks * (1.0 - 0.6 * rise_from(x, 2.5, 0.3)) + spring - lake + shore - below;
}

// Walls below the rim of a sheet of LAND_CELLS squared, and a floor.
static void close_below(make_part *p)
{
	const uint32_t n = LAND_CELLS, side = n + 1;
	uint32_t first = p->vertices;
	for (uint32_t i = 0; i < 4 * n; i++)
	{
		// around the rim, anticlockwise seen from above
		uint32_t k = i % n, at[4] = {side * n + k, side * (n - k) + n, n - k, side * k};
		const float *from = p->mesh->positions + 3 * (size_t)at[i / n];
		make_vertex(p, (double)from[0], land_bottom, (double)from[2]);
	}
	uint32_t centre = make_vertex(p, 0.0, land_bottom, 0.0);
	for (uint32_t i = 0; i < 4 * n; i++)
	{
		uint32_t next = (i + 1) % (4 * n), rim[2];
		for (uint32_t e = 0; e < 2; e++)
		{
			uint32_t j = e ? next : i, k = j % n,
				 at[4] = {side * n + k, side * (n - k) + n, n - k, side * k};
			rim[e] = at[j / n];
		}
		make_quad(p, first + i, first + next, rim[1], rim[0]);
		make_triangle(p, centre, first + next, first + i);
	}
}

spate_result make_cascade(spate_mesh **mesh, spate_error *error)
{
	const uint32_t rim = 4 * LAND_CELLS;
	spate_mesh *sheet = NULL;
	spate_result result = make_terrain(&sheet, land_length, land_width, 0.05, LAND_CELLS, 11, error);
	if (result == SPATE_OK)
		result = make_begin(mesh, sheet->vertex_count + rim + 1, sheet->triangle_count + 3 * rim, 0, error);
	if (result == SPATE_OK)
	{
		make_part p = {.mesh = *mesh};
		for (size_t v = 0; v < sheet->vertex_count; v++)
		{
			const float *at = sheet->positions + 3 * v;
			double x = (double)at[0], y = (double)at[1], z = (double)at[2];
			make_vertex(&p, x, y + land(x + 0.5 * land_length, z), z);
		}
		for (size_t t = 0; t < sheet->triangle_count; t++)
		{
			const uint32_t *c = sheet->triangles + 3 * t;
			make_triangle(&p, c[0], c[1], c[2]);
		}
		close_below(&p);
	}
	spate_mesh_destroy(sheet);
	return result;
}

// --------------------------------------------------------------------------------------------------------------- sewer

enum
{
	PIPE_SEGMENTS = 32
};

static void place_at(const void *context, double point[3])
{
	const double *at = context;
	for (int k = 0; k < 3; k++)
		point[k] += at[k];
}

// A closed cylinder along x.
static void make_pipe(make_part *p, double from, double to, double y, double radius)
{
	uint32_t start = make_vertex(p, from, y, 0.0), end = make_vertex(p, to, y, 0.0), first = p->vertices;
	for (uint32_t s = 0; s < PIPE_SEGMENTS; s++)
	{
		double a = 2.0 * M_PI * s / PIPE_SEGMENTS, u = y + radius * cos(a), v = radius * sin(a);
		make_vertex(p, from, u, v);
		make_vertex(p, to, u, v);
	}
	for (uint32_t s = 0; s < PIPE_SEGMENTS; s++)
	{
		uint32_t here = first + 2 * s, next = first + 2 * ((s + 1) % PIPE_SEGMENTS);
		make_triangle(p, start, next, here);
		make_triangle(p, end, here + 1, next + 1);
		make_quad(p, here, next, next + 1, here + 1);
	}
}

spate_result make_sewer(spate_mesh **mesh, spate_error *error)
{
	static const double street[3] = {0.8, 0.16, 0.5}, above[3] = {0.0, 0.08, 0.0};
	static const double shaft[3] = {0.3, 0.45, 0.3}, below[3] = {0.05, -0.2, 0.0};
	spate_result result = make_begin(mesh, 2 * 8 + 2 * PIPE_SEGMENTS + 2, 2 * 12 + 4 * PIPE_SEGMENTS, 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	make_part_box(&p, street, place_at, above, 0);
	make_part_box(&p, shaft, place_at, below, 0);
	make_pipe(&p, 0.15, 0.75, -0.34, 0.06);
	return SPATE_OK;
}

// Rows of stones, every other one shifted by half a stone. None is above the shaft.
spate_result make_cobbles(spate_mesh **mesh, spate_error *error)
{
	enum
	{
		COLUMNS = 9,
		ROWS = 6,
		SEGMENTS = 12,
		RINGS = 7
	};
	make_ball stones[COLUMNS * ROWS];
	uint32_t count = 0;
	for (int row = 0; row < ROWS; row++)
		for (int column = 0; column < COLUMNS; column++)
		{
			double x = -0.4 + 0.089 * (column + 0.5 * (row % 2)) + 0.04,
			       z = -0.25 + 0.5 * (row + 0.5) / ROWS;
			int over_shaft = fabs(x - 0.05) < 0.19 && fabs(z) < 0.17;
			if (!over_shaft && x < 0.39)
				stones[count++] = (make_ball){{x, -0.004, z}, {0.037, 0.02, 0.035}, 0};
		}
	spate_result result = make_begin(mesh, count * (uint64_t)(SEGMENTS * (RINGS - 1) + 2),
					 count * (uint64_t)(2 * SEGMENTS * (RINGS - 1)), 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	for (uint32_t i = 0; i < count; i++)
		make_part_ball(&p, &stones[i], 1.0, SEGMENTS, RINGS);
	return SPATE_OK;
}
