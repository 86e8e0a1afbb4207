// What the SPH solvers share (docs/theory/wcsph.md): lattice constants, one substep with its walls and images, and the passes over pairs.
#ifndef SOLVER_SPH_H
#define SOLVER_SPH_H

#include "solver/images.h"
#include "solver/solver.h"
#include "solver/sph_kernels.h"

// Kernel radius in spacings: about 33 neighbours.
#define SPH_RADIUS 2.0

// Largest ratio of inertia between two fluids.
#define SPH_CONTRAST 100.0

// Constants of the lattice of spacing 1 m; all of them scale.
typedef struct sph_lattice
{
	double volume;    // of a particle
	double gradient;  // what the sum of spiky gradients makes of a linear pressure, relative to its slope
	double laplacian; // moment of the viscosity kernel, see shear.h
	double largest;   // eigenvalue of the response of C to displacements by pressure
	double diagonal;  // of that response
} sph_lattice;

sph_lattice sph_lattice_make(void);

// The field that both solvers publish.
extern const spate_field_def sph_acceleration;

typedef struct sph_work
{
	const step_view *view;
	const sph_lattice *lattice;
	const sph_kernels *kernels;
	contacts near;
	image_set images;
	shear_pass pass;
	vec4 *
	    places; // at the start of the substep, images included; w: inverse mass, from sph_set_pressure() on pressure (Pa)
	vec4 *velocities;  // before pressure acts, images included
	vec4 *pushes;      // acceleration by pressure and calming (m/s^2)
	vec4 *differences; // of velocities to those around (m/s), images included
	vec4 *shifts;      // of particles that are parted (m)
	float *scale;      // 1 / density (m^3/kg)
	float *errors;     // C
	float *rates;      // of C (1/s)
	float *responses;  // A (1/m^2, for masses in units of the first fluid's)
	float *pressure;   // Pa
	float time;        // s, for which pressure acts
	float calming;     // 1/s, see sph_kernels.h
	double error_sum, error_max;
} sph_work;

// Finds walls and images, lets cohesion and adhesion act, and sets up the passes. `time` is how long pressure acts, in general dt.
spate_result sph_start(sph_work *work, const sph_lattice *lattice, const step_view *view, float time,
		       spate_error *error);
// Finds C, its rates and differences of velocities, at the start of the substep.
void sph_measure(sph_work *work);
// Finds C of places that have room for images.
void sph_measure_at(sph_work *work, const vec4 *places);
// Sums C > 0 into the report.
void sph_report(sph_work *work, solver_report *report);
// Lets viscosity and vorticity confinement act on the velocities; C is known.
spate_result sph_thicken(sph_work *work, spate_error *error);
// Puts pressures, by row, into the w of the places.
void sph_set_pressure(sph_work *work, const float *pressure);
// Finds `pushes`, with calming or without.
void sph_push(sph_work *work, int calms);
// Moves the particles, and keeps them out of solids; stores density, pressure and acceleration.
spate_result sph_finish(sph_work *work, solver_report *report, spate_error *error);

// Coulomb friction by the pressure.
void sph_rub(sph_work *work);
// Charges the walls for what their images push with.
void sph_charge_walls(sph_work *work);

// Density and its errors of the places, at the end of a frame; see solver_type.
spate_result sph_weigh(const sph_lattice *lattice, const step_view *view, solver_report *report, spate_error *error);
// Pushes particles of fills apart that are too close, one round; see solver_type.
spate_result sph_settle(const sph_lattice *lattice, const step_view *view, solver_settling *settling,
			solver_report *report, spate_error *error);

// Rest density (kg/m^3) of the lightest liquid as far as inertia goes.
double sph_lightest(const step_view *view);
// The largest (m/s) of a speed, that of a fall by a spacing, and that of the shortest capillary waves.
double sph_speed(const step_view *view, double speed);
// Smallest spacing (m).
double sph_finest(const step_view *view);

#endif
