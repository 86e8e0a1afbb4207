#define _GNU_SOURCE
#include "scene/scene.h"

#include "base/error.h"
#include "scene/check.h"
#include "scene/files.h"
#include "scene/include.h"
#include "scene/override.h"
#include "scene/read.h"
#include "solver/solver.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

locale_t scene_locale_enter(void)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	return c ? uselocale(c) : (locale_t)0;
}

void scene_locale_leave(locale_t old)
{
	if (old)
		freelocale(uselocale(old));
}

spate_scene spate_default_scene(void)
{
	static const char *const channels[] = {"velocity", "density"};
	return (spate_scene){
	    .name = "scene",
	    .frames = 100,
	    .up = SPATE_UP_Y,
	    .world = spate_default_world_def(),
	    .output = {.channels = channels, .channel_count = 2, .checkpoint_every = 10},
	};
}

void spate_scene_free(spate_scene *scene)
{
	if (scene->memory)
	{
		for (size_t n = 0; n < scene->memory->filled.count; n++)
			spate_mesh_destroy(scene->memory->filled.data[n]);
		array_free(&scene->memory->filled);
		node_pool_free(&scene->memory->pool);
		mem_free(scene->memory);
	}
	*scene = (spate_scene){0};
}

void spate_problems_free(spate_problems *problems)
{
	mem_free(problems->items);
	*problems = (spate_problems){0};
}

void spate_scene_text_free(char *text)
{
	mem_free(text);
}

// "scenes/dam_break.yaml" gets the name "dam_break"; a file with an unprintable name keeps the default.
static void name_after_file(scene_reader *reader, const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *stem = slash ? slash + 1 : file;
	const char *dot = strrchr(stem, '.');
	size_t length = dot && dot != stem ? (size_t)(dot - stem) : strlen(stem);
	char *name = node_pool_strdup(reader->memory, stem, length);
	if (name && text_is_name(name))
		reader->scene->name = name;
}

// Parses the tree, includes files, applies overrides, reads values and checks them: everything that can add problems. `path` is that of
// the file, NULL for a text in memory.
static void read_text(scene_reader *reader, node_pool *tree, const char *path, const char *text, size_t bytes,
		      const char *const *overrides, uint32_t override_count)
{
	includes chained = {0};
	node *root = node_parse(tree, text, bytes, (place){0}, reader->problems);
	if (!root)
		return;
	if (root->type != NODE_MAP)
	{
		problem_add(reader->problems, 0, root->at, "",
			    "a scene is a map of keys that begins with 'spate: 2'; this is a %s",
			    root->type == NODE_LIST ? "list" : "single value");
		return;
	}
	for (uint32_t i = 0; i < override_count; i++)
		if (override_is_include(overrides[i]))
			override_apply(tree, root, overrides[i], NULL, reader->problems);
	uint32_t errors = reader->problems->errors;
	include_expand(reader, tree, root, path, &chained);
	// what is wrong with a scene that lacks a part of it would mislead
	if (reader->problems->errors > errors)
		return;
	for (uint32_t i = 0; i < override_count; i++)
		if (!override_is_include(overrides[i]))
			override_apply(tree, root, overrides[i], chained.aliases, reader->problems);
	reader->root = root;
	read_scene(reader);
	include_check(reader, &chained);
	if (!reader->memory->failed && !tree->failed && !reader->problems->failed)
		check_scene(reader);
}

// Sets the error, for callers that do not look at the list of problems.
static spate_result refuse_scene(const spate_problems *problems, const char *name, spate_error *error)
{
	uint32_t first = 0;
	while (problems->items[first].warning)
		first++;
	const spate_problem *p = &problems->items[first];
	char count[64] = "";
	if (problems->errors > 1)
		snprintf(count, sizeof count, " (and %u more errors)", problems->errors - 1);
	return error_set(error, SPATE_SCENE, "%s:%u:%u: %s%s%s%s", p->file[0] ? p->file : name, p->line, p->column,
			 p->path, p->path[0] ? ": " : "", p->text, count);
}

// Relative paths start from `folder`, which ends with a slash; NULL for the current one.
static spate_result parse_in(spate_scene *scene, const char *name, const char *folder, const char *text, size_t bytes,
			     const char *const *overrides, uint32_t override_count, spate_problems *problems,
			     spate_error *error)
{
	spate_problems_free(problems);
	*scene = spate_default_scene();
	scene->memory = mem_calloc(1, sizeof *scene->memory);
	if (!scene->memory)
	{
		*scene = (spate_scene){0};
		return error_memory(error, sizeof *scene->memory);
	}
	locale_t old = scene_locale_enter();
	node_pool tree = {0};
	problem_list list = {0};
	scene_reader reader = {.scene = scene,
			       .memory = &scene->memory->pool,
			       .problems = &list,
			       .files = &scene->memory->files,
			       .folder = folder};
	if (bytes > SCENE_BYTES_LIMIT)
		problem_add(&list, 0, (place){1, 1, NULL}, "", "the file has %.0f MB; a scene file has at most %.0f MB",
			    (double)bytes / 1e6, SCENE_BYTES_LIMIT / 1e6);
	else
	{
		name_after_file(&reader, name);
		read_text(&reader, &tree, folder ? name : NULL, text, bytes, overrides, override_count);
	}
	problem_finish(&list, problems);
	scene_locale_leave(old);
	int failed = list.failed || tree.failed || scene->memory->pool.failed;
	node_pool_free(&tree);
	if (!failed && problems->errors == 0)
		return SPATE_OK;
	spate_scene_free(scene);
	if (!failed)
		return refuse_scene(problems, name, error);
	spate_problems_free(problems);
	return error_memory(error, bytes);
}

spate_result spate_scene_parse(spate_scene *scene, const char *name, const char *text, size_t bytes,
			       const char *const *overrides, uint32_t override_count, spate_problems *problems,
			       spate_error *error)
{
	return parse_in(scene, name, NULL, text, bytes, overrides, override_count, problems, error);
}

spate_result scene_read_file(const char *path, char **text, size_t *bytes, spate_error *error)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return error_set(error, SPATE_IO, "cannot open %s: %s", path, strerror(errno));
	ARRAY(char) content = {0};
	spate_result result = SPATE_OK;
	for (size_t got = 1; got > 0 && content.count <= SCENE_BYTES_LIMIT;)
	{
		if (!array_reserve(&content, content.count + 65536))
		{
			result = error_memory(error, content.count + 65536);
			break;
		}
		got = fread(content.data + content.count, 1, 65536, file);
		content.count += got;
	}
	if (result == SPATE_OK && ferror(file))
		result = error_set(error, SPATE_IO, "cannot read %s: %s", path, strerror(errno));
	fclose(file);
	if (result != SPATE_OK)
		array_free(&content);
	*text = content.data;
	*bytes = content.count;
	return result;
}

// "scenes/" of "scenes/dam_break.yaml", on the heap; NULL when out of memory. A pipe has no folder.
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	int pipe = strncmp(path, "/dev/", 5) == 0;
	size_t length = slash && !pipe ? (size_t)(slash + 1 - path) : 0;
	char *folder = mem_alloc(length + 1);
	if (folder)
	{
		memcpy(folder, path, length);
		folder[length] = '\0';
	}
	return folder;
}

spate_result scene_parse_file(spate_scene *scene, const char *path, const char *text, size_t bytes,
			      const char *const *overrides, uint32_t override_count, spate_problems *problems,
			      spate_error *error)
{
	char *folder = folder_of(path);
	if (!folder)
		return error_memory(error, strlen(path) + 1);
	spate_result result = parse_in(scene, path, folder, text, bytes, overrides, override_count, problems, error);
	mem_free(folder);
	return result;
}

spate_result spate_scene_load(spate_scene *scene, const char *path, const char *const *overrides,
			      uint32_t override_count, spate_problems *problems, spate_error *error)
{
	spate_problems_free(problems);
	*scene = (spate_scene){0};
	char *text = NULL;
	size_t bytes = 0;
	spate_result result = scene_read_file(path, &text, &bytes, error);
	if (result != SPATE_OK)
		return result;
	result = scene_parse_file(scene, path, text, bytes, overrides, override_count, problems, error);
	mem_free(text);
	return result;
}
