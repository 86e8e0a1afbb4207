// The implicit functions of a liquid's surface, negative inside, in metres near the surface.
//
//	density        J. Onderik, M. Chladek, R. Durikovic: SPH with small scale details and improved surface reconstruction, 2011
//	Zhu-Bridson    Y. Zhu, R. Bridson: Animating sand as a fluid, 2005
//	colour         M. Mueller, D. Charypar, M. Gross: Particle-based fluid simulation for interactive applications, 2003
//	anisotropic    J. Yu, G. Turk: Reconstructing surfaces of particle-based fluids using anisotropic kernels, 2013
#ifndef SURFACE_FIELD_H
#define SURFACE_FIELD_H

#include "spate/surface.h"
#include "surface/field_kernels.h"
#include "surface/points.h"

// Where each function places the flat surface of a lattice of particles, in spacings; measured once per call.
typedef struct field_scale
{
	float radius;        // of the distance functions: distance from the mean of the particles
	float level;         // of the indicator functions: value at the surface
	float slope;         // decrease of the value per spacing there
	float border_shift;  // a particle whose neighbours' mean is further away is near the surface
	float border_weight; // so is one with a smaller sum of kernels
} field_scale;

typedef struct surface_field
{
	spate_surface_method method;
	const surface_points *points;
	const field_kernels *kernels;
	field_scale scale;
	float cell;   // m, between grid points
	float offset; // m, outwards
	int clip;
	double clip_min[3], clip_max[3]; // m
} surface_field;

// Scratch of one thread. All zero is empty.
typedef struct field_scratch
{
	point_set set;
	ARRAY(float) values;  // all arrays of field_points, one behind the other
	ARRAY(float) carried; // channel values, one column behind the other
	size_t room;          // floats per column
} field_scratch;

field_scratch *field_scratches_create(int threads, spate_error *error);
void field_scratches_destroy(field_scratch *scratches, int threads);

// Default kernel radius of a method, in spacings.
float field_kernel_of(spate_surface_method method);

// Maximum distance between a method's surface and the nearest particle, in spacings.
float field_reach_of(spate_surface_method method, float kernel);

spate_result field_calibrate(field_scale *scale, spate_surface_method method, float kernel, spate_error *error);

// Computes the weights 1 / w of all particles (S4's eq. 4) and marks those near the surface.
spate_result field_weigh(surface_points *points, const field_scale *scale, field_scratch *scratch, int threads,
			 spate_error *error);

// Smoothed centres and shapes of all particles, for the anisotropic method. In src/surface/anisotropy.c.
spate_result field_shape(surface_points *points, field_scratch *scratch, int threads, spate_error *error);

// The function at the 64 points of the block whose first point is `origin` (m). 0 when out of memory.
int field_block(const surface_field *field, field_scratch *scratch, const double origin[3], float *out);

// Loads the particles around a box with their weights, relative to `origin`, for sums at places inside the box.
int field_load(const surface_field *field, field_scratch *scratch, vec3 origin, vec3 low, vec3 high, field_points *out);

#endif
