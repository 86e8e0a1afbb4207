// Adaptive position-based fluids: PBF (pbf.c) with a number of iterations per particle, see docs/theory/adaptive.md.
//
// Koester, Krueger: Adaptive position-based fluids: improving performance of fluid simulations for real-time applications, 2016
//
//   levels      <-  cameras, or the density errors of the first iteration
//   stabilize: contact only, rows that were done early in the last substep
//   iteration l of PBF: rows of level >= l; the others stay where they are, and are still neighbours
#include "base/clock.h"

#include "base/error.h"
#include "base/parallel.h"
#include "solver/pbf_work.h"
#include "solver/view_levels.h"

// Rows of its settings; the first are those of PBF, whose functions read them.
enum
{
	ADAPTIVE_LEVEL = PBF_SETTING_COUNT,
	ADAPTIVE_NEAR,            // m; -1 for automatic
	ADAPTIVE_FAR,             // m; -1 for automatic
	ADAPTIVE_STABILIZE,       // iterations
	ADAPTIVE_STABILIZE_BELOW, // level; 0 for automatic
	ADAPTIVE_SETTING_COUNT
};

enum
{
	LEVEL_RESIDUAL,
	LEVEL_CAMERA,
	LEVEL_SURFACE
};

static const spate_field_def fields[] = {{.name = "level",
					  .type = SPATE_INT32,
					  .unit = "",
					  .meaning = "Solver iterations of the particle in the last step.",
					  .flags = SPATE_FIELD_SAVED | SPATE_FIELD_PUBLISHED}};

// The most iterations: the setting, or the quality's. The least: the setting, or half of that.
static uint32_t least_of(const double *own, uint32_t most)
{
	uint32_t least = own[PBF_MIN_ITERATIONS] > 0.0 ? (uint32_t)own[PBF_MIN_ITERATIONS] : (most + 1) / 2;
	return least < most ? least : most;
}

// Slices that share a level. Their rows are neighbours in space, and an iteration costs less per slice where whole runs of them take part.
enum
{
	RUN_SLICES = 8
};
_Static_assert(STEP_SLICES % RUN_SLICES == 0, "runs end where tasks do");

// The slices that share a level with one that is the first of them, and their rows.
typedef struct level_run
{
	size_t first, last; // slices
	size_t begin, end;  // rows
} level_run;

static level_run run_from(size_t slice, size_t slices, size_t rows)
{
	size_t last = slice + RUN_SLICES < slices ? slice + RUN_SLICES : slices, end = 8 * last;
	return (level_run){slice, last, 8 * slice, end < rows ? end : rows};
}

static void set_run(float *levels, const level_run *run, float level)
{
	for (size_t row = run->begin; row < 8 * run->last; row++)
		levels[row] = row < run->end ? level : 0.0f;
}

// -------------------------------------------------------------------------------------------------------------- residual

// Errors of the first iteration that get all iterations, in multiples of the average and of the tolerance.
#define TOP_ERROR 8.0f
#define TOP_TOLERANCE 4.0f

typedef struct residual_task
{
	const pbf_work *work;
	float *levels;
	float top; // error that gets all iterations
} residual_task;

// Linear in the error, by the largest of a run: a particle without an error of its own has to make room for those that have one.
static void choose_runs(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const residual_task *t = context;
	const pbf_levels *l = t->work->plan.levels;
	float more = (float)(l->most - l->least);
	for (size_t slice = begin; slice < end; slice += RUN_SLICES)
	{
		level_run run = run_from(slice, end, t->work->view->list->count);
		float error = 0.0f;
		for (size_t row = run.begin; row < run.end; row++)
			error = fmaxf(error, t->work->constraint[row]);
		set_run(t->levels, &run, (float)l->least + floorf(more * fminf(error / t->top, 1.0f) + 0.5f));
	}
}

static void choose_by_errors(pbf_work *w, double average)
{
	float top = fmaxf(TOP_ERROR * (float)average, TOP_TOLERANCE * w->plan.tolerance);
	residual_task t = {w, w->plan.levels->rows, top};
	parallel_for(w->view->threads, w->view->list->slice_count, STEP_SLICES, choose_runs, &t);
}

// ------------------------------------------------------------------------------------------------------------------ step

typedef struct store_task
{
	const step_view *view;
	float *levels;
	int32_t *field;
	const pbf_levels *all;
	float up; // added before fractions are cut off
} store_task;

static void store_levels(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const store_task *t = context;
	for (size_t row = begin; row < end; row++)
		t->field[t->view->store->home[row]] = (int32_t)t->levels[row];
}

// Levels of the substep before; particles that are new since then get the most.
static void recall_levels(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const store_task *t = context;
	float least = (float)t->all->least, most = (float)t->all->most;
	for (size_t row = begin; row < end; row++)
	{
		float level = (float)t->all->before[t->view->store->home[row]];
		level = level == 0.0f || level > most ? most : level;
		t->levels[row] = level < least ? least : level;
	}
}

// The mean of each run, without its fraction: a row takes part in an iteration if its level is not below it.
static void join_runs(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const store_task *t = context;
	for (size_t slice = begin; slice < end; slice += RUN_SLICES)
	{
		level_run run = run_from(slice, end, t->view->list->count);
		float sum = 0.0f;
		for (size_t row = run.begin; row < run.end; row++)
			sum += t->levels[row];
		set_run(t->levels, &run, floorf(sum / (float)(run.end - run.begin) + t->up));
	}
}

static spate_result choose_levels(const step_view *s, pbf_levels *l, spate_error *error)
{
	const double *own = s->settings->own;
	size_t rows = 8 * (size_t)s->list->slice_count + STEP_SLACK;
	l->rows = arena_alloc(s->scratch, rows * sizeof *l->rows);
	if (!l->rows)
		return error_memory(error, rows * sizeof *l->rows);
	for (size_t row = s->list->count; row < rows; row++)
		l->rows[row] = 0.0f;
	if ((int)own[ADAPTIVE_LEVEL] == LEVEL_RESIDUAL)
	{
		l->choose = choose_by_errors;
		return SPATE_OK;
	}
	// pictures are made of frames: what is seen is looked up once for each
	// what is recalled are whole numbers, whose mean is rounded to the nearest
	store_task t = {s, l->rows, NULL, l, s->frame_step > 0 ? 0.5f : 0.0f};
	view_range range = {l->least, l->most, own[ADAPTIVE_NEAR], own[ADAPTIVE_FAR]};
	view_measure measure = (int)own[ADAPTIVE_LEVEL] == LEVEL_CAMERA ? VIEW_TO_CAMERA : VIEW_TO_SURFACE;
	spate_result result = SPATE_OK;
	if (s->frame_step > 0)
		parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, recall_levels, &t);
	else
		result = view_levels_choose(s, measure, &range, l->rows, error);
	if (result == SPATE_OK)
		parallel_for(s->threads, s->list->slice_count, STEP_SLICES, join_runs, &t);
	return result;
}

static spate_result step(void *solver, const step_view *s, solver_report *report, spate_error *error)
{
	const double *own = s->settings->own;
	pbf_plan plan = pbf_plan_of(s);
	int32_t *field = (int32_t *)(void *)store_find(s->store, "level")->data;
	uint32_t least = least_of(own, plan.iterations);
	pbf_levels levels = {.least = least,
			     .most = plan.iterations,
			     .stabilize = (uint32_t)own[ADAPTIVE_STABILIZE],
			     .below = own[ADAPTIVE_STABILIZE_BELOW] > 0.0 ? (uint32_t)own[ADAPTIVE_STABILIZE_BELOW]
									  : (least + plan.iterations + 1) / 2,
			     .home = s->store->home,
			     .before = field};
	plan.min_iterations = plan.iterations;
	plan.levels = &levels;
	double begun = clock_ms();
	spate_result result = choose_levels(s, &levels, error);
	double chosen = clock_ms() - begun;
	if (result == SPATE_OK)
		result = pbf_step(solver, s, &plan, report, error);
	if (result != SPATE_OK)
		return result;
	report->ms_iterations += chosen;
	store_task t = {s, levels.rows, field, &levels, 0.0f};
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, store_levels, &t);
	return SPATE_OK;
}

// -------------------------------------------------------------------------------------------------------------- settings

static const spate_word level_words[] = {
    {"residual", LEVEL_RESIDUAL, "by the density error of the first iteration; needs no camera"},
    {"camera", LEVEL_CAMERA, "by the distance to the camera"},
    {"surface", LEVEL_SURFACE, "by the distance behind the surface that the camera sees"},
    {NULL, 0, NULL}};

static const spate_setting settings[ADAPTIVE_SETTING_COUNT] = {
    [PBF_ITERATIONS] = {.name = "iterations_max",
			.kind = SPATE_SETTING_COUNT,
			.live = 1,
			.min = 1,
			.max = 1000,
			.word = "auto",
			.example = "6",
			.doc = "Most solver iterations of a particle per substep."},
    [PBF_MIN_ITERATIONS] = {.name = "iterations_min",
			    .kind = SPATE_SETTING_COUNT,
			    .live = 1,
			    .min = 1,
			    .max = 1000,
			    .word = "auto",
			    .example = "3",
			    .doc = "Least solver iterations of a particle per substep; `auto` is half of the most."},
    [PBF_TOLERANCE] = {.name = "tolerance",
		       .live = 1,
		       .above_min = 1,
		       .max = 1,
		       .word = "auto",
		       .example = "0.01",
		       .doc =
			   "Density error, 0.01 is one percent: where it is not exceeded, `level: residual` spends few "
			   "iterations more than the least."},
    [PBF_ACCELERATION] = {.name = "acceleration",
			  .live = 1,
			  .max = 0.99,
			  .initial = -1,
			  .word = "auto",
			  .word_value = -1,
			  .example = "0.9",
			  .doc =
			      "Chebyshev acceleration of the iterations, 0 for none; `auto` picks a stable value for "
			      "the most iterations."},
    [PBF_WARM_START] = {.name = "warm_start",
			.live = 1,
			.max = 0.5,
			.example = "0.3",
			.doc = "Fraction of the previous substep's pressure used as the initial guess."},
    [ADAPTIVE_LEVEL] = {.name = "level",
			.kind = SPATE_SETTING_WORD,
			.words = level_words,
			.example = "surface",
			.doc = "What decides how many iterations a particle gets."},
    [ADAPTIVE_NEAR] = {.name = "near",
		       .live = 1,
		       .max = 1e6,
		       .initial = -1,
		       .word = "auto",
		       .word_value = -1,
		       .unit = "m",
		       .example = "1",
		       .doc = "Distance up to which particles get the most iterations; `auto` is that of the nearest."},
    [ADAPTIVE_FAR] = {.name = "far",
		      .live = 1,
		      .above_min = 1,
		      .max = 1e6,
		      .initial = -1,
		      .word = "auto",
		      .word_value = -1,
		      .unit = "m",
		      .example = "4",
		      .doc = "Distance from which on particles get the least iterations; `auto` is the mean distance."},
    [ADAPTIVE_STABILIZE] =
	{.name = "stabilize",
	 .kind = SPATE_SETTING_COUNT,
	 .live = 1,
	 .max = 100,
	 .initial = 1,
	 .example = "2",
	 .doc = "Rounds before the solve that move particles out of walls without giving them velocity."},
    [ADAPTIVE_STABILIZE_BELOW] = {.name = "stabilize_below",
				  .kind = SPATE_SETTING_COUNT,
				  .live = 1,
				  .min = 1,
				  .max = 1000,
				  .word = "auto",
				  .example = "5",
				  .doc = "Those rounds move particles that had fewer iterations in the last substep; "
					 "`auto` is the middle of the range."}};

static spate_result check(const double *own, uint32_t *row, spate_error *error)
{
	*row = PBF_MIN_ITERATIONS;
	if (own[PBF_ITERATIONS] > 0.0 && own[PBF_MIN_ITERATIONS] > own[PBF_ITERATIONS])
		return error_set(error, SPATE_INVALID, "iterations_min is %g, more than iterations_max, which is %g",
				 own[PBF_MIN_ITERATIONS], own[PBF_ITERATIONS]);
	*row = ADAPTIVE_FAR;
	if (own[ADAPTIVE_NEAR] >= 0.0 && own[ADAPTIVE_FAR] >= 0.0 && !(own[ADAPTIVE_NEAR] < own[ADAPTIVE_FAR]))
		return error_set(error, SPATE_INVALID, "far must be greater than near; it is %g m, and near is %g m",
				 own[ADAPTIVE_FAR], own[ADAPTIVE_NEAR]);
	return SPATE_OK;
}

static uint32_t needs_camera(const double *own)
{
	return (int)own[ADAPTIVE_LEVEL] == LEVEL_RESIDUAL ? ADAPTIVE_SETTING_COUNT : ADAPTIVE_LEVEL;
}

static solver_cost cost(const void *solver, const step_view *s, double share)
{
	solver_cost all = pbf_cost(solver, s, 1.0);
	double least = least_of(s->settings->own, (uint32_t)all.iterations);
	all.iterations = least + share * (all.iterations - least);
	return all;
}

const solver_type solver_adaptive = {.radius = PBF_RADIUS,
				     .calms = 1,
				     .contrast = 100.0,
				     .predicts = 1,
				     .settings = {settings, ADAPTIVE_SETTING_COUNT},
				     .check = check,
				     .needs_camera = needs_camera,
				     .fields = {fields, sizeof fields / sizeof *fields},
				     .create = pbf_create,
				     .destroy = pbf_destroy,
				     .longest_step = pbf_longest_step,
				     .prepare = pbf_prepare,
				     .step = step,
				     .settle = pbf_settle,
				     .weigh = pbf_weigh,
				     .numerical_viscosity = pbf_numerical_viscosity,
				     .cost = cost};
