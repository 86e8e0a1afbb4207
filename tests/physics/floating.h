// Boxes that float, and spheres that sink or rise.
#ifndef TESTS_PHYSICS_FLOATING_H
#define TESTS_PHYSICS_FLOATING_H

#include "body/body_scene.h"
#include "measure.h"

// A box of a relative density in a square tank: `draft` spacings deep in equilibrium, `clear` spacings from walls and floor.
typedef struct floating
{
	double density, width, height, bottom, tank, depth; // relative, and m
	spate_world *world;
} floating;

static inline floating float_box(double spacing, double density, int draft, int clear)
{
	floating f = {.density = density, .height = draft * spacing / density};
	f.width = ceil(1.5 * f.height / spacing) * spacing;
	f.tank = f.width + 2 * clear * spacing;
	f.depth = (draft + clear) * spacing;
	f.bottom = clear * spacing;
	double low = 0.5 * (f.tank - f.width), high = low + f.width;
	body_scene s;
	body_scene_init(&s, spacing);
	add_collider(&s.scene, box_shape(0, 0, 0, f.tank, 2 * f.tank, f.tank), SPATE_COLLIDER_INSIDE);
	add_fill(&s.scene, box_shape(0, 0, 0, f.tank, f.depth, f.tank));
	add_body(&s, box_shape(low, f.bottom, low, high, f.bottom + f.height, high), NULL, 1000 * density);
	f.world = scene_create(&s.scene);
	return f;
}

// Level of the liquid (m) at least five spacings from the box: by the volume of the particles there.
static inline double level_beside(const floating *f, double spacing)
{
	spate_world *w = f->world;
	const spate_store *store = spate_world_store(w);
	double out = 0.5 * f->width + 5 * spacing, count = 0;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		count += !store->dead[row] && fmax(fabs(p[0] - 0.5 * f->tank), fabs(p[2] - 0.5 * f->tank)) > out;
	}
	return count * pow(spacing, 3) / (f->tank * f->tank - 4 * out * out);
}

#endif
