// Numbers are read exactly as the C library reads them, to the last bit and whatever the locale.
#define _GNU_SOURCE
#include "mesh/text.h"

#include "check.h"
#include "dice.h"
#include "scratch.h"

#include <locale.h>

static double number_of(const char *text)
{
	text_cursor c = {text, text + strlen(text), 1, 0};
	double value = 0.0;
	if (!text_number(&c, &value))
		fail_msg("'%s' is not a number", text);
	assert_ptr_equal(c.at, c.end);
	return value;
}

static void check_exact(const char *text)
{
	double actual = number_of(text), expected = strtod(text, NULL);
	if (memcmp(&actual, &expected, sizeof actual) != 0)
		fail_msg("'%s' gave %a, expected %a", text, actual, expected);
}

static void hard_ones_and_easy_ones(void **state)
{
	(void)state;
	static const char *const texts[] = {"0",
					    "-0",
					    "+1",
					    "1.",
					    ".5",
					    "-.5e1",
					    "1e22",
					    "1e23",
					    "1e-22",
					    "1e-23",
					    "9007199254740993",
					    "9007199254740992",
					    "0.1",
					    "123456789012345678901234567890",
					    "1e400",
					    "-1e400",
					    "1e-400",
					    "2.2250738585072011e-308",
					    "4.9e-324",
					    "0.99999999972930809",
					    "00000000000000000000000000001.5",
					    "0.00000000000000000000000000000000000000123",
					    "1e+5",
					    "1E5",
					    "12345678901234567890.0",
					    "10000000000000000000000",
					    "0e999999999999",
					    "1e99999999999999999999",
					    "1e-99999999999999999999",
					    "0.000000000000000000000000000000"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		check_exact(texts[i]);
	assert_true(isnan(number_of("nan")));
	assert_true(isnan(number_of("-NaN(ind)")));
	assert_true(number_of("-inf") == -INFINITY);
	assert_true(number_of("Infinity") == INFINITY);
}

static void random_ones(void **state)
{
	(void)state;
	dice d = {7};
	for (int i = 0; i < 200000; i++)
	{
		char text[64];
		uint64_t bits = dice_bits(&d);
		double value;
		memcpy(&value, &bits, sizeof value);
		if (!isfinite(value))
			continue;
		// every length from one digit to more than there are
		snprintf(text, sizeof text, "%.*g", 1 + i % 20, i % 2 ? value : fmod(value, 1000.0));
		check_exact(text);
		snprintf(text, sizeof text, "%.*f", i % 12, (double)dice_range(&d, -100.0f, 100.0f));
		check_exact(text);
	}
}

static void what_is_no_number(void **state)
{
	(void)state;
	static const char *const texts[] = {"", "-", ".", "e5", "1x", "0x10", "1.#QNAN", "1,5", "--1", "1e5e", "1/2"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
	{
		text_cursor c = {texts[i], texts[i] + strlen(texts[i]), 1, 1};
		double value;
		if (text_number(&c, &value))
			fail_msg("'%s' was read as %g", texts[i], value);
	}
	// what sticks to a number may be a comment, where there are comments
	text_cursor c = {"1.5#red", NULL, 1, 1};
	c.end = c.at + strlen(c.at);
	text_cursor plain = {c.at, c.end, 1, 0};
	double value = 0.0;
	assert_false(text_number(&plain, &value));
	assert_true(text_number(&c, &value));
	check_near(value, 1.5, 0.0);
	assert_int_equal(*c.at, '#');
	assert_true(text_line_done(&c));
}

// Where decimals have commas, files have points all the same. Few machines have such a locale, so it is made here.
static void other_locales(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char command[2048];
	snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s'", scratch_file(&s, "de_DE.UTF-8"));
	assert_int_equal(system(command), 0);
	setenv("LOCPATH", s.path, 1);
	assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
	assert_string_equal(localeconv()->decimal_point, ",");
	check_near(number_of("1.5"), 1.5, 0);
	check_near(number_of("0.99999999972930809"), 0x1.fffffffdacbe0p-1, 0);
	setlocale(LC_ALL, "C");
	scratch_remove(&s);
}

static void lines_and_words(void **state)
{
	(void)state;
	const char *text = "one # two\n  # three\n\nFour \\\r\n five\n";
	text_cursor c = {text, text + strlen(text), 1, 1};
	assert_true(text_skip_space(&c));
	assert_true(text_word_is(&c, "ONE"));
	c.at += text_word_length(&c);
	assert_true(text_line_done(&c));
	assert_true(text_skip_space(&c));
	assert_int_equal(c.line, 4);
	assert_true(text_word_is(&c, "four"));
	assert_string_equal(text_show_word(&c).text, "Four");
	c.at += text_word_length(&c);
	assert_false(text_line_done(&c));
	assert_int_equal(c.line, 5);
	assert_true(text_word_is(&c, "five"));
	c.at += 4;
	assert_true(text_line_done(&c));
	assert_false(text_skip_space(&c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hard_ones_and_easy_ones), cmocka_unit_test(random_ones),
	    cmocka_unit_test(what_is_no_number),       cmocka_unit_test(other_locales),
	    cmocka_unit_test(lines_and_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
