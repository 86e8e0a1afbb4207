// What the physics cases measure on a world: places, energy, layers.
#ifndef TESTS_PHYSICS_MEASURE_H
#define TESTS_PHYSICS_MEASURE_H

#include "bench/swing.h"
#include "evidence.h"
#include "world/scene.h"

static const double pi = 3.14159265358979323846;

// Place of a row in the world (m).
static inline void place_of(spate_world *w, uint32_t row, double p[3])
{
	vec4 x = spate_world_store(w)->position[row];
	const double *origin = spate_world_origin(w);
	p[0] = (double)x.x + origin[0], p[1] = (double)x.y + origin[1], p[2] = (double)x.z + origin[2];
}

static inline uint32_t count_of(spate_world *w)
{
	return spate_store_count(spate_world_store(w));
}

// Mean place along an axis (m) of one fluid, or of all for -1; by count, so of one spacing.
static inline double mean_place(spate_world *w, int axis, int fluid)
{
	const spate_store *store = spate_world_store(w);
	double sum = 0, count = 0;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double p[3];
		if (store->dead[row] || (fluid >= 0 && store->fluid[row] != fluid))
			continue;
		place_of(w, row, p);
		sum += p[axis];
		count++;
	}
	return sum / count;
}

// ---------------------------------------------------------------------------------------------------------------- energy

// Largest rise of kinetic and potential energy above the lowest that was seen before, and above the start (J).
typedef struct energy_watch
{
	double start, lowest, rise, above_start;
} energy_watch;

static inline double energy_of(const spate_world *w)
{
	return spate_world_stats(w)->kinetic_energy + spate_world_stats(w)->potential_energy;
}

static inline energy_watch energy_watch_make(const spate_world *w)
{
	double energy = energy_of(w);
	return (energy_watch){.start = energy, .lowest = energy};
}

static inline void watched_step(spate_world *w, energy_watch *watch)
{
	step(w);
	double energy = energy_of(w);
	watch->rise = fmax(watch->rise, energy - watch->lowest);
	watch->above_start = fmax(watch->above_start, energy - watch->start);
	watch->lowest = fmin(watch->lowest, energy);
}

static inline void watched_frame(spate_world *w, energy_watch *watch)
{
	for (uint32_t frame = spate_world_frame(w); spate_world_frame(w) == frame;)
		watched_step(w, watch);
}

static inline void watched_until(spate_world *w, energy_watch *watch, double time)
{
	while (spate_world_time(w) < time - 1e-9)
		watched_frame(w, watch);
}

// -------------------------------------------------------------------------------------------------------------- momentum

// How far momentum strays from that of the start, as a share of all that is carried, added without signs.
typedef struct momentum_watch
{
	double size, start[3], change;
	double squeezed; // largest density error
} momentum_watch;

// `fluids` are those of the world, all of one spacing (m).
static inline momentum_watch momentum_watch_make(spate_world *w, const spate_fluid_def *fluids, double spacing)
{
	momentum_watch watch = {0};
	const spate_store *store = spate_world_store(w);
	memcpy(watch.start, spate_world_stats(w)->momentum, sizeof watch.start);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		vec4 v = store->velocity[row];
		double speed = sqrt((double)(v.x * v.x + v.y * v.y + v.z * v.z));
		watch.size += speed * fluids[store->fluid[row]].density * spacing * spacing * spacing;
	}
	return watch;
}

static inline void momentum_watch_look(momentum_watch *watch, const spate_world *w)
{
	const spate_step_stats *now = spate_world_stats(w);
	for (int k = 0; k < 3; k++)
		watch->change = fmax(watch->change, fabs(now->momentum[k] - watch->start[k]) / watch->size);
	watch->squeezed = fmax(watch->squeezed, now->density_error_max);
}

// ----------------------------------------------------------------------------------------------------------------- swings

// A height gauge along an upright line, up to `top` (m).
static inline void add_gauge(scene *s, const char *name, double x, double z, double top)
{
	spate_probe_def *gauge = add_probe(s, name, SPATE_PROBE_HEIGHT);
	gauge->a[0] = gauge->b[0] = x, gauge->a[2] = gauge->b[2] = z;
	gauge->b[1] = top;
}

#endif
