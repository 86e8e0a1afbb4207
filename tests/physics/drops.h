// Drops of water without gravity, by the solver that has surface tension in N/m.
#ifndef TESTS_PHYSICS_DROPS_H
#define TESTS_PHYSICS_DROPS_H

#include "measure.h"

// N/m, of water at 20 C; m, radius of a drop
#define TENSION 0.0728
#define RADIUS 0.01

static inline void drops_init(scene *s, double spacing)
{
	scene_init(s, spacing);
	s->def.solver.type = spate_solver_find("projection");
	memset(s->def.gravity, 0, sizeof s->def.gravity);
	s->def.fps = 240;
}

// A ball whose particles are then pulled along x by a factor, at constant volume.
static inline spate_world *make_drop(double across, double stretch, double viscosity, double jitter)
{
	scene s;
	drops_init(&s, RADIUS / across);
	s.fluids[0].viscosity = viscosity;
	add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, RADIUS})->jitter = jitter;
	add_probe(&s, "middle", SPATE_PROBE_POINT);
	spate_world *w = scene_create(&s);
	const double *origin = spate_world_origin(w);
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		vec4 *x = &spate_world_store(w)->position[row];
		x->x = (float)(p[0] * stretch - origin[0]);
		x->y = (float)(p[1] / sqrt(stretch) - origin[1]);
		x->z = (float)(p[2] / sqrt(stretch) - origin[2]);
	}
	return w;
}

// Second moment along x over those along y and z: the square of the ratio of axes.
static inline double axes_squared(spate_world *w)
{
	double centre[3] = {mean_place(w, 0, -1), mean_place(w, 1, -1), mean_place(w, 2, -1)}, m[3] = {0};
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		for (int k = 0; k < 3; k++)
			m[k] += (p[k] - centre[k]) * (p[k] - centre[k]);
	}
	return 2 * m[0] / (m[1] + m[2]);
}

// Rayleigh: omega^2 = 8 sigma / (rho R^3) for the slowest swing.
static inline double rayleigh_period(void)
{
	return 2 * pi / sqrt(8 * TENSION / (1000 * pow(RADIUS, 3)));
}

// Period (s) of a drop that was pulled long by a fifth, and what is left of its swing after a period.
static inline double swing_period(int across, int disordered, double *kept)
{
	spate_world *w = make_drop(across, 1.2, 1e-6, disordered ? 0.2 : 0);
	static swing record;
	record = (swing){.every = 1.0 / 240};
	while (spate_world_time(w) < 1.5 * rayleigh_period())
	{
		run_frame(w);
		record.values[record.count++] = axes_squared(w);
	}
	spate_world_destroy(w);
	return swing_fit(&record, rayleigh_period(), kept);
}

// A half ball on a plate spreads or draws together. Its angle (degrees) is that of the spherical cap of its volume whose centre of mass
// is as high.
static inline double angle_on_plate(double angle)
{
	const double spacing = 0.0005, radius = 0.006;
	scene s;
	drops_init(&s, spacing);
	s.fluids[0].viscosity = 1e-5;
	add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE)
	    ->contact_angle = angle;
	add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, radius});
	spate_world *w = scene_create(&s);
	run_until(w, 0.2);
	double height = mean_place(w, 1, -1), volume = count_of(w) * pow(spacing, 3), best = NAN, miss = INFINITY;
	spate_world_destroy(w);
	for (double a = 1; a < 179; a += 0.1)
	{
		double c = cos(a * pi / 180), r = cbrt(volume / (pi / 3 * (2 + c) * (1 - c) * (1 - c))),
		       h = r * (1 - c), centre = h * (4 * r - h) / (4 * (3 * r - h));
		if (fabs(centre - height) < miss)
			miss = fabs(centre - height), best = a;
	}
	return best;
}

#endif
