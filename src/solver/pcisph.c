// Predictive-corrective incompressible SPH (docs/theory/pcisph.md): pressure grows until the liquid will be as dense as it should be.
// Solenthaler, Pajarola: Predictive-corrective incompressible SPH, 2009.
//
//   walls and images, C, A  <-  places at the start of the substep
//   p  = what is left of the last pressure
//   repeat: v = v* - dt grad p / density;  C at x + dt v;  p = max(p + delta (C - C_left), 0), accelerated
//   x += dt v
#include "base/error.h"
#include "base/parallel.h"
#include "solver/motion.h"
#include "solver/pairs.h"
#include "solver/pbf_work.h"
#include "solver/sph.h"
#include "solver/tension.h"
#include "solver/viscosity.h"

// Rows of the settings.
enum
{
	TOLERANCE,
	ITERATIONS,
	MIN_ITERATIONS,
	WARM_START,
	ACCELERATION,
	CALMING,
	SETTING_COUNT
};

// Part of a particle's density error that its pressure is to remove, neighbours left alone. Each neighbour does as much for itself: from
// about 0.6 on disordered particles swing up.
#define RELAX 0.35

// Longest substep in units of spacing / sqrt(gravity * depth), and the part of the tolerance that liquid at rest uses up with the fewest iterations.
#define MOST_STRIDE 0.5
#define REST_SHARE 0.5

// Largest density error that a substep removes: particles pressed into one place must not be thrown apart.
#define MOST_REMOVED 0.01f

// Largest density error of a particle relative to the tolerance of the mean, beyond which iterating goes on.
#define LOCAL 10.0
#define LOCAL_ROUNDS 3 // times the least iterations, after which only the mean counts

// Shortest substep that makes liquid stiffer, in units of spacing over the speed of the liquid.
#define LEAST_STRIDE 0.25

// Time in which `warm_start` is left of pressure, in units of spacing over the speed of the liquid.
#define TURNOVER 0.5

// Largest part of the shortest fluctuations that a substep removes.
#define MOST_CALMING 0.3

typedef struct quality
{
	double tolerance; // mean density error
	double cfl;       // travel in kernel radii
	uint32_t iterations;
	double acceleration;
} quality;

typedef struct pcisph
{
	sph_lattice lattice;
} pcisph;

typedef struct pcisph_work
{
	sph_work *sph;
	vec4 *sums;      // acceleration by all pressure so far (m/s^2)
	vec4 *next;      // velocities at the end of the substep, images included
	vec4 *predicted; // places there
	float *changes;  // of pressure (Pa)
	float *left;     // part of C that the substep leaves
	float warm_start;
	float omega;  // of Chebyshev acceleration
	double delta; // Pa for a response of 1 / m^2
	double least; // response of the lattice of spacing 1 m
} pcisph_work;

static spate_result create(void **solver, spate_error *error)
{
	pcisph *s = mem_alloc(sizeof *s);
	if (!s)
		return error_memory(error, sizeof *s);
	*s = (pcisph){.lattice = sph_lattice_make()};
	*solver = s;
	return SPATE_OK;
}

static void destroy(void *solver)
{
	mem_free(solver);
}

static quality quality_of(const step_view *s)
{
	static const quality table[SPATE_QUALITY_COUNT] = {
	    [SPATE_QUALITY_DRAFT] = {.tolerance = 0.03, .cfl = 0.2, .iterations = 20},
	    [SPATE_QUALITY_NORMAL] = {.tolerance = 0.01, .cfl = 0.1, .iterations = 50},
	    [SPATE_QUALITY_HIGH] = {.tolerance = 0.003, .cfl = 0.07, .iterations = 100}};
	quality q = table[s->settings->quality];
	const double *own = s->settings->own;
	if (own[TOLERANCE] > 0.0)
		q.tolerance = own[TOLERANCE];
	if (own[ITERATIONS] > 0.0)
		q.iterations = (uint32_t)own[ITERATIONS];
	q.acceleration = own[ACCELERATION];
	if (s->settings->cfl > 0.0)
		q.cfl = s->settings->cfl;
	return q;
}

// At rest, pressure is in proportion to what the iterations leave of the density error: with the fewest of them, the mean error must be within
// the tolerance. Besides, pressure that pairs hold is a spring between them, and the places of the start of the substep are used: the
// substep must not be longer than a part of its period.
static double longest_step(const void *solver, const step_view *s, const step_state *now)
{
	const pcisph *own = solver;
	quality q = quality_of(s);
	double head = s->forces->most * now->depth * pairs_density_ratio(s);
	double gain = pbf_gain((uint32_t)s->settings->own[MIN_ITERATIONS], q.acceleration);
	double stride = sqrt(2.0 * REST_SHARE * q.tolerance * gain * RELAX / own->lattice.diagonal);
	double springs = head > 0.0 ? fmin(stride, MOST_STRIDE) * sph_finest(s) / sqrt(head) : INFINITY;
	return fmin(springs, fmin(motion_longest_step(s, now, q.cfl), tension_longest_step(s)));
}

static spate_result prepare(const void *solver, const step_view *s, int *runaways, spate_error *error)
{
	(void)solver, (void)error;
	*runaways = motion_accelerate(s);
	return SPATE_OK;
}

// ---------------------------------------------------------------------------------------------------------------- step

static spate_result take_arrays(pcisph_work *w, spate_error *error)
{
	const step_view *s = w->sph->view;
	size_t rows = (size_t)s->list->count + STEP_SLACK, all = w->sph->images.rows;
	w->sums = s->spare[0];
	w->next = arena_alloc(s->scratch, all * sizeof(vec4));
	w->predicted = arena_alloc(s->scratch, all * sizeof(vec4));
	w->changes = arena_alloc(s->scratch, rows * sizeof(float));
	w->left = arena_alloc(s->scratch, rows * sizeof(float));
	return w->next && w->predicted && w->changes && w->left ? SPATE_OK
								: error_memory(error, all * 2 * sizeof(vec4));
}

// Starts from a part of the last pressure, as the first change.
static void guess_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pcisph_work *w = context;
	const step_view *s = w->sph->view;
	for (size_t row = begin; row < end; row++)
	{
		w->sph->pressure[row] = w->changes[row] = w->warm_start * fmaxf(s->store->pressure[row], 0.0f);
		float c = fmaxf(w->sph->errors[row], 0.0f);
		w->left[row] = fmaxf(w->warm_start * c, c - MOST_REMOVED);
		w->sums[row] = (vec4){0, 0, 0, 0};
	}
}

// Where the particles would be by the pressure so far.
static void predict_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pcisph_work *w = context;
	const sph_work *p = w->sph;
	float dt = p->view->dt;
	for (size_t row = begin; row < end; row++)
	{
		vec4 by = p->pushes[row], a = w->sums[row], v = p->velocities[row];
		a = (vec4){a.x + by.x, a.y + by.y, a.z + by.z, 0};
		w->sums[row] = a;
		w->next[row] = (vec4){v.x + dt * a.x, v.y + dt * a.y, v.z + dt * a.z, 0};
	}
}

static void place_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pcisph_work *w = context;
	float dt = w->sph->view->dt;
	for (size_t row = begin; row < end; row++)
	{
		vec4 x = w->sph->places[row], v = w->next[row];
		w->predicted[row] = (vec4){x.x + dt * v.x, x.y + dt * v.y, x.z + dt * v.z, x.w};
	}
}

// Lets the changes of pressure act, and measures the density that they lead to.
static void correct(pcisph_work *w, int first)
{
	sph_work *p = w->sph;
	const step_view *s = p->view;
	sph_set_pressure(p, w->changes);
	sph_push(p, first);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, predict_rows, w);
	images_move(&p->images, s, w->next);
	parallel_for(s->threads, p->images.first + p->images.count, PARALLEL_BLOCK, place_rows, w);
	step_place_dummies(w->predicted, s->list->count, 1.0f);
	sph_measure_at(p, w->predicted);
}

// p = max(p + delta C, 0). The response is at least that of the lattice: at the surface, where neighbours are missing, pressure would overshoot.
static void press_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pcisph_work *w = context;
	sph_work *p = w->sph;
	const step_view *s = p->view;
	for (size_t row = begin; row < end; row++)
	{
		double d = s->fluids[s->store->fluid[row]].spacing;
		float least = (float)(w->least / (d * d)) * p->differences[row].w;
		float before = p->pressure[row], delta = (float)w->delta / fmaxf(p->responses[row], least);
		float change = w->omega * delta * (p->errors[row] - w->left[row]) + (w->omega - 1.0f) * w->changes[row];
		p->pressure[row] = fmaxf(before + change, 0.0f);
		w->changes[row] = p->pressure[row] - before;
	}
}

static void iterate(pcisph_work *w, solver_report *report)
{
	const step_view *s = w->sph->view;
	quality q = quality_of(s);
	uint32_t least = (uint32_t)s->settings->own[MIN_ITERATIONS];
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, guess_rows, w);
	correct(w, 1);
	double omega = 1.0;
	for (report->iterations = 0;; report->iterations++)
	{
		sph_report(w->sph, report);
		int good =
		    report->density_error_avg <= q.tolerance &&
		    (report->density_error_max <= LOCAL * q.tolerance || report->iterations >= LOCAL_ROUNDS * least);
		if ((report->iterations >= least && good) || report->iterations >= q.iterations)
			return;
		omega = pbf_next_omega(report->iterations, omega, q.acceleration);
		w->omega = (float)omega;
		parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, press_rows, w);
		correct(w, 0);
	}
}

// Speed of the liquid, or that which its depth makes.
static double speed_of(const step_view *s)
{
	return fmax(sph_speed(s, s->speed), sqrt(s->forces->most * fmax(s->depth, 0.0)));
}

// What is left of pressure and density error after a substep. It is a matter of time: errors that short substeps remove in a hurry become speed.
static double warm_start_of(const step_view *s)
{
	double time = TURNOVER * sph_finest(s) / fmax(speed_of(s), 1e-12);
	return 1.0 - (1.0 - s->settings->own[WARM_START]) * fmin((double)s->dt / time, 1.0);
}

// Square of the time in which pressure is to remove an error: that of the substep, unless that is shorter than the flow asks for. Stiffness grows with
// its inverse, and so does the noise of disordered particles.
static double square_of(const step_view *s)
{
	double time = fmax((double)s->dt, LEAST_STRIDE * sph_finest(s) / fmax(speed_of(s), 1e-12));
	return time * time;
}

static double calming_of(const step_view *s)
{
	double rate = s->settings->own[CALMING] * speed_of(s) / sph_finest(s);
	return fmin(rate, MOST_CALMING / (double)s->dt);
}

static spate_result step(void *solver, const step_view *s, solver_report *report, spate_error *error)
{
	const pcisph *own = solver;
	sph_work p;
	pcisph_work w = {.sph = &p,
			 .warm_start = (float)warm_start_of(s),
			 .delta = RELAX * s->fluids[0].density * own->lattice.gradient / square_of(s),
			 .least = own->lattice.diagonal * own->lattice.gradient};
	spate_result result = sph_start(&p, &own->lattice, s, s->dt, error);
	if (result == SPATE_OK)
		result = take_arrays(&w, error);
	if (result != SPATE_OK)
		return result;
	sph_measure(&p);
	result = sph_thicken(&p, error);
	if (result != SPATE_OK)
		return result;
	sph_set_pressure(&p, s->store->pressure);
	sph_rub(&p);
	p.calming = (float)calming_of(s);
	iterate(&w, report);
	sph_set_pressure(&p, p.pressure);
	p.pushes = w.sums;
	return sph_finish(&p, report, error);
}

static spate_result settle(const void *solver, const step_view *s, solver_settling *settling, solver_report *report,
			   spate_error *error)
{
	return sph_settle(&((const pcisph *)solver)->lattice, s, settling, report, error);
}

static spate_result weigh(const void *solver, const step_view *s, solver_report *report, spate_error *error)
{
	return sph_weigh(&((const pcisph *)solver)->lattice, s, report, error);
}

// ------------------------------------------------------------------------------------------------------------- settings

static const spate_setting settings[SETTING_COUNT] = {
    [TOLERANCE] = {.name = "tolerance",
		   .live = 1,
		   .above_min = 1,
		   .max = 1,
		   .word = "auto",
		   .example = "0.01",
		   .doc = "Mean density error at which iterating stops; 0.01 is one percent."},
    [ITERATIONS] = {.name = "iterations",
		    .kind = SPATE_SETTING_COUNT,
		    .live = 1,
		    .min = 1,
		    .max = 1000,
		    .word = "auto",
		    .example = "30",
		    .doc = "Maximum solver iterations per substep."},
    [MIN_ITERATIONS] = {.name = "min_iterations",
			.kind = SPATE_SETTING_COUNT,
			.live = 1,
			.min = 1,
			.max = 1000,
			.initial = 4,
			.example = "2",
			.doc = "Minimum solver iterations per substep."},
    [WARM_START] = {.name = "warm_start",
		    .live = 1,
		    .max = 0.99,
		    .initial = 0.8,
		    .example = "0.3",
		    .doc = "What is left of pressure and of density errors while liquid moves by half a spacing."},
    [ACCELERATION] = {.name = "acceleration",
		      .live = 1,
		      .max = 0.99,
		      .initial = 0.8,
		      .example = "0.8",
		      .doc = "Chebyshev acceleration of the iterations, 0 for none."},
    [CALMING] = {.name = "calming",
		 .live = 1,
		 .max = 10,
		 .initial = 0.3,
		 .example = "0.1",
		 .doc =
		     "Rate at which the shortest velocity fluctuations die, in units of the speed of the liquid, or of "
		     "sqrt(gravity * depth), over spacing."}};

static spate_result check(const double *own, uint32_t *row, spate_error *error)
{
	*row = MIN_ITERATIONS;
	if (own[ITERATIONS] > 0.0 && own[MIN_ITERATIONS] > own[ITERATIONS])
		return error_set(error, SPATE_INVALID, "min_iterations is %g, more than iterations, which is %g",
				 own[MIN_ITERATIONS], own[ITERATIONS]);
	return SPATE_OK;
}

// Measured on a shear wave: particles scatter each other out of the flow, in proportion to its speed and the spacing. What calming takes is in
// units of spacing^2 / substep, and follows from its rate.
#define SCATTER 0.02
#define CALMED 2.4e-4
#define WAVE_SPEED 0.1 // m/s

static double numerical_viscosity(const spate_fluid_def *fluid, double gravity, double dt)
{
	(void)gravity;
	return SCATTER * WAVE_SPEED * fluid->spacing + CALMED * fluid->spacing * fluid->spacing / dt;
}

// Cost of a substep in iterations of PBF: the passes before, with the images, and two passes per iteration.
#define PASSES 14.0
#define PASSES_PER_ITERATION 3.0

static solver_cost cost(const void *solver, const step_view *s, double share)
{
	(void)solver, (void)share;
	solver_cost cost = {.iterations = PASSES + PASSES_PER_ITERATION * s->settings->own[MIN_ITERATIONS]};
	cost.rounds = viscosity_rounds(s, &cost.implicit);
	return cost;
}

const solver_type solver_pcisph = {.radius = SPH_RADIUS,
				   .shear = 1,
				   .one_spacing = 1,
				   .contrast = SPH_CONTRAST,
				   .settings = {settings, SETTING_COUNT},
				   .check = check,
				   .fields = {&sph_acceleration, 1},
				   .create = create,
				   .destroy = destroy,
				   .longest_step = longest_step,
				   .prepare = prepare,
				   .step = step,
				   .settle = settle,
				   .weigh = weigh,
				   .numerical_viscosity = numerical_viscosity,
				   .cost = cost};
