// Particles added between those of a surface, so that it is sampled more finely than the liquid.
//
//	J. Onderik: Particle-based liquids, section 4.2 (S4)
//
// Between two surface particles, the midpoint of a Bezier curve that is tangent to the surface at both ends is added.
// Added points that are close together are welded into their mean; those close to a particle are dropped. Every round
// halves all distances and starts from the particles and the points added so far.
#ifndef SURFACE_REFINE_H
#define SURFACE_REFINE_H

#include "base/array.h"
#include "base/vec.h"
#include "surface/points.h"

#define REFINE_REACH 1.8f // h: maximum distance of two particles that get a point between them
#define REFINE_WELD 0.2f  // h: points closer than this are welded
#define REFINE_BEND 0.4f  // length of a tangent over the distance of the particles

// Midpoint of the curve from p to q with unit normals at both ends. Returns 0 where the surface turns too much.
int refine_midpoint(vec3 p, vec3 normal_p, vec3 q, vec3 normal_q, vec3 *middle);

// Points with their values, `width` floats each; the first is the point's spacing (m).
typedef struct refine_points
{
	uint32_t width;
	ARRAY(vec3) places;
	ARRAY(float) values;
} refine_points;

void refine_points_free(refine_points *points);
int refine_points_add(refine_points *points, vec3 place, const float *values);

// Welds points closer than `distance` spacings (the mean of both) into the mean of all their points, until there are
// none left. The same points in the same order give the same result. In src/surface/weld.c.
spate_result refine_weld(refine_points *points, float distance, spate_error *error);

// Result of refining. All zero is empty.
typedef struct refinement
{
	refine_points added;
	float *shares; // in particles: per row of the input, then per added point
} refinement;

void refinement_free(refinement *r);

// `source` holds the particles and `values` their rows of `width` floats, by row of the input; `rows` is the number of
// input rows. The added points do not depend on the order of the particles.
spate_result refine_surface(refinement *out, const points_source *source, uint32_t rows, uint32_t width,
			    const float *values, int rounds, int threads, spate_error *error);

#endif
