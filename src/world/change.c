#include "world/change.h"

#include "base/error.h"
#include "world/track.h"
#include "world/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------- taking effect

void *world_part_of(spate_world *w, world_part part, uint32_t index)
{
	switch (part)
	{
	case WORLD_PART_FLUID:
		return &w->model.fluids[index];
	case WORLD_PART_INTERFACE:
		return &w->model.interfaces[index];
	case WORLD_PART_SOURCE:
		return &w->state.sources.defs[index];
	case WORLD_PART_COLLIDER:
		return &w->model.colliders[index];
	case WORLD_PART_SINK:
		return &w->model.sinks[index];
	case WORLD_PART_FORCE:
		return &w->model.force_defs[index];
	case WORLD_PART_CAMERA:
		return &w->model.cameras[index];
	case WORLD_PART_WORLD:
		break;
	}
	return &w->model.def;
}

// Writes a value into the definition, and what is derived from it.
static void define(spate_world *w, const world_change *c, const unsigned char *value)
{
	memcpy((char *)world_part_of(w, c->part, c->index) + c->offset, value, c->size);
	if (c->part == WORLD_PART_COLLIDER)
		collider_set_change(&w->state.colliders, c->index, &w->model.colliders[c->index]);
	else if (c->part == WORLD_PART_SOURCE)
		source_set_derive(&w->state.sources, c->index);
	else if (c->part == WORLD_PART_WORLD)
		w->model.speed_limit = world_span_of(&w->model.def).speed_limit;
}

// Particles with the value that their fluid had follow it; others got theirs from a source or the caller.
static void follow_fluid(spate_world *w, uint32_t fluid, const spate_fluid_def *before)
{
	material_look(&w->state.material, w->state.store);
	for (material_id id = 0; id < MATERIAL_COUNT; id++)
	{
		float *values = spate_store_field(w->state.store, material_fields.fields[id].name, NULL);
		float old = (float)material_of_fluid(before, id),
		      fresh = (float)material_of_fluid(&w->model.fluids[fluid], id);
		// a value below 0 stands for that of the fluid anyway
		if (old == fresh || old < 0.0f || !w->state.material.values[id] || !values)
			continue;
		for (uint32_t row = 0; row < w->state.store->rows; row++)
			if (w->state.store->fluid[row] == (int32_t)fluid && values[row] == old)
				values[row] = fresh;
	}
}

void world_change_define(spate_world *w, const world_change *c)
{
	define(w, c, c->after);
}

// The definition first, then the state that depends on how it was.
void world_change_take(spate_world *w, world_change *c)
{
	memcpy(c->before, (char *)world_part_of(w, c->part, c->index) + c->offset, c->size);
	if (c->part == WORLD_PART_FLUID)
	{
		spate_fluid_def before = w->model.fluids[c->index];
		define(w, c, c->after);
		follow_fluid(w, c->index, &before);
	}
	else if (c->part == WORLD_PART_SOURCE)
	{
		spate_source_def before = w->state.sources.defs[c->index];
		define(w, c, c->after);
		source_set_change(&w->state.sources, c->index, &before, spate_world_time(w),
				  w->model.fluids[before.fluid].spacing);
	}
	else
		define(w, c, c->after);
}

void world_changes_settle(spate_world *w)
{
	world_changes *changes = &w->state.changes;
	for (; changes->done < changes->list.count && changes->list.data[changes->done].step <= w->state.counters.step;
	     changes->done++)
		world_change_take(w, &changes->list.data[changes->done]);
}

// ----------------------------------------------------------------------------------------------------------------- adding

// Writes the values of changes into the definition and nothing else, to check what it would be; take_back() undoes that.
static void try_out(spate_world *w, world_change *changes, size_t count)
{
	for (size_t k = 0; k < count; k++)
	{
		world_change *c = &changes[k];
		char *field = (char *)world_part_of(w, c->part, c->index) + c->offset;
		memcpy(c->before, field, c->size);
		memcpy(field, c->after, c->size);
	}
}

static void take_back(spate_world *w, const world_change *changes, size_t count)
{
	while (count-- > 0)
	{
		const world_change *c = &changes[count];
		memcpy((char *)world_part_of(w, c->part, c->index) + c->offset, c->before, c->size);
	}
}

// Checks the definition with a change tried out.
static spate_result check_change(spate_world *w, const world_change *c, spate_error *error)
{
	uint32_t row;
	spate_error text = {0};
	const char *problem = world_part_problem(&w->model.def, c->part, c->index);
	if (!problem && c->part == WORLD_PART_WORLD &&
	    solver_check_settings(w->model.solver_type, &w->model.def.solver, &row, &text) != SPATE_OK)
		problem = text.text;
	if (problem)
		return error_set(error, SPATE_INVALID, "%s cannot be %s: %s", c->path, c->value, problem);
	return SPATE_OK;
}

spate_result world_changes_check(spate_world *w, world_change *changes, size_t count, spate_error *error)
{
	spate_result result = SPATE_OK;
	size_t tried = 0;
	while (tried < count && result == SPATE_OK)
	{
		try_out(w, &changes[tried], 1);
		result = check_change(w, &changes[tried++], error);
	}
	take_back(w, changes, tried);
	return result;
}

// Keeps the list in the order of the substeps, and changes after the same substep in the order in which they came.
static void insert(world_changes *changes, const world_change *c)
{
	size_t place = changes->list.count++;
	for (; place > changes->done && changes->list.data[place - 1].step > c->step; place--)
		changes->list.data[place] = changes->list.data[place - 1];
	changes->list.data[place] = *c;
}

spate_result world_changes_add(spate_world *w, world_change *changes, size_t count, spate_error *error)
{
	for (size_t k = 0; k < count; k++)
		if (world_has_track(w, &changes[k]))
			return error_set(error, SPATE_INVALID,
					 "%s follows a curve of the world's definition and cannot be changed",
					 changes[k].path);
	// on top of those to come
	world_changes *own = &w->state.changes;
	world_change *queue = own->done < own->list.count ? &own->list.data[own->done] : NULL;
	size_t queued = own->list.count - own->done;
	try_out(w, queue, queued);
	spate_result result = world_changes_check(w, changes, count, error);
	take_back(w, queue, queued);
	if (result != SPATE_OK)
		return result;
	if (!array_reserve(&w->state.changes.list, w->state.changes.list.count + count))
		return error_memory(error, count * sizeof *changes);
	for (size_t k = 0; k < count; k++)
		insert(&w->state.changes, &changes[k]);
	if (!w->stepping)
		world_changes_settle(w);
	return SPATE_OK;
}

// ---------------------------------------------------------------------------------------------------------------- journal

uint32_t spate_world_change_count(const spate_world *w)
{
	return (uint32_t)w->state.changes.done;
}

spate_change spate_world_change(const spate_world *w, uint32_t n)
{
	if (n >= w->state.changes.done)
		return (spate_change){0};
	const world_change *c = &w->state.changes.list.data[n];
	return (spate_change){.step = c->step, .path = c->path, .value = c->value};
}

char *world_changes_save(const spate_world *w, int all)
{
	size_t count = all ? w->state.changes.list.count : w->state.changes.done, bytes = 1, used = 0;
	for (size_t k = 0; k < count; k++)
		bytes += strlen(w->state.changes.list.data[k].path) + strlen(w->state.changes.list.data[k].value) + 24;
	char *text = mem_alloc(bytes);
	if (!text)
		return NULL;
	text[0] = '\0';
	for (size_t k = 0; k < count; k++)
	{
		const world_change *c = &w->state.changes.list.data[k];
		used += (size_t)snprintf(text + used, bytes - used, "%" PRIu64 " %s=%s\n", c->step, c->path, c->value);
	}
	return text;
}

char *spate_world_journal(const spate_world *w)
{
	return world_changes_save(w, 0);
}

// Reads a line "step path=value" of `length` characters.
static spate_result read_line(const spate_world *w, const char *line, size_t length, world_change *change,
			      spate_error *error)
{
	char text[SPATE_PATH_CHARS + CHANGE_VALUE_CHARS + 32], *path, *equals;
	int fits = length < sizeof text;
	memcpy(text, line, fits ? length : 0);
	text[fits ? length : 0] = '\0';
	uint64_t step = strtoull(text, &path, 10);
	equals = strchr(path, '=');
	if (!fits || text[0] < '0' || text[0] > '9' || *path != ' ' || !equals)
		return error_set(error, SPATE_FORMAT, "a line of a journal looks like 120 fluids.water.viscosity=0.01");
	*equals = '\0';
	spate_result result = world_change_read(w, path + 1, equals + 1, change, error);
	change->step = step;
	return result;
}

typedef ARRAY(world_change) change_list;

// Reads a journal; the error names the line.
static spate_result read_journal(const spate_world *w, const char *text, change_list *list, spate_error *error)
{
	uint32_t number = 1;
	for (const char *line = text, *end; *line; line = *end ? end + 1 : end, number++)
	{
		end = line + strcspn(line, "\n");
		if (end == line)
			continue;
		world_change change = {0};
		spate_error problem = {0};
		spate_result result = read_line(w, line, (size_t)(end - line), &change, &problem);
		if (result != SPATE_OK)
			return error_set(error, result, "line %u of the journal: %s", number, problem.text);
		if (!array_push(list, change))
			return error_memory(error, sizeof change);
	}
	return SPATE_OK;
}

spate_result spate_world_replay(spate_world *w, const char *journal, spate_error *error)
{
	if (!w || !journal)
		return error_set(error, SPATE_INVALID, "spate_world_replay needs a world and a journal, not NULL");
	change_list list = {0};
	spate_result result = read_journal(w, journal, &list, error);
	for (size_t k = 0; k < list.count && result == SPATE_OK; k++)
		if (list.data[k].step < w->state.counters.step)
			result = error_set(error, SPATE_INVALID,
					   "the journal changes %s after substep %" PRIu64
					   ", but the world is at substep %" PRIu64 " already",
					   list.data[k].path, list.data[k].step, w->state.counters.step);
	if (result == SPATE_OK)
		result = world_changes_add(w, list.data, list.count, error);
	array_free(&list);
	return result;
}

// ------------------------------------------------------------------------------------------------------------------ state

spate_result world_changes_load(spate_world *w, const char *text, spate_error *error)
{
	change_list list = {0};
	spate_result result = read_journal(w, text, &list, error);
	// back to the definition that the world was made with, then forth; the rest of the state comes from elsewhere
	world_changes *changes = &w->state.changes;
	for (size_t k = 0; k < list.count && result == SPATE_OK; k++)
		if (world_has_track(w, &list.data[k]))
			result =
			    error_set(error, SPATE_FORMAT, "it changes %s, which follows a curve", list.data[k].path);
	if (result == SPATE_OK)
	{
		take_back(w, changes->list.data, changes->done);
		result = world_changes_check(w, list.data, list.count, error);
		try_out(w, changes->list.data, changes->done);
	}
	if (result != SPATE_OK)
	{
		array_free(&list);
		return result;
	}
	while (changes->done > 0)
	{
		const world_change *c = &changes->list.data[--changes->done];
		define(w, c, c->before);
	}
	array_free(&changes->list);
	memcpy(&changes->list, &list, sizeof changes->list);
	for (; changes->done < list.count && list.data[changes->done].step <= w->state.counters.step; changes->done++)
	{
		world_change *c = &list.data[changes->done];
		memcpy(c->before, (char *)world_part_of(w, c->part, c->index) + c->offset, c->size);
		define(w, c, c->after);
	}
	return SPATE_OK;
}
