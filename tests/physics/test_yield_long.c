// How the stress of slow shear depends on its rate, down to rates at which only a yield stress is left.
#include "vortex_tank.h"

static void stress_vanishes_with_the_rate(void **state)
{
	(void)state;
	static const double speeds[] = {0.08, 0.04, 0.02, 0.01};
	int good = 1;
	for (int disordered = 0; disordered < 2; disordered++)
		for (int n = 0; n < 4; n++)
		{
			const vortex_tank t = {.spacing = 0.025,
					       .layers = 20,
					       .across = 12,
					       .jitter = disordered ? 0.5 : 0,
					       .speed = speeds[n]};
			char name[96], note[96];
			double share = 100 * vortex_stress(&t, 0.2, 0.8);
			snprintf(name, sizeof name, "shear at %.0f mm/s, %s, stress over pressure", 1e3 * speeds[n],
				 disordered ? "disordered" : "lattice");
			snprintf(note, sizeof note, "0.5 m deep, 20 layers; mean rate %.2g 1/s", vortex_rate(&t));
			good &= n < 2 ? evidence_report(name, share, "%", note)
				      : evidence_at_most(name, share, 0.3, "%", note);
		}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(stress_vanishes_with_the_rate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
