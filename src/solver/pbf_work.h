// One substep of the position-based solver, shared by its files and by the benchmarks.
#ifndef SOLVER_PBF_WORK_H
#define SOLVER_PBF_WORK_H

#include "solver/constraints.h"
#include "solver/images.h"
#include "solver/pbf_kernels.h"
#include "solver/pbf_levels.h"
#include "solver/prototype.h"
#include "solver/solver.h"

// Constants for a spacing of 1 m; all of them scale.
typedef struct pbf
{
	prototype proto;
} pbf;

// Rows of its settings.
enum
{
	PBF_ITERATIONS,     // maximum per substep; 0 for the quality's default
	PBF_MIN_ITERATIONS, // minimum per substep
	PBF_TOLERANCE,      // average density error at which iterating stops; 0 for the quality's default
	PBF_ACCELERATION,   // Chebyshev acceleration, 0 for none; -1 chooses it from the iterations
	PBF_WARM_START,     // fraction of the previous substep's pressure used as the initial guess
	PBF_SETTING_COUNT
};

// What a quality level and the settings stand for.
typedef struct pbf_quality
{
	double cfl;   // travel per substep in kernel radii
	double error; // density error at the bottom of the liquid
	uint32_t iterations;
	double tolerance;    // average density error at which iterating stops
	double acceleration; // Chebyshev, 0 for none
} pbf_quality;

pbf_quality pbf_quality_of(const step_view *view);

// Chebyshev weight of iteration k (from 0), given the one before.
double pbf_next_omega(uint32_t k, double omega, double acceleration);
// Correction by a number of accelerated iterations, relative to one plain iteration on the same residual.
double pbf_gain(uint32_t iterations, double acceleration);
// Density error that one substep of dt leaves at a depth of a fluid of some spacing under gravity.
double pbf_expected_error(const pbf *solver, double spacing, double gravity, double depth, double dt,
			  uint32_t iterations, double acceleration);

// See solver_type.
double pbf_longest_step(const void *solver, const step_view *view, const step_state *state);
solver_cost pbf_cost(const void *solver, const step_view *view, double share);

// How far the iterations go.
typedef struct pbf_plan
{
	uint32_t iterations, min_iterations;
	float tolerance;    // average density error
	float acceleration; // spectral radius of the Chebyshev weights, 0 for none
	float warm_start;   // fraction of the previous substep's multipliers used as the initial guess
	pbf_levels *levels; // NULL if all rows take part in all iterations
} pbf_plan;

typedef struct pbf_work
{
	const step_view *view;
	const pbf_kernels *kernels;
	pbf_pass pass;
	contacts near;
	constraints host;
	image_set images;
	pbf_plan plan;
	float gradient; // of the prototype

	vec4 *multipliers; // spare[0]: places with lambda in w
	vec4 *last;        // spare[1]: last correction, with its multiplier in w
	float *constraint; // C, in the store's density until that is known

	int first_pass;     // the stiffness of the rows is not known yet
	int64_t *block_sum; // in units of PBF_ERROR_UNIT
	float *block_max;
} pbf_work;

// Particles are kept this far from walls, in spacings: images hold them further away.
#define PBF_GUARD 0.25f

// An error in units of PBF_ERROR_UNIT, as kernels count it.
static inline int64_t pbf_error_units(float c)
{
	float error = c > 0.0f ? (c < PBF_ERROR_MOST ? c : PBF_ERROR_MOST) : 0.0f;
	return (int32_t)(error * (float)(1.0 / PBF_ERROR_UNIT));
}

// A substep by a plan, and the plan of the settings in the first rows.
spate_result pbf_step(const pbf *solver, const step_view *view, const pbf_plan *plan, solver_report *report,
		      spate_error *error);
pbf_plan pbf_plan_of(const step_view *view);

// What solvers made of the same parts share; see solver_type.
#define PBF_RADIUS 2.0 // of kernels, in spacings: about 33 neighbours
spate_result pbf_create(void **solver, spate_error *error);
void pbf_destroy(void *solver);
spate_result pbf_prepare(const void *solver, const step_view *view, int *runaways, spate_error *error);
spate_result pbf_settle(const void *solver, const step_view *view, solver_settling *settling, solver_report *report,
			spate_error *error);
spate_result pbf_weigh(const void *solver, const step_view *view, solver_report *report, spate_error *error);
double pbf_numerical_viscosity(const spate_fluid_def *fluid, double gravity, double dt);

// Sets up the work of a view; then finds the walls near its rows; then, at places in front of the walls, the images behind them.
spate_result pbf_work_start(pbf_work *work, const pbf *solver, const step_view *view, spate_error *error);
spate_result pbf_work_find_walls(pbf_work *work, spate_error *error);
spate_result pbf_work_mirror(pbf_work *work, spate_error *error);
// Moves images to where they belong for places of the particles, whose w they get.
void pbf_work_place_images(pbf_work *work, vec4 *places);

// Coulomb friction by what images have pushed with in all iterations; charges walls for both.
void pbf_work_rub_and_charge(pbf_work *work);

#endif
