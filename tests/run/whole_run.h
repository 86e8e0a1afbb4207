// A run that nothing stopped, for tests that compare others with it.
#ifndef TESTS_WHOLE_RUN_H
#define TESTS_WHOLE_RUN_H

#include "run_support.h"

typedef struct fixture
{
	scratch s;
	spate_scene scene;
	char whole[1100]; // directory of the run
	uint64_t hash;    // at its end
} fixture;

// Takes the scene over.
static inline int whole_run_begin(void **state, spate_scene scene)
{
	fixture *f = calloc(1, sizeof *f);
	assert_non_null(f);
	f->s = scratch_make();
	f->scene = scene;
	snprintf(f->whole, sizeof f->whole, "%s/whole", f->s.path);
	spate_run_def def = run_def(&f->scene, f->whole);
	f->hash = run_well(&def);
	*state = f;
	return 0;
}

static inline int whole_run_end(void **state)
{
	fixture *f = *state;
	spate_scene_free(&f->scene);
	scratch_remove(&f->s);
	free(f);
	return 0;
}

#endif
