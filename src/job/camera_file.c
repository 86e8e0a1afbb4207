#include "job/camera_file.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "scene/buffer.h"
#include "scene/scene.h"

#include <string.h>

// Whether a line begins with the key.
static int has_key(const char *text, const char *key)
{
	size_t length = strlen(key);
	for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
		if (strncmp(line, key, length) == 0 && line[length] == ':')
			return 1;
	return 0;
}

// Completes a file of cameras to a scene. What is added comes last, so that lines keep their numbers.
static void complete(buffer *whole, const char *text, int z_up)
{
	buffer_add(whole, "%s\n", text);
	if (strchr(text, '{') == text || has_key(text, "fluids") || has_key(text, "include"))
		return;
	if (!has_key(text, "spate"))
		buffer_add(whole, "spate: 2\n");
	if (!has_key(text, "frames"))
		buffer_add(whole, "frames: 1\n");
	if (!has_key(text, "up") && z_up)
		buffer_add(whole, "up: z\n");
	buffer_add(whole, "fluids: { water: { spacing: 0.1 } }\n");
	if (!has_key(text, "sources"))
		buffer_add(
		    whole,
		    "sources: [ { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } } } ]\n");
}

static spate_result first_problem(const spate_problems *problems, const char *path, spate_error *error)
{
	for (uint32_t i = 0; i < problems->count; i++)
	{
		const spate_problem *p = &problems->items[i];
		if (!p->warning)
			return error_set(error, SPATE_SCENE, "%s:%u:%u: %s%s%s", p->file[0] ? p->file : path, p->line,
					 p->column, p->path, *p->path ? ": " : "", p->text);
	}
	return SPATE_SCENE;
}

spate_result camera_file_load(spate_scene *scene, const char *path, int z_up, spate_error *error)
{
	char *text = NULL;
	size_t bytes = 0;
	buffer whole = {0};
	spate_problems problems = {0};
	spate_result result = file_read(path, &text, &bytes, error);
	if (result != SPATE_OK)
		return result;
	complete(&whole, text, z_up);
	if (whole.failed)
		result = error_memory(error, bytes);
	else
		result = scene_parse_file(scene, path, whole.text, whole.length, NULL, 0, &problems, error);
	if (result == SPATE_SCENE)
		result = first_problem(&problems, path, error);
	if (result == SPATE_OK && scene->camera_count == 0)
		result = error_set(error, SPATE_MISSING, "%s has no cameras; describe them under 'cameras'", path);
	spate_problems_free(&problems);
	buffer_free(&whole);
	mem_free(text);
	return result;
}
