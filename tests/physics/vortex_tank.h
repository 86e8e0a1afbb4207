// Slow shear under pressure. Smooth walls cannot grip a liquid as plates would, so it is driven from within: in a deep tank between smooth
// walls, a horizontal vortex v = u (sin kx cos kz, 0, -cos kx sin kz) is held at its speed by a force of the same shape. Gravity presses
// the liquid, and its surface stays level.
//
// The strain rate is 2 u k |cos kx cos kz|, on average 8 / pi^2 u k, so a stress s that does not depend on the rate takes a power of
// 8 / pi^2 s u k per volume. A force of amplitude f (m/s^2) gives rho f u / 2. Hence s = pi^2 / 16 rho f / k.
#ifndef TESTS_PHYSICS_VORTEX_TANK_H
#define TESTS_PHYSICS_VORTEX_TANK_H

#include "measure.h"

typedef struct vortex_tank
{
	double spacing; // m
	int layers, across;
	double jitter; // of the start, in spacings
	double speed;  // m/s, of the vortex
} vortex_tank;

static inline double vortex_number(const vortex_tank *t)
{
	return pi / (t->across * t->spacing);
}

// Mean strain rate (1/s).
static inline double vortex_rate(const vortex_tank *t)
{
	return 8 / (pi * pi) * t->speed * vortex_number(t);
}

// Amplitude (m/s) of the vortex.
static inline double vortex_speed(const vortex_tank *t, spate_world *w)
{
	const spate_store *store = spate_world_store(w);
	double sum = 0, norm = 0, k = vortex_number(t);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double p[3], mode[2];
		place_of(w, row, p);
		mode[0] = sin(k * p[0]) * cos(k * p[2]), mode[1] = -cos(k * p[0]) * sin(k * p[2]);
		sum += mode[0] * (double)store->velocity[row].x + mode[1] * (double)store->velocity[row].z;
		norm += mode[0] * mode[0] + mode[1] * mode[1];
	}
	return sum / norm;
}

static inline void vortex_push(const vortex_tank *t, spate_world *w, double speed)
{
	spate_store *store = spate_world_store(w);
	const double k = vortex_number(t);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		store->velocity[row].x += (float)(speed * sin(k * p[0]) * cos(k * p[2]));
		store->velocity[row].z -= (float)(speed * cos(k * p[0]) * sin(k * p[2]));
	}
}

// Mean stress over mean pressure while the strain grows from `from` to `to`.
static inline double vortex_stress(const vortex_tank *t, double from, double to)
{
	scene s;
	const double side = t->across * t->spacing, depth = t->layers * t->spacing;
	scene_init(&s, t->spacing);
	add_collider(&s, box_shape(0, 0, 0, side, 2 * depth, side), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, side, depth, side))->jitter = t->jitter;
	spate_world *w = scene_create(&s);
	run_until(w, 0.5);
	vortex_push(t, w, t->speed - vortex_speed(t, w));
	double strain = 0, given = 0, time = 0;
	while (strain < to)
	{
		step(w);
		double missing = t->speed - vortex_speed(t, w), dt = spate_world_stats(w)->dt;
		vortex_push(t, w, missing);
		strain += vortex_rate(t) * dt;
		if (strain > from)
			given += missing, time += dt;
	}
	spate_world_destroy(w);
	double stress = 1000 * given / time * pi * pi / (16 * vortex_number(t)), pressure = 1000 * 9.81 * depth / 2;
	return stress / pressure;
}

#endif
