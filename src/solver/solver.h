// A solver moves predicted positions until the liquid is sufficiently incompressible. The table in solver.c lists all solvers.
#ifndef SOLVER_SOLVER_H
#define SOLVER_SOLVER_H

#include "base/memory.h"
#include "collider/collider.h"
#include "particles/material.h"
#include "space/neighbour_list.h"

// Surface tension over density (m^3/s^2) of a fluid with surface_tension 1: ten times that of water.
#define SOLVER_TENSION_SCALE 7.3e-4

// Largest ratio of inertia between the heaviest and the lightest liquid; lighter liquids are treated as this light.
#define SOLVER_MOST_CONTRAST 100.0

// Input of one substep. Particles are sorted, neighbours are listed, and positions are the predicted ones: x + dt v.
typedef struct solver_step
{
	spate_store *store;
	const neighbour_list *list;
	const collider_set *colliders;
	collider_load
	    *loads; // what the liquid gives to each collider, written by the step; NULL if nobody wants to know
	const spate_fluid_def *fluids;
	uint32_t fluid_count;
	const float *radii;       // m, kernel radius of each fluid
	double densest;           // kg/m^3, of all particles at rest
	double room;              // volume of a particle relative to its fluid's rest volume
	const material *material; // per-particle overrides
	float dt;                 // s
	float gravity;            // m/s^2, its magnitude
	int relax; // only push overlapping particles apart, without velocity, pressure and surface tension
	uint32_t iterations, min_iterations;
	float tolerance; // average density error
	spate_viscosity_model viscosity_model;
	float warm_start;   // fraction of the previous step's multipliers used as the initial guess
	float acceleration; // spectral radius of the Chebyshev weights, 0 for none
	arena *scratch;     // reset by the caller
	int threads;
	simd_level simd;
} solver_step;

typedef struct solver_report
{
	uint32_t iterations;
	double density_error_avg, density_error_max; // max(C, 0), relative
	uint32_t outside;                            // particles more than a spacing inside a solid
	const vec4 *moved; // displacement of each row (m), in the scratch; NULL without particles
} solver_report;

typedef struct solver_type
{
	const char *name;
	// Creates constants that do not depend on the scene, once.
	spate_result (*create)(void **solver, double radius_in_spacings, spate_error *error);
	void (*destroy)(void *solver);
	// Moves the particles and sets velocity and density.
	spate_result (*step)(const void *solver, const solver_step *step, solver_report *report, spate_error *error);
	// Density error that one substep of dt leaves at a depth of a fluid of some spacing under gravity, for the choice of dt.
	double (*expected_error)(const void *solver, double spacing, double gravity, double depth, double dt,
				 uint32_t iterations, double acceleration);
	// Rounds of velocity smoothing in a substep, each about as expensive as half an iteration; many rounds are replaced by an
	// implicit solve. Reads only fluids, radii, material, dt, gravity and viscosity model of the step.
	double (*smoothing_rounds)(const solver_step *step, int *implicit);
} solver_type;

const solver_type *solver_table(spate_solver_type type);

extern const solver_type solver_pbf;

#endif
