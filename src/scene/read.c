#include "scene/read.h"

#include "base/suggest.h"
#include "scene/bodies.h"
#include "scene/tracks.h"
#include "scene/walls.h"
#include "solver/solver.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void read_object(scene_reader *reader, const scene_object *object, const node *n, void *out);

void read_suggestion(const suggestion *s, char *out)
{
	out[0] = '\0';
	if (s->best)
		snprintf(out, KEY_TEXT_CHARS, "; did you mean '%s'?", s->best);
}

int name_is_valid(const char *name)
{
	size_t length = strlen(name);
	for (const char *c = name; *c; c++)
		if (!isascii((unsigned char)*c) || (!isalnum((unsigned char)*c) && *c != '_' && *c != '-'))
			return 0;
	return length > 0 && length < 64;
}

// Appends a name to the path; returns the old length, to go back to.
static size_t enter(scene_reader *reader, const char *name)
{
	size_t length = strlen(reader->path);
	snprintf(reader->path + length, PATH_CHARS - length, "%s%.63s", length ? "." : "", name);
	return length;
}

static void leave(scene_reader *reader, size_t length)
{
	reader->path[length] = '\0';
}

// ------------------------------------------------------------------------------------------------------ lists and maps

// The array of a list's or map's elements, each with its defaults; NULL when out of memory.
static char *make_elements(scene_reader *reader, const scene_key *key, uint32_t count)
{
	const scene_object *object = key->object;
	char *elements = node_pool_alloc(reader->memory, mem_product(count, object->size));
	for (uint32_t i = 0; elements && i < count; i++)
		object->defaults(elements + i * object->size, reader->scene->up);
	return elements;
}

static void read_elements(scene_reader *reader, const scene_key *key, const node *n, void *out)
{
	node_type wanted = key->kind == KEY_LIST ? NODE_LIST : NODE_MAP;
	if (n->type != wanted)
	{
		read_wrong_type(reader, key, n);
		return;
	}
	if (n->count == 0)
	{
		if (key->flags & KEY_NOT_EMPTY)
			read_error(reader, n->named_at, "%s must have at least one element", key->name);
		return;
	}
	const scene_object *object = key->object;
	char *elements = make_elements(reader, key, n->count);
	if (!elements)
		return;
	memcpy((char *)out + key->offset, &elements, sizeof elements);
	memcpy((char *)out + key->count_offset, &n->count, sizeof n->count);
	// names first: a reference may point forward
	size_t root = enter(reader, key->name);
	uint32_t i = 0;
	for (const node *child = n->first; child && key->kind == KEY_MAP; child = child->next, i++)
	{
		const char *name = node_pool_strdup(reader->memory, child->key, strlen(child->key));
		memcpy(elements + i * object->size + object->name_offset, &name, sizeof name);
		if (!name_is_valid(child->key))
			read_error(reader, child->named_at,
				   "the name '%.60s' must be 1 to 63 letters, digits, '_' or '-'", child->key);
	}
	i = 0;
	for (const node *child = n->first; child; child = child->next, i++)
	{
		char number[16];
		snprintf(number, sizeof number, "%u", i);
		size_t list = enter(reader, key->kind == KEY_MAP ? child->key : number);
		read_object(reader, object, child, elements + i * object->size);
		leave(reader, list);
	}
	leave(reader, root);
}

// ------------------------------------------------------------------------------------------------------------- objects

// The name of a key in the version of the file, NULL if it has none.
static const char *name_of(const scene_reader *reader, const scene_key *key)
{
	if (key->since > reader->version)
		return NULL;
	return reader->version == 1 && key->before ? key->before : key->name;
}

// `variant` is that of the object; -1 when it has none, or is not known.
static void refuse_unknown(scene_reader *reader, const scene_object *object, int variant, const node *child)
{
	const scene_key *renamed = key_find(object, child->key);
	if (renamed && renamed->before && reader->version == 1)
	{
		read_error(reader, child->named_at, "'%s' is a key of version 2; in version 1 it is called '%s'",
			   renamed->name, renamed->before);
		return;
	}
	if (renamed && !name_of(reader, renamed))
	{
		read_error(reader, child->named_at, "'%s' is a key of version %d; write 'spate: %d' to use it",
			   child->key, renamed->since, renamed->since);
		return;
	}
	suggestion s;
	suggest_begin(&s, child->key);
	for (const scene_key *key = object->keys; key->name; key++)
		if (name_of(reader, key))
			suggest_offer(&s, name_of(reader, key));
	char hint[KEY_TEXT_CHARS], known[KEY_TEXT_CHARS];
	read_suggestion(&s, hint);
	key_names_text(object, variant, known);
	if (s.best)
		read_error(reader, child->named_at, "unknown key '%.60s'%s", child->key, hint);
	else
		read_error(reader, child->named_at, "unknown key '%.60s'; use %s", child->key, known);
}

// Reports a key of another variant: "'radius' does not apply to type fill, only to emitter".
static void refuse_foreign(scene_reader *reader, const scene_object *object, const scene_key *key, const node *child,
			   const char *variant)
{
	char owners[KEY_TEXT_CHARS] = "";
	size_t used = 0;
	unsigned only = 0; // of all rows with that name
	for (const scene_key *row = object->keys; row->name; row++)
		only |= strcmp(row->name, key->name) == 0 ? row->only : 0;
	for (const scene_word *word = key_variants(object); word->name; word++)
		if (only >> word->value & 1)
			used += (size_t)snprintf(owners + used, sizeof owners - used, "%s%s", used ? " and " : "",
						 word->name);
	if (object->variants)
		read_error(reader, child->named_at, "'%s' cannot be used with '%s', only with '%s'", key->name, variant,
			   owners);
	else
		read_error(reader, child->named_at, "'%s' does not apply to type %s, only to %s", key->name, variant,
			   owners);
}

static void refuse_second(scene_reader *reader, const node *second, const node *first)
{
	read_error(reader, second->named_at, "'%s' and '%s' exclude each other", second->key, first->key);
}

// Reads an object of which exactly one key is given, such as a shape.
static void read_one_of(scene_reader *reader, const scene_object *object, const node *n, void *out)
{
	const node *chosen = NULL;
	for (const node *child = n->first; child; child = child->next)
	{
		const scene_key *key = key_find(object, child->key);
		if (!key)
			refuse_unknown(reader, object, -1, child);
		else if (chosen)
			refuse_second(reader, child, chosen);
		else
		{
			chosen = child;
			memcpy((char *)out + object->tag_offset, &key->variant, sizeof key->variant);
			read_key(reader, key, child, out);
		}
	}
	if (n->count == 0)
	{
		char known[KEY_TEXT_CHARS];
		key_names_text(object, -1, known);
		read_error(reader, n->named_at, "one of the keys %s is needed", known);
	}
}

void read_key(scene_reader *reader, const scene_key *key, const node *n, void *out)
{
	if (key->kind == KEY_LIST || key->kind == KEY_MAP)
		read_elements(reader, key, n, out);
	else if (key->kind == KEY_OBJECT && n->type == NODE_MAP)
	{
		size_t length = enter(reader, key->name);
		read_object(reader, key->object, n, (char *)out + key->offset);
		leave(reader, length);
	}
	else
		read_value(reader, key, n, out);
}

// The variant that the object's first key chooses: its word, or NULL when it is wrong, or missing though required.
static const char *read_tag(scene_reader *reader, const scene_object *object, const node *n, void *out, int *variant)
{
	const scene_key *tag = object->keys;
	const node *child = node_get(n, tag->name);
	uint32_t errors = reader->problems->errors;
	if (child)
		read_value(reader, tag, child, out);
	else if (tag->flags & KEY_REQUIRED)
	{
		char words[KEY_TEXT_CHARS];
		key_words_text(tag, words);
		read_error(reader, n->named_at, "'%s' is missing: %s", tag->name, words);
	}
	memcpy(variant, (char *)out + object->tag_offset, sizeof *variant);
	return reader->problems->errors == errors ? key_word(tag, *variant) : NULL;
}

// The variant selected by the presence of one of several keys: its name, or NULL when none or two are present.
static const char *find_variant(scene_reader *reader, const scene_object *object, const node *n, int *variant)
{
	const node *chosen = NULL;
	int count = 0;
	for (const node *child = n->first; child; child = child->next)
		for (const scene_word *word = object->variants; word->name; word++)
			if (strcmp(word->name, child->key) == 0)
			{
				if (count++ > 0)
					refuse_second(reader, child, chosen);
				else
					chosen = child;
				*variant = word->value;
			}
	char words[KEY_TEXT_CHARS];
	key_words_text(&(scene_key){.words = object->variants}, words);
	if (count == 0)
		read_error(reader, n->named_at, "one of the keys %s is needed", words);
	return count == 1 ? chosen->key : NULL;
}

// The key of a name: the variant's own, or else any.
static const scene_key *find_key(const scene_reader *reader, const scene_object *object, const char *name, int variant)
{
	const scene_key *found = NULL;
	for (const scene_key *key = object->keys; key->name; key++)
	{
		const char *own = name_of(reader, key);
		if (!own || strcmp(own, name) != 0)
			continue;
		if (key_is_of(key, variant))
			return key;
		found = found ? found : key;
	}
	return found;
}

static void refuse_missing(scene_reader *reader, const scene_key *key, const node *n)
{
	if (key->example)
		read_error(reader, n->named_at, "'%s' is missing, like %s: %s", key->name, key->name, key->example);
	else
		read_error(reader, n->named_at, "'%s' is missing", key->name);
}

static void read_keys(scene_reader *reader, const scene_object *object, const node *n, void *out)
{
	int chosen = 0;
	const char *variant = object->tagged     ? read_tag(reader, object, n, out, &chosen)
			      : object->variants ? find_variant(reader, object, n, &chosen)
						 : NULL;
	int any_variant = key_variants(object) && !variant;
	for (const node *child = n->first; child; child = child->next)
	{
		const scene_key *key = find_key(reader, object, child->key, chosen);
		if (!key)
			refuse_unknown(reader, object, variant ? chosen : -1, child);
		else if (variant && !key_is_of(key, chosen))
			refuse_foreign(reader, object, key, child, variant);
	}
	for (const scene_key *key = object->keys + object->tagged; key->name; key++)
	{
		if (any_variant ? key->only != 0 : variant && !key_is_of(key, chosen))
			continue;
		scene_key own = *key; // by the name that the file's version gives it
		own.name = name_of(reader, key);
		const node *child = own.name ? node_get(n, own.name) : NULL;
		if (child && looks_like_track(key, child))
			read_track(reader, object, &own, child, out);
		else if (child)
			read_key(reader, &own, child, out);
		if (child && own.name != key->name && key->apply)
			key->apply(reader, out, reader->version);
		else if (!child && (key->flags & KEY_REQUIRED) && !(key->unless && node_get(n, key->unless)))
			refuse_missing(reader, key, n);
	}
}

static void read_bare(scene_reader *reader, const scene_object *object, const node *n, void *out)
{
	scene_key key = object->keys[0];
	key.name = n->key ? n->key : key.name;
	read_value(reader, &key, n, out);
}

static void read_object(scene_reader *reader, const scene_object *object, const node *n, void *out)
{
	if (object->bare)
	{
		read_bare(reader, object, n, out);
		return;
	}
	if (n->type != NODE_MAP)
	{
		read_wrong_type(reader, &(scene_key){.name = "this", .kind = KEY_OBJECT}, n);
		return;
	}
	uint32_t errors = reader->problems->errors;
	if (object->one_of)
		read_one_of(reader, object, n, out);
	else
		read_keys(reader, object, n, out);
	if (object->check && reader->problems->errors == errors)
		object->check(reader, n, out);
}

// With several fluids, pictures and meshes need the channel that tells them apart, so it becomes a default.
static void choose_channels(scene_reader *reader)
{
	static const char *const channels[] = {"velocity", "density", "fluid"};
	const node *output = node_get(reader->root, "output");
	int given = output && output->type == NODE_MAP && node_get(output, "channels");
	if (!given && reader->scene->world.fluid_count > 1)
	{
		reader->scene->output.channels = channels;
		reader->scene->output.channel_count = sizeof channels / sizeof *channels;
	}
}

// What version 1 calls surface tension is the channel `cohesion` today.
static void rename_channels(scene_reader *reader)
{
	const node *output = node_get(reader->root, "output"), *channels = output ? node_get(output, "channels") : NULL;
	for (node *n = channels ? channels->first : NULL; n; n = n->next)
		if (n->type == NODE_SCALAR && strcmp(n->text, "surface_tension") == 0)
			n->text = "cohesion";
}

void read_scene(scene_reader *reader)
{
	const node *version = node_get(reader->root, "spate");
	reader->version =
	    version && version->type == NODE_SCALAR && strcmp(version->text, "1") == 0 ? 1 : SCENE_VERSION;
	if (reader->version == 1)
	{
		// what a file of version 1 leaves out means what it meant
		reader->scene->world.solver.type = SOLVER_pbf;
		rename_channels(reader);
	}
	read_object(reader, &scene_root, reader->root, reader->scene);
	walls_add(reader);
	bodies_add(reader);
	reader->scene->world.cameras = reader->scene->cameras;
	reader->scene->world.camera_count = reader->scene->camera_count;
	choose_channels(reader);
	reader->scene->world.wanted = reader->scene->output.channels;
	reader->scene->world.wanted_count = reader->scene->output.channel_count;
	keep_tracks(reader);
}
