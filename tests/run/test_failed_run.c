// A run that fails in the middle, whatever it was doing: its directory holds whole frames, and the same call continues it to the bytes of
// an undisturbed run.
#define _GNU_SOURCE
#include "run_support.h"

#include "base/memory.h"

enum
{
	FRAMES = 5,
	PLACES = 12 // at which an allocation fails
};

static spate_scene small_scene(void)
{
	static const char *const overrides[] = {"frames=5", "output.checkpoint_every=2", "fluids.water.spacing=0.06",
						"fluids.oil.spacing=0.06"};
	return basin_with(overrides, 4);
}

// Returns 1 if a run in which the n-th allocation fails did fail.
static int fail_and_go_on(const scratch *s, const spate_scene *scene, const char *whole, uint64_t n, uint64_t hash)
{
	char directory[1100];
	snprintf(directory, sizeof directory, "%s/failed", s->path);
	spate_run_def def = run_def(scene, directory);
	spate_error error = {0};
	mem_fail_at(n);
	spate_result result = spate_run(&def, NULL, &error);
	mem_fail_at(0);
	if (result != SPATE_OK)
	{
		check_result(result, SPATE_MEMORY);
		check_frames_whole(directory);
		check_no_temporaries(directory);
	}
	assert_true(run_well(&def) == hash);
	check_same_run(whole, directory, FRAMES);
	scratch_remove_tree(directory);
	return result != SPATE_OK;
}

static void runs_out_of_memory_can_be_continued(void **state)
{
	const scratch *s = *state;
	spate_scene scene = small_scene();
	char whole[1100];
	snprintf(whole, sizeof whole, "%s/whole", s->path);
	spate_run_def def = run_def(&scene, whole);
	uint64_t before = mem_get_stats().calls, hash = run_well(&def), calls = mem_get_stats().calls - before;
	int failed = 0;
	for (uint64_t k = 1; k <= PLACES; k++)
		failed += fail_and_go_on(s, &scene, whole, calls * k / (PLACES + 1), hash);
	// a line of the log may be lost without harm
	assert_true(failed >= PLACES - 2);
	spate_scene_free(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(runs_out_of_memory_can_be_continued, scratch_set_up, scratch_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
