// For the tests of jobs that draw: a small run with everything in it, and a host that listens.
#ifndef TESTS_JOB_VIEW_H
#define TESTS_JOB_VIEW_H

#include "scratch.h"

#include "spate/spate.h"

#include <sys/stat.h>

static const char view_scene[] =
    "spate: 1\nname: cube\nframes: 4\nfps: 24\n"
    "fluids: { water: { spacing: 0.05, color: \"#3b82c4\" } }\n"
    "sources: [ { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.3, 0.3, 0.3] } } } ]\n"
    "colliders:\n"
    "  - { shape: { box: { min: [0, 0, 0], max: [0.6, 0.6, 0.3] } }, mode: inside }\n"
    "  - shape: { sphere: { center: [0.45, 0.1, 0.15], radius: 0.05 } }\n"
    "    motion: { sine: { direction: [0, 1, 0], amplitude: 0.1, frequency: 2 } }\n"
    "probes:\n"
    "  left: { type: height, from: [0.1, 0, 0.15], to: [0.1, 0.5, 0.15] }\n"
    "  right: { type: height, from: [0.5, 0, 0.15], to: [0.5, 0.5, 0.15] }\n"
    "  wave: { type: front, direction: [1, 0, 0] }\n"
    "output: { channels: [velocity, density] }\n"
    "cameras: { side: { position: [0.3, 0.3, 1.6], target: [0.3, 0.25, 0.15], fov: 30 } }\n";

static inline void view_make_run(const char *directory)
{
	spate_scene scene;
	spate_problems problems = {0};
	spate_error error = {0};
	if (spate_scene_parse(&scene, "cube", view_scene, strlen(view_scene), NULL, 0, &problems, &error) != SPATE_OK)
		fail_msg("%s", problems.count ? problems.items[0].text : error.text);
	spate_run_def def = spate_default_run_def();
	def.scene = &scene;
	def.directory = directory;
	def.threads = 1;
	check_ok(spate_run(&def, NULL, NULL));
	spate_scene_free(&scene);
	spate_problems_free(&problems);
}

// What a job told, and when to stop it.
typedef struct listener
{
	const char *stop_what; // stop when so many of these are done; NULL for never
	uint32_t stop_after;
	uint32_t calls, items, last_done, last_total;
	double left;
	char warnings[4096], item[4096];
} listener;

static inline int listener_progress(void *context, const spate_job_progress *now)
{
	listener *l = context;
	l->calls++;
	l->last_done = now->done;
	l->last_total = now->total;
	l->left = now->seconds_left;
	if (now->item)
		snprintf(l->item, sizeof l->item, "%s", now->item);
	return l->stop_what && strcmp(l->stop_what, now->what) == 0 && now->done >= l->stop_after;
}

static inline void listener_log(void *context, spate_log_level level, const char *text)
{
	listener *l = context;
	size_t used = strlen(l->warnings);
	if (level == SPATE_LOG_WARNING)
		snprintf(l->warnings + used, sizeof l->warnings - used, "%s\n", text);
}

static inline spate_job listener_job(listener *l)
{
	return (spate_job){.handler = listener_progress, .log = listener_log, .context = l, .threads = 1};
}

static inline int view_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

// Fails unless two files have the same bytes.
static inline void check_same_bytes(const char *a, const char *b)
{
	FILE *first = fopen(a, "rb"), *second = fopen(b, "rb");
	if (!first || !second)
		fail_msg("%s or %s is missing", a, b);
	int x, y;
	long at = 0;
	do
	{
		x = fgetc(first);
		y = fgetc(second);
		if (x != y)
			fail_msg("%s and %s differ at byte %ld: %d and %d", a, b, at, x, y);
		at++;
	} while (x != EOF);
	fclose(first);
	fclose(second);
}

// Runs `spate ARGUMENTS` in a directory, which must succeed.
static inline void check_runs(const char *directory, const char *arguments)
{
	char line[4096];
	const char *binary = getenv("SPATE_BINARY");
	assert_non_null(binary);
	snprintf(line, sizeof line, "cd '%s' && '%s' %s", directory, binary, arguments);
	int code = system(line);
	if (code != 0)
		fail_msg("spate %s: %d", arguments, code);
}

// Result and sentence of a call that must fail. Sentences of the library know nothing of a command line.
#define check_refused(call, expected, part)                                                         \
	do                                                                                          \
	{                                                                                           \
		spate_error error = {0};                                                            \
		spate_result refused = (call);                                                      \
		if (refused != (expected) || !strstr(error.text, part))                             \
			fail_msg("%s: %s, expected %s: %s", spate_result_name(refused), error.text, \
				 spate_result_name(expected), part);                                \
		assert_null(strstr(error.text, "--"));                                              \
	} while (0)

#endif
