// One substep as solvers and the modules that they share see it: contacts, surface tension, viscosity, vorticity. Whoever makes a
// view fills in the definition and the state; the solver adds the arrays of the substep.
#ifndef SOLVER_STEP_VIEW_H
#define SOLVER_STEP_VIEW_H

#include "base/memory.h"
#include "body/bend_set.h"
#include "body/body.h"
#include "collider/collider.h"
#include "force/force.h"
#include "particles/material.h"
#include "space/neighbour_list.h"

#include <math.h>

enum
{
	STEP_SLICES = 128, // slices of eight rows per task
	STEP_SLACK = 8     // rows behind the last that full vectors may read and write
};

// Limits beyond which a particle is a runaway. Positions are relative to the origin.
typedef struct step_limits
{
	float speed; // m/s
	float place; // m, each coordinate
} step_limits;

// Written so that NaN counts as a runaway.
static inline int step_is_runaway(const step_limits *limits, vec4 x, vec4 v)
{
	return !(v.x * v.x + v.y * v.y + v.z * v.z <= limits->speed * limits->speed) || !(fabsf(x.x) < limits->place) ||
	       !(fabsf(x.y) < limits->place) || !(fabsf(x.z) < limits->place) || !isfinite(v.x + v.y + v.z);
}

// What the length of a substep depends on besides the definition.
typedef struct step_state
{
	double time;        // s
	double bulk_speed;  // m/s, of the fastest particle that has neighbours
	double speed_max;   // m/s, of any particle
	double outer_speed; // m/s, of sources and colliders
	double depth;       // m, of the liquid along gravity
	double error;       // mean density error of the last substep
} step_state;

typedef struct step_view
{
	// definition
	const spate_solver_def *settings;
	const spate_fluid_def *fluids;
	uint32_t fluid_count;
	const spate_interface_def *interfaces;
	uint32_t interface_count;
	const float *radii; // m, kernel radius of each fluid
	const force_set *forces;
	const double *origin;            // m
	int calms;                       // viscosity smooths noise away even in the thinnest liquid
	int tension;                     // the solver has surface tension in N/m; others replace it by cohesion
	int shear;                       // walls shear the liquid by its viscosity
	double contrast;                 // largest ratio of inertia between two liquids, 0 for any; see pairs.h
	const spate_camera_def *cameras; // those that the settings name
	uint32_t camera_count;

	// state
	spate_store *store;
	const neighbour_list *list;
	const collider_set *colliders;
	body_set *bodies;                         // colliders that the liquid moves; NULL for none
	bend_set *bending;                        // those that it bends; NULL for none
	const struct constraint_set *constraints; // the host's; NULL for none
	collider_load
	    *loads; // what the liquid gives to each collider, written by the step; NULL if nobody wants to know
	const material *material; // per-particle overrides
	double room;              // volume of a particle relative to its fluid's rest volume
	double time;              // s, at the start of the substep
	uint32_t frame_step;      // number of the substep in its frame, from 0
	float dt;                 // s
	double depth, speed;      // m and m/s, at the start of the substep: depth and bulk_speed of step_state
	step_limits limits;
	int settling; // overlapping particles are pushed apart, without velocity, pressure and surface tension

	// By row, with STEP_SLACK rows behind the last. While pairs are summed, the w of a place is the inverse mass (pairs.h).
	vec4 *places;     // m; predicted, then corrected
	vec4 *moved;      // m, displacement since the start of the substep
	vec4 *velocities; // m/s
	vec4 *spare[2];   // any module may overwrite them

	// work
	arena *scratch; // reset by the caller
	int threads;
	simd_level simd;
} step_view;

// Takes the arrays by row from the store and the scratch memory.
spate_result step_view_take_arrays(step_view *view, spate_error *error);

// Coordinate of dummy rows, small enough that squared distances to them do not overflow.
#define STEP_FAR_AWAY 1e12f

// Moves the rows behind the last one so far away that they are never neighbours.
static inline void step_place_dummies(vec4 *records, size_t rows, float w)
{
	for (size_t k = 0; k < STEP_SLACK; k++)
		records[rows + k] = (vec4){STEP_FAR_AWAY, STEP_FAR_AWAY, STEP_FAR_AWAY, w};
}

#endif
