// What every test program includes: cmocka with its prerequisites, and checks that print both values.
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// |actual - expected| <= tolerance, in the unit of the values; a NaN fails.
#define check_near(actual, expected, tolerance)                                                                \
	do                                                                                                     \
	{                                                                                                      \
		double check_a = (actual), check_e = (expected), check_t = (tolerance);                        \
		if (!(fabs(check_a - check_e) <= check_t))                                                     \
			fail_msg("%s is %.9g, expected %.9g within %.3g", #actual, check_a, check_e, check_t); \
	} while (0)

#define check_ok(call)                                                                  \
	do                                                                              \
	{                                                                               \
		spate_result check_result = (call);                                     \
		if (check_result != SPATE_OK)                                           \
			fail_msg("%s gave %s", #call, spate_result_name(check_result)); \
	} while (0)

#define check_result(call, expected)                                                           \
	do                                                                                     \
	{                                                                                      \
		spate_result check_r = (call), check_x = (expected);                           \
		if (check_r != check_x)                                                        \
			fail_msg("%s gave %s, expected %s", #call, spate_result_name(check_r), \
				 spate_result_name(check_x));                                  \
	} while (0)

// Skipping is for what this machine cannot have: tools/run_tests.py lists the reasons. A package that tools/install.sh installs is no
// reason, unless the build was told to do without it: that is skip_without(), and an error otherwise.
// These two are the only places that call cmocka's skip().
#define skip_because(...) (print_message("skipped: "), print_message(__VA_ARGS__), print_message("\n"), skip())
#define skip_without(library) (print_message("skipped without %s\n", library), skip())

// The same for a whole program: what main() returns where none of its tests can say anything.
static inline int skip_program(const char *reason)
{
	printf("skipped: %s\n", reason);
	return 77;
}
static inline int skip_program_without(const char *library)
{
	printf("skipped without %s\n", library);
	return 77;
}

#endif
