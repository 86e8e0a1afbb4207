// Position-based fluids, volume form: Macklin and Mueller 2013, with the density-contrast form, capped stiffness and wall term of
// docs/theory/pbf.md.
//
//   repeat: C, lambda  <-  places          (multipliers)
//           dx         <-  lambda          (corrections)
//           places     <-  pushed out of colliders
//   velocity = displacement / dt, then XSPH rounds
//
// Displacements are summed in their own array: velocity never comes from the difference of two large coordinates.
#include "base/error.h"
#include "base/kernels.h"
#include "base/parallel.h"
#include "solver/pbf_kernels.h"
#include "solver/prototype.h"
#include "solver/solver.h"

#include <string.h>

enum
{
	SLICES = 128,  // per task
	WALL_ROWS = 1024, // per task
	SLACK = 8         // rows behind the last that whole vectors touch
};

// Places of rows that do not exist; their squared distances are still numbers.
#define FAR_AWAY 1e12f

// Part of the velocity difference to the neighbours that is smoothed away per substep however thin the liquid: it calms what the
// unconverged solve leaves.
#define CALMING 0.02

// Substep (s) at which the surface tension of METHODS 2 acts with its full numbers.
#define TENSION_DT 0.004

// How close to a collider a particle can come to feel it within one substep, in kernel radii.
#define NEAR 1.25f

// Largest XSPH coefficient of one round.
#define ROUND_LIMIT 0.5

typedef struct pbf
{
	prototype proto;
	float spacing, radius;
} pbf;

static spate_result create(void **solver, float spacing, float radius, spate_error *error)
{
	pbf *s = mem_alloc(sizeof *s);
	if (!s)
		return error_memory(error, sizeof *s);
	*s = (pbf){prototype_make((double)spacing, (double)radius), spacing, radius};
	*solver = s;
	return SPATE_OK;
}

static void destroy(void *solver)
{
	mem_free(solver);
}

static double expected_error(const void *solver, double gravity, double depth, double dt, uint32_t iterations)
{
	const pbf *s = solver;
	double d = (double)s->spacing;
	return gravity * dt * dt * depth / (iterations * s->proto.beta * s->proto.response * d * d);
}

// A row close to a collider, and the walls that it feels there.
typedef struct near_row
{
	uint32_t row;
	int walls;
	felt_wall felt[COLLIDER_MOST_WALLS];
} near_row;

// Everything of one substep, shared by its tasks.
typedef struct pbf_work
{
	const solver_step *step;
	const pbf_kernels *kernels;
	pbf_pass pass;
	uint32_t slices;
	vec4 *places, *multipliers, *moved, *wall;
	float *inverse_mass, *constraint;
	int first_pass; // the stiffness of the rows is still to be found
	uint32_t *near_rows, *near_starts; // rows close to a collider, in blocks of WALL_ROWS, and where each block's go in `near`
	near_row *near;
	uint32_t near_count;
	double *block_sum;
	float *block_max;
	vec4 *velocity_in, *velocity_out;
	float smoothing; // XSPH coefficient of one round is this times the row's own
} pbf_work;

// ------------------------------------------------------------------------------------------------------------ walls

// Lists the rows of a block that a collider can reach within this substep.
static void find_near(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	uint32_t *rows = w->near_rows + begin, count = 0;
	for (size_t row = begin; row < end; row++)
	{
		vec4 p = w->places[row];
		w->wall[row] = (vec4){0, 0, 0, 0};
		rows[count] = (uint32_t)row;
		count += collider_set_distance(w->step->colliders, vec3_make(p.x, p.y, p.z)) < NEAR * w->step->radius;
	}
	w->near_starts[begin / WALL_ROWS] = count;
}

static void feel_walls(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	for (size_t block = begin; block < end; block++)
		for (uint32_t k = w->near_starts[block]; k < w->near_starts[block + 1]; k++)
		{
			near_row *near = &w->near[k];
			near->row = w->near_rows[block * WALL_ROWS + (k - w->near_starts[block])];
			vec4 p = w->places[near->row];
			near->walls = collider_set_feel(w->step->colliders, vec3_make(p.x, p.y, p.z), NEAR * w->step->radius,
							near->felt);
		}
}

// What every particle near a collider will feel in this substep; 0 when out of memory.
static int approach_walls(pbf_work *w)
{
	const solver_step *s = w->step;
	size_t blocks = (w->pass.count + (size_t)WALL_ROWS - 1) / WALL_ROWS;
	parallel_for(s->threads, w->pass.count, WALL_ROWS, find_near, w);
	w->near_starts[blocks] = 0;
	w->near_count = (uint32_t)prefix_sum_u32(w->near_starts, blocks + 1);
	if (w->near_count == 0)
		return 1;
	w->near = arena_alloc(s->scratch, w->near_count * sizeof *w->near);
	if (w->near)
		parallel_for(s->threads, blocks, 1, feel_walls, w);
	return w->near != NULL;
}

// Pushes the rows near colliders out of them, then takes the wall term there.
static void touch_walls(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	const solver_step *s = w->step;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &w->near[k];
		vec4 *place = &w->places[near->row], *moved = &w->moved[near->row];
		vec3 p = {place->x, place->y, place->z}, m = {moved->x, moved->y, moved->z};
		w->wall[near->row] = felt_walls_touch(near->felt, near->walls, &p, &m, 0.5f * s->spacing, s->radius);
		*place = (vec4){p.x, p.y, p.z, place->w};
		*moved = (vec4){m.x, m.y, m.z, moved->w};
	}
}

static void resolve_contacts(pbf_work *w)
{
	parallel_for(w->step->threads, w->near_count, WALL_ROWS, touch_walls, w);
}

// ------------------------------------------------------------------------------------------------------- iterations

static void multiply(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	size_t block = begin / SLICES;
	w->block_max[block] = -1.0f;
	w->block_sum[block] = (w->first_pass ? w->kernels->multipliers : w->kernels->densities)(
	    &w->pass, w->places, w->multipliers, w->constraint, (uint32_t)begin, (uint32_t)end, &w->block_max[block]);
}

static void correct(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	w->kernels->corrections(&w->pass, w->multipliers, w->inverse_mass, w->places, w->moved, (uint32_t)begin,
				(uint32_t)end);
}

static void smooth(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	w->kernels->smooth_velocity(&w->pass, w->places, w->velocity_in, w->velocity_out, (uint32_t)begin,
				    (uint32_t)end);
}

// Rows behind the last are never anybody's neighbours.
static void place_dummies(const pbf_work *w, vec4 *records, float w_value)
{
	for (uint32_t k = 0; k < SLACK; k++)
		records[w->pass.count + k] = (vec4){FAR_AWAY, FAR_AWAY, FAR_AWAY, w_value};
}

// Density errors of the places as they are, in the order of the blocks.
static void measure(pbf_work *w, solver_report *report)
{
	parallel_for(w->step->threads, w->slices, SLICES, multiply, w);
	place_dummies(w, w->multipliers, 0.0f);
	double sum = 0.0, largest = 0.0;
	for (size_t block = 0; block * SLICES < w->slices; block++)
	{
		sum += w->block_sum[block];
		largest = (double)w->block_max[block] > largest ? (double)w->block_max[block] : largest;
	}
	report->density_error_avg = sum / w->pass.count;
	report->density_error_max = largest;
}

static void iterate(pbf_work *w, solver_report *report)
{
	const solver_step *s = w->step;
	resolve_contacts(w);
	for (report->iterations = 0; report->iterations < s->iterations; report->iterations++)
	{
		// the error reported is the one before the last correction: measuring once more would cost half an iteration
		w->first_pass = report->iterations == 0;
		measure(w, report);
		if (report->iterations >= s->min_iterations && report->density_error_avg <= (double)s->tolerance)
			return;
		parallel_for(s->threads, w->slices, SLICES, correct, w);
		place_dummies(w, w->places, 1.0f);
		resolve_contacts(w);
	}
}

// --------------------------------------------------------------------------------------------------------- velocity

// XSPH coefficient of a fluid for one substep (docs/theory/pbf.md): c = 22 nu dt / h^2.
static double smoothing_of(const solver_step *s, const spate_fluid_def *fluid)
{
	double h = (double)s->radius;
	double c = fluid->damping >= 0.0 ? fluid->damping : 22.0 * fluid->viscosity * (double)s->dt / (h * h);
	return fmax(c, CALMING);
}

static void finish_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	const solver_step *s = w->step;
	for (size_t row = begin; row < end; row++)
	{
		vec4 moved = w->moved[row], place = w->places[row], before = s->store->velocity[row];
		const spate_fluid_def *fluid = &s->fluids[s->store->fluid[row]];
		vec3 v = vec3_scale(vec3_make(moved.x, moved.y, moved.z), 1.0f / s->dt);
		if (w->wall[row].w > 0.0f)
			v = collider_set_bounce(s->colliders, vec3_make(place.x, place.y, place.z),
						vec3_make(before.x, before.y, before.z), v, 0.5f * s->spacing, s->dt);
		w->velocity_out[row] = (vec4){v.x, v.y, v.z, (float)(smoothing_of(s, fluid) * (double)w->smoothing)};
		s->store->density[row] = (float)fluid->density * (1.0f + w->constraint[row]);
	}
}

static void update_velocity(pbf_work *w)
{
	const solver_step *s = w->step;
	double most = 0.0;
	for (uint32_t f = 0; f < s->fluid_count; f++)
		most = fmax(most, smoothing_of(s, &s->fluids[f]));
	int rounds = (int)fmax(1.0, ceil(most / ROUND_LIMIT));
	w->smoothing = 1.0f / (float)rounds;

	// the rounds go to and fro between two arrays and must end in the store's
	vec4 *own = s->store->velocity, *other = w->multipliers;
	w->velocity_out = rounds % 2 ? other : own;
	parallel_for(s->threads, w->pass.count, PARALLEL_BLOCK, finish_rows, w);
	for (int round = 0; round < rounds; round++)
	{
		w->velocity_in = w->velocity_out;
		w->velocity_out = w->velocity_in == own ? other : own;
		memset(w->velocity_in + w->pass.count, 0, SLACK * sizeof(vec4));
		parallel_for(s->threads, w->slices, SLICES, smooth, w);
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

// ------------------------------------------------------------------------------------------------------------- step

static void start_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	const solver_step *s = w->step;
	double reference = s->fluids[0].density;
	for (size_t row = begin; row < end; row++)
	{
		vec4 v = s->store->velocity[row];
		w->moved[row] = (vec4){v.x * s->dt, v.y * s->dt, v.z * s->dt, 0};
		w->inverse_mass[row] = (float)(reference / s->fluids[s->store->fluid[row]].density);
		w->places[row].w = w->inverse_mass[row];
	}
}

static int take_scratch(pbf_work *w)
{
	const solver_step *s = w->step;
	size_t rows = (size_t)w->pass.count + SLACK;
	size_t blocks = w->slices / SLICES + 1, wall_blocks = w->pass.count / WALL_ROWS + 1;
	return (w->multipliers = arena_alloc(s->scratch, rows * sizeof(vec4))) &&
	       (w->moved = arena_alloc(s->scratch, rows * sizeof(vec4))) &&
	       (w->wall = arena_alloc(s->scratch, rows * sizeof(vec4))) &&
	       (w->inverse_mass = arena_alloc(s->scratch, rows * sizeof(float))) &&
	       (w->constraint = arena_alloc(s->scratch, rows * sizeof(float))) &&
	       (w->pass.row_stiffness = arena_alloc(s->scratch, rows * sizeof(float))) &&
	       (w->near_rows = arena_alloc(s->scratch, wall_blocks * WALL_ROWS * sizeof(uint32_t))) &&
	       (w->near_starts = arena_alloc(s->scratch, (wall_blocks + 1) * sizeof(uint32_t))) &&
	       (w->block_sum = arena_alloc(s->scratch, blocks * sizeof(double))) &&
	       (w->block_max = arena_alloc(s->scratch, blocks * sizeof(float)));
}

static pbf_pass make_pass(const pbf *solver, const solver_step *s)
{
	double h = (double)solver->radius, v = solver->proto.volume;
	return (pbf_pass){
	    .slice_begin = s->list->slice_begin.data,
	    .slice_length = s->list->slice_length.data,
	    .entries = s->list->entries.data,
	    .count = s->list->count,
	    .inverse_h = (float)(1.0 / h),
	    .poly6 = (float)(v * KERNEL_POLY6_NORM / (h * h * h)),
	    .spiky = (float)(v * 3.0 * KERNEL_SPIKY_NORM / (h * h * h * h)),
	    .beta = (float)solver->proto.beta,
	    .stiffness = (float)solver->proto.stiffness,
	    .one_fluid = s->fluid_count == 1,
	};
}

// Surface tension by one knob (METHODS 2): how deep a density deficit pulls, and the repulsion that keeps the pulled particles
// apart. Both act as displacements per substep, so they go with dt^2 to act alike at any number of substeps.
static void set_tension(pbf_pass *pass, const solver_step *s)
{
	double kappa = 0.0;
	for (uint32_t f = 0; f < s->fluid_count; f++)
		kappa += s->fluids[f].surface_tension / s->fluid_count;
	if (kappa <= 0.0)
		return;
	double share = fmin(1.0, (double)s->dt * (double)s->dt / (TENSION_DT * TENSION_DT)), near = 1.0 - 0.2 * 0.2;
	pass->attraction = (float)(0.5 * kappa * share);
	pass->tensile = (float)((0.001 + 0.2 * kappa) * share) * pass->beta * pass->stiffness;
	pass->tensile_w = 1.0f / (pass->poly6 * (float)(near * near * near));
}

static spate_result step(const void *solver, const solver_step *s, solver_report *report, spate_error *error)
{
	*report = (solver_report){0};
	if (s->list->count == 0)
		return SPATE_OK;
	pbf_work w = {.step = s,
		      .kernels = pbf_kernels_table(s->simd),
		      .pass = make_pass(solver, s),
		      .slices = s->list->slice_count,
		      .places = s->store->position};
	if (!take_scratch(&w))
		return error_memory(error, (size_t)s->list->count * 64);
	w.pass.wall = w.wall;
	set_tension(&w.pass, s);
	size_t rows = w.pass.count;
	parallel_for(s->threads, rows, PARALLEL_BLOCK, start_rows, &w);
	if (!approach_walls(&w))
		return error_memory(error, w.near_count * sizeof *w.near);
	place_dummies(&w, w.places, 1.0f);
	for (uint32_t k = 0; k < SLACK; k++)
	{
		w.moved[rows + k] = w.wall[rows + k] = (vec4){0, 0, 0, 0};
		w.inverse_mass[rows + k] = 1.0f;
	}
	iterate(&w, report);
	report->moved = w.moved;
	update_velocity(&w);
	parallel_for(s->threads, rows, PARALLEL_BLOCK, store_pressure, &w);
	return SPATE_OK;
}

const solver_type solver_pbf = {"pbf", create, destroy, step, expected_error};
