// Particles added between those of a surface, so that it is sampled more finely than the liquid.
//
//	J. Onderik: Particle-based liquids, section 4.2 (S4)
//
// Between two particles of the surface the middle of a Bezier curve that is level with it at both ends is added. Points that come
// together are welded into their mean, points at a particle are dropped. Every round halves all distances and starts from the
// particles and what was added.
#ifndef SURFACE_REFINE_H
#define SURFACE_REFINE_H

#include "base/array.h"
#include "base/vec.h"
#include "surface/points.h"

#define REFINE_REACH 1.8f // h, between two particles that get one between them
#define REFINE_WELD 0.2f  // h, between points that become one
#define REFINE_BEND 0.4f  // length of a tangent by the distance of the particles

// The middle of the curve from p to q with unit normals at both. 0 where the surface turns so much that there is none.
int refine_midpoint(vec3 p, vec3 normal_p, vec3 q, vec3 normal_q, vec3 *middle);

// Points with what they carry, `width` floats each, the first of them the spacing (m) that the point stands for.
typedef struct refine_points
{
	uint32_t width;
	ARRAY(vec3) places;
	ARRAY(float) values;
} refine_points;

void refine_points_free(refine_points *points);
int refine_points_add(refine_points *points, vec3 place, const float *values);

// Joins points nearer to each other than `distance` spacings (the mean of theirs) into the mean of all that went into them, until there
// are none. In order: the same points in the same order give the same result. In src/surface/weld.c.
spate_result refine_weld(refine_points *points, float distance, spate_error *error);

// What refining gives. All zero is empty.
typedef struct refinement
{
	refine_points added;
	float *shares; // of the liquid of one particle: per row of the input, then per point added
} refinement;

void refinement_free(refinement *r);

// `source` has the particles, `values` their rows of `width` floats, by row of the input; `rows` is the number of rows of the input. What
// is added does not depend on the order of the particles.
spate_result refine_surface(refinement *out, const points_source *source, uint32_t rows, uint32_t width,
			    const float *values, int rounds, int threads, spate_error *error);

#endif
