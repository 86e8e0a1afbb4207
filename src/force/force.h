// Accelerations that act on particles from outside the liquid. The table forces.def lists the types; gravity is the first.
//
// A particle feels dv/dt = a + k (u - v): accelerations a, and drag of rate k (1/s) towards a velocity u. force_set_accelerate() gives the
// mean acceleration over a substep, (a + k (u - v)) (1 - exp(-k dt)) / (k dt), which is exact for constant a, k and u: drag of any strength
// takes v towards u and never beyond.
#ifndef FORCE_FORCE_H
#define FORCE_FORCE_H

#include "base/vec.h"
#include "spate/world.h"

#include <stddef.h>
#include <stdint.h>

enum
{
	FORCE_VALUES = 16,                   // numbers that a force may keep
	FORCE_MOST = SPATE_MOST_FORCES + 16, // forces of a world, with gravity and those that are in no table
	FORCE_ROWS = 256                     // rows per call
};

// Consecutive rows, at most FORCE_ROWS.
typedef struct force_rows
{
	size_t count;
	const vec4 *positions;  // m, relative to the origin
	const vec4 *velocities; // m/s, at the start of the substep
	const double *origin;   // m
	double time;            // s, at the start of the substep
	float dt;               // s, its length; 0 for accelerations at its start
	const int32_t *fluids;  // of each row; NULL if no force asks
} force_rows;

// What forces add up to, by row. Forces add to both.
typedef struct force_sum
{
	vec3 *accelerations; // m/s^2
	vec4 *drags;         // m/s^2 and 1/s: the velocity that drags times its rate, and the rate
} force_sum;

typedef struct force_bound
{
	double most;      // m/s^2, the largest acceleration of any particle, apart from drag
	double common[3]; // m/s^2, the part that is the same for all particles
	double rate;      // 1/s, the largest rate of drag
	double flow;      // m/s, the largest velocity that drags
	int by_velocity;  // accelerations depend on the velocity, apart from drag
	int unknown;      // `most` has to be measured: force_set_measure()
} force_bound;

struct force_entry;

typedef struct force_type
{
	// Prepares `values` and returns 1, or 0 if there is nothing to do. `own` is NULL for gravity.
	int (*setup)(const spate_world_def *def, const spate_force_def *own, double *values);
	// For particles that are no faster than `speed` (m/s).
	force_bound (*bound)(const struct force_entry *force, double speed);
	// Adds what each row feels beyond the common part, times its weight. NULL when there is nothing more.
	void (*accelerate)(const struct force_entry *force, const force_rows *rows, const float *weights,
			   const force_sum *sum);
	// The problem of a definition, NULL for none.
	const char *(*problem)(const spate_force_def *own);
	// What is made once for a world, such as a file that is read; `unmake` gets NULL, too. NULL for types that need nothing.
	spate_result (*make)(const spate_force_def *own, void **asset, spate_error *error);
	void (*unmake)(void *asset);
} force_type;

typedef struct force_entry
{
	const force_type *type;
	double values[FORCE_VALUES];
	const spate_force_def *own; // NULL for gravity and for forces that act everywhere
	const void *asset;          // NULL without a world
} force_entry;

// The forces of a world and what they add up to.
typedef struct force_set
{
	force_entry forces[FORCE_MOST];
	uint32_t count;
	double most;      // m/s^2, no particle is accelerated more, drag included
	double steady;    // m/s^2, the same without drag
	double rate;      // 1/s, of drag; 0 without
	double flow;      // m/s, drag makes no particle faster than that
	double common[3]; // m/s^2, acceleration that all particles share
	double pull;      // m/s^2, magnitude of `common`
	double up[3];     // unit vector against it; zero without one
	int by_velocity;  // accelerations depend on the velocity
	int unknown;      // some bound has to be measured
} force_set;

// The row of a type; NULL for none.
const force_type *force_table(int type);
// The problem of a definition's force, NULL for none.
const char *force_problem(const spate_force_def *own, uint32_t fluid_count);

// What the forces of a definition need: an array, one per force. All or nothing.
spate_result force_assets_make(void ***assets, const spate_world_def *def, spate_error *error);
void force_assets_free(void **assets, const spate_force_def *forces, uint32_t count);

// Makes the set of a definition, whose forces must live as long as the set. `extra` follow them. `assets` may be NULL: the bounds of forces
// that need theirs are 0 then. `speed` (m/s) is that of the fastest particle.
void force_set_make(force_set *set, const spate_world_def *def, void *const *assets, const force_entry *extra,
		    uint32_t extra_count, double speed);

// Replaces unknown bounds by the largest accelerations of rows, in any number, at the start of a substep.
void force_set_measure(force_set *set, const force_rows *rows, int threads);

// Mean accelerations of some rows over a substep: returns 1 and sets *same when all have the same one, else sets each[].
int force_set_accelerate(const force_set *set, const force_rows *rows, vec3 *same, vec3 *each);

// Velocities at the start of a substep of rows that have been accelerated. Drag and other forces that depend on the velocity are undone by
// iteration, within a small part of what they did.
void force_set_recall(const force_set *set, const force_rows *rows, vec4 *before);

// The field of the forces at places where nothing moves: accelerations without the common part, drag included.
void force_set_field(const force_set *set, const force_rows *rows, vec3 *out);

// The bound of a definition's forces (m/s^2), where there is no world.
double force_most(const spate_world_def *def);

#define FORCE(name, upper, doc) extern const force_type force_##name;
#include "force/forces.def"
#undef FORCE

#endif
