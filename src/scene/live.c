// Keys of a world by path, from the same table as scene files: reading, changing and listing them.
//
// A world's definition is looked at as if it were a scene's: `view` holds a shallow copy whose arrays are the world's own.
#include "base/error.h"
#include "base/suggest.h"
#include "scene/read.h"
#include "scene/scene.h"
#include "scene/tracks.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A key in a world.
typedef struct live_key
{
	const scene_key *key;
	const scene_object *object; // that has the key
	const char *holder;         // struct of that object: the value is at key->offset
	world_part part;
	uint32_t index;   // of the part
	const char *base; // definition of the part
	char path[SPATE_PATH_CHARS];
} live_key;

// Root keys whose elements are parts with live keys.
static const struct
{
	size_t offset;
	world_part part;
} parts[] = {{offsetof(spate_scene, world.fluids), WORLD_PART_FLUID},
	     {offsetof(spate_scene, world.interfaces), WORLD_PART_INTERFACE},
	     {offsetof(spate_scene, world.sources), WORLD_PART_SOURCE},
	     {offsetof(spate_scene, world.colliders), WORLD_PART_COLLIDER},
	     {offsetof(spate_scene, world.sinks), WORLD_PART_SINK},
	     {offsetof(spate_scene, world.forces), WORLD_PART_FORCE},
	     {offsetof(spate_scene, cameras), WORLD_PART_CAMERA}};

// At the root of a world's keys. `view` must stay in place as long as the key is used.
static live_key begin(const spate_world *w, spate_scene *view)
{
	*view = (spate_scene){
	    .world = w->model.def, .cameras = w->model.cameras, .camera_count = w->model.def.camera_count};
	return (live_key){.object = &scene_root, .holder = (const char *)view, .base = (const char *)&view->world};
}

static void append(live_key *k, const char *name)
{
	size_t length = strlen(k->path);
	snprintf(k->path + length, sizeof k->path - length, "%s%.63s", length ? "." : "", name);
}

static const void *value_of(const live_key *k)
{
	return k->holder + k->key->offset;
}

// Whether a world has the key: those of the scene alone, and those without a value, do not count.
static int is_there(const live_key *k, const scene_key *key)
{
	size_t begins = offsetof(spate_scene, world), ends = begins + sizeof(spate_world_def);
	if ((key->flags & KEY_NOT_STORED) || key->kind == KEY_VERSION || key->kind == KEY_CHOICES ||
	    key->kind == KEY_CAMERAS || key->kind == KEY_FLUIDS || key->kind == KEY_FORMULAS ||
	    (k->object == &scene_root && (key->offset < begins || key->offset >= ends) &&
	     key->offset != offsetof(spate_scene, cameras)) ||
	    !key_belongs(k->object, key, k->holder))
		return 0;
	const void *value = k->holder + key->offset;
	if (key->kind == KEY_TEXT || key->kind == KEY_PATH)
		return *(const char *const *)value != NULL;
	if (!(key->flags & KEY_OMIT))
		return 1;
	return key->kind == KEY_NUMBER && *(const double *)value >= key->min &&
	       !((key->flags & KEY_ABOVE_MIN) && *(const double *)value == key->min);
}

// --------------------------------------------------------------------------------------------------------------- elements

static uint32_t element_count(const live_key *list)
{
	return *(const uint32_t *)(const void *)(list->holder + list->key->count_offset);
}

static const char *element_at(const live_key *list, uint32_t i)
{
	return *(const char *const *)value_of(list) + i * list->key->object->size;
}

// The name of an element; NULL without one. Elements of lists may have a key for it.
static const char *element_name(const live_key *list, uint32_t i)
{
	const scene_key *name = key_find(list->key->object, "name");
	size_t offset = list->key->kind == KEY_MAP ? list->key->object->name_offset : name ? name->offset : 0;
	if (list->key->kind != KEY_MAP && !name)
		return NULL;
	const char *text = *(const char *const *)(const void *)(element_at(list, i) + offset);
	return text && name_is_valid(text) && strspn(text, "0123456789") < strlen(text) ? text : NULL;
}

// The first element of a name, or the one of a number; the count for none.
static uint32_t find_element(const live_key *list, const char *name)
{
	uint32_t count = element_count(list);
	if (name[0] && strlen(name) < 9 && strspn(name, "0123456789") == strlen(name))
	{
		unsigned long number = strtoul(name, NULL, 10);
		return number < count ? (uint32_t)number : count;
	}
	uint32_t i = 0;
	for (const char *own; i < count && (!(own = element_name(list, i)) || strcmp(own, name) != 0); i++)
		;
	return i;
}

// Goes from a list to one of its elements, whose keys come next.
static void enter_element(live_key *k, uint32_t i)
{
	char number[16];
	snprintf(number, sizeof number, "%u", i);
	const char *name = element_name(k, i), *element = element_at(k, i);
	append(k, name && find_element(k, name) == i ? name : number);
	for (size_t p = 0; p < sizeof parts / sizeof *parts && k->object == &scene_root; p++)
		if (k->key->offset == parts[p].offset)
		{
			k->part = parts[p].part;
			k->index = i;
			k->base = element;
		}
	k->object = k->key->object;
	k->holder = element;
	k->key = NULL;
}

// ---------------------------------------------------------------------------------------------------------------- finding

// The names of an object's live keys, "a, b or c"; empty for none.
static void live_names(const live_key *k, char out[KEY_TEXT_CHARS])
{
	size_t used = 0;
	out[0] = '\0';
	for (const scene_key *key = k->object->keys; key->name; key++)
		if ((key->flags & KEY_LIVE) && is_there(k, key) && used < KEY_TEXT_CHARS)
			used +=
			    (size_t)snprintf(out + used, KEY_TEXT_CHARS - used, "%s%s", used ? ", " : "", key->name);
}

static spate_result refuse_name(const live_key *k, const char *path, const char *name, spate_error *error)
{
	suggestion s;
	suggest_begin(&s, name);
	if (!k->key)
		for (const scene_key *key = k->object->keys; key->name; key++)
			if (is_there(k, key))
				suggest_offer(&s, key->name);
	for (uint32_t i = 0; k->key && i < element_count(k); i++)
	{
		const char *own = element_name(k, i);
		suggest_offer(&s, own ? own : "");
	}
	char hint[KEY_TEXT_CHARS];
	read_suggestion(&s, hint);
	if (k->key)
		return error_set(error, SPATE_MISSING, "the world has no '%.100s': %s has no '%.60s'%s", path,
				 k->key->name, name, hint);
	return error_set(error, SPATE_MISSING, "the world has no key '%.100s'%s", path, hint);
}

// Takes one name of a path.
static spate_result enter(live_key *k, const char *path, const char *name, spate_error *error)
{
	if (k->key && (k->key->kind == KEY_LIST || k->key->kind == KEY_MAP))
	{
		uint32_t i = find_element(k, name);
		if (i == element_count(k))
			return refuse_name(k, path, name, error);
		enter_element(k, i);
		return SPATE_OK;
	}
	if (k->key && k->key->kind != KEY_OBJECT)
		return error_set(error, SPATE_MISSING, "the world has no key '%.100s': %s is a value", path, k->path);
	if (k->key)
	{
		k->holder += k->key->offset;
		k->object = k->key->object;
		k->key = NULL;
	}
	const scene_key *key = k->object->keys;
	while (key->name && (strcmp(key->name, name) != 0 || !is_there(k, key)))
		key++;
	if (!key->name)
		return refuse_name(k, path, name, error);
	k->key = key;
	append(k, name);
	return SPATE_OK;
}

static spate_result find_key(live_key *k, const spate_world *w, spate_scene *view, const char *path, spate_error *error)
{
	if (!w || !path)
		return error_set(error, SPATE_INVALID, "a key needs a world and a path, not NULL");
	*k = begin(w, view);
	spate_result result = SPATE_OK;
	for (const char *from = path, *end = path; *end && result == SPATE_OK; from = end + 1)
	{
		end = from + strcspn(from, ".");
		char name[64];
		snprintf(name, sizeof name, "%.*s", (int)(end - from), from);
		result = end - from < (int)sizeof name ? enter(k, path, name, error) : refuse_name(k, path, "", error);
	}
	if (result != SPATE_OK)
		return result;
	if (!k->key || k->key->kind == KEY_OBJECT || k->key->kind == KEY_LIST || k->key->kind == KEY_MAP)
		return error_set(error, SPATE_MISSING, "'%.100s' is not a key with a value but contains keys", path);
	return SPATE_OK;
}

// ---------------------------------------------------------------------------------------------------------------- listing

// Looks for the key with number *left among the keys of an object and all that it contains.
static int find_nth(const live_key *at, uint32_t *left, live_key *found)
{
	for (const scene_key *key = at->object->keys; key->name; key++)
	{
		if (!is_there(at, key))
			continue;
		live_key k = *at;
		k.key = key;
		append(&k, key->name);
		if (key->kind == KEY_OBJECT)
		{
			k.holder += key->offset;
			k.object = key->object;
			if (find_nth(&k, left, found))
				return 1;
		}
		else if (key->kind == KEY_LIST || key->kind == KEY_MAP)
			for (uint32_t i = 0; i < element_count(&k); i++)
			{
				live_key element = k;
				enter_element(&element, i);
				if (find_nth(&element, left, found))
					return 1;
			}
		else if ((*left)-- == 0)
		{
			*found = k;
			return 1;
		}
	}
	return 0;
}

static void describe(const live_key *k, spate_key *out)
{
	static const spate_key_kind kinds[] = {
	    [KEY_NUMBER] = SPATE_KEY_NUMBER, [KEY_COUNT] = SPATE_KEY_COUNT, [KEY_COUNT64] = SPATE_KEY_COUNT,
	    [KEY_TEXT] = SPATE_KEY_TEXT,     [KEY_PATH] = SPATE_KEY_TEXT,   [KEY_VECTOR] = SPATE_KEY_VECTOR,
	    [KEY_COLOR] = SPATE_KEY_COLOR,   [KEY_CHOICE] = SPATE_KEY_WORD, [KEY_FLUID] = SPATE_KEY_TEXT};
	const scene_key *key = k->key;
	*out = (spate_key){.kind = kinds[key->kind],
			   .live = (key->flags & KEY_LIVE) != 0,
			   .limited = key_has_range(key),
			   .above_min = (key->flags & KEY_ABOVE_MIN) != 0,
			   .min = key->min,
			   .max = key->max,
			   .unit = key->unit,
			   .doc = key->doc,
			   .auto_word = key->word};
	memcpy(out->path, k->path, sizeof out->path);
	scene_word word;
	while (out->word_count < SPATE_KEY_WORDS && key_word_at(key, out->word_count, &word))
		out->words[out->word_count++] = word.name;
}

int spate_world_key(const spate_world *w, uint32_t n, spate_key *key)
{
	spate_scene view;
	live_key root = begin(w, &view), found;
	if (!find_nth(&root, &n, &found))
		return 0;
	describe(&found, key);
	return 1;
}

spate_result spate_world_find_key(const spate_world *w, const char *path, spate_key *key, spate_error *error)
{
	spate_scene view;
	live_key k;
	spate_result result = find_key(&k, w, &view, path, error);
	if (result == SPATE_OK)
		describe(&k, key);
	return result;
}

// ---------------------------------------------------------------------------------------------------------------- reading

// Writes a value as in a scene file. Names are not quoted.
static spate_result write_text(const scene_key *key, const void *holder, const spate_world *w, char *out, size_t bytes,
			       spate_error *error)
{
	const void *value = (const char *)holder + key->offset;
	buffer b = {0};
	if (key->kind == KEY_TEXT || key->kind == KEY_PATH)
		buffer_add(&b, "%s", *(const char *const *)value);
	else if (key->kind == KEY_FLUID && w->model.fluids[*(const uint32_t *)value].name)
		buffer_add(&b, "%s", w->model.fluids[*(const uint32_t *)value].name);
	else if (key->kind == KEY_FLUID)
		buffer_add(&b, "%u", *(const uint32_t *)value);
	else
		write_default(&b, key, holder);
	spate_result result = SPATE_OK;
	if (b.failed)
		result = error_memory(error, bytes);
	else if (b.length >= bytes)
		result = error_set(error, SPATE_INVALID, "the value of %s has more than %zu characters", key->name,
				   bytes - 1);
	else
		memcpy(out, b.text, b.length + 1);
	buffer_free(&b);
	return result;
}

spate_result spate_world_get(const spate_world *w, const char *path, char value[SPATE_VALUE_CHARS], spate_error *error)
{
	spate_scene view;
	live_key k;
	spate_result result = find_key(&k, w, &view, path, error);
	if (result != SPATE_OK)
		return result;
	locale_t old = scene_locale_enter();
	result = write_text(k.key, k.holder, w, value, SPATE_VALUE_CHARS, error);
	scene_locale_leave(old);
	return result;
}

spate_result spate_world_get_number(const spate_world *w, const char *path, double *value, spate_error *error)
{
	spate_scene view;
	live_key k;
	spate_result result = find_key(&k, w, &view, path, error);
	if (result != SPATE_OK)
		return result;
	if (k.key->kind != KEY_NUMBER && k.key->kind != KEY_COUNT && k.key->kind != KEY_COUNT64)
		return error_set(error, SPATE_INVALID, "%s is not a number", k.path);
	*value = key_number(k.key, k.holder);
	return SPATE_OK;
}

spate_result spate_world_get_vector(const spate_world *w, const char *path, double value[3], spate_error *error)
{
	spate_scene view;
	live_key k;
	spate_result result = find_key(&k, w, &view, path, error);
	if (result != SPATE_OK)
		return result;
	if (k.key->kind != KEY_VECTOR && k.key->kind != KEY_COLOR)
		return error_set(error, SPATE_INVALID, "%s is not a vector", k.path);
	memcpy(value, value_of(&k), 3 * sizeof *value);
	return SPATE_OK;
}

// --------------------------------------------------------------------------------------------------------------- changing

static spate_result refuse_fixed(const live_key *k, spate_error *error)
{
	char names[KEY_TEXT_CHARS];
	live_names(k, names);
	return error_set(error, SPATE_INVALID, "%s is fixed when the world is made; %s%s", k->path,
			 names[0] ? "live keys beside it are " : "no key beside it is live", names);
}

// Reads a value by the key's row. The first problem becomes the error.
static spate_result read_bytes(const scene_key *key, const char *text, void *bytes, spate_error *error)
{
	node_pool pool = {0};
	problem_list problems = {0};
	scene_reader reader = {.memory = &pool, .problems = &problems};
	const node *n = node_parse(&pool, text, strlen(text), (place){0}, &problems);
	if (n)
		read_value(&reader, key, n, bytes);
	spate_result result = SPATE_OK;
	if (problems.failed || pool.failed)
		result = error_memory(error, strlen(text));
	else if (problems.errors > 0)
		result = error_set(error, SPATE_INVALID, "%s", problems.items.data[0].text);
	array_free(&problems.items);
	node_pool_free(&pool);
	return result;
}

spate_result world_change_read(const spate_world *w, const char *path, const char *value, world_change *change,
			       spate_error *error)
{
	static const size_t sizes[] = {
	    [KEY_NUMBER] = sizeof(double),     [KEY_COUNT] = sizeof(uint32_t),   [KEY_COUNT64] = sizeof(uint64_t),
	    [KEY_VECTOR] = 3 * sizeof(double), [KEY_COLOR] = 3 * sizeof(double), [KEY_CHOICE] = sizeof(int)};
	spate_scene view;
	live_key k;
	spate_result result = find_key(&k, w, &view, path, error);
	if (result != SPATE_OK)
		return result;
	if (!(k.key->flags & KEY_LIVE))
		return refuse_fixed(&k, error);
	*change = (world_change){.part = k.part, .index = k.index, .size = sizes[k.key->kind]};
	if (k.key->flags & KEY_SETTING)
		change->size = sizeof(double);
	change->offset = (size_t)((const char *)value_of(&k) - k.base);
	memcpy(change->path, k.path, sizeof change->path);
	scene_key alone = *k.key;
	alone.name = k.path;
	alone.offset = 0;
	_Alignas(16) unsigned char bytes[CHANGE_BYTES] = {0};
	locale_t old = scene_locale_enter();
	result = read_bytes(&alone, value, bytes, error);
	if (result == SPATE_OK)
		result = write_text(&alone, bytes, w, change->value, sizeof change->value, error);
	scene_locale_leave(old);
	memcpy(change->after, bytes, sizeof bytes);
	return result;
}

spate_result world_track_find(const spate_world *w, const char *path, track_key *key, spate_error *error)
{
	spate_scene view;
	live_key k;
	spate_result result = find_key(&k, w, &view, path, error);
	if (result != SPATE_OK)
		return result;
	if (!(k.key->flags & (KEY_LIVE | KEY_TIMED)))
		return refuse_fixed(&k, error);
	if (!key_takes_track(k.key))
		return error_set(error, SPATE_INVALID, "%s is neither a number nor a vector", k.path);
	*key = track_key_of(k.key);
	key->change.part = k.part;
	key->change.index = k.index;
	key->change.offset = (size_t)((const char *)value_of(&k) - k.base);
	memcpy(key->change.path, k.path, sizeof key->change.path);
	return SPATE_OK;
}

spate_result spate_world_set(spate_world *w, const char *path, const char *value, spate_error *error)
{
	if (!value)
		return error_set(error, SPATE_INVALID, "spate_world_set needs a value, not NULL");
	world_change change;
	spate_result result = world_change_read(w, path, value, &change, error);
	if (result != SPATE_OK)
		return result;
	change.step = w->stepping ? w->work.stats.step : w->state.counters.step;
	const char *field = (const char *)world_part_of(w, change.part, change.index) + change.offset;
	// the journal has changes only
	if (!w->stepping && !world_has_track(w, &change) && memcmp(field, change.after, change.size) == 0)
		return SPATE_OK;
	return world_changes_add(w, &change, 1, error);
}

spate_result spate_world_set_number(spate_world *w, const char *path, double value, spate_error *error)
{
	char text[NUMBER_CHARS];
	locale_t old = scene_locale_enter();
	number_text(text, value);
	scene_locale_leave(old);
	return spate_world_set(w, path, text, error);
}

spate_result spate_world_set_vector(spate_world *w, const char *path, const double value[3], spate_error *error)
{
	char text[3][NUMBER_CHARS], list[3 * NUMBER_CHARS + 8];
	locale_t old = scene_locale_enter();
	for (int i = 0; i < 3; i++)
		number_text(text[i], value[i]);
	scene_locale_leave(old);
	snprintf(list, sizeof list, "[%s, %s, %s]", text[0], text[1], text[2]);
	return spate_world_set(w, path, list, error);
}
