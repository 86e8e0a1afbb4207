#include "solver/pressure.h"

#include "base/error.h"
#include "base/parallel.h"

#include <string.h>

enum
{
	PHASE_PRODUCTS = 10 // most in a phase, see pressure_solve()
};

// A phase ends when the violation on its face has fallen to this part, or to this part of what is allowed.
#define PHASE_SHARE 0.2
#define PHASE_ENOUGH 0.5

spate_result pressure_start(pressure *t, int corrects, spate_error *error)
{
	const step_view *s = t->view;
	size_t rows = (size_t)s->list->count + STEP_SLACK, all = t->images->rows;
	t->pushes = arena_alloc(s->scratch, all * sizeof *t->pushes);
	float **arrays[] = {&t->scale, &t->right, &t->low, &t->y, &t->g, &t->p, &t->bp};
	int failed = !t->pushes;
	for (int k = 0; k < 2 && corrects; k++)
	{
		t->loads[k] = arena_alloc(s->scratch, all * sizeof *t->loads[k]);
		t->pass.loads[k] = t->loads[k];
		failed |= !t->loads[k];
		if (t->loads[k]) // those of images stay zero
			memset(t->loads[k] + s->list->count, 0, (all - s->list->count) * sizeof *t->loads[k]);
	}
	for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
	{
		*arrays[k] = arena_alloc(s->scratch, rows * sizeof(float));
		failed |= !*arrays[k];
	}
	t->face = arena_alloc(s->scratch, rows);
	failed |= !t->face;
	return failed ? error_memory(error, (corrects ? 3 : 1) * all * sizeof(vec4) + 7 * rows * sizeof(float))
		      : SPATE_OK;
}

// ------------------------------------------------------------------------------------------------------------- products

typedef struct rate_task
{
	const pressure *problem;
	const vec4 *velocities;
	float *out;
} rate_task;

static void rate_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const rate_task *t = context;
	t->problem->kernels->rate(&t->problem->pass, t->problem->places, t->velocities, t->out, (uint32_t)begin,
				  (uint32_t)end);
}

static void push_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const pressure *t = context;
	t->kernels->push(&t->pass, t->places, t->pushes, (uint32_t)begin, (uint32_t)end);
}

static void push_image_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const pressure *t = context;
	t->kernels->push_images(&t->pass, t->places, t->pushes, (uint32_t)begin, (uint32_t)end);
}

static void find_rate(const pressure *t, const vec4 *velocities, float *out)
{
	rate_task rate = {t, velocities, out};
	parallel_for(t->view->threads, t->view->list->slice_count, STEP_SLICES, rate_slices, &rate);
}

void pressure_rate(pressure *t, vec4 *velocities, float *out)
{
	images_move(t->images, t->view, velocities);
	find_rate(t, velocities, out);
}

typedef struct load_task
{
	const pressure *problem;
	const float *scaled;
} load_task;

static void load_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const load_task *t = context;
	const pressure *p = t->problem;
	const vec4 *const *correction = p->pass.correction;
	for (size_t row = begin; row < end; row++)
	{
		float l = p->scale[row] * t->scaled[row];
		p->places[row].w = l;
		if (!correction[0])
			continue;
		vec4 a = correction[0][row], b = correction[1][row];
		p->loads[0][row] = (vec4){l * a.x, l * a.y, l * a.z, l * a.w};
		p->loads[1][row] = (vec4){l * b.x, l * b.y, 0, 0};
	}
}

// pushes = M^-1 T l for scaled multipliers
static void push_scaled(pressure *t, const float *scaled)
{
	const step_view *s = t->view;
	load_task load = {t, scaled};
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, load_rows, &load);
	parallel_for(s->threads, s->list->slice_count, STEP_SLICES, push_slices, t);
	parallel_for(s->threads, t->images->seers.slices, STEP_SLICES, push_image_slices, t);
	images_return(t->images, s, t->pushes);
	if (t->bodies)
		body_rows_gather(t->bodies, t->pushes);
	if (t->bending)
		bend_rows_gather(t->bending, t->pushes);
}

void pressure_push(pressure *t)
{
	push_scaled(t, t->y);
}

// out = A l, not yet scaled on the left
static void multiply(pressure *t, const float *scaled, float *out)
{
	push_scaled(t, scaled);
	images_turn(t->images, t->view, t->pushes);
	if (t->bodies)
		body_rows_scatter(t->bodies, t->pushes, 1.0f);
	if (t->bending)
		bend_rows_scatter(t->bending, t->pushes, -1.0f, 0);
	find_rate(t, t->pushes, out);
}

// --------------------------------------------------------------------------------------------------- conjugate gradients

enum
{
	TURN,      // gradient on the face times the product with the last direction
	FACE,      // |A l - b| on the face
	VIOLATION, // as in pressure_goal
	NEGATIVE,  // multipliers below zero
	MEASURES
};

typedef struct row_task
{
	pressure *problem;
	float step;
	float sign; // of A l in bp
} row_task;

static inline void measure_row(const pressure *t, size_t row, double (*terms)[PARALLEL_TERMS], size_t at)
{
	float above = t->y[row] - t->low[row], g = t->g[row], on_face = t->face[row] ? g : 0.0f;
	// a multiplier that is about to reach its bound violates no more than the way that is left, and one beyond it by the way back
	float violation = g > 0.0f ? fminf(g, fabsf(above) / t->expansion) : fmaxf(-g, -above / t->expansion);
	terms[TURN][at] = (double)on_face * (double)t->bp[row];
	terms[FACE][at] = (double)fabsf(on_face) / (double)t->scale[row];
	terms[VIOLATION][at] = (double)violation / (double)t->scale[row];
	terms[NEGATIVE][at] = above < 0.0f ? 1.0 : 0.0;
}

// Starts a phase: the face is what is not at its bound, or wants to leave it.
static inline void start_row(pressure *t, size_t row)
{
	t->face[row] = t->y[row] > t->low[row] || t->g[row] < 0.0f;
	t->p[row] = t->face[row] ? t->g[row] : 0.0f;
}

// g = scale (A l - b), with A l or its negative in bp
static void gradient_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const row_task *r = context;
	pressure *t = r->problem;
	for (size_t row = begin; row < end; row++)
	{
		t->g[row] = t->scale[row] * (r->sign * t->bp[row] - t->right[row]);
		t->bp[row] = 0.0f;
		start_row(t, row);
		measure_row(t, row, terms, row - begin);
	}
}

// l = 0
static void zero_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	pressure *t = ((const row_task *)context)->problem;
	for (size_t row = begin; row < end; row++)
	{
		t->y[row] = t->bp[row] = 0.0f;
		t->g[row] = -t->scale[row] * t->right[row];
		start_row(t, row);
		measure_row(t, row, terms, row - begin);
	}
}

static void restart_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	pressure *t = ((const row_task *)context)->problem;
	for (size_t row = begin; row < end; row++)
	{
		start_row(t, row);
		measure_row(t, row, terms, row - begin);
	}
}

// Scales the product; terms are g.p and p.B p
static void product_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	pressure *t = ((const row_task *)context)->problem;
	for (size_t row = begin; row < end; row++)
	{
		t->bp[row] *= t->scale[row];
		terms[0][row - begin] = (double)t->g[row] * (double)t->p[row];
		terms[1][row - begin] = (double)t->bp[row] * (double)t->p[row];
	}
}

// y -= step p, g -= step B p, and what the next decision needs
static void advance_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const row_task *r = context;
	pressure *t = r->problem;
	for (size_t row = begin; row < end; row++)
	{
		t->y[row] -= r->step * t->p[row];
		t->g[row] -= r->step * t->bp[row];
		measure_row(t, row, terms, row - begin);
	}
}

static void turn_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const row_task *r = context;
	pressure *t = r->problem;
	for (size_t row = begin; row < end; row++)
		t->p[row] = t->face[row] ? t->g[row] - r->step * t->p[row] : 0.0f;
}

static void clamp_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pressure *t = ((const row_task *)context)->problem;
	for (size_t row = begin; row < end; row++)
		t->y[row] = fmaxf(t->y[row], t->low[row]);
}

typedef struct left_task
{
	vec4 *pushes;
	const vec4 *velocities;
} left_task;

// Velocities after the push.
static void leave_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const left_task *t = context;
	for (size_t row = begin; row < end; row++)
	{
		vec4 v = t->velocities[row], by = t->pushes[row];
		t->pushes[row] = (vec4){v.x - by.x, v.y - by.y, v.z - by.z, 0};
	}
}

// bp = A l, or D v - A l where velocities are given: one pass for both, the rate of what the push leaves
static void find_gradient(pressure *t, row_task *rows, const vec4 *velocities, double sums[MEASURES])
{
	if (velocities)
	{
		left_task left = {t->pushes, velocities};
		push_scaled(t, t->y);
		parallel_for(t->view->threads, t->view->list->count, PARALLEL_BLOCK, leave_rows, &left);
		images_move(t->images, t->view, t->pushes);
		if (t->bodies)
			body_rows_scatter(t->bodies, t->pushes, -1.0f);
		if (t->bending)
			bend_rows_scatter(t->bending, t->pushes, 1.0f, 1);
		find_rate(t, t->pushes, t->bp);
		rows->sign = -1.0f;
	}
	else
	{
		multiply(t, t->y, t->bp);
		rows->sign = 1.0f;
	}
	parallel_sums(t->view->threads, t->view->list->count, MEASURES, gradient_terms, rows, sums);
}

// Conjugate gradients in phases. A phase keeps its face, and ignores bounds; then negative multipliers become zero, and the next phase
// has another face. A phase that makes things worse is followed by shorter ones.
pressure_result pressure_solve(pressure *t, const pressure_goal *goal)
{
	int threads = t->view->threads;
	size_t count = t->view->list->count;
	row_task rows = {.problem = t};
	double sums[MEASURES], products[2];
	pressure_result result = {.products = 1};
	images_clear_w(t->images, t->places);
	if (goal->from_zero)
	{
		result.products = 0;
		parallel_sums(threads, count, MEASURES, zero_terms, &rows, sums);
	}
	else
		find_gradient(t, &rows, goal->velocities, sums);
	double start = sums[FACE], before = sums[VIOLATION];
	double enough = fmax(goal->violation, fmin(goal->loose, goal->share * before / (double)count)) * (double)count;
	uint32_t length = 0, longest = PHASE_PRODUCTS;
	while (sums[VIOLATION] > enough && result.products < goal->products)
	{
		multiply(t, t->p, t->bp);
		parallel_sums(threads, count, 2, product_terms, &rows, products);
		result.products++;
		if (!(products[1] > 0.0))
			break;
		rows.step = (float)(products[0] / products[1]);
		parallel_sums(threads, count, MEASURES, advance_terms, &rows, sums);
		if (sums[VIOLATION] <= enough)
			break;
		if (++length < longest && sums[FACE] > fmax(PHASE_SHARE * start, PHASE_ENOUGH * enough))
		{
			rows.step = (float)(sums[TURN] / products[1]);
			parallel_for(threads, count, PARALLEL_BLOCK, turn_rows, &rows);
			continue;
		}
		if (sums[NEGATIVE] > 0.0)
		{
			parallel_for(threads, count, PARALLEL_BLOCK, clamp_rows, &rows);
			find_gradient(t, &rows, goal->velocities, sums);
			result.products++;
		}
		else
			parallel_sums(threads, count, MEASURES, restart_terms, &rows, sums);
		if (sums[VIOLATION] > before)
			longest = longest > 2 ? longest / 2 : 1;
		else
			longest = 2 * longest < PHASE_PRODUCTS ? 2 * longest : PHASE_PRODUCTS;
		length = 0;
		start = sums[FACE];
		before = sums[VIOLATION];
	}
	parallel_for(threads, count, PARALLEL_BLOCK, clamp_rows, &rows);
	result.violation = sums[VIOLATION] / (double)count;
	return result;
}
