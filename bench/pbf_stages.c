#include "bench/pbf_stages.h"

#include "base/error.h"
#include "base/parallel.h"
#include "solver/pbf_work.h"

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
	step_view view;
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
	result = neighbour_list_build(&w->work.list, &w->work.index, w->state.store->position, w->work.margin,
				      w->model.threads, error);
	stopwatch_stop(&watch->list);
	if (result != SPATE_OK)
		return result;

	stopwatch_start(&watch->part);
	result = world_separate(w, (double)r->travel, error);
	stopwatch_stop(&watch->part);
	return result;
}

// ---------------------------------------------------------------------------------------------------- solver passes

// Sets the rows as at the start of a solve, with a copy of the positions, which stay as they are.
static spate_result start_solver(stage_run *r, spate_error *error)
{
	spate_world *w = r->world;
	size_t rows = w->work.list.count;
	r->view = world_view(w, (double)r->travel);
	r->view.scratch = &r->scratch;
	arena_reset(&r->scratch);
	spate_result result = step_view_take_arrays(&r->view, error);
	if (result != SPATE_OK)
		return result;
	r->view.places = arena_alloc(&r->scratch, (rows + STEP_SLACK) * sizeof(vec4));
	if (!r->view.places)
		return error_memory(error, rows * sizeof(vec4));
	memcpy(r->view.places, w->state.store->position, rows * sizeof(vec4));
	result = pbf_work_start(&r->work, w->state.solver, &r->view, error);
	if (result != SPATE_OK)
		return result;
	stopwatch_start(&r->watches.approach);
	result = pbf_work_find_walls(&r->work, error);
	stopwatch_stop(&r->watches.approach);
	r->work.pass.omega = 1.0f;
	memset(r->work.last, 0, (rows + STEP_SLACK) * sizeof(vec4));
	return result;
}

static void multiply(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	(w->first_pass ? w->kernels->multipliers : w->kernels->densities)(&w->pass, w->view->places, w->multipliers,
									  w->constraint, (uint32_t)begin, (uint32_t)end,
									  &w->block_max[begin / STEP_SLICES]);
}

static void correct(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	w->kernels->corrections(&w->pass, w->multipliers, w->view->places, w->view->moved, w->last, (uint32_t)begin,
				(uint32_t)end);
}

static void smooth(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	pair_kernels_table(w->view->simd)
	    ->smooth_velocity(&w->pass.pairs, w->view->places, w->view->moved, w->multipliers, (uint32_t)begin,
			      (uint32_t)end);
}

// Images take the places and the w of `mirrored` first; NULL for a pass without images.
static void time_pass(stage_run *r, stopwatch *watch, parallel_body *body, vec4 *mirrored)
{
	const step_view *v = &r->view;
	stopwatch_start(watch);
	if (mirrored)
		pbf_work_place_images(&r->work, mirrored);
	parallel_for(v->threads, v->list->slice_count, STEP_SLICES, body, &r->work);
	stopwatch_stop(watch);
	// full vectors have overwritten the dummies behind the last row
	step_place_dummies(v->places, v->list->count, 1.0f);
	step_place_dummies(r->work.multipliers, v->list->count, 0.0f);
}

static void time_contacts(stage_run *r)
{
	stopwatch_start(&r->watches.contacts);
	contacts_touch(&r->work.near, PBF_GUARD);
	stopwatch_stop(&r->watches.contacts);
}

// Two iterations and a round of smoothing.
static spate_result solve(stage_run *r, spate_error *error)
{
	stage_watches *watch = &r->watches;
	pbf_work *w = &r->work;
	spate_result result = start_solver(r, error);
	if (result != SPATE_OK)
		return result;
	time_contacts(r);
	stopwatch_start(&watch->mirror);
	result = pbf_work_mirror(w, error);
	stopwatch_stop(&watch->mirror);
	if (result != SPATE_OK)
		return result;
	w->first_pass = 1;
	time_pass(r, &watch->multipliers, multiply, r->view.places);
	time_pass(r, &watch->corrections, correct, w->multipliers);
	time_contacts(r);
	w->first_pass = 0;
	time_pass(r, &watch->densities, multiply, r->view.places);
	time_pass(r, &watch->corrections, correct, w->multipliers);
	time_contacts(r);
	stopwatch_start(&watch->hold);
	contacts_hold(&w->near);
	stopwatch_stop(&watch->hold);
	for (size_t row = 0; row < r->view.list->count; row++)
		r->view.moved[row].w = xsph;
	time_pass(r, &watch->xsph, smooth, NULL);
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
