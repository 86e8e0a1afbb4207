// Any bytes as a scene; one that loads must survive the way to text and back.
#define _GNU_SOURCE
#include "fuzz.h"

#include "spate/scene.h"

static spate_result parse(spate_scene *scene, const char *text, size_t bytes, const char *const *overrides,
			  uint32_t count)
{
	spate_problems problems = {0};
	spate_error error = {0};
	spate_result result = spate_scene_parse(scene, "fuzz.yaml", text, bytes, overrides, count, &problems, &error);
	must((result == SPATE_SCENE) == (problems.errors > 0));
	spate_problems_free(&problems);
	return result;
}

// The first line that starts with '@' is an override.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	char *override = NULL;
	const char *newline = size > 0 && text[0] == '@' ? memchr(text, '\n', size) : NULL;
	if (newline)
	{
		override = strndup(text + 1, (size_t)(newline - text - 1));
		size -= (size_t)(newline + 1 - text);
		text = newline + 1;
	}
	spate_scene first, second;
	if (parse(&first, text, size, (const char *const *)&override, override ? 1 : 0) == SPATE_OK)
	{
		char *a = spate_scene_text(&first);
		must(a && parse(&second, a, strlen(a), NULL, 0) == SPATE_OK);
		char *b = spate_scene_text(&second);
		must(b && strcmp(a, b) == 0);
		spate_scene_text_free(a);
		spate_scene_text_free(b);
		spate_scene_free(&first);
		spate_scene_free(&second);
	}
	free(override);
	return 0;
}
