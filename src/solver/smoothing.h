// Velocities that approach those of their neighbours, in explicit rounds or in one implicit step. One round S with coefficient c is stable up
// to a limit; a coefficient of many rounds is solved implicitly instead: (2 - S) v = v*, which is 1 - c L, by conjugate gradients. The
// matrix is symmetric in the inner product weighted by mass, and one application costs one round.
#ifndef SOLVER_SMOOTHING_H
#define SOLVER_SMOOTHING_H

#include "solver/step_view.h"

// What a round is wanted for.
typedef enum smoothing_use
{
	SMOOTHING_ROUND,  // velocities after the round
	SMOOTHING_AFFINE, // S v, with what walls add by their own motion
	SMOOTHING_LINEAR  // S v without that
} smoothing_use;

typedef struct smoothing
{
	const step_view *view;
	const vec4 *places; // with inverse masses in their w
	vec4 *velocities;   // before and after; the w is the coefficient
	vec4 *other;
	size_t room; // rows of these arrays
	double rounds;
	int implicit;
	void (*round)(void *context, vec4 *in, vec4 *out, smoothing_use use);
	void *context;
} smoothing;

enum
{
	SMOOTHING_MOST_ROUNDS = 20 // an implicit step is cheaper than more
};

// The array into which velocities and coefficients are to be written, and the part of the coefficient that a round applies.
vec4 *smoothing_start(const smoothing *s);
float smoothing_share(const smoothing *s);
spate_result smoothing_run(const smoothing *s, spate_error *error);

#endif
