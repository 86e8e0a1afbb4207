#include "solver/pressure.h"

#include "base/error.h"
#include "base/parallel.h"

// A step along the free gradient is taken while the bounds that are violated weigh less than this many times the free part.
#define PROPORTION 1.0f

spate_result pressure_start(pressure *t, spate_error *error)
{
	const step_view *s = t->view;
	size_t rows = (size_t)s->list->count + STEP_SLACK, all = t->images->rows;
	t->pushes = arena_alloc(s->scratch, all * sizeof *t->pushes);
	float **arrays[] = {&t->scale, &t->right, &t->y, &t->g, &t->p, &t->bp};
	int failed = !t->pushes;
	for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
	{
		*arrays[k] = arena_alloc(s->scratch, rows * sizeof(float));
		failed |= !*arrays[k];
	}
	return failed ? error_memory(error, all * sizeof(vec4) + 6 * rows * sizeof(float)) : SPATE_OK;
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
	for (size_t row = begin; row < end; row++)
		t->problem->places[row].w = t->problem->scale[row] * t->scaled[row];
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
	find_rate(t, t->pushes, out);
}

// ---------------------------------------------------------------------------------------------------------------- MPRGP

enum
{
	FREE,      // free gradient times itself, reduced where a step along it would hit the bound
	CHOPPED,   // square of the gradient at bounds that it violates
	TURN,      // free gradient times the product with the last direction
	VIOLATION, // |A l - b|
	MEASURES
};

typedef struct row_task
{
	pressure *problem;
	float step;
	int chopped; // the direction is the chopped gradient
} row_task;

static inline float free_part(float y, float g)
{
	return y > 0.0f ? g : 0.0f;
}

static inline float chopped_part(float y, float g)
{
	return y > 0.0f || g > 0.0f ? 0.0f : g;
}

static inline void measure_row(const pressure *t, size_t row, double (*terms)[PARALLEL_TERMS], size_t at)
{
	float y = t->y[row], g = t->g[row], free = free_part(y, g), chopped = chopped_part(y, g);
	float reduced = free > 0.0f ? fminf(free, y / t->expansion) : free;
	terms[FREE][at] = (double)reduced * (double)free;
	terms[CHOPPED][at] = (double)chopped * (double)chopped;
	terms[TURN][at] = (double)free * (double)t->bp[row];
	// a multiplier that is about to reach its bound violates no more than the way that is left
	terms[VIOLATION][at] = fabs((double)reduced + (double)chopped) / (double)t->scale[row];
}

// y -= step p, g -= step B p, and what the next decision needs
static void advance_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const row_task *r = context;
	pressure *t = r->problem;
	for (size_t row = begin; row < end; row++)
	{
		t->y[row] = fmaxf(t->y[row] - r->step * t->p[row], 0.0f);
		t->g[row] -= r->step * t->bp[row];
		measure_row(t, row, terms, row - begin);
	}
}

// g = scale (A l - b), with A l in bp
static void gradient_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	pressure *t = ((const row_task *)context)->problem;
	for (size_t row = begin; row < end; row++)
	{
		t->g[row] = t->scale[row] * (t->bp[row] - t->right[row]);
		t->bp[row] = 0.0f;
		measure_row(t, row, terms, row - begin);
	}
}

// Direction: the free gradient less a share of the last direction, or the chopped gradient.
static void turn_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const row_task *r = context;
	pressure *t = r->problem;
	for (size_t row = begin; row < end; row++)
	{
		// without a share the last direction is not read: there may have been none
		float share = r->step != 0.0f ? r->step * t->p[row] : 0.0f;
		t->p[row] = r->chopped ? chopped_part(t->y[row], t->g[row]) : free_part(t->y[row], t->g[row]) - share;
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

// The largest p / y: its inverse is the longest step that no bound shortens.
static double steepest(void *context, size_t begin, size_t end)
{
	const pressure *t = ((const row_task *)context)->problem;
	float most = 0.0f;
	for (size_t row = begin; row < end; row++)
		if (t->p[row] > most * t->y[row])
			most = t->p[row] / t->y[row];
	return (double)most;
}

// A step to the nearest bound, and one along the free gradient that stops at all bounds.
static void expand_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const row_task *r = context;
	pressure *t = r->problem;
	for (size_t row = begin; row < end; row++)
	{
		float y = fmaxf(t->y[row] - r->step * t->p[row], 0.0f), g = t->g[row] - r->step * t->bp[row];
		t->y[row] = fmaxf(y - t->expansion * free_part(y, g), 0.0f);
	}
}

static void find_gradient(pressure *t, row_task *rows, double sums[MEASURES])
{
	multiply(t, t->y, t->bp);
	parallel_sums(t->view->threads, t->view->list->count, MEASURES, gradient_terms, rows, sums);
}

static void set_direction(pressure *t, row_task *rows, double share, int chopped)
{
	rows->step = (float)share;
	rows->chopped = chopped;
	parallel_for(t->view->threads, t->view->list->count, PARALLEL_BLOCK, turn_rows, rows);
}

pressure_result pressure_solve(pressure *t, const pressure_goal *goal)
{
	int threads = t->view->threads;
	size_t count = t->view->list->count;
	row_task rows = {.problem = t};
	double sums[MEASURES], products[2];
	pressure_result result = {.products = 1};
	images_clear_w(t->images, t->places);
	find_gradient(t, &rows, sums);
	set_direction(t, &rows, 0.0, 0);
	while ((result.violation = sums[VIOLATION] / (double)count) > goal->violation &&
	       result.products < goal->products)
	{
		int proportional = sums[CHOPPED] <= (double)(PROPORTION * PROPORTION) * sums[FREE];
		if (!proportional)
			set_direction(t, &rows, 0.0, 1);
		multiply(t, t->p, t->bp);
		parallel_sums(threads, count, 2, product_terms, &rows, products);
		result.products++;
		if (!(products[1] > 0.0))
			break;
		double step = products[0] / products[1];
		rows.step = (float)step;
		if (proportional && step * parallel_max(threads, count, steepest, &rows) > 1.0)
		{
			rows.step = (float)(1.0 / parallel_max(threads, count, steepest, &rows));
			parallel_for(threads, count, PARALLEL_BLOCK, expand_rows, &rows);
			find_gradient(t, &rows, sums);
			result.products++;
			set_direction(t, &rows, 0.0, 0);
			continue;
		}
		parallel_sums(threads, count, MEASURES, advance_terms, &rows, sums);
		set_direction(t, &rows, proportional ? sums[TURN] / products[1] : 0.0, 0);
	}
	return result;
}
