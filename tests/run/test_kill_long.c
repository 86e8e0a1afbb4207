// The loop of test_kill.c for much longer.
#define _GNU_SOURCE
#include "kill_loop.h"

static void many_kills(void **state)
{
	(void)state;
	kill_and_resume(200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(many_kills)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
