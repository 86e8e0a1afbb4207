// Every allocation of a meshing job may fail: the call says so or does without, no file is half there, and nothing is lost.
#define _GNU_SOURCE
#include "job/view.h"

#include "base/memory.h"

enum
{
	MOST = 5000 // allocations
};

static void test_every_allocation(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char run[4096], mesh[4096];
	snprintf(run, sizeof run, "%s", scratch_file(&s, "run"));
	snprintf(mesh, sizeof mesh, "%s", scratch_file(&s, "run/mesh/mesh_000001.ply"));
	view_make_run(run);
	spate_mesh_job_def def = spate_default_mesh_job_def();
	def.job.threads = 1;
	def.input = run;
	def.frames = (spate_job_frames){.list = "1"};
	def.clip_colliders = 1;
	spate_mesh_job_summary summary;
	check_ok(spate_mesh_job_run(&def, NULL, NULL));
	assert_int_equal(rename(mesh, scratch_file(&s, "good.ply")), 0);
	uint64_t blocks = mem_get_stats().blocks, calls = mem_get_stats().calls, failed = 0;
	check_ok(spate_mesh_job_run(&def, NULL, NULL));
	calls = mem_get_stats().calls - calls;
	assert_true(calls > 50 && calls < MOST);
	for (uint64_t n = 1; n <= calls; n++)
	{
		spate_error error = {0};
		unlink(mesh);
		mem_fail_at(n);
		spate_result result = spate_mesh_job_run(&def, &summary, &error);
		mem_fail_at(0);
		if (result != SPATE_OK && result != SPATE_MEMORY)
			fail_msg("allocation %d: %s, %s", (int)n, spate_result_name(result), error.text);
		failed += result == SPATE_MEMORY;
		if (view_exists(mesh))
			check_same_bytes(mesh, scratch_file(&s, "good.ply"));
		else
			assert_int_equal(result, SPATE_MEMORY);
		spate_mesh_job_summary_free(&summary);
		assert_int_equal(mem_get_stats().blocks, blocks);
	}
	assert_true(failed > calls / 2);
	check_no_temporaries(run);
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
