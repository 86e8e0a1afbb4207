// The horrors, and what is poured on them or filled into them.
#ifndef TESTS_COLLIDER_LEAK_CASES_H
#define TESTS_COLLIDER_LEAK_CASES_H

#include "collider/horrors.h"
#include "collider/leaks.h"

enum
{
	LEAK_CASES = 12
};

typedef struct leak_cases
{
	leak_case list[LEAK_CASES];
	spate_mesh *meshes[LEAK_CASES];
	uint8_t *judged[LEAK_CASES];
	uint32_t count;
} leak_cases;

static inline leak_case *leak_add(leak_cases *all, const char *name, spate_mesh *mesh, spate_collider_mode mode,
				  double spacing)
{
	leak_case *c = &all->list[all->count];
	all->meshes[all->count++] = mesh;
	*c = (leak_case){.name = name,
			 .mesh = mesh,
			 .mode = mode,
			 .spacing = spacing,
			 .tank = {-1.2, -1, -1, 1.2, 1.4, 1},
			 .seconds = 5};
	return c;
}

static inline void leak_fill(leak_case *c, double x0, double y0, double z0, double x1, double y1, double z1)
{
	const double fill[6] = {x0, y0, z0, x1, y1, z1};
	memcpy(c->fill, fill, sizeof fill);
}

// Judges the first `walls` triangles only.
static inline void leak_judge_first(leak_cases *all, uint32_t walls)
{
	uint32_t k = all->count - 1, triangles = all->meshes[k]->triangle_count;
	all->judged[k] = calloc(triangles, 1);
	assert_non_null(all->judged[k]);
	memset(all->judged[k], 1, walls);
	all->list[k].judged = all->judged[k];
}

static inline void leak_cases_make(leak_cases *all)
{
	*all = (leak_cases){0};
	leak_case *c =
	    leak_add(all, "two spheres, poured on", horror_two_spheres(0.4, 0.5, 24), SPATE_COLLIDER_OUTSIDE, 0.05);
	leak_fill(c, -0.6, 0.5, -0.4, 0.6, 1.2, 0.4);
	c = leak_add(all, "two spheres, filled", horror_two_spheres(0.4, 0.5, 24), SPATE_COLLIDER_INSIDE, 0.04);
	leak_fill(c, -0.65, -0.4, -0.4, 0.65, 0.1, 0.4);
	c->one_room = 1;
	c = leak_add(all, "cube with flipped faces, poured on", horror_flipped_cube(0.8, 6, 3), SPATE_COLLIDER_OUTSIDE,
		     0.05);
	leak_fill(c, -0.6, 0.5, -0.5, 0.6, 1.2, 0.5);
	c = leak_add(all, "cube with flipped faces, filled", horror_flipped_cube(0.8, 6, 3), SPATE_COLLIDER_INSIDE,
		     0.04);
	leak_fill(c, -0.4, -0.4, -0.4, 0.1, 0.3, 0.4);
	c = leak_add(all, "Moebius strip", horror_moebius(0.5, 0.4, 48, 6), SPATE_COLLIDER_SHELL, 0.05);
	leak_fill(c, -0.7, 0.4, -0.7, 0.7, 0.9, 0.7);
	c = leak_add(all, "wings without volume", horror_wings(0.3, 0.6, 0.4, 16, 6), SPATE_COLLIDER_OUTSIDE, 0.05);
	leak_fill(c, -0.9, 0.4, -0.4, 0.9, 0.9, 0.4);
	c = leak_add(all, "terrain sheet", horror_terrain(2.4, 0.6, 32), SPATE_COLLIDER_SHELL, 0.05);
	leak_fill(c, -0.5, 0.5, -0.5, 0.5, 1.1, 0.5);
	c = leak_add(all, "cup, turned over and shaken", horror_cup(0.4, 0.6, 0.04, 32, 8), SPATE_COLLIDER_OUTSIDE,
		     0.04);
	leak_fill(c, -0.3, 0.05, -0.3, 0.3, 0.5, 0.3);
	c->motion = (leak_motion){
	    .axis = 2, .rate = 90, .until = 2, .swing = {0.05, 0.1, 0}, .frequency = 2, .pivot = {0, 0.3, 0}};
	// 0.6 m at 1910 degrees per second are 20 m/s
	c = leak_add(all, "fan at 20 m/s", horror_fan(0.6, 0.12, 0.25, 0.02, 0.6, 24), SPATE_COLLIDER_OUTSIDE, 0.06);
	leak_fill(c, -0.7, -0.35, -0.7, 0.7, 0.1, 0.7);
	const double casing[6] = {-0.8, -0.4, -0.8, 0.8, 1, 0.8};
	memcpy(c->tank, casing, sizeof casing);
	c->motion = (leak_motion){.axis = 1, .rate = 1910, .until = 5};
	uint32_t walls;
	spate_mesh *soup = horror_soup(1, 6, 60, 0.3, 5, &walls);
	c = leak_add(all, "box with a soup of triangles, filled", soup, SPATE_COLLIDER_INSIDE, 0.05);
	leak_fill(c, -0.45, -0.45, -0.45, 0.45, 0.1, 0.45);
	leak_judge_first(all, walls);
	c = leak_add(all, "soup of triangles as a shell", horror_soup(1, 6, 60, 0.3, 5, &walls), SPATE_COLLIDER_SHELL,
		     0.05);
	leak_fill(c, -0.45, -0.45, -0.45, 0.45, 0.1, 0.45);
	c = leak_add(all, "cracked sphere, filled", horror_cracked_sphere(0.5, 0.008, 8, 12, 4), SPATE_COLLIDER_INSIDE,
		     0.04);
	leak_fill(c, -0.5, -0.5, -0.5, 0.5, 0, 0.5);
}

static inline void leak_cases_free(leak_cases *all)
{
	for (uint32_t k = 0; k < all->count; k++)
	{
		horror_destroy(all->meshes[k]);
		free(all->judged[k]);
	}
}

#endif
