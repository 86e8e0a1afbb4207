#include "world/track.h"

#include "base/error.h"
#include "collider/motion.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

// ----------------------------------------------------------------------------------------------------------------- curves

static const char *keys_problem(const spate_track *def, uint32_t components)
{
	if (!def->keys || def->key_count == 0)
		return "it has neither keyframes nor an expression";
	if (def->between != SPATE_BETWEEN_LINEAR && def->between != SPATE_BETWEEN_SMOOTH &&
	    def->between != SPATE_BETWEEN_STEP)
		return "its interpolation is unknown";
	for (uint32_t k = 0; k < def->key_count; k++)
	{
		if (!isfinite(def->keys[k].time) || (k > 0 && !(def->keys[k].time > def->keys[k - 1].time)))
			return "the times of its keyframes do not increase";
		for (uint32_t i = 0; i < components; i++)
			if (!isfinite(def->keys[k].value[i]))
				return "a keyframe is not finite";
	}
	return NULL;
}

spate_result curve_make(track_curve *c, const spate_track *def, uint32_t components, spate_error *error)
{
	static const char *const names[] = {"t"};
	*c = (track_curve){.components = components};
	if (!def->expressions[0])
	{
		const char *problem = keys_problem(def, components);
		if (problem)
			return error_set(error, SPATE_INVALID, "%s", problem);
		c->keys = def->keys;
		c->key_count = def->key_count;
		c->between = def->between;
		return SPATE_OK;
	}
	for (uint32_t i = 0; i < components; i++)
	{
		spate_error problem = {0};
		uint32_t column;
		if (!def->expressions[i])
			return error_set(error, SPATE_INVALID, "it needs %u expressions", components);
		spate_result result =
		    expression_make(&c->expressions[i], def->expressions[i], names, 1, &column, &problem);
		if (result != SPATE_OK && column > 0)
			return error_set(error, result, "'%.60s' at column %u: %s", def->expressions[i], column,
					 problem.text);
		if (result != SPATE_OK)
			return error_set(error, result, "%s", problem.text);
	}
	return SPATE_OK;
}

void curve_free(track_curve *c)
{
	for (int i = 0; i < 3; i++)
		expression_free(c->expressions[i]);
	*c = (track_curve){0};
}

void curve_value(const track_curve *c, double time, double out[3])
{
	if (c->expressions[0])
	{
		const double *columns[] = {&time};
		for (uint32_t i = 0; i < c->components; i++)
			expression_evaluate(c->expressions[i], columns, 1, &out[i]);
		return;
	}
	uint32_t next = 0, last = c->key_count - 1;
	while (next <= last && c->keys[next].time <= time)
		next++;
	const spate_track_key *a = &c->keys[next > 0 ? next - 1 : 0], *b = &c->keys[next <= last ? next : last];
	double s = b->time > a->time ? motion_ease(c->between, (time - a->time) / (b->time - a->time)) : 0.0;
	for (uint32_t i = 0; i < c->components; i++)
		out[i] = a->value[i] + s * (b->value[i] - a->value[i]);
}

// ----------------------------------------------------------------------------------------------------------------- values

const char *track_limit(const track_key *key, const char *name, double time, double value[3],
			char text[TRACK_TEXT_CHARS])
{
	for (uint32_t i = 0; i < key->components; i++)
	{
		if (isnan(value[i]))
		{
			snprintf(text, TRACK_TEXT_CHARS,
				 "%.127s is not a number at %g s: its expression has no value there", name, time);
			return text;
		}
		double most = key->limited ? key->max : 1e30;
		value[i] = fmin(fmax(value[i], key->limited ? key->min : -most), most);
		if (key->limited && key->above_min && value[i] == key->min)
		{
			snprintf(text, TRACK_TEXT_CHARS, "%.127s must be greater than %g; at %g s its curve is not",
				 name, key->min, time);
			return text;
		}
	}
	return NULL;
}

static void write_value(world_change *c, const double value[3], uint32_t components)
{
	memcpy(c->after, value, components * sizeof *value);
	if (components == 1)
		snprintf(c->value, sizeof c->value, "%g", value[0]);
	else
		snprintf(c->value, sizeof c->value, "[%g, %g, %g]", value[0], value[1], value[2]);
}

// The change of a key at a time; 0 if it has that value, or with a sentence in `text` if it has none.
static int change_at(spate_world *w, const world_track *track, double time, world_change *change,
		     char text[TRACK_TEXT_CHARS])
{
	double value[3];
	text[0] = '\0';
	*change = track->key.change;
	curve_value(&track->curve, time, value);
	if (track_limit(&track->key, change->path, time, value, text))
		return 0;
	write_value(change, value, track->key.components);
	const char *field = (const char *)world_part_of(w, change->part, change->index) + change->offset;
	return memcmp(field, change->after, change->size) != 0;
}

spate_result world_follow_tracks(spate_world *w, spate_error *error)
{
	double time = spate_world_time(w);
	uint32_t count = 0;
	char text[TRACK_TEXT_CHARS];
	if (w->model.track_count == 0)
		return SPATE_OK;
	world_change *changes = arena_alloc(&w->work.scratch, w->model.track_count * sizeof *changes);
	if (!changes)
		return error_memory(error, w->model.track_count * sizeof *changes);
	for (uint32_t k = 0; k < w->model.track_count; k++)
	{
		count += change_at(w, &w->model.tracks[k], time, &changes[count], text) != 0;
		if (text[0])
			return error_set(error, SPATE_INVALID, "%s", text);
	}
	spate_error problem = {0};
	spate_result result = world_changes_check(w, changes, count, &problem);
	if (result != SPATE_OK)
		return error_set(error, result, "at %g s %s", time, problem.text);
	for (uint32_t k = 0; k < count; k++)
		world_change_take(w, &changes[k]);
	return SPATE_OK;
}

void world_restore_tracks(spate_world *w, double time)
{
	char text[TRACK_TEXT_CHARS];
	for (uint32_t k = 0; k < w->model.track_count; k++)
	{
		world_change change;
		if (change_at(w, &w->model.tracks[k], time, &change, text))
			world_change_define(w, &change);
	}
}

// ------------------------------------------------------------------------------------------------------------------ making

int world_has_track(const spate_world *w, const world_change *c)
{
	for (uint32_t k = 0; k < w->model.track_count; k++)
	{
		const world_change *own = &w->model.tracks[k].key.change;
		if (own->part == c->part && own->index == c->index && own->offset == c->offset)
			return 1;
	}
	return 0;
}

// The keys of a track as a copy of our own.
static const spate_track_key *keep_keys(spate_world *w, const spate_track *def)
{
	size_t bytes = def->key_count * sizeof *def->keys;
	spate_track_key *own = bytes > 0 ? arena_alloc(&w->model.texts, bytes) : NULL;
	if (own)
		memcpy(own, def->keys, bytes);
	return own;
}

static spate_result make_track(spate_world *w, const spate_track *def, spate_error *error)
{
	world_track *track = &w->model.tracks[w->model.track_count];
	spate_error problem = {0};
	if (!def->path)
		return error_set(error, SPATE_INVALID, "track %u is invalid: it has no path", w->model.track_count);
	spate_result result = world_track_find(w, def->path, &track->key, &problem);
	if (result == SPATE_OK)
		result = curve_make(&track->curve, def, track->key.components, &problem);
	if (result == SPATE_OK && world_has_track(w, &track->key.change))
		result = error_set(&problem, SPATE_INVALID, "its key has a track already");
	// counted once it is made, or else freed here
	if (result != SPATE_OK)
	{
		curve_free(&track->curve);
		return error_set(error, result == SPATE_MISSING ? SPATE_INVALID : result,
				 "the track of %.100s is invalid: %s", def->path, problem.text);
	}
	w->model.track_count++;
	if (track->curve.keys && !(track->curve.keys = keep_keys(w, def)))
		return error_memory(error, def->key_count * sizeof *def->keys);
	return SPATE_OK;
}

spate_result world_make_tracks(spate_world *w, spate_error *error)
{
	const spate_track *defs = w->model.def.tracks;
	uint32_t count = w->model.def.track_count;
	w->model.def.tracks = NULL;
	w->model.def.track_count = 0;
	if (count == 0)
		return SPATE_OK;
	if (!defs)
		return error_set(error, SPATE_INVALID, "the list of tracks is NULL but has a count");
	w->model.tracks = mem_calloc(count, sizeof *w->model.tracks);
	if (!w->model.tracks)
		return error_memory(error, count * sizeof *w->model.tracks);
	spate_result result = SPATE_OK;
	for (uint32_t k = 0; k < count && result == SPATE_OK; k++)
		result = make_track(w, &defs[k], error);
	return result == SPATE_OK ? world_follow_tracks(w, error) : result;
}

void world_free_tracks(spate_world *w)
{
	for (uint32_t k = 0; k < w->model.track_count; k++)
		curve_free(&w->model.tracks[k].curve);
	mem_free(w->model.tracks);
}
