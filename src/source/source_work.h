// What fills, emitters and the source set share.
#ifndef SOURCE_SOURCE_WORK_H
#define SOURCE_SOURCE_WORK_H

#include "source/source.h"

// Adds one particle to the scratch arrays, at a position in world coordinates (m). 0 when out of memory.
int source_collect(source_set *set, const double place[3], const double velocity[3]);

static inline vec3 source_relative(const double origin[3], const double place[3])
{
	return (vec3){(float)(place[0] - origin[0]), (float)(place[1] - origin[1]), (float)(place[2] - origin[2])};
}

static inline void source_normalize(double v[3])
{
	double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	for (int k = 0; k < 3 && length > 0.0; k++)
		v[k] /= length;
}

// The same, but leaves the bits of a vector that has been normalised.
static inline void source_normalize_once(double v[3])
{
	if (!(fabs(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - 1.0) < 1e-12))
		source_normalize(v);
}

// Collects all particles of a fill. 0 when out of memory.
int fill_collect(source_set *set, uint32_t source, double spacing, const collider_set *colliders);
// Bound of the speed of a fill's particles, its rotation included (m/s).
double fill_speed(const spate_source_def *def);
// Whether a fill can be in this state at a time (s), after a step of last_dt (s).
int fill_can_be(const spate_source_def *def, const source_state *state, double now, double last_dt);

// Columns of an emitter's opening, made anew if it has changed; NULL when out of memory.
const emitter_columns *emitter_columns_of(emitter_columns *columns, const spate_source_def *def, double spacing);
// How far its jet moves from one turn of a column to the next (m).
double emitter_apart(const spate_source_def *def, double spacing);

// Collects the particles that an emitter gives in a step [begin, end) (s). 0 when out of memory.
int emitter_collect(source_set *set, uint32_t source, double spacing, const collider_set *colliders, double begin,
		    double end);
// Whether an emitter can be in the state it has at a time (s).
int emitter_can_be(const source_set *set, uint32_t source, double spacing, double now);

#endif
