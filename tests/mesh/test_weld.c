// Points that are equal get one number.
#include "check.h"
#include "mesh/weld.h"

static uint32_t number_of(weld *w, float x, float y, float z)
{
	uint32_t index = UINT32_MAX;
	assert_true(weld_add(w, (const float[3]){x, y, z}, &index));
	return index;
}

static void equal_points_are_one(void **state)
{
	(void)state;
	weld w = {.slots = NULL};
	for (uint32_t n = 0; n < 1000; n++)
		assert_int_equal(number_of(&w, (float)n, 0.5f, -1.0f), n);
	for (uint32_t n = 0; n < 1000; n++)
		assert_int_equal(number_of(&w, (float)n, 0.5f, -1.0f), n);
	weld_free(&w);
}

// Zero has two signs and is one place.
static void signed_zeros_are_equal(void **state)
{
	(void)state;
	weld w = {.slots = NULL};
	for (int signs = 0; signs < 8; signs++)
		assert_int_equal(
		    number_of(&w, signs & 1 ? -0.0f : 0.0f, signs & 2 ? -0.0f : 0.0f, signs & 4 ? -0.0f : 0.0f), 0);
	weld_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(equal_points_are_one),
	    cmocka_unit_test(signed_zeros_are_equal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
