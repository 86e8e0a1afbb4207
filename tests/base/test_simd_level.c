// Choosing the instruction set: the environment may ask for less than the machine has, never for more.
#include "check.h"

#include "base/simd_level.h"

static simd_level detect_with(const char *wish)
{
	if (wish)
		setenv("SPATE_SIMD", wish, 1);
	else
		unsetenv("SPATE_SIMD");
	return simd_level_detect();
}

static void names_are_those_of_the_environment(void **state)
{
	(void)state;
	assert_string_equal(simd_level_name(SIMD_PORTABLE), "portable");
	assert_string_equal(simd_level_name(SIMD_AVX2), "avx2");
	assert_string_equal(simd_level_name(SIMD_AVX512), "avx512");
}

static void environment_asks_for_less(void **state)
{
	(void)state;
	simd_level best = detect_with(NULL);
	for (simd_level level = SIMD_PORTABLE; level <= SIMD_AVX512; level++)
		assert_int_equal(detect_with(simd_level_name(level)), level < best ? level : best);
}

static void nonsense_is_ignored(void **state)
{
	(void)state;
	simd_level best = detect_with(NULL);
	assert_int_equal(detect_with(""), best);
	assert_int_equal(detect_with("AVX2 "), best);
	assert_int_equal(detect_with("sse9"), best);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_are_those_of_the_environment),
	    cmocka_unit_test(environment_asks_for_less),
	    cmocka_unit_test(nonsense_is_ignored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
