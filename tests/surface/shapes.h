// Particles that fill shapes, for tests of surfaces.
#ifndef TESTS_SURFACE_SHAPES_H
#define TESTS_SURFACE_SHAPES_H

#include "check.h"
#include "dice.h"

#include "base/vec.h"
#include "spate/surface.h"

typedef struct cloud
{
	uint32_t count, room;
	vec3 *places;
} cloud;

static inline void cloud_add(cloud *c, vec3 p)
{
	if (c->count == c->room)
	{
		c->room = c->room ? 2 * c->room : 1024;
		c->places = realloc(c->places, c->room * sizeof *c->places);
		assert_non_null(c->places);
	}
	c->places[c->count++] = p;
}

static inline void cloud_free(cloud *c)
{
	free(c->places);
	*c = (cloud){0};
}

// Signed distance to a shape, m.
typedef double shape_distance(const double *size, vec3 p);

static inline double sphere_distance(const double *size, vec3 p)
{
	return sqrt((double)p.x * p.x + (double)p.y * p.y + (double)p.z * p.z) - size[0];
}

// Around the z axis: size[0] to the middle of the tube, size[1] its radius.
static inline double torus_distance(const double *size, vec3 p)
{
	double ring = sqrt((double)p.x * p.x + (double)p.y * p.y) - size[0];
	return sqrt(ring * ring + (double)p.z * p.z) - size[1];
}

// Half edges size[0..2].
static inline double box_shape_distance(const double *size, vec3 p)
{
	return fmax(fmax(fabs((double)p.x) - size[0], fabs((double)p.y) - size[1]), fabs((double)p.z) - size[2]);
}

// Places of a lattice inside the shape, then each moved by up to `jitter` spacings along every axis. The lattice is off the grid of
// the surface.
static inline cloud cloud_fill(shape_distance *shape, const double *size, float extent, float spacing, float jitter)
{
	cloud c = {0};
	dice d = {7};
	int n = (int)(extent / spacing) + 2;
	for (int z = -n; z <= n; z++)
		for (int y = -n; y <= n; y++)
			for (int x = -n; x <= n; x++)
			{
				vec3 p = {((float)x + 0.37f) * spacing, ((float)y + 0.21f) * spacing,
					  ((float)z + 0.43f) * spacing};
				vec3 move = {dice_range(&d, -jitter, jitter) * spacing,
					     dice_range(&d, -jitter, jitter) * spacing,
					     dice_range(&d, -jitter, jitter) * spacing};
				if (shape(size, vec3_add(p, move)) < 0.0)
					cloud_add(&c, vec3_add(p, move));
			}
	return c;
}

static inline spate_surface_input cloud_input(const cloud *c, double spacing)
{
	return (spate_surface_input){.count = c->count, .positions = &c->places->x, .spacing = spacing};
}

#endif
