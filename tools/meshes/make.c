// Meshes made in one piece. Those assembled from several pieces are in make_parts.c.
#include "tools/meshes/make.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "tools/meshes/make_part.h"

#include <math.h>

spate_result make_begin(spate_mesh **mesh, uint64_t vertices, uint64_t triangles, int with_uvs, spate_error *error)
{
	if (vertices >= UINT32_MAX || triangles > UINT32_MAX / 3)
		return error_set(error, SPATE_RANGE, "an example mesh of %llu triangles is too large",
				 (unsigned long long)triangles);
	spate_mesh *m = NULL;
	spate_result result = spate_mesh_create(&m, (uint32_t)vertices, (uint32_t)triangles, error);
	if (result == SPATE_OK && with_uvs && !(m->uvs = mem_calloc((size_t)triangles, 6 * sizeof(float))))
	{
		spate_mesh_destroy(m);
		return error_memory(error, (size_t)triangles * 24);
	}
	if (result == SPATE_OK)
		*mesh = m;
	return result;
}

spate_result make_check(int good, const char *what, spate_error *error)
{
	return good ? SPATE_OK : error_set(error, SPATE_INVALID, "a %s of this size cannot be made", what);
}

uint32_t make_vertex(make_part *p, double x, double y, double z)
{
	float *to = p->mesh->positions + 3 * (size_t)p->vertices;
	to[0] = (float)x;
	to[1] = (float)y;
	to[2] = (float)z;
	return p->vertices++;
}

void make_triangle(make_part *p, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t *to = p->mesh->triangles + 3 * (size_t)p->triangles++;
	to[0] = a;
	to[1] = b;
	to[2] = c;
}

void make_quad(make_part *p, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	make_triangle(p, a, b, c);
	make_triangle(p, a, c, d);
}

// Sets the uvs of the last triangle.
static void set_uvs(make_part *p, const double uv[6])
{
	for (size_t i = 0; i < 6; i++)
		p->mesh->uvs[6 * (size_t)(p->triangles - 1) + i] = (float)uv[i];
}

// A quad with uvs from (u0, v0) to (u1, v1).
static void make_quad_uv(make_part *p, const uint32_t q[4], double u0, double v0, double u1, double v1)
{
	make_triangle(p, q[0], q[1], q[2]);
	set_uvs(p, (const double[6]){u0, v0, u1, v0, u1, v1});
	make_triangle(p, q[0], q[2], q[3]);
	set_uvs(p, (const double[6]){u0, v0, u1, v1, u0, v1});
}

// The poles, and rings from bottom to top between them.
void make_part_sphere(make_part *p, double radius, double x, uint32_t segments, uint32_t rings)
{
	uint32_t bottom = make_vertex(p, x, -radius, 0.0), first = bottom + 1;
	for (uint32_t r = 1; r < rings; r++)
		for (uint32_t s = 0; s < segments; s++)
		{
			double a = M_PI * r / rings, b = 2.0 * M_PI * s / segments;
			make_vertex(p, x + radius * sin(a) * cos(b), -radius * cos(a), -radius * sin(a) * sin(b));
		}
	uint32_t top = make_vertex(p, x, radius, 0.0), last = top - segments;
	for (uint32_t s = 0; s < segments; s++)
	{
		uint32_t t = (s + 1) % segments;
		double u0 = (double)s / segments, u1 = (double)(s + 1) / segments, um = 0.5 * (u0 + u1);
		make_triangle(p, bottom, first + t, first + s);
		if (p->mesh->uvs)
			set_uvs(p, (const double[6]){um, 0.0, u1, 1.0 / rings, u0, 1.0 / rings});
		for (uint32_t r = 0; r + 2 < rings; r++)
		{
			uint32_t low = first + r * segments, high = low + segments;
			const uint32_t q[4] = {low + s, low + t, high + t, high + s};
			if (p->mesh->uvs)
				make_quad_uv(p, q, u0, (r + 1.0) / rings, u1, (r + 2.0) / rings);
			else
				make_quad(p, q[0], q[1], q[2], q[3]);
		}
		make_triangle(p, top, last + s, last + t);
		if (p->mesh->uvs)
			set_uvs(p, (const double[6]){um, 1.0, u0, 1.0 - 1.0 / rings, u1, 1.0 - 1.0 / rings});
	}
}

void make_part_ball(make_part *p, const make_ball *b, double scale, uint32_t segments, uint32_t rings)
{
	uint32_t first = p->vertices;
	make_part_sphere(p, 1.0, 0.0, segments, rings);
	double c = cos(b->tilt * M_PI / 180.0), s = sin(b->tilt * M_PI / 180.0);
	for (uint32_t v = first; v < p->vertices; v++)
	{
		float *at = p->mesh->positions + 3 * (size_t)v;
		double x = b->radii[0] * (double)at[0], y = b->radii[1] * (double)at[1],
		       z = b->radii[2] * (double)at[2];
		at[0] = (float)(scale * (b->center[0] + c * x - s * y));
		at[1] = (float)(scale * (b->center[1] + s * x + c * y));
		at[2] = (float)(scale * (b->center[2] + z));
	}
}

spate_result make_sphere(spate_mesh **mesh, double radius, uint32_t segments, uint32_t rings, spate_error *error)
{
	uint64_t s = segments;
	spate_result result = make_check(radius > 0.0 && segments >= 3 && rings >= 2, "sphere", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, s * (rings - 1) + 2, 2 * s * (rings - 1), 1, error);
	if (result == SPATE_OK)
		make_part_sphere(&(make_part){.mesh = *mesh}, radius, 0.0, segments, rings);
	return result;
}

// Bit k of a corner's number is its side along axis k.
static const uint32_t box_sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
					 {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

void make_part_box(make_part *p, const double size[3], make_place *place, const void *context, uint32_t flipped)
{
	uint32_t first = p->vertices;
	for (uint32_t i = 0; i < 8; i++)
	{
		double c[3];
		for (uint32_t k = 0; k < 3; k++)
			c[k] = i >> k & 1 ? 0.5 * size[k] : -0.5 * size[k];
		if (place)
			place(context, c);
		make_vertex(p, c[0], c[1], c[2]);
	}
	for (uint32_t side = 0; side < 6; side++)
	{
		uint32_t q[4];
		for (uint32_t i = 0; i < 4; i++)
			q[i] = first + box_sides[side][flipped >> side & 1 ? 3 - i : i];
		if (p->mesh->uvs)
			make_quad_uv(p, q, 0.0, 0.0, 1.0, 1.0);
		else
			make_quad(p, q[0], q[1], q[2], q[3]);
	}
}

spate_result make_box(spate_mesh **mesh, const double size[3], spate_error *error)
{
	spate_result result = make_check(size[0] > 0.0 && size[1] > 0.0 && size[2] > 0.0, "box", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, 8, 12, 1, error);
	if (result == SPATE_OK)
		make_part_box(&(make_part){.mesh = *mesh}, size, NULL, NULL, 0);
	return result;
}

spate_result make_flipped_cube(spate_mesh **mesh, double size, uint32_t flipped, spate_error *error)
{
	spate_result result = make_check(size > 0.0, "cube", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, 8, 12, 0, error);
	if (result == SPATE_OK)
		make_part_box(&(make_part){.mesh = *mesh}, (const double[3]){size, size, size}, NULL, NULL, flipped);
	return result;
}

spate_result make_torus(spate_mesh **mesh, double ring, double tube, uint32_t segments, uint32_t sides,
			spate_error *error)
{
	uint64_t count = (uint64_t)segments * sides;
	spate_result result = make_check(tube > 0.0 && ring > tube && segments >= 3 && sides >= 3, "torus", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, count, 2 * count, 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	for (uint32_t s = 0; s < segments; s++)
		for (uint32_t t = 0; t < sides; t++)
		{
			double a = 2.0 * M_PI * s / segments, b = 2.0 * M_PI * t / sides, r = ring + tube * cos(b);
			make_vertex(&p, r * cos(a), tube * sin(b), r * sin(a));
		}
	for (uint32_t s = 0; s < segments; s++)
		for (uint32_t t = 0; t < sides; t++)
		{
			uint32_t here = s * sides, next = (s + 1) % segments * sides, u = (t + 1) % sides;
			make_quad(&p, here + t, here + u, next + u, next + t);
		}
	return SPATE_OK;
}

// A profile that starts at the centre of the bottom outside, goes up, over the rim and down to the inner centre,
// revolved around the y axis.
spate_result make_cup(spate_mesh **mesh, double radius, double height, double wall, uint32_t segments,
		      spate_error *error)
{
	const double inner = radius - wall;
	const double profile[4][2] = {{radius, 0.0}, {radius, height}, {inner, height}, {inner, wall}};
	spate_result result = make_check(wall > 0.0 && inner > 0.0 && height > wall && segments >= 3, "cup", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, 4 * (uint64_t)segments + 2, 8 * (uint64_t)segments, 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	uint32_t n = segments, under = make_vertex(&p, 0.0, 0.0, 0.0), inside = make_vertex(&p, 0.0, wall, 0.0);
	for (uint32_t r = 0; r < 4; r++)
		for (uint32_t s = 0; s < n; s++)
		{
			double a = 2.0 * M_PI * s / n;
			make_vertex(&p, profile[r][0] * cos(a), profile[r][1], -profile[r][0] * sin(a));
		}
	for (uint32_t s = 0; s < n; s++)
	{
		uint32_t t = (s + 1) % n;
		make_triangle(&p, under, 2 + t, 2 + s);
		for (uint32_t r = 0; r < 3; r++)
			make_quad(&p, 2 + r * n + s, 2 + r * n + t, 2 + (r + 1) * n + t, 2 + (r + 1) * n + s);
		make_triangle(&p, inside, 2 + 3 * n + s, 2 + 3 * n + t);
	}
	return SPATE_OK;
}

// A value in [0, 1) for every lattice point.
static double knot(int64_t x, int64_t z, uint64_t seed)
{
	uint64_t bits = hash_mix(hash_mix(seed + (uint64_t)x * 0x9e3779b97f4a7c15u) + (uint64_t)z);
	return (double)(bits >> 11) * 0x1p-53;
}

// Interpolates between lattice points along a smooth curve with level ends.
static double smooth_noise(double x, double z, uint64_t seed)
{
	double fx = floor(x), fz = floor(z), u = x - fx, v = z - fz;
	int64_t i = (int64_t)fx, j = (int64_t)fz;
	u = u * u * (3.0 - 2.0 * u);
	v = v * v * (3.0 - 2.0 * v);
	double low = knot(i, j, seed) * (1.0 - u) + knot(i + 1, j, seed) * u;
	double high = knot(i, j + 1, seed) * (1.0 - u) + knot(i + 1, j + 1, seed) * u;
	return low * (1.0 - v) + high * v;
}

spate_result make_terrain(spate_mesh **mesh, double size_x, double size_z, double height, uint32_t cells, uint64_t seed,
			  spate_error *error)
{
	uint64_t side = (uint64_t)cells + 1;
	spate_result result = make_check(size_x > 0.0 && size_z > 0.0 && height >= 0.0 && cells >= 1, "terrain", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, side * side, 2 * (uint64_t)cells * cells, 1, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	for (uint32_t j = 0; j <= cells; j++)
		for (uint32_t i = 0; i <= cells; i++)
		{
			// three octaves of hills, each half as wide and half as high as the one before
			double u = (double)i / cells, v = (double)j / cells, sum = 0.0, part = 4.0 / 7.0, knots = 4.0;
			for (uint64_t octave = 0; octave < 3; octave++, part *= 0.5, knots *= 2.0)
				sum += part * smooth_noise(u * knots, v * knots, seed + octave);
			make_vertex(&p, (u - 0.5) * size_x, sum * height, (v - 0.5) * size_z);
		}
	for (uint32_t j = 0; j < cells; j++)
		for (uint32_t i = 0; i < cells; i++)
		{
			uint32_t a = j * (cells + 1) + i, b = a + cells + 1;
			const double c = cells;
			const uint32_t q[4] = {b, b + 1, a + 1, a};
			make_quad_uv(&p, q, i / c, (j + 1) / c, (i + 1) / c, j / c);
		}
	return SPATE_OK;
}

spate_result make_moebius(spate_mesh **mesh, double radius, double width, uint32_t segments, spate_error *error)
{
	spate_result result = make_check(width > 0.0 && radius > 0.5 * width && segments >= 3, "moebius strip", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, 2 * (uint64_t)segments, 2 * (uint64_t)segments, 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	for (uint32_t s = 0; s < segments; s++)
		for (int side = -1; side <= 1; side += 2)
		{
			double a = 2.0 * M_PI * s / segments, w = 0.5 * width * side, r = radius + w * cos(0.5 * a);
			make_vertex(&p, r * cos(a), w * sin(0.5 * a), r * sin(a));
		}
	// after one turn the two edges of the strip are swapped
	for (uint32_t s = 0; s < segments; s++)
	{
		int end = s + 1 == segments;
		uint32_t here = 2 * s, next = end ? 0 : here + 2;
		make_quad(&p, here, here + 1, next + (end ? 0 : 1), next + (end ? 1 : 0));
	}
	return SPATE_OK;
}
