#include "source/source_work.h"

#include "base/error.h"
#include "source/birth.h"

#include <assert.h>
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
	set->count = set->columns && set->forms ? count : 0;
	if (!set->defs || !set->states || !set->before || !set->columns || !set->forms)
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
	return SPATE_OK;
}

void source_set_destroy(source_set *set)
{
	assert(set->columns || set->count == 0);
	for (uint32_t s = 0; s < set->count; s++)
	{
		array_free(&set->columns[s]);
		fill_form_destroy(set->forms[s]);
	}
	mem_free(set->defs);
	mem_free(set->states);
	mem_free(set->before);
	mem_free(set->columns);
	mem_free(set->forms);
	array_free(&set->positions);
	array_free(&set->velocities);
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

static spate_result deliver(source_set *set, uint32_t s, spate_store *store, const spate_fluid_def *fluids,
			    double begin, spate_error *error)
{
	uint32_t count = (uint32_t)(set->positions.count / 3);
	spate_result result = spate_store_add(store, count, set->positions.data, set->velocities.data,
					      (int32_t)set->defs[s].fluid, NULL, error);
	if (result != SPATE_OK)
		return result;
	set->states[s].emitted += count;
	material_assign(store, store->rows - count, &set->defs[s], &fluids[set->defs[s].fluid]);
	birth born = {.source = &set->defs[s],
		      .number = s,
		      .fluid = &fluids[set->defs[s].fluid],
		      .channels = set->channels,
		      .channel_count = set->channel_count,
		      .time = begin,
		      .origin = set->origin};
	birth_assign(&born, store, store->rows - count);
	return SPATE_OK;
}

static spate_result make_form(source_set *set, uint32_t s, const spate_fluid_def *fluids, const collider_world *world,
			      spate_error *error)
{
	const spate_source_def *def = &set->defs[s];
	double d = fluids[def->fluid].spacing;
	if (def->type != SPATE_SOURCE_FILL || set->forms[s])
		return SPATE_OK;
	return fill_form_create(&set->forms[s], def, d, d, world, error);
}

spate_result source_set_prepare(source_set *set, const spate_fluid_def *fluids, const collider_world *world,
				double since, spate_error *error)
{
	spate_result result = SPATE_OK;
	for (uint32_t s = 0; s < set->count && result == SPATE_OK; s++)
		if (set->defs[s].start >= since)
			result = make_form(set, s, fluids, world, error);
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

static spate_result run_all(source_set *set, spate_store *store, const spate_fluid_def *fluids,
			    const collider_set *colliders, double begin, double end, spate_error *error)
{
	uint32_t rows = store->rows;
	for (uint32_t s = 0; s < set->count; s++)
	{
		const spate_source_def *def = &set->defs[s];
		double d = fluids[def->fluid].spacing;
		set->positions.count = set->velocities.count = 0;
		int collected = 1;
		if (def->type == SPATE_SOURCE_EMITTER)
			collected = emitter_collect(set, s, d, colliders, begin, end);
		spate_result result = SPATE_OK;
		if (!collected)
			return error_memory(error, set->positions.capacity * 12);
		if (def->type == SPATE_SOURCE_FILL && set->states[s].turns == 0 && begin >= def->start)
			result = run_fill(set, s, store, rows, fluids, colliders, error);
		if (result != SPATE_OK)
			return result;
		result = set->positions.count ? deliver(set, s, store, fluids, begin, error) : SPATE_OK;
		if (result != SPATE_OK)
			return result;
	}
	return SPATE_OK;
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
		if (set->forms[s] && set->states[s].turns > 0 && set->defs[s].start <= 0.0)
		{
			fill_form_destroy(set->forms[s]);
			set->forms[s] = NULL;
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
		if (good && def->type == SPATE_SOURCE_EMITTER)
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

double source_set_speed(const source_set *set, const spate_fluid_def *fluids, const collider_set *colliders,
			double begin, double end)
{
	double fastest = 0.0;
	for (uint32_t s = 0; s < set->count; s++)
	{
		const spate_source_def *def = &set->defs[s];
		int runs = def->start < end && (def->stop < 0.0 || def->stop > begin);
		double speed = 0.0;
		if (def->type == SPATE_SOURCE_EMITTER && runs)
			speed = emitter_fastest(def, fluids[def->fluid].spacing);
		else if (def->type == SPATE_SOURCE_FILL && set->states[s].turns == 0 && runs)
			speed = fill_speed(def, set->forms[s]);
		if (speed > 0.0 && def->type == SPATE_SOURCE_EMITTER && def->follow < colliders->count)
			speed +=
			    collider_set_speed_of(colliders, def->follow, def->position,
						  fmax(def->radius, 0.5 * hypot(def->width, def->height)), begin, end);
		fastest = fmax(fastest, speed);
	}
	return fastest;
}
