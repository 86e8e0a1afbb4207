// Result codes come from one table; a failing function leaves one sentence.
#include "check.h"

#include "base/error.h"

static void names_and_texts_follow_the_table(void **state)
{
	(void)state;
	int entries = 0;
#define X(name, value, text)                                              \
	assert_int_equal(SPATE_##name, value);                            \
	assert_string_equal(spate_result_name(SPATE_##name), #name);      \
	assert_string_equal(spate_result_text(SPATE_##name), text);       \
	assert_true((value) == -entries); /* no gaps, nothing positive */ \
	entries++;
	SPATE_RESULT_MAP(X)
#undef X
	assert_int_equal(entries, 14);
}

static void unknown_codes_have_a_name_too(void **state)
{
	(void)state;
	static const int codes[] = {1, -14, -1000000};
	for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
	{
		assert_string_equal(spate_result_name((spate_result)codes[k]), "UNKNOWN");
		assert_string_equal(spate_result_text((spate_result)codes[k]), "unknown result");
	}
}

static void a_sentence_is_formatted(void **state)
{
	(void)state;
	spate_error error = {0};
	check_result(error_set(&error, SPATE_IO, "cannot open %s (%d)", "a.yaml", 7), SPATE_IO);
	assert_int_equal(error.code, SPATE_IO);
	assert_string_equal(error.text, "cannot open a.yaml (7)");
}

static void nobody_has_to_listen(void **state)
{
	(void)state;
	check_result(error_set(NULL, SPATE_RANGE, "particle %d", 3), SPATE_RANGE);
}

static void a_sentence_can_be_wrapped_in_another(void **state)
{
	(void)state;
	spate_error error;
	error_set(&error, SPATE_FORMAT, "bad magic number");
	error_set(&error, SPATE_FORMAT, "frame_000012.spate: %s", error.text);
	assert_string_equal(error.text, "frame_000012.spate: bad magic number");
}

static void a_long_sentence_is_cut(void **state)
{
	(void)state;
	char word[5000];
	memset(word, 'x', sizeof word - 1);
	word[sizeof word - 1] = 0;
	spate_error error;
	error_set(&error, SPATE_INVALID, "%s", word);
	assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

static void memory_says_how_much(void **state)
{
	(void)state;
	spate_error error;
	check_result(error_memory(&error, 12500000), SPATE_MEMORY);
	assert_int_equal(error.code, SPATE_MEMORY);
	assert_string_equal(error.text, "out of memory: 12.5 MB more were needed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_and_texts_follow_the_table),
	    cmocka_unit_test(unknown_codes_have_a_name_too),
	    cmocka_unit_test(a_sentence_is_formatted),
	    cmocka_unit_test(nobody_has_to_listen),
	    cmocka_unit_test(a_sentence_can_be_wrapped_in_another),
	    cmocka_unit_test(a_long_sentence_is_cut),
	    cmocka_unit_test(memory_says_how_much),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
