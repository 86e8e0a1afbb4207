// The bounded linear problem of the projection solver: multipliers l above their lower bounds for which A l >= b, with equality where l
// is not at its bound, where A = D M^-1 T (projection_kernels.h). It is solved by conjugate gradients on faces, the sets of multipliers that
// are not at their bound, on the problem scaled to a unit diagonal.
#ifndef SOLVER_PRESSURE_H
#define SOLVER_PRESSURE_H

#include "solver/bend_rows.h"
#include "solver/body_rows.h"
#include "solver/projection_kernels.h"

typedef struct pressure
{
	const step_view *view;
	const projection_kernels *kernels;
	projection_pass pass;
	const image_set *images;
	body_rows *bodies;  // that yield; NULL for none
	bend_rows *bending; // likewise
	float expansion;    // step along the gradient that is stable for the scaled problem

	vec4 *places;   // of particles and images; the w is scratch of the passes
	vec4 *pushes;   // M^-1 T l
	vec4 *loads[2]; // l times the corrections of the pass; NULL if there are none
	float *scale;   // one over the root of the diagonal
	float *right;   // b, without the rate of the velocities of a goal
	float *low;     // lower bounds of y, at most 0
	float *y;       // l / scale
	float *g;       // gradient of the scaled problem: scale (A l - b)
	float *p, *bp;  // direction, and the scaled matrix times it
	uint8_t *face;  // 1 where multipliers may change
} pressure;

// How far to go.
typedef struct pressure_goal
{
	double violation; // mean of |A l - b| where l is above its bound, and of max(b - A l, 0) elsewhere
	double loose;     // enough if it is also this share of what it was at the start; 0 if not
	double share;
	int from_zero;          // starts from l = 0, whatever `y` is
	uint32_t products;      // most products with A
	const vec4 *velocities; // D v of these is a part of b; NULL if not
} pressure_goal;

typedef struct pressure_result
{
	uint32_t products;
	double violation;
} pressure_result;

// Takes the arrays; `corrects`: passes may have corrections.
spate_result pressure_start(pressure *problem, int corrects, spate_error *error);

// Writes D v to `out`; velocities have room for images, which are set.
void pressure_rate(pressure *problem, vec4 *velocities, float *out);

// Solves for `y`, from the value it has, given `right`.
pressure_result pressure_solve(pressure *problem, const pressure_goal *goal);

// Writes M^-1 T l to `pushes`.
void pressure_push(pressure *problem);

#endif
