#include "world/state.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "world/channels.h"

#include <float.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------------- making

static void include(double low[3], double high[3], const double from[3], const double to[3])
{
	for (int k = 0; k < 3; k++)
	{
		low[k] = fmin(low[k], from[k]);
		high[k] = fmax(high[k], to[k]);
	}
}

// Centre of the box around all sources and bounded colliders; *size receives its size (m).
static void scene_centre(const spate_world_def *def, double centre[3], double *size)
{
	double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, a[3], b[3];
	for (uint32_t s = 0; s < def->source_count; s++)
		if (def->sources[s].type == SPATE_SOURCE_EMITTER)
			include(low, high, def->sources[s].position, def->sources[s].position);
		else if (!def->sources[s].from && shape_bounds(&def->sources[s].shape, a, b))
			include(low, high, a, b);
	for (uint32_t c = 0; c < def->collider_count; c++)
		if (!def->colliders[c].mesh.path && !def->colliders[c].mesh.mesh &&
		    shape_bounds(&def->colliders[c].shape, a, b))
			include(low, high, a, b);
	*size = 0.0;
	for (int k = 0; k < 3; k++)
	{
		centre[k] = high[k] >= low[k] ? 0.5 * (low[k] + high[k]) : 0.0;
		*size = high[k] >= low[k] ? fmax(*size, high[k] - low[k]) : *size;
	}
}

double world_radius(const spate_world_def *def)
{
	const solver_type *type = solver_table(def->solver.type);
	return type ? type->radius : solver_table(0)->radius;
}

// From the origin along each axis (m), for a kernel radius: a little less than the range of its cells.
static float reach_of(double radius)
{
	return cell_grid_make((double)(float)radius).limit * 0.999f;
}

// The origin is the centre, rounded to a power of two no larger than the scene, so that round numbers stay round.
world_span world_span_of(const spate_world_def *def)
{
	world_span span;
	double centre[3], size, finest = INFINITY;
	scene_centre(def, centre, &size);
	double unit = size > 0.0 ? exp2(floor(log2(size))) : 1.0;
	for (int k = 0; k < 3; k++)
		span.origin[k] = floor(centre[k] / unit) * unit;
	for (uint32_t f = 0; f < def->fluid_count; f++)
		finest = fmin(finest, def->fluids[f].spacing);
	span.speed_limit =
	    def->speed_limit > 0.0 ? def->speed_limit : fmax(100.0, 20.0 * sqrt(2.0 * force_most(def) * size));
	span.finest = finest;
	span.reach = reach_of(world_radius(def) * finest);
	return span;
}

static void *copy(const void *items, size_t count, size_t size)
{
	void *own = mem_alloc(count ? count * size : 1);
	if (own && count)
		memcpy(own, items, count * size);
	return own;
}

// Fluids of the same spacing share a class of the space index.
static spate_result make_classes(spate_world *w, spate_error *error)
{
	float radii[SPACE_MAX_CLASSES];
	uint32_t count = 0;
	w->model.spacing = INFINITY;
	for (uint32_t f = 0; f < w->model.def.fluid_count; f++)
	{
		w->model.radii[f] = (float)(w->model.solver_type->radius * w->model.fluids[f].spacing);
		w->model.spacing = fminf(w->model.spacing, (float)w->model.fluids[f].spacing);
		uint32_t c = 0;
		while (c < count && radii[c] != w->model.radii[f])
			c++;
		if (c == SPACE_MAX_CLASSES)
			return error_set(error, SPATE_INVALID, "the fluids have more than %d different spacings",
					 SPACE_MAX_CLASSES);
		if (c == count)
			radii[count++] = w->model.radii[f];
		w->model.classes[f] = (uint8_t)c;
	}
	w->model.radius = (float)(w->model.solver_type->radius * (double)w->model.spacing);
	return space_index_set_classes(&w->work.index, count, radii,
				       (float)(WORLD_LIST_MARGIN * (double)w->model.radius), error);
}

// Adds a field for every material value that some source sets for its particles.
static spate_result add_material_fields(spate_world *w, spate_error *error)
{
	spate_result result = SPATE_OK;
	for (material_id id = 0; id < MATERIAL_COUNT && result == SPATE_OK; id++)
		for (uint32_t s = 0; s < w->state.sources.count; s++)
			if (material_of_source(&w->state.sources.defs[s], id) >= 0.0)
			{
				result = store_add_fields(w->state.store, (field_table){&material_fields.fields[id], 1},
							  error);
				break;
			}
	return result;
}

uint64_t spate_world_sink_removed(const spate_world *w, uint32_t sink)
{
	return sink < w->model.def.sink_count ? w->state.sinks[sink].removed : 0;
}

spate_result world_survey_material(spate_world *w, spate_error *error)
{
	spate_result result = material_survey(&w->state.material, w->state.store, w->model.threads, error);
	// particles that are yet to be emitted count as well
	for (material_id id = 0; id < MATERIAL_COUNT; id++)
		for (uint32_t s = 0; s < w->state.sources.count; s++)
			material_include(&w->state.material, id, material_of_source(&w->state.sources.defs[s], id));
	return result;
}

static collider_world around(const spate_world *w)
{
	collider_world out = {.fps = w->model.def.fps,
			      .spacing = w->model.spacing,
			      .field_folder = w->model.def.field_folder,
			      .threads = w->model.threads};
	memcpy(out.origin, w->model.origin, sizeof out.origin);
	for (uint32_t f = 0; f < w->model.def.fluid_count; f++)
		out.radius = fmaxf(out.radius, w->model.radii[f]);
	return out;
}

// With `empty`, fills that start with the world are not going to be made.
static spate_result make_sources(spate_world *w, int empty, spate_error *error)
{
	const spate_world_def *def = &w->model.def;
	collider_world here = around(w);
	spate_result result =
	    source_set_create(&w->state.sources, def->sources, def->source_count, w->model.origin, def->seed, error);
	if (result == SPATE_OK)
		result = source_set_prepare(&w->state.sources, w->model.fluids, def->fluid_count, &here,
					    &w->state.colliders, empty ? DBL_MIN : 0.0, error);
	if (result == SPATE_OK)
		result = sinks_create(w->state.sinks, def->sinks, def->sink_count, &here, error);
	return result;
}

static spate_result make_colliders(spate_world *w, spate_error *error)
{
	collider_world here = around(w);
	return collider_set_create(&w->state.colliders, w->model.def.colliders, w->model.def.collider_count, &here,
				   error);
}

static spate_result make_bodies(spate_world *w, spate_error *error)
{
	body_set *bodies = &w->state.bodies;
	spate_result result =
	    body_set_create(bodies, &w->model.def, &w->state.colliders, (double)w->model.radius, error);
	bodies->couples = w->model.solver_type->couples;
	bodies->speed_limit = w->model.speed_limit;
	bodies->place_limit = (double)w->model.reach;
	w->model.loads |= bodies->count > 0;
	if (result == SPATE_OK)
		result =
		    bend_set_create(&w->state.bending, &w->model.def, &w->state.colliders, w->model.threads, error);
	w->state.bending.speed_limit = w->model.speed_limit;
	if (result == SPATE_OK && w->state.bending.count > 0 && !w->model.solver_type->couples)
		result = error_set(error, SPATE_INVALID, "bodies that bend need the solver 'projection'");
	return result;
}

static spate_result make_solver(spate_world *w, spate_error *error)
{
	return w->model.solver_type->create ? w->model.solver_type->create(&w->state.solver, error) : SPATE_OK;
}

void world_set_forces(spate_world *w)
{
	// drag brakes the fastest particle the most, but a stray drop shall not shorten the substeps of all
	force_set_make(&w->model.forces, &w->model.def, w->model.force_assets, w->model.extra_forces,
		       w->model.extra_force_count, w->state.counters.bulk_speed);
	if (!w->model.forces.unknown || !w->state.store)
		return;
	force_rows rows = {.count = w->state.store->rows,
			   .positions = w->state.store->position,
			   .velocities = w->state.store->velocity,
			   .origin = w->model.origin,
			   .time = spate_world_time(w),
			   .fluids = w->state.store->fluid};
	force_set_measure(&w->model.forces, &rows, w->model.threads);
}

// Copies the forces, and makes what they need.
static spate_result make_forces(spate_world *w, spate_error *error)
{
	spate_result result = force_assets_make(&w->model.force_assets, &w->model.def, error);
	if (result == SPATE_OK)
		world_set_forces(w);
	return result;
}

static spate_result build(spate_world *w, int empty, spate_error *error)
{
	const spate_world_def *def = &w->model.def;
	w->model.fluids = copy(def->fluids, def->fluid_count, sizeof *def->fluids);
	w->model.interfaces = copy(def->interfaces, def->interface_count, sizeof *def->interfaces);
	w->model.sinks = copy(def->sinks, def->sink_count, sizeof *def->sinks);
	w->state.sinks = mem_calloc(def->sink_count + 1, sizeof *w->state.sinks);
	w->model.probes = copy(def->probes, def->probe_count, sizeof *def->probes);
	w->model.force_defs = copy(def->forces, def->force_count, sizeof *def->forces);
	w->model.radii = mem_calloc(def->fluid_count, sizeof *w->model.radii);
	w->model.classes = mem_calloc(def->fluid_count, sizeof *w->model.classes);
	if (!w->model.fluids || !w->model.interfaces || !w->model.sinks || !w->model.probes || !w->model.force_defs ||
	    !w->model.radii || !w->model.classes || !w->state.sinks)
		return error_memory(error, sizeof *w->model.fluids * def->fluid_count);
	w->model.def.fluids = w->model.fluids;
	w->model.def.interfaces = w->model.interfaces;
	w->model.def.sinks = w->model.sinks;
	w->model.def.probes = w->model.probes;
	w->model.def.forces = w->model.force_defs;
	w->model.simd = simd_level_detect();
	world_span span = world_span_of(def);
	memcpy(w->model.origin, span.origin, sizeof w->model.origin);
	w->model.speed_limit = span.speed_limit;
	w->model.reach = reach_of(w->model.solver_type->radius * span.finest);
	w->state.room = 1.0;

	spate_result result = make_forces(w, error);
	if (result == SPATE_OK)
		result = world_take_cameras(w, error);
	if (result == SPATE_OK)
		result = spate_store_create(&w->state.store, 0, error);
	spate_world_set_threads(w, def->threads);
	if (result == SPATE_OK)
		result = store_add_fields(w->state.store, w->model.solver_type->fields, error);
	if (result == SPATE_OK)
		result = make_classes(w, error);
	if (result == SPATE_OK)
		result = make_solver(w, error);
	if (result == SPATE_OK)
		result = make_colliders(w, error);
	if (result == SPATE_OK)
		result = make_bodies(w, error);
	if (result == SPATE_OK)
		result = wet_set_create(&w->state.wet, def->colliders, def->collider_count, &w->state.colliders, error);
	if (result == SPATE_OK)
		result = make_sources(w, empty, error);
	if (result == SPATE_OK)
		result = loads_create(w, error);
	if (result == SPATE_OK)
		result = probes_create(w, error);
	if (result == SPATE_OK)
		result = add_material_fields(w, error);
	if (result == SPATE_OK)
		result = channels_create(w, error);
	return result;
}

// Settles the fills, but leaves what comes from files where it is: it was in balance there. Its ids are the first.
static spate_result settle(spate_world *w, spate_error *error)
{
	spate_store *store = w->state.store;
	size_t resumed = w->state.sources.resumed;
	vec4 *places = mem_alloc(resumed * sizeof *places + 1);
	if (!places)
		return error_memory(error, resumed * sizeof *places);
	memcpy(places, store->position, resumed * sizeof *places);
	spate_result result = world_settle(w, error);
	for (uint32_t row = 0; row < store->rows && resumed > 0; row++)
		if ((uint64_t)store->id[row] < resumed)
			store->position[row] = places[store->id[row]];
	mem_free(places);
	return result;
}

// Creates the fills that start at time 0.
static spate_result fill(spate_world *w, spate_error *error)
{
	spate_result result =
	    source_set_run(&w->state.sources, w->state.store, w->model.fluids, &w->state.colliders, 0.0, 0.0, error);
	if (result == SPATE_OK)
		result = world_survey_material(w, error);
	if (result == SPATE_OK)
		result = settle(w, error);
	if (result == SPATE_OK)
		result = world_measure(w, error);
	if (result == SPATE_OK)
		probes_read(w);
	return result;
}

// Extra solvers follow those of the table.
static const solver_type *find_solver(int type, const world_extras *extras)
{
	uint32_t extra = (uint32_t)(type - SOLVER_COUNT);
	return type >= SOLVER_COUNT && extras && extra < extras->solver_count ? extras->solvers[extra]
									      : solver_table(type);
}

spate_result world_create(spate_world **world, const spate_world_def *def, const world_extras *extras,
			  spate_error *error)
{
	int empty = extras && extras->empty;
	*world = NULL;
	const solver_type *type = find_solver(def->solver.type, extras);
	if (!type)
		return error_set(error, SPATE_INVALID, "the solver is invalid: its type is unknown");
	spate_result result = world_check(def, error);
	uint32_t row;
	spate_error problem = {0};
	if (result == SPATE_OK && solver_check_settings(type, &def->solver, &row, &problem) != SPATE_OK)
		result = error_set(error, SPATE_INVALID, "the solver is invalid: %s", problem.text);
	if (result == SPATE_OK &&
	    solver_check_cameras(type, &def->solver, def->camera_count, &row, &problem) != SPATE_OK)
		result = error_set(error, SPATE_INVALID, "the solver is invalid: %s", problem.text);
	if (result != SPATE_OK)
		return result;
	spate_world *w = mem_calloc(1, sizeof *w);
	if (!w)
		return error_memory(error, sizeof *w);
	w->model.def = *def;
	w->model.solver_type = type;
	solver_fill_settings(type, &w->model.def.solver);
	w->model.extra_forces = extras ? extras->forces : NULL;
	w->model.extra_force_count = extras ? extras->force_count : 0;
	arena_init(&w->work.scratch);
	arena_init(&w->model.texts);
	result = build(w, empty, error);
	if (result == SPATE_OK && !empty)
		result = fill(w, error);
	if (result == SPATE_OK)
		result = world_keep_definition(w, error);
	if (result == SPATE_OK)
		result = world_make_tracks(w, error);
	if (empty)
		world_spoil(w, "it was created empty");
	if (result == SPATE_OK)
		*world = w;
	else
		spate_world_destroy(w);
	return result;
}

spate_result spate_world_create(spate_world **world, const spate_world_def *def, spate_error *error)
{
	if (!world || !def)
		return error_set(error, SPATE_INVALID,
				 "spate_world_create needs a pointer to the world and a definition, not NULL");
	return world_create(world, def, NULL, error);
}

spate_result spate_world_create_empty(spate_world **world, const spate_world_def *def, spate_error *error)
{
	if (!world || !def)
		return error_set(error, SPATE_INVALID,
				 "spate_world_create_empty needs a pointer to the world and a definition, not NULL");
	world_extras extras = {.empty = 1};
	return world_create(world, def, &extras, error);
}

void spate_world_destroy(spate_world *w)
{
	if (!w)
		return;
	spate_store_destroy(w->state.store);
	space_index_free(&w->work.index);
	neighbour_list_free(&w->work.list);
	array_free(&w->work.listed);
	array_free(&w->constraints);
	arena_free(&w->work.scratch);
	body_set_destroy(&w->state.bodies);
	bend_set_destroy(&w->state.bending);
	collider_set_destroy(&w->state.colliders);
	wet_set_destroy(&w->state.wet);
	source_set_destroy(&w->state.sources);
	if (w->model.solver_type && w->model.solver_type->destroy)
		w->model.solver_type->destroy(w->state.solver);
	mem_free(w->model.fluids);
	mem_free(w->model.radii);
	mem_free(w->model.classes);
	mem_free(w->model.interfaces);
	if (w->state.sinks)
		sinks_free(w->state.sinks, w->model.def.sink_count);
	mem_free(w->state.sinks);
	mem_free(w->model.sinks);
	mem_free(w->model.probes);
	force_assets_free(w->model.force_assets, w->model.force_defs, w->model.def.force_count);
	mem_free(w->model.force_defs);
	mem_free(w->model.cameras);
	mem_free(w->model.colliders);
	mem_free(w->model.channels);
	arena_free(&w->model.texts);
	array_free(&w->state.changes.list);
	mem_free(w->model.columns);
	world_free_tracks(w);
	mem_free(w->state.values);
	mem_free(w->state.flux);
	mem_free(w->state.loads);
	mem_free(w->state.frame_loads);
	mem_free(w);
}

// ------------------------------------------------------------------------------------------------------ reading

uint32_t spate_world_frame(const spate_world *w)
{
	return w->state.counters.frame;
}

double spate_world_time(const spate_world *w)
{
	return w->state.counters.frame / w->model.def.fps + w->state.counters.elapsed;
}

const spate_step_stats *spate_world_stats(const spate_world *w)
{
	return &w->work.stats;
}

spate_store *spate_world_store(spate_world *w)
{
	return w->state.store;
}

const double *spate_world_origin(const spate_world *w)
{
	return w->model.origin;
}

uint64_t spate_world_hash(const spate_world *w)
{
	// rows removed in the last step are still in the arrays
	uint64_t hash = hash_particles(w->model.threads, w->state.store->rows, w->state.store->id,
				       w->state.store->position, w->state.store->velocity);
	for (uint32_t row = 0; row < w->state.store->rows && w->state.store->removed > 0; row++)
		if (w->state.store->dead[row])
			hash -= hash_particles(1, 1, &w->state.store->id[row], &w->state.store->position[row],
					       &w->state.store->velocity[row]);
	return hash;
}

size_t spate_world_bytes(const spate_world *w)
{
	return spate_store_bytes(w->state.store) + collider_set_bytes(&w->state.colliders) +
	       wet_set_bytes(&w->state.wet) + space_index_bytes(&w->work.index) + neighbour_list_bytes(&w->work.list) +
	       w->work.listed.capacity * sizeof(vec4) + w->work.scratch.high_water;
}

void spate_world_set_threads(spate_world *w, int threads)
{
	w->model.threads = threads > 0 ? threads : parallel_default_threads();
	if (w->state.store)
		w->state.store->threads = w->model.threads;
}

uint32_t spate_world_probe_columns(const spate_world *w)
{
	return w->model.column_count;
}

const char *spate_world_probe_column(const spate_world *w, uint32_t column, const char **unit)
{
	if (column >= w->model.column_count)
		return NULL;
	if (unit)
		*unit = w->model.columns[column].unit;
	return w->model.columns[column].name;
}

const double *spate_world_probe_values(const spate_world *w)
{
	return w->state.values;
}
