// Barber, Dobkin, Huhdanpaa, The Quickhull algorithm for convex hulls, 1996: the triangulation is the lower hull of the points
// lifted to a paraboloid.
#include "surface/delaunay.h"

#include "base/build.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "surface/key_map.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void delaunay_destroy(delaunay *d)
{
	if (!d)
		return;
	mem_free(d->points);
	mem_free(d->simplices);
	mem_free(d);
}

#ifndef SPATE_QHULL

spate_result delaunay_create(delaunay **out, uint32_t dimension, uint32_t count, const double *points, double spacing,
			     spate_error *error)
{
	(void)dimension, (void)count, (void)points, (void)spacing;
	*out = NULL;
	return build_lack(SPATE_LIBRARY_QHULL, "meshes between particles need", error);
}

#else

#include <libqhull_r/qhull_ra.h>

// Position and size of the points: Qhull works on coordinates within [-1, 1].
typedef struct frame
{
	double centre[3], scale; // m
	double spacing;          // m
} frame;

static spate_result measure(frame *f, uint32_t dimension, uint32_t count, const double *points, double spacing,
			    spate_error *error)
{
	double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
	for (size_t i = 0; i < (size_t)count * dimension; i++)
	{
		if (!isfinite(points[i]))
			return error_set(error, SPATE_RANGE, "point %zu of the triangulation is not a number",
					 i / dimension);
		low[i % dimension] = fmin(low[i % dimension], points[i]);
		high[i % dimension] = fmax(high[i % dimension], points[i]);
	}

	*f = (frame){0};
	for (uint32_t k = 0; k < dimension; k++)
	{
		f->centre[k] = 0.5 * (low[k] + high[k]);
		f->scale = fmax(f->scale, 0.5 * (high[k] - low[k]));
	}
	f->spacing = spacing > 0.0 ? spacing : 2.0 * f->scale / pow(count, 1.0 / dimension);
	return SPATE_OK;
}

// A pseudo-random number in [-1, 1) for a coordinate of a point.
static double wobble(uint32_t point, uint32_t axis)
{
	return (double)(hash_mix((uint64_t)point << 2 | axis) >> 11) * 0x1p-52 - 1.0;
}

// Signed size of a simplex: positive when a triangle turns left and a tetrahedron is right-handed.
static double orientation(uint32_t dimension, const double *points, const uint32_t *simplex)
{
	double e[3][3] = {{0}};
	for (uint32_t k = 0; k < dimension; k++)
		for (uint32_t axis = 0; axis < dimension; axis++)
			e[k][axis] = points[(size_t)simplex[k + 1] * dimension + axis] -
				     points[(size_t)simplex[0] * dimension + axis];
	if (dimension == 2)
		return e[0][0] * e[1][1] - e[0][1] * e[1][0];
	return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
	       e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

// Copies the lower hull from Qhull. Facets that are not simplices of input points are skipped; match() detects the
// hole.
static spate_result collect(delaunay *d, qhT *qh, spate_error *error)
{
	facetT *facet;
	vertexT *vertex, **vertexp;
	uint32_t corners = d->dimension + 1;
	size_t count = 0;
	FORALLfacets
	{
		count += !facet->upperdelaunay;
	}
	mem_free(d->simplices);
	d->simplex_count = 0;
	d->simplices = mem_alloc(mem_product(count, corners * sizeof *d->simplices));
	if (!d->simplices)
		return count ? error_memory(error, count * corners * sizeof *d->simplices) : SPATE_OK;

	FORALLfacets
	{
		if (facet->upperdelaunay)
			continue;
		uint32_t *simplex = d->simplices + (size_t)d->simplex_count * corners, n = 0;
		int usable = 1;
		FOREACHvertex_(facet->vertices)
		{
			int point = qh_pointid(qh, vertex->point);
			if (n == corners || point < 0 || (uint32_t)point >= d->point_count)
				usable = 0;
			else
				simplex[n++] = (uint32_t)point;
		}
		if (!usable || n != corners)
			continue;
		if (orientation(d->dimension, d->points, simplex) < 0.0)
		{
			uint32_t first = simplex[0];
			simplex[0] = simplex[1];
			simplex[1] = first;
		}
		d->simplex_count++;
	}
	return SPATE_OK;
}

// The face opposite a corner, its points ascending. Returns whether sorting them took an odd number of swaps.
static uint32_t face_of(const uint32_t *simplex, uint32_t corners, uint32_t opposite, uint32_t face[3])
{
	assert(corners == 3 || corners == 4);
	uint32_t n = 0, odd = opposite & 1;
	face[2] = KEY_MAP_FREE;
	for (uint32_t k = 0; k < corners; k++)
		if (k != opposite)
			face[n++] = simplex[k];
	for (uint32_t pass = 0; pass + 1 < n; pass++)
		for (uint32_t k = 0; k + 1 < n - pass; k++)
			if (face[k] > face[k + 1])
			{
				uint32_t larger = face[k];
				face[k] = face[k + 1];
				face[k + 1] = larger;
				odd ^= 1;
			}
	return odd;
}

// Whether simplices meet face to face, one on either side, and none is degenerate. Counts the unmatched faces.
static spate_result match(delaunay *d, int *good, spate_error *error)
{
	enum
	{
		MATCHED = 2 // 0 and 1: a face with one simplex so far, by orientation
	};
	uint32_t corners = d->dimension + 1;
	key_map faces = {0};
	*good = d->simplex_count > 0;
	if (!key_map_reserve(&faces, (size_t)d->simplex_count * corners / 2))
		goto memory;

	size_t matched = 0;
	for (size_t s = 0; s < d->simplex_count; s++)
	{
		const uint32_t *simplex = d->simplices + s * corners;
		if (!(orientation(d->dimension, d->points, simplex) > 0.0))
			*good = 0;
		for (uint32_t k = 0; k < corners; k++)
		{
			uint32_t face[3], odd = face_of(simplex, corners, k, face);
			size_t before = faces.count;
			uint32_t *side = key_map_put(&faces, face[0], face[1], face[2], odd);
			if (!side)
				goto memory;
			if (faces.count != before)
				continue;
			if (*side != (odd ^ 1))
				*good = 0;
			*side = MATCHED;
			matched++;
		}
	}
	d->boundary_count = (uint32_t)(faces.count - matched);
	key_map_free(&faces);
	return SPATE_OK;

memory:
	key_map_free(&faces);
	return error_memory(error, (size_t)d->simplex_count * corners * sizeof(key_slot));
}

// Runs Qhull on d->points. It writes messages to a buffer, and its longjmps do not leave qh_new_qhull().
static spate_result triangulate(delaunay *d, int *exit_code, char *report, size_t bytes, spate_error *error)
{
	qhT *qh = mem_calloc(1, sizeof *qh);
	if (!qh)
		return error_memory(error, sizeof *qh);
	FILE *messages = fmemopen(report, bytes, "w");
	if (!messages)
	{
		mem_free(qh);
		return error_set(error, SPATE_MEMORY, "out of memory");
	}

	// Delaunay, height scaled like the other axes, non-simplicial facets split, wide facets from merges allowed
	// since match() checks them; a single simplex needs a point at infinity (Qz)
	char options[32];
	snprintf(options, sizeof options, "qhull d Qbb Qt Qc Q12%s", d->point_count == d->dimension + 1 ? " Qz" : "");
	qh_zero(qh, messages);
	*exit_code =
	    qh_new_qhull(qh, (int)d->dimension, (int)d->point_count, d->points, False, options, NULL, messages);
	spate_result result = *exit_code ? SPATE_OK : collect(d, qh, error);

	int long_blocks, long_bytes;
	qh_freeqhull(qh, !qh_ALL);
	qh_memfreeshort(qh, &long_blocks, &long_bytes);
	fclose(messages);
	mem_free(qh);
	return result;
}

static spate_result refuse(const char *report, int exit_code, spate_error *error)
{
	if (exit_code == qh_ERRmem)
		return error_set(error, SPATE_MEMORY, "out of memory in the triangulation");
	if (exit_code == qh_ERRsingular || exit_code == qh_ERRinput)
		return error_set(error, SPATE_INVALID,
				 "the points to triangulate are too few, or lie in one point, line or plane");
	return error_set(error, SPATE_INVALID, "the points cannot be triangulated (%.*s)", (int)strcspn(report, "\n"),
			 report);
}

spate_result delaunay_create(delaunay **out, uint32_t dimension, uint32_t count, const double *points, double spacing,
			     spate_error *error)
{
	*out = NULL;
	if ((dimension != 2 && dimension != 3) || count > INT32_MAX / 2)
		return error_set(error, SPATE_INVALID, "cannot triangulate %u points of dimension %u", count,
				 dimension);
	if (count <= dimension)
		return refuse("", qh_ERRinput, error);
	frame f = {0};
	spate_result result = measure(&f, dimension, count, points, spacing, error);
	if (result != SPATE_OK)
		return result;
	if (!(f.scale > 0.0))
		return refuse("", qh_ERRsingular, error);

	size_t values = (size_t)count * dimension;
	delaunay *d = mem_calloc(1, sizeof *d);
	if (!d || !(d->points = mem_alloc(mem_product(values, sizeof *d->points))))
	{
		delaunay_destroy(d);
		return error_memory(error, values * sizeof *d->points);
	}
	d->dimension = dimension;
	d->point_count = count;

	int good = 0, exit_code = 0;
	char report[512] = "";
	for (double amount = 1e-5; !good && amount < 2e-2 && result == SPATE_OK; amount *= 10.0)
	{
		d->moved = amount * f.spacing * sqrt(dimension);
		double step = amount * f.spacing / f.scale;
		for (size_t i = 0; i < values; i++)
			d->points[i] = (points[i] - f.centre[i % dimension]) / f.scale +
				       step * wobble((uint32_t)(i / dimension), (uint32_t)(i % dimension));
		result = triangulate(d, &exit_code, report, sizeof report, error);
		if (result == SPATE_OK && exit_code == qh_ERRmem)
			break;
		if (result == SPATE_OK && !exit_code)
			result = match(d, &good, error);
	}
	if (result == SPATE_OK && !good)
		result = refuse(report, exit_code, error);
	if (result != SPATE_OK)
	{
		delaunay_destroy(d);
		return result;
	}
	for (size_t i = 0; i < values; i++)
		d->points[i] = d->points[i] * f.scale + f.centre[i % dimension];
	*out = d;
	return SPATE_OK;
}

#endif
