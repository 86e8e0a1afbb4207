// Position-based fluids, volume form: Macklin and Mueller 2013, with the density-contrast form, capped stiffness and wall term of
// docs/theory/pbf.md.
//
//   repeat: C, lambda  <-  places          (multipliers)
//           dx         <-  lambda          (corrections)
//           places     <-  pushed out of colliders
//   velocity = displacement / dt, then viscosity
//
// Displacements are summed in their own array: velocity never comes from the difference of two large coordinates.
#include "base/error.h"
#include "base/parallel.h"
#include "solver/pbf_work.h"

#include <string.h>

// Places of rows that do not exist; their squared distances are still numbers.
#define FAR_AWAY 1e12f

#define TENSION_LEAST 5e-4 // pulls below this are not worth an iteration
#define TENSION_REPULSION_FLOOR 0.01
#define TENSION_REPULSION 0.4

// For a spacing of 1 m; all of it scales.
typedef struct pbf
{
	prototype proto;
	double radius; // in spacings
} pbf;

static spate_result create(void **solver, double radius_in_spacings, spate_error *error)
{
	pbf *s = mem_alloc(sizeof *s);
	if (!s)
		return error_memory(error, sizeof *s);
	*s = (pbf){prototype_make(1.0, radius_in_spacings), radius_in_spacings};
	*solver = s;
	return SPATE_OK;
}

static void destroy(void *solver)
{
	mem_free(solver);
}

// Chebyshev weight of iteration k (from 0), given the one before.
static double next_omega(uint32_t k, double omega, double acceleration)
{
	double rho2 = acceleration * acceleration;
	return k == 0 ? 1.0 : k == 1 ? 2.0 / (2.0 - rho2) : 4.0 / (4.0 - rho2 * omega);
}

// How much more than one plain iteration on the same residual a number of accelerated ones correct.
static double gain(uint32_t iterations, double acceleration)
{
	double omega = 1.0, correction = 0.0, sum = 0.0;
	for (uint32_t k = 0; k < iterations; k++)
	{
		omega = next_omega(k, omega, acceleration);
		correction = omega + (omega - 1.0) * correction;
		sum += correction;
	}
	return sum;
}

// At rest every substep must give back g dt^2 of fall; n iterations on a residual C give n beta a d^2 C / D.
static double expected_error(const void *solver, double spacing, double gravity, double depth, double dt,
			     uint32_t iterations, double acceleration)
{
	const pbf *s = solver;
	return gravity * dt * dt * depth /
	       (gain(iterations, acceleration) * s->proto.beta * s->proto.response * spacing * spacing);
}

// ------------------------------------------------------------------------------------------------------- iterations

static void multiply(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	size_t block = begin / PBF_SLICES;
	w->block_max[block] = -1.0f;
	w->block_sum[block] = (w->first_pass ? w->kernels->multipliers : w->kernels->densities)(
	    &w->pass, w->places, w->multipliers, w->constraint, (uint32_t)begin, (uint32_t)end, &w->block_max[block]);
}

static void correct_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	w->kernels->corrections(&w->pass, w->multipliers, w->inverse_mass, w->places, w->moved, w->last,
				(uint32_t)begin, (uint32_t)end);
}

// Rows behind the last are never anybody's neighbours.
static void place_dummies(const pbf_work *w, vec4 *records, float w_value)
{
	for (uint32_t k = 0; k < PBF_SLACK; k++)
		records[w->pass.count + k] = (vec4){FAR_AWAY, FAR_AWAY, FAR_AWAY, w_value};
}

// Multipliers and density errors of the places as they are, summed in the order of the blocks.
static void measure(pbf_work *w, solver_report *report)
{
	parallel_for(w->step->threads, w->slices, PBF_SLICES, multiply, w);
	place_dummies(w, w->multipliers, 0.0f);
	double sum = 0.0, largest = 0.0;
	for (size_t block = 0; block * PBF_SLICES < w->slices; block++)
	{
		sum += w->block_sum[block];
		largest = (double)w->block_max[block] > largest ? (double)w->block_max[block] : largest;
	}
	report->density_error_avg = sum / w->pass.count;
	report->density_error_max = largest;
}

static void correct(pbf_work *w)
{
	parallel_for(w->step->threads, w->slices, PBF_SLICES, correct_slices, w);
	place_dummies(w, w->places, 1.0f);
	pbf_touch_walls(w);
}

// Multipliers of the last substep, from the pressure it left: lambda = -p dt^2 / rho, as a first guess.
static void guess_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	const solver_step *s = w->step;
	float scale = -s->warm_start * s->dt * s->dt / (float)s->fluids[0].density;
	for (size_t row = begin; row < end; row++)
		w->multipliers[row] =
		    (vec4){w->places[row].x, w->places[row].y, w->places[row].z, scale * w->last[row].w};
}

// The last substep's pressure is in the w of `last`, which then starts from nothing again.
static void warm_start(pbf_work *w)
{
	parallel_for(w->step->threads, w->pass.count, PARALLEL_BLOCK, guess_rows, w);
	place_dummies(w, w->multipliers, 0.0f);
	memset(w->last, 0, ((size_t)w->pass.count + PBF_SLACK) * sizeof(vec4));
	if (w->step->warm_start > 0.0f)
		correct(w);
}

static void iterate(pbf_work *w, solver_report *report)
{
	const solver_step *s = w->step;
	double omega = 1.0;
	w->pass.omega = 1.0f;
	pbf_adhere(w);
	pbf_touch_walls(w);
	warm_start(w);
	for (report->iterations = 0; report->iterations < s->iterations; report->iterations++)
	{
		// the error reported is the one before the last correction: measuring once more would cost half an iteration
		// surface tension acts once, in the first iteration, which the accelerated ones then do not repeat
		w->first_pass = report->iterations == 0;
		w->pass.tension = w->tension && w->first_pass;
		measure(w, report);
		if (report->iterations >= s->min_iterations && report->density_error_avg <= (double)s->tolerance)
			return;
		omega = next_omega(report->iterations - (uint32_t)(w->tension && report->iterations > 0), omega,
				   (double)s->acceleration);
		w->pass.omega = (float)omega;
		correct(w);
	}
}

// ------------------------------------------------------------------------------------------------------------- step

// Surface tension (docs/theory/surface_tension.md): a density deficit pulls, down to f, and a repulsion g keeps the pulled particles
// apart. A pull of f moves the surface by about f d per iteration, so f = strength sigma/rho dt^2 / d^3 gives the same acceleration
// at any substep, spacing and density.
static void set_tension(const pbf *solver, const solver_step *s, const spate_fluid_def *fluid, double stiffness,
			double *attraction, double *tensile)
{
	double d = fluid->spacing, dt = (double)s->dt,
	       pull = fluid->surface_tension * SOLVER_TENSION_SCALE * dt * dt / (d * d * d);
	*attraction = fmin(0.5, PBF_TENSION * fluid->pull * pull);
	if (*attraction < TENSION_LEAST)
		*attraction = 0.0;
	*tensile = *attraction > 0.0 ? fluid->push * (TENSION_REPULSION_FLOOR + TENSION_REPULSION * *attraction) *
					   solver->proto.beta * stiffness
				     : 0.0;
}

// What a fluid is in the passes.
static pbf_traits traits_of(const pbf *solver, const solver_step *s, uint32_t f, float *attraction)
{
	const spate_fluid_def *fluid = &s->fluids[f];
	double h = (double)s->radii[f], reference = (double)s->radii[0];
	double volume = solver->proto.volume * pow(fluid->spacing / reference, 3.0);
	double cube = pow(fluid->spacing / s->fluids[0].spacing, 3.0);
	double mass_in = s->fluids[0].density / (fluid->density * cube);
	double stiffness = solver->proto.stiffness / (solver->radius * solver->radius) * h * h / mass_in, pull, tensile;
	set_tension(solver, s, fluid, stiffness, &pull, &tensile);
	*attraction = (float)pull;
	return (pbf_traits){
	    .half_h = (float)(0.5 * h), .volume = (float)volume, .mass_in = (float)mass_in, .tensile = (float)tensile};
}

static void start_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	const solver_step *s = w->step;
	const pbf_traits *by_fluid = w->pass.traits;
	for (size_t row = begin; row < end; row++)
	{
		vec4 v = s->store->velocity[row];
		int32_t fluid = s->store->fluid[row];
		w->moved[row] = s->settle ? (vec4){0, 0, 0, 0} : (vec4){v.x * s->dt, v.y * s->dt, v.z * s->dt, 0};
		w->inverse_mass[row] = by_fluid[fluid].mass_in;
		w->last[row] = (vec4){0, 0, 0, w->places[row].w}; // pressure of the last substep
		w->places[row].w = w->inverse_mass[row];
		if (w->pass.mixed)
		{
			w->traits[row] = by_fluid[fluid];
			w->attractions[row] = w->pass.attractions[fluid];
		}
	}
}

// The multipliers of all iterations are an impulse: p = -rho sum(lambda) / dt^2.
static void store_pressure(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	float scale = (float)-w->step->fluids[0].density / (w->step->dt * w->step->dt);
	for (size_t row = begin; row < end; row++)
		w->places[row].w = scale * w->moved[row].w;
}

static int take_scratch(pbf_work *w)
{
	arena *a = w->step->scratch;
	size_t rows = (size_t)w->pass.count + PBF_SLACK;
	size_t blocks = w->slices / PBF_SLICES + 1, wall_blocks = w->pass.count / PBF_ROWS + 1;
	return (w->multipliers = arena_alloc(a, rows * sizeof(vec4))) &&
	       (w->moved = arena_alloc(a, rows * sizeof(vec4))) && (w->last = arena_alloc(a, rows * sizeof(vec4))) &&
	       (w->wall = arena_alloc(a, rows * sizeof(vec4))) &&
	       (w->inverse_mass = arena_alloc(a, rows * sizeof(float))) &&
	       (w->constraint = arena_alloc(a, rows * sizeof(float))) &&
	       (w->pass.row_stiffness = arena_alloc(a, rows * sizeof(float))) &&
	       (w->near_rows = arena_alloc(a, wall_blocks * PBF_ROWS * sizeof(uint32_t))) &&
	       (w->near_starts = arena_alloc(a, (wall_blocks + 1) * sizeof(uint32_t))) &&
	       (w->block_sum = arena_alloc(a, blocks * sizeof(double))) &&
	       (w->block_max = arena_alloc(a, blocks * sizeof(float))) &&
	       (!w->pass.mixed || ((w->traits = arena_alloc(a, rows * sizeof(pbf_traits))) &&
				   (w->attractions = arena_alloc(a, rows * sizeof(float)))));
}

// Constants of the passes; `traits` and `attractions` have room for every fluid.
static pbf_pass make_pass(const pbf *solver, const solver_step *s, pbf_traits *traits, float *attractions, int *tension)
{
	pbf_pass pass = {
	    .slice_begin = s->list->slice_begin.data,
	    .slice_length = s->list->slice_length.data,
	    .entries = s->list->entries.data,
	    .count = s->list->count,
	    .equal_smoothing = 1,
	    .reference_h = s->radii[0],
	    .beta = (float)solver->proto.beta,
	    .stiffness = (float)(solver->proto.stiffness / (solver->radius * solver->radius)),
	    .traits = traits,
	    .attractions = attractions,
	};
	for (uint32_t f = 0; f < s->fluid_count; f++)
	{
		traits[f] = traits_of(solver, s, f, &attractions[f]);
		const spate_fluid_def *own = &s->fluids[f], *first = &s->fluids[0];
		*tension |= attractions[f] > 0.0f;
		pass.mixed |= s->radii[f] != s->radii[0] || attractions[f] != attractions[0];
		pass.equal_smoothing &= own->density == first->density && own->viscosity == first->viscosity &&
					own->damping == first->damping;
	}
	pass.same = traits[0];
	pass.attraction = attractions[0];
	return pass;
}

static spate_result step(const void *solver, const solver_step *s, solver_report *report, spate_error *error)
{
	*report = (solver_report){0};
	if (s->list->count == 0)
		return SPATE_OK;
	pbf_traits *traits = arena_alloc(s->scratch, s->fluid_count * sizeof *traits);
	float *attractions = arena_alloc(s->scratch, s->fluid_count * sizeof *attractions);
	if (!traits || !attractions)
		return error_memory(error, s->fluid_count * sizeof *traits);
	int tension = 0;
	pbf_work w = {.step = s,
		      .kernels = pbf_kernels_table(s->simd),
		      .pass = make_pass(solver, s, traits, attractions, &tension),
		      .slices = s->list->slice_count,
		      .places = s->store->position};
	w.tension = tension && !s->settle;
	if (!take_scratch(&w))
		return error_memory(error, (size_t)s->list->count * 100);
	size_t rows = w.pass.count;
	parallel_for(s->threads, rows, PARALLEL_BLOCK, start_rows, &w);
	w.pass.wall = w.wall;
	if (w.pass.mixed)
	{
		w.pass.traits = w.traits;
		w.pass.attractions = w.attractions;
	}
	if (!pbf_approach_walls(&w))
		return error_memory(error, w.near_count * sizeof *w.near);
	place_dummies(&w, w.places, 1.0f);
	for (uint32_t k = 0; k < PBF_SLACK; k++)
	{
		w.moved[rows + k] = w.wall[rows + k] = w.last[rows + k] = (vec4){0, 0, 0, 0};
		w.inverse_mass[rows + k] = 1.0f;
		if (w.pass.mixed)
		{
			w.traits[rows + k] = traits[0];
			w.attractions[rows + k] = 0.0f;
		}
	}
	iterate(&w, report);
	if (s->settle)
	{
		for (uint32_t row = 0; row < rows; row++)
			w.places[row].w = 0.0f; // no pressure yet
		return SPATE_OK;
	}
	report->moved = w.moved;
	spate_result result = pbf_update_velocity(&w, error);
	parallel_for(s->threads, rows, PARALLEL_BLOCK, store_pressure, &w);
	return result;
}

const solver_type solver_pbf = {"pbf", create, destroy, step, expected_error};
