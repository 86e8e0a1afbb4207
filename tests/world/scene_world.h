// Worlds of scenes that tests write as text.
#ifndef TESTS_SCENE_WORLD_H
#define TESTS_SCENE_WORLD_H

#include "scene/scene_support.h"

#include "spate/world.h"

typedef spate_result make_world(spate_world **world, const spate_world_def *def, spate_error *error);

// The scene is freed. `make` is spate_world_create or spate_world_create_empty.
static inline spate_world *world_of_scene(spate_scene *scene, make_world *make)
{
	spate_world *world = NULL;
	check_ok(make(&world, &scene->world, NULL));
	spate_scene_free(scene);
	return world;
}

static inline spate_world *world_of(const char *text)
{
	spate_scene scene = parse_good(text);
	return world_of_scene(&scene, spate_world_create);
}

// For a snapshot.
static inline spate_world *empty_world_of(const char *text)
{
	spate_scene scene = parse_good(text);
	return world_of_scene(&scene, spate_world_create_empty);
}

static inline void run_until(spate_world *world, uint32_t frame)
{
	while (spate_world_frame(world) < frame)
		check_ok(spate_world_step(world, NULL, NULL));
}

#endif
