#include "world/world.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/parallel.h"

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
		else if (shape_bounds(&def->sources[s].shape, a, b))
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

// The origin is the centre, rounded to a power of two no larger than the scene, so that round numbers stay round.
world_span world_span_of(const spate_world_def *def)
{
	world_span span;
	double centre[3], size, finest = INFINITY;
	const double *g = def->gravity;
	scene_centre(def, centre, &size);
	double unit = size > 0.0 ? exp2(floor(log2(size))) : 1.0;
	for (int k = 0; k < 3; k++)
		span.origin[k] = floor(centre[k] / unit) * unit;
	for (uint32_t f = 0; f < def->fluid_count; f++)
		finest = fmin(finest, def->fluids[f].spacing);
	double gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
	span.speed_limit = def->speed_limit > 0.0 ? def->speed_limit : fmax(100.0, 20.0 * sqrt(2.0 * gravity * size));
	// for cells without the margin of the lists, which are the smallest
	span.reach = cell_grid_make((double)(float)(RADIUS_IN_SPACINGS * finest)).limit * 0.999f;
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
	w->spacing = INFINITY;
	for (uint32_t f = 0; f < w->def.fluid_count; f++)
	{
		w->radii[f] = (float)(RADIUS_IN_SPACINGS * w->fluids[f].spacing);
		w->spacing = fminf(w->spacing, (float)w->fluids[f].spacing);
		uint32_t c = 0;
		while (c < count && radii[c] != w->radii[f])
			c++;
		if (c == SPACE_MAX_CLASSES)
			return error_set(error, SPATE_INVALID, "the fluids have more than %d different spacings",
					 SPACE_MAX_CLASSES);
		if (c == count)
			radii[count++] = w->radii[f];
		w->classes[f] = (uint8_t)c;
	}
	w->radius = (float)(RADIUS_IN_SPACINGS * (double)w->spacing);
	return space_index_set_classes(&w->index, count, radii, error);
}

// Adds a channel for every material value that some source sets for its particles.
static spate_result add_material_channels(spate_world *w, spate_error *error)
{
	const float as_fluid = -1.0f;
	spate_result result = SPATE_OK;
	for (material_id id = 0; id < MATERIAL_COUNT && result == SPATE_OK; id++)
		for (uint32_t s = 0; s < w->sources.count; s++)
			if (material_of_source(&w->sources.defs[s], id) >= 0.0)
			{
				result = spate_store_add_channel(w->store, material_channels[id], SPATE_FLOAT,
								 &as_fluid, error);
				break;
			}
	return result;
}

spate_result world_survey_material(spate_world *w, spate_error *error)
{
	spate_result result = material_survey(&w->material, w->store, w->threads, error);
	// particles that are yet to be emitted count as well
	for (material_id id = 0; id < MATERIAL_COUNT; id++)
		for (uint32_t s = 0; s < w->sources.count; s++)
			material_include(&w->material, id, material_of_source(&w->sources.defs[s], id));
	return result;
}

static spate_result make_colliders(spate_world *w, spate_error *error)
{
	collider_world around = {
	    .fps = w->def.fps, .spacing = w->spacing, .field_folder = w->def.field_folder, .threads = w->threads};
	memcpy(around.origin, w->origin, sizeof around.origin);
	for (uint32_t f = 0; f < w->def.fluid_count; f++)
		around.radius = fmaxf(around.radius, w->radii[f]);
	return collider_set_create(&w->colliders, w->def.colliders, w->def.collider_count, &around, error);
}

static spate_result build(spate_world *w, spate_error *error)
{
	const spate_world_def *def = &w->def;
	w->fluids = copy(def->fluids, def->fluid_count, sizeof *def->fluids);
	w->sinks = copy(def->sinks, def->sink_count, sizeof *def->sinks);
	w->probes = copy(def->probes, def->probe_count, sizeof *def->probes);
	w->radii = mem_calloc(def->fluid_count, sizeof *w->radii);
	w->classes = mem_calloc(def->fluid_count, sizeof *w->classes);
	if (!w->fluids || !w->sinks || !w->probes || !w->radii || !w->classes)
		return error_memory(error, sizeof *w->fluids * def->fluid_count);
	w->def.fluids = w->fluids;
	w->def.sinks = w->sinks;
	w->def.probes = w->probes;
	w->simd = simd_level_detect();
	world_span span = world_span_of(def);
	memcpy(w->origin, span.origin, sizeof w->origin);
	w->def.speed_limit = span.speed_limit;
	w->reach = span.reach;
	w->solver_type = solver_table(def->solver.type);
	w->room = 1.0;

	spate_result result = spate_store_create(&w->store, 0, error);
	spate_world_set_threads(w, def->threads);
	if (result == SPATE_OK)
		result = make_classes(w, error);
	if (result == SPATE_OK)
		result = w->solver_type->create(&w->solver, RADIUS_IN_SPACINGS, error);
	if (result == SPATE_OK)
		result = make_colliders(w, error);
	if (result == SPATE_OK)
		result = wet_set_create(&w->wet, def->colliders, def->collider_count, &w->colliders, error);
	if (result == SPATE_OK)
		result = source_set_create(&w->sources, def->sources, def->source_count, w->origin, def->seed, error);
	if (result == SPATE_OK)
		result = probes_create(w, error);
	if (result == SPATE_OK)
		result = add_material_channels(w, error);
	if (result == SPATE_OK)
		result = source_set_run(&w->sources, w->store, w->fluids, &w->colliders, 0.0, 0.0, error);
	if (result == SPATE_OK)
		result = world_survey_material(w, error);
	if (result == SPATE_OK)
		result = world_relax_fills(w, error);
	if (result == SPATE_OK)
		result = world_measure(w, error);
	if (result == SPATE_OK)
		probes_read(w);
	return result;
}

spate_result spate_world_create(spate_world **world, const spate_world_def *def, spate_error *error)
{
	if (!world || !def)
		return error_set(error, SPATE_INVALID,
				 "spate_world_create needs a pointer to the world and a definition, not NULL");
	*world = NULL;
	spate_result result = world_check(def, error);
	if (result != SPATE_OK)
		return result;
	spate_world *w = mem_calloc(1, sizeof *w);
	if (!w)
		return error_memory(error, sizeof *w);
	w->def = *def;
	arena_init(&w->scratch);
	result = build(w, error);
	// borrowed only for the call
	w->def.colliders = NULL;
	w->def.sources = NULL;
	w->def.field_folder = NULL;
	if (result == SPATE_OK)
		*world = w;
	else
		spate_world_destroy(w);
	return result;
}

void spate_world_destroy(spate_world *w)
{
	if (!w)
		return;
	spate_store_destroy(w->store);
	space_index_free(&w->index);
	neighbour_list_free(&w->list);
	array_free(&w->listed);
	arena_free(&w->scratch);
	collider_set_destroy(&w->colliders);
	wet_set_destroy(&w->wet);
	source_set_destroy(&w->sources);
	if (w->solver_type)
		w->solver_type->destroy(w->solver);
	mem_free(w->fluids);
	mem_free(w->radii);
	mem_free(w->classes);
	mem_free(w->sinks);
	mem_free(w->probes);
	mem_free(w->columns);
	mem_free(w->values);
	mem_free(w->flux);
	mem_free(w);
}

// ------------------------------------------------------------------------------------------------------ reading

uint32_t spate_world_frame(const spate_world *w)
{
	return w->counters.frame;
}

double spate_world_time(const spate_world *w)
{
	return w->counters.frame / w->def.fps + w->counters.elapsed;
}

const spate_step_stats *spate_world_stats(const spate_world *w)
{
	return &w->stats;
}

spate_store *spate_world_store(spate_world *w)
{
	return w->store;
}

const double *spate_world_origin(const spate_world *w)
{
	return w->origin;
}

uint64_t spate_world_hash(const spate_world *w)
{
	// rows removed in the last step are still in the arrays
	uint64_t hash =
	    hash_particles(w->threads, w->store->rows, w->store->id, w->store->position, w->store->velocity);
	for (uint32_t row = 0; row < w->store->rows && w->store->removed > 0; row++)
		if (w->store->dead[row])
			hash -= hash_particles(1, 1, &w->store->id[row], &w->store->position[row],
					       &w->store->velocity[row]);
	return hash;
}

size_t spate_world_bytes(const spate_world *w)
{
	return spate_store_bytes(w->store) + collider_set_bytes(&w->colliders) + wet_set_bytes(&w->wet) +
	       space_index_bytes(&w->index) + neighbour_list_bytes(&w->list) + w->listed.capacity * sizeof(vec4) +
	       w->scratch.high_water;
}

void spate_world_set_threads(spate_world *w, int threads)
{
	w->threads = threads > 0 ? threads : parallel_default_threads();
	if (w->store)
		w->store->threads = w->threads;
}

uint32_t spate_world_probe_columns(const spate_world *w)
{
	return w->column_count;
}

const char *spate_world_probe_column(const spate_world *w, uint32_t column, const char **unit)
{
	if (column >= w->column_count)
		return NULL;
	if (unit)
		*unit = w->columns[column].unit;
	return w->columns[column].name;
}

const double *spate_world_probe_values(const spate_world *w)
{
	return w->values;
}
