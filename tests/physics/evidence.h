// Rows of the page of results: each prints what was measured beside what was expected, and is appended to the file that
// $SPATE_RESULTS names, from where tools/results.py takes it.
//
// A test collects what its rows return and asserts at the end, so that one failure does not hide the others:
//
//     int good = evidence("fall after 1 s", fall, 4.905, 0.05, "m", "");
//     good &= evidence_at_most("rms speed", rms, 0.005, "m/s", "");
//     assert_true(good);
//
// Rows that miss their limits for a reason that is understood stand in known_misses.tsv. They do not fail the test, but are shown as missed. A
// row that stands there and passes does fail it, so that the file tells the truth.
#ifndef TESTS_PHYSICS_EVIDENCE_H
#define TESTS_PHYSICS_EVIDENCE_H

#include "check.h"

#include <fcntl.h>
#include <unistd.h>

// Between the two bounds, NaN fails; both infinite for a value that is only reported.
typedef struct evidence_row
{
	const char *file, *name, *unit, *note;
	double measured, expected, low, high;
} evidence_row;

// "physics/test_x" of the test that writes the row, also where a header does it for it.
static inline const char *evidence_test(char text[128], const evidence_row *row)
{
	const char *slash = strrchr(row->file, '/');
	const char *file = slash ? slash + 1 : row->file;
	snprintf(text, 128, "physics/%.*s", (int)strcspn(file, "."), file);
	return text;
}

// ---------------------------------------------------------------------------------------------------------- known misses

enum
{
	REASON_CHARS = 400
};

// Splits a line of known_misses.tsv into test, case and reason; 0 when it is none.
static inline int known_miss_split(char *line, char *fields[3])
{
	int count = 0;
	line[strcspn(line, "\n")] = 0;
	for (char *at = line; at && count < 3; count++)
	{
		fields[count] = at;
		at = count < 2 ? strchr(at, '\t') : NULL;
		if (at)
			*at++ = 0;
	}
	// quotes would end the string in the row's JSON
	return count == 3 && *fields[0] && *fields[1] && *fields[2] && strlen(fields[2]) < REASON_CHARS &&
	       !strpbrk(fields[2], "\t\"\\");
}

// Why a row misses its limits, "" where nothing is known. Reads the whole file for every row, so that any mistake in it fails all tests.
static inline const char *known_miss(char reason[REASON_CHARS], const char *test, const char *name)
{
	char path[2048], line[1024], *fields[3];
	const char *source = getenv("SPATE_SOURCE");
	snprintf(path, sizeof path, "%s/tests/physics/known_misses.tsv", source ? source : ".");
	FILE *file = fopen(path, "r");
	if (!file)
		fail_msg("%s cannot be read; run this test by ctest", path);
	*reason = 0;
	for (int number = 1; fgets(line, sizeof line, file); number++)
	{
		if (*line == '#')
			continue;
		if (!known_miss_split(line, fields))
		{
			fclose(file);
			fail_msg("%s:%d: expected test, case and reason with a tab between them and no quotes", path,
				 number);
		}
		int same = strcmp(fields[0], test) == 0 && strcmp(fields[1], name) == 0;
		if (same && *reason)
		{
			fclose(file);
			fail_msg("%s:%d: the row '%s' stands there twice", path, number, name);
		}
		if (same)
			strcpy(reason, fields[2]);
	}
	fclose(file);
	return reason;
}

// ------------------------------------------------------------------------------------------------------------------ rows

// A number in JSON, null for what is none.
static inline const char *evidence_number(char text[32], double value)
{
	snprintf(text, 32, isfinite(value) ? "%.9g" : "null", value);
	return text;
}

static inline void evidence_append(const evidence_row *row, const char *test, int pass, const char *reason)
{
	const char *path = getenv("SPATE_RESULTS");
	if (!path || !*path)
		return;
	char line[2048], numbers[4][32];
	int length =
	    snprintf(line, sizeof line,
		     "{\"test\":\"%s\",\"case\":\"%s\",\"measured\":%s,\"expected\":%s,\"low\":%s,\"high\":%s,"
		     "\"unit\":\"%s\",\"note\":\"%s\",\"pass\":%s,\"reason\":\"%s\"}\n",
		     test, row->name, evidence_number(numbers[0], row->measured),
		     evidence_number(numbers[1], row->expected), evidence_number(numbers[2], row->low),
		     evidence_number(numbers[3], row->high), row->unit, row->note, pass ? "true" : "false", reason);
	// one write per line: tests that run side by side do not tear each other's
	int out = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
	if (out < 0 || length >= (int)sizeof line || write(out, line, (size_t)length) != length)
		fail_msg("the row of '%s' could not be written to %s", row->name, path);
	close(out);
}

// 1 when the row is as it should be: within its limits, or beyond them for a known reason.
static inline int evidence_put(evidence_row row)
{
	char test[128], reason[REASON_CHARS];
	known_miss(reason, evidence_test(test, &row), row.name);
	int reported = isinf(row.low) && isinf(row.high), known = *reason != 0;
	int pass = reported ? isfinite(row.measured) : row.measured >= row.low && row.measured <= row.high;
	int good = reported ? pass && !known : pass != known;
	printf("%-8s %s: %.6g %s",
	       !good      ? "FAILED"
	       : known    ? "missed"
	       : reported ? "reported"
			  : "passed",
	       row.name, row.measured, row.unit);
	if (reported && isfinite(row.expected))
		printf(", published %.6g", row.expected);
	else if (!reported && isinf(row.low))
		printf(", at most %.6g", row.high);
	else if (!reported && isinf(row.high))
		printf(", at least %.6g", row.low);
	else if (!reported)
		printf(", expected %.6g within %.3g", row.expected, row.high - row.expected);
	printf("%s%s", *row.note ? "; " : "", row.note);
	if (known && good)
		printf("; %s", reason);
	else if (known)
		printf("; it stands in tests/physics/known_misses.tsv, but %s: remove it there",
		       reported ? "has no limits to miss" : "passes");
	printf("\n");
	fflush(stdout);
	evidence_append(&row, test, pass, reason);
	return good;
}

// |measured - expected| <= tolerance, in the unit.
#define evidence(name, measured, expected, tolerance, unit, note)                                                  \
	evidence_put((evidence_row){__BASE_FILE__, name, unit, note, measured, expected, (expected) - (tolerance), \
				    (expected) + (tolerance)})

#define evidence_at_most(name, measured, most, unit, note) \
	evidence_put((evidence_row){__BASE_FILE__, name, unit, note, measured, most, -(double)INFINITY, most})

#define evidence_at_least(name, measured, least, unit, note) \
	evidence_put((evidence_row){__BASE_FILE__, name, unit, note, measured, least, least, (double)INFINITY})

// A number beside a published one, without a limit.
#define evidence_compare(name, measured, published, unit, note) \
	evidence_put(                                           \
	    (evidence_row){__BASE_FILE__, name, unit, note, measured, published, -(double)INFINITY, (double)INFINITY})

// A number that the reader may want to know, of which nothing is expected.
#define evidence_report(name, measured, unit, note)                                                            \
	evidence_put((evidence_row){__BASE_FILE__, name, unit, note, measured, (double)NAN, -(double)INFINITY, \
				    (double)INFINITY})

#endif
