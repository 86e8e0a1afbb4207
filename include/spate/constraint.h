// Constraints of a program: functions that move particles in every substep, such as to keep the length of a rope, the volume of a balloon, or
// particles on a surface. docs/howto/constraints.md has complete examples.
//
// The solvers `pbf` and `adaptive` project them in every iteration, after their own correction of densities and before particles are pushed out
// of colliders. Velocities follow from displacements. Iterations go on, up to their limit, while constraints still move particles.
// The solvers `projection`, `wcsph` and `pcisph` project them once in a substep, when places and velocities are those of its end and before
// colliders have the last word: a displacement dx changes the velocity by dx / dt. A constraint that needs several rounds makes them itself,
// since it sees at once what it has moved.
//
// Constraints are called one after the other on the thread that steps the world, so results do not depend on the number of threads. They must
// not call the world. Snapshots and checkpoints do not hold them: add them again to a world that is made to continue.
#ifndef SPATE_CONSTRAINT_H
#define SPATE_CONSTRAINT_H

#include "spate/pose.h"
#include "spate/result.h"
#include "spate/world.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPATE_NO_ROW UINT32_MAX

// The particles as a constraint finds them. Rows are those of this substep; to follow a particle, keep its id.
typedef struct spate_constraint_view
{
	uint32_t count;        // rows
	const int64_t *ids;    // by row
	const int32_t *fluids; // by row: indices of fluids
	// by row, four floats: x, y, z (m from `origin`) and the inverse of the mass in 1 / `mass`
	const float *places;
	const float
	    *moved; // by row, four floats: x, y, z of the displacement since the start of the substep (m), and one more
	const double *origin; // m, x, y, z
	double mass;          // kg
	double time, dt;      // s, start and length of the substep
	uint32_t iteration;   // of the solver, from 0
	uint32_t colliders;   // number of them
	void *own;            // of the library
} spate_constraint_view;

// Moves particles towards what the constraint asks for. Returns SPATE_OK, or anything else to end the step with an error that has the text of
// `error`, a sentence; the world must be restored from a snapshot then.
typedef spate_result spate_constraint_project(void *context, const spate_constraint_view *view, spate_error *error);

typedef struct spate_constraint_def
{
	const char *name; // of at most 63 bytes; no two of a world are the same
	int priority; // lower ones are projected first; the highest has the last word. Equal ones keep the order in which they were added.
	spate_constraint_project *project;
	void *context; // first argument of the function; must live as long as the constraint
} spate_constraint_def;

// Priority 0, nothing else.
SPATE_API spate_constraint_def spate_default_constraint_def(void);

// Adds a constraint, from the next substep on. Call it between steps. SPATE_EXISTS if the world has one of that name.
SPATE_API spate_result spate_world_add_constraint(spate_world *world, const spate_constraint_def *def,
						  spate_error *error);
// SPATE_MISSING if there is none of that name.
SPATE_API spate_result spate_world_remove_constraint(spate_world *world, const char *name, spate_error *error);
SPATE_API uint32_t spate_world_constraint_count(const spate_world *world);

// For the projection function, with the view that it was given:

// The row of a particle; SPATE_NO_ROW if it no longer exists. The first call of a substep takes time in proportion to all particles.
SPATE_API uint32_t spate_constraint_row(const spate_constraint_view *view, int64_t id);
// Moves a particle by dx (m); `places` and `moved` show it at once. Constraints can move a particle by half a kernel radius in a substep, so that
// it passes no wall; what is beyond that is cut off. A row that does not exist or a displacement that is not finite fails the step.
SPATE_API void spate_constraint_move(const spate_constraint_view *view, uint32_t row, const double dx[3]);
// The same by a collider, such as one that a rope hangs from. The reaction counts as a part of its force.
SPATE_API void spate_constraint_move_by(const spate_constraint_view *view, uint32_t row, const double dx[3],
					uint32_t collider);
// Pose of a collider at the end of the substep.
SPATE_API spate_result spate_constraint_pose(const spate_constraint_view *view, uint32_t collider, spate_pose *pose);

#ifdef __cplusplus
}
#endif
#endif
