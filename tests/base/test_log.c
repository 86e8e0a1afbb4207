// One handler for the process, which gets finished lines.
#include "check.h"

#include "base/log.h"

typedef struct record
{
	int calls;
	spate_log_level level;
	char text[2048];
} record;

static void remember(void *context, spate_log_level level, const char *text)
{
	record *r = context;
	r->calls++;
	r->level = level;
	snprintf(r->text, sizeof r->text, "%s", text);
}

static void lines_reach_the_handler(void **state)
{
	(void)state;
	record r = {0};
	spate_log_set_handler(remember, &r);
	log_info("frame %d of %s", 12, "dam");
	assert_int_equal(r.calls, 1);
	assert_int_equal(r.level, SPATE_LOG_INFO);
	assert_string_equal(r.text, "frame 12 of dam");
	log_warning("%d particles left", 3);
	assert_int_equal(r.calls, 2);
	assert_int_equal(r.level, SPATE_LOG_WARNING);
	assert_string_equal(r.text, "3 particles left");
	log_debug("100%%");
	assert_int_equal(r.calls, 3);
	assert_int_equal(r.level, SPATE_LOG_DEBUG);
	assert_string_equal(r.text, "100%");
	spate_log_set_handler(NULL, NULL);
}

static void without_a_handler_lines_are_dropped(void **state)
{
	(void)state;
	record r = {0};
	spate_log_set_handler(remember, &r);
	spate_log_set_handler(NULL, NULL);
	log_info("nobody hears %s", "this");
	assert_int_equal(r.calls, 0);
}

static void a_long_line_is_cut(void **state)
{
	(void)state;
	char word[1800];
	memset(word, 'y', sizeof word - 1);
	word[sizeof word - 1] = 0;
	record r = {0};
	spate_log_set_handler(remember, &r);
	log_info("%s", word);
	spate_log_set_handler(NULL, NULL);
	assert_int_equal(strlen(r.text), 1023);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_reach_the_handler),
	    cmocka_unit_test(without_a_handler_lines_are_dropped),
	    cmocka_unit_test(a_long_line_is_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
