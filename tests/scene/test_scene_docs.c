// The committed reference, schema and example scenes agree with the program. $SPATE_SOURCE is the source tree.
#include "scene/scene_support.h"

#include <dirent.h>

static const char *source_tree(void)
{
	const char *source = getenv("SPATE_SOURCE");
	if (!source)
		skip_because("$SPATE_SOURCE, the source tree, is not set, as by ctest");
	return source;
}

static void check_fresh(const char *name, char *made)
{
	char path[1024];
	snprintf(path, sizeof path, "%s/docs/%s", source_tree(), name);
	size_t bytes = 0;
	char *stored = read_whole(path, &bytes);
	if (!stored)
		fail_msg("cannot read %s", path);
	size_t same = 0;
	while (stored[same] && stored[same] == made[same])
		same++;
	if (stored[same] != made[same])
		fail_msg("%s is stale from byte %zu on: it has\n%.80s\nand the program says\n%.80s", path, same,
			 stored + same, made + same);
	free(stored);
	spate_scene_text_free(made);
}

static void reference_is_fresh(void **state)
{
	(void)state;
	check_fresh("scene.md", spate_scene_reference());
}

static void schema_is_fresh(void **state)
{
	(void)state;
	check_fresh("scene.schema.json", spate_scene_schema());
}

// Every block of YAML in the reference is a scene, once it has a head and fluids.
static void examples_of_the_reference_load(void **state)
{
	(void)state;
	static const char fence[] = "```yaml\n";
	char *page = spate_scene_reference();
	assert_non_null(page);
	int count = 0;
	for (char *block = strstr(page, fence), *end; block; block = strstr(end, fence), count++)
	{
		block += strlen(fence);
		end = strstr(block, "```");
		assert_non_null(end);
		char text[4096];
		snprintf(text, sizeof text, "%s%s%.*s", strncmp(block, "spate:", 6) ? "spate: 2\n" : "",
			 strstr(block, "fluids:\n") && strstr(block, "fluids:\n") < end
			     ? ""
			     : "fluids:\n  water: { spacing: 0.05 }\n  oil: { spacing: 0.05 }\n",
			 (int)(end - block), block);
		spate_scene scene = parse_good(text);
		spate_scene_free(&scene);
		end += 3;
	}
	assert_int_equal(count, 20);
	spate_scene_text_free(page);
}

static void example_scenes_load_without_a_word(void **state)
{
	(void)state;
	char folder[1000];
	snprintf(folder, sizeof folder, "%s/scenes", source_tree());
	DIR *directory = opendir(folder);
	assert_non_null(directory);
	int count = 0;
	for (struct dirent *entry; (entry = readdir(directory));)
	{
		const char *dot = strrchr(entry->d_name, '.');
		if (!dot || strcmp(dot, ".yaml") != 0)
			continue;
		char path[1400], said[4096];
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		spate_scene scene;
		spate_problems problems = {0};
		spate_error error = {0};
		spate_result result = spate_scene_load(&scene, path, NULL, 0, &problems, &error);
		problems_text(&problems, said, sizeof said);
		if (result != SPATE_OK || problems.count > 0)
			fail_msg("%s: %s", path, said);
		assert_true(strlen(scene.name) == (size_t)(dot - entry->d_name));
		assert_true(scene.camera_count > 0);
		spate_scene_free(&scene);
		count++;
	}
	closedir(directory);
	assert_true(count >= 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reference_is_fresh),
	    cmocka_unit_test(schema_is_fresh),
	    cmocka_unit_test(examples_of_the_reference_load),
	    cmocka_unit_test(example_scenes_load_without_a_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
