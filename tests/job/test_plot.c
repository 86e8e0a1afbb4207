// Plots from C, through the public headers alone: the same as the command's, cancelled, and refused.
#define _GNU_SOURCE
#include "job/view.h"

static spate_plot_def small_def(const char *input)
{
	spate_plot_def def = spate_default_plot_def();
	def.input = input;
	def.width = 320;
	def.height = 200;
	return def;
}

static void test_files(void **state)
{
	(void)state;
	scratch s = scratch_make();
	listener l = {.calls = 0};
	uint32_t pictures;
	view_make_run(scratch_file(&s, "run"));
	spate_plot_def def = small_def(scratch_file(&s, "run"));
	def.job = listener_job(&l);
	check_ok(spate_plot_run(&def, &pictures, NULL));
	assert_int_equal(pictures, 2);
	assert_int_equal(l.calls, 3);
	assert_int_equal(l.last_total, 2);
	assert_int_equal(rename(scratch_file(&s, "run/plot_height.png"), scratch_file(&s, "height.png")), 0);
	assert_int_equal(rename(scratch_file(&s, "run/plot_front.png"), scratch_file(&s, "front.png")), 0);
	check_runs(s.path, "plot run -q --size 320x200");
	check_same_bytes(scratch_file(&s, "run/plot_height.png"), scratch_file(&s, "height.png"));
	check_same_bytes(scratch_file(&s, "run/plot_front.png"), scratch_file(&s, "front.png"));

	static const char *const energies[] = {"kinetic_energy", "potential_energy"};
	def = small_def(scratch_file(&s, "run"));
	def.source = SPATE_PLOT_STATS;
	def.columns = energies;
	def.column_count = 2;
	def.x = SPATE_PLOT_FRAME;
	def.output = scratch_file(&s, "energy.png");
	check_ok(spate_plot_run(&def, &pictures, NULL));
	assert_int_equal(pictures, 1);
	check_runs(s.path, "plot run -q --stats kinetic_energy,potential_energy --x frame -o same.png --size 320x200");
	check_same_bytes(scratch_file(&s, "energy.png"), scratch_file(&s, "same.png"));
	scratch_remove(&s);
}

static void test_columns(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_plot_column *columns;
	uint32_t count;
	int heights = 0, energies = 0;
	view_make_run(scratch_file(&s, "run"));
	check_ok(spate_plot_columns(scratch_file(&s, "run"), &columns, &count, NULL));
	for (uint32_t c = 0; c < count; c++)
	{
		heights += strcmp(columns[c].name, "left.height") == 0 && strcmp(columns[c].unit, "m") == 0 &&
			   columns[c].source == SPATE_PLOT_PROBES && columns[c].rows == 4;
		energies += strcmp(columns[c].name, "kinetic_energy") == 0 && strcmp(columns[c].unit, "J") == 0 &&
			    strcmp(columns[c].file, "stats.jsonl") == 0 && columns[c].rows >= 4;
		// axes are not quantities
		assert_string_not_equal(columns[c].name, "time");
	}
	assert_int_equal(heights, 1);
	assert_int_equal(energies, 1);
	spate_plot_columns_free(columns);
	check_refused(spate_plot_columns(scratch_file(&s, "nowhere"), &columns, &count, &error), SPATE_MISSING,
		      "nowhere");
	assert_null(columns);
	scratch_remove(&s);
}

static void test_cancel(void **state)
{
	(void)state;
	scratch s = scratch_make();
	listener l = {.stop_what = "pictures", .stop_after = 1};
	uint32_t pictures;
	view_make_run(scratch_file(&s, "run"));
	spate_plot_def def = small_def(scratch_file(&s, "run"));
	def.job = listener_job(&l);
	check_refused(spate_plot_run(&def, &pictures, &error), SPATE_CANCELLED, "1 of 2");
	assert_int_equal(pictures, 1);
	assert_true(view_exists(l.item));
	assert_int_equal(view_exists(scratch_file(&s, "run/plot_height.png")) +
			     view_exists(scratch_file(&s, "run/plot_front.png")),
			 1);
	scratch_remove(&s);
}

static void test_refused(void **state)
{
	(void)state;
	scratch s = scratch_make();
	static const char *const unknown[] = {"left.heat"};
	char run[2048];
	snprintf(run, sizeof run, "%s", scratch_file(&s, "run"));
	view_make_run(run);
	spate_plot_def def = small_def(NULL);
	check_refused(spate_plot_run(&def, NULL, &error), SPATE_MISSING, "`input`");
	def = small_def(scratch_file(&s, "nowhere"));
	check_refused(spate_plot_run(&def, NULL, &error), SPATE_MISSING, "nowhere does not exist");
	def = small_def(run);
	def.columns = unknown;
	def.column_count = 1;
	check_refused(spate_plot_run(&def, NULL, &error), SPATE_INVALID, "probes.csv has no column 'left.heat'");
	def = small_def(run);
	def.output = scratch_file(&s, "all.png");
	check_refused(spate_plot_run(&def, NULL, &error), SPATE_INVALID, "are different quantities");
	def = small_def(run);
	def.height = SPATE_PLOT_MIN_SIZE - 1;
	check_refused(spate_plot_run(&def, NULL, &error), SPATE_INVALID, "`height`");
	remove(scratch_file(&s, "run/probes.csv"));
	def = small_def(run);
	check_refused(spate_plot_run(&def, NULL, &error), SPATE_MISSING, "has no probes.csv");
	assert_false(view_exists(scratch_file(&s, "all.png")));
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_files),
	    cmocka_unit_test(test_columns),
	    cmocka_unit_test(test_cancel),
	    cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
