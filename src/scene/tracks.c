#include "scene/tracks.h"

#include "base/error.h"
#include "base/suggest.h"
#include "bridge/expression.h"
#include "scene/buffer.h"
#include "scene/files.h"
#include "scene/key_rows.h"
#include "scene/measure.h"
#include "solver/solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
	SAMPLES = 2000 // of an expression during a run
};

track_key track_key_of(const scene_key *key)
{
	track_key out = {.components = key->kind == KEY_VECTOR ? 3 : 1,
			 .limited = key_has_range(key),
			 .above_min = (key->flags & KEY_ABOVE_MIN) != 0,
			 .min = key->min,
			 .max = key->max};
	out.change.size = out.components * sizeof(double);
	return out;
}

// ---------------------------------------------------------------------------------------------------------------- reading

int looks_like_track(const scene_key *key, const node *n)
{
	if (key->kind != KEY_NUMBER && key->kind != KEY_VECTOR)
		return 0;
	if (n->type == NODE_MAP)
		return node_get(n, "keys") || node_get(n, "expression") || node_get(n, "between");
	return n->type == NODE_LIST && n->first && n->first->type == NODE_LIST;
}

// Names of the keys of an object that may change, "a, b"; empty for none.
static void names_of_takers(const scene_object *object, const void *value, char out[KEY_TEXT_CHARS])
{
	size_t used = 0;
	out[0] = '\0';
	for (const scene_key *key = object->keys; key->name; key++)
		if (key_takes_track(key) && key_belongs(object, key, value) && used < KEY_TEXT_CHARS)
			used +=
			    (size_t)snprintf(out + used, KEY_TEXT_CHARS - used, "%s%s", used ? ", " : "", key->name);
}

// The key as a single value of it, which a word cannot replace.
static scene_key value_key(const scene_key *key)
{
	scene_key value = *key;
	value.word = NULL;
	value.offset = 0;
	value.flags &= ~(unsigned)KEY_SETTING;
	return value;
}

static int read_time(scene_reader *reader, const node *n, uint32_t number, double before, double *time)
{
	const scene_key key = {.name = "the time of a keyframe", .kind = KEY_NUMBER, .max = 1e6, .unit = "s"};
	uint32_t errors = reader->problems->errors;
	read_value(reader, &key, n, time);
	if (reader->problems->errors > errors)
		return 0;
	char now[NUMBER_CHARS], last[NUMBER_CHARS];
	if (number == 0 || *time > before)
		return 1;
	read_error(reader, n->at, "the times of keyframes must increase; keyframe %u is at %s s, after one at %s s",
		   number, number_text(now, *time), number_text(last, before));
	return 0;
}

static void read_keys(scene_reader *reader, const scene_key *key, const node *list, spate_track *track)
{
	if (list->type != NODE_LIST || list->count == 0)
	{
		read_error(reader, list->at, "the keyframes of %s must be a list like [[0, ...], [2, ...]]", key->name);
		return;
	}
	spate_track_key *keys = node_pool_alloc(reader->memory, mem_product(list->count, sizeof *keys));
	scene_key value = value_key(key);
	uint32_t k = 0;
	for (const node *n = list->first; n && keys; n = n->next, k++)
	{
		if (n->type != NODE_LIST || n->count != 2)
		{
			read_error(reader, n->at, "a keyframe of %s is a list of a time and a value%s", key->name,
				   key->kind == KEY_VECTOR ? ", like [0.5, [0, -9.81, 0]]" : ", like [0.5, 2]");
			continue;
		}
		if (read_time(reader, node_item(n, 0), k, k > 0 ? keys[k - 1].time : 0.0, &keys[k].time))
			read_value(reader, &value, node_item(n, 1), keys[k].value);
	}
	track->keys = keys;
	track->key_count = k;
}

static void read_expression(scene_reader *reader, const scene_key *key, const node *n, const char **out)
{
	static const char *const names[] = {"t"};
	if (n->type != NODE_SCALAR || node_is_empty(n))
	{
		read_error(reader, n->at, "an expression of %s must be a text in t, like \"2*sin(3*t)\"", key->name);
		return;
	}
	expression *e;
	spate_error error = {0};
	uint32_t column;
	spate_result result = expression_make(&e, n->text, names, 1, &column, &error);
	expression_free(e);
	place at = n->at;
	if (column > 0 && at.column > 0)
		at.column += column - 1 + !n->plain;
	if (result == SPATE_MEMORY)
		reader->problems->failed = 1;
	else if (result != SPATE_OK)
		read_error(reader, at, "%s: %s", key->name, error.text);
	else
		*out = node_pool_strdup(reader->memory, n->text, strlen(n->text));
}

static void read_expressions(scene_reader *reader, const scene_key *key, const node *n, spate_track *track)
{
	if (key->kind == KEY_NUMBER)
		read_expression(reader, key, n, &track->expressions[0]);
	else if (n->type != NODE_LIST || n->count != 3)
		read_error(reader, n->at, "%s needs a list of three expressions, like [\"0\", \"-9.81\", \"sin(t)\"]",
			   key->name);
	else
		for (uint32_t i = 0; i < 3; i++)
			read_expression(reader, key, node_item(n, i), &track->expressions[i]);
}

static void read_map(scene_reader *reader, const scene_key *key, const node *n, spate_track *track)
{
	static const char *const known[] = {"keys", "between", "expression"};
	const node *keys = node_get(n, "keys"), *formula = node_get(n, "expression"), *between = node_get(n, "between");
	for (const node *child = n->first; child; child = child->next)
	{
		suggestion s;
		char hint[KEY_TEXT_CHARS];
		suggest_begin(&s, child->key);
		int found = 0;
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
		{
			found |= strcmp(child->key, known[k]) == 0;
			suggest_offer(&s, known[k]);
		}
		read_suggestion(&s, hint);
		if (!found)
			read_error(reader, child->named_at, "unknown key '%.60s'%s", child->key,
				   s.best ? hint : "; a value over time has keys and between, or an expression");
	}
	if (formula && (keys || between))
		read_error(reader, formula->named_at, "'expression' cannot be used with '%s'",
			   keys ? "keys" : "between");
	else if (formula)
		read_expressions(reader, key, formula, track);
	else if (!keys)
		read_error(reader, n->named_at, "'keys' is missing, like keys: [[0, ...], [2, ...]]");
	else
		read_keys(reader, key, keys, track);
	const scene_key word = {.name = "between", .kind = KEY_CHOICE, .words = between_words};
	if (between)
		read_value(reader, &word, between, &track->between);
}

// The value at the beginning, which is that of the definition.
static void begin_track(scene_reader *reader, scene_track *track)
{
	track_curve c;
	double value[3];
	char text[TRACK_TEXT_CHARS];
	track_key key = track_key_of(&track->key);
	spate_error error = {0};
	spate_result result = curve_make(&c, &track->def, key.components, &error);
	if (result == SPATE_MEMORY)
		reader->problems->failed = 1;
	else if (result == SPATE_OK)
	{
		curve_value(&c, 0.0, value);
		if (!track_limit(&key, track->key.name, 0.0, value, text))
			memcpy(track->field, value, key.components * sizeof *value);
	}
	curve_free(&c);
}

void read_track(scene_reader *reader, const scene_object *object, const scene_key *key, const node *n, void *out)
{
	char names[KEY_TEXT_CHARS];
	names_of_takers(object, out, names);
	if (!key_takes_track(key))
	{
		read_error(reader, n->at, "%s cannot change over time; %s%s", key->name,
			   names[0] ? "keys beside it that can are " : "no key beside it can", names);
		return;
	}
	if (reader->version < 2)
	{
		read_error(reader, n->at, "values over time need version 2; write 'spate: 2' to use them");
		return;
	}
	uint32_t errors = reader->problems->errors;
	scene_track *track = node_pool_alloc(reader->memory, sizeof *track);
	size_t bytes = strlen(reader->path) + strlen(key->name) + 2;
	char *path = node_pool_alloc(reader->memory, bytes);
	if (!track || !path)
		return;
	snprintf(path, bytes, "%s%s%s", reader->path, reader->path[0] ? "." : "", key->name);
	*track = (scene_track){
	    .def = {.path = path}, .key = *key, .field = (double *)(void *)((char *)out + key->offset), .at = n->at};
	if (n->type == NODE_LIST)
		read_keys(reader, key, n, &track->def);
	else
		read_map(reader, key, n, &track->def);
	if (reader->problems->errors > errors || reader->memory->failed)
		return;
	begin_track(reader, track);
	if (reader->last_track)
		reader->last_track->next = track;
	else
		reader->tracks = track;
	reader->last_track = track;
}

// ----------------------------------------------------------------------------------------------------------- the whole run

// Expressions may leave the range or have no value: keyframes cannot.
static void look_at(scene_reader *reader, const scene_track *track)
{
	const spate_scene *scene = reader->scene;
	double end = scene->frames / scene->world.fps, value[3], limited[3];
	uint32_t samples = scene->frames < SAMPLES ? scene->frames : SAMPLES;
	char text[TRACK_TEXT_CHARS], range[KEY_TEXT_CHARS];
	track_key key = track_key_of(&track->key);
	track_curve c;
	spate_error error;
	const char *problem = NULL;
	int outside = 0;
	if (curve_make(&c, &track->def, key.components, &error) == SPATE_MEMORY)
		reader->problems->failed = 1;
	for (uint32_t k = 0; k <= samples && c.expressions[0] && !problem && !outside; k++)
	{
		double time = end * k / samples;
		curve_value(&c, time, value);
		memcpy(limited, value, sizeof limited);
		problem = track_limit(&key, track->key.name, time, limited, text);
		for (uint32_t i = 0; i < key.components && !problem && !outside; i++)
			outside = value[i] != limited[i];
		key_range_text(&track->key, range);
		if (problem)
			read_error(reader, track->at, "%s", problem);
		else if (outside)
			read_warning(reader, track->at,
				     "%s must be %s; at %.4g s its expression is beyond that, and the nearest value is "
				     "used",
				     track->key.name, range, time);
	}
	curve_free(&c);
}

int track_is_of_camera(const scene_track *track)
{
	return strncmp(track->def.path, "cameras.", strlen("cameras.")) == 0;
}

// Whether the world has to follow a curve: all but those of cameras that its solver does not look through.
static int is_of_world(const scene_reader *reader, const scene_track *track)
{
	const spate_solver_def *solver = &reader->scene->world.solver;
	uint32_t row, n = 0;
	if (!track_is_of_camera(track))
		return 1;
	if (solver_check_cameras(solver_table(solver->type), solver, 0, &row, NULL) == SPATE_OK)
		return 0;
	const char *name = track->def.path + strlen("cameras.");
	for (; n < solver->camera_count; n++)
		if (strncmp(name, solver->cameras[n], strlen(solver->cameras[n])) == 0 &&
		    name[strlen(solver->cameras[n])] == '.')
			return 1;
	return n == 0;
}

void keep_tracks(scene_reader *reader)
{
	uint32_t count = 0;
	for (const scene_track *t = reader->tracks; t; t = t->next)
		count++;
	spate_track *tracks = node_pool_alloc(reader->memory, mem_product(count + 1, sizeof *tracks));
	if (!tracks)
		return;
	count = 0;
	for (const scene_track *t = reader->tracks; t; t = t->next)
	{
		if (is_of_world(reader, t))
			tracks[count++] = t->def;
		snprintf(reader->path, PATH_CHARS, "%.*s", (int)(strlen(t->def.path) - strlen(t->key.name)),
			 t->def.path);
		size_t length = strlen(reader->path);
		reader->path[length > 0 ? length - 1 : 0] = '\0';
		look_at(reader, t);
	}
	reader->path[0] = '\0';
	reader->scene->world.tracks = tracks;
	reader->scene->world.track_count = count;
	reader->scene->memory->tracks = reader->tracks;
}

// ---------------------------------------------------------------------------------------------------------------- cameras

spate_result spate_scene_camera(const spate_scene *scene, uint32_t index, double time, spate_camera_def *camera,
				spate_error *error)
{
	if (index >= scene->camera_count)
		return error_set(error, SPATE_INVALID, "there is no camera %u; the scene has %u", index,
				 scene->camera_count);
	const char *def = (const char *)&scene->cameras[index];
	*camera = scene->cameras[index];
	for (const scene_track *t = scene->memory ? scene->memory->tracks : NULL; t; t = t->next)
	{
		const char *field = (const char *)t->field;
		if (!track_is_of_camera(t) || field < def || field >= def + sizeof *camera)
			continue;
		track_curve c;
		track_key key = track_key_of(&t->key);
		char text[TRACK_TEXT_CHARS];
		double value[3];
		spate_result result = curve_make(&c, &t->def, key.components, error);
		if (result == SPATE_OK)
			curve_value(&c, time, value);
		curve_free(&c);
		if (result == SPATE_OK && track_limit(&key, t->def.path, time, value, text))
			result = error_set(error, SPATE_INVALID, "%s", text);
		if (result != SPATE_OK)
			return result;
		memcpy((char *)camera + (field - def), value, key.components * sizeof *value);
	}
	return SPATE_OK;
}

// -------------------------------------------------------------------------------------------------------------- estimates

// The mean of a curve between two times.
static void mean_value(const scene_track *track, double begin, double end, double out[3])
{
	track_curve c;
	track_key key = track_key_of(&track->key);
	char text[TRACK_TEXT_CHARS];
	double sum[3] = {0}, value[3];
	int good = curve_make(&c, &track->def, key.components, NULL) == SPATE_OK;
	for (uint32_t k = 0; k < SAMPLES && good; k++)
	{
		double time = begin + (end - begin) * (k + 0.5) / SAMPLES;
		curve_value(&c, time, value);
		good = !track_limit(&key, "", time, value, text);
		for (uint32_t i = 0; i < key.components; i++)
			sum[i] += value[i] / SAMPLES;
	}
	if (good)
		memcpy(out, sum, key.components * sizeof *sum);
	curve_free(&c);
}

void tracks_mean(const spate_scene *scene, uint32_t source, double until, spate_source_def *out)
{
	const spate_world_def *world = &scene->world;
	const spate_source_def *s = &world->sources[source];
	const scene_track *t = scene->memory ? scene->memory->tracks : NULL;
	double end = s->stop >= 0.0 && s->stop < until ? s->stop : until;
	for (; t && end > s->start; t = t->next)
	{
		const char *field = (const char *)t->field, *begin = (const char *)s;
		if (field >= begin && field < begin + sizeof *s)
			mean_value(t, s->start, end, (double *)(void *)((char *)out + (field - begin)));
	}
}

spate_scene tracks_typical(const spate_scene *scene)
{
	spate_scene typical = *scene;
	const spate_world_def *world = &scene->world;
	size_t bytes = world->source_count * sizeof *world->sources;
	if (!scene->memory || !scene->memory->tracks || bytes == 0)
		return typical;
	spate_source_def *sources = mem_alloc(bytes);
	if (!sources)
		return typical;
	memcpy(sources, world->sources, bytes);
	double end = world->fps > 0.0 ? scene->frames / world->fps : 0.0;
	for (uint32_t s = 0; s < world->source_count; s++)
		tracks_mean(scene, s, end, &sources[s]);
	typical.world.sources = sources;
	return typical;
}

void tracks_free_typical(const spate_scene *scene, spate_scene *typical)
{
	if (typical->world.sources != scene->world.sources)
		mem_free((void *)(uintptr_t)typical->world.sources);
}
