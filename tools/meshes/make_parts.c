// Example meshes assembled from pieces, some of which overlap.
#include "tools/meshes/make.h"
#include "tools/meshes/make_part.h"

#include <math.h>

// Moves along x, then rotates about the z axis by `angle`.
typedef struct spoke
{
	double away, angle;
} spoke;

static void place_spoke(const void *context, double point[3])
{
	const spoke *s = context;
	double x = point[0] + s->away, y = point[1];
	point[0] = x * cos(s->angle) - y * sin(s->angle);
	point[1] = x * sin(s->angle) + y * cos(s->angle);
}

enum
{
	HUB_SEGMENTS = 24
};

// A closed cylinder along z.
static void make_hub(make_part *p, double radius, double width)
{
	uint32_t back = make_vertex(p, 0.0, 0.0, -0.5 * width), front = make_vertex(p, 0.0, 0.0, 0.5 * width);
	uint32_t first = p->vertices;
	for (uint32_t s = 0; s < HUB_SEGMENTS; s++)
	{
		double a = 2.0 * M_PI * s / HUB_SEGMENTS;
		make_vertex(p, radius * cos(a), radius * sin(a), -0.5 * width);
		make_vertex(p, radius * cos(a), radius * sin(a), 0.5 * width);
	}
	for (uint32_t s = 0; s < HUB_SEGMENTS; s++)
	{
		uint32_t here = first + 2 * s, next = first + 2 * ((s + 1) % HUB_SEGMENTS);
		make_triangle(p, back, next, here);
		make_triangle(p, front, here + 1, next + 1);
		make_quad(p, here, next, next + 1, here + 1);
	}
}

spate_result make_wheel(spate_mesh **mesh, double radius, double hub, double width, double thickness, uint32_t blades,
			spate_error *error)
{
	int good = hub > 0.0 && radius > hub && width > 0.0 && thickness > 0.0 && thickness < 2.0 * hub && blades >= 1;
	spate_result result = make_check(good, "wheel", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, 2 + 2 * HUB_SEGMENTS + 8 * (uint64_t)blades,
				    4 * HUB_SEGMENTS + 12 * (uint64_t)blades, 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	make_hub(&p, hub, width);
	// blades start halfway to the axis, well inside the hub
	double inner = 0.5 * hub;
	const double size[3] = {radius - inner, thickness, width};
	for (uint32_t i = 0; i < blades; i++)
		make_part_box(&p, size, place_spoke, &(spoke){0.5 * (radius + inner), 2.0 * M_PI * i / blades}, 0);
	return SPATE_OK;
}

static void place_shift(const void *context, double point[3])
{
	const double *shift = context;
	for (int k = 0; k < 3; k++)
		point[k] += shift[k];
}

spate_result make_grate(spate_mesh **mesh, double size, double bar, uint32_t bars, spate_error *error)
{
	spate_result result = make_check(bar > 0.0 && size > bar * (bars + 2.0) && bars >= 1, "grate", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, 8 * ((uint64_t)bars + 4), 12 * ((uint64_t)bars + 4), 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	const double along_x[3] = {size, bar, bar}, along_z[3] = {bar, bar, size}, edge = 0.5 * (size - bar);
	make_part_box(&p, along_x, place_shift, (const double[3]){0.0, 0.0, -edge}, 0);
	make_part_box(&p, along_x, place_shift, (const double[3]){0.0, 0.0, edge}, 0);
	for (uint32_t i = 0; i < bars + 2; i++)
		make_part_box(&p, along_z, place_shift,
			      (const double[3]){edge * (2.0 * i / (bars + 1.0) - 1.0), 0.0, 0.0}, 0);
	return SPATE_OK;
}

spate_result make_two_spheres(spate_mesh **mesh, double radius, double distance, uint32_t segments, uint32_t rings,
			      spate_error *error)
{
	uint64_t s = segments;
	spate_result result =
	    make_check(radius > 0.0 && distance >= 0.0 && segments >= 3 && rings >= 2, "pair of spheres", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, 2 * (s * (rings - 1) + 2), 4 * s * (rings - 1), 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	make_part_sphere(&p, radius, -0.5 * distance, segments, rings);
	make_part_sphere(&p, radius, 0.5 * distance, segments, rings);
	return SPATE_OK;
}

spate_result make_wings(spate_mesh **mesh, double span, double chord, uint32_t cells, spate_error *error)
{
	uint64_t n = cells;
	spate_result result = make_check(span > 0.0 && chord > 0.0 && cells >= 1, "pair of wings", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, (2 * n + 1) * (n + 1), 8 * n * n, 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	// both sides rise by a quarter of their distance from the middle
	for (uint32_t j = 0; j <= cells; j++)
		for (uint32_t i = 0; i <= 2 * cells; i++)
		{
			double x = 0.5 * span * ((double)i / cells - 1.0), z = chord * ((double)j / cells - 0.5);
			make_vertex(&p, x, 0.25 * fabs(x), z);
		}
	for (uint32_t j = 0; j < cells; j++)
		for (uint32_t i = 0; i < 2 * cells; i++)
		{
			uint32_t a = j * (2 * cells + 1) + i, b = a + 2 * cells + 1;
			make_quad(&p, b, b + 1, a + 1, a);
			// the same two triangles, facing down
			make_triangle(&p, b, a + 1, b + 1);
			make_triangle(&p, b, a, a + 1);
		}
	return SPATE_OK;
}

// Rings of vertices from bottom to top, after the centres of the discs.
spate_result make_turned(spate_mesh **mesh, const double (*profile)[2], uint32_t rings, int lid, uint32_t segments,
			 spate_error *error)
{
	const uint32_t n = segments, discs = lid ? 2 : 1;
	int good = rings >= 2 && segments >= 3;
	for (uint32_t r = 0; good && r < rings; r++)
		good = profile[r][0] > 0.0;
	spate_result result = make_check(good, "turned shape", error);
	if (result == SPATE_OK)
		result =
		    make_begin(mesh, (uint64_t)rings * n + discs, 2 * (uint64_t)(rings - 1) * n + discs * n, 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	uint32_t foot = make_vertex(&p, 0.0, profile[0][1], 0.0),
		 top = lid ? make_vertex(&p, 0.0, profile[rings - 1][1], 0.0) : 0;
	for (uint32_t r = 0; r < rings; r++)
		for (uint32_t s = 0; s < n; s++)
		{
			double a = 2.0 * M_PI * s / n;
			make_vertex(&p, profile[r][0] * cos(a), profile[r][1], -profile[r][0] * sin(a));
		}
	for (uint32_t s = 0; s < n; s++)
	{
		uint32_t t = (s + 1) % n, last = discs + (rings - 1) * n;
		make_triangle(&p, foot, discs + t, discs + s);
		for (uint32_t r = 0; r + 1 < rings; r++)
			make_quad(&p, discs + r * n + s, discs + r * n + t, discs + (r + 1) * n + t,
				  discs + (r + 1) * n + s);
		if (lid)
			make_triangle(&p, top, last + s, last + t);
	}
	return SPATE_OK;
}
