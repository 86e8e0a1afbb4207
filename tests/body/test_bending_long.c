// A bag of cloth for ten seconds.
#include "bags.h"

// It holds the water, sags the more the fuller it is, and carries its weight.
static void a_bag_holds_water_for_ten_seconds(void **state)
{
	(void)state;
	const double radii[] = {0.025, 0.033, 0.04};
	held last = {0};
	for (int k = 0; k < 3; k++)
	{
		held h = hold(radii[k], 234);
		printf("%u particles for 10 s: sag %.5f m, force %.4f N of %.4f N, %u lost\n", h.count, h.sag, h.force,
		       h.weight, h.lost);
		assert_int_equal(h.lost, 0);
		check_near(h.force, h.weight, 0.01 * h.weight);
		assert_true(h.sag > 1.1 * last.sag);
		last = h;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_bag_holds_water_for_ten_seconds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
