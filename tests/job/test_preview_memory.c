// Every allocation of a preview may fail: the call says so or does without, and nothing is lost.
#define _GNU_SOURCE
#include "job/view.h"

#include "base/memory.h"

enum
{
	WIDTH = 32,
	HEIGHT = 16,
	MOST = 2000 // allocations
};

static spate_result draw(const spate_preview_def *def, uint8_t *rgba)
{
	spate_preview *preview;
	spate_error error = {0};
	spate_result result = spate_preview_open(def, &preview, &error);
	if (result == SPATE_OK)
		result = spate_preview_draw(preview, 0, rgba, &error);
	assert_int_equal(error.code, result);
	spate_preview_close(preview);
	return result;
}

static void test_every_allocation(void **state)
{
	(void)state;
	scratch s = scratch_make();
	static uint8_t good[4 * WIDTH * HEIGHT], drawn[4 * WIDTH * HEIGHT];
	view_make_run(scratch_file(&s, "run"));
	spate_preview_def def = spate_default_preview_def();
	def.job.threads = 1;
	def.input = scratch_file(&s, "run");
	def.frames = (spate_job_frames){.list = "2-3"};
	def.width = WIDTH;
	def.height = HEIGHT;
	def.supersample = 1;
	def.color_by = "speed";
	def.label = 1;
	check_ok(draw(&def, good));
	uint64_t blocks = mem_get_stats().blocks, failed = 0;
	uint64_t calls = mem_get_stats().calls;
	check_ok(draw(&def, good));
	calls = mem_get_stats().calls - calls;
	assert_true(calls > 20 && calls < MOST);
	for (uint64_t n = 1; n <= calls; n++)
	{
		mem_fail_at(n);
		spate_result result = draw(&def, drawn);
		mem_fail_at(0);
		if (result != SPATE_OK && result != SPATE_MEMORY)
			fail_msg("allocation %d: %s", (int)n, spate_result_name(result));
		failed += result == SPATE_MEMORY;
		assert_int_equal(mem_get_stats().blocks, blocks);
	}
	assert_true(failed > calls / 2);
	check_ok(draw(&def, drawn));
	assert_memory_equal(drawn, good, sizeof good);
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
