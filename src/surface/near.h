// Finds the particles near the surface: measures the distance of each from the mean of its neighbours, and the density
// there.
//
//	J. Onderik: Particle-based liquids, section 4.1 (S4). Lengths are in h, which is 4/3 of a particle's spacing.
#ifndef SURFACE_NEAR_H
#define SURFACE_NEAR_H

#include "spate/surface.h"
#include "surface/field.h"

#define NEAR_H (4.0f / 3.0f)          // spacings
#define NEAR_KERNEL (1.7f * NEAR_H)   // spacings, S4's H = 1.7 h
#define NEAR_STEP_MIN (1.2f * NEAR_H) // spacings, rmin and rmax of the one-step criterion
#define NEAR_STEP_MAX (1.9f * NEAR_H)

// Measurements for each row of surface_points made with NEAR_KERNEL.
typedef struct near_values
{
	vec3 *displacement; // spacings, outwards near the surface (S4's eq. 6 or 8 over h, times NEAR_H)
	float *density;     // relative to the rest density, from kernel sums
} near_values;

void near_values_free(near_values *values);

// Weighs the points and takes the measurements.
spate_result near_measure(near_values *values, surface_points *points, spate_surface_criterion criterion, int threads,
			  spate_error *error);

// S4's eq. 10: gamma |d| / h + beta (alpha - density).
float near_score(const spate_surface_marker_def *def, vec3 displacement, float density);

#endif
