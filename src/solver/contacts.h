// Colliders as the particles of a substep feel them. Walls are looked up once, as planes, for the rows that can reach one; touching
// then pushes those rows out.
#ifndef SOLVER_CONTACTS_H
#define SOLVER_CONTACTS_H

#include "solver/step_view.h"

enum
{
	CONTACT_ROWS = 1024 // per task
};

// A row and the colliders that may be close to it.
typedef struct near_mask
{
	uint32_t row;
	collider_mask colliders;
} near_mask;

// A row close to a collider: its walls (first index and count in `felt`) and the free space around its predicted position.
typedef struct near_row
{
	uint32_t row, felt, walls;
	solid_gap gap;
} near_row;

// Counts of a block of CONTACT_ROWS rows near colliders; after a prefix sum, the totals of all blocks before it.
typedef struct near_counts
{
	uint32_t rows, felt, groups; // near rows, their walls, and groups of eight rows with a near one
	uint32_t kept;               // rows left when walls have been found
} near_counts;

typedef struct contacts
{
	const step_view *view;
	uint32_t *wall_group; // of each slice: slices with a near row are numbered from 1, the others are 0
	near_mask
	    *near_masks; // in blocks of CONTACT_ROWS, in a spare array of the view; valid only while walls are found
	near_counts *near_counts;
	near_row *near; // in row order
	felt_wall *felt;
	uint32_t *owners;  // colliders of the walls in `felt`; NULL if neither loads nor the solver need them
	wall_push *pushes; // of the walls in `felt`; NULL if nobody wants loads
	load_book book;    // when somebody does
	uint32_t near_count;
	float widest;       // m, largest kernel radius of the fluids
	const vec4 *before; // velocities before the walls acted, by row
	int from_start; // walls were found at the places at the start of the substep, and velocities are not displacements
} contacts;

// The collider of a felt wall.
static inline const collider *contacts_owner(const contacts *c, uint32_t felt)
{
	return &c->view->colliders->colliders[c->owners[felt]];
}

// Finds the rows near colliders and what they will feel in this substep, given places and displacements. Uses spare[0].
spate_result contacts_find(contacts *c, const step_view *view, spate_error *error);
// Pushes those rows out of the colliders, to a distance in spacings.
void contacts_touch(contacts *c, float distance);
// The same for some of the rows near walls, by their numbers in `near`.
void contacts_touch_some(contacts *c, float distance, const uint32_t *some, uint32_t count);
// Moves some rows that are closer than a distance to walls at the start of the substep, at its start and at its end alike.
void contacts_shift(contacts *c, float distance, const uint32_t *some, uint32_t count);
// For solvers that find walls at the places at the start of the substep and make velocities themselves: keeps rows `distance` spacings
// away from walls, and stops velocities that go into them. Walls make those bounce, given their velocities `before`, unless it is NULL.
void contacts_guard(contacts *c, float distance, const vec4 *before);
// Keeps them on their side of every mesh, at the end of the substep.
void contacts_hold(contacts *c);
// Number of those rows that are more than a spacing inside a solid.
uint32_t contacts_outside(contacts *c);
// Turns displacements into velocities, which bounce off walls and feel their friction.
void contacts_respond(contacts *c);
// Charges a collider, by its number, for a displacement (m) of a row that it has not touched. Not for several threads at once.
void contacts_charge(const contacts *c, uint32_t row, uint32_t number, vec3 dx);
// Charges a felt wall for a displacement (m) by friction, wall shear or stickiness, if somebody wants loads.
void contacts_charge_friction(const contacts *c, uint32_t felt, vec3 dx);
// Sums what the walls have given to all rows into the loads of the view, if it wants them. Call it last.
void contacts_sum_loads(contacts *c);

#endif
