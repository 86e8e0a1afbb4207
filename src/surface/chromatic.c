#include "surface/chromatic.h"

#include "base/error.h"
#include "surface/chromatic_cut.h"

#include <math.h>

void chromatic_points_free(chromatic_points *points)
{
	array_free(&points->positions);
	array_free(&points->labels);
	array_free(&points->radii);
	array_free(&points->values);
	array_free(&points->particle);
	*points = (chromatic_points){0};
}

int chromatic_points_add(chromatic_points *points, const double *position, uint8_t label, float radius, float value,
			 uint32_t particle)
{
	size_t n = points->labels.count;
	if (!array_reserve(&points->positions, (n + 1) * points->dimension) || !array_reserve(&points->labels, n + 1) ||
	    !array_reserve(&points->radii, n + 1) || !array_reserve(&points->values, n + 1) ||
	    !array_reserve(&points->particle, n + 1))
		return 0;
	for (uint32_t k = 0; k < points->dimension; k++)
		points->positions.data[points->positions.count++] = position[k];
	points->labels.data[points->labels.count++] = label;
	points->radii.data[points->radii.count++] = radius;
	points->values.data[points->values.count++] = value;
	points->particle.data[points->particle.count++] = particle;
	return 1;
}

// Adds the corners of a large regular simplex around all points, so that the hull is air and in general position.
static int add_far_points(chromatic_points *points)
{
	static const double corner[2][4][3] = {
	    {{0.0, 1.0}, {-0.8660254037844386, -0.5}, {0.8660254037844386, -0.5}},
	    {{1.0, 1.0, 1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0}},
	};
	uint32_t dimension = points->dimension;
	size_t count = points->labels.count;
	double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, radius = 0.0;
	for (size_t i = 0; i < count * dimension; i++)
	{
		low[i % dimension] = fmin(low[i % dimension], points->positions.data[i]);
		high[i % dimension] = fmax(high[i % dimension], points->positions.data[i]);
	}
	for (uint32_t k = 0; k < dimension; k++)
		radius += 0.25 * (high[k] - low[k]) * (high[k] - low[k]);
	radius = sqrt(radius) + 4.0 * points->spacing;

	// corners `dimension` times as far away as the sphere's radius give faces that touch the sphere around the
	// points; the large radius puts the cut near the particle, however long the edge is
	double far = 1.1 * dimension * radius, reach = dimension == 3 ? far / sqrt(3.0) : far;
	for (uint32_t c = 0; c <= dimension; c++)
	{
		double place[3] = {0};
		for (uint32_t k = 0; k < dimension; k++)
			place[k] = 0.5 * (low[k] + high[k]) + reach * corner[dimension - 2][c][k];
		if (!chromatic_points_add(points, place, 0, (float)far, 0.0f, UINT32_MAX))
			return 0;
	}
	return 1;
}

spate_result chromatic_triangulate(chromatic_points *points, delaunay **out, spate_error *error)
{
	*out = NULL;
	if (!(points->spacing > 0.0) || points->labels.count == 0)
		return error_set(error, SPATE_INVALID,
				 "there are no points to triangulate, or their spacing is not positive");
	if (!add_far_points(points))
		return error_memory(error, points->positions.count * sizeof(double));
	spate_result result = delaunay_create(out, points->dimension, (uint32_t)points->labels.count,
					      points->positions.data, points->spacing, error);
	if (result != SPATE_OK)
		return result;

	// the hull must be the far simplex; otherwise simplices are missing
	uint32_t hull = (*out)->boundary_count;
	if (hull == points->dimension + 1)
		return SPATE_OK;
	delaunay_destroy(*out);
	*out = NULL;
	return error_set(error, SPATE_INVALID, "the triangulation of %zu points has %u outer faces, not %u",
			 points->labels.count, hull, points->dimension + 1);
}

// Zero of the linear function that is value[a] at a and -value[b] at b.
double chromatic_crossing(const void *context, uint32_t a, uint32_t b)
{
	const chromatic_points *points = context;
	int air = points->labels.data[a] == 0 || points->labels.data[b] == 0;
	const float *values = air ? points->radii.data : points->values.data;
	double u = values[a], v = values[b], t = u / (u + v);
	if (!(u + v > 0.0) || !isfinite(t))
		return 0.5;
	return fmin(fmax(t, 1e-6), 1.0 - 1e-6);
}

spate_result chromatic_contour(chromatic_points *points, chromatic_mesh *mesh, spate_error *error)
{
	*mesh = (chromatic_mesh){0};
	if (points->dimension != 3)
		return error_set(error, SPATE_INVALID,
				 "a mesh is made of points in space; in the plane there are lines");
	chromatic_cutter cutter = {.fraction = chromatic_crossing, .context = points};
	if (points->labels.count == 0)
		return chromatic_cutter_finish(&cutter, mesh, error);
	delaunay *d;
	spate_result result = chromatic_triangulate(points, &d, error);
	if (!d)
		return result;

	cutter.points = d->points;
	int room = 1;
	for (size_t t = 0; t < d->simplex_count && room; t++)
	{
		const uint32_t *ids = d->simplices + 4 * t;
		uint8_t labels[4];
		for (int k = 0; k < 4; k++)
			labels[k] = points->labels.data[ids[k]];
		room = chromatic_cut_tetrahedron(&cutter, ids, labels);
	}
	delaunay_destroy(d);
	if (room)
		return chromatic_cutter_finish(&cutter, mesh, error);
	size_t bytes = cutter.corners.count * sizeof(uint32_t) + cutter.vertices.count * sizeof(dvec3);
	chromatic_cutter_free(&cutter);
	return error_memory(error, bytes);
}

spate_result chromatic_interfaces(const chromatic_input *input, chromatic_mesh *mesh, spate_error *error)
{
	*mesh = (chromatic_mesh){0};
	chromatic_points points = {0};
	spate_result result = chromatic_select(input, &points, error);
	if (result == SPATE_OK)
		result = chromatic_contour(&points, mesh, error);
	chromatic_points_free(&points);
	return result;
}
