#define _GNU_SOURCE
#include "scene/include.h"

#include "base/error.h"
#include "scene/buffer.h"
#include "scene/files.h"
#include "scene/join.h"
#include "scene/key_rows.h"
#include "scene/override.h"
#include "scene/scene.h"
#include "scene/tracks.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// A file being read, and the one that includes it.
typedef struct open_file
{
	dev_t device;
	ino_t number;
	uint32_t depth;
	const struct open_file *by;
} open_file;

typedef struct chain
{
	scene_reader *reader;
	node_pool *tree;
	uint32_t files;
	includes *out;
} chain;

// The elements of `include`.
typedef struct include_list
{
	const include_def *items;
	uint32_t count;
} include_list;

// Keys of the whole scene that change what happens in it. Those of included files do not count, so another value deserves a warning.
static const char *const physical[] = {"up", "gravity", "solver", "runaway", "speed_limit"};

static node *expand(chain *c, node *root, const open_file *here);

// ---------------------------------------------------------------------------------------------------------------- one file

// "jet" of "parts/jet.yaml".
static const char *stem_of(node_pool *pool, const char *file)
{
	const char *slash = strrchr(file, '/'), *stem = slash ? slash + 1 : file, *dot = strrchr(stem, '.');
	return node_pool_strdup(pool, stem, dot && dot != stem ? (size_t)(dot - stem) : strlen(stem));
}

// Finds out whether a file can be included; returns 0 after a problem.
static int open_here(chain *c, const node *at, const char *path, const open_file *by, open_file *out)
{
	scene_reader *reader = c->reader;
	struct stat info;
	*out = (open_file){.by = by, .depth = by->depth + 1};
	if (stat(path, &info) == 0)
	{
		out->device = info.st_dev;
		out->number = info.st_ino;
		for (const open_file *f = by; f; f = f->by)
			if (f->number == out->number && f->device == out->device)
				return read_error(reader, at->at, "%.200s includes itself", path);
		if (!S_ISREG(info.st_mode))
			return read_error(reader, at->at, "%.200s is not a regular file", path);
	}
	if (out->depth > INCLUDE_DEPTH)
		return read_error(reader, at->at, "files include each other more than %d deep", INCLUDE_DEPTH);
	if (++c->files > INCLUDE_FILES)
		return read_error(reader, at->at, "the scene includes more than %d files", INCLUDE_FILES);
	return 1;
}

// The tree of a file; NULL after a problem.
static node *parse_file(chain *c, const node *at, const char *path)
{
	scene_reader *reader = c->reader;
	char *text = NULL;
	size_t bytes = 0;
	spate_error error = {0};
	spate_result result = scene_read_file(path, &text, &bytes, &error);
	node *root = NULL;
	if (result == SPATE_MEMORY)
		reader->problems->failed = 1;
	else if (result != SPATE_OK)
		read_error(reader, at->at, "%.400s", error.text);
	else if (bytes > SCENE_BYTES_LIMIT)
		read_error(reader, at->at, "%.200s has more than %.0f MB", path, SCENE_BYTES_LIMIT / 1e6);
	else
		root = node_parse(c->tree, text, bytes, (place){.file = path}, reader->problems);
	mem_free(text);
	if (root && root->type != NODE_MAP)
		read_error(reader, root->at, "a scene is a map of keys that begins with 'spate: 2'; this is a %s",
			   root->type == NODE_LIST ? "list" : "single value");
	return root && root->type == NODE_MAP ? root : NULL;
}

static int check_version(chain *c, const node *root)
{
	const node *version = node_get(root, "spate");
	if (!version)
		return read_error(c->reader, root->at, "'spate' is missing, like spate: 2");
	if (version->type == NODE_SCALAR && strcmp(version->text, "2") == 0)
		return 1;
	return read_error(c->reader, version->at, "only scenes of version 2 can be included, with spate: 2");
}

static void keep_globals(chain *c, const node *root)
{
	for (size_t k = 0; k < sizeof physical / sizeof *physical; k++)
	{
		const node *value = node_get(root, physical[k]);
		include_global *global = value ? node_pool_alloc(c->tree, sizeof *global) : NULL;
		if (!global)
			continue;
		*global = (include_global){.value = value, .next = c->out->globals};
		c->out->globals = global;
	}
}

// Reads a file and joins what it holds to the scene. `aliases` gets the names that became another.
static void include_file(chain *c, node *root, const node *at, const include_def *def, const open_file *by,
			 node *aliases)
{
	scene_reader *reader = c->reader;
	const node *file = node_get(at, "file");
	const char *path = files_beside(reader, file->at, file->text);
	open_file here;
	node *included = path && open_here(c, file, path, by, &here) ? parse_file(c, file, path) : NULL;
	if (!included || !check_version(c, included))
		return;
	keep_globals(c, included);
	char before[PATH_CHARS];
	memcpy(before, reader->path, sizeof before);
	const node *within = expand(c, included, &here), *set = node_get(at, "set");
	for (const node *value = set ? set->first : NULL; value; value = value->next)
		if (override_is_include(value->key))
			read_error(reader, value->named_at, "set cannot change what a file includes");
		else
			override_set(c->tree, included, value, within, reader->problems);
	memcpy(reader->path, before, sizeof before);
	size_t bytes = strlen(def->as) + 2;
	char *prefix = node_pool_alloc(c->tree, bytes);
	if (!prefix)
		return;
	snprintf(prefix, bytes, "%s_", def->as);
	const join_def join = {.root = root, .included = included, .aliases = within, .prefix = prefix, .at = at};
	reader->path[0] = '\0';
	join_trees(reader, c->tree, &join, aliases);
}

// ---------------------------------------------------------------------------------------------------------------- the list

// Turns paths into maps with a path.
static void unfold(chain *c, node *list)
{
	for (node *n = list->type == NODE_LIST ? list->first : NULL; n; n = n->next)
	{
		node *file =
		    n->type == NODE_SCALAR && !node_is_empty(n) ? node_pool_alloc(c->tree, sizeof *file) : NULL;
		if (!file)
			continue;
		*file = *n;
		file->next = NULL;
		file->key = "file";
		n->type = NODE_MAP;
		node_append(n, file);
	}
}

// Reads the list by its keys; returns 0 after a problem.
static int read_list(chain *c, const node *list, include_list *out)
{
	scene_files mentioned = {0};
	scene_reader entries = *c->reader;
	uint32_t errors = entries.problems->errors;
	entries.files = &mentioned; // a run needs only what is in them
	scene_key key = *key_find(&scene_root, "include");
	key.offset = offsetof(include_list, items);
	key.count_offset = offsetof(include_list, count);
	read_key(&entries, &key, list, out);
	return !entries.memory->failed && entries.problems->errors == errors;
}

// Finds what the names of a file begin with; 0 after a problem.
static int choose_prefix(chain *c, const node *list, include_list *all, uint32_t i)
{
	const node *at = node_item(list, i);
	include_def *def = (include_def *)&all->items[i]; // of the reader's memory
	int given = def->as != NULL;
	if (!given)
		def->as = stem_of(c->tree, node_get(at, "file")->text);
	if (!def->as)
		return 0;
	const place where = given ? node_place(at, "as") : at->at;
	if (!name_is_valid(def->as))
		return read_error(
		    c->reader, where,
		    "names cannot begin with '%.60s', only with letters, digits, '_' and '-'; give the file "
		    "another name here, like as: jet",
		    def->as);
	for (uint32_t k = 0; k < i; k++)
		if (strcmp(all->items[k].as, def->as) == 0)
			return read_error(
			    c->reader, where,
			    "the names of include.%u begin with '%.50s_', too; give this file another name, "
			    "like as: %.50s_%u",
			    k, def->as, def->as, i + 1);
	return 1;
}

static node *expand(chain *c, node *root, const open_file *here)
{
	scene_reader *reader = c->reader;
	node *list = node_get(root, "include");
	node *aliases = node_pool_alloc(c->tree, sizeof *aliases);
	include_list all = {0};
	if (!list || !aliases)
		return NULL;
	*aliases = (node){.type = NODE_MAP};
	node_detach(root, list);
	unfold(c, list);
	reader->path[0] = '\0';
	if (c->tree->failed || !read_list(c, list, &all))
		return NULL;
	for (uint32_t i = 0; i < all.count && !c->tree->failed && !reader->memory->failed; i++)
	{
		snprintf(reader->path, PATH_CHARS, "include.%u", i);
		if (choose_prefix(c, list, &all, i))
			include_file(c, root, node_item(list, i), &all.items[i], here, aliases);
		else
			break;
	}
	reader->path[0] = '\0';
	join_follow(root, aliases);
	return aliases;
}

void include_expand(scene_reader *reader, node_pool *tree, node *root, const char *path, includes *out)
{
	*out = (includes){0};
	chain c = {.reader = reader, .tree = tree, .out = out};
	const node *version = node_get(root, "spate");
	open_file here = {0};
	struct stat info;
	// the reader says that version 1 has no such key
	if (version && version->type == NODE_SCALAR && strcmp(version->text, "1") == 0)
		return;
	if (path && stat(path, &info) == 0)
		here = (open_file){.device = info.st_dev, .number = info.st_ino};
	out->aliases = expand(&c, root, &here);
}

// -------------------------------------------------------------------------------------------------- keys of the whole scene

static const scene_key *find_key(const scene_object *object, const void *value, const char *name)
{
	for (const scene_key *key = object->keys; key->name; key++)
		if (strcmp(key->name, name) == 0 && key_belongs(object, key, value))
			return key;
	return NULL;
}

// Compares a value of an included file with that of the scene; `n` is its node, `own` the scene's node or NULL.
static void compare(scene_reader *reader, const scene_key *key, const node *n, const node *own, const void *there,
		    const void *here)
{
	static const char *const counts = "which counts";
	buffer a = {0}, b = {0};
	if (!looks_like_track(key, n) && !(own && looks_like_track(key, own)))
	{
		write_default(&a, key, there);
		write_default(&b, key, here);
		if (a.failed || b.failed)
			reader->problems->failed = 1;
		else if (strcmp(a.text, b.text) != 0)
			read_warning(reader, n->at,
				     "%s is %.80s here, but the scene that includes this file has %.80s, %s", key->name,
				     a.text, b.text, counts);
	}
	else if (!own || !join_same(n, own, NULL))
		read_warning(reader, n->at, "%s is not that of the scene that includes this file, %s", key->name,
			     counts);
	buffer_free(&a);
	buffer_free(&b);
}

static void compare_object(scene_reader *reader, const scene_key *key, const node *n, const node *own,
			   const void *there, const void *here)
{
	const void *a = (const char *)there + key->offset, *b = (const char *)here + key->offset;
	snprintf(reader->path, PATH_CHARS, "%s", key->name);
	for (const node *child = n->first; child; child = child->next)
	{
		const scene_key *part = find_key(key->object, a, child->key);
		// settings are compared between solvers of one type, and cameras have another name anyway
		if (part && part->kind != KEY_CAMERAS && find_key(key->object, b, child->key) == part)
			compare(reader, part, child, own ? node_get(own, child->key) : NULL, a, b);
	}
	reader->path[0] = '\0';
}

void include_check(scene_reader *reader, const includes *all)
{
	for (const include_global *g = all->globals; g; g = g->next)
	{
		const scene_key *key = key_find(&scene_root, g->value->key);
		const node *own = node_get(reader->root, key->name);
		spate_scene file = spate_default_scene();
		scene_reader alone = *reader;
		uint32_t errors = reader->problems->errors;
		alone.scene = &file;
		if (!looks_like_track(key, g->value))
			read_key(&alone, key, g->value, &file);
		if (reader->problems->errors > errors)
			continue;
		if (key->kind == KEY_OBJECT)
			compare_object(reader, key, g->value, own, &file, reader->scene);
		else
			compare(reader, key, g->value, own, &file, reader->scene);
	}
}
