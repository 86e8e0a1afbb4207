// Vorticity confinement (docs/theory/vorticity.md): J. Steinhoff and D. Underhill 1994, with particles as in Macklin and Mueller 2013.
//
//   curl  <-  velocities                    omega
//   force <-  curls                         h |omega| N x omega,  N along grad |omega|
//   force <-  force less its share of the sum, so that momentum is conserved
//   v     <-  v + x force                   x such that no more energy is added than smoothing took
#include "solver/vorticity.h"

#include "base/parallel.h"

#include <string.h>

// Longest time for which the force may act, in substeps. Where smoothing takes much energy and vortices are few, this keeps them
// from being overdriven.
#define STRONGEST 1.0

typedef struct confine_task
{
	const step_view *view;
	const pair_pass *pairs;
	const pair_kernels *kernels;
	vec4 *curls, *force; // m/s^2
	vec3 share;          // net force per unit of force magnitude, subtracted from each row
	float time;          // s, duration of the force
} confine_task;

static float vorticity_of(const step_view *s, size_t row)
{
	return (float)s->fluids[s->store->fluid[row]].vorticity;
}

static int is_on(const step_view *s)
{
	double most = 0.0;
	for (uint32_t f = 0; f < s->fluid_count; f++)
		most = fmax(most, s->fluids[f].vorticity);
	return most > 0.0;
}

// --------------------------------------------------------------------------------------------------------------- sums

static double mass_of(const confine_task *t, size_t row)
{
	return 1.0 / (double)t->view->places[row].w;
}

static void energy_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const confine_task *t = context;
	for (size_t row = begin; row < end; row++)
	{
		vec4 v = t->view->velocities[row];
		terms[0][row - begin] = 0.5 * mass_of(t, row) * (double)vorticity_of(t->view, row) *
					(double)(v.x * v.x + v.y * v.y + v.z * v.z);
	}
}

static double magnitude(vec4 f)
{
	return sqrt((double)f.x * (double)f.x + (double)f.y * (double)f.y + (double)f.z * (double)f.z);
}

// Momentum that the force adds along each axis, and its magnitude.
static void momentum_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const confine_task *t = context;
	for (size_t row = begin; row < end; row++)
	{
		vec4 f = t->force[row];
		double m = mass_of(t, row);
		terms[0][row - begin] = m * (double)f.x;
		terms[1][row - begin] = m * (double)f.y;
		terms[2][row - begin] = m * (double)f.z;
		terms[3][row - begin] = m * magnitude(f);
	}
}

// Power of the force, and its square.
static void power_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const confine_task *t = context;
	for (size_t row = begin; row < end; row++)
	{
		vec4 f = t->force[row], v = t->view->velocities[row];
		double m = mass_of(t, row), size = magnitude(f);
		terms[0][row - begin] =
		    m * ((double)f.x * (double)v.x + (double)f.y * (double)v.y + (double)f.z * (double)v.z);
		terms[1][row - begin] = m * size * size;
	}
}

static void sum_up(confine_task *t, int sums, parallel_sum_body *body, double *totals)
{
	parallel_sums(t->view->threads, t->view->list->count, sums, body, t, totals);
}

// --------------------------------------------------------------------------------------------------------------- force

static void curl_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const confine_task *t = context;
	t->kernels->curl(t->pairs, t->view->places, t->view->velocities, t->curls, (uint32_t)begin, (uint32_t)end);
}

static void force_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const confine_task *t = context;
	t->kernels->confinement(t->pairs, t->view->places, t->curls, t->force, (uint32_t)begin, (uint32_t)end);
}

static void weigh_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const confine_task *t = context;
	for (size_t row = begin; row < end; row++)
	{
		float by = vorticity_of(t->view, row);
		vec4 *f = &t->force[row];
		*f = (vec4){by * f->x, by * f->y, by * f->z, 0.0f};
	}
}

// Subtracts the net force from the rows in proportion to their own force, so that rows without a force stay without one.
static void balance_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const confine_task *t = context;
	for (size_t row = begin; row < end; row++)
	{
		vec4 *f = &t->force[row];
		float size = (float)magnitude(*f);
		*f = (vec4){f->x - size * t->share.x, f->y - size * t->share.y, f->z - size * t->share.z, 0.0f};
	}
}

static void push_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const confine_task *t = context;
	vec4 *velocities = t->view->velocities;
	for (size_t row = begin; row < end; row++)
	{
		vec4 f = t->force[row], *v = &velocities[row];
		*v = (vec4){v->x + t->time * f.x, v->y + t->time * f.y, v->z + t->time * f.z, v->w};
	}
}

static void find_force(confine_task *t)
{
	const step_view *s = t->view;
	int threads = s->threads;
	size_t rows = s->list->count;
	memset(s->velocities + rows, 0, STEP_SLACK * sizeof(vec4));
	parallel_for(threads, s->list->slice_count, STEP_SLICES, curl_slices, t);
	memset(t->curls + rows, 0, STEP_SLACK * sizeof(vec4));
	parallel_for(threads, s->list->slice_count, STEP_SLICES, force_slices, t);
	parallel_for(threads, rows, PARALLEL_BLOCK, weigh_rows, t);
}

// Removes the net momentum that the force would add.
static void balance(confine_task *t)
{
	double sums[4];
	sum_up(t, 4, momentum_terms, sums);
	if (!(sums[3] > 0.0))
		return;
	t->share = vec3_make((float)(sums[0] / sums[3]), (float)(sums[1] / sums[3]), (float)(sums[2] / sums[3]));
	parallel_for(t->view->threads, t->view->list->count, PARALLEL_BLOCK, balance_rows, t);
}

double vorticity_energy(const step_view *s)
{
	confine_task t = {.view = s};
	double energy = 0.0;
	if (is_on(s))
		sum_up(&t, 1, energy_terms, &energy);
	return energy;
}

void vorticity_confine(const step_view *s, const pair_pass *pairs, double before)
{
	if (!is_on(s))
		return;
	confine_task t = {.view = s,
			  .pairs = pairs,
			  .kernels = pair_kernels_table(s->simd),
			  .curls = s->spare[0],
			  .force = s->spare[1]};
	double lost = before - vorticity_energy(s);
	if (!(lost > 0.0))
		return;
	find_force(&t);
	balance(&t);
	// power x + squares x^2 / 2 = lost
	double sums[2];
	sum_up(&t, 2, power_terms, sums);
	double power = sums[0], squares = sums[1];
	double root = power + sqrt(power * power + 2.0 * squares * lost);
	double longest = STRONGEST * (double)s->dt;
	t.time = (float)(root > 0.0 ? fmin(2.0 * lost / root, longest) : longest);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, push_rows, &t);
}
