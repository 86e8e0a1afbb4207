#include "bench/pbf_stages.h"

#include "base/error.h"
#include "base/parallel.h"
#include "solver/pbf_work.h"

#include <float.h>
#include <string.h>

static const float xsph = 0.02f; // coefficient of thin liquids

typedef struct stage_watches
{
#define X(name) stopwatch name;
	PBF_STAGE_MAP(X)
#undef X
} stage_watches;

typedef struct stage_run
{
	spate_world *world;
	solver_step step;
	pbf_work work;
	arena scratch;
	float travel; // s
	stage_watches watches;
} stage_run;

// ------------------------------------------------------------------------------------------- from places to lists

static void drift_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const stage_run *r = context;
	const spate_store *store = r->world->state.store;
	for (size_t row = begin; row < end; row++)
	{
		vec4 *x = &store->position[row], v = store->velocity[row];
		*x = (vec4){x->x + r->travel * v.x, x->y + r->travel * v.y, x->z + r->travel * v.z, x->w};
	}
}

static spate_result sort_and_list(stage_run *r, spate_error *error)
{
	spate_world *w = r->world;
	stage_watches *watch = &r->watches;
	space_input input = {w->state.store->rows,       w->state.store->position, w->state.store->id,
			     w->state.store->fluid,      w->model.classes,         .kept = w->state.store->rows,
			     .scratch = &w->work.scratch};
	arena_reset(&w->work.scratch);
	uint32_t *order = arena_alloc(&w->work.scratch, w->state.store->rows * sizeof *order);
	if (!order)
		return error_memory(error, w->state.store->rows * sizeof *order);
	stopwatch_start(&watch->sort);
	spate_result result = space_index_sort(&w->work.index, &input, w->model.threads, order, NULL, error);
	stopwatch_stop(&watch->sort);
	if (result != SPATE_OK)
		return result;

	stopwatch_start(&watch->map);
	result = cell_map_build(&w->work.index.classes[0].map, 0, w->state.store->rows, w->work.index.keys.data,
				w->model.threads, error);
	stopwatch_stop(&watch->map);
	if (result != SPATE_OK)
		return result;

	stopwatch_start(&watch->permute);
	store_permute(w->state.store, order, w->model.threads);
	stopwatch_stop(&watch->permute);

	stopwatch_start(&watch->list);
	result = neighbour_list_build(&w->work.list, &w->work.index, w->state.store->position, w->model.threads, error);
	stopwatch_stop(&watch->list);
	if (result != SPATE_OK)
		return result;

	stopwatch_start(&watch->part);
	result = world_separate(w, (double)r->travel, error);
	stopwatch_stop(&watch->part);
	return result;
}

// ---------------------------------------------------------------------------------------------------- solver passes

// Sets the solver's constants for one fluid, and the rows as at the start of a solve.
static int start_solver(stage_run *r)
{
	spate_world *w = r->world;
	double d = w->model.fluids[0].spacing, h = (double)w->model.radii[0];
	prototype p = prototype_make(1.0, h / d);
	r->step = (solver_step){.store = w->state.store,
				.list = &w->work.list,
				.colliders = &w->state.colliders,
				.fluids = w->model.fluids,
				.fluid_count = 1,
				.radii = w->model.radii,
				.dt = (float)w->work.stats.dt,
				.scratch = &r->scratch,
				.threads = w->model.threads,
				.simd = w->model.simd};
	pbf_work *k = &r->work;
	*k = (pbf_work){.step = &r->step,
			.kernels = pbf_kernels_table(w->model.simd),
			.slices = w->work.list.slice_count,
			.constraint = w->state.store->density};
	k->pass = (pbf_pass){.slice_begin = w->work.list.slice_begin.data,
			     .slice_length = w->work.list.slice_length.data,
			     .entries = w->work.list.entries.data,
			     .count = w->work.list.count,
			     .equal_masses = 1,
			     .same = {(float)(0.5 * h), (float)(p.volume * pow(d / h, 3.0)), 1.0f, 0.0f},
			     .reference_h = (float)h,
			     .light = FLT_MAX,
			     .beta = (float)p.beta,
			     .stiffness = (float)(p.stiffness * d * d / (h * h)),
			     .omega = 1.0f};
	arena_reset(&r->scratch);
	size_t rows = k->pass.count;
	k->places = arena_alloc(&r->scratch, (rows + PBF_SLACK) * sizeof *k->places);
	if (!k->places || !pbf_take_scratch(k))
		return 0;
	for (size_t row = 0; row < rows + PBF_SLACK; row++)
	{
		vec4 x = row < rows ? w->state.store->position[row] : (vec4){1e12f, 1e12f, 1e12f, 0.0f};
		k->places[row] = k->multipliers[row] = (vec4){x.x, x.y, x.z, 1.0f};
		vec4 v = row < rows ? w->state.store->velocity[row] : (vec4){0, 0, 0, 0};
		k->moved[row] = (vec4){r->travel * v.x, r->travel * v.y, r->travel * v.z, 0.0f};
		k->last[row] = (vec4){0, 0, 0, 0};
	}
	return 1;
}

static void multiply(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	(w->first_pass ? w->kernels->multipliers : w->kernels->densities)(&w->pass, w->places, w->multipliers,
									  w->constraint, (uint32_t)begin, (uint32_t)end,
									  &w->block_max[begin / PBF_SLICES]);
}

static void correct(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	w->kernels->corrections(&w->pass, w->multipliers, w->places, w->moved, w->last, (uint32_t)begin, (uint32_t)end);
}

static void smooth(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	w->kernels->smooth_velocity(&w->pass, w->places, w->moved, w->multipliers, (uint32_t)begin, (uint32_t)end);
}

static void time_pass(stage_run *r, stopwatch *watch, parallel_body *body)
{
	pbf_work *w = &r->work;
	stopwatch_start(watch);
	parallel_for(r->step.threads, w->slices, PBF_SLICES, body, w);
	stopwatch_stop(watch);
	// full vectors have overwritten the dummies behind the last row
	for (uint32_t k = 0; k < PBF_SLACK; k++)
		w->places[w->pass.count + k] = w->multipliers[w->pass.count + k] = (vec4){1e12f, 1e12f, 1e12f, 0.0f};
}

static void time_contacts(stage_run *r)
{
	stopwatch_start(&r->watches.contacts);
	contacts_touch(&r->work, 1);
	stopwatch_stop(&r->watches.contacts);
}

// Two iterations and a round of smoothing.
static spate_result solve(stage_run *r, spate_error *error)
{
	stage_watches *watch = &r->watches;
	pbf_work *w = &r->work;
	if (!start_solver(r))
		return error_memory(error, (size_t)r->world->work.list.count * 100);
	stopwatch_start(&watch->approach);
	int ok = contacts_find(w);
	stopwatch_stop(&watch->approach);
	if (!ok)
		return error_memory(error, w->near_count * sizeof *w->near);
	time_contacts(r);
	w->first_pass = 1;
	time_pass(r, &watch->multipliers, multiply);
	time_pass(r, &watch->corrections, correct);
	time_contacts(r);
	w->first_pass = 0;
	time_pass(r, &watch->densities, multiply);
	time_pass(r, &watch->corrections, correct);
	time_contacts(r);
	stopwatch_start(&watch->hold);
	contacts_hold(w);
	stopwatch_stop(&watch->hold);
	for (size_t row = 0; row < w->pass.count; row++)
		w->moved[row].w = xsph;
	time_pass(r, &watch->xsph, smooth);
	return SPATE_OK;
}

spate_result pbf_stages_measure(spate_world *world, const bench_options *options, pbf_stages *out, spate_error *error)
{
	stage_run r = {.world = world};
	arena_init(&r.scratch);
	store_compact(world->state.store, world->model.threads);
	spate_result result = SPATE_OK;
	for (int run = 0; run < options->runs && result == SPATE_OK; run++)
	{
		r.travel = run % 2 == 0 ? (float)world->work.stats.dt : (float)-world->work.stats.dt;
		parallel_for(world->model.threads, world->state.store->rows, PARALLEL_BLOCK, drift_rows, &r);
		result = sort_and_list(&r, error);
		if (result == SPATE_OK)
			result = solve(&r, error);
	}
	arena_free(&r.scratch);
	uint32_t count = world->state.store->rows;
#define X(name) out->name = stopwatch_ns_per(&r.watches.name, count);
	PBF_STAGE_MAP(X)
#undef X
	return result;
}
