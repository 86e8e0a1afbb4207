// Liquid gives way to any force: stress that remains as shear becomes slow is a yield stress, which liquid does not have.
#include "vortex_tank.h"

static void slow_shear_meets_no_stress(void **state)
{
	(void)state;
	int good = 1;
	for (int disordered = 0; disordered < 2; disordered++)
	{
		const vortex_tank t = {0.025, 20, 12, disordered ? 0.5 : 0, 0.04};
		char name[96], note[96];
		snprintf(name, sizeof name, "shear at 40 mm/s, %s, stress over pressure",
			 disordered ? "disordered" : "lattice");
		snprintf(note, sizeof note, "0.5 m deep, 20 layers; mean rate %.2g 1/s", vortex_rate(&t));
		good &= evidence_at_most(name, 100 * vortex_stress(&t, 0.2, 0.6), 0.3, "%", note);
	}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(slow_shear_meets_no_stress),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
