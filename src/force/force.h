// Accelerations that act on particles from outside the liquid. The table forces.def lists the types; gravity is the first.
#ifndef FORCE_FORCE_H
#define FORCE_FORCE_H

#include "base/vec.h"
#include "spate/world.h"

#include <stddef.h>
#include <stdint.h>

enum
{
	FORCE_VALUES = 16, // numbers that a force may keep
	FORCE_MOST = 16,   // forces of a world
	FORCE_ROWS = 256   // rows per call
};

// Consecutive rows, at most FORCE_ROWS.
typedef struct force_rows
{
	size_t count;
	const vec4 *positions;  // m, relative to the origin
	const vec4 *velocities; // m/s
	const double *origin;   // m
	double time;            // s, at the start of the substep
} force_rows;

typedef struct force_bound
{
	double most;      // m/s^2, the largest acceleration of any particle
	double common[3]; // m/s^2, the part that is the same for all particles
} force_bound;

typedef struct force_type
{
	const char *name;
	const char *doc; // one sentence
	// Reads what a definition says about the force into `values`; returns 0 when it says nothing.
	int (*setup)(const spate_world_def *def, double *values);
	force_bound (*bound)(const double *values);
	// Adds what each row feels beyond the common part. NULL when there is nothing more.
	void (*accelerate)(const double *values, const force_rows *rows, vec3 *accelerations);
} force_type;

typedef struct force_entry
{
	const force_type *type;
	double values[FORCE_VALUES];
} force_entry;

// The forces of a world and what they add up to.
typedef struct force_set
{
	force_entry forces[FORCE_MOST];
	uint32_t count;
	double most;      // m/s^2, no particle is accelerated more
	double common[3]; // m/s^2, acceleration that all particles share
	double pull;      // m/s^2, magnitude of `common`
	double up[3];     // unit vector against it; zero without one
} force_set;

// Makes the set of a definition; `extra` follow the forces of the table.
void force_set_make(force_set *set, const spate_world_def *def, const force_entry *extra, uint32_t extra_count);

// Accelerations of some rows: returns 1 and sets *same when all have the same one, else sets each[].
int force_set_accelerate(const force_set *set, const force_rows *rows, vec3 *same, vec3 *each);

// The bound of a definition's forces (m/s^2), where there is no world.
double force_most(const spate_world_def *def);

#define FORCE(name) extern const force_type force_##name;
#include "force/forces.def"
#undef FORCE

#endif
