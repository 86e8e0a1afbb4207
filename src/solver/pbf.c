// Position-based fluids, volume form: Macklin and Mueller 2013, with the density-contrast form, capped stiffness and wall term of
// docs/theory/pbf.md.
//
//   repeat: C, lambda  <-  places          (multipliers)
//           dx         <-  lambda          (corrections)
//           places     <-  pushed out of colliders
//   places    <-  kept on their side of the triangles of meshes
//   velocity = displacement / dt, then viscosity
//
// Displacements are summed in their own array, so velocity is never the difference of two large coordinates.
#include "base/error.h"
#include "base/parallel.h"
#include "solver/pbf_work.h"

#include <float.h>

// Coordinate of dummy rows, small enough that squared distances to them do not overflow.
#define FAR_AWAY 1e12f

// Surface tension is left out where it is less than this fraction of a particle's weight, that is, where particles are large.
#define TENSION_LEAST 0.1

// A particle counts as light when the heaviest one has more than this many times its mass.
#define LIGHT 20.0f

// Constants for a spacing of 1 m; all of them scale.
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

// Correction by a number of accelerated iterations, relative to one plain iteration on the same residual.
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

// At rest, every substep must undo a fall of g dt^2; n iterations on a residual C undo n beta a d^2 C / D.
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
	w->kernels->corrections(&w->pass, w->multipliers, w->places, w->moved, w->last, (uint32_t)begin, (uint32_t)end);
}

// Moves the rows behind the last one so far away that they are never neighbours.
static void place_dummies(const pbf_work *w, vec4 *records, float w_value)
{
	for (uint32_t k = 0; k < PBF_SLACK; k++)
		records[w->pass.count + k] = (vec4){FAR_AWAY, FAR_AWAY, FAR_AWAY, w_value};
}

// Computes multipliers and density errors at the current places; errors are summed in block order.
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
	contacts_touch(w, 1);
}

// Volume of a row's particle in units of the first fluid's.
static float volume_of(const solver_step *s, size_t row)
{
	float ratio = (float)(s->fluids[s->store->fluid[row]].spacing / s->fluids[0].spacing);
	return ratio * ratio * ratio;
}

// Initial guess: the multipliers of the last substep, from the pressure that it stored (see store_pressure()).
static void guess_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	const solver_step *s = w->step;
	float scale = -s->warm_start * s->dt * s->dt / (float)s->fluids[0].density;
	for (size_t row = begin; row < end; row++)
		w->multipliers[row] = (vec4){w->places[row].x, w->places[row].y, w->places[row].z,
					     scale * s->store->pressure[row] * volume_of(s, row)};
}

// Applies the initial guess, if wanted.
static void warm_start(pbf_work *w)
{
	int warm = w->step->warm_start > 0.0f && !w->step->relax;
	if (!warm)
		return;
	parallel_for(w->step->threads, w->pass.count, PARALLEL_BLOCK, guess_rows, w);
	place_dummies(w, w->multipliers, 0.0f);
	correct(w);
}

static void cohere_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	w->kernels->cohesion(&w->pass, w->places, w->multipliers, (uint32_t)begin, (uint32_t)end);
}

static void move_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	for (size_t row = begin; row < end; row++)
	{
		vec4 by = w->multipliers[row], *place = &w->places[row], *moved = &w->moved[row];
		*place = (vec4){place->x + by.x, place->y + by.y, place->z + by.z, place->w};
		*moved = (vec4){moved->x + by.x, moved->y + by.y, moved->z + by.z, moved->w};
	}
}

// Displacement of one substep by surface tension: sum_j cohesion V_j / h^3 f(q) e. For the pair force f of cohesion_pass() the tension
// of a plane surface is sigma = pi n^2 / 8 int F r^4 dr (Fowler 1937), which gives the factor for any spacing, density and dt.
static double cohesion_of(const solver_step *s, uint32_t f, double surface_tension)
{
	double d = s->fluids[f].spacing, h = (double)s->radii[f], dt = (double)s->dt;
	double tension = surface_tension * SOLVER_TENSION_SCALE; // sigma / rho, m^3/s^2
	if (tension < TENSION_LEAST * (double)s->gravity * d * d)
		return 0.0;
	// a substep too long for capillary waves gets only the pull of the longest one that resolves them
	return PBF_TENSION * tension * fmin(dt * dt, 0.02 * d * d * d / tension) / (h * h);
}

// Surface tension is a force, not a constraint: it acts once, before the iterations. Returns 0 when there is none.
static int cohere(pbf_work *w)
{
	double most = 0.0;
	double own = w->step->material->high[MATERIAL_SURFACE_TENSION];
	for (uint32_t f = 0; f < w->step->fluid_count; f++)
		most = fmax(most, cohesion_of(w->step, f, fmax(own, w->step->fluids[f].surface_tension)));
	if (most <= 0.0 || w->step->relax)
		return 0;
	parallel_for(w->step->threads, w->slices, PBF_SLICES, cohere_slices, w);
	parallel_for(w->step->threads, w->pass.count, PARALLEL_BLOCK, move_rows, w);
	return 1;
}

static void iterate(pbf_work *w, solver_report *report)
{
	const solver_step *s = w->step;
	// particles jitter when cohesion is combined with acceleration
	double omega = 1.0, acceleration = cohere(w) ? 0.0 : (double)s->acceleration;
	w->pass.omega = 1.0f;
	contacts_adhere(w);
	contacts_touch(w, 0);
	warm_start(w);
	for (report->iterations = 0; report->iterations < s->iterations; report->iterations++)
	{
		// the reported error is that before the last correction, since measuring again would cost half an iteration
		w->first_pass = report->iterations == 0;
		measure(w, report);
		if (report->iterations >= s->min_iterations && report->density_error_avg <= (double)s->tolerance)
			return;
		omega = next_omega(report->iterations, omega, acceleration);
		w->pass.omega = (float)omega;
		correct(w);
	}
}

// ------------------------------------------------------------------------------------------------------------- step

// In units of the first fluid's mass. All densities count as equal while particles are only pushed apart. A liquid lighter than a
// hundredth of the heaviest gets the inertia of a hundredth: it rises and falls as before, but is easier to solve.
static float inverse_mass_of(const solver_step *s, uint32_t f, double density)
{
	double ratio = s->fluids[f].spacing / s->fluids[0].spacing, cube = ratio == 1.0 ? 1.0 : pow(ratio, 3.0);
	double lightness = s->relax ? 1.0 : s->fluids[0].density / fmax(density, s->densest / SOLVER_MOST_CONTRAST);
	return (float)(lightness / cube);
}

// A fluid's constants in the passes.
static pbf_traits traits_of(const pbf *solver, const solver_step *s, uint32_t f)
{
	const spate_fluid_def *fluid = &s->fluids[f];
	double reference = (double)s->radii[0];
	double cohesion = cohesion_of(s, f, fluid->surface_tension);
	return (pbf_traits){.half_h = 0.5f * s->radii[f],
			    .volume = (float)(s->room * solver->proto.volume * pow(fluid->spacing / reference, 3.0)),
			    .pull = (float)(cohesion * fluid->pull),
			    .push = (float)(cohesion * fluid->push)};
}

// Traits of a row: those of its fluid, with the row's own surface tension.
static pbf_traits traits_of_row(const solver_step *s, const pbf_traits *by_fluid, size_t row)
{
	uint32_t f = (uint32_t)s->store->fluid[row];
	const spate_fluid_def *fluid = &s->fluids[f];
	pbf_traits own = by_fluid[f];
	if (s->material->values[MATERIAL_SURFACE_TENSION])
	{
		double tension = material_value(s->material, MATERIAL_SURFACE_TENSION, row, fluid->surface_tension);
		double cohesion = cohesion_of(s, f, tension);
		own.pull = (float)(cohesion * fluid->pull);
		own.push = (float)(cohesion * fluid->push);
	}
	return own;
}

static void start_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	const solver_step *s = w->step;
	const pbf_traits *by_fluid = w->pass.traits;
	int own_density = s->material->values[MATERIAL_DENSITY] != NULL;
	for (size_t row = begin; row < end; row++)
	{
		vec4 v = s->store->velocity[row];
		uint32_t fluid = (uint32_t)s->store->fluid[row];
		w->moved[row] = s->relax ? (vec4){0, 0, 0, 0} : (vec4){v.x * s->dt, v.y * s->dt, v.z * s->dt, 0};
		w->last[row] = (vec4){0, 0, 0, 0};
		w->places[row].w =
		    own_density
			? inverse_mass_of(s, fluid,
					  material_value(s->material, MATERIAL_DENSITY, row, s->fluids[fluid].density))
			: w->inverse_masses[fluid];
		if (w->pass.mixed)
			w->traits[row] = traits_of_row(s, by_fluid, row);
	}
}

// The multipliers of all iterations add up to an impulse; with masses in units of the first fluid's,
// p V / V_0 = -rho_0 sum(lambda) / dt^2.
static void store_pressure(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	float scale = (float)-w->step->fluids[0].density / (w->step->dt * w->step->dt);
	for (size_t row = begin; row < end; row++)
		w->step->store->pressure[row] = scale * w->moved[row].w / volume_of(w->step, row);
}

int pbf_take_scratch(pbf_work *w)
{
	arena *a = w->step->scratch;
	size_t rows = (size_t)w->pass.count + PBF_SLACK, blocks = w->slices / PBF_SLICES + 1;
	int ok = (w->multipliers = arena_alloc(a, rows * sizeof(vec4))) &&
		 (w->moved = arena_alloc(a, rows * sizeof(vec4))) && (w->last = arena_alloc(a, rows * sizeof(vec4))) &&
		 (w->pass.row_stiffness = arena_alloc(a, rows * sizeof(float))) &&
		 (w->wall_group = arena_alloc(a, w->slices * sizeof(uint32_t))) &&
		 (w->near_counts = arena_alloc(a, (w->pass.count / PBF_ROWS + 2) * sizeof(near_counts))) &&
		 (w->block_sum = arena_alloc(a, blocks * sizeof(double))) &&
		 (w->block_max = arena_alloc(a, blocks * sizeof(float))) &&
		 (!w->pass.mixed || (w->traits = arena_alloc(a, rows * sizeof(pbf_traits))));
	// multipliers are not in use yet while walls are found, so their memory holds the wall masks
	w->near_masks = (near_mask *)(void *)w->multipliers;
	return ok;
}

// Constants of the passes; `traits` has room for every fluid.
static pbf_pass make_pass(const pbf *solver, const solver_step *s, pbf_traits *traits)
{
	pbf_pass pass = {
	    .slice_begin = s->list->slice_begin.data,
	    .slice_length = s->list->slice_length.data,
	    .entries = s->list->entries.data,
	    .count = s->list->count,
	    .equal_masses = 1,
	    .reference_h = s->radii[0],
	    .beta = (float)solver->proto.beta,
	    .stiffness = (float)(solver->proto.stiffness / (solver->radius * solver->radius)),
	    .traits = traits,
	    .light = FLT_MAX,
	};
	for (uint32_t f = 0; f < s->fluid_count; f++)
	{
		traits[f] = traits_of(solver, s, f);
		const spate_fluid_def *own = &s->fluids[f], *first = &s->fluids[0];
		pass.mixed |=
		    s->radii[f] != s->radii[0] || traits[f].pull != traits[0].pull || traits[f].push != traits[0].push;
		pass.equal_masses &= own->density == first->density;
		pass.light = fminf(pass.light, LIGHT * inverse_mass_of(s, f, s->densest));
	}
	pass.mixed |= s->material->values[MATERIAL_SURFACE_TENSION] != NULL;
	pass.equal_masses &= !s->material->values[MATERIAL_DENSITY];
	pass.same = traits[0];
	return pass;
}

static spate_result step(const void *solver, const solver_step *s, solver_report *report, spate_error *error)
{
	*report = (solver_report){0};
	for (uint32_t c = 0; s->loads && c < s->colliders->count; c++)
		s->loads[c] = (collider_load){.dt = (double)s->dt};
	if (s->list->count == 0)
		return SPATE_OK;
	pbf_traits *traits = arena_alloc(s->scratch, s->fluid_count * sizeof *traits);
	float *inverse_masses = arena_alloc(s->scratch, s->fluid_count * sizeof *inverse_masses);
	if (!traits || !inverse_masses)
		return error_memory(error, s->fluid_count * (sizeof *traits + sizeof *inverse_masses));
	for (uint32_t f = 0; f < s->fluid_count; f++)
		inverse_masses[f] = inverse_mass_of(s, f, s->fluids[f].density);
	pbf_work w = {.step = s,
		      .kernels = pbf_kernels_table(s->simd),
		      .pass = make_pass(solver, s, traits),
		      .inverse_masses = inverse_masses,
		      .slices = s->list->slice_count,
		      .places = s->store->position,
		      .constraint = s->store->density};
	if (!pbf_take_scratch(&w))
		return error_memory(error, (size_t)s->list->count * 100);
	size_t rows = w.pass.count;
	parallel_for(s->threads, rows, PARALLEL_BLOCK, start_rows, &w);
	if (w.pass.mixed)
		w.pass.traits = w.traits;
	if (!contacts_find(&w))
		return error_memory(error, w.near_count * (sizeof *w.near + sizeof *w.felt + sizeof *w.walls));
	place_dummies(&w, w.places, 1.0f);
	for (uint32_t k = 0; k < PBF_SLACK; k++)
	{
		w.moved[rows + k] = w.last[rows + k] = (vec4){0, 0, 0, 0};
		if (w.pass.mixed)
			w.traits[rows + k] = traits[0];
	}
	iterate(&w, report);
	contacts_hold(&w);
	report->outside = contacts_outside(&w);
	if (s->relax)
	{
		for (uint32_t row = 0; row < rows; row++)
			s->store->pressure[row] = s->store->density[row] = 0.0f; // no pressure and no density yet
		return SPATE_OK;
	}
	report->moved = w.moved;
	spate_result result = pbf_update_velocity(&w, error);
	if (result == SPATE_OK)
		contacts_sum_loads(&w);
	parallel_for(s->threads, rows, PARALLEL_BLOCK, store_pressure, &w);
	return result;
}

const solver_type solver_pbf = {"pbf", create, destroy, step, expected_error, pbf_smoothing_rounds};
