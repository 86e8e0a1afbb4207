// Quality of position-based fluids: what its levels stand for, the substeps that keep the density error within them, and their cost.
#include "solver/motion.h"
#include "solver/pairs.h"
#include "solver/pbf_work.h"
#include "solver/tension.h"
#include "solver/viscosity.h"

// Factor on the length of the first substep, while heavy liquid on light liquid has not built up its compression yet.
#define START 0.6

double pbf_next_omega(uint32_t k, double omega, double acceleration)
{
	double rho2 = acceleration * acceleration;
	return k == 0 ? 1.0 : k == 1 ? 2.0 / (2.0 - rho2) : 4.0 / (4.0 - rho2 * omega);
}

double pbf_gain(uint32_t iterations, double acceleration)
{
	double omega = 1.0, correction = 0.0, sum = 0.0;
	for (uint32_t k = 0; k < iterations; k++)
	{
		omega = pbf_next_omega(k, omega, acceleration);
		correction = omega + (omega - 1.0) * correction;
		sum += correction;
	}
	return sum;
}

// At rest, every substep must undo a fall of g dt^2; n iterations on a residual C undo n beta a d^2 C / D.
double pbf_expected_error(const pbf *solver, double spacing, double gravity, double depth, double dt,
			  uint32_t iterations, double acceleration)
{
	return gravity * dt * dt * depth /
	       (pbf_gain(iterations, acceleration) * solver->proto.beta * solver->proto.response * spacing * spacing);
}

// The best spectral radius for Chebyshev acceleration grows with the number of iterations. Larger values become unstable.
static double best_acceleration(uint32_t iterations)
{
	return iterations >= 16 ? 0.98 : iterations >= 8 ? 0.95 : iterations >= 4 ? 0.9 : iterations == 3 ? 0.8 : 0.0;
}

pbf_quality pbf_quality_of(const step_view *s)
{
	static const pbf_quality table[SPATE_QUALITY_COUNT] = {
	    [SPATE_QUALITY_DRAFT] = {.cfl = 0.4, .error = 0.06, .iterations = 4, .tolerance = 0.008},
	    [SPATE_QUALITY_NORMAL] = {.cfl = 0.25, .error = 0.013, .iterations = 8, .tolerance = 0.003},
	    [SPATE_QUALITY_HIGH] = {.cfl = 0.1, .error = 0.006, .iterations = 8, .tolerance = 0.001},
	};
	const double *own = s->settings->own;
	pbf_quality q = table[s->settings->quality];
	double ratio = pairs_density_ratio(s);
	// a light fluid under a heavy one is a soft spring: it needs many iterations, as fine particles among coarse ones do
	int mixed = ratio >= 2.0;
	for (uint32_t f = 1; f < s->fluid_count; f++)
		mixed |= (float)s->fluids[f].spacing != (float)s->fluids[0].spacing;
	if (mixed)
		q.iterations *= 2;
	if (s->settings->cfl > 0.0)
		q.cfl = s->settings->cfl;
	if (own[PBF_ITERATIONS] > 0.0)
		q.iterations = (uint32_t)own[PBF_ITERATIONS];
	if (own[PBF_TOLERANCE] > 0.0)
		q.tolerance = own[PBF_TOLERANCE];
	q.tolerance /= ratio; // the average error hides how much a heavy fluid compresses a light one
	// a light fluid under a heavy one is compressed more, by the ratio of their densities
	q.error = fmin(q.error, 2.0 * q.error / ratio);
	q.acceleration = own[PBF_ACCELERATION] >= 0.0 ? own[PBF_ACCELERATION] : best_acceleration(q.iterations);
	return q;
}

// The residual compression at the bottom grows with dt^2 and depth.
static double limit_by_depth(const pbf *solver, const step_view *s, const pbf_quality *q, double depth)
{
	float spacing = INFINITY;
	for (uint32_t f = 0; f < s->fluid_count; f++)
		spacing = fminf(spacing, (float)s->fluids[f].spacing);
	double error =
	    pbf_expected_error(solver, (double)spacing, s->forces->most, depth, 1.0, q->iterations, q->acceleration);
	return error > 0.0 ? sqrt(q->error / error) : INFINITY;
}

// Heavy liquid that starts at rest on a light one has no compression yet to carry it. Short (stiff) substeps that lengthen over the
// time of a fall through its depth let the compression build up without a bounce.
static double beginning(const step_view *s, const step_state *state)
{
	double gravity = s->forces->most;
	double fall = gravity > 0.0 ? sqrt(state->depth / gravity) : 0.0, now = state->time;
	return now < fall && pairs_density_ratio(s) >= 2.0 ? START + (1.0 - START) * now / fall : 1.0;
}

double pbf_longest_step(const void *solver, const step_view *s, const step_state *state)
{
	pbf_quality q = pbf_quality_of(s);
	double longest = fmin(motion_longest_step(s, state, q.cfl),
			      fmin(limit_by_depth(solver, s, &q, state->depth), tension_longest_step(s)));
	return longest * beginning(s, state);
}

// The maximum number of iterations is needed where liquid presses on liquid.
solver_cost pbf_cost(const void *solver, const step_view *s, double share)
{
	(void)solver;
	double most = pbf_quality_of(s).iterations, least = fmin(s->settings->own[PBF_MIN_ITERATIONS], most);
	solver_cost cost = {.iterations = least + share * (most - least)};
	cost.rounds = viscosity_rounds(s, &cost.implicit);
	return cost;
}
