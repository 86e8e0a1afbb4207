#include "scene/join.h"

#include "scene/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What has names that references mean, by root key.
typedef enum group
{
	FLUIDS,
	CHANNELS,
	SOURCES,
	COLLIDERS,
	BODIES,
	CAMERAS,
	GROUPS
} group;

static const char *const group_keys[GROUPS] = {
    [FLUIDS] = "fluids",       [CHANNELS] = "channels", [SOURCES] = "sources",
    [COLLIDERS] = "colliders", [BODIES] = "bodies",     [CAMERAS] = "cameras"};

// The new names of all groups: maps from the old name.
typedef struct names
{
	const node *of[GROUPS];
} names;

// --------------------------------------------------------------------------------------------------------------- equality

static int same_scalar(const node *a, const node *b)
{
	if (strcmp(a->text, b->text) == 0)
		return a->plain == b->plain;
	char *a_end, *b_end;
	double x = strtod(a->text, &a_end), y = strtod(b->text, &b_end);
	return a->plain && b->plain && a->text[0] && b->text[0] && !*a_end && !*b_end && x == y;
}

static uint32_t count_without(const node *map, const char *except)
{
	return map->count - (except && node_get(map, except));
}

int join_same(const node *a, const node *b, const char *except)
{
	if (a->type != b->type)
		return 0;
	if (a->type == NODE_SCALAR)
		return same_scalar(a, b);
	if (count_without(a, except) != count_without(b, except))
		return 0;
	const node *other = b->first;
	for (const node *n = a->first; n; n = n->next)
	{
		if (a->type == NODE_MAP && except && strcmp(n->key, except) == 0)
			continue;
		if (a->type == NODE_MAP)
			other = node_get(b, n->key);
		if (!other || !join_same(n, other, NULL))
			return 0;
		other = other->next;
	}
	return 1;
}

// ------------------------------------------------------------------------------------------------------------- references

static void rename_scalar(node *n, const node *to)
{
	const node *name = n->type == NODE_SCALAR ? node_get(to, n->text) : NULL;
	if (name)
		n->text = name->text;
}

static void rename_items(node *list, const node *to)
{
	for (node *n = list->type == NODE_LIST ? list->first : NULL; n; n = n->next)
		rename_scalar(n, to);
}

// The values that a channel gives to sources: { hot: 80 }.
static void rename_keys(node *map, const node *to)
{
	for (node *n = map->type == NODE_MAP ? map->first : NULL; n; n = n->next)
	{
		const node *name = node_get(to, n->key);
		if (name)
			n->key = name->text;
	}
}

// Renames what an object's keys refer to. Keys that are not of the object are the reader's to find.
static void rename_in(const scene_object *object, node *map, const names *to)
{
	for (node *n = map->type == NODE_MAP ? map->first : NULL; n; n = n->next)
	{
		const scene_key *key = key_find(object, n->key);
		if (!key)
			continue;
		switch (key->kind)
		{
		case KEY_FLUID:
			rename_scalar(n, to->of[FLUIDS]);
			break;
		case KEY_FLUIDS:
			rename_items(n, to->of[FLUIDS]);
			break;
		case KEY_COLLIDER:
			rename_scalar(n, to->of[COLLIDERS]);
			rename_scalar(n, to->of[BODIES]);
			break;
		case KEY_BODIES:
			rename_items(n, to->of[BODIES]);
			break;
		case KEY_CAMERAS:
			rename_items(n, to->of[CAMERAS]);
			break;
		case KEY_CHOICES:
			if (key->scene_word_at)
				rename_items(n, to->of[CHANNELS]);
			break;
		case KEY_OBJECT:
			rename_in(key->object, n, to);
			break;
		case KEY_MAP:
		case KEY_LIST:
			if (key->object->bare)
				rename_keys(n, to->of[SOURCES]);
			for (node *element = n->type == NODE_SCALAR ? NULL : n->first; element; element = element->next)
				rename_in(key->object, element, to);
			break;
		default:
			break;
		}
	}
}

const char *join_alias(const node *aliases, const char *root_key, const char *name)
{
	const node *found = aliases ? node_get(node_get(aliases, root_key), name) : NULL;
	return found ? found->text : NULL;
}

void join_follow(node *root, const node *aliases)
{
	names to = {0};
	for (int g = 0; g < GROUPS; g++)
		to.of[g] = node_get(aliases, group_keys[g]);
	rename_in(&scene_root, root, &to);
}

// ------------------------------------------------------------------------------------------------------------------ names

static node *add_child(node_pool *tree, node *map, const char *key, node_type type, const char *text, place at)
{
	node *n = node_pool_alloc(tree, sizeof *n);
	if (!n)
		return NULL;
	*n = (node){.type = type, .key = key, .text = text, .at = at, .named_at = at};
	node_append(map, n);
	return n;
}

// The map of a root key's names, made when it is needed.
static node *names_of(node_pool *tree, node *all, const char *root_key)
{
	node *found = node_get(all, root_key);
	return found ? found : add_child(tree, all, root_key, NODE_MAP, NULL, (place){0});
}

static const char *prefixed(node_pool *tree, const join_def *join, const char *name)
{
	size_t length = strlen(join->prefix), bytes = length + strlen(name) + 1;
	char *whole = node_pool_alloc(tree, bytes);
	if (whole)
		snprintf(whole, bytes, "%s%s", join->prefix, name);
	return whole;
}

static const char *own_name(const node *n)
{
	return n->own_key ? n->own_key : n->key;
}

// The fluid or channel of the scene that an included one of the same name and definition is; NULL for none.
static const node *find_equal(const node *list, const node *included, const char *except, int *differs)
{
	for (const node *n = list && list->type == NODE_MAP ? list->first : NULL; n; n = n->next)
		if (strcmp(own_name(n), own_name(included)) == 0)
		{
			if (join_same(n, included, except))
				return n;
			*differs = 1;
		}
	return NULL;
}

// The name in the scene that `fluids` gives to a fluid of the file; NULL if it is not there.
static const char *replaced_by(const join_def *join, const char *name)
{
	const node *to = node_get(node_get(join->at, "fluids"), name);
	return to ? to->text : NULL;
}

// Chooses the name of a fluid or channel: that of the scene's own, if it is the same one.
static const char *choose_name(scene_reader *reader, node_pool *tree, const join_def *join, group g, const node *n)
{
	int differs = 0;
	const char *to = g == FLUIDS ? replaced_by(join, n->key) : NULL;
	const node *list = node_get(join->root, group_keys[g]);
	const node *equal = to ? NULL : find_equal(list, n, g == CHANNELS ? "sources" : NULL, &differs);
	if (to || equal)
		return to ? to : equal->key;
	if (differs && g == FLUIDS)
		read_warning(
		    reader, n->named_at,
		    "this fluid differs from another '%.60s' of the scene, so it is one of its own, %.60s%.60s; "
		    "to have one fluid, give both the same values, or say fluids: { %.60s: ... } in include",
		    own_name(n), join->prefix, n->key, n->key);
	return prefixed(tree, join, n->key);
}

// Finds the new names of a group.
static const node *name_group(scene_reader *reader, node_pool *tree, const join_def *join, group g)
{
	node *to = add_child(tree, &(node){.type = NODE_MAP}, group_keys[g], NODE_MAP, NULL, (place){0});
	const node *list = node_get(join->included, group_keys[g]);
	for (const node *n = to && list && list->type != NODE_SCALAR ? list->first : NULL; n; n = n->next)
	{
		const node *name = list->type == NODE_LIST ? node_get(n, "name") : NULL;
		const char *old = list->type == NODE_MAP              ? n->key
				  : name && name->type == NODE_SCALAR ? name->text
								      : NULL;
		if (!old)
			continue;
		const char *chosen =
		    g == FLUIDS || g == CHANNELS ? choose_name(reader, tree, join, g, n) : prefixed(tree, join, old);
		if (!chosen || !add_child(tree, to, old, NODE_SCALAR, chosen, (place){0}))
			return NULL;
	}
	// what had become another name within the file
	const node *within = join->aliases ? node_get(join->aliases, group_keys[g]) : NULL;
	for (const node *n = to && within ? within->first : NULL; n; n = n->next)
	{
		const node *target = node_get(to, n->text);
		if (!add_child(tree, to, n->key, NODE_SCALAR, target ? target->text : n->text, (place){0}))
			return NULL;
	}
	return to;
}

// ---------------------------------------------------------------------------------------------------------------- joining

// Finds names of `fluids` that a file does not have.
static void check_fluids(scene_reader *reader, const join_def *join, const node *aliases)
{
	const node *here = node_get(join->root, "fluids"), *there = node_get(join->included, "fluids"),
		   *map = node_get(join->at, "fluids");
	for (node *n = map ? map->first : NULL; n; n = n->next)
	{
		rename_scalar(n, node_get(aliases, "fluids"));
		const char *file = node_get(join->at, "file")->text;
		if (!there || !node_get(there, n->key))
			read_error(reader, n->named_at, "%.100s has no fluid '%.60s'", file, n->key);
		else if (n->type == NODE_SCALAR && (!here || !node_get(here, n->text)))
			read_error(reader, n->at, "there is no fluid '%.60s' in this file or in those included before",
				   n->text);
	}
}

static void move_children(node *to, node *from)
{
	for (node *n = from->first, *next; n; n = next)
	{
		next = n->next;
		n->next = NULL;
		node_append(to, n);
	}
}

// Gives the values of an included channel to the one that it is.
static void join_channel(node *target, node *channel)
{
	node *more = node_get(channel, "sources"), *values = node_get(target, "sources");
	if (!more || target->type != NODE_MAP)
		return;
	if (!values)
	{
		node_detach(channel, more);
		more->next = NULL;
		node_append(target, more);
	}
	else if (values->type == NODE_MAP && more->type == NODE_MAP)
		move_children(values, more);
}

static void refuse_twin(scene_reader *reader, const join_def *join, const node *twin, const char *name)
{
	read_error(reader, twin->named_at, "the name '%.60s' is also that of '%.60s' in %.100s", twin->key, name,
		   node_get(join->at, "file")->text);
}

// Moves a named element into the scene, under its new name, unless it is one that the scene has.
static void move_named(scene_reader *reader, node_pool *tree, const join_def *join, node *target, node *n,
		       const char *name)
{
	node *twin = node_get(target, name);
	const char *longer = prefixed(tree, join, n->key), *same = own_name(n);
	int fluid = strcmp(target->key, "fluids") == 0;
	int known = longer && (strcmp(longer, name) != 0 || (fluid && replaced_by(join, n->key)));
	if (known && twin && !fluid)
		join_channel(twin, n);
	else if (known)
		return;
	else if (twin)
		refuse_twin(reader, join, twin, n->key);
	else if (target->count >= NODE_KEYS_LIMIT)
		read_error(reader, n->named_at, "%s has more than %d names, with those of included files", target->key,
			   NODE_KEYS_LIMIT);
	else
	{
		n->own_key = same;
		n->key = name;
		node_append(target, n);
	}
}

static void move_element(node_pool *tree, const join_def *join, node *target, node *n)
{
	// what two files say about the same two fluids is said once
	if (strcmp(target->key, "interfaces") == 0)
		for (const node *other = target->first; other; other = other->next)
			if (join_same(n, other, NULL))
				return;
	node *name = node_get(n, "name");
	const char *longer =
	    name && name->type == NODE_SCALAR && !node_is_empty(name) ? prefixed(tree, join, name->text) : NULL;
	if (longer)
		name->text = longer;
	node_append(target, n);
}

// Moves the elements of a list or map of the included file into the scene's.
static void join_key(scene_reader *reader, node_pool *tree, const join_def *join, const scene_key *key, node *n,
		     const node *new_names)
{
	node_type wanted = key->kind == KEY_LIST ? NODE_LIST : NODE_MAP;
	if (n->type != wanted)
	{
		read_wrong_type(reader, key, n);
		return;
	}
	node *target = node_get(join->root, n->key);
	if (!target && (target = add_child(tree, join->root, n->key, wanted, NULL, n->at)))
		target->named_at = n->named_at;
	if (!target || target->type != wanted)
		return; // the reader says what is wrong with that of the scene
	for (node *child = n->first, *next; child; child = next)
	{
		next = child->next;
		child->next = NULL;
		const node *name = new_names && wanted == NODE_MAP ? node_get(new_names, child->key) : NULL;
		if (wanted == NODE_LIST)
			move_element(tree, join, target, child);
		else
		{
			const char *to = name ? name->text : prefixed(tree, join, child->key);
			if (to)
				move_named(reader, tree, join, target, child, to);
		}
	}
}

// Keeps the names whose prefixed form is no name of the scene.
static void keep_aliases(scene_reader *reader, node_pool *tree, const join_def *join, const names *to, node *aliases)
{
	for (int g = 0; g < GROUPS; g++)
		for (const node *n = to->of[g]->first; n; n = n->next)
		{
			const char *longer = prefixed(tree, join, n->key);
			if (!longer || strcmp(longer, n->text) == 0)
				continue;
			const node *own = node_get(join->root, group_keys[g]),
				   *twin = own ? node_get(own, longer) : NULL;
			if (twin)
				refuse_twin(reader, join, twin, n->key);
			node *list = names_of(tree, aliases, group_keys[g]);
			if (!list || !add_child(tree, list, longer, NODE_SCALAR, n->text, (place){0}))
				return;
		}
}

void join_trees(scene_reader *reader, node_pool *tree, const join_def *join, node *aliases)
{
	names to = {0};
	uint32_t errors = reader->problems->errors;
	check_fluids(reader, join, aliases);
	if (reader->problems->errors > errors)
		return;
	for (int g = 0; g < GROUPS; g++)
		if (!(to.of[g] = name_group(reader, tree, join, (group)g)))
			return;
	rename_in(&scene_root, join->included, &to);
	keep_aliases(reader, tree, join, &to, aliases);
	for (node *n = join->included->first, *next; n; n = next)
	{
		next = n->next;
		n->next = NULL;
		const scene_key *key = key_find(&scene_root, n->key);
		int g = 0;
		while (g < GROUPS && strcmp(group_keys[g], n->key) != 0)
			g++;
		if (!key)
			node_append(join->root, n); // for the reader to find
		else if (key->kind == KEY_LIST || key->kind == KEY_MAP)
			join_key(reader, tree, join, key, n, g < GROUPS ? to.of[g] : NULL);
	}
}
