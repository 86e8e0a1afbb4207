// Meshes that break collision code, made to measure: y is up, lengths in m, around the origin. Each is freed by horror_destroy().
#ifndef TESTS_COLLIDER_HORRORS_H
#define TESTS_COLLIDER_HORRORS_H

#include "base/array.h"
#include "base/vec.h"
#include "check.h"
#include "dice.h"
#include "spate/mesh.h"

#define HORROR_PI 3.14159265358979323846

// A mesh while it grows.
typedef struct horror
{
	ARRAY(vec3) points;
	ARRAY(uint32_t) corners;
} horror;

static inline uint32_t horror_point(horror *h, double x, double y, double z)
{
	assert_true(array_push(&h->points, (vec3){(float)x, (float)y, (float)z}));
	return (uint32_t)h->points.count - 1u;
}

static inline void horror_triangle(horror *h, uint32_t a, uint32_t b, uint32_t c)
{
	assert_true(array_push(&h->corners, a) && array_push(&h->corners, b) && array_push(&h->corners, c));
}

static inline void horror_quad(horror *h, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	horror_triangle(h, a, b, c);
	horror_triangle(h, a, c, d);
}

static inline uint32_t horror_triangles(const horror *h)
{
	return (uint32_t)(h->corners.count / 3);
}

static inline void horror_destroy(spate_mesh *mesh)
{
	if (!mesh)
		return;
	mem_free(mesh->positions);
	mem_free(mesh->triangles);
	mem_free(mesh);
}

// The finished mesh; the builder is emptied.
static inline spate_mesh *horror_finish(horror *h)
{
	spate_mesh *mesh = mem_calloc(1, sizeof *mesh);
	assert_non_null(mesh);
	mesh->vertex_count = (uint32_t)h->points.count;
	mesh->triangle_count = horror_triangles(h);
	mesh->positions = mem_alloc(h->points.count * 3 * sizeof(float));
	mesh->triangles = mem_alloc(h->corners.count * sizeof(uint32_t));
	assert_true(mesh->positions && mesh->triangles);
	memcpy(mesh->positions, h->points.data, h->points.count * 3 * sizeof(float));
	memcpy(mesh->triangles, h->corners.data, h->corners.count * sizeof(uint32_t));
	array_free(&h->points);
	array_free(&h->corners);
	return mesh;
}

// A closed ball with its normals outward.
static inline void horror_add_sphere(horror *h, vec3 centre, double radius, uint32_t rings, uint32_t around)
{
	uint32_t first = (uint32_t)h->points.count;
	for (uint32_t i = 0; i < rings; i++)
		for (uint32_t j = 0; j < around; j++)
		{
			double u = HORROR_PI * (i + 1) / (rings + 1), v = 2.0 * HORROR_PI * j / around;
			horror_point(h, centre.x + radius * sin(u) * cos(v), centre.y + radius * cos(u),
				     centre.z + radius * sin(u) * sin(v));
		}
	uint32_t top = horror_point(h, centre.x, centre.y + radius, centre.z);
	uint32_t bottom = horror_point(h, centre.x, centre.y - radius, centre.z);
	for (uint32_t j = 0; j < around; j++)
	{
		uint32_t a = first + j, b = first + (j + 1) % around, last = (rings - 1) * around;
		horror_triangle(h, top, b, a);
		horror_triangle(h, bottom, a + last, b + last);
		for (uint32_t i = 0; i + 1 < rings; i++, a += around, b += around)
			horror_quad(h, a, b, b + around, a + around);
	}
}

// n by m squares between four corners; the normal is (b - a) x (d - a).
static inline void horror_add_patch(horror *h, vec3 a, vec3 b, vec3 c, vec3 d, uint32_t n, uint32_t m)
{
	uint32_t first = (uint32_t)h->points.count;
	for (uint32_t j = 0; j <= m; j++)
		for (uint32_t i = 0; i <= n; i++)
		{
			double u = (double)i / n, v = (double)j / m;
			double w[4] = {(1.0 - u) * (1.0 - v), u * (1.0 - v), u * v, (1.0 - u) * v};
			horror_point(h, w[0] * a.x + w[1] * b.x + w[2] * c.x + w[3] * d.x,
				     w[0] * a.y + w[1] * b.y + w[2] * c.y + w[3] * d.y,
				     w[0] * a.z + w[1] * b.z + w[2] * c.z + w[3] * d.z);
		}
	for (uint32_t j = 0; j < m; j++)
		for (uint32_t i = 0; i < n; i++)
		{
			uint32_t p = first + j * (n + 1) + i;
			horror_quad(h, p, p + 1, p + n + 2, p + n + 1);
		}
}

// The eight corners of a box, bit k of the index for the high side of axis k, as six patches with their normals outward. Faces do not share
// their vertices.
static inline void horror_add_box(horror *h, const vec3 c[8], uint32_t n)
{
	static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
					{2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
	for (int f = 0; f < 6; f++)
		horror_add_patch(h, c[faces[f][0]], c[faces[f][1]], c[faces[f][2]], c[faces[f][3]], n, n);
}

static inline void horror_add_cube(horror *h, double half, uint32_t n)
{
	vec3 c[8];
	for (int k = 0; k < 8; k++)
		c[k] =
		    (vec3){(float)(k & 1 ? half : -half), (float)(k & 2 ? half : -half), (float)(k & 4 ? half : -half)};
	horror_add_box(h, c, n);
}

// Two balls side by side along x, their centres `apart`; they overlap when that is less than twice the radius.
static inline spate_mesh *horror_two_spheres(double radius, double apart, uint32_t rings)
{
	horror h = {0};
	horror_add_sphere(&h, (vec3){(float)(-0.5 * apart), 0.0f, 0.0f}, radius, rings, 2 * rings);
	horror_add_sphere(&h, (vec3){(float)(0.5 * apart), 0.0f, 0.0f}, radius, rings, 2 * rings);
	return horror_finish(&h);
}

// A closed cube, about every other triangle of which is the wrong way around.
static inline spate_mesh *horror_flipped_cube(double side, uint32_t n, uint64_t seed)
{
	horror h = {0};
	horror_add_cube(&h, 0.5 * side, n);
	dice d = {seed};
	for (uint32_t i = 0; i < horror_triangles(&h); i++)
	{
		uint32_t *t = h.corners.data + (size_t)i * 3, swap = t[1];
		if (dice_below(&d, 2) == 0)
			continue;
		t[1] = t[2];
		t[2] = swap;
	}
	return horror_finish(&h);
}

// A band with one side, around the y axis. Its ends share their vertices.
static inline spate_mesh *horror_moebius(double radius, double width, uint32_t along, uint32_t across)
{
	horror h = {0};
	for (uint32_t i = 0; i < along; i++)
		for (uint32_t j = 0; j <= across; j++)
		{
			double u = 2.0 * HORROR_PI * i / along, s = width * ((double)j / across - 0.5);
			double r = radius + s * cos(0.5 * u);
			horror_point(&h, r * cos(u), s * sin(0.5 * u), r * sin(u));
		}
	uint32_t row = across + 1;
	for (uint32_t i = 0; i < along; i++)
		for (uint32_t j = 0; j < across; j++)
		{
			uint32_t a = i * row + j, b = a + 1, c = a + row, d = c + 1;
			// after one turn the band comes back upside down
			if (i + 1 == along)
			{
				c = across - j;
				d = c - 1;
			}
			horror_quad(&h, a, c, d, b);
		}
	return horror_finish(&h);
}

// A ball with two flat wings of no thickness, each side with its own triangles at the same places, and triangles without area among them: a
// point, a line there and back, three corners on a line.
static inline spate_mesh *horror_wings(double radius, double span, double chord, uint32_t rings, uint32_t n)
{
	horror h = {0};
	horror_add_sphere(&h, (vec3){0.0f, 0.0f, 0.0f}, radius, rings, 2 * rings);
	for (int side = -1; side <= 1; side += 2)
	{
		float root = (float)(side * 0.5 * radius), tip = (float)(side * (radius + span)),
		      c = (float)(0.5 * chord);
		vec3 p[4] = {{root, 0.0f, -c}, {tip, 0.0f, -0.5f * c}, {tip, 0.0f, 0.5f * c}, {root, 0.0f, c}};
		horror_add_patch(&h, p[0], p[1], p[2], p[3], n, n);
		uint32_t a = (uint32_t)h.points.count - 1u;
		horror_add_patch(&h, p[3], p[2], p[1], p[0], n, n);
		horror_triangle(&h, a, a, a);
		horror_triangle(&h, a, a - n, a);
		horror_triangle(&h, a, a - n, a - n / 2);
	}
	return horror_finish(&h);
}

// An open sheet of smooth hills, `height` from the lowest valley to the highest top at most, facing up.
static inline double horror_terrain_height(double size, double height, double x, double z)
{
	double k = 2.0 * HORROR_PI / size;
	return 0.25 * height * (sin(1.7 * k * x + 0.4) * cos(2.3 * k * z) + sin(2.9 * k * (x + 0.6 * z)));
}

static inline spate_mesh *horror_terrain(double size, double height, uint32_t n)
{
	horror h = {0};
	for (uint32_t j = 0; j <= n; j++)
		for (uint32_t i = 0; i <= n; i++)
		{
			double x = size * ((double)i / n - 0.5), z = size * ((double)j / n - 0.5);
			horror_point(&h, x, horror_terrain_height(size, height, x, z), z);
		}
	for (uint32_t j = 0; j < n; j++)
		for (uint32_t i = 0; i < n; i++)
		{
			uint32_t a = j * (n + 1) + i;
			horror_quad(&h, a, a + n + 1, a + n + 2, a + 1);
		}
	return horror_finish(&h);
}

// Points (radius, y) turned around the y axis; those on the axis become one vertex. From bottom outside to bottom inside the normals face
// outward.
static inline void horror_add_turned(horror *h, const double (*profile)[2], uint32_t count, uint32_t around)
{
	uint32_t previous = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		double r = profile[i][0], y = profile[i][1];
		uint32_t first = (uint32_t)h->points.count;
		for (uint32_t j = 0; j < (r > 0.0 ? around : 1); j++)
		{
			double v = 2.0 * HORROR_PI * j / around;
			horror_point(h, r * cos(v), y, r * sin(v));
		}
		for (uint32_t j = 0; i > 0 && j < around; j++)
		{
			uint32_t next = (j + 1) % around;
			if (profile[i - 1][0] > 0.0 && r > 0.0)
				horror_quad(h, previous + j, first + j, first + next, previous + next);
			else if (r > 0.0)
				horror_triangle(h, previous, first + j, first + next);
			else
				horror_triangle(h, previous + j, first, previous + next);
		}
		previous = first;
	}
}

// A cup that stands on y = 0: outer radius and height, walls and floor `wall` thick, closed.
static inline spate_mesh *horror_cup(double radius, double height, double wall, uint32_t around, uint32_t rings)
{
	horror h = {0};
	ARRAY(double) profile = {0};
	assert_true(array_push(&profile, 0.0) && array_push(&profile, 0.0));
	for (uint32_t i = 0; i <= rings; i++)
		assert_true(array_push(&profile, radius) && array_push(&profile, height * i / rings));
	for (uint32_t i = 0; i <= rings; i++)
		assert_true(array_push(&profile, radius - wall) &&
			    array_push(&profile, height - (height - wall) * i / rings));
	assert_true(array_push(&profile, 0.0) && array_push(&profile, wall));
	horror_add_turned(&h, (const double(*)[2])profile.data, (uint32_t)(profile.count / 2), around);
	array_free(&profile);
	return horror_finish(&h);
}

// A hub around the y axis with four blades, `thickness` thick, pitched by `pitch` (rad) and reaching into the hub: five closed parts.
static inline spate_mesh *horror_fan(double radius, double hub, double chord, double thickness, double pitch,
				     uint32_t n)
{
	horror h = {0};
	const double profile[4][2] = {{0.0, -hub}, {hub, -hub}, {hub, hub}, {0.0, hub}};
	horror_add_turned(&h, profile, 4, 4 * n);
	for (int blade = 0; blade < 4; blade++)
	{
		vec3 c[8];
		double turn = 0.5 * HORROR_PI * blade;
		for (int k = 0; k < 8; k++)
		{
			double x = k & 1 ? radius : 0.5 * hub, y = k & 2 ? 0.5 * thickness : -0.5 * thickness;
			double z = k & 4 ? 0.5 * chord : -0.5 * chord;
			double up = y * cos(pitch) - z * sin(pitch), side = y * sin(pitch) + z * cos(pitch);
			c[k] = (vec3){(float)(x * cos(turn) + side * sin(turn)), (float)up,
				      (float)(side * cos(turn) - x * sin(turn))};
		}
		horror_add_box(&h, c, n);
	}
	return horror_finish(&h);
}

// A closed cube, whose triangles come first (*walls of them), with `count` random triangles of a size inside.
static inline spate_mesh *horror_soup(double side, uint32_t n, uint32_t count, double size, uint64_t seed,
				      uint32_t *walls)
{
	horror h = {0};
	horror_add_cube(&h, 0.5 * side, n);
	*walls = horror_triangles(&h);
	dice d = {seed};
	float half = (float)(0.5 * side - size), reach = (float)(0.5 * size);
	for (uint32_t i = 0; i < count; i++)
	{
		double centre[3], p[3];
		for (int k = 0; k < 3; k++)
			centre[k] = dice_range(&d, -half, half);
		uint32_t corners[3];
		for (int c = 0; c < 3; c++)
		{
			for (int k = 0; k < 3; k++)
				p[k] = centre[k] + dice_range(&d, -reach, reach);
			corners[c] = horror_point(&h, p[0], p[1], p[2]);
		}
		horror_triangle(&h, corners[0], corners[1], corners[2]);
	}
	return horror_finish(&h);
}

// A ball in pieces: patches of a few squares each, with gaps `gap` wide between them. The caps around the poles are whole.
static inline spate_mesh *horror_cracked_sphere(double radius, double gap, uint32_t rows, uint32_t columns, uint32_t n)
{
	horror h = {0};
	for (uint32_t row = 0; row < rows; row++)
		for (uint32_t column = 0; column < columns; column++)
		{
			uint32_t first = (uint32_t)h.points.count;
			double u0 = HORROR_PI * row / rows, u1 = HORROR_PI * (row + 1) / rows, du = 0.5 * gap / radius;
			u0 = row > 0 ? u0 + du : 0.0;
			u1 = row + 1 < rows ? u1 - du : HORROR_PI;
			for (uint32_t i = 0; i <= n; i++)
				for (uint32_t j = 0; j <= n; j++)
				{
					double u = u0 + (u1 - u0) * i / n,
					       dv = 0.5 * gap / (radius * fmax(sin(u), 1e-3));
					double v0 = 2.0 * HORROR_PI * column / columns,
					       v1 = v0 + 2.0 * HORROR_PI / columns;
					// near the poles the gap closes
					dv = fmin(dv, 0.25 * (v1 - v0));
					double v = v0 + dv + (v1 - v0 - 2.0 * dv) * j / n;
					horror_point(&h, radius * sin(u) * cos(v), radius * cos(u),
						     radius * sin(u) * sin(v));
				}
			for (uint32_t i = 0; i < n; i++)
				for (uint32_t j = 0; j < n; j++)
				{
					uint32_t a = first + i * (n + 1) + j;
					horror_quad(&h, a, a + 1, a + n + 2, a + n + 1);
				}
		}
	return horror_finish(&h);
}

#endif
