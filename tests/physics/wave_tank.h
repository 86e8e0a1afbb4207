// A standing wave: a thin tank between smooth walls, as long as half a wave, in which the water swings to and fro.
#ifndef TESTS_PHYSICS_WAVE_TANK_H
#define TESTS_PHYSICS_WAVE_TANK_H

#include "measure.h"

typedef struct wave_tank
{
	double length, depth, height; // m; the height of the wave is its amplitude
	int layers, across;           // particles along the depth and between front and back
} wave_tank;

static inline double wave_number(const wave_tank *t)
{
	return pi / t->length;
}

// Of a low wave in a liquid without viscosity (s).
static inline double wave_period(const wave_tank *t)
{
	double k = wave_number(t);
	return 2 * pi / sqrt(9.81 * k * tanh(k * t->depth));
}

// Adds the velocities of eta = A sin(omega t) cos(k x) at its start, when the surface is level.
static inline void wave_tank_push(const wave_tank *t, spate_world *w)
{
	double k = wave_number(t), speed = t->height * 2 * pi / wave_period(t) / sinh(k * t->depth);
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		spate_world_store(w)->velocity[row].x -= (float)(speed * sin(k * p[0]) * cosh(k * p[1]));
		spate_world_store(w)->velocity[row].y += (float)(speed * cos(k * p[0]) * sinh(k * p[1]));
	}
}

// Fills a scene with the tank and water at rest.
static inline void wave_tank_init(const wave_tank *t, scene *s)
{
	double d = t->depth / t->layers, width = t->across * d;
	scene_init(s, d);
	add_collider(s, box_shape(0, 0, 0, t->length, 2 * t->depth, width), SPATE_COLLIDER_INSIDE);
	add_fill(s, box_shape(0, 0, 0, t->length, t->depth, width));
}

// Elevation of the first mode at x = 0 (m). It shifts the centre of mass by 2 eta / (k^2 L H), to which higher modes add next to nothing.
static inline double wave_elevation(const wave_tank *t, spate_world *w)
{
	double k = wave_number(t);
	return (0.5 * t->length - mean_place(w, 0, -1)) * k * k * t->length * t->depth / 2;
}

// The first periods of the wave, frame by frame.
static inline swing wave_tank_run(const wave_tank *t, double periods)
{
	scene s;
	wave_tank_init(t, &s);
	spate_world *w = scene_create(&s);
	wave_tank_push(t, w);
	swing record = {.every = 1 / s.def.fps, .count = 1 + (int)(periods * wave_period(t) * s.def.fps)};
	for (int n = 1; n < record.count; n++)
	{
		run_frame(w);
		record.values[n] = wave_elevation(t, w);
	}
	spate_world_destroy(w);
	return record;
}

#endif
