// kill -9 at any moment: finished frames are whole, and the resumed run ends like an undisturbed one.
#define _GNU_SOURCE
#include "kill_loop.h"

static void ten_kills(void **state)
{
	(void)state;
	kill_and_resume(10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ten_kills)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
