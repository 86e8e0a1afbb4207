// The judge of the physics rows: a miss fails unless it is known, and what is known to miss must not pass.
#define _GNU_SOURCE
#include "evidence.h"
#include "scratch.h"

#include <sys/stat.h>

// A repository that holds nothing but a file of known misses, and a file for rows; both are in the environment until `back`.
typedef struct desk
{
	scratch s;
	char source[2048];
} desk;

static desk desk_make(const char *misses)
{
	desk d = {.s = scratch_make()};
	const char *source = getenv("SPATE_SOURCE");
	snprintf(d.source, sizeof d.source, "%s", source ? source : ".");
	assert_int_equal(mkdir(scratch_file(&d.s, "tests"), 0777), 0);
	assert_int_equal(mkdir(scratch_file(&d.s, "tests/physics"), 0777), 0);
	FILE *file = fopen(scratch_file(&d.s, "tests/physics/known_misses.tsv"), "w");
	assert_non_null(file);
	fputs(misses, file);
	assert_int_equal(fclose(file), 0);
	setenv("SPATE_SOURCE", d.s.path, 1);
	setenv("SPATE_RESULTS", scratch_file(&d.s, "rows"), 1);
	return d;
}

static void desk_free(desk *d)
{
	setenv("SPATE_SOURCE", d->source, 1);
	unsetenv("SPATE_RESULTS");
	scratch_remove(&d->s);
}

// The last row that was written has the text.
static void check_row(const desk *d, const char *text)
{
	char line[2048] = "", next[2048];
	FILE *file = fopen(scratch_file(&d->s, "rows"), "r");
	assert_non_null(file);
	while (fgets(next, sizeof next, file))
		memcpy(line, next, sizeof line);
	fclose(file);
	if (!strstr(line, text))
		fail_msg("the row lacks '%s': %s", text, line);
}

#define KNOWN                                                    \
	"# a comment\n"                                          \
	"physics/test_evidence\tslow\tthe liquid is too thick\n" \
	"physics/test_other\tfast\tnot of this test\n"

static void rows_are_judged(void **state)
{
	(void)state;
	desk d = desk_make(KNOWN);
	assert_true(evidence("fall", 4.9, 4.905, 0.05, "m", ""));
	check_row(
	    &d,
	    "\"case\":\"fall\",\"measured\":4.9,\"expected\":4.905,\"low\":4.855,\"high\":4.955,\"unit\":\"m\",\"note\":"
	    "\"\",\"pass\":true,\"reason\":\"\"}");
	assert_false(evidence("fall", 5, 4.905, 0.05, "m", ""));
	check_row(&d, "\"pass\":false,\"reason\":\"\"");
	assert_false(evidence_at_most("speed", 6, 5, "", ""));
	assert_true(evidence_at_most("speed", 5, 5, "", ""));
	assert_false(evidence_at_least("share", (double)NAN, 0.5, "", ""));
	assert_true(evidence_report("shape", 0.5, "", ""));
	assert_false(evidence_report("shape", (double)NAN, "", ""));
	desk_free(&d);
}

static void known_misses_are_let_go(void **state)
{
	(void)state;
	desk d = desk_make(KNOWN);
	assert_true(evidence_at_most("slow", 6, 5, "", ""));
	check_row(&d, "\"test\":\"physics/test_evidence\",\"case\":\"slow\"");
	check_row(&d, "\"pass\":false,\"reason\":\"the liquid is too thick\"");
	// what misses no longer has to leave the file, and so has what was never judged
	assert_false(evidence_at_most("slow", 5, 5, "", ""));
	check_row(&d, "\"pass\":true,\"reason\":\"the liquid is too thick\"");
	assert_false(evidence_report("slow", 5, "", ""));
	// another test's row of that name is none of this one's
	assert_false(evidence_at_most("fast", 6, 5, "", ""));
	desk_free(&d);
}

static void lines_are_split_strictly(void **state)
{
	(void)state;
	char *fields[3] = {NULL}, good[] = "physics/test_x\ta row, with a comma\tits reason\n";
	assert_true(known_miss_split(good, fields));
	assert_string_equal(fields[0], "physics/test_x");
	assert_string_equal(fields[1], "a row, with a comma");
	assert_string_equal(fields[2], "its reason");
	const char *const bad[] = {"",
				   "\n",
				   "physics/test_x\trow",
				   "physics/test_x\trow\t\n",
				   "physics/test_x\t\treason",
				   "\trow\treason",
				   "physics/test_x row reason",
				   "physics/test_x\trow\treason\tmore",
				   "physics/test_x\trow\tits \"reason\""};
	for (size_t n = 0; n < sizeof bad / sizeof *bad; n++)
	{
		char line[128];
		snprintf(line, sizeof line, "%s", bad[n]);
		if (known_miss_split(line, fields))
			fail_msg("line %zu was taken: %s", n, bad[n]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_judged),
	    cmocka_unit_test(known_misses_are_let_go),
	    cmocka_unit_test(lines_are_split_strictly),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
