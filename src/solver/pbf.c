// Position-based fluids, volume form: Macklin and Mueller 2013, with the density-contrast form, capped stiffness and mirror walls of
// docs/theory/pbf.md.
//
//   images behind walls  <-  places
//   repeat: C, lambda  <-  places          (multipliers)
//           dx         <-  lambda          (corrections)
//           places     <-  pushed out of colliders, images follow
//   places    <-  friction, kept on their side of the triangles of meshes
//   velocity = displacement / dt, then viscosity
//
// Displacements are summed in their own array, so velocity is never the difference of two large coordinates.
#include "base/clock.h"
#include "base/error.h"
#include "base/parallel.h"
#include "solver/motion.h"
#include "solver/pairs.h"
#include "solver/pbf_work.h"
#include "solver/tension.h"
#include "solver/viscosity.h"
#include "solver/vorticity.h"

#include <float.h>
#include <string.h>

// A particle counts as light when the heaviest one has more than this many times its mass.
#define LIGHT 5.0f

spate_result pbf_create(void **solver, spate_error *error)
{
	pbf *s = mem_alloc(sizeof *s);
	if (!s)
		return error_memory(error, sizeof *s);
	*s = (pbf){prototype_make(1.0, PBF_RADIUS)};
	*solver = s;
	return SPATE_OK;
}

void pbf_destroy(void *solver)
{
	mem_free(solver);
}

spate_result pbf_prepare(const void *solver, const step_view *s, int *runaways, spate_error *error)
{
	(void)solver, (void)error;
	*runaways = motion_predict(s);
	return SPATE_OK;
}

// ------------------------------------------------------------------------------------------------------- iterations

// Slices per task, so few that the last iterations of some solvers, which have few slices left, keep all threads busy.
enum
{
	TASK_SLICES = 32
};

static void multiply(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	size_t block = begin / TASK_SLICES;
	w->block_max[block] = -1.0f;
	w->block_sum[block] = (w->first_pass ? w->kernels->multipliers : w->kernels->densities)(
	    &w->pass, w->view->places, w->multipliers, w->constraint, (uint32_t)begin, (uint32_t)end,
	    &w->block_max[block]);
}

static void correct_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	w->kernels->corrections(&w->pass, w->multipliers, w->view->places, w->view->moved, w->last, (uint32_t)begin,
				(uint32_t)end);
}

// Slices that take part in the current iteration.
static uint32_t active_slices(const pbf_work *w)
{
	return w->plan.levels ? w->plan.levels->slice_count : w->view->list->slice_count;
}

// Moves the images of rows that take part.
static void place_images(pbf_work *w, vec4 *places)
{
	step_view view = *w->view;
	view.places = places;
	if (w->plan.levels)
		images_place_some(&w->images, &view, w->images.places, w->plan.levels->images,
				  w->plan.levels->image_count);
	else
		images_place(&w->images, &view, w->images.places);
}

// Constraints of the host move rows of any level.
static void touch(pbf_work *w)
{
	if (w->plan.levels && !w->host.view)
		contacts_touch_some(&w->near, PBF_GUARD, w->plan.levels->near, w->plan.levels->near_count);
	else
		contacts_touch(&w->near, PBF_GUARD);
}

// Computes multipliers and density errors at the current places.
static void measure(pbf_work *w, solver_report *report)
{
	const step_view *s = w->view;
	uint32_t slices = active_slices(w);
	place_images(w, s->places);
	parallel_for(s->threads, slices, TASK_SLICES, multiply, w);
	step_place_dummies(w->multipliers, s->list->count, 0.0f);
	int64_t sum = w->plan.levels ? w->plan.levels->done_sum : 0;
	double largest = w->plan.levels && report->iterations > 0 ? report->density_error_max : 0.0;
	for (size_t block = 0; block * TASK_SLICES < slices; block++)
	{
		sum += w->block_sum[block];
		largest = (double)w->block_max[block] > largest ? (double)w->block_max[block] : largest;
	}
	report->density_error_avg = PBF_ERROR_UNIT * (double)sum / s->list->count;
	report->density_error_max = largest;
}

static spate_result correct(pbf_work *w, uint32_t iteration)
{
	const step_view *s = w->view;
	place_images(w, w->multipliers);
	parallel_for(s->threads, active_slices(w), TASK_SLICES, correct_slices, w);
	step_place_dummies(s->places, s->list->count, 1.0f);
	spate_result result = constraints_project(&w->host, iteration);
	touch(w);
	return result;
}

// Volume of a row's particle in units of the first fluid's.
static float volume_of(const step_view *s, size_t row)
{
	float ratio = (float)(s->fluids[s->store->fluid[row]].spacing / s->fluids[0].spacing);
	return ratio * ratio * ratio;
}

// Initial guess: the multipliers of the last substep, from the pressure that it stored (see store_rows()).
static void guess_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	const step_view *s = w->view;
	float scale = -w->plan.warm_start * s->dt * s->dt / (w->gradient * (float)s->fluids[0].density);
	for (size_t row = begin; row < end; row++)
		w->multipliers[row] = (vec4){s->places[row].x, s->places[row].y, s->places[row].z,
					     scale * s->store->pressure[row] * volume_of(s, row)};
}

static spate_result warm_start(pbf_work *w)
{
	const step_view *s = w->view;
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, guess_rows, w);
	step_place_dummies(w->multipliers, s->list->count, 0.0f);
	return correct(w, 0);
}

static void clear_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	memset((vec4 *)context + begin, 0, (end - begin) * sizeof(vec4));
}

// Surface tension, walls and their images.
static spate_result begin(pbf_work *w, spate_error *error)
{
	// particles jitter when cohesion is combined with acceleration
	if (tension_cohere(w->view, &w->pass.pairs))
		w->plan.acceleration = 0.0f;
	tension_adhere(&w->near);
	contacts_touch(&w->near, PBF_GUARD);
	spate_result result = pbf_work_mirror(w, error);
	return result == SPATE_OK && w->plan.levels ? pbf_levels_open(w, w->plan.levels, error) : result;
}

static spate_result iterate(pbf_work *w, solver_report *report)
{
	double omega = 1.0;
	spate_result result = SPATE_OK;
	w->pass.omega = 1.0f;
	parallel_for(w->view->threads, w->view->list->count + (size_t)STEP_SLACK, PARALLEL_BLOCK, clear_rows, w->last);
	if (w->plan.warm_start > 0.0f)
		result = warm_start(w);
	for (report->iterations = 0; result == SPATE_OK && report->iterations < w->plan.iterations;
	     report->iterations++)
	{
		if (w->plan.levels && !pbf_levels_enter(w, report->iterations + 1))
			return SPATE_OK;
		// unless the tolerance is met, the error of the substep is that before the last correction: measuring again would cost half an
		// iteration, and at the end of a frame weigh() does
		w->first_pass = report->iterations == 0;
		measure(w, report);
		if (w->first_pass && w->plan.levels && w->plan.levels->choose)
			w->plan.levels->choose(w, report->density_error_avg);
		if (report->iterations >= w->plan.min_iterations &&
		    report->density_error_avg <= (double)w->plan.tolerance &&
		    (!w->host.view || (!w->first_pass && constraints_settled(&w->host))))
			return SPATE_OK;
		omega = pbf_next_omega(report->iterations, omega, (double)w->plan.acceleration);
		w->pass.omega = (float)omega;
		result = correct(w, report->iterations);
	}
	return result;
}

// ------------------------------------------------------------------------------------------------------------- step

// Density from the constraint.
static void store_densities(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	const step_view *s = w->view;
	for (size_t row = begin; row < end; row++)
	{
		double density =
		    material_value(s->material, MATERIAL_DENSITY, row, s->fluids[s->store->fluid[row]].density);
		s->store->density[row] = (float)density * (1.0f + w->constraint[row]);
	}
}

// Density, and pressure from the multipliers of all iterations, which add up to an impulse; with masses in units
// of the first fluid's, p V / V_0 = -g rho_0 sum(lambda) / dt^2. The gradients push with the part g of the slope of the multipliers.
static void store_rows(void *context, size_t begin, size_t end, int thread)
{
	pbf_work *w = context;
	const step_view *s = w->view;
	float scale = w->gradient * (float)-s->fluids[0].density / (s->dt * s->dt);
	store_densities(context, begin, end, thread);
	for (size_t row = begin; row < end; row++)
		s->store->pressure[row] = scale * s->moved[row].w / volume_of(s, row);
}

spate_result pbf_work_start(pbf_work *w, const pbf *solver, const step_view *s, spate_error *error)
{
	size_t rows = (size_t)s->list->count + STEP_SLACK, blocks = s->list->slice_count / TASK_SLICES + 1;
	*w = (pbf_work){.view = s,
			.kernels = pbf_kernels_table(s->simd),
			.gradient = (float)solver->proto.gradient,
			.pass = {.beta = (float)solver->proto.beta,
				 .stiffness = (float)(solver->proto.stiffness / (PBF_RADIUS * PBF_RADIUS)),
				 .light = FLT_MAX,
				 .row_stiffness = arena_alloc(s->scratch, rows * sizeof(float))},
			.multipliers = s->spare[0],
			.last = s->spare[1],
			.constraint = s->store->density,
			.block_sum = arena_alloc(s->scratch, blocks * sizeof(int64_t)),
			.block_max = arena_alloc(s->scratch, blocks * sizeof(float))};
	double densest = pairs_densest(s);
	for (uint32_t f = 0; f < s->fluid_count; f++)
		w->pass.light = fminf(w->pass.light, LIGHT * pairs_inverse_mass(s, f, densest, densest));
	if (!w->pass.row_stiffness || !w->block_sum || !w->block_max)
		return error_memory(error, rows * sizeof(float));
	return pairs_start(&w->pass.pairs, s, solver->proto.volume, error);
}

spate_result pbf_work_find_walls(pbf_work *w, spate_error *error)
{
	return contacts_find(&w->near, w->view, error);
}

// Moves the places until they satisfy the constraints.
static spate_result solve(pbf_work *w, const pbf *solver, const step_view *s, const pbf_plan *plan,
			  solver_report *report, spate_error *error)
{
	*report = (solver_report){0};
	spate_result result = pbf_work_start(w, solver, s, error);
	if (result == SPATE_OK)
		result = pbf_work_find_walls(w, error);
	w->plan = *plan;
	if (result == SPATE_OK && plan->levels)
		pbf_levels_stabilize(w);
	if (result == SPATE_OK)
		result = begin(w, error);
	if (result == SPATE_OK)
		result = constraints_start(&w->host, s, &w->near, NULL, error);
	if (result != SPATE_OK)
		return result;
	double begun = clock_ms();
	result = iterate(w, report);
	report->ms_iterations = clock_ms() - begun;
	if (result != SPATE_OK)
		return result;
	pbf_work_rub_and_charge(w);
	contacts_hold(&w->near);
	report->outside = contacts_outside(&w->near);
	return SPATE_OK;
}

pbf_plan pbf_plan_of(const step_view *s)
{
	pbf_quality quality = pbf_quality_of(s);
	return (pbf_plan){.iterations = quality.iterations,
			  .min_iterations = (uint32_t)s->settings->own[PBF_MIN_ITERATIONS],
			  .tolerance = (float)quality.tolerance,
			  .acceleration = (float)quality.acceleration,
			  .warm_start = (float)s->settings->own[PBF_WARM_START]};
}

spate_result pbf_step(const pbf *solver, const step_view *s, const pbf_plan *plan, solver_report *report,
		      spate_error *error)
{
	pbf_work w;
	spate_result result = solve(&w, solver, s, plan, report, error);
	if (result != SPATE_OK)
		return result;
	double energy = vorticity_energy(s);
	contacts_respond(&w.near);
	result = viscosity_smooth(s, &w.pass.pairs, error);
	if (result != SPATE_OK)
		return result;
	vorticity_confine(s, &w.pass.pairs, energy);
	contacts_sum_loads(&w.near);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, store_rows, &w);
	return SPATE_OK;
}

spate_result pbf_weigh(const void *solver, const step_view *s, solver_report *report, spate_error *error)
{
	pbf_work w;
	spate_result result = pbf_work_start(&w, solver, s, error);
	if (result == SPATE_OK)
		result = pbf_work_find_walls(&w, error);
	if (result == SPATE_OK)
		result = pbf_work_mirror(&w, error);
	if (result != SPATE_OK)
		return result;
	w.first_pass = 1;
	measure(&w, report);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, store_densities, &w);
	return SPATE_OK;
}

static spate_result step(void *solver, const step_view *s, solver_report *report, spate_error *error)
{
	pbf_plan plan = pbf_plan_of(s);
	return pbf_step(solver, s, &plan, report, error);
}

// ----------------------------------------------------------------------------------------------------------- settle

// Surplus particles of a fill's lattice beside walls must be pushed all the way to the surface, which takes many strongly
// accelerated iterations.
enum
{
	SETTLE_ROUNDS = 12,
	SETTLE_ITERATIONS = 50,
	SETTLE_SHRINKS = 4
};
#define SETTLE_ACCELERATION 0.98f
#define SETTLE_TOLERANCE 5e-4
#define SETTLE_SQUEEZED 1e-3

spate_result pbf_settle(const void *solver, const step_view *s, solver_settling *t, solver_report *report,
			spate_error *error)
{
	const pbf_plan plan = {.iterations = SETTLE_ITERATIONS,
			       .min_iterations = 0,
			       .tolerance = (float)SETTLE_TOLERANCE,
			       .acceleration = SETTLE_ACCELERATION};
	pbf_work w;
	spate_result result = solve(&w, solver, s, &plan, report, error);
	if (result != SPATE_OK)
		return result;
	for (uint32_t row = 0; row < s->list->count; row++)
		s->store->pressure[row] = s->store->density[row] = 0.0f; // no pressure and no density yet
	t->last = report->density_error_avg;
	t->first = t->rounds++ == 0 ? t->last : t->first;
	// Images and lists are those of the start of a round, so a full box seems settled when it is not. It is when nothing is left to do.
	if (t->rounds < SETTLE_ROUNDS && (t->last > SETTLE_TOLERANCE || report->iterations > 0))
		return SPATE_OK;
	// If the overlap does not shrink, the liquid fills its container completely. Left compressed, it would act as a spring that
	// gets stiffer with every shorter substep, so the volume of the particles is reduced until they fit.
	t->done = t->shrinks == SETTLE_SHRINKS || !(t->last > fmax(0.8 * t->first, SETTLE_SQUEEZED));
	if (!t->done)
	{
		t->shrinks++;
		t->rounds = 0;
		t->room *= 1.0 - t->last;
	}
	return SPATE_OK;
}

// -------------------------------------------------------------------------------------------------------- settings

static const spate_setting settings[PBF_SETTING_COUNT] = {
    [PBF_ITERATIONS] = {.name = "iterations",
			.kind = SPATE_SETTING_COUNT,
			.live = 1,
			.min = 1,
			.max = 1000,
			.word = "auto",
			.example = "4",
			.doc = "Maximum solver iterations per substep."},
    [PBF_MIN_ITERATIONS] = {.name = "min_iterations",
			    .kind = SPATE_SETTING_COUNT,
			    .live = 1,
			    .min = 1,
			    .max = 1000,
			    .initial = 1,
			    .example = "2",
			    .doc = "Minimum solver iterations per substep."},
    [PBF_TOLERANCE] = {.name = "tolerance",
		       .live = 1,
		       .above_min = 1,
		       .max = 1,
		       .word = "auto",
		       .example = "0.01",
		       .doc = "Average density error at which iterating stops; 0.01 is one percent."},
    [PBF_ACCELERATION] = {.name = "acceleration",
			  .live = 1,
			  .max = 0.99,
			  .initial = -1,
			  .word = "auto",
			  .word_value = -1,
			  .example = "0.9",
			  .doc =
			      "Chebyshev acceleration of the iterations, 0 for none; `auto` picks a stable value for "
			      "their number."},
    [PBF_WARM_START] = {.name = "warm_start",
			.live = 1,
			.max = 0.5,
			.example = "0.3",
			.doc = "Fraction of the previous substep's pressure used as the initial guess."}};

static spate_result check(const double *own, uint32_t *row, spate_error *error)
{
	*row = PBF_MIN_ITERATIONS;
	if (own[PBF_ITERATIONS] > 0.0 && own[PBF_MIN_ITERATIONS] > own[PBF_ITERATIONS])
		return error_set(error, SPATE_INVALID, "min_iterations is %g, more than iterations, which is %g",
				 own[PBF_MIN_ITERATIONS], own[PBF_ITERATIONS]);
	return SPATE_OK;
}

double pbf_numerical_viscosity(const spate_fluid_def *fluid, double gravity, double dt)
{
	return viscosity_of_calming(fluid->spacing, PBF_RADIUS * fluid->spacing, gravity, dt);
}

const solver_type solver_pbf = {.radius = PBF_RADIUS,
				.calms = 1,
				.contrast = 100.0,
				.predicts = 1,
				.settings = {settings, PBF_SETTING_COUNT},
				.check = check,
				.create = pbf_create,
				.destroy = pbf_destroy,
				.longest_step = pbf_longest_step,
				.prepare = pbf_prepare,
				.step = step,
				.settle = pbf_settle,
				.weigh = pbf_weigh,
				.numerical_viscosity = pbf_numerical_viscosity,
				.cost = pbf_cost};
