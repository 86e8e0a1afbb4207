// Where particles come from and where they end: fills, emitters, sinks.
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include "base/array.h"
#include "collider/collider.h"
#include "particles/material.h"

// What a source remembers between steps; part of a checkpoint.
typedef struct source_state
{
	uint64_t emitted; // particles so far
	uint64_t turns;   // of an emitter's columns so far; of a fill, 1 once done
} source_state;

// Particles leave an emitter in columns; this is where one stands on the opening, from its centre (m).
typedef struct emitter_column
{
	double across, along;
	double turn; // 0 to 1: smaller ones come first
} emitter_column;

typedef ARRAY(emitter_column) emitter_columns;

typedef struct source_set
{
	spate_source_def *defs; // directions normalised
	source_state *states;
	emitter_columns *columns; // of each source in the order of their turns, made when it first pours
	uint32_t count;
	double origin[3];
	uint64_t seed;
	ARRAY(float) positions, velocities; // scratch, 3 per particle
} source_set;

spate_result source_set_create(source_set *set, const spate_source_def *defs, uint32_t count, const double origin[3],
			       uint64_t seed, spate_error *error);
void source_set_destroy(source_set *set);

// Adds what is due until the end of a step [begin, end) (s), fills at its beginning. Fills keep half a spacing away from
// colliders.
spate_result source_set_run(source_set *set, spate_store *store, const spate_fluid_def *fluids,
			    const collider_set *colliders, double begin, double end, spate_error *error);

// What is done at a place where a fill puts a particle (m); `number` counts all points of the lattice. 0 ends the walk.
typedef int fill_visit(void *context, int64_t number, const double place[3]);

// Walks over a fill's cubic lattice, whose points are half a spacing from the sides of the box around the shape, and visits every point (for
// strides above 1, every so many of them along each axis) in the shape and half a spacing away from colliders. Returns 0 when a visit did.
int fill_each(const spate_source_def *def, double spacing, const double origin[3], const collider_set *colliders,
	      int64_t stride, fill_visit *visit, void *context);
// Velocity of a fill at a place (m/s).
void fill_velocity(const spate_source_def *def, const double place[3], double velocity[3]);
// Whether a spacing ahead of an emitter's opening there is room outside of colliders; -1 when out of memory.
int emitter_is_free(const spate_source_def *def, double spacing, const double origin[3], const collider_set *colliders);

// Whether what the sources remember can be so at a time (s) when `added` particles had come in all, by steps of which the last took
// last_dt (s): FORMAT with the first that cannot.
spate_result source_set_check(source_set *set, const spate_fluid_def *fluids, double now, double last_dt,
			      uint64_t added, spate_error *error);

// Fastest emitter that runs between two times (m/s).
double source_set_speed(const source_set *set, double begin, double end);

// Removes the particles that a sink takes; returns how many.
uint32_t sinks_run(const spate_sink_def *sinks, uint32_t count, const double origin[3], spate_store *store);

#endif
