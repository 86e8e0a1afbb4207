#include "source/source_work.h"

#include "base/error.h"
#include "source/birth.h"

#include <assert.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

spate_result source_set_create(source_set *set, const spate_source_def *defs, uint32_t count, const double origin[3],
			       uint64_t seed, spate_error *error)
{
	*set = (source_set){.seed = seed};
	memcpy(set->origin, origin, sizeof set->origin);
	if (count == 0)
		return SPATE_OK;
	set->defs = mem_alloc(count * sizeof *set->defs);
	set->states = mem_calloc(count, sizeof *set->states);
	set->before = mem_calloc(count, sizeof *set->before);
	set->columns = mem_calloc(count, sizeof *set->columns);
	set->forms = mem_calloc(count, sizeof *set->forms);
	set->files = mem_calloc(count, sizeof *set->files);
	set->formulas = mem_calloc(count, sizeof *set->formulas);
	set->fastest = mem_calloc(count, sizeof *set->fastest);
	set->sites = mem_calloc(count, sizeof *set->sites);
	set->count = set->columns && set->forms && set->files && set->formulas && set->sites ? count : 0;
	if (!set->defs || !set->states || !set->before || !set->columns || !set->forms || !set->files ||
	    !set->formulas || !set->sites || !set->fastest)
	{
		source_set_destroy(set);
		return error_memory(error, count * sizeof *set->defs);
	}
	memcpy(set->defs, defs, count * sizeof *defs);
	for (uint32_t s = 0; s < count; s++)
	{
		source_normalize(set->defs[s].direction);
		set->states[s].since = defs[s].start;
	}
	spate_result result = SPATE_OK;
	for (uint32_t s = 0; s < count && result == SPATE_OK; s++)
		if (defs[s].type == SPATE_SOURCE_FILL)
			result = formulas_make(&set->formulas[s], defs[s].velocity_formulas, 3,
					       "the velocity of a fill", error);
	if (result != SPATE_OK)
		source_set_destroy(set);
	return result;
}

void source_set_destroy(source_set *set)
{
	for (uint32_t s = 0; s < set->count; s++)
	{
		array_free(&set->columns[s]);
		array_free(&set->sites[s]);
		fill_form_destroy(set->forms[s]);
		fill_file_free(set->files[s]);
		formulas_free(&set->formulas[s]);
	}
	mem_free(set->defs);
	mem_free(set->states);
	mem_free(set->before);
	mem_free(set->columns);
	mem_free(set->forms);
	mem_free(set->files);
	mem_free(set->formulas);
	mem_free(set->fastest);
	mem_free(set->sites);
	crowd_free(&set->crowd);
	array_free(&set->positions);
	array_free(&set->velocities);
	array_free(&set->picked);
	array_free(&set->values);
	*set = (source_set){0};
}

int source_collect(source_set *set, const double place[3], const double velocity[3])
{
	for (int k = 0; k < 3; k++)
		if (!array_push(&set->positions, (float)(place[k] - set->origin[k])) ||
		    !array_push(&set->velocities, (float)velocity[k]))
			return 0;
	return 1;
}

void source_box(const source_set *set, vec3 *low, vec3 *high)
{
	float a[3] = {INFINITY, INFINITY, INFINITY}, b[3] = {-INFINITY, -INFINITY, -INFINITY};
	for (size_t i = 0; i < set->positions.count; i++)
	{
		a[i % 3] = fminf(a[i % 3], set->positions.data[i]);
		b[i % 3] = fmaxf(b[i % 3], set->positions.data[i]);
	}
	*low = vec3_make(a[0], a[1], a[2]);
	*high = vec3_make(b[0], b[1], b[2]);
}

// Adds the velocities that formulas give to what was collected.
static spate_result add_velocities(source_set *set, uint32_t s, double time, spate_error *error)
{
	size_t count = set->positions.count;
	if (set->formulas[s].count == 0 || count == 0)
		return SPATE_OK;
	if (!array_reserve(&set->values, count))
		return error_memory(error, count * sizeof *set->values.data);
	const char *name = set->defs[s].name;
	char what[128];
	snprintf(what, sizeof what, name ? "the velocity of source %u, '%.60s'," : "the velocity of source %u", s,
		 name);
	spate_result result = formulas_evaluate(&set->formulas[s], set->positions.data, 3, count / 3, set->origin, time,
						what, set->values.data, error);
	for (size_t i = 0; i < count && result == SPATE_OK; i++)
		set->velocities.data[i] = (float)((double)set->velocities.data[i] + set->values.data[i]);
	return result;
}

static spate_result deliver(source_set *set, uint32_t s, uint32_t fluid, spate_store *store,
			    const spate_fluid_def *fluids, double begin, spate_error *error)
{
	uint32_t count = (uint32_t)(set->positions.count / 3);
	if (count == 0)
		return SPATE_OK;
	spate_result result = add_velocities(set, s, begin, error);
	if (result == SPATE_OK)
		result = spate_store_add(store, count, set->positions.data, set->velocities.data, (int32_t)fluid, NULL,
					 error);
	if (result != SPATE_OK)
		return result;
	set->states[s].emitted += count;
	material_assign(store, store->rows - count, &set->defs[s], &fluids[fluid]);
	birth born = {.source = &set->defs[s],
		      .number = s,
		      .fluid = &fluids[fluid],
		      .channels = set->channels,
		      .channel_count = set->channel_count,
		      .time = begin,
		      .origin = set->origin,
		      .file = set->files[s] ? &set->files[s]->set : NULL,
		      .picked = set->picked.data};
	return birth_assign(&born, store, store->rows - count, error);
}

typedef struct speed_walk
{
	const source_set *set;
	uint32_t source;
	double most; // m/s
} speed_walk;

static int look_at_speed(void *context, int64_t number, const double place[3])
{
	speed_walk *f = context;
	const float p[3] = {(float)(place[0] - f->set->origin[0]), (float)(place[1] - f->set->origin[1]),
			    (float)(place[2] - f->set->origin[2])};
	double v[3];
	(void)number;
	if (formulas_evaluate(&f->set->formulas[f->source], p, 3, 1, f->set->origin, f->set->defs[f->source].start,
			      "it", v, NULL) == SPATE_OK)
		f->most = fmax(f->most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
	return 1;
}

// The fastest of the velocities that formulas give to a fill.
static double speed_of_formulas(const source_set *set, uint32_t s)
{
	const collider_set nothing = {.count = 0};
	speed_walk f = {.set = set, .source = s};
	if (set->formulas[s].count > 0 && set->forms[s])
		fill_each(set->forms[s], &nothing, 1, look_at_speed, &f);
	for (uint32_t i = 0; set->formulas[s].count > 0 && set->files[s] && i < fill_file_count(set->files[s]); i++)
	{
		double place[3];
		fill_file_place(set->files[s], &set->defs[s], i, place);
		look_at_speed(&f, i, place);
	}
	return f.most;
}

static spate_result make_form(source_set *set, uint32_t s, const spate_fluid_def *fluids, const collider_world *world,
			      spate_error *error)
{
	const spate_source_def *def = &set->defs[s];
	int filled = def->type == SPATE_SOURCE_FILL || def->type == SPATE_SOURCE_VOLUME;
	if (!filled || def->from || set->forms[s])
		return SPATE_OK;
	double d = fluids[def->fluid].spacing;
	spate_result result = fill_form_create(&set->forms[s], def, d, d, world, error);
	set->fastest[s] = speed_of_formulas(set, s);
	return result;
}

spate_result source_set_prepare(source_set *set, const spate_fluid_def *fluids, uint32_t fluid_count,
				const collider_world *world, const collider_set *colliders, double since,
				spate_error *error)
{
	spate_result result = SPATE_OK;
	set->fluid_count = fluid_count;
	for (uint32_t s = 0; s < set->count && result == SPATE_OK; s++)
	{
		spate_source_def *def = &set->defs[s];
		if (def->type == SPATE_SOURCE_SURFACE)
			result = surface_columns(&set->columns[s], def, fluids[def->fluid].spacing, world, colliders,
						 set->seed + s, error);
		else if (def->type == SPATE_SOURCE_VOLUME || def->start >= since)
			result = make_form(set, s, fluids, world, error);
		if (result == SPATE_OK && def->type == SPATE_SOURCE_VOLUME && !volume_make_sites(set, s))
			result = error_memory(error, set->sites[s].capacity * sizeof *set->sites[s].data);
		if (result != SPATE_OK || def->type != SPATE_SOURCE_FILL || !def->from || def->start < since)
			continue;
		result = fill_file_read(&set->files[s], def, fluids, fluid_count, error);
		set->fastest[s] = result == SPATE_OK ? speed_of_formulas(set, s) : 0.0;
	}
	return result;
}

// Makes a fill, and first the shapes that it needs: its own and those of earlier fills, whose place it must leave them.
static spate_result run_fill(source_set *set, uint32_t s, const spate_store *store, uint32_t rows,
			     const spate_fluid_def *fluids, const collider_set *colliders, spate_error *error)
{
	collider_world plain = {.fps = 1.0, .threads = 1};
	memcpy(plain.origin, set->origin, sizeof plain.origin);
	for (uint32_t before = 0; before <= s; before++)
	{
		spate_result result = SPATE_OK;
		if (set->defs[before].start == set->defs[s].start)
			result = make_form(set, before, fluids, &plain, error);
		if (result != SPATE_OK)
			return result;
	}
	set->states[s].turns = 1;
	return fill_collect(set, s, fluids, colliders, store, rows) ? SPATE_OK
								    : error_memory(error, set->positions.capacity * 12);
}

// Collects the particles of a file that have a fluid. Those inside of solids have no place in this scene.
static int collect_of_file(source_set *set, uint32_t s, uint32_t fluid, double spacing, const collider_set *colliders)
{
	const spate_source_def *def = &set->defs[s];
	const fill_file *file = set->files[s];
	set->positions.count = set->velocities.count = set->picked.count = 0;
	for (uint32_t i = 0; i < fill_file_count(file); i++)
	{
		double place[3], velocity[3];
		if (fill_file_fluid(file, i) != fluid)
			continue;
		fill_file_place(file, def, i, place);
		if (collider_set_distance(colliders, source_relative(set->origin, place)) <
		    -FILL_IN_SOLIDS * (float)spacing)
			continue;
		for (size_t k = 0; k < 3; k++)
			velocity[k] = (double)file->velocities[3 * (size_t)i + k] + def->velocity[k];
		if (!source_collect(set, place, velocity) || !array_push(&set->picked, i))
			return 0;
	}
	return 1;
}

// Adds the particles of a file, fluid by fluid, where no others are.
static spate_result run_file(source_set *set, uint32_t s, spate_store *store, const spate_fluid_def *fluids,
			     uint32_t fluid_count, const collider_set *colliders, double begin, spate_error *error)
{
	uint32_t rows = store->rows;
	spate_result result = SPATE_OK;
	set->states[s].turns = 1;
	for (uint32_t f = 0; f < fluid_count && result == SPATE_OK; f++)
	{
		double d = fluids[f].spacing;
		if (!collect_of_file(set, s, f, d, colliders) || !fill_leave_taken(set, fluids, d, store, rows))
			return error_memory(error, set->positions.capacity * 12);
		result = deliver(set, s, f, store, fluids, begin, error);
	}
	set->picked.count = 0;
	return result;
}

static int is_due(const source_set *set, uint32_t s, double begin)
{
	return set->defs[s].type == SPATE_SOURCE_FILL && set->states[s].turns == 0 && begin >= set->defs[s].start;
}

// What comes from files has its places already, so the other sources make room for it.
static spate_result run_files(source_set *set, spate_store *store, const spate_fluid_def *fluids,
			      const collider_set *colliders, double begin, spate_error *error)
{
	spate_result result = SPATE_OK;
	for (uint32_t s = 0; s < set->count && result == SPATE_OK; s++)
		if (set->files[s] && is_due(set, s, begin))
			result = run_file(set, s, store, fluids, set->fluid_count, colliders, begin, error);
	return result;
}

static spate_result run_all(source_set *set, spate_store *store, const spate_fluid_def *fluids,
			    const collider_set *colliders, double begin, double end, spate_error *error)
{
	spate_result result = run_files(set, store, fluids, colliders, begin, error);
	uint32_t rows = store->rows;
	if (store->next_id == (int64_t)rows && begin == 0.0 && end == 0.0)
		set->resumed = rows;
	for (uint32_t s = 0; s < set->count && result == SPATE_OK; s++)
	{
		const spate_source_def *def = &set->defs[s];
		if (def->type == SPATE_SOURCE_FILL && def->from)
			continue;
		set->positions.count = set->velocities.count = 0;
		int collected = 1;
		if (def->type == SPATE_SOURCE_VOLUME)
			collected = volume_collect(set, s, fluids, colliders, store, begin, end);
		else if (def->type != SPATE_SOURCE_FILL)
			collected = emitter_collect(set, s, fluids[def->fluid].spacing, colliders, begin, end);
		if (!collected)
			return error_memory(error, set->positions.capacity * 12);
		if (is_due(set, s, begin))
			result = run_fill(set, s, store, rows, fluids, colliders, error);
		if (result == SPATE_OK)
			result = deliver(set, s, def->fluid, store, fluids, begin, error);
	}
	return result;
}

spate_result source_set_run(source_set *set, spate_store *store, const spate_fluid_def *fluids,
			    const collider_set *colliders, double begin, double end, spate_error *error)
{
	uint32_t rows = store->rows;
	int64_t next_id = store->next_id;
	if (set->count > 0)
		memcpy(set->before, set->states, set->count * sizeof *set->states);
	spate_result result = run_all(set, store, fluids, colliders, begin, end, error);
	if (result != SPATE_OK)
	{
		store_take_back(store, rows, next_id);
		memcpy(set->states, set->before, set->count * sizeof *set->states);
	}
	// a snapshot may bring back the time before a later fill, but not that before the first ones
	for (uint32_t s = 0; s < set->count && result == SPATE_OK; s++)
		if (set->defs[s].type == SPATE_SOURCE_FILL && set->states[s].turns > 0 && set->defs[s].start <= 0.0)
		{
			fill_form_destroy(set->forms[s]);
			fill_file_free(set->files[s]);
			set->forms[s] = NULL;
			set->files[s] = NULL;
		}
	return result;
}

spate_result source_set_check(source_set *set, const spate_fluid_def *fluids, double now, double last_dt,
			      uint64_t added, spate_error *error)
{
	uint64_t left = added;
	for (uint32_t s = 0; s < set->count; s++)
	{
		const spate_source_def *def = &set->defs[s];
		const source_state *state = &set->states[s];
		int good = state->emitted <= left;
		if (good && def->type != SPATE_SOURCE_FILL)
			good = emitter_can_be(set, s, fluids[def->fluid].spacing, now);
		else if (good)
			good = fill_can_be(def, state, now, last_dt);
		if (!good)
			return error_set(error, SPATE_FORMAT,
					 "source %u cannot have given %llu particles in %llu turns by %g s", s,
					 (unsigned long long)state->emitted, (unsigned long long)state->turns, now);
		left -= state->emitted;
	}
	return SPATE_OK;
}

void source_set_derive(source_set *set, uint32_t s)
{
	source_normalize_once(set->defs[s].direction);
}

// Bound of the speed (m/s) of what a source rides on, where it pours.
static double speed_of_ride(const source_set *set, uint32_t s, const collider_set *colliders, double begin, double end)
{
	const spate_source_def *def = &set->defs[s];
	const emitter_columns *columns = &set->columns[s];
	const volume_sites *sites = &set->sites[s];
	double low[3], high[3], middle[3], grow = fmax(def->radius, 0.5 * hypot(def->width, def->height));
	memcpy(middle, def->position, sizeof middle);
	int surface = def->type == SPATE_SOURCE_SURFACE, shaped = surface || def->type == SPATE_SOURCE_VOLUME;
	size_t count = shaped ? (surface ? columns->count : sites->count) : 0;
	for (size_t n = 0; n < count; n++)
	{
		const emitter_column *c = surface ? &columns->data[n] : NULL;
		const double own[3] = {c ? c->across : sites->data[n].place[0], c ? c->along : sites->data[n].place[1],
				       c ? c->depth : sites->data[n].place[2]};
		for (int k = 0; k < 3; k++)
		{
			low[k] = n == 0 ? own[k] : fmin(low[k], own[k]);
			high[k] = n == 0 ? own[k] : fmax(high[k], own[k]);
		}
	}
	if (count > 0)
		grow = 0.5 * hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
	for (int k = 0; k < 3 && count > 0; k++)
		middle[k] = 0.5 * (low[k] + high[k]);
	return collider_set_speed_of(colliders, def->follow, middle, grow, begin, end);
}

double source_set_speed(const source_set *set, const spate_fluid_def *fluids, const collider_set *colliders,
			double begin, double end)
{
	double fastest = 0.0;
	for (uint32_t s = 0; s < set->count; s++)
	{
		const spate_source_def *def = &set->defs[s];
		int runs = def->start < end && (def->stop < 0.0 || def->stop > begin);
		double speed = 0.0;
		// what begins at rest counts as well: it is new
		if (def->type != SPATE_SOURCE_FILL && runs)
			speed = fmax(emitter_fastest(def, fluids[def->fluid].spacing),
				     def->type == SPATE_SOURCE_VOLUME ? DBL_MIN : 0.0);
		else if (def->type == SPATE_SOURCE_FILL && set->states[s].turns == 0 && runs)
			speed = fill_speed(def, set->forms[s], set->files[s]) + set->fastest[s];
		if (speed > 0.0 && def->type != SPATE_SOURCE_FILL && def->follow < colliders->count)
			speed += speed_of_ride(set, s, colliders, begin, end);
		fastest = fmax(fastest, speed);
	}
	return fastest;
}
