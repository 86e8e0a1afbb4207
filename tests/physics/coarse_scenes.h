// The example scenes, with fewer particles.
#ifndef TESTS_PHYSICS_COARSE_SCENES_H
#define TESTS_PHYSICS_COARSE_SCENES_H

#include "evidence.h"
#include "spate/scene.h"

#include <dirent.h>

enum
{
	MOST_SCENES = 128,
	MOST_FLUIDS = 32
};

typedef struct scene_names
{
	char text[MOST_SCENES][256];
	int count;
} scene_names;

static inline int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

// The example scenes, by name.
static inline void find_scenes(scene_names *n, const char *folder)
{
	DIR *all = opendir(folder);
	assert_non_null(all);
	for (struct dirent *entry; (entry = readdir(all)) && n->count < MOST_SCENES;)
		if (strstr(entry->d_name, ".yaml"))
			snprintf(n->text[n->count++], sizeof n->text[0], "%s", entry->d_name);
	closedir(all);
	qsort(n->text, (size_t)n->count, sizeof n->text[0], by_name);
}

// Whether a scene can be loaded; if not, `why` says so.
static inline int can_load(spate_scene *scene, const char *path, const char *const *overrides, uint32_t count,
			   char why[1024])
{
	spate_problems problems = {0};
	spate_error error = {0};
	spate_result result = spate_scene_load(scene, path, overrides, count, &problems, &error);
	if (result != SPATE_OK)
		snprintf(why, 1024, "%.400s: %.300s %.300s", path, error.text,
			 problems.count > 0 ? problems.items[0].text : "");
	spate_problems_free(&problems);
	return result == SPATE_OK;
}

// Loads a scene with spacings that leave it about `few` particles, or more where they would be wider than what the scene has openings for,
// and with a solver unless its name is NULL.
static inline void load_coarse(spate_scene *scene, const char *path, double few, const char *solver)
{
	char texts[MOST_FLUIDS + 1][160], why[1024];
	const char *overrides[MOST_FLUIDS + 1];
	double spacings[MOST_FLUIDS];
	uint32_t own = 0;
	spate_estimate estimate;
	if (solver)
	{
		snprintf(texts[0], sizeof texts[0], "solver.type=%s", solver);
		overrides[own++] = texts[0];
	}
	if (!can_load(scene, path, overrides, own, why))
		fail_msg("%s", why);
	spate_scene_estimate(scene, &estimate);
	uint32_t fluids = scene->world.fluid_count;
	double factor = cbrt(estimate.particles / few);
	if (factor <= 1 || fluids > MOST_FLUIDS)
		return;
	for (uint32_t f = 0; f < fluids; f++)
	{
		const spate_fluid_def *fluid = &scene->world.fluids[f];
		spacings[f] = fluid->spacing;
		snprintf(texts[own + f], sizeof texts[0], "fluids.%s.spacing=", fluid->name);
		overrides[own + f] = texts[own + f];
	}
	for (int loaded = 0; !loaded; factor *= 0.8)
	{
		for (uint32_t f = 0; f < fluids; f++)
			sprintf(strchr(texts[own + f], '=') + 1, "%.6g", factor * spacings[f]);
		spate_scene_free(scene);
		loaded = can_load(scene, path, overrides, own + fluids, why);
		if (!loaded && factor <= 1)
			fail_msg("%s", why);
	}
}

// Where they are.
static inline const char *scenes_folder(char folder[1024])
{
	const char *source = getenv("SPATE_SOURCE");
	snprintf(folder, 1024, "%s/scenes", source ? source : ".");
	return folder;
}

#endif
