#include "scene/override.h"

#include "base/suggest.h"
#include "scene/join.h"
#include "scene/keys.h"
#include "scene/read.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Position along the path of an override: a node and its row in the key table.
typedef struct walk
{
	node_pool *pool;
	problem_list *problems;
	place from;          // of the change
	const node *aliases; // of names of fluids and channels; NULL for none
	node *at;
	const scene_key *key;       // of `at`; NULL inside an element or at the root
	const scene_object *object; // whose keys come next; NULL when `at` is a list, a named map or a plain value
} walk;

#define refuse(w, ...) problem_add((w)->problems, 0, (w)->from, "", __VA_ARGS__)

// Adds a child without a value.
static node *add_child(walk *w, const char *name, node_type type)
{
	node *child = node_pool_alloc(w->pool, sizeof *child);
	if (!child)
		return NULL;
	*child = (node){.type = type, .text = "", .plain = 1, .at = w->from, .named_at = w->from};
	child->key = node_pool_strdup(w->pool, name, strlen(name));
	if (!child->key)
		return NULL;
	node_append(w->at, child);
	return child;
}

// The key of a name in any version of the format; whether it is one of the file's version is for the reader to say.
static const scene_key *find_key(const scene_object *object, const char *name)
{
	const scene_key *key = key_find(object, name);
	for (const scene_key *k = object->keys; !key && k->name; k++)
		key = k->before && strcmp(k->before, name) == 0 ? k : NULL;
	return key;
}

// Steps into a map of known keys; a missing key is created.
static int step_into_object(walk *w, const char *name, int last)
{
	const scene_key *key = find_key(w->object, name);
	if (!key)
	{
		suggestion s;
		suggest_begin(&s, name);
		for (const scene_key *k = w->object->keys; k->name; k++)
			suggest_offer(&s, k->name);
		char hint[KEY_TEXT_CHARS];
		read_suggestion(&s, hint);
		return refuse(w, "unknown key '%.60s'%s", name, hint);
	}
	node *child = node_get(w->at, name);
	if (!child && !last && key->kind != KEY_OBJECT)
		return refuse(w, "the scene has no '%s' to change", name);
	if (!child)
		child = add_child(w, name, NODE_MAP);
	w->at = child;
	w->key = key;
	w->object = key->kind == KEY_OBJECT ? key->object : NULL;
	return child != NULL;
}

// Steps into a named element, which must exist unless it is set as a whole.
static int step_into_map(walk *w, const char *name, int last)
{
	const char *alias = join_alias(w->aliases, w->key->name, name);
	node *child = node_get(w->at, alias ? alias : name);
	if (!child && !last)
	{
		suggestion s;
		suggest_begin(&s, name);
		for (const node *n = w->at->first; n; n = n->next)
			suggest_offer(&s, n->key);
		char hint[KEY_TEXT_CHARS];
		read_suggestion(&s, hint);
		return refuse(w, "%s has no '%.60s'%s", w->key->name, name, hint);
	}
	if (!child)
		child = add_child(w, name, NODE_MAP);
	w->at = child;
	w->object = w->key->object;
	w->key = NULL;
	return child != NULL;
}

static int step_into_list(walk *w, const char *name)
{
	char count[16];
	snprintf(count, sizeof count, "%u", w->at->count);
	int digits = name[0] && strlen(name) < 9 && strspn(name, "0123456789") == strlen(name);
	node *child = digits ? node_item(w->at, (uint32_t)strtoul(name, NULL, 10)) : NULL;
	for (node *n = digits ? NULL : w->at->first; n && !child; n = n->next)
	{
		const node *own = node_get(n, "name");
		child = own && own->type == NODE_SCALAR && strcmp(own->text, name) == 0 ? n : NULL;
	}
	if (!child)
		return refuse(w,
			      "'%.60s' is neither a name in %s nor an index into it; it has %s elements counted from 0",
			      name, w->key ? w->key->name : "this list", count);
	w->at = child;
	w->object = w->key ? w->key->object : NULL;
	w->key = NULL;
	return 1;
}

static int step(walk *w, const char *name, int last)
{
	if (w->object && w->at->type == NODE_MAP)
		return step_into_object(w, name, last);
	if (w->at->type == NODE_LIST)
		return step_into_list(w, name);
	if (w->key && w->key->kind == KEY_MAP && w->at->type == NODE_MAP)
		return step_into_map(w, name, last);
	return refuse(w, "'%.60s' cannot be set%s%s: it is neither a map nor a list", name, w->key ? " in " : "",
		      w->key ? w->key->name : "");
}

static void replace(node *target, const node *value)
{
	target->type = value->type;
	target->plain = value->plain;
	target->at = target->named_at = value->at;
	target->text = value->text;
	target->first = value->first;
	target->last = value->last;
	target->count = value->count;
}

// Replaces the value at a path, which is taken apart.
static void set_value(walk *w, char *path, const node *value)
{
	for (char *name = path, *dot; name; name = dot)
	{
		if ((dot = strchr(name, '.')))
			*dot++ = '\0';
		if (!step(w, name, !dot))
			return;
	}
	replace(w->at, value);
}

void override_set(node_pool *pool, node *root, const node *value, const node *aliases, problem_list *problems)
{
	walk w = {.pool = pool,
		  .problems = problems,
		  .from = value->named_at,
		  .aliases = aliases,
		  .at = root,
		  .object = &scene_root};
	char *path = node_pool_strdup(pool, value->key, strlen(value->key));
	if (path)
		set_value(&w, path, value);
}

void override_apply(node_pool *pool, node *root, const char *text, const node *aliases, problem_list *problems)
{
	walk w = {.pool = pool, .problems = problems, .aliases = aliases, .at = root, .object = &scene_root};
	size_t length = strlen(text);
	char *copy = node_pool_strdup(pool, text, length);
	if (!copy || !(w.from.origin = node_pool_strdup(pool, text, length)))
		return;
	char *equals = strchr(copy, '=');
	if (!equals || equals == copy)
	{
		refuse(&w, "an override looks like path.to.key=value");
		return;
	}
	*equals = '\0';
	const node *value = node_parse(pool, equals + 1, length - (size_t)(equals + 1 - copy), w.from, problems);
	if (value)
		set_value(&w, copy, value);
}

int override_is_include(const char *text)
{
	size_t length = strcspn(text, ".=");
	return length == strlen("include") && strncmp(text, "include", length) == 0;
}
