// Viscosity (docs/theory/viscosity.md): neighbours exchange velocity, in rounds of XSPH or of its pairwise form, or implicitly.
#include "solver/viscosity.h"

#include "base/error.h"
#include "base/parallel.h"
#include "solver/smoothing.h"

#include <string.h>

// Fraction of the velocity difference to the neighbours that is smoothed away even in the thinnest liquid: at least per substep, and
// in the time in which a particle falls by its spacing. It damps the noise that the unconverged solve leaves.
#define CALMING 0.02
#define CALMING_BY_FALL 1.5

// Liquid slower than REST_SPEED times sqrt(gravity * spacing) is smoothed up to CALMING_AT_REST times as much, so that it comes to
// rest.
#define REST_SPEED 0.05
#define CALMING_AT_REST 3.0f

// Measured: the largest stable coefficient of one explicit round, and for pairwise exchange its coefficient relative to XSPH at the
// same viscosity and its own limit.
#define ROUND_LIMIT 0.5
#define PAIRWISE_FACTOR 5.4
#define PAIRWISE_LIMIT 2.0

// Smoothing that a fluid gets regardless of its viscosity.
typedef struct calming
{
	float least;   // coefficient
	float resting; // one over the square of the speed below which liquid rests (s^2/m^2), 0 without gravity
} calming;

typedef struct velocity_task
{
	const step_view *view;
	const pair_pass *pairs;
	void (*smooth)(const pair_pass *, const vec4 *, const vec4 *, vec4 *, uint32_t, uint32_t);
	vec4 *in, *out;
	float share;             // fraction of the coefficient that one round applies
	float factor;            // coefficient of the viscosity model relative to XSPH
	const calming *calmings; // by fluid
} velocity_task;

static double least_calming(double gravity, double d, double dt)
{
	return fmax(CALMING, CALMING_BY_FALL * dt * sqrt(gravity / d));
}

static calming calming_of(const step_view *s, uint32_t f)
{
	if (!s->calms)
		return (calming){0.0f, 0.0f};
	double gravity = (double)(float)s->forces->most, d = s->fluids[f].spacing;
	double least = least_calming(gravity, d, (double)s->dt);
	double resting = gravity > 0.0 ? 1.0 / (REST_SPEED * REST_SPEED * gravity * d) : 0.0;
	return (calming){(float)least, (float)resting};
}

// Coefficient at a speed: CALMING_AT_REST times `least` at a standstill, falling to `least` at the rest speed and above.
static float calming_at(calming own, float speed2)
{
	float rest = own.resting > 0.0f ? fmaxf(0.0f, 1.0f - speed2 * own.resting) : 0.0f;
	return own.least * (1.0f + (CALMING_AT_REST - 1.0f) * rest);
}

double viscosity_coefficient(double viscosity, double damping, double radius, double dt)
{
	return damping >= 0.0 ? damping : 22.0 * viscosity * dt / (radius * radius);
}

double viscosity_of_calming(double spacing, double radius, double gravity, double dt)
{
	return least_calming(gravity, spacing, dt) * radius * radius / (22.0 * dt);
}

static double coefficient_of(const step_view *s, uint32_t f, double viscosity, double damping)
{
	return viscosity_coefficient(viscosity, damping, (double)s->radii[f], (double)s->dt);
}

// Largest coefficient that a particle of a fluid can have.
static double largest_coefficient(const step_view *s, uint32_t f)
{
	const spate_fluid_def *fluid = &s->fluids[f];
	const double *high = s->material->high;
	double most = fmax((double)calming_at(calming_of(s, f), 0.0f),
			   coefficient_of(s, f, fmax(fluid->viscosity, high[MATERIAL_VISCOSITY]), fluid->damping));
	return fmax(most, high[MATERIAL_DAMPING]);
}

double viscosity_rounds_for(double coefficient, const spate_solver_def *settings, int *implicit)
{
	int pairwise = settings->viscosity_model == SPATE_VISCOSITY_PAIRWISE;
	double factor = pairwise ? (double)(float)PAIRWISE_FACTOR : 1.0;
	double rounds = fmax(1.0, ceil(coefficient * factor / (pairwise ? PAIRWISE_LIMIT : ROUND_LIMIT)));
	*implicit = rounds > SMOOTHING_MOST_ROUNDS;
	return rounds;
}

double viscosity_rounds(const step_view *s, int *implicit)
{
	double most = 0.0;
	for (uint32_t f = 0; f < s->fluid_count; f++)
		most = fmax(most, largest_coefficient(s, f));
	return viscosity_rounds_for(most, s->settings, implicit);
}

// Puts the coefficient of each row into the w of its velocity.
static void weigh_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const velocity_task *t = context;
	const step_view *s = t->view;
	for (size_t row = begin; row < end; row++)
	{
		vec4 v = s->velocities[row];
		uint32_t f = (uint32_t)s->store->fluid[row];
		const spate_fluid_def *fluid = &s->fluids[f];
		double c = coefficient_of(s, f, material_value(s->material, MATERIAL_VISCOSITY, row, fluid->viscosity),
					  material_value(s->material, MATERIAL_DAMPING, row, fluid->damping));
		float speed2 = v.x * v.x + v.y * v.y + v.z * v.z;
		float coefficient = fmaxf((float)c, calming_at(t->calmings[f], speed2));
		t->out[row] = (vec4){v.x, v.y, v.z, coefficient * t->factor * t->share};
	}
}

static void smooth_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const velocity_task *t = context;
	t->smooth(t->pairs, t->view->places, t->in, t->out, (uint32_t)begin, (uint32_t)end);
}

static void smooth(void *context, vec4 *in, vec4 *out, smoothing_use use)
{
	(void)use; // no wall takes part
	velocity_task *t = context;
	t->in = in;
	t->out = out;
	memset(in + t->view->list->count, 0, STEP_SLACK * sizeof(vec4));
	parallel_for(t->view->threads, t->view->list->slice_count, STEP_SLICES, smooth_slices, t);
}

spate_result viscosity_smooth(const step_view *s, const pair_pass *pairs, spate_error *error)
{
	calming *calmings = arena_alloc(s->scratch, s->fluid_count * sizeof *calmings);
	if (!calmings)
		return error_memory(error, s->fluid_count * sizeof *calmings);
	for (uint32_t f = 0; f < s->fluid_count; f++)
		calmings[f] = calming_of(s, f);
	int pairwise = s->settings->viscosity_model == SPATE_VISCOSITY_PAIRWISE;
	const pair_kernels *kernels = pair_kernels_table(s->simd);
	velocity_task t = {.view = s,
			   .pairs = pairs,
			   .calmings = calmings,
			   .smooth = pairwise ? kernels->smooth_along : kernels->smooth_velocity,
			   .factor = pairwise ? (float)PAIRWISE_FACTOR : 1.0f};
	smoothing run = {.view = s,
			 .places = s->places,
			 .velocities = s->velocities,
			 .other = s->spare[0],
			 .room = (size_t)s->list->count + STEP_SLACK,
			 .round = smooth,
			 .context = &t};
	run.rounds = viscosity_rounds(s, &run.implicit);
	t.share = smoothing_share(&run);
	t.out = smoothing_start(&run);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, weigh_rows, &t);
	return smoothing_run(&run, error);
}
