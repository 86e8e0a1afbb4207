// Quality of the projection solver: constants of the lattice, what the levels stand for, and the length of substeps.
#include "base/kernels.h"
#include "solver/motion.h"
#include "solver/pairs.h"
#include "solver/projection_work.h"
#include "solver/tension.h"
#include "solver/viscosity.h"

enum
{
	REACH = 3, // lattice steps in each direction
	WAVES = 12 // wave numbers per axis
};

// Sum over the lattice of g sin(k . r).
static double wave_response(double volume, const double k[3])
{
	double g[3] = {0, 0, 0};
	for (int x = -REACH; x <= REACH; x++)
		for (int y = -REACH; y <= REACH; y++)
			for (int z = -REACH; z <= REACH; z++)
			{
				double r = sqrt(x * x + y * y + z * z);
				if (r <= 0.0 || r >= PROJECTION_RADIUS)
					continue;
				double slope = volume *
					       (double)wendland_derivative((float)r, (float)PROJECTION_RADIUS) / r *
					       sin(k[0] * x + k[1] * y + k[2] * z);
				g[0] += slope * x, g[1] += slope * y, g[2] += slope * z;
			}
	return g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
}

projection projection_make(void)
{
	double sum = 0.0, squares = 0.0, moment = 0.0, pi = 3.14159265358979323846;
	for (int x = -REACH; x <= REACH; x++)
		for (int y = -REACH; y <= REACH; y++)
			for (int z = -REACH; z <= REACH; z++)
			{
				double r = sqrt(x * x + y * y + z * z);
				double slope = (double)wendland_derivative((float)r, (float)PROJECTION_RADIUS);
				sum += (double)wendland_value((float)r, (float)PROJECTION_RADIUS);
				squares += slope * slope;
				moment -= r > 0.0 ? slope / r * x * x : 0.0;
			}
	projection p = {.volume = 1.0 / sum};
	p.diagonal = p.volume * p.volume * squares;
	p.moment = p.volume * moment;
	p.surface = surface_lattice_make(PROJECTION_RADIUS, p.volume);
	for (int x = 0; x <= WAVES; x++)
		for (int y = 0; y <= x; y++)
			for (int z = 0; z <= y; z++)
			{
				double k[3] = {x * pi / WAVES, y * pi / WAVES, z * pi / WAVES};
				p.largest = fmax(p.largest, wave_response(p.volume, k) / p.diagonal);
			}
	return p;
}

projection_quality projection_quality_of(const step_view *s)
{
	static const projection_quality table[SPATE_QUALITY_COUNT] = {
	    [SPATE_QUALITY_DRAFT] = {.cfl = 1.2, .wall_cfl = 0.6, .residual = 1e-4, .loose = 3.2e-3},
	    [SPATE_QUALITY_NORMAL] = {.cfl = 1.0, .wall_cfl = 0.55, .residual = 1e-5, .loose = 4e-4},
	    [SPATE_QUALITY_HIGH] = {.cfl = 0.6, .wall_cfl = 0.25, .residual = 5e-6, .loose = 1.6e-4},
	};
	projection_quality q = table[s->settings->quality];
	q.promise = solver_projection.promise[s->settings->quality];
	if (s->settings->cfl > 0.0)
		q.cfl = q.wall_cfl = s->settings->cfl * PROJECTION_RADIUS;
	if (s->settings->own[PROJECTION_RESIDUAL] > 0.0)
	{
		q.loose *= s->settings->own[PROJECTION_RESIDUAL] / q.residual;
		q.residual = s->settings->own[PROJECTION_RESIDUAL];
	}
	return q;
}

// Mean density errors relative to the promise: up to the first, substeps are as long as the quality allows, from the second on liquid travels
// no further than colliders, and the stride is this part of what was asked for. Thin, fast sheets are compressed by long substeps, and an
// impact presses harder than the depth tells: the springs between particles then swing up.
#define LEAST_HURRIED_ERROR 0.4
#define MOST_HURRIED_ERROR 0.7
#define LEAST_STRIDE 0.5

// 1 while the error is small, 0 where it endangers the promise.
static double hurry_of(const projection_quality *q, double error)
{
	double share = (MOST_HURRIED_ERROR - error / q->promise) / (MOST_HURRIED_ERROR - LEAST_HURRIED_ERROR);
	return fmin(fmax(share, 0.0), 1.0);
}

double projection_longest_step(const void *solver, const step_view *s, const step_state *state)
{
	(void)solver;
	double finest = INFINITY, gravity = s->forces->most;
	for (uint32_t f = 0; f < s->fluid_count; f++)
		finest = fmin(finest, s->fluids[f].spacing);
	// pairs under pressure are springs, those of the start of the substep are used, and the lightest particles swing fastest
	double head = gravity * state->depth * pairs_density_ratio(s);
	projection_quality quality = projection_quality_of(s);
	double hurry = hurry_of(&quality, state->error), stride = LEAST_STRIDE + (1.0 - LEAST_STRIDE) * hurry;
	double springs = head > 0.0 ? stride * s->settings->own[PROJECTION_STRIDE] * finest / sqrt(head) : INFINITY;
	step_state liquid = *state, outer = {.outer_speed = state->outer_speed};
	liquid.outer_speed = 0.0;
	double cfl = quality.wall_cfl + (quality.cfl - quality.wall_cfl) * hurry;
	double travel = fmin(motion_longest_step(s, &liquid, cfl / PROJECTION_RADIUS),
			     motion_longest_step(s, &outer, quality.wall_cfl / PROJECTION_RADIUS));
	double waves = fmin(tension_longest_step(s), surface_energy_longest_step(s));
	return fmin(springs, fmin(travel, waves));
}

// Measured on shear waves: particles scatter each other out of the flow, in proportion to its speed and the spacing; and surface tension puts the
// liquid under a pressure of the order of sigma / d, under which the packing resists slow shear with a small part of it. That stress
// counts the more, the slower the flow. The length of the substep matters less than the scatter of the measurements.
#define SCATTER 0.0011
#define RESISTANCE 0.010
#define WAVE_SPEED 0.1 // m/s

double projection_numerical_viscosity(const spate_fluid_def *fluid, double gravity, double dt)
{
	(void)gravity, (void)dt;
	return SCATTER * WAVE_SPEED * fluid->spacing +
	       RESISTANCE * fmax(fluid->surface_tension, 0.0) / (fluid->density * WAVE_SPEED);
}

// Cost of a substep in iterations of PBF. A product with A takes four of them; the other passes, images and the stabilisation as much as
// six and a half. There are about three products, and more of them for liquid that presses on liquid.
#define LEAST_PASSES 33.0
#define MORE_PASSES 14.0

solver_cost projection_cost(const void *solver, const step_view *s, double share)
{
	(void)solver;
	solver_cost cost = {.iterations = LEAST_PASSES + share * MORE_PASSES};
	cost.rounds = viscosity_rounds(s, &cost.implicit);
	return cost;
}
