// Rows of the page of results: each prints what was measured beside what was expected, and is appended to the file that
// $SPATE_RESULTS names, from where tools/results.py takes it.
//
// A test collects what its rows return and asserts at the end, so that one failure does not hide the others:
//
//     int good = evidence("fall after 1 s", fall, 4.905, 0.05, "m", "");
//     good &= evidence_at_most("rms speed", rms, 0.005, "m/s", "");
//     assert_true(good);
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

// A number in JSON, null for what is none.
static inline const char *evidence_number(char text[32], double value)
{
	snprintf(text, 32, isfinite(value) ? "%.9g" : "null", value);
	return text;
}

static inline void evidence_append(const evidence_row *row, int good)
{
	const char *path = getenv("SPATE_RESULTS");
	if (!path || !*path)
		return;
	const char *slash = strrchr(row->file, '/');
	const char *file = slash ? slash + 1 : row->file;
	char line[1024], numbers[4][32];
	int length = snprintf(
	    line, sizeof line,
	    "{\"test\":\"physics/%.*s\",\"case\":\"%s\",\"measured\":%s,\"expected\":%s,\"low\":%s,\"high\":%s,"
	    "\"unit\":\"%s\",\"note\":\"%s\",\"pass\":%s}\n",
	    (int)strcspn(file, "."), file, row->name, evidence_number(numbers[0], row->measured),
	    evidence_number(numbers[1], row->expected), evidence_number(numbers[2], row->low),
	    evidence_number(numbers[3], row->high), row->unit, row->note, good ? "true" : "false");
	// one write per line: tests that run side by side do not tear each other's
	int out = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
	if (out < 0 || length >= (int)sizeof line || write(out, line, (size_t)length) != length)
		fail_msg("the row of '%s' could not be written to %s", row->name, path);
	close(out);
}

static inline int evidence_put(evidence_row row)
{
	int reported = isinf(row.low) && isinf(row.high);
	int good = reported ? isfinite(row.measured) : row.measured >= row.low && row.measured <= row.high;
	printf("%-8s %s: %.6g %s",
	       !good      ? "FAILED"
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
	printf("%s%s\n", *row.note ? "; " : "", row.note);
	fflush(stdout);
	evidence_append(&row, good);
	return good;
}

// |measured - expected| <= tolerance, in the unit.
#define evidence(name, measured, expected, tolerance, unit, note)                                             \
	evidence_put((evidence_row){__FILE__, name, unit, note, measured, expected, (expected) - (tolerance), \
				    (expected) + (tolerance)})

#define evidence_at_most(name, measured, most, unit, note) \
	evidence_put((evidence_row){__FILE__, name, unit, note, measured, most, -(double)INFINITY, most})

#define evidence_at_least(name, measured, least, unit, note) \
	evidence_put((evidence_row){__FILE__, name, unit, note, measured, least, least, (double)INFINITY})

// A number beside a published one, without a limit.
#define evidence_compare(name, measured, published, unit, note) \
	evidence_put(                                           \
	    (evidence_row){__FILE__, name, unit, note, measured, published, -(double)INFINITY, (double)INFINITY})

// A number that the reader may want to know, of which nothing is expected.
#define evidence_report(name, measured, unit, note) \
	evidence_put(                               \
	    (evidence_row){__FILE__, name, unit, note, measured, (double)NAN, -(double)INFINITY, (double)INFINITY})

#endif
