#include "solver/smoothing.h"

#include "base/error.h"
#include "base/parallel.h"

enum
{
	MOST_CG_STEPS = 200
};

#define CG_TOLERANCE 1e-4 // residual relative to the right-hand side

// Conjugate gradients.
typedef struct solve_task
{
	const smoothing *s;
	vec4 *x, *r, *p, *ap;
	double alpha, beta;
} solve_task;

// Sum over rows of m a.b.
typedef struct dot_task
{
	const vec4 *a, *b;
	const vec4 *places; // with inverse masses
} dot_task;

static void dot_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const dot_task *t = context;
	for (size_t i = begin; i < end; i++)
		terms[0][i - begin] = ((double)t->a[i].x * (double)t->b[i].x + (double)t->a[i].y * (double)t->b[i].y +
				       (double)t->a[i].z * (double)t->b[i].z) /
				      (double)t->places[i].w;
}

static double dot(const solve_task *t, const vec4 *a, const vec4 *b)
{
	dot_task d = {a, b, t->s->places};
	return parallel_sum(t->s->view->threads, t->s->view->list->count, dot_terms, &d);
}

// ap = 2 p - S p
static void apply_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const solve_task *t = context;
	for (size_t i = begin; i < end; i++)
	{
		vec4 p = t->p[i], s = t->ap[i];
		t->ap[i] = (vec4){2.0f * p.x - s.x, 2.0f * p.y - s.y, 2.0f * p.z - s.z, p.w};
	}
}

static void start_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const solve_task *t = context;
	// x starts as v*, so r = v* - A x = S x - x
	for (size_t i = begin; i < end; i++)
	{
		vec4 x = t->x[i], s = t->ap[i];
		t->r[i] = t->p[i] = (vec4){s.x - x.x, s.y - x.y, s.z - x.z, x.w};
	}
}

static void advance_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const solve_task *t = context;
	float a = (float)t->alpha;
	for (size_t i = begin; i < end; i++)
	{
		vec4 p = t->p[i], ap = t->ap[i], *x = &t->x[i], *r = &t->r[i];
		*x = (vec4){x->x + a * p.x, x->y + a * p.y, x->z + a * p.z, x->w};
		*r = (vec4){r->x - a * ap.x, r->y - a * ap.y, r->z - a * ap.z, r->w};
	}
}

static void turn_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const solve_task *t = context;
	float b = (float)t->beta;
	for (size_t i = begin; i < end; i++)
	{
		vec4 r = t->r[i], *p = &t->p[i];
		*p = (vec4){r.x + b * p->x, r.y + b * p->y, r.z + b * p->z, p->w};
	}
}

static void solve_implicitly(solve_task *t)
{
	const smoothing *s = t->s;
	int threads = s->view->threads;
	size_t rows = s->view->list->count;
	double size = dot(t, t->x, t->x);
	s->round(s->context, t->x, t->ap, SMOOTHING_AFFINE);
	parallel_for(threads, rows, PARALLEL_BLOCK, start_rows, t);
	double rr = dot(t, t->r, t->r), stop = CG_TOLERANCE * CG_TOLERANCE * size;
	for (int k = 0; k < MOST_CG_STEPS && rr > stop; k++)
	{
		s->round(s->context, t->p, t->ap, SMOOTHING_LINEAR);
		parallel_for(threads, rows, PARALLEL_BLOCK, apply_rows, t);
		t->alpha = rr / dot(t, t->p, t->ap);
		parallel_for(threads, rows, PARALLEL_BLOCK, advance_rows, t);
		double next = dot(t, t->r, t->r);
		t->beta = next / rr;
		rr = next;
		parallel_for(threads, rows, PARALLEL_BLOCK, turn_rows, t);
	}
}

// Of an implicit step the number may not fit an int.
static int explicit_rounds(const smoothing *s)
{
	return s->implicit ? 0 : (int)s->rounds;
}

// Explicit rounds alternate between two arrays, and the last one must write the velocities.
vec4 *smoothing_start(const smoothing *s)
{
	return explicit_rounds(s) % 2 == 0 ? s->velocities : s->other;
}

float smoothing_share(const smoothing *s)
{
	return s->implicit ? 1.0f : (float)(1.0 / s->rounds);
}

spate_result smoothing_run(const smoothing *s, spate_error *error)
{
	if (s->implicit)
	{
		solve_task t = {.s = s,
				.x = s->velocities,
				.ap = s->other,
				.r = arena_alloc(s->view->scratch, s->room * sizeof(vec4)),
				.p = arena_alloc(s->view->scratch, s->room * sizeof(vec4))};
		if (!t.r || !t.p)
			return error_memory(error, 2 * s->room * sizeof(vec4));
		solve_implicitly(&t);
	}
	vec4 *in = smoothing_start(s);
	for (int round = 0; round < explicit_rounds(s); round++)
	{
		vec4 *out = in == s->velocities ? s->other : s->velocities;
		s->round(s->context, in, out, SMOOTHING_ROUND);
		in = out;
	}
	return SPATE_OK;
}
