// Constraints of the host's in a substep: projects them by priority, within the limits that walls need, and charges colliders that pull.
#ifndef SOLVER_CONSTRAINTS_H
#define SOLVER_CONSTRAINTS_H

#include "solver/contacts.h"
#include "spate/constraint.h"

enum
{
	CONSTRAINT_NAME = 64
};

typedef struct constraint
{
	char name[CONSTRAINT_NAME];
	int priority;
	spate_constraint_project *project;
	void *context;
} constraint;

// Of a world, by priority.
typedef struct constraint_set
{
	const constraint *items;
	uint32_t count;
} constraint_set;

// Rows by id: a hash table that is half empty or more.
typedef struct id_table
{
	uint32_t *rows;
	uint32_t mask;
} id_table;

typedef struct constraints
{
	const step_view *view; // NULL if there are no constraints
	const contacts *near;
	vec4 *velocities; // NULL if they follow from displacements
	vec3 *given;      // m, by row: what constraints have moved it by
	id_table table;   // empty until somebody asks for it
	float largest;    // of the displacements of a round, in spacings
	const char *name; // of the one at work
	spate_result result;
	spate_error *error;
} constraints;

// A substep that has constraints. `velocities`, which may be NULL, change along with places.
spate_result constraints_start(constraints *own, const step_view *view, const contacts *near, vec4 *velocities,
			       spate_error *error);
// Projects all of them once.
spate_result constraints_project(constraints *own, uint32_t iteration);
// Whether the last round has found nothing worth mentioning to move.
int constraints_settled(const constraints *own);
// All of that at once, for solvers without iterations in which constraints could take part.
spate_result constraints_act(const step_view *view, const contacts *near, vec4 *velocities, spate_error *error);

#endif
