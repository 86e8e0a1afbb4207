// Volume, centre and moments of solids: exact for shapes, sums over a grid for meshes, of which the distance field knows what is inside,
// however dirty they are.
#include "body/body.h"

#include <string.h>

#define PI 3.14159265358979323846

enum
{
	CELLS = 80 // along the longest side of a mesh
};

// Moments of a solid of revolution about its axis.
static void turn_moments(body_mass *m, const double axis[3], double along, double across)
{
	const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
	for (int k = 0; k < 6; k++)
	{
		int i = pairs[k][0], j = pairs[k][1];
		m->moment[k] = (i == j ? across : 0.0) + (along - across) * axis[i] * axis[j];
	}
}

static body_mass of_box(const double a[3], const double b[3])
{
	double s[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
	body_mass m = {.volume = s[0] * s[1] * s[2]};
	for (int k = 0; k < 3; k++)
	{
		int i = (k + 1) % 3, j = (k + 2) % 3;
		m.centre[k] = 0.5 * (a[k] + b[k]);
		m.moment[k] = m.volume / 12.0 * (s[i] * s[i] + s[j] * s[j]);
	}
	return m;
}

// A cylinder, with half balls at its ends for a capsule.
static body_mass of_axis(const double a[3], const double b[3], double r, int rounded)
{
	double axis[3], length = 0.0;
	body_mass m = {0};
	for (int k = 0; k < 3; k++)
	{
		axis[k] = b[k] - a[k];
		length += axis[k] * axis[k];
		m.centre[k] = 0.5 * (a[k] + b[k]);
	}
	length = sqrt(length);
	for (int k = 0; k < 3 && length > 0.0; k++)
		axis[k] /= length;
	double tube = PI * r * r * length, balls = rounded ? 4.0 / 3.0 * PI * r * r * r : 0.0;
	double along = 0.5 * tube * r * r + 0.4 * balls * r * r;
	double across = tube * (0.25 * r * r + length * length / 12.0);
	// of a half ball about its face, moved to the centre of the whole
	across += balls * (0.4 * r * r + 0.25 * length * length + 0.375 * length * r);
	m.volume = tube + balls;
	turn_moments(&m, axis, along, across);
	return m;
}

static double part_inside(const mesh_solid *mesh, const double p[3], double step)
{
	float distance = mesh_solid_distance(mesh, vec3_make((float)p[0], (float)p[1], (float)p[2]));
	return fmin(fmax(0.5 - (double)distance / step, 0.0), 1.0);
}

static body_mass of_mesh(const mesh_solid *mesh)
{
	vec3 low, high;
	body_mass m = {0};
	if (!mesh_solid_encloses(mesh))
		return m;
	mesh_solid_bounds(mesh, &low, &high);
	double from[3] = {(double)low.x, (double)low.y, (double)low.z};
	double size[3] = {(double)high.x - from[0], (double)high.y - from[1], (double)high.z - from[2]};
	double step = fmax(fmax(size[0], size[1]), size[2]) / CELLS;
	int count[3];
	double first[3] = {0}, second[6] = {0}; // moments about the middle of the box
	for (int k = 0; k < 3; k++)
		count[k] = (int)ceil(size[k] / step);
	for (int z = 0; z < count[2]; z++)
		for (int y = 0; y < count[1]; y++)
			for (int x = 0; x < count[0]; x++)
			{
				double p[3] = {from[0] + (x + 0.5) * step, from[1] + (y + 0.5) * step,
					       from[2] + (z + 0.5) * step};
				double v = part_inside(mesh, p, step) * step * step * step;
				double r[3] = {p[0] - from[0] - 0.5 * size[0], p[1] - from[1] - 0.5 * size[1],
					       p[2] - from[2] - 0.5 * size[2]};
				m.volume += v;
				for (int k = 0; k < 3; k++)
				{
					first[k] += v * r[k];
					second[k] += v * r[k] * r[k];
				}
				second[3] += v * r[0] * r[1];
				second[4] += v * r[0] * r[2];
				second[5] += v * r[1] * r[2];
			}
	if (!(m.volume > 0.0))
		return m;
	for (int k = 0; k < 3; k++)
	{
		first[k] /= m.volume;
		m.centre[k] = from[k] + 0.5 * size[k] + first[k];
	}
	double xx = second[0] - m.volume * first[0] * first[0], yy = second[1] - m.volume * first[1] * first[1],
	       zz = second[2] - m.volume * first[2] * first[2], own = m.volume * step * step / 12.0;
	m.moment[0] = yy + zz + 2.0 * own;
	m.moment[1] = xx + zz + 2.0 * own;
	m.moment[2] = xx + yy + 2.0 * own;
	m.moment[3] = m.volume * first[0] * first[1] - second[3];
	m.moment[4] = m.volume * first[0] * first[2] - second[4];
	m.moment[5] = m.volume * first[1] * first[2] - second[5];
	return m;
}

body_mass body_mass_of(const collider *solid)
{
	const solid_shape *s = &solid->shape;
	const double a[3] = {(double)s->a.x, (double)s->a.y, (double)s->a.z},
		     b[3] = {(double)s->b.x, (double)s->b.y, (double)s->b.z};
	if (solid->mesh)
		return of_mesh(solid->mesh);
	switch (s->type)
	{
	case SPATE_SHAPE_BOX:
		return of_box(a, b);
	case SPATE_SHAPE_SPHERE:
		return of_axis(a, a, (double)s->radius, 1);
	case SPATE_SHAPE_CAPSULE:
	case SPATE_SHAPE_CYLINDER:
		return of_axis(a, b, (double)s->radius, s->type == SPATE_SHAPE_CAPSULE);
	default:
		return (body_mass){0};
	}
}
