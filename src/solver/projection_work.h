// One substep of the projection solver, shared by its files and by the tests.
#ifndef SOLVER_PROJECTION_WORK_H
#define SOLVER_PROJECTION_WORK_H

#include "solver/pressure.h"
#include "solver/solver.h"
#include "solver/surface_energy.h"

// Kernel radius in spacings: about 73 neighbours.
#define PROJECTION_RADIUS 2.6

// Constants for a spacing of 1 m; all of them scale.
typedef struct projection
{
	double volume;   // of a particle on the lattice of spacing 1
	double diagonal; // of A there
	double largest;  // eigenvalue of A there, relative to the diagonal
	double moment;   // of the gradients there, see shear.h
	surface_lattice surface;
} projection;

projection projection_make(void);

// Rows of its settings.
enum
{
	PROJECTION_RESIDUAL,   // mean change of density that a substep may leave undone; 0 for the quality's default
	PROJECTION_STRIDE,     // longest substep in units of d / sqrt(g depth)
	PROJECTION_CALMING,    // share of the shortest fluctuations that is removed
	PROJECTION_CORRECTION, // how far gradients are corrected
	PROJECTION_SETTING_COUNT
};

// What a quality level and the settings stand for.
typedef struct projection_quality
{
	double cfl;      // travel of liquid in a substep, in spacings
	double wall_cfl; // travel of colliders and sources
	double promise;  // mean density error
	double residual; // mean change of density that a substep may leave undone
	double loose;    // most of it in liquid that moves; four times as much in fast liquid
} projection_quality;

projection_quality projection_quality_of(const step_view *view);

// See solver_type.
double projection_longest_step(const void *solver, const step_view *view, const step_state *state);
double projection_numerical_viscosity(const spate_fluid_def *fluid, double gravity, double dt);
solver_cost projection_cost(const void *solver, const step_view *view, double share);

typedef struct projection_work
{
	const step_view *view;
	const projection *solver;
	contacts near;
	image_set images;
	body_rows bodies;  // if the view has some
	bend_rows bending; // likewise
	pressure problem;
	vec4 *velocities; // with room for images
	vec4 *calmed[2];
	vec4 *before; // velocities before the forces of the substep, without images
	float *bend;  // rate of those, which is zero unless particles have moved since they were projected
	float *constraint;
	float *inverse_mass;
	vec4 *correction[2]; // of the gradients, see projection_kernels.h
	float correction_share;
	vec4 *shifts; // dx
	projection_quality quality;
	double allowed; // 1/s, mean violation at which iterating stops
	double error_sum, error_max;
} projection_work;

// Finds walls and images, lets cohesion and adhesion act, and sets up the problem.
spate_result projection_work_start(projection_work *work, const projection *solver, const step_view *view,
				   spate_error *error);
// Finds C and the scales of the problem.
void projection_constrain(projection_work *work);
// Lets viscosity, vorticity confinement and surface tension act on velocities; C is known.
spate_result projection_accelerate(projection_work *work, spate_error *error);

// Coulomb friction by the multipliers of the last substep, on velocities that are not projected yet.
void projection_rub(projection_work *work);
// Adds what bodies that yield do to the diagonal.
void projection_weigh_bodies(projection_work *work);
void projection_weigh_bending(projection_work *work);
// Charges the walls for what their images push with, but for those of bodies that yield.
void projection_charge_walls(projection_work *work);
// The same for calming, whose differences are in `calmed[0]`.
void projection_charge_calming(projection_work *work);

#endif
