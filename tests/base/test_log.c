// Finished lines reach the handler of the thread's target, else that of the process.
#include "check.h"

#include "base/log.h"

#include <pthread.h>

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

static void a_target_of_the_thread_comes_first(void **state)
{
	(void)state;
	record process = {0}, outer = {0}, inner = {0};
	spate_log_set_handler(remember, &process);
	log_target before = log_enter((log_target){remember, &outer});
	log_info("outer");
	log_target between = log_enter((log_target){remember, &inner});
	log_info("inner");
	log_leave(between);
	// one without a handler leaves the line to the process, not to the target around it
	between = log_enter((log_target){0});
	log_info("process");
	log_leave(between);
	log_info("outer again");
	log_leave(before);
	log_info("process again");
	spate_log_set_handler(NULL, NULL);
	assert_int_equal(outer.calls, 2);
	assert_string_equal(outer.text, "outer again");
	assert_int_equal(inner.calls, 1);
	assert_string_equal(inner.text, "inner");
	assert_int_equal(process.calls, 2);
	assert_string_equal(process.text, "process again");
}

static void *speak(void *context)
{
	record *own = context;
	log_target before = log_enter((log_target){remember, own});
	for (int k = 0; k < 1000; k++)
		log_info("%p", context);
	log_leave(before);
	return NULL;
}

static void threads_do_not_mix_up(void **state)
{
	(void)state;
	record records[2] = {0};
	pthread_t threads[2];
	for (int k = 0; k < 2; k++)
		assert_int_equal(pthread_create(&threads[k], NULL, speak, &records[k]), 0);
	for (int k = 0; k < 2; k++)
	{
		pthread_join(threads[k], NULL);
		char expected[32];
		snprintf(expected, sizeof expected, "%p", (void *)&records[k]);
		assert_int_equal(records[k].calls, 1000);
		assert_string_equal(records[k].text, expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_reach_the_handler), cmocka_unit_test(without_a_handler_lines_are_dropped),
	    cmocka_unit_test(a_long_line_is_cut),      cmocka_unit_test(a_target_of_the_thread_comes_first),
	    cmocka_unit_test(threads_do_not_mix_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
