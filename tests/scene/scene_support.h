// What the tests of scenes share.
#ifndef TESTS_SCENE_SUPPORT_H
#define TESTS_SCENE_SUPPORT_H

#include "check.h"

#include "spate/scene.h"

// All problems as the command line prints them, without the file's name.
static inline void problems_text(const spate_problems *problems, char *out, size_t bytes)
{
	size_t used = 0;
	out[0] = '\0';
	for (uint32_t i = 0; i < problems->count && used < bytes; i++)
	{
		const spate_problem *p = &problems->items[i];
		used += (size_t)snprintf(out + used, bytes - used, "%u:%u: %s: %s%s%s\n", p->line, p->column,
					 p->warning ? "warning" : "error", p->path, p->path[0] ? ": " : "", p->text);
	}
}

// Parses and says what came of it; free the scene afterwards.
static inline spate_result parse(spate_scene *scene, const char *text, const char *const *overrides, uint32_t count,
				 char *said, size_t bytes)
{
	spate_problems problems = {0};
	spate_error error = {0};
	spate_result result =
	    spate_scene_parse(scene, "test.yaml", text, strlen(text), overrides, count, &problems, &error);
	problems_text(&problems, said, bytes);
	spate_problems_free(&problems);
	return result;
}

// A scene that must be fine.
static inline spate_scene parse_good(const char *text)
{
	spate_scene scene;
	char said[4096];
	if (parse(&scene, text, NULL, 0, said, sizeof said) != SPATE_OK)
		fail_msg("a good scene was refused:\n%s", said);
	return scene;
}

// The file's content, for free(); NULL when it cannot be read.
static inline char *read_whole(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return NULL;
	enum
	{
		MOST = 1 << 20
	};
	char *text = calloc(MOST + 1, 1);
	*bytes = text ? fread(text, 1, MOST, file) : 0;
	fclose(file);
	return text;
}

#endif
