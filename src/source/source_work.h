// What fills, emitters and the source set share.
#ifndef SOURCE_SOURCE_WORK_H
#define SOURCE_SOURCE_WORK_H

#include "base/random.h"
#include "source/source.h"

// Least distance of a fill's particles from walls, in spacings: a little less than half of one, so that walls which are flush with the
// lattice do not take its outer layer.
#define FILL_WALL 0.49f

// The box around what was collected, relative to the origin.
void source_box(const source_set *set, vec3 *low, vec3 *high);

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

// Place (m) of a point of a fill's lattice, in spacings from the corner of its box; sites are at halves.
void fill_form_place(const fill_form *form, double x, double y, double z, double place[3]);
// Leaves out what was collected where the first `rows` particles of the store are; `own` is its spacing (m). 0 when out of memory.
int fill_leave_taken(source_set *set, const spate_fluid_def *fluids, double own, const spate_store *store,
		     uint32_t rows);
// Collects all particles of a fill, where neither the fills before it with the same start nor the first `rows` particles of the store are.
// 0 when out of memory.
int fill_collect(source_set *set, uint32_t source, const spate_fluid_def *fluids, const collider_set *colliders,
		 const spate_store *store, uint32_t rows);
// Moves points, 3 floats each, to random places nearby and then apart until they are spread evenly: blue noise. `keep_in` puts a point that
// left its room back. The same for any number of threads. 0 when out of memory.
int fill_relax(float *points, size_t count, vec3 low, vec3 high, float spacing, random_key key,
	       void (*keep_in)(const void *context, vec3 *p), const void *context);

// The same, but leaves the bits of a vector that has been normalised.
static inline void source_normalize_once(double v[3])
{
	if (!(fabs(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - 1.0) < 1e-12))
		source_normalize(v);
}

// Bound of the speed of a fill's particles, its rotation included (m/s). Without the form, a mesh counts as a point.
double fill_speed(const spate_source_def *def, const fill_form *form, const fill_file *file);
// Whether a fill can be in this state at a time (s), after a step of last_dt (s).
int fill_can_be(const spate_source_def *def, const source_state *state, double now, double last_dt);

// What an emitter pours within a second, as the way of a jet of one column (m/s).
double emitter_pace(const spate_source_def *def, double spacing);
// Columns of an emitter's opening, made anew if it has changed; NULL when out of memory.
const emitter_columns *emitter_columns_of(emitter_columns *columns, const spate_source_def *def, double spacing);
// Orders columns by their turns, for qsort().
int emitter_compare_turns(const void *left, const void *right);
// How far its jet moves from one turn of a column to the next (m).
double emitter_apart(const spate_source_def *def, double spacing);

// Collects the particles that an emitter gives in a step [begin, end) (s). 0 when out of memory.
int emitter_collect(source_set *set, uint32_t source, double spacing, const collider_set *colliders, double begin,
		    double end);
// Makes the places of a volume, whose form is there. 0 when out of memory.
int volume_make_sites(source_set *set, uint32_t source);
// Collects the particles that a volume gives in a step [begin, end) (s), where neither particles of the store nor solids are in the way.
// What has no room does not come later. 0 when out of memory.
int volume_collect(source_set *set, uint32_t source, const spate_fluid_def *fluids, const collider_set *colliders,
		   const spate_store *store, double begin, double end);
// The turns that are due until a time (s), and whether it has given all it may.
uint64_t emitter_due(const source_set *set, uint32_t source, double spacing, double until);
int emitter_reaches_limit(const source_set *set, uint32_t source);
// The place and velocity of a point that rides on a collider (m, m/s): those at the start of the step, if it moves.
void emitter_ride(const source_set *set, uint32_t source, const collider_set *colliders, double dt, double place[3],
		  double velocity[3]);
// The largest spacing among the first rows of a store, or `own` (m).
float source_widest_spacing(const spate_fluid_def *fluids, const spate_store *store, uint32_t rows, double own);
// Whether an emitter can be in the state it has at a time (s).
int emitter_can_be(const source_set *set, uint32_t source, double spacing, double now);

#endif
