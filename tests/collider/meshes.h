// Meshes for the tests of distance fields, and the distance to their triangles the slow way.
#ifndef TESTS_COLLIDER_MESHES_H
#define TESTS_COLLIDER_MESHES_H

#include "base/array.h"
#include "base/vec.h"
#include "check.h"
#include "collider/field.h"
#include "dice.h"

// Grows while it is built; mesh_of() shows it as a spate_mesh.
typedef struct soup
{
	ARRAY(float) positions;
	ARRAY(uint32_t) triangles;
} soup;

static inline spate_mesh mesh_of(const soup *s)
{
	return (spate_mesh){.vertex_count = (uint32_t)(s->positions.count / 3),
			    .triangle_count = (uint32_t)(s->triangles.count / 3),
			    .positions = s->positions.data,
			    .triangles = s->triangles.data};
}

static inline void soup_free(soup *s)
{
	array_free(&s->positions);
	array_free(&s->triangles);
}

static inline uint32_t add_vertex(soup *s, vec3 p)
{
	assert_true(array_push(&s->positions, p.x) && array_push(&s->positions, p.y) && array_push(&s->positions, p.z));
	return (uint32_t)(s->positions.count / 3 - 1);
}

static inline void add_triangle(soup *s, uint32_t a, uint32_t b, uint32_t c)
{
	assert_true(array_push(&s->triangles, a) && array_push(&s->triangles, b) && array_push(&s->triangles, c));
}

// Two triangles around a, b, c, d.
static inline void add_quad(soup *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	add_triangle(s, a, b, c);
	add_triangle(s, a, c, d);
}

// A closed lat-long sphere of 2 n (n - 1) 2 triangles, poles without slivers.
static inline void add_sphere(soup *s, vec3 centre, float radius, int n)
{
	uint32_t first = (uint32_t)(s->positions.count / 3), around = (uint32_t)(2 * n);
	add_vertex(s, vec3_add(centre, vec3_make(0, radius, 0)));
	for (int i = 1; i < n; i++)
		for (int j = 0; j < 2 * n; j++)
		{
			double a = M_PI * i / n, b = M_PI * j / n;
			vec3 unit = {(float)(sin(a) * cos(b)), (float)cos(a), (float)(sin(a) * sin(b))};
			add_vertex(s, vec3_add_scaled(centre, unit, radius));
		}
	uint32_t last = add_vertex(s, vec3_add(centre, vec3_make(0, -radius, 0)));
	for (uint32_t j = 0; j < around; j++)
	{
		uint32_t next = (j + 1) % around, ring = first + 1, bottom = last - around;
		add_triangle(s, first, ring + next, ring + j);
		for (uint32_t i = 0; i + 2 < (uint32_t)n; i++, ring += around)
			add_quad(s, ring + j, ring + next, ring + around + next, ring + around + j);
		add_triangle(s, last, bottom + j, bottom + next);
	}
}

static inline void add_torus(soup *s, float large, float small, int n, int m)
{
	uint32_t first = (uint32_t)(s->positions.count / 3);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
		{
			double a = 2 * M_PI * i / n, b = 2 * M_PI * j / m, r = (double)large + (double)small * cos(b);
			add_vertex(
			    s, vec3_make((float)(r * cos(a)), (float)((double)small * sin(b)), (float)(r * sin(a))));
		}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
		{
			int i1 = (i + 1) % n, j1 = (j + 1) % m;
			add_quad(s, first + (uint32_t)(i * m + j), first + (uint32_t)(i * m + j1),
				 first + (uint32_t)(i1 * m + j1), first + (uint32_t)(i1 * m + j));
		}
}

// About the y axis, then about the z axis.
static inline vec3 turned(vec3 p, double about_y, double about_z)
{
	double x = (double)p.x * cos(about_y) + (double)p.z * sin(about_y),
	       z = (double)p.z * cos(about_y) - (double)p.x * sin(about_y);
	return vec3_make((float)(x * cos(about_z) - (double)p.y * sin(about_z)),
			 (float)(x * sin(about_z) + (double)p.y * cos(about_z)), (float)z);
}

// A box around the centre, turned about the origin.
static inline void add_box(soup *s, vec3 centre, vec3 half, double about_y, double about_z)
{
	uint32_t first = (uint32_t)(s->positions.count / 3);
	for (int k = 0; k < 8; k++)
	{
		vec3 corner = {k & 4 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 1 ? half.z : -half.z};
		add_vertex(s, turned(vec3_add(centre, corner), about_y, about_z));
	}
	static const uint32_t faces[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
					     {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
	for (int f = 0; f < 6; f++)
		add_quad(s, first + faces[f][0], first + faces[f][1], first + faces[f][2], first + faces[f][3]);
}

// A rectangle in the plane y = height, n by n squares.
static inline void add_sheet(soup *s, float height, float half, int n, double about_y, double about_z)
{
	uint32_t first = (uint32_t)(s->positions.count / 3), row = (uint32_t)n + 1;
	for (int i = 0; i <= n; i++)
		for (int j = 0; j <= n; j++)
		{
			float x = half * (2.0f * (float)i / (float)n - 1.0f),
			      z = half * (2.0f * (float)j / (float)n - 1.0f);
			add_vertex(s, turned(vec3_make(x, height, z), about_y, about_z));
		}
	for (uint32_t i = 0; i < (uint32_t)n; i++)
		for (uint32_t j = 0; j < (uint32_t)n; j++)
			add_quad(s, first + i * row + j, first + i * row + j + 1, first + (i + 1) * row + j + 1,
				 first + (i + 1) * row + j);
}

static inline void add_moebius(soup *s, float radius, float width, int n)
{
	uint32_t first = (uint32_t)(s->positions.count / 3);
	for (int i = 0; i < n; i++)
		for (int side = -1; side <= 1; side += 2)
		{
			double a = 2 * M_PI * i / n, w = 0.5 * (double)width * side,
			       r = (double)radius + w * cos(0.5 * a);
			add_vertex(s, vec3_make((float)(r * cos(a)), (float)(w * sin(0.5 * a)), (float)(r * sin(a))));
		}
	for (int i = 0; i < n; i++)
	{
		uint32_t a = first + 2 * (uint32_t)i, b = first + 2 * (uint32_t)((i + 1) % n), twist = i == n - 1;
		add_quad(s, a, a + 1, b + 1 - twist, b + twist);
	}
}

// Turns about half of the triangles inside out.
static inline void flip_some(soup *s, dice *d)
{
	for (size_t t = 0; t + 2 < s->triangles.count; t += 3)
		if (dice_bits(d) & 1)
		{
			uint32_t swap = s->triangles.data[t];
			s->triangles.data[t] = s->triangles.data[t + 1];
			s->triangles.data[t + 1] = swap;
		}
}

// Distance from p to a triangle, through its plane or its sides, in another way than the library's.
static inline double slow_triangle_distance(const float *a, const float *b, const float *c, vec3 p)
{
	const float *corner[3] = {a, b, c};
	const double place[3] = {(double)p.x, (double)p.y, (double)p.z};
	double e1[3], e2[3], ap[3], n[3];
	for (int k = 0; k < 3; k++)
	{
		e1[k] = (double)b[k] - (double)a[k];
		e2[k] = (double)c[k] - (double)a[k];
		ap[k] = place[k] - (double)a[k];
	}
	for (int k = 0; k < 3; k++)
		n[k] = e1[(k + 1) % 3] * e2[(k + 2) % 3] - e1[(k + 2) % 3] * e2[(k + 1) % 3];
	// the least of the sides
	double least = INFINITY;
	for (int s = 0; s < 3; s++)
	{
		double along = 0, length = 0, square = 0;
		for (int k = 0; k < 3; k++)
		{
			double side = (double)corner[(s + 1) % 3][k] - (double)corner[s][k];
			along += side * (place[k] - (double)corner[s][k]);
			length += side * side;
		}
		double t = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
		for (int k = 0; k < 3; k++)
		{
			double side = (double)corner[(s + 1) % 3][k] - (double)corner[s][k];
			double way = place[k] - (double)corner[s][k] - t * side;
			square += way * way;
		}
		least = fmin(least, sqrt(square));
	}
	// barycentric coordinates of the foot by Gram's determinants
	double d11 = 0, d12 = 0, d22 = 0, d1 = 0, d2 = 0, nn = 0, np = 0;
	for (int k = 0; k < 3; k++)
	{
		d11 += e1[k] * e1[k];
		d12 += e1[k] * e2[k];
		d22 += e2[k] * e2[k];
		d1 += e1[k] * ap[k];
		d2 += e2[k] * ap[k];
		nn += n[k] * n[k];
		np += n[k] * ap[k];
	}
	double det = d11 * d22 - d12 * d12;
	if (!(det > 0))
		return least;
	double u = (d22 * d1 - d12 * d2) / det, v = (d11 * d2 - d12 * d1) / det;
	return u >= 0 && v >= 0 && u + v <= 1 ? fabs(np) / sqrt(nn) : least;
}

static inline double slow_distance(const spate_mesh *m, vec3 p)
{
	double least = INFINITY;
	for (size_t t = 0; t < m->triangle_count; t++)
	{
		const uint32_t *v = m->triangles + 3 * t;
		least =
		    fmin(least, slow_triangle_distance(m->positions + 3 * (size_t)v[0], m->positions + 3 * (size_t)v[1],
						       m->positions + 3 * (size_t)v[2], p));
	}
	return least;
}

static inline distance_field *make_field(const soup *s, float cell, float cells_of_band, int signed_too, int threads)
{
	spate_mesh mesh = mesh_of(s);
	field_settings settings = {.cell = cell, .band = cell * cells_of_band, .signed_too = signed_too};
	distance_field *field = NULL;
	spate_error error = {0};
	if (distance_field_create(&field, &mesh, &settings, threads, &error) != SPATE_OK)
		fail_msg("no field: %s", error.text);
	return field;
}

static inline vec3 random_in_box(dice *d, vec3 low, vec3 high)
{
	float x = dice_range(d, low.x, high.x), y = dice_range(d, low.y, high.y), z = dice_range(d, low.z, high.z);
	return vec3_make(x, y, z);
}

// Leaves a program whose build has no OpenVDB, after a look at what such a build says.
static inline void skip_without_fields(void)
{
	if (!distance_field_available())
	{
		distance_field *field = NULL;
		spate_error error = {0};
		spate_mesh mesh = {0};
		field_settings settings = {.cell = 1, .band = 3};
		if (distance_field_create(&field, &mesh, &settings, 1, &error) != SPATE_MISSING ||
		    !strstr(error.text, "install libopenvdb-dev libnanovdb-dev"))
		{
			printf("without OpenVDB a field says: %s\n", error.text);
			exit(1);
		}
		exit(skip_program_without("OPENVDB"));
	}
}

#endif
