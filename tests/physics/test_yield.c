// Liquid gives way to any force: stress that remains as shear becomes slow is a yield stress, which liquid does not have.
#include "vortex_tank.h"

static void slow_shear_meets_no_stress(void **state)
{
	(void)state;
	const vortex_tank t = {.spacing = 0.025, .layers = 20, .across = 12, .jitter = 0.5, .speed = 0.02};
	char note[96];
	snprintf(note, sizeof note, "0.5 m deep, 20 layers; mean rate %.2g 1/s", vortex_rate(&t));
	assert_true(
	    evidence_at_most("slow shear, stress over pressure", 100 * vortex_stress(&t, 0.2, 0.4), 0.3, "%", note));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(slow_shear_meets_no_stress),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
